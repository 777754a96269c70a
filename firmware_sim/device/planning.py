"""The memory plan of all parts under the cap, and the kernel with its width.

The width is chosen from the first rows by the median heuristic: with
gamma = 1 / median(||a - b||^2) over pairs of rows, a typical pair has a kernel value of 1/e, so
that rows are neither all similar nor all unrelated. Labels are not used. The width is chosen on the
host before the replay, as it would be before a device is flashed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

import edgeolk as ek
from edgeolk import hosting
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.containment import memory
from firmware_sim.containment.memory import Layout, Need, Region
from firmware_sim.device.intake import KEEPS, Repair, RowBuffer, buffer_type
from firmware_sim.device.supervision import Supervision, row_type
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds.scaling import target_need
from firmware_sim.streams import Row
from firmware_sim.streams.windowed import windows_of_rows

Rows = npt.NDArray[np.float64]


def learner_settings(config: ReplayConfig, kernel: Any, plan: Any) -> dict[str, Any]:
    """Return the planned learner's arguments, besides the number of features and the memory."""
    settings = {
        **plan.chosen,  # these defaults depend on the memory: make them explicit
        "algorithm": config.resolved.algorithm,
        "budget": plan.budget,
        "kernel": kernel,
        "dtype": config.resolved.dtype,
        "seed": config.seed,
        **config.learner_params,
    }
    regions = {region.name for region in plan.regions}
    stores_rows = "support_vectors" in regions  # as int8; others store weights of features
    if config.resolved.dtype == "int8" and config.scale == "minmax" and stores_rows:
        settings["feature_range"] = (0.0, 1.0)
    return settings


def make_learner(n_features: int, settings: dict[str, Any], **memory: Any) -> Any:
    """Return a learner with these settings, in its own memory or in a given buffer.

    Raises SimulatorError: `edgeolk` refuses a setting.
    """
    try:
        return ek.Learner(n_features=n_features, **settings, **memory)
    except (TypeError, ValueError) as error:
        raise SimulatorError(str(error)) from None


#: Bytes of the variables of the emulated boards' program besides the arena.
_VARIABLES = 120
#: Cache of plans by their inputs: planning takes longer than a hundred rows.
_plans: dict[str, tuple[Layout, Any]] = {}
_MAX_PLANS = 1024


def plan_device(config: ReplayConfig, n_features: int, kernel: Any) -> tuple[Layout, Any]:
    """Compute the memory layout without creating its parts.

    Raises DoesNotFitError: the parts do not fit the cap.
    Raises SimulatorError: `edgeolk` refuses the algorithm or one of its parameters.

    Returns layout: all parts and regions under the cap.
    Returns plan: the learner's plan, with its budget.
    """
    # The stream and the width of the kernel do not change the layout.
    ignored = {"stream": "", "target": None, "ignore": (), "faults": (), "fault_seed": None}
    key = repr((n_features, type(kernel), replace(config, **ignored)))  # type: ignore[arg-type]
    if key not in _plans:
        if len(_plans) >= _MAX_PLANS:
            _plans.clear()
        _plans[key] = _planned(config, n_features, kernel)
    return _plans[key]


