"""Boards for a learner: their memory, clock, flash and core.

The figures were recalled, not copied, from the data sheets that each row names, and then checked
against the pages named beside them. Figures without such a page are marked unchecked; those of SD
cards are, since their makers publish little.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from edgeolk.hosting import factors_of
from firmware_sim.errors import SimulatorError

KIB, MIB = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Cost:
    """Instructions of a step of structured features: ``sorf``."""

    fixed: float  # of any row
    per_reading: float  # for each of its readings
    #: for each block of 64 frequencies, the last one padded, and for each reading in it
    per_block: float
    per_block_reading: float
    #: for each block and each column of weights after the first, where there are classes
    per_block_class: float
    #: for each row of the row memory, and for each of its readings
    per_held: float
    per_held_reading: float
    #: with a second, narrower kernel: additional for each row of the memory, and per step
    per_held_narrow: float
    narrow: float


@dataclass(frozen=True)
class ProcessCost:
    """Instructions of a Gaussian process of V vectors beside the features of d inputs."""

    fixed: float  # of any row
    square: float  # of any row, for each of the (V + d + 2)^2 numbers
    #: of a row at which its widths change besides, for each of V^3 and of V^2
    exchange_cube: float
    exchange_square: float


class _Costs(TypedDict):
    score: Cost
    change: Cost


@dataclass(frozen=True)
class Core:
    """Instructions of one kind of core for a kernel row, and for a row of structured features."""

    name: str
    per_number: float  # instructions for one number of one support vector
    per_vector: float  # instructions for the rest of a support vector, the exponential above all
    per_square: float  # instructions for each of B^2 in a formula
    per_cube: float  # for each of B^3
    exponential: float  # instructions for an exponential by itself
    source: str  # where the instructions of support vectors come from
    score: Cost  # of structured features: to score a row
    change: Cost  # of structured features: to learn a row that changes everything
    structured_source: str  # where these come from
    process: ProcessCost  # beside them


# Fitted to bench/results/boards.md, AArch64. Support vectors: steps of rbp with one float32 kernel
# row of 5, 8, 16 and 64 readings, within 12 %. Terms of B^2 and B^3, and the exponential, are the
# longest steps in bench/results/steps.md, which has four lanes too. Structured features: the page
# counts one learner of them, so the proportions come from x86-64 with four lanes, counted by the
# same plugin for D = 128 to 2,432, d = 5 to 64, 0 to 1,536 rows held and up to 6 classes; all but
# the classes of a change are multiplied by 0.69, the ratio of the page's sorf to the same learner
# there (254,933 of 368,113). Classes of a change: between 2,000 and 5,800 each, by their number. A
# process: the same, for krls_auto with 20 and 52 vectors, multiplied by 0.81 (65,072 of 80,821);
# its exchanges take a fourth of a float unit's instructions.
_LANES = Core(
    "four float lanes",
    1.05,
    16.3,
    3.15,
    2.25,
    41.0,
    "counted on an emulated Cortex-A53",
    Cost(700.0, 8.0, 1_850.0, 2.0, 255.0, 19.0, 1.55, 6.2, 120.0),
    Cost(2_800.0, 0.0, 5_870.0, 6.2, 4_000.0, 22.0, 1.6, 6.2, 270.0),
    "counted for four lanes and on an emulated Cortex-A53, int8",
    ProcessCost(9_200.0, 13.8, 3.5, 143.0),
)
# B = 100 and d = 16 take 20,000 instructions of a Cortex-M4F, 711,000 of a Cortex-M0, in C.
# Structured features: the fits of edgeolk/export/fitted.json. The narrower kernel of rows held
# beside them: counted with 60 and 260 rows of 5 inputs, two classes and four, D = 64. A process:
# krls_auto counted with 4 inputs and 19 and 53 vectors. Terms of B^2 and B^3: 1.4 and 1.0 times a
# number of a kernel row, as in projectron and bpa_p in bench/results/steps.md.


def _fitted(core: str, score: tuple[float, float], change: tuple[float, float]) -> _Costs:
    """To score a row, and to learn one that changes everything; with the narrower kernel's."""
    to_score, _, longest = factors_of(core)
    return {"score": _cost(to_score, *score), "change": _cost(longest, *change)}


def _cost(fit: list[float], held: float, narrow: float) -> Cost:
    return Cost(
        fixed=fit[0], per_reading=fit[2], per_block=fit[1], per_block_reading=fit[3],
        per_block_class=fit[5], per_held=fit[6], per_held_reading=fit[7],
        per_held_narrow=held, narrow=narrow,
    )  # fmt: skip


