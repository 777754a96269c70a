"""What the runs come to: a learner's error at a size, the best other, the bytes an error needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from bench.bytes.grid import OURS, Job
from bench.cache import Cache

Key = TypeVar("Key")


@dataclass(frozen=True)
class Run:
    """A finished job."""

    job: Job
    error: float
    prefix: float
    nbytes: int


@dataclass(frozen=True)
class Choice:
    """A learner with parameters chosen in some way."""

    name: str
    error: float
    nbytes: int


def _best_first(runs: Iterable[Run]) -> Choice | None:
    """The one that is best on the first rows."""
    best = min(runs, key=lambda run: run.prefix, default=None)
    return Choice(best.job.name, best.error, best.nbytes) if best else None


def finished(jobs: Iterable[Job], cache: Cache) -> list[Run]:
    """Those that have been run."""
    found = []
    for job in jobs:
        made: dict[str, Any] | None = cache.get(job.key)
        if made is not None and "error" in made:
            found.append(Run(job, made["error"], made["prefix"], made["nbytes"]))
    return found


class Frontier:
    """The runs of one set."""

    def __init__(self, data: str, runs: Iterable[Run]) -> None:
        self.data = data
        self.runs = [run for run in runs if run.job.data == data]

    def ours(self, size: int) -> Choice | None:
        """Our learner at a size, as it is: nothing chosen."""
        for run in self.runs:
            if run.job.name == OURS and run.job.nbytes == size and not run.job.params:
                return Choice(OURS, run.error, run.nbytes)
        return None

    def published(self, size: int) -> list[Run]:
        """Published algorithms of this library at a size, every setting."""
        return [run for run in self.runs if run.job.nbytes == size and run.job.name != OURS]

    def hindsight(self, size: int) -> Choice | None:
        """The best of them with the settings that turned out best."""
        best = min(self.published(size), key=lambda run: run.error, default=None)
        return Choice(best.job.name, best.error, best.nbytes) if best else None

    def tuned(self, size: int) -> Choice | None:
        """The best on the first rows, algorithm, storage and settings alike."""
        return _best_first(self.published(size))

    def of_each(self, size: int, key: Callable[[Job], Key]) -> dict[Key, Choice]:
        """The same among the published runs that have a key in common."""
        groups: dict[Key, list[Run]] = {}
        for run in self.published(size):
            groups.setdefault(key(run.job), []).append(run)
        found = {at: _best_first(runs) for at, runs in groups.items()}
        return {at: choice for at, choice in found.items() if choice is not None}

    def others(self) -> list[Choice]:
        """The other learners, each with its best rate, and the best of each number of bytes."""
        found: dict[tuple[str, int], Choice] = {}
        for run in self.runs:
            if run.job.nbytes == 0:
                # One window a size; the bytes of the rest differ by chance.
                key = run.job.name, run.job.params.get("window", 0)
                held = found.get(key)
                if held is None or run.error < held.error:
                    found[key] = Choice(run.job.name, run.error, run.nbytes)
        return sorted(found.values(), key=lambda choice: (choice.nbytes, choice.name))

    def of_kind(self, names: Collection[str]) -> list[Choice]:
        """Those of the others that have one of the names."""
        return [choice for choice in self.others() if choice.name in names]

    def needed(self, error: float, names: Collection[str] = ()) -> Choice | None:
        """The fewest bytes in which anything but ours errs so little, settings by hindsight.

        Of all, or of those that have one of the names.
        """
        good = [
            Choice(run.job.name, run.error, run.nbytes)
            for run in self.runs
            if run.job.name != OURS and run.error <= error and (not names or run.job.name in names)
        ]
        return min(good, key=lambda choice: choice.nbytes, default=None)

    def better(self, size: int) -> Choice | None:
        """What errs less than ours in no more bytes, settings by hindsight."""
        mine = self.ours(size)
        if mine is None:
            return None
        found = self.needed_within(mine.error, size)
        return min(found, key=lambda choice: choice.error, default=None)

    def needed_within(self, error: float, size: int) -> list[Choice]:
        """Everything but ours that errs less in no more bytes."""
        return [
            Choice(run.job.name, run.error, run.nbytes)
            for run in self.runs
            if run.job.name != OURS and run.error < error and run.nbytes <= size
        ]
