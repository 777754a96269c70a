"""Runs every method in every size on every series, and chooses settings."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.filters.series import Numbers, standardised, steady_error
from bench.filters.subjects import SUBJECTS, Subject, learner_of
from bench.timing import timed

SIZES = ("1KiB", "2KiB", "4KiB", "8KiB", "16KiB", "32KiB")
ROWS = 4000
#: Settings are chosen by the error of these rows; all later ones are judged.
CHOOSING = slice(500, 1000)
#: A time is the median of so many passes.
PASSES = 3


@dataclass(frozen=True)
class Found:
    """A method in one size on one series.

    Attributes
    ----------
    error, hindsight : float
        Steady error in dB with the settings chosen on the first rows, and with those that are best
        on the judged rows themselves.
    nbytes, microseconds : int, float
        Bytes of the learner; time of a row with the settings chosen on the first rows.
    setting, best_setting : dict
        Those settings.
    """

    error: float
    hindsight: float
    nbytes: int
    microseconds: float
    setting: dict[str, Any]
    best_setting: dict[str, Any]


def _pass(subject: Subject, ram: str, setting: dict[str, Any], X: Numbers, y: Numbers) -> Any:
    """Answers before each row, seconds and the learner; None if the size is too small."""
    try:
        learner = learner_of(subject, ram, setting)
    except ValueError:
        return None
    f, seconds = timed(lambda: learner.learn_many(X, y))
    return np.asarray(f), seconds, learner


def measure(subject: Subject, ram: str, X: Numbers, y: Numbers) -> Found | None:
    """The method with each of its settings; None if it does not fit."""
    tried: list[tuple[float, float, dict[str, Any]]] = []
    for setting in subject.settings():
        run = _pass(subject, ram, setting, X, y)
        if run is None:
            return None
        first = steady_error(run[0][: CHOOSING.stop], y[: CHOOSING.stop], CHOOSING.start)
        tried.append((first, steady_error(run[0], y, CHOOSING.stop), setting))
    _, error, setting = min(tried, key=lambda one: one[0])
    _, hindsight, best = min(tried, key=lambda one: one[1])
    passes = [_pass(subject, ram, setting, X, y) for _ in range(PASSES)]
    microseconds = 1e6 * statistics.median(seconds for _, seconds, _ in passes) / len(y)
    return Found(error, hindsight, passes[0][2].nbytes, microseconds, setting, best)


Profile = dict[str, dict[str, dict[str, Found]]]


def profile(
    names: Sequence[str],
    sizes: Sequence[str] = SIZES,
    rows: int = ROWS,
    methods: Sequence[str] = tuple(SUBJECTS),
    tick: Callable[[str], object] = lambda _: None,
) -> Profile:
    """What was found, by series, method and size."""
    found: Profile = {}
    for name in names:
        X, y = standardised(name, rows)
        found[name] = {}
        for method in methods:
            tick(f"{name} {method}")
            each = {ram: measure(SUBJECTS[method], ram, X, y) for ram in sizes}
            found[name][method] = {ram: one for ram, one in each.items() if one is not None}
    return found
