"""One run: one method, one cap, one seed."""

from __future__ import annotations

import time
import warnings
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

import edgeolk as ek
from edgeolk.configuration.config import settings_of
from firmware_sim.comparison.evaluators import Evaluator
from firmware_sim.config import ReplayConfig
from firmware_sim.configuration.choices import RECOMMENDED
from firmware_sim.device.planning import learner_settings, make_learner, plan_device
from firmware_sim.errors import DoesNotFitError, SimulatorError
from firmware_sim.metrics.base import Figures, finite
from firmware_sim.streams import Row
from firmware_sim.tasks.frozen import FrozenForecaster

#: The name of the run of what `replay` runs where no algorithm is named.
DEFAULT = "default"
#: Rows learned between two looks at the clock.
_CHUNK = 500
#: Bytes that a block may lie behind the start of its memory.
_ALIGNED = 64


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


def default_of(config: ReplayConfig, dtype: str = "") -> ReplayConfig:
    """Return what `replay` runs on the same stream and device where no algorithm is named.

    dtype: of its weights; by default its own.
    Raises SimulatorError: it does not go with the other options.
    """
    params = {"n_classes": config.params["n_classes"]} if "n_classes" in config.params else {}
    return replace(config, algorithm="", params=params, gamma=None, dtype=dtype, budget=None)


def do(
    run: Run, evaluator: Evaluator, config: ReplayConfig, gamma: float, seconds: float
) -> Outcome:
    """Do one run.

    run: method, cap and seed.
    evaluator: scaled rows and labels.
    config: with that algorithm, cap and seed.
    gamma: width of the kernel.
    seconds: processor time it may take.
    """
    # float32 is the default for support vectors; an algorithm with weights keeps its own default.
    own = "" if config.dtype == "float32" else config.dtype
    base = replace(config, ram=run.ram, seed=run.seed, stream="")
    named = run.algorithm != DEFAULT
    mine = replace(base, algorithm=run.algorithm, dtype=own) if named else default_of(base, own)
    evaluator = evaluator.for_learner_of(mine)
    kernel = None if mine.chooses_inside else ek.Gaussian(gamma)
    X = evaluator.X
    try:
        layout, plan = plan_device(mine, X.shape[1], kernel)
        learner = make_learner(X.shape[1], learner_settings(mine, kernel, plan))
    except DoesNotFitError as error:
        return Outcome(**asdict(run), status="small", detail=str(error))
    except SimulatorError as error:
        return Outcome(**asdict(run), status="refused", detail=str(error))
    began = time.process_time()
    answers, learned, status, detail = _learned(learner, evaluator, seconds)
    spent = time.process_time() - began
    found: dict[str, Any] = {}
    if status == "done":
        metrics = evaluator.judged(answers)
        found = {
            "loss": metrics.mean_loss("learner"),
            "figures": finite(metrics.summary()["learner"]),
            "blocks": evaluator.blocks(answers).get("learner", []),
            "recovery": evaluator.recovery(answers),
        }
        if not named:
            memory = bytearray(plan.nbytes + _ALIGNED)
            settings = learner_settings(mine, kernel, plan)
            twin = make_learner(X.shape[1], settings, buffer=memory)
            found["frozen"] = _frozen(twin, memory, evaluator, answers, config.frozen_after)
        if not np.isfinite(found["loss"]):
            status, detail = "refused", "its predictions diverge"
            found |= {"loss": 0.0, "figures": {}}
    return Outcome(
        **asdict(run),
        status=status,
        rows=learned,
        budget=plan.budget,
        nbytes=layout.end,
        seconds=round(spent, 3),
        detail=detail,
        **found,
    )


def _frozen(
    twin: Any, memory: bytearray, evaluator: Evaluator, answers: Row, after: int
) -> list[float] | None:
    """Return the loss of a learner frozen after the first rows, and of the one that went on.

    memory: what the twin lies in.
    """
    forecasts = settings_of(twin.config).forecasts
    if not 0 < after < len(answers) or answers.ndim > 1:
        return None
    if forecasts and twin.parameters["horizon"] > 1:
        return None
    own = answers.copy()
    try:
        evaluator.teach(twin, slice(0, after))
        if forecasts:
            told = FrozenForecaster(bytearray(memory)).answers
            own[after:] = told(evaluator.X[after:], evaluator.y[after:])
        else:
            own[after:] = evaluator.frozen(twin, after)
    except (RuntimeError, ValueError):
        return None
    found = [evaluator.loss(own, after), evaluator.loss(answers, after)]
    return found if np.isfinite(found).all() else None


def _learned(learner: Any, evaluator: Evaluator, seconds: float) -> tuple[Row, int, str, str]:
    """Learn all rows; return the answers, how many were learned, and status and detail."""
    X = evaluator.X
    answers: list[Row] = []
    began, at = time.process_time(), 0
    while at < len(X):
        part = slice(at, min(at + _CHUNK, len(X)))
        try:
            answers.append(evaluator.teach(learner, part))
        except (RuntimeError, ValueError) as error:
            return np.empty(0), at, "refused", str(error)
        at = part.stop
        if time.process_time() - began >= seconds and at < len(X):
            return np.empty(0), at, "slow", f"{at:,} of {len(X):,} rows in {seconds:g} s"
    return np.concatenate(answers), at, "done", ""


def goes(algorithm: str, config: ReplayConfig, n_features: int) -> bool:
    """Whether a method is for the kind of labels."""
    try:
        mine = replace(config, algorithm=algorithm, stream="", dtype="")
        own = mine.learner_params
        ek.Config(algorithm, n_features=n_features, budget=64, dtype=mine.dtype, **own)
    except (SimulatorError, TypeError, ValueError):
        return False
    return True


def draws(algorithm: str, evaluator: Evaluator, config: ReplayConfig, gamma: float) -> bool:
    """Whether the method draws random numbers: two seeds differ on the first rows.

    Their labels are drawn, so that a small ring is soon full and whatever is drawn then is drawn.
    """
    few = evaluator.X[: 2 * _CHUNK]
    labels = evaluator.drawn(len(few))
    if algorithm == DEFAULT:
        algorithm = RECOMMENDED
    for budget in (8, 64):  # some methods refuse so small a one
        try:
            own = replace(config, algorithm=algorithm, stream="").learner_params
            said = {"n_features": few.shape[1], "kernel": ek.Gaussian(gamma), **own}
            with warnings.catch_warnings():  # of predictions that run away
                warnings.simplefilter("ignore", UserWarning)
                first, second = (
                    ek.Learner(
                        algorithm, budget=budget, dtype=config.dtype, seed=seed, **said
                    ).learn_many(few, labels)
                    for seed in (0, 1)
                )
        except (RuntimeError, SimulatorError, ValueError, TypeError):
            continue
        return not np.array_equal(first, second)
    return False
