"""The regions of a learner of the ring family, and which of them a configuration needs."""

from __future__ import annotations

from typing import Any

from edgeolk.configuration.regions import (
    ERRORS,
    PREPROCESSING,
    Kind,
    Lifetime,
    checksums,
    kept,
    of_call,
    of_learning,
    shared_regions,
    triangle,
)
from edgeolk.parts.numbers import Policy
from edgeolk.ring.options import OPTIONS


def _factor_rows(config: Any) -> int:
    if config.parts["policy"] == Policy.ANCHOR:
        return min(int(config.budget), int(config.values["b0"]))
    return int(config.slots)


def _coordinates(config: Any) -> int:
    """Of all vectors and the row that enters, and in a tracker of the linear part."""
    linear = 1 + config.n_inputs if config.update.scores_itself else 0
    return int(linear + config.budget + 1)


def _window_gram(config: Any) -> tuple[int, int]:
    rows = int(config.values["last_rows"])
    return 1, triangle(rows)[1] + rows


def _gram(config: Any) -> tuple[int, int]:
    return triangle(config.budget // (2 if config.parts["policy"] == Policy.HALVE else 1))


#: All regions in the order of the layout; words are members of the structs of ``core/state.pxd``.
KINDS: dict[str, Kind] = {
    "function": Kind("w", (1, 7), "scale, norm, oldest slot, counters of the function", 1),
    "support_vectors": Kind(
        "storage", ("n_inputs", "stride"), "the ring, one row per feature", 2, read_beyond=True
    ),
    "coefficients": Kind(
        "real", ("columns", "weights"), "dual coefficients over the common scale", 3
    ),
    "levels": kept("f", (2, "n_features"), "int8: step between levels, number at level 0", 4),
    "diagonal": Kind("d", (1, "slots"), "k(s, s) of each support vector", 6),
    "arrivals": Kind("q", (1, "slots"), "step of arrival of each support vector", 7),
    "norms": Kind("computing", (1, "stride"), "norm of each support vector", 8, read_beyond=True),
    "averaging": Kind("w", (1, 1), "averaging: sum of the scales", 9),
    "mean_start": Kind("d", ("columns", "weights"), "averaging: weight before each arrival", 10),
    "mean_sum": Kind("d", ("columns", "weights"), "averaging: completed sums", 11),
    "nearest": Kind("q", (1, "budget"), "nearest neighbour of each support vector", 12),
    "nearest_distance": Kind("real", (1, "budget"), "squared distance to it", 13),
    "nearest_kernel": Kind("d", (1, "budget"), "kernel with it", 14),
    "factor": Kind(
        "d", lambda c: triangle(_factor_rows(c)), "Gram matrix, or inverse of its factor, packed",
        15,
    ),
    "inverse": Kind("d", lambda c: triangle(c.budget), "inverse of the Gram matrix, packed", 16),
    "scores": Kind("d", (1, "slots"), "f of each support vector over the common scale", 17),
    "feature_map": Kind("d", ("budget", "budget"), "eigenvectors, later the feature map", 18),
    "window": Kind(
        "storage", ("n_features", "window_stride"), "last examples, for hints", 19, read_beyond=True
    ),
    "window_labels": Kind("d", (1, "window_stride"), "their labels", 20),
    "posterior": Kind("d", lambda c: triangle(c.budget), "posterior of a filter, packed", 43),
    "whitening": Kind(
        "real", lambda c: triangle(c.budget + 1), "inverse of a factor of the Gram matrix", 45
    ),
    "covariance": Kind(
        "real", lambda c: triangle(c.budget + 1), "covariance of whitened coordinates", 46
    ),
    "coordinates": Kind("real", lambda c: (1, _coordinates(c)), "mean of whitened coordinates", 47),
    "tracking": Kind("w", (1, 15), "krls_auto: scale, noise, offset, turn of the drift", 84),
    "origin": Kind("d", (1, "n_inputs"), "krls_auto: the first row, of which vectors count", 85),
    "input_scales": Kind("real", (8, "n_inputs"), "krls_auto: widths and scales of inputs", 86),
    "posterior_factor": Kind(
        "real", lambda c: triangle(_coordinates(c)), "factor of the covariance, by columns", 87
    ),
    "lagging": Kind("w", (1, 3), "lags: known targets, rows that wait, the oldest of them", 88),
    "recent_targets": Kind("d", (1, "lags"), "lags: the last targets, the newest first", 89),
    "pending_rows": Kind(
        "d", lambda c: (int(c.values["delay"]), c.n_inputs + 2), "lags: rows without their target",
        90,
    ),
    "evidence": Kind("w", (1, 3), "sums of errors over their variances, scale", 44),
    "errors": ERRORS,
    "forgetron": Kind("w", (1, 1), "running cost of removals", 23),
    "halving": Kind("w", (1, 2), "halvings, whether projection has ended", 24),
    "hints": Kind("w", (1, 2), "squared error of the hints, examples in the window", 25),
    "nystrom": Kind("w", (1, 1), "eigenfunctions in use", 26),
    "per_update": Kind(
        "d", lambda c: (c.update.per_update, c.weights), "numbers of the update", 37
    ),
    "novelty": Kind("d", (1, 1), "threshold", 36),
    **PREPROCESSING,
    "query": of_call("computing", (1, "n_features"), "scratch: the example"),
    "nonzero_index": of_call("i", (1, "n_features"), "scratch: non-zero positions of the row"),
    "nonzero_value": of_call("computing", (1, "n_features"), "scratch: values at these positions"),
    "class_scores": of_call("d", (2, "columns"), "scratch: scores and weights of classes"),
    "rows_ahead": of_learning(
        "computing", ("lookahead", "n_features"), "scratch: rows to be learned next"
    ),
    "values_ahead": of_learning("value", ("lookahead", "weights"), "scratch: their kernel values"),
    "features_ahead": of_learning(
        "d", lambda c: (c.lookahead, int(c.values["rank"])), "scratch: their features"
    ),
    "column": of_learning("computing", (1, "n_features"), "scratch: one support vector"),
    "kernel_row": of_learning("real", (1, "weights"), "scratch: k(s_i, x), or features of x"),
    "distance_row": of_learning("real", (1, "stride"), "scratch: squared distances"),
    "gram": of_learning("d", _gram, "scratch: factor of a Gram matrix"),
    "pulls": of_learning(
        "d", lambda c: (c.columns, c.budget // 2), "scratch: right-hand sides of a halving"
    ),
    "work": of_learning("d", (1, "slots"), "scratch: vector of the linear algebra"),
    "work2": of_learning("d", (1, "slots"), "scratch: a second vector"),
    "work3": of_learning("d", (1, "slots"), "scratch: a third vector"),
    "whitened_rows": of_learning(
        "real", lambda c: (2, c.budget + 1), "scratch: a row in whitened coordinates"
    ),
    "tracker_rows": of_learning(
        "real", lambda c: (1, 3 * _coordinates(c) + 2 * c.n_inputs), "scratch: a row of krls_auto"
    ),
    "window_kernel": of_learning(
        "d", ("window_rows", "weights"), "scratch: kernel rows of the window"
    ),
    "window_gram": of_learning(
        "d", _window_gram, "scratch: their inner products, errors"
    ),
    "order": of_learning("i", (1, "budget"), "scratch: slots by size"),
    "mean_coefficients": Kind(
        "real", ("columns", "weights"), "scratch: coefficients of the averaged model",
        lifetime=Lifetime.MEAN,
    ),
}


def needed(config: Any) -> set[str]:
    """Names of the regions that a configuration needs."""
    names = {"coefficients", "function", "query", *shared_regions(config)}
    for row in config.rows:
        names.update(row.regions)
    for name, value in config.values.items():
        names.update(OPTIONS[name].regions_for(value))
    if config.columns > 1:
        names.update(("class_scores", "kernel_row", *(config.policy.columns or ())))
    if config.lookahead:
        names.update(config.basis.ahead)
    if config.basis.keeps_vectors:
        names.add("support_vectors")
    else:
        names.discard("levels")
    if config.update.per_update:
        names.add("per_update")
    if config.tracks_norm and (config.policy.removes or not config.policy.follows_norm):
        names.update(("column", "diagonal"))  # to recompute it
    if "averaging" in names and config.changes_old:
        names.add("mean_sum")
    if "factor" in names and _factor_rows(config) == 0:
        names.discard("factor")
    if config.kernel.normalised:
        names.discard("diagonal")
    return names


KINDS["checksums"] = checksums(needed, KINDS)
