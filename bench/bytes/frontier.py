"""Summaries of the runs: a learner's error at a size, the best other, the bytes for an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bench.bytes.grid import OURS, Job
from bench.cases import Cases


@dataclass(frozen=True)
class Run:
    """A finished job: its error, the one on the first rows, and its bytes."""

    job: Job
    error: float
    prefix: float
    nbytes: int

    @property
    def name(self) -> str:
        """The learner's."""
        return self.job.name


def _least(runs: Iterable[Run], by: Callable[[Run], float]) -> Run | None:
    return min(runs, key=by, default=None)


def finished(jobs: Iterable[Job], cases: Cases) -> list[Run]:
    """Those that have been run."""
    found = []
    for job in jobs:
        made = cases.get(job.key)
        if made is not None and "error" in made:
            found.append(Run(job, made["error"], made["prefix"], made["nbytes"]))
    return found


class Frontier:
    """The runs of one set."""

    def __init__(self, data: str, runs: Iterable[Run]) -> None:
        self.data = data
        self.runs = [run for run in runs if run.job.data == data]

    def ours(self, size: int) -> Run | None:
        """Our learner at a size, as it is: nothing chosen."""
        for run in self.runs:
            if run.name == OURS and run.job.nbytes == size and not run.job.params:
                return run
        return None

    def published(self, size: int) -> list[Run]:
        """Published algorithms at a size, every setting."""
        return [run for run in self.runs if run.job.nbytes == size and run.name != OURS]

    def hindsight(self, size: int) -> Run | None:
        """The best of them with the settings that turned out best."""
        return _least(self.published(size), lambda run: run.error)

    def tuned(self, size: int) -> Run | None:
        """The best on the first rows, algorithm, storage and settings alike."""
        return _least(self.published(size), lambda run: run.prefix)

    def needed(self, error: float) -> Run | None:
        """The fewest bytes in which anything but ours errs so little, settings by hindsight."""
        good = [run for run in self.runs if run.name != OURS and run.error <= error]
        return _least(good, lambda run: run.nbytes)

    def better(self, size: int) -> Run | None:
        """What errs less than ours in no more bytes, settings by hindsight."""
        mine = self.ours(size)
        if mine is None:
            return None
        found = [
            run
            for run in self.runs
            if run.name != OURS and run.error < mine.error and run.nbytes <= size
        ]
        return _least(found, lambda run: run.error)
