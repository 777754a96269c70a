"""Learners whose ring is full and whose every prediction is contradicted by the label.

Design. A mistake-driven step without a mistake is cheap, so that rows with random labels would
time half steps. Here a first run labels each row with the opposite of the learner's prediction and
stores the labels and the bytes of the initial learner. Since learners are deterministic bit for
bit, every timed run from those bytes takes the same contradicted steps.

The position of a block within a page changes short timings by 10 % to 30 %, and a process tends to
reuse the same position: each round uses another position, the same for row and step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from time import process_time
from typing import Any

import numpy as np

import edgeolk as ek
from bench.datasets import Labels, Rows
from bench.rows import Csr
from bench.timing import seconds_of

#: Rows per support vector until filling is given up; methods that sample or project need the most.
FILL_ROWS = 400
CHUNK = 256
PAGE = 4096
#: From one position to the next: a number of cache lines that is coprime to those of a page.
STRIDE = 13 * 64


@dataclass(frozen=True)
class Extent:
    """How many steps to take: at least ``min_steps`` and ``seconds``, at most ``max_steps``.

    ``limit`` is the timeout in seconds.
    """

    min_steps: int
    max_steps: int
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
        """The learner before the steps, at another position within a page in each turn."""
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
        """Seconds of scoring the same rows without learning: their kernel rows."""
        learner, scores = self.learner(turn), np.zeros(len(self))
        return seconds_of(lambda: learner.decision_function(self.X, out=scores))


def in_turns(seconds: Callable[[int], float]) -> Callable[[], float]:
    """Return a function that times one turn after the other."""
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
    """Learn the row with the opposite of the predicted label; return the label."""
    label = -1.0 if learner.decision_one(x) > 0.0 else 1.0
    learner.learn_one(x, label)
    return label


def is_full(learner: ek.Learner) -> bool:
    """Whether the next support vector exceeds the budget."""
    # The anchors of POMDR are halved in the step that fills the ring: it is never seen full.
    reserve = 1 if learner.parts.get("policy") == ek.Policy.ANCHOR else 0
    return learner.n_support >= learner.budget - reserve


def _fill(learner: ek.Learner, blocks: Iterator[Rows]) -> None:
    """Learn until the ring is full."""
    remaining = FILL_ROWS * learner.budget
    for block in blocks:
        for x in block:
            if is_full(learner):
                return
            contradict(learner, x)
        remaining -= len(block)
        if remaining <= 0:
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
        Of each row; the learner then has ``sparse=True`` and the rows are CSR.
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
            enough = spent >= extent.seconds and len(kept) >= extent.min_steps
            if enough or spent >= extent.limit or len(kept) == extent.max_steps:
                X: Rows | Csr = np.ascontiguousarray(kept)
                if nonzeros is not None:
                    X = Csr.of(np.asarray(X))
                frozen = learner.capacity_hits > hits
                updates = learner.updates - before
                return Busy(model, X, np.array(labels), updates, full, frozen)
    raise AssertionError("the rows have no end")