def _planned(config: ReplayConfig, n_features: int, kernel: Any) -> tuple[Layout, Any]:
    raw = f"readings as they come from the sensors, {buffer_type(config)}"
    needs = [Need("raw row", RowBuffer.nbytes(config, n_features), raw)]
    if config.windows is not None:
        windows = windows_of_rows(n_features, **config.windows)
        what = f"{windows.size} samples of {windows.channels}, {windows.dtype}, and their features"
        needs.append(Need("windows", windows.nbytes, what, _regions(windows)))
    if config.scales_outside:
        scaler = ek.RunningScaler.plan(n_features, method=config.scale)
        needs += [
            Need(
                "scaled row",
                n_features * row_type(config).itemsize,
                f"readings as the learner sees them, {row_type(config)}",
            ),
            Need("scaler", scaler.nbytes, f"{config.scale} scaling", _regions(scaler)),
        ]
    if config.missing in KEEPS:
        what = {"last": "last values", "mean": "means and counts"}[config.missing]
        nbytes = Repair.nbytes(config.missing, n_features)
        needs.append(Need("repair", nbytes, f"{what}, which stand in for absent readings"))
    if config.queue_rows and not config.label_kind.keeps_rows:  # such a learner has its own queue
        nbytes = Supervision.nbytes(config, n_features)
        what = f"{config.queue_rows:,} rows that wait for their label"
        needs.append(Need("label queue", nbytes, what))

    params = config.learner_params

    def plan_learner(**size: Any) -> Any:
        return ek.plan(
            config.resolved.algorithm,
            n_features=n_features,
            kernel=kernel,
            dtype=config.resolved.dtype,
            **size,
            **params,
        )

    if config.label_kind.scales_targets:
        needs.append(target_need())
    if "buffers" in config.cap_includes:
        nbytes = _VARIABLES + 8 * _planned_columns(config, n_features)
        needs.append(Need("buffers", nbytes, "variables of the board's program: scores, counts"))
    plan = memory.fit_learner(config.cap_bytes, needs, plan_learner, config.budget)
    if "stack" in config.cap_includes:
        need, nbytes = None, _stack(config, n_features, kernel, plan)
        while need is None or need.nbytes < nbytes:  # another kind of learner may fit what is left
            need = Need("stack", nbytes, "the largest of any call of the exported C")
            plan = memory.fit_learner(config.cap_bytes, [*needs, need], plan_learner, config.budget)
            nbytes = _stack(config, n_features, kernel, plan)
        needs.append(need)
    vectors = any(region.name == "support_vectors" for region in plan.regions)
    holds = f"at most {plan.budget} support vectors" if vectors else f"{plan.budget} frequencies"
    holds = holds if plan.budget else f"kernel {plan.kernel}"
    purpose = f"{config.resolved.algorithm}, {holds}"
    needs.append(Need("learner", plan.nbytes, purpose, _regions(plan)))
    return memory.lay_out(config.cap_bytes, needs), plan


def _stack(config: ReplayConfig, n_features: int, kernel: Any, plan: Any) -> int:
    """Return the largest stack of any call of a planned learner's C, in bytes.

    Raises SimulatorError: it has no C.
    """
    learner = make_learner(n_features, learner_settings(config, kernel, plan))
    try:
        hosting.check_exportable(learner)
    except ValueError as error:
        raise SimulatorError(f"--cap-includes stack is for exported learners: {error}") from None
    return hosting.stacks_of(learner)["library"]


def _planned_columns(config: ReplayConfig, n_features: int) -> int:
    """Return the scores of a row."""
    names = "algorithm", "dtype"
    settings = {name: getattr(config.resolved, name) for name in names}
    try:
        known = ek.Config(n_features=n_features, budget=64, **settings, **config.learner_params)
    except (TypeError, ValueError) as error:
        raise SimulatorError(str(error)) from None
    return hosting.traits_of(known).n_scores


def make_kernel(config: ReplayConfig, n_features: int, prefix: Any) -> tuple[Any, Width | None]:
    """Return the kernel, and its width with the reason, if it has a width.

    config: name and parameters of the kernel.
    n_features: readings in a row.
    prefix: returns the scaled first rows; called only if a width is chosen from them.
    """
    if config.chooses_inside:
        return None, None
    if config.kernel == "linear":
        return ek.Linear(), None
    if config.gamma is not None:
        chosen = given_width(config.gamma)
    elif config.kernel in ("gaussian", "laplacian"):
        norm = "manhattan" if config.kernel == "laplacian" else "squared euclidean"
        chosen = choose_width(prefix(), norm=norm)
    else:
        # The inner product of two scaled rows grows with their length: this keeps it close to 1.
        gamma = 1.0 / n_features
        chosen = Width(gamma, 0, f"gamma {gamma:.4g}: 1 / number of readings")
    try:
        if config.kernel == "gaussian":
            return ek.Gaussian(chosen.gamma), chosen
        if config.kernel == "laplacian":
            return ek.Laplacian(chosen.gamma), chosen
        given = {} if config.offset is None else {"offset": config.offset}
        if config.kernel == "polynomial":
            return ek.Polynomial(config.degree, chosen.gamma, **given), chosen
        return ek.Sigmoid(chosen.gamma, **given), chosen
    except (TypeError, ValueError) as error:
        raise SimulatorError(str(error)) from None


