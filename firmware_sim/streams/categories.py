"""Readings made of a column of words (``--categories``)."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np

from firmware_sim.streams import cells
from firmware_sim.streams.block import Row
from firmware_sim.streams.columns import ReadingOptions


class Words:
    """Encodes a text column as a fixed number of 0/1 readings."""

    def __init__(self, place: int, start: int, options: ReadingOptions, held: list[str]) -> None:
        self.place, self._absent = place, options.absent
        self._common: dict[str, int] | None = None
        self.size = options.category_slots
        self.endings = [f"#{slot}" for slot in range(self.size)]
        if options.categories != "hash":
            counts = Counter(cell.strip() for cell in held if not self._is_absent(cell))
            common = sorted(counts, key=lambda word: (-counts[word], word))[: self.size]
            self._common = {word: slot for slot, word in enumerate(common)}
            self.size, self.endings = len(common), [f"={word}" for word in common]
        self.slots = slice(start, start + self.size)

    def _is_absent(self, cell: str) -> bool:
        return cells.blank(cell) or cells.absent(cell, self._absent)

    def readings(self, words: Sequence[str]) -> Row:
        """Return the readings of words: all zeros for a rare word, NaN for a missing one."""
        out = np.zeros((len(words), self.size))
        for row, word in zip(out, map(str.strip, words), strict=True):
            if self._is_absent(word):
                row[:1] = math.nan
            elif self._common is None:
                row[zlib.crc32(word.encode()) % self.size] = 1.0
            elif word in self._common:
                row[self._common[word]] = 1.0
        return out
