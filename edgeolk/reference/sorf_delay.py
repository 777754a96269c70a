"""Labels that come k rows late (section 7h of docs/sorf.md): experts are counted as they answered.

A row is answered by ``ask`` before it is learned by ``step``. Between the two lie k other rows. The
answers of all experts to every s-th row asked are kept until its label comes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgeolk.reference.base import require
from edgeolk.reference.sorf import Sorf
from edgeolk.reference.sorf_memory import RememberingSorf

#: What an expert of several classes answers whose largest score is not the only one.
NO_CLASS = 255


def spacing(delay: int, entries: int) -> int:
    """Every how many rows one is kept: 1, or the least odd prime with which they fit."""
    if entries >= delay + 1:
        return 1
    s = max(3, -(-(delay + 1) // entries))
    while s % 2 == 0 or any(s % i == 0 for i in range(3, math.isqrt(s) + 1, 2)):
        s += 1
    return s


def entry_bytes(K: int, experts: int, groups: int, others: int, *, regression: bool) -> int:
    """Bytes of the answers to a row; K is 1 for two classes."""
    if regression:
        return 4 * (2 * groups + others)
    return 4 * -(-experts // 32) if K == 1 else experts


@dataclass(frozen=True)
class Entry:
    """The answers to a row: those of its experts, those of the memory's."""

    experts: np.ndarray
    of_memory: np.ndarray


class DelayedSorf(Sorf):
    """`Sorf` with ``delay=k``; ``entries``: the answers to how many rows are kept, None for all."""

    def __init__(self, *size: Any, delay: int, entries: int | None = None, **options: Any) -> None:
        require(delay >= 0 and (entries is None or entries >= 1), "delay >= 0, entries >= 1")
        super().__init__(*size, **options)
        self.delay = delay
        self.s = spacing(delay, delay + 1 if entries is None else entries)
        self.asked = self.learned = 0
        self.queue: dict[int, Entry] = {}
        self.entry: Entry | None = None
        self.was_asked = False

    def _start_blend(self) -> None:
        super()._start_blend()
        #: The losses of step 7, of rows as they are learned.
        self.as_learned: np.ndarray = np.zeros((self.G, 2), dtype=self.real)

    def ask(self, x: np.ndarray) -> np.ndarray:
        """The scores of a row that comes next."""
        if self.asked - self.learned == self.delay + 1:
            self._take()  # its label never came
        if self.asked % self.s == 0:
            self.queue[self.asked] = self.entry_of(np.asarray(x, dtype=self.real))
        self.asked += 1
        return self.scores(x)

    def give_up(self) -> None:
        """The label of the oldest row that was asked will never come."""
        require(self.asked > self.learned, "a row waits")
        self._take()

    def restart(self) -> None:
        """No row waits any more."""
        while self.asked > self.learned:
            self._take()

    def _take(self) -> Entry | None:
        """The entry of the oldest row that was asked."""
        self.learned += 1
        return self.queue.pop(self.learned - 1, None)

    def entry_of(self, x: np.ndarray) -> Entry:
        """What the experts answer."""
        fw, fa = self.models(x)
        others = self.outside_scores(x)
        if self.regression:  # experts follow from f_w and f_a of each group
            kept = np.concatenate([fw.ravel(), fa.ravel(), *others]).astype(np.float32)
            return Entry(kept, np.zeros(0))
        answers = [self.answer(f) for f in self.candidates(fw, fa, others)]
        return Entry(np.array(answers), np.zeros(0))

    def answer(self, f: np.ndarray) -> int:
        """The class of these scores, or its sign."""
        if not self.classes:
            return 1 if f[0] >= 0.0 else -1
        best = np.flatnonzero(f == f.max())
        return int(best[0]) if len(best) == 1 else NO_CLASS

    def step(self, *row: Any, **more: Any) -> float:
        """Learn the oldest row that was asked, or one that was not."""
        self.was_asked = self.asked > self.learned
        self.entry = self._take() if self.was_asked else None
        return super().step(*row, **more)

    def _count(self, fw: Any, fa: Any, others: Any, y: Any, weight: Any) -> None:
        ends = [
            [self.cost(f, y) for f in (a, self.of.last(w, a))] for w, a in zip(fw, fa, strict=True)
        ]
        costs: np.ndarray = np.array(ends, dtype=self.real)
        self.as_learned = self.delta * self.as_learned + weight * costs
        if not self.was_asked:
            super()._count(fw, fa, others, y, weight)
        elif self.entry is not None:
            answered = self._costs_of_regression(y) if self.regression else self._wrong(y)
            self._add(answered, *self._of_several(weight))

    def _of_several(self, weight: Any) -> tuple[Any, Any]:
        """The discount of s rows, and the weight of one for s."""
        return self.of.decayed(self.delta, self.s), self.real(self.s) * weight

    def _wrong(self, y: Any) -> list[Any]:
        assert self.entry is not None
        return [self.real(answer != int(y)) for answer in self.entry.experts]

    def _costs_of_regression(self, y: Any) -> list[Any]:
        assert self.entry is not None
        kept, G = self.entry.experts.astype(self.real)[:, None], self.G
        fw, fa, others = kept[:G], kept[G : 2 * G], list(kept[2 * G :])
        return [self.cost(f, y) for f in self.candidates(fw, fa, others)]

    def first_and_last(self, g: int) -> tuple[Any, Any]:
        return self.as_learned[g, 0], self.as_learned[g, 1]


class DelayedRememberingSorf(DelayedSorf, RememberingSorf):
    """`RememberingSorf` with ``delay=k``."""

    def entry_of(self, x: np.ndarray) -> Entry:
        """What the experts of the memory answer too."""
        fs = Sorf.scores(self, x)
        memory = self.memory_candidates(fs, self.memory_scores(x))
        answers = np.array([self.answer(f) for f in memory])
        return replace(super().entry_of(x), of_memory=answers)

    def _count_memory(self, fs: np.ndarray, g: np.ndarray, y: Any, weight: Any) -> None:
        if not self.was_asked:
            super()._count_memory(fs, g, y, weight)
        elif self.entry is not None:
            costs = [self.real(answer != int(y)) for answer in self.entry.of_memory]
            self._add_memory(costs, *self._of_several(weight))
