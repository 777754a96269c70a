"""Whole passes of every algorithm over real and synthetic rows.

A pass that takes longer than its allowance is measured on some rows only: those that come after the
ring is full, so that the figure is what a step costs from then on.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import edgeolk as ek
from bench.machine import facts, sentence
from bench.speed.subjects import Subject
from bench.table import Report, Table
from bench.timing import Case, Timing, ratio, seconds_of

#: Rows learned at a time while finding out, and the seconds that are long for them.
FIRST_BLOCK, LARGEST_BLOCK, LONG_BLOCK = 16, 256, 0.02
#: The share of the rows, learned with a full ring, that tells how long the others will take.
SAMPLE = 1.0 / 16.0


def reads_sparse(name: str) -> bool:
    """Whether an algorithm takes sparse rows; others read every number of a row."""
    try:
        ek.Config(name, n_features=2, budget=8, scale=None, sparse=True)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Allowance:
    """Seconds a whole pass may take, and seconds of steps where it takes longer."""

    whole: float
    part: float


def is_full(learner: ek.Learner) -> bool:
    """Whether the next support vector exceeds the budget."""
    # The anchors of POMDR are halved in the step that fills the ring: it is never seen full.
    reserve = 1 if learner.parts.get("policy") == ek.Policy.ANCHOR else 0
    return learner.n_support >= learner.budget - reserve


@dataclass
class Pass:
    """One algorithm over one set: whole from an empty learner, or a part from a full one."""

    subject: Subject
    name: str
    budget: int
    model: bytes = b""
    first: int = 0
    last: int = 0
    updates: int = 0
    ring: str = ""

    @property
    def whole(self) -> bool:
        return self.last - self.first == len(self.subject)

    def explore(self, allowance: Allowance) -> None:
        """Find out which rows are measured, with one run that goes no further than it has to."""
        subject, n = self.subject, len(self.subject)
        learner = ek.Learner(
            self.name,
            n_features=subject.n_features,
            budget=self.budget,
            kernel=ek.Gaussian(subject.gamma),
            scale=None,
            sparse=subject.sparse,
        )
        self.model, self.first, self.last = pickle.dumps(learner), 0, n
        spent, filling, full_at, model = 0.0, 0.0, n, b""
        for at, seconds in self._blocks(learner):
            spent += seconds
            if full_at < n:
                full = spent - filling
                likely = filling + full / (at - full_at) * (n - full_at)
                if at - full_at >= SAMPLE * n and likely <= allowance.whole:
                    return
                if full >= allowance.part and likely > allowance.whole:
                    self.model, self.first, self.last = model, full_at, at
                    return
            elif is_full(learner) or learner.halvings:
                full_at, filling, model = at, spent, pickle.dumps(learner)

    def _blocks(self, learner: ek.Learner) -> Iterator[tuple[int, float]]:
        """Learn block after block; the rows learned so far and the seconds of the block."""
        X, y, at, size = self.subject.X, self.subject.y, 0, FIRST_BLOCK
        while at < len(y):
            block = slice(at, min(at + size, len(y)))
            seconds = seconds_of(partial(learner.learn_many, X[block], y[block]))
            at = block.stop
            # The cost of a row can rise a thousandfold when the ring is full.
            size = min(2 * size, LARGEST_BLOCK) if seconds < LONG_BLOCK else FIRST_BLOCK
            yield at, seconds

    def seconds(self) -> float:
        """Seconds of the rows that are measured."""
        learner: ek.Learner = pickle.loads(self.model)
        rows, before = slice(self.first, self.last), learner.updates
        X, y = self.subject.X[rows], self.subject.y[rows]
        scores = np.zeros(len(y))
        spent = seconds_of(lambda: learner.learn_many(X, y, out=scores))
        self.updates, self.ring = learner.updates - before, _ring(learner)
        return spent


def _ring(learner: ek.Learner) -> str:
    """What became of the ring, in a word or two."""
    if learner.capacity_hits:
        return "frozen"
    if learner.halvings:
        return f"halved {learner.halvings} x"
    return "full" if is_full(learner) else f"{learner.n_support:,} held"


def passes(
    subjects: Iterable[Subject],
    budgets: Sequence[int],
    allowance: Allowance,
    tick: Callable[[], object],
) -> list[Pass]:
    """Every algorithm over every set at every budget, explored."""
    made = []
    for subject in subjects:
        for budget in budgets:
            for method in ek.algorithms():
                if subject.sparse and not reads_sparse(method.name):
                    continue
                one = Pass(subject, method.name, budget)
                one.explore(allowance)
                made.append(one)
                tick()
    return made


def _key(one: Pass) -> str:
    return f"{one.subject.key}-{one.budget}-{one.name}"


def cases(made: Sequence[Pass]) -> list[Case]:
    """The timed passes, one case each."""
    return [Case(_key(one), one.name, one.last - one.first, one.seconds) for one in made]


def _table(
    subject: Subject, made: Sequence[Pass], timings: dict[str, Timing], budgets: Sequence[int]
) -> Table:
    header = ["algorithm"]
    for budget in budgets:
        header += [f"B = {budget}: us a row", "ratio", "rows", "updates", "ring"]
    lines: dict[str, list[str]] = {}
    for one in made:
        timing = timings[_key(one)]
        base = timings[f"{subject.key}-{one.budget}-rbp"]
        rows = one.last - one.first
        lines.setdefault(one.name, [one.name]).extend(
            [
                f"{timing.microseconds:.3f}",
                f"{ratio(timing, base):.2f}",
                "all" if one.whole else f"{rows:,}",
                f"{100 * one.updates / rows:.1f} %",
                one.ring,
            ]
        )
    note = "An algorithm that is not here takes no sparse rows." if subject.sparse else ""
    title = f"{subject.title}, gamma {subject.gamma:.3g}"
    return Table(title, header, list(lines.values()), note)


def _data(made: Sequence[Pass], timings: dict[str, Timing]) -> list[dict[str, Any]]:
    """The numbers of the tables."""
    return [
        {
            **{"set": one.subject.key, "budget": one.budget, "algorithm": one.name},
            **{"rows": one.last - one.first, "whole": one.whole, "updates": one.updates},
            "ring": one.ring,
            "us_a_row": timings[_key(one)].microseconds,
            "ratio": ratio(timings[_key(one)], timings[f"{one.subject.key}-{one.budget}-rbp"]),
            "seconds": timings[_key(one)].seconds,
        }
        for one in made
    ]


def make_report(
    made: Sequence[Pass],
    timings: dict[str, Timing],
    budgets: Sequence[int],
    allowance: Allowance,
    rounds: int,
) -> Report:
    """A table for each set, its budgets side by side."""
    introduction = (
        f"{sentence()}. `python -m bench.speed`: {rounds} rounds, the cases interleaved;"
        " medians of processor time.\n\n"
        "Every algorithm with its default parameters over every set, `learn_many`, float32,"
        " Gaussian kernel. Ratio: to rbp on the same set with the same budget, the median of the"
        " ratios within a round. Rows: `all`, from an empty learner; where that takes more than"
        f" {allowance.whole:g} s, as many rows as take about {allowance.part:g} s a round once the"
        " ring is full, the same in each round: what a step costs from then on. Updates: the share"
        " of the rows measured that changed the model. Ring: `full`; `frozen`, full and closed by"
        " default, so that most rows are only scored; `held`, so many and never full; `halved`,"
        " how often, over the whole run. Few updates make a cheap pass: what the longest"
        " step costs is in [steps](steps.md)."
    )
    subjects = {one.subject.key: one.subject for one in made}
    tables = [
        _table(subject, [one for one in made if one.subject.key == key], timings, budgets)
        for key, subject in subjects.items()
    ]
    data = {"machine": facts(), "rounds": rounds, "passes": _data(made, timings)}
    return Report("Whole passes", introduction, tables, data)
