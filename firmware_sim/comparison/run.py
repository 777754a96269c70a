"""All runs of a comparison, shared out among processes."""

from __future__ import annotations

import hashlib
import math
import multiprocessing
import os
import signal
import statistics
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import edgeolk as ek
from firmware_sim.comparison.evaluators import BLOCKS, Evaluator
from firmware_sim.comparison.results import Results
from firmware_sim.comparison.rows import Rows, prepare
from firmware_sim.comparison.work import DEFAULT, Outcome, Run, draws, goes, share, work
from firmware_sim.config import ReplayConfig
from firmware_sim.configuration.choices import RECOMMENDED, canonical, storage_of
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.configuration.option import COMPARE
from firmware_sim.errors import SimulatorError


@dataclass
class Comparison:
    """What a comparison found.

    Attributes
    ----------
    config : ReplayConfig
        Stream and device.
    rows : Rows
        What was learned.
    rams : list of int
        The caps.
    outcomes : list of Outcome
        One for each run.
    complete : bool
        Whether all runs are there.
    """

    config: ReplayConfig
    rows: Rows
    rams: list[int]
    outcomes: list[Outcome]
    complete: bool

    def cell(self, algorithm: str, ram: int) -> Cell:
        """Return what is known of a method under a cap."""
        found = [one for one in self.outcomes if (one.algorithm, one.ram) == (algorithm, ram)]
        return Cell(found)

    def storage(self, algorithm: str) -> str:
        """Return the storage type of a method; where float32 was asked for, a method's own."""
        algorithm = RECOMMENDED if algorithm == DEFAULT else algorithm
        return storage_of(algorithm) if self.config.dtype == "float32" else self.config.dtype

    @property
    def algorithms(self) -> list[str]:
        """The methods: the default, then those with the least error under the largest cap."""
        names = dict.fromkeys(one.algorithm for one in self.outcomes)
        rank = {name: [self.cell(name, ram).error for ram in reversed(self.rams)] for name in names}

        def order(name: str) -> tuple[bool, list[float]]:
            return name != DEFAULT, [math.inf if e is None else e for e in rank[name]]

        return sorted(names, key=order)


@dataclass
class Cell:
    """The runs of one method under one cap."""

    runs: list[Outcome]

    @property
    def done(self) -> bool:
        """Whether every run went to the end."""
        return bool(self.runs) and all(run.status == "done" for run in self.runs)

    @property
    def error(self) -> float | None:
        """Mean loss; None where a run is not done."""
        return statistics.mean(run.loss for run in self.runs) if self.done else None

    @property
    def deviation(self) -> float | None:
        """Standard deviation among seeds; None where there is one."""
        if not self.done or len(self.runs) < 2:
            return None
        return statistics.stdev(run.loss for run in self.runs)

    @property
    def blocks(self) -> list[float]:
        """Mean losses over stretches of rows; empty where they are not known."""
        if not self.done or not all(run.blocks for run in self.runs):
            return []
        together = zip(*(one.blocks for one in self.runs), strict=True)
        return [statistics.mean(found) for found in together]

    @property
    def recovery(self) -> list[float | None]:
        """Rows until answers were as good again as later, for each change; None for never."""
        if not self.done:
            return []
        together = zip(*(one.recovery for one in self.runs), strict=True)
        return [
            None if None in found else statistics.mean(n for n in found if n is not None)
            for found in together
        ]

    @property
    def frozen(self) -> list[float]:
        """Loss behind the first rows if frozen after them, and as it went on; empty if unknown."""
        pairs = [one.frozen for one in self.runs if one.frozen is not None]
        if not self.done or len(pairs) != len(self.runs):
            return []
        return [statistics.mean(found) for found in zip(*pairs, strict=True)]

    @property
    def nbytes(self) -> int:
        """Bytes under the cap that are used."""
        return max((run.nbytes for run in self.runs), default=0)


