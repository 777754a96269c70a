"""One run: one method, one cap, one seed."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.comparison.evaluators import Evaluator
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.values import RECOMMENDED
from firmware_sim.errors import DoesNotFitError, SimulatorError
from firmware_sim.metrics.base import Figures, finite
from firmware_sim.replaying.loop import Replay
from firmware_sim.streams import Row
from firmware_sim.tasks.learning import LearnResult

#: The name of the run of what `replay` runs where no algorithm is named.
DEFAULT = "default"
#: Rows by which methods that draw random numbers are told from others.
FEW = 1_000


@dataclass(frozen=True)
class Run:
    """What is to be run."""

    algorithm: str  # a name, or `DEFAULT`
    ram: int
    seed: int

    @property
    def key(self) -> str:
        """Name of the run among all of a comparison."""
        return f"{self.algorithm} {self.ram} {self.seed}"


@dataclass(frozen=True)
class Outcome(Run):
    """What came of a run."""

    #: learned to the end, the method does not fit the cap, it took longer than it may, or it
    #: refuses the rows. {"done", "small", "slow", "refused"}
    status: str
    loss: float = 0.0  # mean loss of its answers, as the kind of labels has it
    rows: int = 0
    budget: int = 0  # support vectors at most
    nbytes: int = 0  # bytes of everything under the cap
    seconds: float = 0.0  # processor time
    detail: str = ""  # why it is not done
    figures: Figures = field(default_factory=dict)  # all that its metrics tell, where it is
    blocks: list[float] = field(default_factory=list)  # its losses over stretches of rows
    #: rows until its answers were as good again as later, for each change; None for never
    recovery: list[int | None] = field(default_factory=list)
    #: of the default, behind its first rows: its loss if frozen after them, and as it went on
    frozen: list[float] | None = None


def default_of(config: ReplayConfig) -> ReplayConfig:
    """Return what `replay` runs on the same stream and device where no algorithm is named.

    Raises SimulatorError: it does not go with the other options.
    """
    params = {"n_classes": config.params["n_classes"]} if "n_classes" in config.params else {}
    kind = config.resolved.kind
    return replace(config, algorithm="", params=params, kind=kind, gamma=None, budget=None)


def config_of(run: Run, config: ReplayConfig, gamma: float) -> ReplayConfig:
    """Return the replay of a run.

    config: with another algorithm, cap and seed.
    gamma: width of the kernel; the default has its own.
    Raises SimulatorError: the method does not go with the other options.
    """
    mine = replace(config, ram=run.ram, seed=run.seed)
    if run.algorithm == DEFAULT:
        return default_of(mine)
    return replace(mine, algorithm=run.algorithm, gamma=gamma)


class EndedError(Exception):
    """A replay that did not go to the end: its `Outcome.status`, and why."""

    def __init__(self, status: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Answers:
    """What a learner said to the rows of a replay, which ends where it refuses one.

    kind: the kind of labels.
    most: rows there are.
    seconds: processor time it may take.
    rows, spent: rows learned and processor time so far.
    """

    def __init__(self, kind: str, max_rows: int, seconds: float = math.inf) -> None:
        self._kind, self._most, self._seconds = kind, max_rows, seconds
        # Of this thread: that of a frozen twin, which answers in its own, does not count.
        self._began = time.thread_time()
        self._said: list[Row] = []
        self.rows, self.spent = 0, 0.0

    def take(self, found: LearnResult) -> None:
        """Take in what became of rows.

        Raises EndedError: a row was refused, or it takes too long.
        """
        for error in [*found.refused.values(), *filter(None, [found.stopped])]:
            raise EndedError("refused", str(error))
        both = self._kind == "novelty"
        self._said.append(np.column_stack((found.scores, found.levels)) if both else found.scores)
        self.rows += len(found.scores)
        self.spent = time.thread_time() - self._began
        if self.spent >= self._seconds and self.rows < self._most:
            detail = f"{self.rows:,} of {self._most:,} rows in {self._seconds:g} s"
            raise EndedError("slow", detail)

    @property
    def whole(self) -> Row:
        """All answers, as an evaluator of the kind takes them."""
        return np.concatenate(self._said)


def do(
    run: Run, evaluator: Evaluator, config: ReplayConfig, gamma: float, seconds: float
) -> Outcome:
    """Do one run.

    run: method, cap and seed.
    evaluator: rows and labels.
    config: with that algorithm, cap and seed.
    gamma: width of the kernel.
    seconds: processor time it may take.
    """
    named = run.algorithm != DEFAULT
    try:
        replay = Replay(evaluator.config_for(config_of(run, config, gamma)))
    except DoesNotFitError as error:
        return Outcome(**asdict(run), status="small", detail=str(error))
    except SimulatorError as error:
        return Outcome(**asdict(run), status="refused", detail=str(error))
    answers = Answers(config.resolved.kind, len(evaluator.y), seconds)
    found: dict[str, Any] = {"status": "done"}
    try:
        result = replay.run(on_taught=answers.take, beside_clean=not named, ranked=False)
        scores, frozen = answers.whole, result.frozen
        found |= {
            "loss": result.metrics.mean_loss("learner"),
            "figures": finite(result.metrics.summary()["learner"]),
            "blocks": evaluator.blocks(scores).get("learner", []),
            "recovery": evaluator.recovery(scores),
        }
        if frozen is not None and np.isfinite([frozen.loss, frozen.learner]).all():
            found["frozen"] = [frozen.loss, frozen.learner]
        if not np.isfinite(found["loss"]):
            found |= {"status": "refused", "detail": "its predictions diverge"}
            found |= {"loss": 0.0, "figures": {}}
    except EndedError as error:
        found = {"status": error.status, "detail": str(error)}
    return Outcome(
        **asdict(run),
        rows=answers.rows,
        budget=replay.device.plan.budget,
        nbytes=replay.device.layout.end,
        seconds=round(answers.spent, 3),
        **found,
    )


def goes(algorithm: str, config: ReplayConfig, n_features: int) -> bool:
    """Whether a method is for the kind of labels."""
    try:
        mine = replace(config, algorithm=algorithm, stream="", dtype="")
        own = mine.learner_params
        ek.Config(algorithm, n_features=n_features, budget=64, dtype=mine.resolved.dtype, **own)
    except (SimulatorError, TypeError, ValueError):
        return False
    return True


def draws(algorithm: str, few: Row, labels: Row, config: ReplayConfig, gamma: float) -> bool:
    """Whether the method draws random numbers: two seeds differ on the first rows.

    few: these, scaled.
    labels: drawn ones, so that a small ring is soon full and whatever is drawn then is drawn.
    """
    if algorithm == DEFAULT:
        algorithm = RECOMMENDED
    for budget in (8, 64):  # some methods refuse so small a one
        try:
            mine = replace(config, algorithm=algorithm, stream="")
            own, dtype = mine.learner_params, mine.resolved.dtype
            scores = {"n_features": few.shape[1], "kernel": ek.Gaussian(gamma), **own}
            with warnings.catch_warnings():  # of predictions that run away
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
