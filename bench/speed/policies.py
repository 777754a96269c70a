"""The cost of a step beyond its kernel row, for every algorithm.

The kernel row, scoring the example against the whole ring, is the price of any prediction; what a
policy adds to it is its own. Both are timed one after the other on full rings and the same rows:
the row is a step of stoptron, which is frozen.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import edgeolk as ek
from bench.busy import Busy, Extent, in_turns, keep_busy
from bench.machine import facts, sentence
from bench.table import Report, Table
from bench.timing import Case, Timing, interleave
from edgeolk.parts.methods import find
from edgeolk.parts.numbers import Basis
from edgeolk.parts.table import DEFAULT_PARTS

DIMENSIONS = (5, 16, 123)
#: Share of the kernel row that an O(B d) policy should stay below.
GOAL = 0.20
Spot = tuple[str, int, int]  # algorithm, B, d
FROZEN = "stoptron"


def extent(budget: int, quick: bool) -> Extent:
    """Steps of one case: four halvings, unless they take long."""
    if quick:
        return Extent(2 * budget, 2_000, 0.002, 0.01)
    return Extent(2 * budget, 20_000, 0.02, 0.2)


def prepare(budgets: Sequence[int], quick: bool, tick: Callable[[], object]) -> dict[Spot, Busy]:
    """Every algorithm at every size, full and contradicted."""
    made = {}
    for budget in budgets:
        for d in DIMENSIONS:
            for method in ek.algorithms():
                spot = (method.name, budget, d)
                most = extent(budget, quick)
                made[spot] = keep_busy(method.name, d, budget, most, lookahead=0)
                tick()
    return made


def measure(
    busy: dict[Spot, Busy], rounds: int, tick: Callable[[], object]
) -> dict[Spot, tuple[Timing, Timing]]:
    """Timings of the step and of the kernel row alone."""
    cases = []
    for spot, one in busy.items():
        name, *size = spot
        key = "-".join(map(str, spot))
        row = one.row_seconds
        if {**DEFAULT_PARTS, **find(name).parts}["basis"] == Basis.SUPPORT_VECTORS:
            frozen = busy[FROZEN, size[0], size[1]]
            row = replace(frozen, X=one.X, y=one.y).step_seconds
        cases.append(Case(f"{key}-step", name, len(one), in_turns(one.step_seconds)))
        cases.append(Case(f"{key}-row", name, len(one), in_turns(row)))
    timings = interleave(cases, range(rounds), tick)
    pairs = iter(timings.values())
    return dict(zip(busy, zip(pairs, pairs, strict=True), strict=True))


def beyond(step: Timing, row: Timing) -> float:
    """The step beyond the kernel row as a share of it: the median over the rounds."""
    pairs = zip(step.seconds, row.seconds, strict=True)
    return statistics.median(whole / part - 1.0 for whole, part in pairs)


def remark(found: Sequence[Busy]) -> str:
    """What became of the steps."""
    if all(one.frozen for one in found):
        return "frozen"
    if not all(one.full for one in found):
        return "never full"
    shares = [one.updates / len(one) for one in found]
    low, high = round(100 * min(shares)), round(100 * max(shares))
    return f"{low} %" if low == high else f"{low} to {high} %"


def _table(
    busy: dict[Spot, Busy], timings: dict[Spot, tuple[Timing, Timing]], budget: int
) -> Table:
    header = ["algorithm", "updates"]
    for d in DIMENSIONS:
        header += [f"d = {d}: us a step", "beyond"]
    lines = []
    for name in dict.fromkeys(spot[0] for spot in busy):
        spots = [(name, budget, d) for d in DIMENSIONS]
        line = [name, remark([busy[spot] for spot in spots])]
        for spot in spots:
            step, row = timings[spot]
            line += [f"{step.microseconds:.3f}", f"{100 * beyond(step, row):.1f} %"]
        lines.append(line)
    rows = ", ".join(f"{timings['rbp', budget, d][1].microseconds:.3f}" for d in DIMENSIONS)
    note = (
        f"Beyond: the step beyond the kernel row, in percent of the row. rbp's rows take {rows} us."
        " Updates: the share of the steps that changed the model; a frozen one only scores."
    )
    return Table(f"A step on a full ring, B = {budget}", header, lines, note, left=2)


def over_goal(timings: dict[Spot, tuple[Timing, Timing]]) -> list[tuple[Spot, float]]:
    """Where the step beyond the kernel row exceeds the goal, largest first."""
    shares = [(spot, beyond(*pair)) for spot, pair in timings.items()]
    return sorted((item for item in shares if item[1] > GOAL), key=lambda item: -item[1])


def _over_table(timings: dict[Spot, tuple[Timing, Timing]]) -> Table:
    found = over_goal(timings)
    lines = []
    for name in dict.fromkeys(spot[0] for spot, _ in found):
        shares = {spot[1:]: share for spot, share in found if spot[0] == name}
        formula = ek.plan(name, n_features=16, budget=100).longest_step
        where = "; ".join(f"{b}/{d}: {100 * share:,.0f} %" for (b, d), share in shares.items())
        lines.append([name, formula, where])
    settings = len({spot[1:] for spot in timings})
    note = f"B/d: the share, largest first; {settings} settings of B and d were tried."
    title = f"Steps that add more than {100 * GOAL:.0f} % to their kernel row"
    return Table(title, ["algorithm", "longest step", "where"], lines, note, left=3)


def make_report(
    busy: dict[Spot, Busy], timings: dict[Spot, tuple[Timing, Timing]], rounds: int
) -> Report:
    """The report of one run."""
    introduction = (
        f"{sentence()}. Part of `python -m bench.speed`: {rounds} rounds, step and kernel row"
        " one after the other in each; medians, and a share is the median of those within a round."
        " float32, Gaussian kernel of width 1/d, default parameters, normal rows; the label of each"
        " is the opposite of what the learner says, so that nearly every step has to update a"
        " full ring, and no rows are looked ahead. The kernel row is a step of stoptron, which is"
        " frozen, over the same rows; for those without support vectors in their basis the rows of"
        " `decision_function`, with all their features. Those that freeze when full by default"
        " only score. Rarer work falls outside the steps taken where they are slow: the inverse of"
        " bpa_p is renewed every 10 B exchanges. Halvings are inside: 2 B steps or more, but for"
        " the slowest."
    )
    budgets = list(dict.fromkeys(spot[1] for spot in busy))
    tables = [_over_table(timings), *(_table(busy, timings, budget) for budget in budgets)]
    steps: list[dict[str, Any]] = []
    for spot, (step, row) in timings.items():
        name, budget, d = spot
        steps.append(
            {
                **{"algorithm": name, "budget": budget, "d": d, "steps": len(busy[spot])},
                "updates": busy[spot].updates,
                "frozen": busy[spot].frozen,
                "us_step": step.microseconds,
                "us_kernel_row": row.microseconds,
                "beyond": beyond(step, row),
            }
        )
    over = [[*spot, share] for spot, share in over_goal(timings)]
    data = {"machine": facts(), "rounds": rounds, "goal": GOAL, "over_goal": over, "steps": steps}
    return Report("Steps beyond the kernel row", introduction, tables, data)
