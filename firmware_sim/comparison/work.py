"""One run: one method, one cap, one seed."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.comparison import groups
from firmware_sim.comparison.evaluators import Evaluator
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.values import RECOMMENDED
from firmware_sim.errors import DoesNotFitError, SimulatorError
from firmware_sim.metrics.base import Figures, finite
from firmware_sim.metrics.batch import Batch, Records
from firmware_sim.replaying.loop import Replay
from firmware_sim.streams import Row
from firmware_sim.streams.stream import Groups

#: The name of the learner that `replay` runs by default.
DEFAULT = "default"
#: Fields of the outcome of a method whose errors grow without bound.
_DIVERGED: dict[str, Any] = {
    "status": "refused", "detail": "its predictions diverge", "loss": 0.0, "figures": {},
    "blocks": [],
}  # fmt: skip
#: Rows from which it is determined whether a method draws random numbers.
FEW = 1_000


@dataclass(frozen=True)
class Run:
    """A run: method, cap and seed."""

    algorithm: str  # a name, or `DEFAULT`
    ram: int
    seed: int

    @property
    def key(self) -> str:
        """The name of the run, unique in a comparison."""
        return f"{self.algorithm} {self.ram} {self.seed}"


@dataclass(frozen=True)
class Outcome(Run):
    """The result of a run."""

    #: "done"; "small": the method does not fit the cap; "slow": it exceeded the time limit;
    #: "refused": it refuses the rows
    status: str
    loss: float = 0.0  # mean loss of its answers
    rows: int = 0
    budget: int = 0  # maximum number of support vectors
    nbytes: int = 0  # bytes of everything under the cap
    seconds: float = 0.0  # processor time
    detail: str = ""  # why it is not finished
    smallest: int = 0  # the smallest cap that fits, if this one does not
    figures: Figures = field(default_factory=dict)  # all figures of its metrics, if it is finished
    blocks: list[float] = field(default_factory=list)  # its mean losses over stretches of rows
    #: rows until its loss is close to its later level, for each change; None for never
    recovery: list[int | None] = field(default_factory=list)
    #: of the default, on the rows after its first ones: its loss if frozen, and with learning
    frozen: list[float] | None = None


def default_of(config: ReplayConfig) -> ReplayConfig:
    """Return the default configuration of `replay` on the same stream and device.

    Raises SimulatorError: it contradicts the other options.
    """
    params = {"n_classes": config.params["n_classes"]} if "n_classes" in config.params else {}
    kind = config.resolved.kind
    return replace(config, algorithm="", params=params, kind=kind, gamma=None, budget=None)


def config_of(run: Run, config: ReplayConfig, gamma: float) -> ReplayConfig:
    """Return the configuration of a run.

    config: the other options; its algorithm, cap and seed are replaced.
    gamma: width of the kernel; the default chooses its own.
    Raises SimulatorError: the method contradicts the other options.
    """
    mine = replace(config, ram=run.ram, seed=run.seed)
    if run.algorithm == DEFAULT:
        return default_of(mine)
    return replace(mine, algorithm=run.algorithm, gamma=gamma)


class EndedError(Exception):
    """A replay that ended early: its `Outcome.status`, and why."""

    def __init__(self, status: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Recording:
    """The records of a replay, which ends early if the learner refuses a row.

    max_rows: rows of the stream.
    seconds: limit of the processor time.
    rows, spent: rows learned and processor time so far.
    """

    def __init__(self, max_rows: int, seconds: float = math.inf) -> None:
        self._most, self._seconds = max_rows, seconds
        # Time of this thread: the frozen learner answers in another one, which does not count.
        self._began = time.thread_time()
        self._parts: list[Records] = []
        self.rows, self.spent = 0, 0.0

    def take(self, found: Batch) -> None:
        """Add the outcome of some rows.

        Raises EndedError: a row was refused, or the time limit is exceeded.
        """
        for error in [*found.reasons.values(), *filter(None, [found.stopped])]:
            raise EndedError("refused", str(error))
        self._parts.append(found.rows)
        self.rows += len(found.rows)
        self.spent = time.thread_time() - self._began
        if self.spent >= self._seconds and self.rows < self._most:
            detail = f"{self.rows:,} of {self._most:,} rows in {self._seconds:g} s"
            raise EndedError("slow", detail)

    @property
    def records(self) -> Records:
        """All records."""
        return np.concatenate(self._parts)


def do(
    run: Run, evaluator: Evaluator, config: ReplayConfig, gamma: float, seconds: float
) -> Outcome:
    """Run one method and return its result.

    run: method, cap and seed.
    evaluator: rows and labels.
    config: the other options.
    gamma: width of the kernel.
    seconds: limit of the processor time.
    """
    named = run.algorithm != DEFAULT
    try:
        replay = Replay(evaluator.config_for(config_of(run, config, gamma)))
    except DoesNotFitError as error:
        small: dict[str, Any] = {"detail": str(error), "smallest": error.smallest}
        return Outcome(**asdict(run), status="small", **small)
    except SimulatorError as error:
        return Outcome(**asdict(run), status="refused", detail=str(error))
    device = {"budget": replay.device.plan.budget, "nbytes": replay.device.layout.end}
    if evaluator.groups is not None:
        return Outcome(**asdict(run), **device, **_by_group(replay, evaluator.groups, seconds))
    recorded = Recording(len(evaluator.y), seconds)
    found: dict[str, Any] = {"status": "done"}
    try:
        result = replay.run(on_result=recorded.take, beside_clean=not named, ranked=False)
        records, frozen = evaluator.judged(recorded.records), result.frozen
        found |= {
            "loss": result.metrics.mean_loss("learner"),
            "figures": finite(result.metrics.summary()["learner"]),
            "blocks": evaluator.blocks(records).get("learner", []),
            "recovery": evaluator.recovery(records),
        }
        if frozen is not None and np.isfinite([frozen.loss, frozen.learner]).all():
            found["frozen"] = [frozen.loss, frozen.learner]
        if not np.isfinite(found["loss"]):
            found |= _DIVERGED
    except EndedError as error:
        found = {"status": error.status, "detail": str(error)}
    return Outcome(
        **asdict(run),
        **device,
        rows=recorded.rows,
        seconds=round(recorded.spent, 3),
        **found,
    )


def _by_group(replay: Replay, known: Groups, seconds: float) -> dict[str, Any]:
    """Return the fields of the outcome of a method that answers each group without learning it."""
    began = time.thread_time()
    try:
        held, n = groups.measured(replay, known, seconds)
    except SimulatorError as error:
        return {"status": "refused", "detail": str(error)}
    spent = {"seconds": round(time.thread_time() - began, 3)}
    if held is None:
        detail = f"{n:,} of {len(known.names):,} groups in {seconds:g} s"
        return {"status": "slow", "detail": detail, **spent}
    found = {"status": "done", **groups.figures(held), **spent}
    return found if np.isfinite(found["loss"]) else {**found, **_DIVERGED}


def goes(algorithm: str, config: ReplayConfig, n_features: int) -> bool:
    """Whether a method supports the kind of labels."""
    try:
        mine = replace(config, algorithm=algorithm, stream="", dtype="")
        own = mine.learner_params
        ek.Config(algorithm, n_features=n_features, budget=64, dtype=mine.resolved.dtype, **own)
    except (SimulatorError, TypeError, ValueError):
        return False
    return True


def draws(algorithm: str, few: Row, labels: Row, config: ReplayConfig, gamma: float) -> bool:
    """Whether the method draws random numbers: whether two seeds differ on the first rows.

    few: the first rows, scaled.
    labels: random labels, so that a small ring is soon full and its policy has to draw.
    """
    if algorithm == DEFAULT:
        algorithm = RECOMMENDED
    for budget in (8, 64):  # some methods refuse the small budget
        try:
            mine = replace(config, algorithm=algorithm, stream="")
            own, dtype = {**mine.learner_params}, mine.resolved.dtype
            own.pop("horizon", None)  # rows are learned at once here
            scores = {"n_features": few.shape[1], "kernel": ek.Gaussian(gamma), **own}
            with warnings.catch_warnings():  # predictions may diverge
                warnings.simplefilter("ignore", UserWarning)
                first, second = (
                    ek.Learner(
                        algorithm, budget=budget, dtype=dtype, seed=seed, **scores
                    ).learn_many(few, labels)
                    for seed in (0, 1)
                )
        except (RuntimeError, SimulatorError, ValueError, TypeError):
            continue
        return not np.array_equal(first, second)
    return False