def compare(
    config: ReplayConfig,
    rams: Sequence[int | str],
    algorithms: Sequence[str] | None = None,
    *,
    folder: str | Path,
    seeds: int = 3,
    seconds: float = 20.0,
    workers: int | None = None,
    on_start: Callable[[int, int], object] | None = None,
    on_run: Callable[[], object] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Comparison:
    """Run every method under every cap.

    Page: docs/tutorial.md.

    Parameters
    ----------
    config : ReplayConfig
        Stream, scaling, storage type; its cap and algorithm do not matter.
    rams : sequence of int or str
        The caps.
    algorithms : sequence of str, optional
        The methods; by default all that `edgeolk` has for the kind of labels. What `replay` runs
        where none is named, ``"default"``, is always among them.
    folder : str or Path
        Where results are kept as they come; those that are there already are not made again.
    seeds : int
        Runs of a method that draws random numbers.
    seconds : float
        Processor time a run may take.
    workers : int, optional
        Processes; by default one for each processor. Where there are several, each imports the
        calling script, which must therefore call this only under ``if __name__ == "__main__":``.
    on_start, on_run : callable, optional
        Called with the number of runs and of those there are already; called after each run.
    should_stop : callable, optional
        Asked after each run; True ends the comparison early.

    Returns
    -------
    Comparison
        All runs there are, those of earlier calls with the same folder among them.

    Raises
    ------
    SimulatorError
        A method is unknown, a cap is no size, or the stream cannot be read.
    """
    caps = sorted({ReplayConfig("", ram=ram).cap_bytes for ram in rams})
    known = [row.name for row in ek.algorithms() if getattr(row, "done", True)]
    names = list(dict.fromkeys(map(canonical, algorithms))) if algorithms else known
    names = [DEFAULT, *(name for name in names if name != DEFAULT)]
    for name in names[1:]:
        if name not in known:
            raise SimulatorError(f"algorithm {name!r} is not one of: {', '.join(known)}")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = prepare(config.outside(), int(config.params.get("season") or 0))
    config, gamma = rows.config, rows.width.gamma
    if not algorithms:
        names = [name for name in names if name == DEFAULT or goes(name, config, rows.X.shape[1])]
    runs = []
    for name in names:
        many = seeds if draws(name, rows.evaluator, config, gamma) else 1
        runs += [Run(name, ram, seed) for ram in caps for seed in range(many)]
    runs.sort(key=lambda run: -run.ram)  # the long ones first, so that no process waits at the end
    results = Results(folder / "runs.jsonl", _mark(config, rows, seconds))
    try:
        missing = [run for run in runs if run.key not in results.outcomes]
        if on_start is not None:
            on_start(len(runs), len(runs) - len(missing))
        many = min(workers or os.cpu_count() or 1, max(1, len(missing)))
        stop = should_stop or (lambda: False)
        with spread(many, rows.evaluator, config, gamma, seconds, stop) as each:
            for _, outcome in each(work, missing):
                results.enter(outcome)
                if on_run is not None:
                    on_run()
        found = [results.outcomes[run.key] for run in runs if run.key in results.outcomes]
    finally:
        results.close()
    return Comparison(config, rows, caps, found, len(found) == len(runs))


#: Gives a function's result for each job, with the job's place, as they come.
Each = Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[tuple[int, Any]]]


@contextmanager
def spread(
    workers: int,
    evaluator: Evaluator,
    config: ReplayConfig,
    gamma: float = 0.0,
    seconds: float = 0.0,
    should_stop: Callable[[], bool] = lambda: False,
) -> Iterator[Each]:
    """Give what does jobs here, or in processes that share rows and configuration.

    should_stop: asked between jobs; True ends them early.
    Raises BrokenProcessPool: one of the processes has died.
    """
    shared = (evaluator, replace(config, stream="", faults=()), gamma, seconds)
    if workers == 1:
        share(*shared)

        def in_turn(
            function: Callable[[Any], Any], jobs: Sequence[Any]
        ) -> Iterator[tuple[int, Any]]:
            for at, job in enumerate(jobs):
                if should_stop():
                    return
                yield at, function(job)

        yield in_turn
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        workers, mp_context=context, initializer=_begin, initargs=shared
    ) as pool:

        def together(
            function: Callable[[Any], Any], jobs: Sequence[Any]
        ) -> Iterator[tuple[int, Any]]:
            with _uninterrupted():
                left = {pool.submit(function, job): at for at, job in enumerate(jobs)}
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
    """Keep Ctrl-C from processes started here: one that it ends as it imports is waited for."""
    if not hasattr(signal, "pthread_sigmask"):
        yield  # Windows holds no signals back
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(evaluator: Evaluator, config: ReplayConfig, gamma: float, seconds: float) -> None:
    """Begin a process: Ctrl-C is for the one that shares out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    share(evaluator, config, gamma, seconds)


def _mark(config: ReplayConfig, rows: Rows, seconds: float) -> str:
    """What must be the same for a result to count."""
    options = [getattr(config, name) for name, one in OPTIONS.items() if one.where >= COMPARE]
    evaluator = rows.evaluator
    said = (rows.mark, options, evaluator.changes, *evaluator.metrics.table, BLOCKS, seconds)
    return hashlib.sha256(repr((ek.__version__, *said)).encode()).hexdigest()[:16]
