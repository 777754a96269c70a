"""Estimated duration of a learner's step on a board.

Instructions were counted once for each kind of core (`boards.Core`), and every core is assumed to
run at its average rate.

Support vectors cost kernel rows. Structured features (``sorf``) cost what `boards.Cost` lists for
scoring a row and for the longest step, which changes weights and relevance: fits to counts on
emulated cores (edgeolk/export/fitted.json; a 64-bit Raspberry Pi: bench/results/boards.md, within
10 %). The longest step is rare: the first 50 rows stay below it, and 2,000 rows with surprising
labels reach it. A row that changes nothing takes `QUIET` scores, plus the cost of the row memory. A
Gaussian process beside the features learns every row; the longest step is then one at which its
widths change. How many rows change features depends on the stream: the mean over a stream, computed
from both and from the learner's updates, is within 30 % of the counted means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil
from typing import Any

from firmware_sim.boards import Board, Core, Cost

#: Cost of learning a row without a change of weights, in scores: by the counts of `office` in
#: bench/results/mcu.md, 5,000 rows of which 39 change weights.
QUIET = 1.1
#: Long steps per update: averages and relevance also change in some rows without an update. From
#: `robot` in the same tables, where it is 0.9 to 1.1.
LONG_AN_UPDATE = 1.0
#: The longest step of structured features, as plans write it.
_STRUCTURED = "O(D d / 64 + D)"
#: Frequencies in a block, the unit of computation.
_BLOCK = 64


@dataclass(frozen=True)
class Timing:
    """Estimated durations of steps on a board."""

    #: seconds of a step that scores a row against a full ring; for structured features, of a step
    #: that changes no weight.
    step: float
    #: upper bound on the seconds of the longest step; None if its formula is not understood.
    longest: float | None
    formula: str  # the formula of the longest step, and when that step occurs
    structured: bool  # whether the learner has structured features
    source: str  # the source of the instruction counts

    def mean(self, updates: int, steps: int) -> float | None:
        """Return the mean seconds of a step over a stream; None for support vectors.

        updates, steps: rows that changed the learner, and all learned rows.
        """
        if not self.structured or self.longest is None or not steps:
            return None
        share = min(1.0, LONG_AN_UPDATE * updates / steps)
        return self.step + share * (self.longest - self.step)


def timing(board: Board, plan: Any, n_features: int, n_held: int | None = None) -> Timing:
    """Estimate the time of a step.

    board: the board.
    plan: budget and longest step; for structured features also the regions.
    n_features: numbers in a row.
    n_held: rows in the row memory; None: as many as fit.
    """
    core, formula = board.core, plan.longest_step
    if formula.startswith(_STRUCTURED):
        capacity = sum(region.shape[1] for region in plan.regions if region.name == "row_memory")
        memory = _memory(core.score, plan, n_features, capacity if n_held is None else n_held)
        full_memory = _memory(core.change, plan, n_features, capacity)
        usual, exchange = _process(core, plan, n_features)
        step = (
            QUIET * _structured(core.score, plan, n_features) + memory + usual
        ) / board.per_second
        longest = (
            _structured(core.change, plan, n_features) + full_memory + usual + exchange
        ) / board.per_second
        return Timing(step, max(step, longest), formula, True, core.structured_source)
    row = _row(core, plan.budget, n_features)
    longest_step = _longest(core, formula, plan.budget, n_features)
    # A formula with O(B d) includes the kernel row.
    seconds = None if longest_step is None else max(row, longest_step) / board.per_second
    return Timing(row / board.per_second, seconds, formula, False, core.source)


def _structured(cost: Cost, plan: Any, n_features: int) -> float:
    """Instructions of a row of structured features."""
    blocks: int = ceil(plan.budget / _BLOCK)
    # Weights have the shape (D, 2) or (D, 2 classes); a learner of novelty has means instead.
    shapes = [region.shape for region in plan.regions if region.name == "weights"]
    columns: int = shapes[0][1] // 2 if shapes else 1
    block = cost.per_block + cost.per_block_reading * n_features
    block += cost.per_block_class * (columns - 1)
    return cost.fixed + cost.per_reading * n_features + blocks * block


def _process(core: Core, plan: Any, n_features: int) -> tuple[float, float]:
    """Instructions of a Gaussian process beside the features: of a row, and of the longest more."""
    vectors = sum(region.shape[1] for region in plan.regions if region.name == "process_vectors")
    if not vectors:
        return 0.0, 0.0
    cost = core.process
    usual = cost.fixed + cost.square * (vectors + n_features + 2) ** 2
    return usual, cost.exchange_cube * vectors**3 + cost.exchange_square * vectors**2


def _memory(cost: Cost, plan: Any, n_features: int, rows: int) -> float:
    """Instructions of a step for the rows of the row memory."""
    each, more = cost.per_held + cost.per_held_reading * n_features, 0.0
    if any(region.name == "memory_narrow" for region in plan.regions):
        each, more = each + cost.per_held_narrow, cost.narrow
    return more + rows * each


def _row(core: Core, budget: int, n_features: int) -> float:
    """Instructions of a kernel row."""
    return budget * (n_features * core.per_number + core.per_vector)


_TERM = re.compile(r"(?:(?P<times>\d+) )?(?P<b>B(?:\^(?P<power>\d))?)?(?P<d> ?d)?")


def _longest(core: Core, text: str, budget: int, n_features: int) -> float | None:
    """Upper bound on the instructions of the longest step, from its formula."""
    formula = re.split(r", (?:at|every|when|once|in)\b", text)[0]
    total = 0.0
    counted = re.fullmatch(r"(O\(.*\))?(?: \+ )?(?:(\d+(?: \d+)*) B exponentials)?", formula)
    if counted and counted[2]:
        repeats = 1
        for factor in counted[2].split():
            repeats *= int(factor)
        total += repeats * budget * core.exponential
        formula = counted[1] or ""
    times = 1
    found = re.fullmatch(r"(?:(\d+) )?O\((.*)\)", formula)
    if found:
        times = int(found[1] or 1)
        for term in found[2].split(" + "):
            cost = _term(core, term, budget, n_features)
            if cost is None:
                return None
            total += cost
    elif formula:
        return None
    return times * total


def _term(core: Core, term: str, budget: int, n_features: int) -> float | None:
    found = _TERM.fullmatch(term)
    if not found or not found["b"]:
        return None
    times, power = int(found["times"] or 1), int(found["power"] or 1)
    if found["d"]:
        return times * float(budget) ** (power - 1) * _row(core, budget, n_features)
    each = {1: core.per_number, 2: core.per_square, 3: core.per_cube}.get(power)
    return None if each is None else times * each * float(budget) ** power
