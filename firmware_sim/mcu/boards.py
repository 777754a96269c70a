"""Boards that QEMU has: a row each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Board:
    """A microcontroller under QEMU.

    Attributes
    ----------
    name : str
        As QEMU calls it.
    core : str
        Its processor, for people.
    flags : tuple of str
        What the compiler is told of it.
    flash, ram : tuple of int
        Where each begins, and its bytes.
    clock : float
        Cycles a second of the real board.
    fpu : bool
        Whether there is one to switch on.
    """

    name: str
    core: str
    flags: tuple[str, ...]
    flash: tuple[int, int]
    ram: tuple[int, int]
    clock: float
    fpu: bool = False


KIB, MIB = 2**10, 2**20
_M4F = ("-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")

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
            "mps2-an505", "Cortex-M33",
            ("-mcpu=cortex-m33", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"),
            (0x10000000, 4 * MIB), (0x38000000, 4 * MIB), 20e6, True,
        ),
    )
}  # fmt: skip
