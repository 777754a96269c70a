"""Power cuts: the RAM is lost, and the board continues from its last checkpoint in flash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import edgeolk as ek
from firmware_sim.boards import Board
from firmware_sim.configuration.moments import power_cut
from firmware_sim.errors import SimulatorError

if TYPE_CHECKING:
    from firmware_sim.config import ReplayConfig
    from firmware_sim.device.device import Device

_SLOTS = 2
#: Bytes of a slot beside what it holds.
_ROOM = 8_192
#: Bytes of a sector of a card; slots begin on one.
_SECTOR = 4_096
_YEAR = 365.25 * 86_400


@dataclass
class PowerCount:
    """What the cuts cost."""

    cuts: int = 0  # times the power went
    rows_lost: int = 0  # rows whose learning was lost with the RAM
    checkpoints: int = 0  # checkpoints written to flash
    bytes_written: int = 0  # and their bytes

    def years(self, board: Board, every: int, period: float) -> float:
        """Return how long the flash lasts where a checkpoint follows so many rows.

        The two slots are written in turn, and nothing else spreads the wear. A microcontroller
        erases a slot once a checkpoint, and its header goes to bytes that are still blank. A card
        writes whole sectors: the first one of a slot twice, with the payload and with the header.
        """
        writes = 2 if board.page >= _SECTOR else 1
        return _SLOTS * board.endurance * every * period / (writes * _YEAR)


class Power:
    """Cuts the power of a device, and keeps its checkpoints.

    config: with a ``power_cut``.
    counts: what the cuts cost so far.
    """

    def __init__(self, config: ReplayConfig) -> None:
        make = getattr(ek, "Checkpointer", None)
        if make is None:
            raise SimulatorError("--power-cut needs a release of edgeolk with Checkpointer")
        assert config.power_cut is not None
        self.counts = PowerCount()
        self._make = make
        self._every = config.checkpoint_every
        self._kind, self._value = power_cut(config.power_cut)
        self._rng = np.random.default_rng((config.seed, 3))
        self._flash: bytearray | None = None
        self._checkpoints: Any = None
        self._written = 0
        self._last = 0  # progress at the last checkpoint
        self._cuts: list[int] = []

    def look_ahead(self, number: int, n: int) -> None:
        """Settle where it goes among n rows, the first of them row `number`."""
        numbers = np.arange(number, number + n)
        goes = numbers == self._value  # at
        if self._kind == "every":
            goes = (numbers > 1) & ((numbers - 1) % self._value == 0)
        elif self._kind == "random":
            goes = self._rng.random(n) < self._value
        self._cuts = numbers[goes].tolist()

    def left(self, device: Device, number: int) -> int:
        """Return how many rows pass, from row `number` on, until something may have to be done."""
        to_cuts = [cut - number for cut in self._cuts if cut > number]
        return max(1, min([self._every - device.progress + self._last, *to_cuts]))

    def before(self, device: Device, number: int) -> None:
        """Cut the power before a row, if it is to go there."""
        if number not in self._cuts:
            return
        learned = device.steps
        self._let_go()
        kept = self._opened(device).open()
        device.restart(kept if kept is None or isinstance(kept, tuple) else (kept,))
        self.counts.cuts += 1
        self._last = device.progress
        self.counts.rows_lost += learned - device.steps

    def after(self, device: Device) -> None:
        """Write a checkpoint, if one is due."""
        now = device.progress
        if now - self._last < self._every:
            return
        checkpoints = self._opened(device)
        checkpoints.write(device.lasting)
        self._last = now
        self.counts.checkpoints += 1
        self.counts.bytes_written = self._written + checkpoints.bytes_written

    def _opened(self, device: Device) -> Any:
        if self._flash is None:
            held = sum(part.nbytes for part in device.lasting)
            self._flash = bytearray(_SLOTS * (held + _ROOM))
        if self._checkpoints is None:
            self._checkpoints = self._make(self._flash, every=self._every, slots=_SLOTS)
        return self._checkpoints

    def _let_go(self) -> None:
        """What a program knew of its checkpoints is lost with it."""
        if self._checkpoints is not None:
            self._written += self._checkpoints.bytes_written
            self._checkpoints.close()
            self._checkpoints = None
