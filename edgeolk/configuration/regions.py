"""The table of regions of a block, and which of them a configuration needs."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial

from edgeolk.configuration.settings import Settings
from edgeolk.parts.numbers import Policy
from edgeolk.parts.parameters import PARAMETERS
from edgeolk.parts.storage import ELEMENTS
from edgeolk.scaling.record import RECORD_BYTES

#: Members of ``olk_history`` and of ``olk_pending`` (edgeolk/c).
HISTORY, PENDING = 20, 9


def diagonal_inputs(config: Settings) -> int:
    """Inputs of the diagonal linear learner, m1."""
    return 4 + (2 if config.values["season"] else 0) + 2 * config.n_features


def head_inputs(config: Settings) -> int:
    """Inputs of the head, m2."""
    return 7 + (2 if config.values["season"] else 0) + (2 if config.budget else 0)


def pending_numbers(config: Settings) -> int:
    """Numbers stored for a row that waits for its target."""
    return PENDING + head_inputs(config) + 2 * config.n_features


#: Regions of every forecaster.
FORECASTER = ("history", "forecaster", "head", "ml_poly", "pending")

#: Bytes of one number by the code of its type.
ELEMENT_BYTES = {code: element.nbytes for code, element in ELEMENTS.items()}


class Lifetime(Enum):
    """When a region's content is in use."""

    STATE = 0  # always; stored in files
    CALL = 1  # during a call, from reading a row to its answer
    LEARN = 2  # while a row is learned
    MEAN = 3  # while the averaged model scores


_Region = namedtuple("_Region", "name offset nbytes purpose element shape", defaults=("", (0, 0)))


class Region(_Region):
    """A named part of the block.

    Page: docs/reference.md.

    Attributes
    ----------
    name : str
        Its name in plans and in the table of files.
    offset, nbytes : int
        Offset from the start of the block; size in bytes, padding included.
    purpose : str
        Its content in one line.
    element : str
        Type of its numbers as a ``struct`` code; "w" for words of a C struct, "" for none.
    shape : tuple of int
        Number of rows, and numbers from one row to the next.
    """

    __slots__ = ()

    name: str
    offset: int
    nbytes: int
    purpose: str
    element: str
    shape: tuple[int, int]

    @property
    def stays(self) -> bool:
        """Whether it is kept when the model restarts because the kernel width is known."""
        return self.name in KINDS and KINDS[self.name].stays

    @property
    def is_state(self) -> bool:
        """Whether a file has it; the other regions are scratch."""
        return self.name in KINDS and KINDS[self.name].lifetime is Lifetime.STATE


@dataclass(frozen=True)
class Kind:
    """One row of the table of regions."""

    #: Type of its numbers: a code of ``ELEMENT_BYTES``, or a word for the type that the
    #: configuration uses for support vectors ("storage"), the arithmetic on rows ("computing"),
    #: coefficients ("real"), kernel values ("value") or exact features ("exact").
    element: str
    #: Number of rows, and numbers from one row to the next: each a number or an attribute of
    #: ``Settings``; or a function that computes both from a configuration.
    shape: tuple[int | str, int | str] | Callable[[Settings], tuple[int, int]]
    #: Its content in one line.
    purpose: str
    #: When its content is in use.
    lifetime: Lifetime = Lifetime.STATE
    #: Whether loops may read past its last row, a vector at a time.
    read_beyond: bool = False
    #: Whether it is kept when the model restarts because the kernel width is known.
    stays: bool = False

    def sizes(self, config: Settings) -> tuple[int, int]:
        """Number of rows, and numbers from one row to the next."""
        if callable(self.shape):
            return self.shape(config)
        rows, stride = self.shape
        return _size(config, rows), _size(config, stride)


def _size(config: Settings, size: int | str) -> int:
    return int(getattr(config, size)) if isinstance(size, str) else size


def _triangle(n: int) -> tuple[int, int]:
    return 1, n * (n + 1) // 2


def _factor_rows(config: Settings) -> int:
    if config.parts["policy"] == Policy.ANCHOR:
        return min(config.budget, int(config.values["b0"]))
    return config.slots


