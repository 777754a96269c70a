"""The simulated device: row buffer, scaler and learner under one cap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim import memory, width
from firmware_sim.child import BLOCK, COUNTERS
from firmware_sim.config import ReplayConfig
from firmware_sim.errors import SimulatorError
from firmware_sim.memory import DeviceMemory, Layout, Need, Region
from firmware_sim.process import ProcessLearner
from firmware_sim.regression import Regressor, TargetScale, target_need
from firmware_sim.repair import KEEPS, Repair
from firmware_sim.streams import Row
from firmware_sim.supervision import Supervision

_ROW_ITEM = np.dtype(np.float64).itemsize


#: What became of a row: its score, or why it was not learned.
Outcome = float | Exception


class Device:
    """What would be flashed: it turns rows of readings and labels into scores.

    Parameters
    ----------
    config : ReplayConfig
        Scaling, algorithm, cap, and how the cap is enforced.
    n_features : int
        Readings in a row.
    kernel : object
        A kernel of `edgeolk`; see `make_kernel`.

    Attributes
    ----------
    raw : ndarray of float64
        The row buffer the stream writes to.
    layout : Layout
        What lies where.
    plan : edgeolk plan
        The learner's own.
    scaler : RunningScaler or None
        What scales the readings, where they are scaled.
    repair : Repair or None
        What stands in for absent readings, where something does.
    supervision : Supervision
        What gives the learner its labels.
    is_regression : bool
        Whether it learns real numbers.
    block : int
        Rows taken before they have to be learned.
    """

    block = 1

    def __init__(self, config: ReplayConfig, n_features: int, kernel: Any) -> None:
        self.layout, self.plan = plan_device(config, n_features, kernel)
        self.is_regression = config.is_regression
        self._memory = DeviceMemory(self.layout)
        self._leak = config.leak
        self._leaked = 0
        self.raw: Row = np.frombuffer(self._memory.view("raw row"), dtype=np.float64)
        self._scaled = self.raw
        self.scaler = None
        if config.scale != "none":
            self._scaled = np.frombuffer(self._memory.view("scaled row"), dtype=np.float64)
            self.scaler = ek.RunningScaler(
                n_features,
                method=config.scale,
                freeze_after=config.freeze_after,
                buffer=self._memory.view("scaler"),
            )
        self._targets = None
        if self.is_regression:
            self._targets = TargetScale(self._memory.view("target scaler"))
        self.repair = None
        if config.missing in KEEPS:
            self.repair = Repair(config.missing, n_features, self._memory.view("repair"))
        queue = self._memory.view("label queue") if config.queue_rows else None
        self.supervision = Supervision(config, n_features, queue)
        self._budget = self.plan.budget
        settings = learner_settings(config, kernel, self._budget)
        self._build(config, n_features, settings)

    def _build(self, config: ReplayConfig, n_features: int, settings: dict[str, Any]) -> None:
        if self._leak and not self._memory.guarded:
            raise SimulatorError(f"no leak can be caught here: {self._memory.enforcement}")
        if config.dtype == "int8" and config.scale == "minmax":
            settings = {**settings, "feature_range": (0.0, 1.0)}
        try:
            self.learner = ek.Learner(
                n_features=n_features, buffer=self._memory.view("learner"), **settings
            )
        except (TypeError, ValueError) as error:
            raise SimulatorError(str(error)) from None
        self._pupil: Any = self.learner
        if self._targets is not None:
            self._pupil = Regressor(self.learner, self._targets)
        self._held: list[tuple[float, int, float] | Exception] = []

    @property
    def enforcement(self) -> str:
        """How the cap is enforced, in words."""
        return self._memory.enforcement

    @property
    def peak_resident(self) -> int | None:
        """Peak resident bytes of the learner's own process, where it has one."""
        return None

    def put(self, label: float, number: int = 0, seconds: float = math.nan) -> None:
        """Scale the row in `raw` and take it in.

        Parameters
        ----------
        label : float
            Its label.
        number : int
            Its place in the stream.
        seconds : float
            When it was taken.
        """
        try:
            self.scale()
        except ValueError as error:
            self._held.append(error)
        else:
            self._held.append((label, number, seconds))

    def scale(self) -> Row:
        """Scale the row in `raw`, learning from it; return the row buffer of scaled readings.

        Raises
        ------
        ValueError
            A reading is beyond what can be scaled.
        """
        if self.scaler is not None:
            self.scaler.learn_transform_one(self.raw, self._scaled)
        return self._scaled

    def settle(self) -> list[Outcome]:
        """Learn what was taken in.

        Returns
        -------
        list of float or Exception
            For each row its score from before the update, or why it was refused: a ValueError for a
            bad row; a RuntimeError, after which nothing more was learned, where the ring is full
            and says so.

        Raises
        ------
        BeyondCapError
            The learner took memory it may not have.
        """
        if self._leak:
            self._memory.write_beyond(self._leaked, self._leak)
            self._leaked += self._leak
        held, self._held = self._held, []
        return [self._learn(one) for one in held]

    def _learn(self, one: tuple[float, int, float] | Exception) -> Outcome:
        if isinstance(one, Exception):
            return one
        try:
            return self.supervision.step(self._pupil, self._scaled, *one)
        except SimulatorError:
            raise
        except (RuntimeError, ValueError) as error:
            return error

    def counters(self) -> dict[str, int]:
        """Budget, bytes and counters of the learner."""
        names = ("budget", "n_support", "updates", "mistakes", "steps", "nbytes")
        return {name: int(getattr(self.learner, name)) for name in names}

    def close(self) -> None:
        """End what the device has running."""


