"""Runs of the frontier: a job in, its error and bytes out."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from typing import Any

import numpy as np

import edgeolk as ek
from bench.bytes.grid import Job, costs, record
from bench.bytes.others import run_other
from bench.bytes.sets import SPECS, Rows, gamma_of, load
from bench.cache import Cache, Record
from bench.timing import timed


def learner_of(job: Job, X: Rows) -> ek.Learner:
    """The learner of a job, its kernel as wide as the set says."""
    kernel = ek.Linear() if job.width == 0.0 else ek.Gaussian(job.width * gamma_of(X))
    options = {"seed": 1, **job.options}
    return ek.Learner(job.name, n_features=X.shape[1], kernel=kernel, scale=None, **options)


def learned(data: str, rows: int, seed: int, **options: Any) -> tuple[ek.Learner, float, float]:
    """Learn the first rows of a set as they come, each scored before it is learned.

    Returns the learner, its error in % and seconds of processor time.

    Raises
    ------
    ValueError
        So few bytes hold no such learner.
    """
    spec = SPECS[data]
    X, y = load(data, rows, raw=True)
    made: dict[str, Any] = {"n_classes": spec.classes} if spec.task == "classes" else {}
    if spec.task == "regression":
        made = {"loss": "square"}
        y = (y - y.mean()) / y.std()
    learner = ek.Learner(n_features=X.shape[1], seed=seed, **made, **options)
    answers, seconds = timed(lambda: learner.learn_many(X, y))
    return learner, 100.0 * float(np.mean(costs(spec.task, answers, y))), seconds


def run(job: Job) -> Record:
    """Learn a set once, row by row, each row scored before it is learned."""
    if not job.nbytes:
        return run_other(job)
    task = SPECS[job.data].task
    X, y = load(job.data, job.rows)
    if task == "regression":
        # Ours finds the scale of the targets on the way; the others could not do without.
        y = (y - y.mean()) / y.std()
    learner = learner_of(job, X)
    answers, seconds = timed(lambda: learner.learn_many(X, y))
    return record(task, answers, y, learner.nbytes, seconds)


def do(
    jobs: Sequence[Job],
    cache: Cache,
    processes: int,
    tick: Callable[[], object],
    call: Callable[[Job], Record] = run,
    again: str = "",
) -> int:
    """Run what the cache does not have, and the learner named ``again``.

    Returns how many could not be run.
    """
    pending = [job for job in jobs if job.name == again or cache.get(job.key) is None]
    for _ in range(len(jobs) - len(pending)):
        tick()
    if not pending:
        return 0
    failed = 0
    # A fresh interpreter each: one core a worker, whatever libraries were loaded here.
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=processes, mp_context=fresh) as pool:
        futures = {pool.submit(call, job): job for job in pending}
        for future in as_completed(futures):
            job = futures[future]
            try:
                cache.add(job.key, asdict(job), future.result())
            except (TypeError, ValueError) as error:  # it holds no such learner, or it diverged
                cache.add(job.key, asdict(job), {"refused": str(error)})
            except (ArithmeticError, RuntimeError) as error:
                failed += 1
                print(f"\n{job.data} {job.name}: {error}", file=sys.stderr)
            tick()
    return failed
