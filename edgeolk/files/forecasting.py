"""Checks of a forecaster's state (docs/forecast.md)."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite, sqrt

from edgeolk.checks import require
from edgeolk.configuration.forecasting import (
    HISTORY,
    diagonal_inputs,
    head_inputs,
    pending_numbers,
)
from edgeolk.lean import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings

REGIONS = ("history", "forecaster", "head", "guard", "waiting", "season")
#: Members of ``olk_history`` (c/forecast_models.h) by position.
_COUNTERS = {"targets": 0, "changes": 1, "squares": 2, "repeats": 3, "learned": 4}
_MARKS, _NOT_BELOW_0 = 5, {"error": 8, "variance": 14, "square": 15, "unit": 16}
#: Marks: the last target is known; the kernel's answer to it too.
_KNOWN, _KERNEL_KNOWN = 1.0, 3.0
#: Ranges of a quantile and of variances, with a margin for rounding; sum of all clipped regrets.
_QUANTILES, _VARIANCES, _REGRET = (0.000999, 1000.01), (-1e-5, 1.0 + 1e-5), 16.0 / 0.00099
#: Added to the diagonal of a covariance before it has to be positive definite, for rounding.
_ROUNDED = 1e-3
#: Marks of pending rows without a mean error.
_PLAIN_MARKS = (0.0, -1.0, -2.0)


def _check_history(config: Settings, numbers: memoryview[Any]) -> None:
    for name, place in _COUNTERS.items():
        count = numbers[place]
        require(count >= 0.0 and count == int(count), f"{name} of the history are {count}")
    marks = numbers[_MARKS]
    allowed = (0.0, _KNOWN, _KERNEL_KNOWN) if config.budget else (0.0, _KNOWN)
    require(marks in allowed, f"marks of the history are {marks}")
    for name, place in _NOT_BELOW_0.items():
        require(numbers[place] >= 0.0, f"{name} of the history is {numbers[place]}")
    low, high = _QUANTILES
    for quantile in numbers[HISTORY : HISTORY + len(config.list_of("interval"))]:
        require(low <= quantile <= high, f"a quantile of errors is {quantile}")


def _is_definite(packed: memoryview[Any], n: int) -> bool:
    """Whether a symmetric matrix, stored as a packed lower triangle, has a Cholesky factor."""
    factor: list[list[float]] = []
    for j in range(n):
        row = [*packed[j * (j + 1) // 2 : (j + 1) * (j + 2) // 2]]
        row[j] += _ROUNDED
        for i in range(j + 1):
            previous = factor[i] if i < j else row
            row[i] -= sum(row[k] * previous[k] for k in range(i))
            if i < j:
                row[i] /= previous[i]
        if not row[j] > 0.0:
            return False
        row[j] = sqrt(row[j])
        factor.append(row)
    return True


def _check_linear(config: Settings, regions: Mapping[str, memoryview[Any]]) -> None:
    low, high = _VARIANCES
    long, short = diagonal_inputs(config), head_inputs(config)
    diagonal, head = regions["forecaster"], regions["head"]
    variances = [*diagonal[long : 2 * long]]
    variances += [head[short + (j + 1) * (j + 2) // 2 - 1] for j in range(short)]
    require(all(low <= v <= high for v in variances), "variances of the forecaster")
    covariance = head[short : short + short * (short + 1) // 2]
    require(_is_definite(covariance, short), "covariances of the forecaster")
    require(diagonal[2 * long] >= 0.0 and head[-1] >= 0.0, "a mean error of the forecaster")


def check_forecast(
    config: Settings, words: Mapping[str, float], regions: Mapping[str, memoryview[Any]]
) -> None:
    """Check history, linear learners, the weights of experts and pending rows.

    Raises ValueError with what is wrong: learning cannot lead to this state.
    """
    for name in REGIONS:
        if name in regions:
            require(all(map(isfinite, regions[name])), f"{name} must be finite")
    _check_history(config, regions["history"])
    _check_linear(config, regions)
    regrets = regions["guard"]
    half = len(regrets) // 2
    require(all(abs(regret) <= _REGRET for regret in regrets[:half]), "a regret of an expert")
    require(all(0.0 <= square < inf for square in regrets[half:]), "a squared regret of an expert")
    pending = regions["waiting"]
    each = pending_numbers(config)
    for at in range(0, len(pending), each):
        mark, unit = pending[at], pending[at + 1]
        require(mark > 0.0 or mark in _PLAIN_MARKS, f"the mark of a pending row is {mark}")
        require(unit >= 0.0, "the unit of a pending row")
    if "season" in regions:
        count, capacity = regions["season"][0], len(regions["season"]) - 1
        require(0.0 <= count < 2 * capacity and count == int(count), f"{count} targets of a season")
    if "kernel_rows" in regions:
        rows = regions["kernel_rows"][0]
        require(0 <= rows <= words["steps"], f"{rows} rows of the kernel")