_SINGLE = Core(
    "float unit",
    5.0,
    120.0,
    7.0,
    5.0,
    120.0,
    "counted on an emulated Cortex-M4F, B = 100, d = 16",
    **_fitted("Cortex-M4F", (21.0, 400.0), (22.0, 700.0)),
    structured_source="counted on an emulated Cortex-M4F, int8",
    process=ProcessCost(40_000.0, 180.0, 14.0, 572.0),
)
_SOFT = Core(
    "float in software",
    300.0,
    2_310.0,
    420.0,
    300.0,
    2_310.0,
    "counted on an emulated Cortex-M0",
    **_fitted("Cortex-M0", (280.0, 13_000.0), (280.0, 20_000.0)),
    structured_source="counted on an emulated Cortex-M0, int8",
    process=ProcessCost(0.0, 1_930.0, 463.0, 3_360.0),
)


@dataclass(frozen=True)
class Board:
    """One board.

    Attributes
    ----------
    name, title : str
        The value of ``--device``, and the common name.
    core : Core
        Its processor core.
    ram : int
        Bytes of RAM.
    for_learner : int
        Bytes for a learner: half of a microcontroller's, a sixteenth on Linux.
    cache : int
        Bytes of its largest data cache; 0 if it has none.
    clock : float
        Hertz.
    per_cycle : float
        Mean instructions per cycle.
    page, erase : int
        Smallest number of bytes that its flash or card writes, and erases.
    endurance : int
        Erase cycles.
    source : str
        The source of the figures.
    seen, flash_seen : str
        The pages against which memory and clock, and the flash figures, were checked; empty if
        unchecked.
    """

    name: str
    title: str
    core: Core
    ram: int
    for_learner: int
    cache: int
    clock: float
    per_cycle: float
    page: int
    erase: int
    endurance: int
    source: str
    seen: str = ""
    flash_seen: str = ""

    @property
    def provenance(self) -> str:
        """The source of the figures, and whether they were checked."""
        memory = f"RAM and clock: {self.seen}" if self.seen else "RAM and clock unchecked"
        flash = f"flash: {self.flash_seen}" if self.flash_seen else "flash unchecked"
        return f"{self.source} [{memory}; {flash}]"

    @property
    def per_second(self) -> float:
        """Instructions per second."""
        return self.clock * self.per_cycle


# Sources of memory and clock.
_PICO_2_PAGE = "core-electronics.com.au/guides/raspberry-pi-pico-2-overview-features-and-specs"
_PICO_PAGE = "tech.arunkumarn.in/blogs/raspberry-pi-pico/pico-vs-pico2, at most 133 MHz"
_ZERO_PAGE = "etechnophiles.com/rpi-zero-2w-board-layout-pinout-specs-price"
_WASM_PAGE = "github.com/DianQK/wasm3 docs/Hardware.md"
_NORDIC_PAGE = "github.com/platformio/platformio-docs boards/nordicnrf52/nrf52840_dk.rst"
_ST_PAGE = "github.com/platformio/platformio-docs frameworks/libopencm3.rst, Feather F405"
_MICROBIT_PAGE = "packtpub.com/en-de/product/bbc-microbit-in-practice-9781804610121, chapter 1"
_PI_3_PAGE = "fudzilla.net/news/40078-raspberry-pi-3-launches-with-64-bit-cortex-a53"
_PI_4_PAGE = "issuu.com/28rduan/docs/raspberrypi_beginnersguide_v3, appendix F"
_PI_5_PAGE = (
    "circuitdigest.com/news/the-new-raspberry-pi-5-is-here-faster-than-ever, clock and caches alone"
)
# Sources of erase sizes and cycles of flash.
_PICO_FLASH = (
    "github.com/NegasonicX/Raspberry-PICO2040-Flash-Storage (page, cycles), docs.embassy.dev "
    "embassy-rp flash_range_erase (erasure)"
)
_ESP32_FLASH = (
    "docs.espressif.com esp-idf wear-levelling (erasure), esp32.com/viewtopic.php?t=709 (cycles, "
    "of its maker's modules)"
)
_NRF51_FLASH = "devzone.nordicsemi.com/f/nordic-q-a/15798 (word, cycles; erasure unchecked)"
_NRF52_FLASH = (
    "devzone.nordicsemi.com/question/175638 (word, erasure), /f/nordic-q-a/15798 (cycles of nRF52)"
)

_ST_FLASH = (
    "easymanua.ls/st/stm32f40-series/manual?p=67 (word), electronica.guru/questions/45562 (cycles; "
    "erasure unchecked)"
)

_CARD = (4 * KIB, 4 * MIB, 1_000)  # a consumer's card; makers state little
_NOR = (256, 4 * KIB, 100_000)


