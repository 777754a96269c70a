"""The regions of a learner of the sorf family, and which of them a configuration needs."""

from __future__ import annotations

from typing import Any

from edgeolk.configuration.regions import (
    ERRORS,
    PREPROCESSING,
    Kind,
    checksums,
    kept,
    of_call,
    of_learning,
    shared_regions,
    triangle,
)
from edgeolk.sorf.options import OPTIONS

#: Members of ``olk_history`` and of ``olk_pending`` (edgeolk/c).
HISTORY, PENDING = 20, 9


def coordinates(config: Any) -> int:
    """Coordinates of a Gaussian process: constant, inputs, vectors and the row that enters."""
    return int(2 + config.n_features + config.n_vectors)


def diagonal_inputs(config: Any) -> int:
    """Inputs of the diagonal linear learner, m1."""
    return 4 + (2 if config.values["season"] else 0) + 2 * int(config.n_features)


def head_inputs(config: Any) -> int:
    """Inputs of the head, m2."""
    return 7 + (2 if config.values["season"] else 0) + (2 if config.budget else 0)


def pending_numbers(config: Any) -> int:
    """Numbers stored for a row that waits for its target."""
    return PENDING + head_inputs(config) + 2 * int(config.n_features)


#: Regions of every forecaster.
FORECASTER = ("history", "forecaster", "head", "ml_poly", "pending")
#: The regions that are read by vector loads: only these have wide alignment in a larger block.
IN_VECTORS = ("weights", "mean_weights", "feature_row")


def _blend(config: Any) -> tuple[int, int]:
    return 1, config.n_groups * (len(config.list_of("blends")) + 1) + config.n_outside


def _inputs(config: Any) -> tuple[int, int]:
    if config.watch:
        return 3, config.n_features
    # The linear group learns from the row without relevance.
    return 3 if config.values["linear_group"] else 2, config.n_inputs


def _head(config: Any) -> tuple[int, int]:
    m = head_inputs(config)
    return 1, m + triangle(m)[1] + 1


