"""All runs of a comparison, distributed over processes that share rows and configuration."""

from __future__ import annotations

import hashlib
import math
import multiprocessing
import os
import signal
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import edgeolk as ek
from firmware_sim.comparison import models as others
from firmware_sim.comparison.rows import Rows, prepare
from firmware_sim.comparison.work import DEFAULT, FEW, Outcome, Run, do, draws, goes
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.configuration.option import COMPARE
from firmware_sim.configuration.values import RECOMMENDED, canonical, storage_of
from firmware_sim.drawing.shown import Shown
from firmware_sim.errors import SimulatorError
from firmware_sim.metrics.noise import BLOCKS
from firmware_sim.replaying.assumed import completed
from firmware_sim.report.journal import Journal

#: Yields a function's result for each job, with the job's index, in order of completion.
Each = Callable[[Callable[..., Any], Sequence[Any]], Iterator[tuple[int, Any]]]

_shared: list[Any] = []


@dataclass
class Comparison(Shown):
    """The result of a comparison; notebooks show its report.

    Attributes
    ----------
    config : ReplayConfig
        Stream and device.
    rows : Rows
        The rows that every method learned.
    rams : list of int
        The caps.
    outcomes : list of Outcome
        One for each run.
    complete : bool
        Whether all runs are finished.
    """

    _reporter: ClassVar[str] = "firmware_sim.comparison.report"

    config: ReplayConfig
    rows: Rows
    rams: list[int]
    outcomes: list[Outcome]
    complete: bool

    def cell(self, algorithm: str, ram: int) -> Cell:
        """Return the runs of a method under a cap."""
        found = [one for one in self.outcomes if (one.algorithm, one.ram) == (algorithm, ram)]
        return Cell(found)

    def storage(self, algorithm: str) -> str:
        """Return the storage type of a method: its own, unless the configuration has one."""
        return self.config.dtype or storage_of(RECOMMENDED if algorithm == DEFAULT else algorithm)

    def rank(self, name: str) -> list[float]:
        """Return the sort key of a method or baseline: its errors, from the largest cap down."""
        if name in self.rows.baselines:
            return [self.rows.baselines[name]]
        errors = [self.cell(name, ram).error for ram in reversed(self.rams)]
        return [math.inf if error is None else error for error in errors]

    @property
    def algorithms(self) -> list[str]:
        """The methods: the default, then the others by their error under the largest cap."""
        names = dict.fromkeys(one.algorithm for one in self.outcomes)
        return sorted(names, key=lambda name: (name != DEFAULT, self.rank(name)))


@dataclass
class Cell:
    """The runs of one method under one cap."""

    runs: list[Outcome]

    @property
    def done(self) -> bool:
        """Whether every run is finished."""
        return bool(self.runs) and all(run.status == "done" for run in self.runs)

    @property
    def error(self) -> float | None:
        """Mean loss; None if a run is not finished."""
        return statistics.mean(run.loss for run in self.runs) if self.done else None

    @property
    def deviation(self) -> float | None:
        """Standard deviation among seeds; None for a single seed."""
        losses = [run.loss for run in self.runs if self.done]
        return statistics.stdev(losses) if len(losses) > 1 else None

    def means(self, name: str) -> list[Any]:
        """Return the means over all runs of `blocks`, `recovery` or `frozen`, element by element.

        An element is None if it is None in a run. Empty if a run is not finished or lacks them.
        """
        held = [getattr(run, name) for run in self.runs]
        if not self.done or not all(held):
            return []
        together = zip(*held, strict=True)
        return [None if None in found else statistics.mean(found) for found in together]