def scaled_prefix(config: ReplayConfig, rows: Row) -> Row:
    """Return the first rows, scaled with the statistics of all of them.

    The scaler of a running device knows only earlier rows; its first rows, scaled by hardly any
    statistics, would distort the distances.
    """
    if config.scale == "none" or len(rows) == 0:
        return rows
    if config.scale == "common":
        common_scaled: Row = np.clip((rows - rows.mean()) / (rows.std() or 1.0), -8.0, 8.0)
        return common_scaled
    scaler = ek.RunningScaler(rows.shape[1], method=config.scale, freeze_after=config.freeze_after)
    for row in rows:
        scaler.learn_one(row)
    out = np.empty_like(rows)
    for row, scaled in zip(rows, out, strict=True):
        scaler.transform_one(row, scaled)
    return out


def _regions(plan: Any) -> tuple[Region, ...]:
    return tuple(
        Region(region.name, region.offset, region.nbytes, region.purpose) for region in plan.regions
    )


@dataclass(frozen=True)
class Width:
    """A kernel width and its origin."""

    gamma: float
    rows: int  # rows it was chosen from; 0 if the user gave it
    reason: str  # one sentence


def given_width(gamma: float) -> Width:
    """Return the width that the user gave."""
    return Width(gamma, 0, f"gamma {gamma:.4g}, as asked for")


def choose_width(rows: Rows, *, norm: str = "squared euclidean") -> Width:
    """Choose gamma for scaled rows.

    rows (ndarray of float64, shape (n, d)): the first rows of the stream, scaled.
    norm ({"squared euclidean", "manhattan"}): the distance that the kernel multiplies by gamma;
        "manhattan" for the Laplacian kernel.
    Raises ValueError: there are no rows.

    Returns: the width; the same on every machine, up to rounding.
    """
    if len(rows) == 0:
        raise ValueError("no usable row to choose a kernel width from")
    return _chosen(np.asarray(rows, dtype=np.float64).tobytes(), rows.shape[1], norm)


@lru_cache(maxsize=8)  # several learners of one stream use the same
def _chosen(numbers: bytes, n_features: int, norm: str) -> Width:
    rows = np.frombuffer(numbers).reshape(-1, n_features)
    n = len(rows)
    distances = _pair_distances(rows, norm)
    nonzero = distances[distances > 0.0]
    if nonzero.size == 0:
        gamma = 1.0 / rows.shape[1]
        return Width(gamma, n, f"gamma {gamma:.4g}: the first {n} usable rows are identical")
    median = float(np.median(distances))
    if median > 0.0:
        what = f"the median {norm} distance"
    else:
        # More than half of the pairs are equal, as with constant sensors: use the others.
        median = float(np.median(nonzero))
        what = f"the median {norm} distance of rows that differ"
    gamma = 1.0 / median
    return Width(gamma, n, f"gamma {gamma:.4g}: 1 / {what} among the first {n} usable rows")


def _pair_distances(rows: Rows, norm: str) -> npt.NDArray[np.float64]:
    """Return the distances of all n (n - 1) / 2 pairs."""
    n = len(rows)
    out = np.empty(n * (n - 1) // 2)
    start = 0
    for i in range(n - 1):  # one row against the later ones: n x d numbers, not n x n x d
        difference = rows[i + 1 :] - rows[i]
        end = start + len(difference)
        if norm == "manhattan":
            out[start:end] = np.abs(difference).sum(axis=1)
        else:
            out[start:end] = np.einsum("ij,ij->i", difference, difference)
        start = end
    return out
