"""Timings on a shared machine: several rounds, interleaved cases, ratios within a round.

Design. Disturbances last longer than one case, so each round runs all cases instead of repeating
one of them, and a ratio is the median of the ratios by round, not the ratio of two medians. Seconds
are processor time: a pass has one thread, so this equals the wall time of an idle machine.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Any, TypeVar

Result = TypeVar("Result")


def timed(call: Callable[[], Result]) -> tuple[Result, float]:
    """The result of a call, and its processor time in seconds."""
    start = process_time()
    result = call()
    return result, process_time() - start


def seconds_of(call: Callable[[], object]) -> float:
    """The processor time of a call in seconds."""
    return timed(call)[1]


def in_turns(
    answer: Callable[[Any], Any],
    learn: Callable[..., object],
    rows: Any,
    labels: Sequence[Any] | None = None,
) -> tuple[list[Any], float]:
    """The answer to each row before it is learned, and microseconds per row for both."""

    def run() -> list[Any]:
        answers = []
        for at, row in enumerate(rows):
            answers.append(answer(row))
            if labels is None:
                learn(row)
            else:
                learn(row, labels[at])
        return answers

    answers, seconds = timed(run)
    return answers, 1e6 * seconds / len(rows)


def dicts(X: Any) -> list[dict[int, float]]:
    """Rows of an array as dictionaries for river."""
    return [dict(enumerate(row)) for row in X.tolist()]


@dataclass(frozen=True)
class Case:
    """Something to be timed: ``run`` does it once and returns its seconds, set-up excluded."""

    key: str
    title: str
    rows: int
    run: Callable[[], float]


@dataclass(frozen=True)
class Timing:
    """Seconds of one case, one number for each round."""

    title: str
    rows: int
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.rows / self.median

    @property
    def microseconds(self) -> float:
        """Microseconds a row."""
        return 1e6 * self.median / self.rows

    def per_row(self) -> list[float]:
        """Seconds a row, round by round."""
        return [second / self.rows for second in self.seconds]


def ratio(case: Timing, base: Timing) -> float:
    """Median over the rounds of time a row against time a row of ``base``."""
    pairs = zip(case.per_row(), base.per_row(), strict=True)
    return statistics.median(a / b for a, b in pairs)


def interleave(
    cases: Sequence[Case], rounds: Iterable[int], tick: Callable[[], object]
) -> dict[str, Timing]:
    """Time every case once in each round; ``tick`` is called after each."""
    timings = {case.key: Timing(case.title, case.rows) for case in cases}
    for number in rounds:
        # Forwards, then backwards, so that a drift within a round does not favour a case.
        for case in cases if number % 2 == 0 else reversed(cases):
            timings[case.key].seconds.append(case.run())
            tick()
    return timings