def _gram(config: Settings) -> tuple[int, int]:
    return _triangle(config.budget // (2 if config.parts["policy"] == Policy.HALVE else 1))


def _blend(config: Settings) -> tuple[int, int]:
    groups = int(config.values["groups"])
    extra = int(config.values["linear"] + config.values["last_label"])
    return 1, groups * len(config.list_of("blends")) + extra + groups


def _head(config: Settings) -> tuple[int, int]:
    m = head_inputs(config)
    return 1, m + _triangle(m)[1] + 1


def _state_regions(config: Settings) -> tuple[int, int]:
    """One number per region of state; the number of ``checksums`` itself is that of the header."""
    names = needed(config)
    return 1, sum(KINDS[name].lifetime is Lifetime.STATE for name in names)


_kept = partial(Kind, stays=True)
_of_call = partial(Kind, lifetime=Lifetime.CALL)
_of_learning = partial(Kind, lifetime=Lifetime.LEARN)

#: All regions in the order of the layout; words are members of the structs of ``core/state.pxd``.
KINDS: dict[str, Kind] = {
    "function": Kind("w", (1, 7), "scale, norm, oldest slot, counters of the function"),
    "support_vectors": Kind(
        "storage", ("n_features", "stride"), "the ring, one row per feature", read_beyond=True
    ),
    "coefficients": Kind("real", ("columns", "weights"), "dual coefficients over the common scale"),
    "levels": _kept("f", (2, "n_features"), "int8: step between levels, number at level 0"),
    "diagonal": Kind("d", (1, "slots"), "k(s, s) of each support vector"),
    "arrivals": Kind("q", (1, "slots"), "step of arrival of each support vector"),
    "norms": Kind("computing", (1, "stride"), "norm of each support vector", read_beyond=True),
    "averaging": Kind("w", (1, 1), "averaging: sum of the scales"),
    "mean_start": Kind("d", ("columns", "weights"), "averaging: weight before each arrival"),
    "mean_sum": Kind("d", ("columns", "weights"), "averaging: completed sums"),
    "nearest": Kind("q", (1, "budget"), "nearest neighbour of each support vector"),
    "nearest_distance": Kind("real", (1, "budget"), "squared distance to it"),
    "nearest_kernel": Kind("d", (1, "budget"), "kernel with it"),
    "factor": Kind(
        "d", lambda c: _triangle(_factor_rows(c)), "Gram matrix, or inverse of its factor, packed"
    ),
    "inverse": Kind("d", lambda c: _triangle(c.budget), "inverse of the Gram matrix, packed"),
    "scores": Kind("d", (1, "slots"), "f of each support vector over the common scale"),
    "feature_map": Kind("d", ("budget", "budget"), "eigenvectors, later the feature map"),
    "window": Kind(
        "storage", ("n_features", "window_stride"), "last examples, for hints", read_beyond=True
    ),
    "window_labels": Kind("d", (1, "window_stride"), "their labels"),
    "errors": _kept("w", (1, 2), "sums of squared and of absolute errors"),
    "forgetron": Kind("w", (1, 1), "running cost of removals"),
    "halving": Kind("w", (1, 2), "halvings, whether projection has ended"),
    "hints": Kind("w", (1, 2), "squared error of the hints, examples in the window"),
    "nystrom": Kind("w", (1, 1), "eigenfunctions in use"),
    "weights": Kind("storage", lambda c: (c.budget, 2 * c.columns), "current weights"),
    "mean_weights": Kind("storage", lambda c: (c.budget, 2 * c.columns), "their running average"),
    "blend": Kind("d", _blend, "mistakes of the experts, averaging windows"),
    "per_update": Kind("d", lambda c: (c.update.per_update, c.weights), "numbers of the update"),
    "novelty": Kind(
        "d", lambda c: (1, 2 if c.update.is_sorf else 1), "threshold; mean score of features"
    ),
    "channels": Kind("computing", ("n_features", 12), "channels: moments, short memory"),
    "channel_counts": Kind("i", (1, "n_features"), "channels: readings, and rows without a change"),
    "deviations": Kind(
        "computing", (1, 8), "threshold, input unit, moments of scores, state before an event"
    ),
    "watch": Kind("w", (1, 5), "idle rows, events, rows since the last event, verdict, flags"),
    "target": Kind("d", (1, 2), "mean of the targets, sum of squared deviations"),
    "last_label": Kind(
        "d", lambda c: (1, 2 if c.values["lapse"] else 1), "the last label; answers since it came"
    ),
    "linear": Kind(
        "computing", lambda c: (2, c.n_inputs + 1), "linear expert: weights, variances"
    ),
    "relevance": Kind("computing", (2, "n_inputs"), "log length scales (ARD), squared gradients"),
    "gradient_steps": Kind("q", (1, 1), "gradient steps of the length scales"),
    "shared_relevance": Kind(
        "computing", (1, 2), "log length scale of all inputs, squared gradient"
    ),
    "drift": Kind(
        "computing", (1, 6), "drift alarm: spread, recent and long-run mistakes, checks, alarms"
    ),
    "row_memory": Kind(
        "b", lambda c: (c.memory_row, int(c.values["row_memory"])),
        "memory: rows in 4 bits, labels, runners-up, coefficients",
    ),
    "memory_state": Kind("w", (1, 8), "memory: number of rows, mistakes of its experts"),
    "memory_narrow": Kind("d", (1, 4), "memory: mistakes of the narrower kernel's experts"),
    "history": Kind(
        "computing", lambda c: (1, HISTORY + len(c.list_of("interval")) + c.n_features),
        "the target: last values, unit, means; interval; inputs",
    ),
    "forecaster": Kind(
        "computing", lambda c: (1, 2 * diagonal_inputs(c) + 1),
        "diagonal linear forecaster: weights, variances, error",
    ),
    "head": Kind("computing", _head, "head of the forecaster: weights, covariance, error"),
    "ml_poly": Kind(
        "computing", lambda c: (2, 3 if c.budget else 2), "regrets of the experts, their squares"
    ),
    "pending": Kind(
        "computing", lambda c: (int(c.values["lead"]), pending_numbers(c)),
        "pending rows, whose targets have not come",
    ),
    "season": Kind(
        "computing", lambda c: (1, int(c.values["season"]) + 2), "targets of the last season"
    ),
    "kernel_rows": Kind("q", (1, 1), "rows learned by the kernel"),
    "scaler": _kept(
        "d", lambda c: (1, 4 * c.n_features), "scaling: mean (two), deviation, pending reading"
    ),
    "scaler_counts": _kept(
        "i", lambda c: (1, 2 * c.n_features), "scaling: readings, clipped readings"
    ),
    "scaler_range": _kept("d", lambda c: (1, 2 * c.n_features), "scaling: minimum and maximum"),
    "statistics": _kept(
        "b", ("n_features", RECORD_BYTES), "scaling: mean, deviation and age of each"
    ),
    "clipped_rows": _kept("w", (1, 1), "rows that were shortened"),
    "width": _kept("w", (1, 7), "kernel width, counters before it was known"),
    "width_mean": _kept(
        "computing", (1, "n_features"), "mean of the rows that determine the width"
    ),
    "width_follows": _kept(
        "d", lambda c: (1, 4 if c.finds_pairs else 1),
        "kernel width that follows the rows, detection of two-valued inputs",
    ),
    "common": _kept("d", (1, 2), "scaling: mean of all inputs, sum of squared deviations"),
    "skipped": _kept("w", (1, 1), "skipped bad rows"),
    "checksums": Kind("i", _state_regions, "CRC-32 of the header and of each region, once sealed"),
    "query": _of_call("computing", lambda c: (1, max(1, c.n_inputs)), "scratch: the example"),
    "nonzero_index": _of_call("i", (1, "n_features"), "scratch: non-zero positions of the row"),
    "nonzero_value": _of_call("computing", (1, "n_features"), "scratch: values at these positions"),
    "inputs": _of_call(
        "computing", lambda c: (3, c.n_features) if c.watches else (2, c.n_inputs),
        "scratch: scaled inputs and their gradients, or the inputs of channels",
    ),
    "class_scores": _of_call(
        "d", lambda c: (2 * int(c.values.get("groups", 1.0)), c.columns),
        "scratch: scores and weights of classes",
    ),
    "recalled": _of_call(
        "d", lambda c: (2 + int(c.values["memory_narrow"]), c.columns),
        "scratch: class scores of the memory and of the features",
    ),
    "feature_row": _of_learning(
        "exact", ("budget", 2),
        "scratch: features of a row, so that an update need not recompute them",
    ),
    "rows_ahead": _of_learning(
        "computing", ("lookahead", "n_features"), "scratch: rows to be learned next"
    ),
    "values_ahead": _of_learning("value", ("lookahead", "weights"), "scratch: their kernel values"),
    "features_ahead": _of_learning(
        "d", lambda c: (c.lookahead, int(c.values["rank"])), "scratch: their features"
    ),
    "column": _of_learning("computing", (1, "n_features"), "scratch: one support vector"),
    "kernel_row": _of_learning("real", (1, "weights"), "scratch: k(s_i, x), or features of x"),
    "distance_row": _of_learning("real", (1, "stride"), "scratch: squared distances"),
    "gram": _of_learning("d", _gram, "scratch: factor of a Gram matrix"),
    "pulls": _of_learning(
        "d", lambda c: (c.columns, c.budget // 2), "scratch: right-hand sides of a halving"
    ),
    "work": _of_learning("d", (1, "slots"), "scratch: vector of the linear algebra"),
    "work2": _of_learning("d", (1, "slots"), "scratch: a second vector"),
    "order": _of_learning("i", (1, "budget"), "scratch: slots by size"),
    "mean_coefficients": Kind(
        "real", ("columns", "weights"), "scratch: coefficients of the averaged model", Lifetime.MEAN
    ),
}


def _requested(config: Settings) -> tuple[str, ...]:
    """Regions that parameters and preprocessing need."""
    names: list[str] = []
    for name, parameter in PARAMETERS.items():
        names += parameter.regions_for(config.values.get(name, 0.0))
    if config.columns > 1:
        names.append("class_scores")
        if not config.update.is_sorf:
            names += ["kernel_row", *(config.policy.columns or ())]
        if config.values.get("row_memory"):
            names.append("recalled")
    if config.forecasts:
        names += FORECASTER
        names += ("season",) if config.values["season"] else ()
        names += ("kernel_rows",) if config.budget else ()
    if "skip_bad_rows" in config.values:
        names.append("skipped")
    if "checksums" in config.values:
        names.append("checksums")
    if config.lookahead:
        names += config.basis.ahead
    return (*names, *config.preprocessing.regions)


def needed(config: Settings) -> set[str]:
    """Names of the regions that a configuration needs."""
    names = {"coefficients", "function", "query"}
    for row in config.rows:
        names.update(row.regions)
    names.update(_requested(config))
    if config.basis.keeps_vectors:
        names.add("support_vectors")
    else:
        names.discard("levels")
    if config.update.per_update:
        names.add("per_update")
    if config.update.is_sorf:
        names -= {"coefficients", "function", "kernel_row"}
        if not config.needs_labels:
            names -= {"weights", "blend"}
        elif config.is_regression:
            names.add("target")
        if not config.budget:
            names -= {"weights", "mean_weights", "blend", "target"}
        if not config.n_features:
            names -= {"scaler", "scaler_counts", "statistics"}
        if "inputs" in names and not (config.forecasts or config.preprocessing.gamma_rows):
            names.discard("query")  # relevance scales the row in place
        if config.watches:
            names -= {"novelty", "query"}
            names |= {"channels", "channel_counts", "deviations", "watch", "inputs"}
    if config.tracks_norm and config.policy.removes:
        names.update(("column", "diagonal"))
    if "averaging" in names and config.changes_old:
        names.add("mean_sum")
    if "factor" in names and _factor_rows(config) == 0:
        names.discard("factor")
    if config.kernel.normalised:
        names.discard("diagonal")
    return names
