"""One run of the frontier: a job in, its error and bytes out."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from bench.bytes.grid import Job
from bench.bytes.sets import SPECS, Rows, gamma_of, load

Record = dict[str, Any]
#: The share of the rows that parameters are chosen on.
PREFIX = 0.2


def costs(task: str, answers: NDArray[Any], y: Rows) -> Rows:
    """What each row counts: 1 for an error; in regression its square over the variance of y."""
    if task == "regression":
        return np.asarray((y - answers) ** 2 / np.var(y))
    return np.asarray((answers if task == "classes" else y * answers) <= 0.0, dtype=float)


def record(task: str, answers: NDArray[Any], y: Rows, nbytes: int, seconds: float) -> Record:
    """Errors in %: of all rows, and of the first ones."""
    lost = 100.0 * costs(task, answers, y)
    first = max(1, int(PREFIX * len(y)))
    return {
        "error": float(np.mean(lost)),
        "prefix": float(np.mean(lost[:first])),
        "rest": float(np.mean(lost[first:])),
        "nbytes": nbytes,
        "rows": len(y),
        "seconds": seconds,
    }


def learner_of(job: Job, X: Rows) -> ek.Learner:
    """The learner of a job, its kernel as wide as the set says."""
    kernel = ek.Linear() if job.width == 0.0 else ek.Gaussian(job.width * gamma_of(X))
    return ek.Learner(job.name, n_features=X.shape[1], kernel=kernel, seed=1, **job.options)


def run(job: Job) -> Record:
    """Learn a set once, row by row, each row scored before it is learned."""
    if not job.nbytes:
        from bench.bytes.others import run_other

        return run_other(job)
    task = SPECS[job.data].task
    X, y = load(job.data, job.rows)
    if task == "regression":
        # Ours finds the scale of the targets on the way; the others could not do without.
        y = (y - y.mean()) / y.std()
    learner = learner_of(job, X)
    start = time.process_time()
    answers = learner.learn_many(X, y)
    seconds = time.process_time() - start
    return record(task, answers, y, learner.nbytes, seconds)
