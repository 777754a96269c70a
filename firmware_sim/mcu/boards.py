"""The emulated boards."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Board:
    """A microcontroller under QEMU.

    Attributes
    ----------
    name : str
        Its name; also QEMU's, unless ``machine`` is given.
    core : str
        Its processor, for reports.
    flags : tuple of str
        Compiler flags.
    flash, ram : tuple of int
        Start address and bytes of each.
    clock : float
        Cycles per second of the real board.
    fpu : bool
        Whether it has a floating-point unit, which the start-up code enables.
    machine : str
        QEMU's name of a similar machine, if QEMU lacks the board.
    options : tuple of str
        Further arguments of QEMU.
    near : str
        The differences, for reports.
    """

    name: str
    core: str
    flags: tuple[str, ...]
    flash: tuple[int, int]
    ram: tuple[int, int]
    clock: float
    fpu: bool = False
    machine: str = ""
    options: tuple[str, ...] = ()
    near: str = ""


KIB, MIB = 2**10, 2**20
_M33 = ("-mcpu=cortex-m33", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16")
_M4F = ("-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")


def _sizes(flash: int, ram: int) -> tuple[str, ...]:
    """Return the options that change the memory sizes of QEMU's microbit."""
    given = {"flash-size": flash, "sram-size": ram}
    return tuple(word for name, n in given.items() for word in ("-global", f"nrf51-soc.{name}={n}"))


BOARDS = {
    board.name: board
    for board in (
        Board(
            "microbit", "Cortex-M0", ("-mcpu=cortex-m0",),
            (0, 256 * KIB), (0x20000000, 16 * KIB), 16e6,
        ),
        Board(
            "lm3s6965evb", "Cortex-M3", ("-mcpu=cortex-m3",),
            (0, 256 * KIB), (0x20000000, 64 * KIB), 50e6,
        ),
        Board(
            "netduinoplus2", "Cortex-M4F", _M4F,
            (0x08000000, MIB), (0x20000000, 128 * KIB), 168e6, True,
        ),
        Board(
            "mps2-an386", "Cortex-M4F", _M4F, (0, 4 * MIB), (0x20000000, 4 * MIB), 25e6, True,
        ),
        Board(
            "mps2-an500", "Cortex-M7", ("-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"),
            (0, 4 * MIB), (0x20000000, 4 * MIB), 25e6, True,
        ),
        Board(
            "mps2-an505", "Cortex-M33", _M33,
            (0x10000000, 4 * MIB), (0x38000000, 4 * MIB), 20e6, True,
        ),
        # The Pico has 2 MiB of cached external flash.
        Board(
            "rp2040", "Cortex-M0+", ("-mcpu=cortex-m0plus",),
            (0, 2 * MIB), (0x20000000, 264 * KIB), 125e6, machine="microbit",
            options=_sizes(2 * MIB, 264 * KIB),
            near="QEMU's microbit with this RAM: instructions are those of a Cortex-M0, one core"
            " runs, and neither the cache before the flash nor the divider is there",
        ),
        Board(
            "rp2350", "Cortex-M33", _M33,
            (0x10000000, 4 * MIB), (0x38000000, 520 * KIB), 150e6, True, machine="mps2-an505",
            near="QEMU's mps2-an505 with this RAM: one core runs, and neither the cache before the"
            " flash nor the coprocessor for doubles is there",
        ),
    )
}  # fmt: skip