class SplitDevice(Device):
    """A device whose learner lives in a process of its own, under a limit on growth.

    Row buffer and scaler stay here, in the block; the learner's part of the block is not used.
    """

    block = BLOCK

    def _build(self, config: ReplayConfig, n_features: int, settings: dict[str, Any]) -> None:
        self._rows = np.empty((BLOCK, n_features))
        self._labels = np.empty(BLOCK)
        self._waiting: list[tuple[float, float] | Exception] = []  # how to read the score
        self._process = ProcessLearner(n_features, settings, config.limit_by, config.leak)
        self._counters = dict.fromkeys(COUNTERS, 0)

    @property
    def enforcement(self) -> str:
        """How the cap is enforced, in words."""
        why = f" ({self._process.reasons})" if self._process.reasons else ""
        return f"{self._process.limit} on the growth of the learner's process{why}"

    @property
    def peak_resident(self) -> int | None:
        """Peak resident bytes of the learner's process."""
        return self._process.peak

    def put(self, label: float, number: int = 0, seconds: float = math.nan) -> None:
        """Scale the row in `raw` and keep a copy for the next block."""
        n = sum(not isinstance(one, Exception) for one in self._waiting)
        try:
            self.scale()
        except ValueError as error:
            self._waiting.append(error)
            return
        scale = (0.0, 1.0)
        if self._targets is not None:
            scale = self._targets.present
            label = self._targets.learn(label)
        self._waiting.append(scale)
        self._rows[n] = self._scaled
        self._labels[n] = label

    def settle(self) -> list[Outcome]:
        """Have the process learn the block; see `Device.settle`."""
        waiting, self._waiting = self._waiting, []
        n = sum(not isinstance(one, Exception) for one in waiting)
        learned: list[Outcome] = []
        while len(learned) < n:
            at = len(learned)
            scores, message = self._process.learn(self._rows[at:n], self._labels[at:n])
            learned += scores
            kind, _, text = message.partition(":")
            if kind == "stop":
                learned.append(RuntimeError(text))
                break
            if kind:
                learned.append(ValueError(text))
        if n:
            self._counters = self._process.counters()
        out: list[Outcome] = []
        answers = iter(learned)
        for one in waiting:
            if isinstance(one, Exception):
                out.append(one)
                continue
            answer = next(answers, None)
            if answer is None:  # behind a stop
                break
            out.append(answer if isinstance(answer, Exception) else one[0] + one[1] * float(answer))
        return out

    def counters(self) -> dict[str, int]:
        """Budget, bytes and counters of the learner, as last heard of."""
        nbytes = self.layout.part("learner").nbytes
        return {"budget": self._budget, "nbytes": nbytes, **self._counters}

    def close(self) -> None:
        """End the process."""
        self._process.close()