#: All regions in the order of the layout; words are members of the structs of ``core/state.pxd``.
KINDS: dict[str, Kind] = {
    "errors": ERRORS,
    "weights": Kind("storage", lambda c: (c.budget, 2 * c.columns), "current weights", 28),
    "mean_weights": Kind(
        "storage", lambda c: (c.budget, 2 * c.columns), "their running average", 29
    ),
    "blend": Kind("computing", _blend, "mistakes of the experts, averaging windows", 30),
    "novelty": Kind("computing", (1, 2), "threshold; mean score of features", 36),
    "channels": Kind(
        "computing", ("n_features", 28), "channels: moments, short memory, largest peaks", 48
    ),
    "channel_counts": Kind(
        "i", (1, "n_features"), "channels: readings, and rows without a change", 49
    ),
    "channel_bytes": Kind("b", ("n_features", 6), "channels: readings, rows above a peak", 52),
    "clock": Kind("computing", ("n_features", 32), "seasons: residual, peaks, mean by hour", 53),
    "clock_bytes": Kind("b", ("n_features", 26), "seasons: rows above a peak, rows by hour", 54),
    "watch_scores": Kind(
        "computing", (1, 13), "threshold, input unit, moments of scores, pattern, last score", 50
    ),
    "watch": Kind("w", (1, 4), "idle rows, alarms, rows since the last alarm, verdict", 51),
    "target": Kind("d", (1, 2), "mean of the targets, sum of squared deviations", 31),
    "last_label": Kind(
        "computing", lambda c: (1, 2 if c.values["lapse"] else 1),
        "the last label; answers since it came", 32,
    ),
    "linear": Kind(
        "computing", lambda c: (2, c.n_inputs + 1), "linear expert: weights, variances", 33
    ),
    "label_counts": Kind(
        "f", lambda c: (1, max(2, c.columns)), "labels so far, at most 4,096", 100
    ),
    "linear_weights": Kind(
        "storage", lambda c: (c.n_inputs + 1, c.columns), "linear group: weights", 101
    ),
    "linear_mean": Kind(
        "storage", lambda c: (c.n_inputs + 1, c.columns), "linear group: their running average", 102
    ),
    "relevance": Kind(
        "computing", (2, "n_inputs"), "log length scales (ARD), squared gradients", 34
    ),
    "gradient_steps": Kind("q", (1, 1), "gradient steps of the length scales", 35),
    "shared_relevance": Kind(
        "computing", (1, 2), "log length scale of all inputs, squared gradient", 38
    ),
    "drift": Kind(
        "computing", (1, 6), "drift alarm: spread, recent and long-run mistakes, checks, alarms", 39
    ),
    "row_memory": Kind(
        "b", lambda c: (c.memory_row, int(c.values["memory"])),
        "memory: rows in 4 bits, labels, runners-up, coefficients", 40,
    ),
    "memory_state": Kind("w", (1, 1), "memory: number of rows", 41),
    "memory_mistakes": Kind("computing", (1, 5), "memory: mistakes of its experts", 55),
    "memory_narrow": Kind(
        "computing", (1, 4), "memory: mistakes of the narrower kernel's experts", 42
    ),
    "late_losses": Kind(
        "computing", ("n_groups", 2), "late labels: mistakes of averages and last weights", 111
    ),
    # These rows wait also while the model restarts.
    "late_counts": kept("i", (1, 2), "late labels: next row, rows that wait", 110),
    "late_answers": kept(
        "b", ("n_kept", "answer_bytes"), "late labels: what experts answered", 112
    ),
    "late_scores": kept(
        "f", lambda c: (c.n_kept, c.answer_bytes // 4), "late labels: what experts answered", 113
    ),
    "history": Kind(
        "computing", lambda c: (1, HISTORY + len(c.list_of("interval")) + c.n_features),
        "the target: last values, unit, means; interval; inputs", 56,
    ),
    "forecaster": Kind(
        "computing", lambda c: (1, 2 * diagonal_inputs(c) + 1),
        "diagonal linear forecaster: weights, variances, error", 57,
    ),
    "head": Kind("computing", _head, "head of the forecaster: weights, covariance, error", 58),
    "ml_poly": Kind(
        "computing", lambda c: (2, 3 if c.budget else 2), "regrets of the experts, their squares",
        59,
    ),
    "pending": Kind(
        "computing", lambda c: (int(c.values["horizon"]), pending_numbers(c)),
        "pending rows, whose targets have not come", 60,
    ),
    "season": Kind(
        "computing", lambda c: (1, int(c.values["season"]) + 2), "targets of the last season", 61
    ),
    "kernel_rows": Kind("q", (1, 1), "rows learned by the kernel", 62),
    "process_words": Kind("w", (1, 15), "process: scale, noise, offset, turn of the drift", 114),
    "process_origin": Kind("d", (1, "n_features"), "process: the first row", 115),
    "process_inputs": Kind("computing", (8, "n_features"), "process: widths and scales", 116),
    "process_vectors": Kind("computing", ("n_features", "n_vectors"), "process: vectors", 117),
    "process_coefficients": Kind("computing", (1, "n_vectors"), "process: their coefficients", 118),
    "process_whitening": Kind(
        "computing", lambda c: triangle(c.n_vectors + 1),
        "process: inverse of a factor of the Gram matrix", 119,
    ),
    "process_factor": Kind(
        "computing", lambda c: triangle(coordinates(c)),
        "process: factor of the covariance, by columns", 120,
    ),
    "process_mean": Kind(
        "computing", lambda c: (1, coordinates(c)), "process: mean of whitened coordinates", 121
    ),
    "mixture": Kind("w", (1, 7), "regrets of features and process, their errors", 122),
    **PREPROCESSING,
    "query": of_call("computing", lambda c: (1, max(1, c.n_inputs)), "scratch: the example"),
    "inputs": of_call(
        "computing", _inputs,
        "scratch: scaled inputs and their gradients, or the inputs of channels",
    ),
    "class_scores": of_call(
        "computing", lambda c: (1 if c.keeps_last_alone else 2 * c.n_groups, c.columns),
        "scratch: scores and weights of classes",
    ),
    "recalled": of_call(
        "computing", lambda c: (2 + int(c.values["memory_narrow"]), c.columns),
        "scratch: class scores of the memory and of the features",
    ),
    "process_kernel_row": of_call("computing", (1, "n_vectors"), "scratch: a row with the vectors"),
    "process_scratch": of_call(
        "computing", lambda c: (1, 3 * coordinates(c) + 2 * c.n_features),
        "scratch: a row of the process",
    ),
    "process_row": of_call("d", (1, "n_features"), "scratch: the row as it came"),
    "feature_row": of_learning(
        "computing", ("budget", 2),
        "scratch: features of a row, so that an update need not recompute them",
    ),
}


def needed(config: Any) -> set[str]:
    """Names of the regions that a configuration needs."""
    names = {"weights", "mean_weights", "blend", "query", *shared_regions(config)}
    for name, option in OPTIONS.items():
        names.update(option.regions_for(config.values[name]))
    if config.columns > 1:
        names.add("class_scores")
        if config.values["memory"]:
            names.add("recalled")
    if config.values["delay"]:
        names.add("late_scores" if config.is_regression else "late_answers")
    if config.is_regression:
        names.update(("errors", "target"))
        names.discard("label_counts")
    if not config.needs_labels:
        names -= {"weights", "blend"}
        names.add("novelty")
    if config.forecaster:
        names.update(FORECASTER)
        names.update(("season",) if config.forecaster.season else ())
        names.update(("kernel_rows",) if config.budget else ())
    if not config.budget:
        names -= {"weights", "mean_weights"}
        names -= {"blend", "target"} if config.forecaster else set()
    if not config.n_features:
        names -= {"scaler", "scaler_counts", "statistics"}
    if "inputs" in names and not (config.forecaster or config.preprocessing.gamma_rows):
        names.discard("query")  # relevance scales the row in place
    if config.watch:
        names -= {"novelty", "query"}
        names |= {"channels", "channel_counts", "channel_bytes", "watch_scores", "watch", "inputs"}
    return names


KINDS["checksums"] = checksums(needed, KINDS)
