"""Power cuts: the RAM is lost, and the board continues from its last checkpoint in flash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.boards import Board
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.values import power_cut
from firmware_sim.device.device import Device
from firmware_sim.errors import SimulatorError

_SLOTS = 2
#: Bytes of a slot besides its payload.
_SLOT_OVERHEAD = 8_192
#: Bytes of a sector of a card; slots begin on one.
_SECTOR = 4_096
_YEAR = 365.25 * 86_400


@dataclass
class PowerCount:
    """The cost of power cuts."""

    cuts: int = 0  # number of power cuts
    rows_lost: int = 0  # rows whose learning was lost with the RAM
    checkpoints: int = 0  # checkpoints written to flash
    bytes_written: int = 0  # bytes of all checkpoints

    def years(self, board: Board, every: int, period: float) -> float:
        """Return the lifetime of the flash with a checkpoint every so many rows.

        The two slots are written in turn, without other wear levelling. A microcontroller erases a
        slot once per checkpoint, and writes its header to bytes that are still blank. A card writes
        complete sectors: the first one of a slot twice, with the payload and with the header.
        """
        writes = 2 if board.page >= _SECTOR else 1
        return _SLOTS * board.endurance * every * period / (writes * _YEAR)


class Power:
    """Cuts the power of a device, and stores its checkpoints.

    config: with a ``power_cut``.
    counts: the cost so far.
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
        """Choose the cuts among n rows, the first of them row `number`."""
        numbers = np.arange(number, number + n)
        is_cut = numbers == self._value  # at
        if self._kind == "every":
            is_cut = (numbers > 1) & ((numbers - 1) % self._value == 0)
        elif self._kind == "random":
            is_cut = self._rng.random(n) < self._value
        self._cuts = numbers[is_cut].tolist()

    def rows_left(self, device: Device, number: int) -> int:
        """Return how many rows, from row `number` on, come before the next cut or checkpoint."""
        to_cuts = [cut - number for cut in self._cuts if cut > number]
        return max(1, min([self._every - device.progress + self._last, *to_cuts]))

    def before(self, device: Device, number: int) -> None:
        """Cut the power before a row, if there is a cut."""
        if number not in self._cuts:
            return
        learned = device.steps
        self._close_checkpoints()
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
        checkpoints.write(device.checkpointed)
        self._last = now
        self.counts.checkpoints += 1
        self.counts.bytes_written = self._written + checkpoints.bytes_written

    def _opened(self, device: Device) -> Any:
        if self._flash is None:
            nbytes = sum(part.nbytes for part in device.checkpointed)
            self._flash = bytearray(_SLOTS * (nbytes + _SLOT_OVERHEAD))
        if self._checkpoints is None:
            self._checkpoints = self._make(self._flash, every=self._every, slots=_SLOTS)
        return self._checkpoints

    def _close_checkpoints(self) -> None:
        """Close the checkpoints: their state in RAM is lost with the power."""
        if self._checkpoints is not None:
            self._written += self._checkpoints.bytes_written
            self._checkpoints.close()
            self._checkpoints = None