def _linux(
    name: str,
    title: str,
    ram: int,
    cache: int,
    clock: float,
    rate: float,
    source: str,
    seen: str = "",
) -> Board:
    return Board(name, title, _LANES, ram, ram // 16, cache, clock, rate, *_CARD, source, seen)


def _small(
    name: str,
    title: str,
    core: Core,
    ram: int,
    clock: float,
    flash: tuple[int, int, int],
    source: str,
    seen: str,
    flash_seen: str = "",
) -> Board:
    rate = 1.0 if core is _SINGLE else 0.7  # loads and branches take more than one cycle
    return Board(name, title, core, ram, ram // 2, 0, clock, rate, *flash, source, seen, flash_seen)


BOARDS = {
    board.name: board
    for board in (
        _linux(
            *("pi-zero-2w", "Raspberry Pi Zero 2 W", 512 * MIB, 512 * KIB, 1.0e9, 0.8),
            "product brief (RP3A0, Cortex-A53); a consumer's SD card",
            _ZERO_PAGE,
        ),
        _linux(
            *("pi-3", "Raspberry Pi 3 Model B", 1024 * MIB, 512 * KIB, 1.2e9, 0.8),
            "product brief (BCM2837, Cortex-A53); a consumer's SD card",
            _PI_3_PAGE,
        ),
        _linux(
            *("pi-4", "Raspberry Pi 4 Model B", 1024 * MIB, MIB, 1.5e9, 1.5),
            "product brief (BCM2711, Cortex-A72), smallest variant; a consumer's SD card",
            _PI_4_PAGE,
        ),
        _linux(
            *("pi-5", "Raspberry Pi 5", 2048 * MIB, 2 * MIB, 2.4e9, 2.0),
            "product brief (BCM2712, Cortex-A76), smallest variant; a consumer's SD card",
            _PI_5_PAGE,
        ),
        _small(
            *("pico", "Raspberry Pi Pico", _SOFT, 264 * KIB, 125e6, _NOR),
            "RP2040 data sheet (Cortex-M0+); W25Q16JV data sheet",
            _PICO_PAGE,
            _PICO_FLASH,
        ),
        _small(
            *("pico-2", "Raspberry Pi Pico 2", _SINGLE, 520 * KIB, 150e6, _NOR),
            "RP2350 data sheet (Cortex-M33); W25Q32JV data sheet",
            _PICO_2_PAGE,
        ),
        _small(
            *("esp32", "ESP32", _SINGLE, 320 * KIB, 240e6, _NOR),
            "ESP32 data sheet (Xtensa LX6, counted as a Cortex-M4F; data RAM of 520 KiB)",
            _WASM_PAGE,
            _ESP32_FLASH,
        ),
        _small(
            *("nrf52840", "nRF52840", _SINGLE, 256 * KIB, 64e6, (4, 4 * KIB, 10_000)),
            "nRF52840 product specification (Cortex-M4F)",
            _NORDIC_PAGE,
            _NRF52_FLASH,
        ),
        _small(
            *("stm32f405", "STM32F405", _SINGLE, 128 * KIB, 168e6, (4, 128 * KIB, 10_000)),
            "STM32F405 data sheet (Cortex-M4F; without the 64 KiB of core-coupled RAM)",
            _ST_PAGE,
            _ST_FLASH,
        ),
        _small(
            *("microbit", "micro:bit V1", _SOFT, 16 * KIB, 16e6, (4, KIB, 20_000)),
            "nRF51822 product specification (Cortex-M0)",
            _MICROBIT_PAGE,
            _NRF51_FLASH,
        ),
        _small(
            *("microbit-2", "micro:bit V2", _SINGLE, 128 * KIB, 64e6, (4, 4 * KIB, 10_000)),
            "nRF52833 product specification (Cortex-M4F)",
            _MICROBIT_PAGE,
            _NRF52_FLASH,
        ),
    )
}


def board_of(name: str) -> Board:
    """Return the board of that name.

    Raises SimulatorError: there is none.
    """
    if name not in BOARDS:
        raise SimulatorError(f"device {name!r} is not one of: {', '.join(BOARDS)}")
    return BOARDS[name]


def table() -> str:
    """Return the boards as text, one per line."""
    lines = [
        f"{'--device':<12}{'RAM':>9}{'learner':>10}{'cache':>9}{'clock':>10}"
        f"{'M instr/s':>11}{'page':>7}{'erase':>9}{'cycles':>9}  board; source"
    ]
    lines += [
        f"{b.name:<12}{size(b.ram):>9}{size(b.for_learner):>10}{size(b.cache):>9}"
        f"{b.clock / 1e6:>6,.0f} MHz{b.per_second / 1e6:>11,.0f}{size(b.page):>7}"
        f"{size(b.erase):>9}{b.endurance:>9,}  {b.title}; {b.provenance}"
        for b in BOARDS.values()
    ]
    return "\n".join(lines)


def size(count: int) -> str:
    """Return a number of bytes with a unit."""
    for unit, large in (("M", MIB), ("K", KIB)):
        if count >= large and count % large == 0:
            return f"{count // large:,}{unit}"
    return f"{count:,}" if count else "-"
