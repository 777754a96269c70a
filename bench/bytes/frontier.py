"""Summaries of the runs: a learner's error at a size, the best other, the bytes for an error."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TypeVar

from bench.bytes.grid import OURS, Job
from bench.cache import Cache

Key = TypeVar("Key")


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


def finished(jobs: Iterable[Job], cache: Cache) -> list[Run]:
    """Those that have been run."""
    found = []
    for job in jobs:
        made = cache.get(job.key)
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
        """Published algorithms of this library at a size, every setting."""
        return [run for run in self.runs if run.job.nbytes == size and run.name != OURS]

    def hindsight(self, size: int) -> Run | None:
        """The best of them with the settings that turned out best."""
        return _least(self.published(size), lambda run: run.error)

    def tuned(self, size: int) -> Run | None:
        """The best on the first rows, algorithm, storage and settings alike."""
        return _least(self.published(size), lambda run: run.prefix)

    def of_each(self, size: int, key: Callable[[Job], Key]) -> dict[Key, Run]:
        """The same among the published runs that have a key in common."""
        groups: dict[Key, list[Run]] = {}
        for run in self.published(size):
            groups.setdefault(key(run.job), []).append(run)
        return {at: min(runs, key=lambda run: run.prefix) for at, runs in groups.items()}

    def others(self) -> list[Run]:
        """The other learners, each with its best rate, and the best of each number of bytes."""
        found: dict[tuple[str, int], Run] = {}
        for run in self.runs:
            if run.job.nbytes == 0:
                # One window a size; the bytes of the rest differ by chance.
                key = run.name, run.job.params.get("window", 0)
                if key not in found or run.error < found[key].error:
                    found[key] = run
        return sorted(found.values(), key=lambda run: (run.nbytes, run.name))

    def of_kind(self, names: Collection[str]) -> list[Run]:
        """Those of the others that have one of the names."""
        return [run for run in self.others() if run.name in names]

    def needed(self, error: float, names: Collection[str] = ()) -> Run | None:
        """The fewest bytes in which anything but ours errs so little, settings by hindsight.

        Of all, or of those that have one of the names.
        """
        good = [
            run
            for run in self.runs
            if run.name != OURS and run.error <= error and (not names or run.name in names)
        ]
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
