"""Learners that are kept busy: their ring is full and every label contradicts them.

Design. A mistake-driven step costs little where there is no mistake, so rows with labels by chance
would time half steps. Here a first run labels each row with the opposite of what the learner says
of it; the labels are kept, the learner as it was before them is kept as bytes, and since a learner
repeats itself bit for bit, every timed run from those bytes takes the same contradicted steps.

Where a block lies within a page changes small timings by a tenth to a third, and a process tends to
use the same place again: each round puts the block elsewhere, row and step in the same place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from time import process_time
from typing import Any

import numpy as np

import edgeolk as ek
from bench.csr import Csr
from bench.datasets import Labels, Rows
from bench.timing import seconds_of

#: Rows tried until the ring is full; those that sample or project their rows need the most.
FILL_ROWS = 400
CHUNK = 256
PAGE = 4096
#: From one place to the next: a whole number of cache lines that shares no factor with a page's.
STRIDE = 13 * 64


@dataclass(frozen=True)
class Extent:
    """How many steps to take: no fewer than ``least`` and ``seconds``, unless ``most`` come first.

    ``limit`` seconds end it in any case.
    """

    least: int
    most: int
    seconds: float
    limit: float


@dataclass(frozen=True)
class Busy:
    """A learner before its contradicted steps, the rows of these steps and their labels."""

    model: bytes
    X: Rows | Csr
    y: Labels
    updates: int
    full: bool
    frozen: bool

    def __len__(self) -> int:
        return len(self.y)

    def learner(self, turn: int = 0) -> ek.Learner:
        """The learner as it was before the steps, elsewhere within a page at each turn."""
        size = len(self.model)
        memory = np.empty(size + 2 * PAGE, np.uint8)
        start = -memory.ctypes.data % PAGE + turn * STRIDE % PAGE
        place = memory[start : start + size]
        place[:] = np.frombuffer(self.model, np.uint8)
        return ek.attach(place)

    def step_seconds(self, turn: int = 0) -> float:
        """Seconds of all the steps."""
        learner, scores = self.learner(turn), np.zeros(len(self))
        return seconds_of(lambda: learner.learn_many(self.X, self.y, out=scores))

    def row_seconds(self, turn: int = 0) -> float:
        """Seconds of scoring the same rows with the learner left as it is: their kernel rows."""
        learner, scores = self.learner(turn), np.zeros(len(self))
        return seconds_of(lambda: learner.decision_function(self.X, out=scores))


def turning(seconds: Callable[[int], float]) -> Callable[[], float]:
    """The timing of one turn after the other."""
    turns = count()
    return lambda: seconds(next(turns))


def random_rows(d: int, nonzeros: int | None = None, seed: int = 11) -> Iterator[Rows]:
    """Blocks of normal rows without end; with ``nonzeros``, all other numbers are 0."""
    rng = np.random.default_rng(seed)
    while True:
        X = rng.standard_normal((CHUNK, d), dtype=np.float32)
        if nonzeros is not None:
            rank = rng.random((CHUNK, d), dtype=np.float32).argsort(axis=1)
            X[rank >= nonzeros] = 0.0
        yield X


def contradict(learner: ek.Learner, x: Any) -> float:
    """Learn the row with the label that the learner does not expect; the label."""
    label = -1.0 if learner.decision_one(x) > 0.0 else 1.0
    learner.learn_one(x, label)
    return label


def is_full(learner: ek.Learner) -> bool:
    """Whether the next support vector meets the budget."""
    # The anchors of POMDR are halved in the step that fills the ring: it is never seen full.
    room = 1 if learner.parts["policy"] == ek.Policy.ANCHOR else 0
    return learner.n_support >= learner.budget - room


def _fill(learner: ek.Learner, blocks: Iterator[Rows]) -> None:
    """Learn until the ring is full."""
    left = FILL_ROWS * learner.budget
    for block in blocks:
        for x in block:
            if is_full(learner):
                return
            contradict(learner, x)
        left -= len(block)
        if left <= 0:
            return


def keep_busy(
    name: str,
    d: int,
    budget: int,
    extent: Extent,
    nonzeros: int | None = None,
    **options: Any,
) -> Busy:
    """A learner with normal rows, filled, and the contradicted steps that come next.

    Parameters
    ----------
    name : str
        Of the catalogue.
    d, budget : int
        Features and support vectors.
    extent : Extent
        How many steps.
    nonzeros : int, optional
        Of each row; the learner is then told ``sparse=True`` and the rows are CSR.
    **options
        For ``ek.Learner``.
    """
    width = 1.0 / (d if nonzeros is None else nonzeros)
    options.update(n_features=d, budget=budget, kernel=ek.Gaussian(width))
    options.update(sparse=nonzeros is not None)
    memory = bytearray(ek.plan(name, **options).nbytes)
    learner = ek.Learner(name, buffer=memory, **options)
    blocks = random_rows(d, nonzeros)
    _fill(learner, blocks)
    full = is_full(learner)
    model, before, hits = bytes(memory), learner.updates, learner.capacity_hits
    kept, labels, spent = [], [], 0.0
    for block in blocks:
        for x in block:
            start = process_time()
            labels.append(contradict(learner, x))
            spent += process_time() - start
            kept.append(x)
            enough = spent >= extent.seconds and len(kept) >= extent.least
            if enough or spent >= extent.limit or len(kept) == extent.most:
                X: Rows | Csr = np.ascontiguousarray(kept)
                if nonzeros is not None:
                    X = Csr.of(np.asarray(X))
                frozen = learner.capacity_hits > hits
                updates = learner.updates - before
                return Busy(model, X, np.array(labels), updates, full, frozen)
    raise AssertionError("the rows have no end")
