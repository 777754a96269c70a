"""Checks of the state of sorf, which has weights instead of support vectors, and of its forecaster
(docs/forecast.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any

from edgeolk.checks import require
from edgeolk.sorf.regions import HISTORY, diagonal_inputs, head_inputs, pending_numbers

if TYPE_CHECKING:
    from edgeolk.sorf.settings import SorfSettings


REGIONS = ("history", "forecaster", "head", "ml_poly", "pending", "season")
#: Members of ``olk_history`` (c/forecast_models.h) by position.
_COUNTERS = {"targets": 0, "changes": 1, "squares": 2, "repeats": 3, "learned": 4}
_MARKS, _NOT_BELOW_0 = 5, {"error": 8, "variance": 14, "square": 15, "unit": 16}
#: Marks of the history, a sum of bits of c/forecast_models.h: OLK_KNOWN (the last target), or with
#: OLK_KERNEL_KNOWN (the kernel's answer to it), which is never set alone.
_KNOWN, _BOTH_KNOWN = 1.0, 3.0
#: Ranges of a quantile and of variances, with a margin for rounding; sum of all clipped regrets.
_QUANTILES, _VARIANCE_RANGE, _REGRET = (0.000999, 1000.01), (-1e-5, 1.0 + 1e-5), 16.0 / 0.00099
#: Added to the diagonal of a covariance before it has to be positive definite, for rounding.
_ROUNDING_MARGIN = 1e-3
#: Marks of pending rows, where not a mean error: an empty slot, no mean error yet
#: (OLK_ROW_WITHOUT_ERROR), no target known when it was forecast (OLK_ROW_UNKNOWN).
_OTHER_MARKS = (0.0, -1.0, -2.0)


def _check_history(config: SorfSettings, numbers: memoryview[Any]) -> None:
    for name, place in _COUNTERS.items():
        count = numbers[place]
        require(count >= 0.0 and count == int(count), f"{name} of the history are {count}")
    marks = numbers[_MARKS]
    allowed = (0.0, _KNOWN, _BOTH_KNOWN) if config.budget else (0.0, _KNOWN)
    require(marks in allowed, f"marks of the history are {marks}")
    for name, place in _NOT_BELOW_0.items():
        require(numbers[place] >= 0.0, f"{name} of the history is {numbers[place]}")
    changes, unit = numbers[_COUNTERS["changes"]], numbers[_NOT_BELOW_0["unit"]]
    require(not unit or changes >= 1.0, "the history has a unit without a change")
    low, high = _QUANTILES
    for quantile in numbers[HISTORY : HISTORY + len(config.list_of("interval"))]:
        require(low <= quantile <= high, f"a quantile of errors is {quantile}")


def _is_definite(packed: memoryview[Any], n: int) -> bool:
    """Whether a symmetric matrix, stored as a packed lower triangle, has a Cholesky factor."""
    factor: list[list[float]] = []
    for j in range(n):
        row = [*packed[j * (j + 1) // 2 : (j + 1) * (j + 2) // 2]]
        row[j] += _ROUNDING_MARGIN
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


def _check_linear(config: SorfSettings, regions: Mapping[str, memoryview[Any]]) -> None:
    low, high = _VARIANCE_RANGE
    long, short = diagonal_inputs(config), head_inputs(config)
    diagonal, head = regions["forecaster"], regions["head"]
    variances = [*diagonal[long : 2 * long]]
    variances += [head[short + (j + 1) * (j + 2) // 2 - 1] for j in range(short)]
    require(all(low <= v <= high for v in variances), "variances of the forecaster")
    covariance = head[short : short + short * (short + 1) // 2]
    require(_is_definite(covariance, short), "covariances of the forecaster")
    require(diagonal[2 * long] >= 0.0 and head[-1] >= 0.0, "a mean error of the forecaster")


def check_forecast(
    config: SorfSettings, words: Mapping[str, float], regions: Mapping[str, memoryview[Any]]
) -> None:
    """Check history, linear learners, the weights of experts and pending rows.

    Raises ValueError with what is wrong: learning cannot lead to this state.
    """
    for name in REGIONS:
        if name in regions:
            require(all(map(isfinite, regions[name])), f"{name} must be finite")
    _check_history(config, regions["history"])
    _check_linear(config, regions)
    regrets = regions["ml_poly"]
    half = len(regrets) // 2
    require(all(abs(regret) <= _REGRET for regret in regrets[:half]), "a regret of an expert")
    require(all(0.0 <= square < inf for square in regrets[half:]), "a squared regret of an expert")
    pending = regions["pending"]
    each = pending_numbers(config)
    enough = 3.0 if config.values["horizon"] > 1 else 1.0
    is_known = regions["history"][_COUNTERS["changes"]] >= enough
    for at in range(0, len(pending), each):
        mark, unit = pending[at], pending[at + 1]
        require(mark > 0.0 or mark in _OTHER_MARKS, f"the mark of a pending row is {mark}")
        require(unit >= 0.0 and (is_known or not unit), "the unit of a pending row")
    if "season" in regions:
        count, capacity = regions["season"][0], len(regions["season"]) - 1
        require(0.0 <= count < 2 * capacity and count == int(count), f"{count} targets of a season")
    if "kernel_rows" in regions:
        rows = regions["kernel_rows"][0]
        require(0 <= rows <= words["steps"], f"{rows} rows of the kernel")


#: Numbers of the linear expert and of the length scales (``relevance``) are far below this.
MAX_NUMBER = 1e30
#: The counters of the drift alarm stop here (``c/drift.h``).
MAX_COUNTED = 2**24 - 1
#: The largest weight, in units of the label or of the targets' deviation; mean of the targets; sum
#: of their squared deviations.
_MAX_WEIGHT, _MAX_TARGET, _MAX_SQUARES = 1e15, 1e101, 1e250

#: Positions of a channel's twelve numbers that are never negative: variances, mean squares.
_VARIANCES = (1, 4, 6, 8, 9, 11)
#: Bounds on the absolute value of each (docs/novelty.md, sections 2 and 3): readings end at 1e15,
#: deviations at 6, runs at 65,535; an accepted mean may exceed this by some deviations. Squares of
#: differences are finite in single precision.
_MAX_OF_CHANNEL = (1e18, 1e36, 1.1e15, 40.0, 150.0, 20.0, 400.0, 7.0, 50.0, 5.0, 12.0, 150.0)
#: Bounds on threshold, unit, means and variances of the two scores, mean and deviation of an event.
_MAX_OF_SCORES = (1e15, 1001.0, 1e15, 1e30, 1e15, 1e30, 1e18, 1e18)
#: The rows since the last novel one are counted in 16 bits.
_MAX_QUIET_ROWS = 65535


def _check_watch(
    config: SorfSettings, words: Mapping[str, float], regions: Mapping[str, memoryview[Any]]
) -> None:
    """Check the state of novelty in time: channels, scores and events (docs/novelty.md)."""
    steps, d = words["steps"], config.n_features
    numbers, deviations = regions["channels"], regions["deviations"]
    in_range = all(abs(v) <= _MAX_OF_CHANNEL[at % 12] for at, v in enumerate(numbers))
    require(in_range, "the state of a channel is out of range")
    not_negative = all(numbers[12 * j + at] >= 0.0 for at in _VARIANCES for j in range(d))
    require(not_negative, "a channel's variance is negative")
    tau, unit, _, rarity, _, level, _, spread = deviations
    in_range = all(abs(v) <= limit for v, limit in zip(deviations, _MAX_OF_SCORES, strict=True))
    possible = in_range and tau >= 0.5 and min(unit, rarity, level, spread) >= 0.0
    require(possible, "threshold and moments of the scores")
    require(0 <= words["idle_rows"] <= steps, f"{words['idle_rows']} idle rows in {steps} steps")
    require(0 <= words["alarms"] <= words["mistakes"], f"{words['alarms']} alarms")
    require(0 <= words["quiet_rows"] <= _MAX_QUIET_ROWS, f"{words['quiet_rows']} quiet rows")
    verdict = int(words["verdict"])
    channel, unused, part = verdict >> 8, verdict & 0xE0, verdict >> 1 & 3
    require(verdict >= 0 and channel < d and not unused and part < 3, "the verdict on the last row")
    # Bits as in c/sorf_types.h: an event lasts by its value or by being flat, not by both.
    event = int(words["event"])
    channel, unused, lasts_by = event >> 32, event & 0xFFF80000, event & 0x30000
    possible = 0 <= channel < d and not unused and lasts_by != 0x30000
    require(possible, "the condition for the end of the event")


def _check_memory(
    config: SorfSettings, words: Mapping[str, float], rows: memoryview[Any], narrow: Sequence[float]
) -> None:
    """Check the row memory (docs/sorf.md, section 7f): its counters and the rows that it holds.

    Slots that hold no row yet may contain anything: they are never read.
    """
    limit, n_classes = int(config.values["memory"]), config.columns
    held, head = int(words["memory_held"]) & 0xFFFFFFFF, int(words["memory_held"]) >> 32
    require(0 <= held <= limit, f"{held} rows in a memory of {limit}")
    require(0 <= head < limit and (held == limit or not head), "where a memory's search begins")
    max_mistakes = config.max_weight / (1.0 - config.values["delta"]) * (1.0 + 1e-9)
    mistakes = [*(words[f"memory_mistakes_{i}"] for i in range(5)), *narrow]
    require(all(0.0 <= m <= max_mistakes for m in mistakes), "mistakes of a memory's experts")
    require(not (words["memory_spare_0"] or words["memory_spare_1"]), "spare words of a memory")

    # One array after the other, of a byte for each row: codes of two inputs; then the signed
    # coefficients or, with several classes, labels, rivals and unsigned coefficients.
    def array(at: int) -> memoryview[Any]:
        return rows[at * limit : at * limit + held]

    n_codes = config.memory_row - (3 if n_classes > 1 else 1)
    for at in range(n_codes):
        both_coded = all(code & 0x0F and code & 0xF0 for code in array(at))
        require(both_coded, "a code of a remembered row")
    coefficients = array(config.memory_row - 1)
    if n_classes == 1:
        possible = 0 not in coefficients and -128 not in coefficients
        require(possible, "a coefficient of a remembered row")
        return
    for at in (n_codes, n_codes + 1):
        classes_exist = all(label & 0xFF < n_classes for label in array(at))
        require(classes_exist, "a class of a remembered row")
    require(0 not in coefficients, "a coefficient of a remembered row")


def check_sorf(
    config: SorfSettings, words: Mapping[str, float], regions: Mapping[str, memoryview[Any]]
) -> None:
    """Check the state of a learner of the sorf family: weights, experts and what options add.

    Raises ValueError with what is wrong: learning cannot lead to this state.
    """
    require(words.get("n_support", 0) == 0, "support vectors where there is no ring")
    if config.forecaster:
        check_forecast(config, words, regions)
    for name in ("weights", "mean_weights"):
        if name in regions:
            numbers = regions[name]
            if numbers.format == "b":
                require(-128 not in numbers, f"{name} must be from -127 to 127")
            else:
                in_range = all(map(isfinite, numbers)) and max(map(abs, numbers)) <= _MAX_WEIGHT
                require(in_range, f"{name} are out of range")
    if "blend" in regions:
        groups = int(config.values["groups"])
        counters, windows = regions["blend"][:-groups], regions["blend"][-groups:]
        # A mistake costs at most 4, times the weight of the row.
        cost = 4.0 * config.max_weight
        limit = cost / (1.0 - config.values["delta"]) * (1.0 + 1e-9)
        require(all(0.0 <= count <= limit for count in counters), "an expert's counter")
        longest = max(config.values["cmax"], 1.0)
        require(all(1.0 <= n <= longest for n in windows), "an averaging window")
    if config.watch:
        _check_watch(config, words, regions)
    if "novelty" in regions:
        rho, mean = regions["novelty"]
        require(0.0 <= rho < inf and 0.0 <= mean < inf, "the threshold of novelty")
    if "target" in regions:
        mean, squares = regions["target"]
        in_range = abs(mean) <= _MAX_TARGET and 0.0 <= squares <= _MAX_SQUARES
        require(in_range, "mean and spread of the targets")
    for name in ("linear", "relevance"):
        if name in regions:
            require(all(abs(v) <= MAX_NUMBER for v in regions[name]), f"{name} must be finite")
    if "linear" in regions:
        variances = regions["linear"][config.n_inputs + 1 :]
        require(all(0.0 <= v <= 1.0 for v in variances), "variances of the linear expert")
    if "relevance" in regions:
        scales, squares = regions["relevance"][: config.n_inputs], regions["relevance"]
        require(all(-2.0 <= v <= 2.0 for v in scales), "a log length scale")
        require(min(squares[config.n_inputs :]) >= 0.0, "squared gradients of the length scales")
    if "gradient_steps" in regions:
        gradient_steps = regions["gradient_steps"][0]
        require(0 <= gradient_steps <= words["steps"], "gradient steps of the length scales")
    if "shared_relevance" in regions:
        scale, square = regions["shared_relevance"]
        require(-2.0 <= scale <= 2.0 and 0.0 <= square <= MAX_NUMBER, "the log length scale")
    if "drift" in regions:
        spread, gap, fast, slow, since, alarms = regions["drift"]
        in_range = 0.0 <= spread <= MAX_NUMBER and -1.0 <= gap <= 1.0
        shares = 0.0 <= fast <= 1.0 and 0.0 <= slow <= 1.0
        require(in_range and shares, "the averages of the drift alarm")
        limit = min(words["steps"] + 1, MAX_COUNTED)  # one more where a step was cut
        counts = all(v in range(int(limit) + 1) for v in (since, alarms))
        require(counts, "the counters of the drift alarm")
    if "row_memory" in regions:
        narrow: Sequence[float] = tuple(regions.get("memory_narrow", ()))
        _check_memory(config, words, regions["row_memory"], narrow)
    if "last_label" in regions:
        last, *answers = regions["last_label"]
        lapse = int(config.values["lapse"])
        for count in answers:
            is_valid = 0.0 <= count <= lapse and count == int(count)
            require(is_valid, f"{count} answers since the last label, which counts for {lapse}")
        # A class is stored plus one; 0 means no label yet.
        allowed = range(config.columns + 1) if config.columns > 1 else (-1.0, 0.0, 1.0)
        require(isfinite(last) if config.is_regression else last in allowed, "the last label")