def make_device(config: ReplayConfig, n_features: int, kernel: Any) -> Device:
    """Return the device that enforces its cap as the configuration says."""
    kind = SplitDevice if config.enforce == "process" else Device
    return kind(config, n_features, kernel)


def learner_settings(config: ReplayConfig, kernel: Any, budget: int) -> dict[str, Any]:
    """Return what a learner is built with, besides the number of features and its memory."""
    return {
        "algorithm": config.algorithm,
        "budget": budget,
        "kernel": kernel,
        "dtype": config.dtype,
        "seed": config.seed,
        **config.params,
    }


def plan_device(config: ReplayConfig, n_features: int, kernel: Any) -> tuple[Layout, Any]:
    """Work out what lies where, building nothing that stays.

    Returns
    -------
    layout : Layout
        Every part and region under the cap.
    plan : edgeolk plan
        The learner's own plan, with its budget.

    Raises
    ------
    DoesNotFitError
        The parts do not fit the cap.
    SimulatorError
        `edgeolk` refuses the algorithm or one of its parameters.
    """
    row = n_features * _ROW_ITEM
    needs = [Need("raw row", row, "readings as they come from the sensors, float64")]
    if config.scale != "none":
        scaler = ek.RunningScaler.plan(n_features, method=config.scale)
        needs += [
            Need("scaled row", row, "readings as the learner sees them, float64"),
            Need("scaler", scaler.nbytes, f"{config.scale} scaling", _regions(scaler)),
        ]
    if config.missing in KEEPS:
        what = {"last": "last values", "mean": "means and counts"}[config.missing]
        nbytes = Repair.nbytes(config.missing, n_features)
        needs.append(Need("repair", nbytes, f"{what}, which stand in for absent readings"))
    if config.queue_rows:
        nbytes = Supervision.nbytes(config, n_features)
        what = f"{config.queue_rows:,} rows that wait for their label"
        needs.append(Need("label queue", nbytes, what))

    def plan_learner(**size: Any) -> Any:
        return ek.plan(
            config.algorithm,
            n_features=n_features,
            kernel=kernel,
            dtype=config.dtype,
            **size,
            **config.params,
        )

    if config.is_regression:
        needs.append(target_need())
    plan = memory.fit_learner(config.cap_bytes, needs, plan_learner, config.budget)
    purpose = f"{config.algorithm}, at most {plan.budget} support vectors"
    needs.append(Need("learner", plan.nbytes, purpose, _regions(plan)))
    return memory.lay_out(config.cap_bytes, needs), plan


def make_kernel(
    config: ReplayConfig, n_features: int, prefix: Any
) -> tuple[Any, width.Width | None]:
    """Return the kernel, and the width with the reason for it where the kernel has one.

    Parameters
    ----------
    config : ReplayConfig
        Kernel name and its parameters.
    n_features : int
        Readings in a row.
    prefix : callable
        Gives the scaled first rows; called only where a width is chosen from them.
    """
    if config.kernel == "linear":
        return ek.Linear(), None
    if config.gamma is not None:
        chosen = width.given(config.gamma)
    elif config.kernel in ("gaussian", "laplacian"):
        norm = "manhattan" if config.kernel == "laplacian" else "squared euclidean"
        chosen = width.choose(prefix(), norm=norm)
    else:
        # The inner product of two scaled rows grows with their length: this keeps it near 1.
        gamma = 1.0 / n_features
        chosen = width.Width(gamma, 0, f"gamma {gamma:.4g}: 1 / number of readings")
    try:
        if config.kernel == "gaussian":
            return ek.Gaussian(chosen.gamma), chosen
        if config.kernel == "laplacian":
            return ek.Laplacian(chosen.gamma), chosen
        if config.kernel == "polynomial":
            return ek.Polynomial(config.degree, chosen.gamma, config.offset), chosen
        return ek.Sigmoid(chosen.gamma, config.offset), chosen
    except (TypeError, ValueError) as error:
        raise SimulatorError(str(error)) from None


def scaled_prefix(config: ReplayConfig, rows: Row) -> Row:
    """Return the first rows as a scaler that has seen them all would scale them.

    The scaler of a running device has seen only the rows before; with all of them its first
    rows, scaled by almost nothing, do not blur the distances.
    """
    if config.scale == "none" or len(rows) == 0:
        return rows
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
