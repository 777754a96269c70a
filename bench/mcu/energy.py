"""Estimated energy of a row: instructions times what a chip with such a core takes per cycle.

The figures are typical ones, active from flash, without peripherals. A source names the document;
a figure that is quoted was read in texts that cite it.
"""

from __future__ import annotations

from typing import NamedTuple


class Supply(NamedTuple):
    """What a chip takes: milliamperes per megahertz, volts, and where that is from."""

    chip: str
    per_megahertz: float
    volts: float
    source: str

    @property
    def nanojoules(self) -> float:
        """Per cycle: mA / MHz is nA / Hz."""
        return self.per_megahertz * self.volts


#: A chip for each board; those of Arm's own boards are not sold.
SUPPLIES = {
    "microbit": Supply(
        "nRF51822", 0.275, 3.0,
        "quoted from its Product Specification, section 8.4: 4.4 mA at 16 MHz from flash",
    ),
    "lm3s6965evb": Supply("STM32L100", 0.30, 3.0, "data sheet DocID024295, table 15, 32 MHz"),
    "mps2-an386": Supply(
        "nRF52840", 0.052, 3.0,
        "quoted from its Product Specification: CoreMark from flash, 64 MHz, DC/DC, 3.3 mA",
    ),
    "mps2-an500": Supply("STM32F746", 0.47, 3.3, "estimate, not checked"),
    "mps2-an505": Supply(
        "STM32L552", 0.062, 3.3, "quoted from ST's list of its families, run mode"
    ),
    "rv32imc": Supply("ESP32-C3", 0.17, 3.3, "26.8 mA at 160 MHz, measured by robdobson.com"),
    "uno": Supply(
        "ATmega328P", 0.65, 5.0, "data sheet, table DC characteristics: 5.2 mA at 8 MHz, 5 V"
    ),
}  # fmt: skip


def microjoules(board: str, instructions: float) -> float:
    """The estimate, one instruction a cycle (of the Uno cycles are counted)."""
    return instructions * SUPPLIES[board].nanojoules / 1e3


def note() -> str:
    """What the estimates rest on."""
    chips = "; ".join(
        f"{name}: {s.chip}, {s.per_megahertz:g} mA/MHz at {s.volts:g} V ({s.source})"
        for name, s in SUPPLIES.items()
    )
    return (
        "Energy is an ESTIMATE, not a measurement: instructions times the data sheet's current per"
        " megahertz times the voltage of a chip with such a core, one instruction a cycle."
        f" {chips}."
    )