def compare(
    config: ReplayConfig,
    rams: Sequence[int | str],
    algorithms: Sequence[str] | None = None,
    *,
    models: Mapping[str, Any] | None = None,
    folder: str | Path,
    seeds: int = 3,
    seconds: float = 20.0,
    workers: int | None = None,
    on_start: Callable[[int, int], object] | None = None,
    on_run: Callable[[], object] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Comparison:
    """Run every method under every cap.

    Page: docs/tutorial.md.

    Parameters
    ----------
    config : ReplayConfig
        Stream, scaling, storage type; its cap and algorithm do not matter. A given storage type,
        width and parameters are used for every method. The kind of labels of a named target is
        found as by `replay`.
    rams : sequence of int or str
        The caps.
    algorithms : sequence of str, optional
        The methods; by default all that `edgeolk` has for the kind of labels. The learner that
        `replay` runs by default, ``"default"``, is always included.
    models : mapping of str to object, optional
        Models of other libraries, by name, to stand beside the methods: river's, or scikit-learn's
        with ``partial_fit``. A copy of each answers every row, unscaled, before it learns it. They
        have no cap: the table names the bytes of each at the end. They are run again at each call.
    folder : str or Path
        The results are stored here as runs finish; runs that it already contains are not repeated.
    seeds : int
        Runs of each method that draws random numbers.
    seconds : float
        Processor time a run may take.
    workers : int, optional
        Processes; by default one for each processor. Each of several processes imports the calling
        script, which must therefore call this only under ``if __name__ == "__main__":``.
    on_start, on_run : callable, optional
        Called with the number of runs and of finished runs; called after each run.
    should_stop : callable, optional
        Called after each run; True ends the comparison early.

    Returns
    -------
    Comparison
        All finished runs, including those of earlier calls with the same folder.

    Raises
    ------
    SimulatorError
        A method is unknown, a cap is not a size, or the stream cannot be read.
    """
    caps = sorted({ReplayConfig("", ram=ram).cap_bytes for ram in rams})
    known = [row.name for row in ek.algorithms() if getattr(row, "done", True)]
    names = list(dict.fromkeys(map(canonical, algorithms))) if algorithms else known
    names = [DEFAULT, *(name for name in names if name != DEFAULT)]
    for name in names[1:]:
        if name not in known:
            raise SimulatorError(f"algorithm {name!r} is not one of: {', '.join(known)}")
    config = completed(config)
    others.check(models or {}, config.resolved.kind, config.group)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = prepare(config.outside(), int(config.params.get("season") or 0))
    config, gamma = rows.config, rows.width.gamma
    if not algorithms:
        names = [name for name in names if name == DEFAULT or goes(name, config, rows.X.shape[1])]
    for name, model in (models or {}).items():
        rows.add_model(others.run(name, model, rows.evaluator, rows.features, seconds))
    runs, few = [], rows.X[:FEW]
    drawn = rows.evaluator.kind.drawn(len(few), rows.y)
    for name in names:
        many = seeds if draws(name, few, drawn, config, gamma) else 1
        runs += [Run(name, ram, seed) for ram in caps for seed in range(many)]
    runs.sort(key=lambda run: -run.ram)  # the longest first, so that no process waits at the end
    results = Journal(folder / "runs.jsonl", _mark(config, rows, seconds))
    try:
        found = {one.key: one for one in results.read(lambda signature: Outcome(**signature))}
        missing = [run for run in runs if run.key not in found]
        if on_start is not None:
            on_start(len(runs), len(runs) - len(missing))
        many = min(workers or os.cpu_count() or 1, max(1, len(missing)))
        shared = rows.evaluator, replace(config, stream="", faults=()), gamma, seconds
        with spread(many, *shared, should_stop=should_stop) as each:
            for _, outcome in each(do, missing):
                results.add(asdict(outcome))
                found[outcome.key] = outcome
                if on_run is not None:
                    on_run()
    finally:
        results.close()
    outcomes = [found[run.key] for run in runs if run.key in found]
    return Comparison(config, rows, caps, outcomes, len(outcomes) == len(runs))


def _mark(config: ReplayConfig, rows: Rows, seconds: float) -> str:
    """Return the digest of everything that must be equal for a stored result to be reused."""
    options = [getattr(config, name) for name, one in OPTIONS.items() if one.where >= COMPARE]
    # Not options of a comparison, but fields of a configuration.
    options += [config.label_delay, sorted(config.params.items())]
    evaluator = rows.evaluator
    signature = (rows.mark, options, evaluator.changes, *evaluator.metrics.table, BLOCKS, seconds)
    return hashlib.sha256(repr((ek.__version__, *signature)).encode()).hexdigest()[:16]


@contextmanager
def spread(
    workers: int, *shared: Any, should_stop: Callable[[], bool] = lambda: False
) -> Iterator[Each]:
    """Return a function that calls another one with each job, here or in several processes.

    shared: arguments after the job, sent to each process once.
    should_stop: called between jobs; True ends them early.
    Raises BrokenProcessPool: one of the processes has died.
    """
    if workers == 1:

        def in_turn(function: Callable[..., Any], jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
            for at, job in enumerate(jobs):
                if should_stop():
                    return
                yield at, function(job, *shared)

        yield in_turn
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        workers, mp_context=context, initializer=_begin, initargs=shared
    ) as pool:

        def together(
            function: Callable[..., Any], jobs: Sequence[Any]
        ) -> Iterator[tuple[int, Any]]:
            with _uninterrupted():
                left = {pool.submit(_call, function, job): at for at, job in enumerate(jobs)}
            while left:
                done, _ = wait(left, timeout=0.2, return_when="FIRST_COMPLETED")
                for future in done:
                    yield left.pop(future), future.result()
                if should_stop():
                    pool.shutdown(wait=True, cancel_futures=True)
                    return

        yield together


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Block Ctrl-C for processes started here: the pool would wait for one that it ends."""
    if not hasattr(signal, "pthread_sigmask"):
        yield  # Windows cannot block signals
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(*shared: Any) -> None:
    """Start a process: only the main process handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _shared[:] = shared


def _call(function: Callable[..., Any], job: Any) -> Any:
    return function(job, *_shared)
