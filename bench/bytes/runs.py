"""Runs of the frontier: a job in, its error and bytes out."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

import numpy as np

import edgeolk as ek
from bench.bytes.grid import Job, costs
from bench.bytes.sets import SPECS, load
from bench.cases import Cases, Record
from bench.timing import timed


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


def do(
    jobs: Sequence[Job],
    cases: Cases,
    processes: int,
    tick: Callable[[], object],
    call: Callable[[Job], Record],
) -> int:
    """Run the jobs that are not stored; return how many could not be run."""
    pending = [job for job in jobs if cases.get(job.key) is None]
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
                cases.add(job.key, future.result())
            except (TypeError, ValueError) as error:  # it holds no such learner, or it diverged
                cases.add(job.key, {"refused": str(error)})
            except (ArithmeticError, RuntimeError) as error:
                failed += 1
                print(f"\n{job.data} {job.name}: {error}", file=sys.stderr)
            tick()
    return failed
