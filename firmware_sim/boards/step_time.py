"""How long a step of a learner takes on a board.

These are estimates: the instructions of a kernel row were counted once for each kind of core
(`boards.Core`), and every core is assumed to run at its average rate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from firmware_sim.boards import Board, Core


@dataclass(frozen=True)
class Timing:
    """How long steps take on a board; estimates.

    Attributes
    ----------
    step : float
        Seconds of a step that scores a row against a full ring.
    longest : float or None
        Seconds of the longest step, at most; None where its formula is not understood.
    formula : str
        That formula, and when the step comes.
    """

    step: float
    longest: float | None
    formula: str


def timing(board: Board, plan: Any, n_features: int) -> Timing:
    """Estimate the time of a step.

    Parameters
    ----------
    board : Board
        Where it is to run.
    plan : edgeolk plan
        Budget and longest step.
    n_features : int
        Numbers in a row.
    """
    row = _row(board.core, plan.budget, n_features)
    longest = _longest(board.core, plan.longest_step, plan.budget, n_features)
    # A formula that has O(B d) in it counts the row itself.
    seconds = None if longest is None else max(row, longest) / board.per_second
    return Timing(row / board.per_second, seconds, plan.longest_step)


def _row(core: Core, budget: int, n_features: int) -> float:
    """Instructions of a kernel row."""
    return budget * (n_features * core.per_number + core.per_vector)


#: Instructions of a term besides kernel rows, in multiples of those for one number: from the
#: longest steps of projectron (B^2) and bpa_p (B^3) in bench/results/steps.md.
_SQUARE, _CUBE = 1.4, 1.0
_TERM = re.compile(r"(?:(?P<times>\d+) )?(?P<b>B(?:\^(?P<power>\d))?)?(?P<d> ?d)?")


def _longest(core: Core, text: str, budget: int, n_features: int) -> float | None:
    """Instructions of the longest step at most, from its formula."""
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
    factor = {1: 1.0, 2: _SQUARE, 3: _CUBE}.get(power)
    return None if factor is None else times * factor * core.per_number * float(budget) ** power
