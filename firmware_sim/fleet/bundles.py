"""Bundles of tasks that are worth sending to a worker: seconds of work, not milliseconds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from firmware_sim.fleet.events import tell
from firmware_sim.fleet.replaying import replay_task
from firmware_sim.fleet.task import Record, Task

#: Seconds of work in a bundle: much more than the scheduler's milliseconds per bundle.
SECONDS = 2.0
#: Initial estimates: seconds per byte and learner, and per byte.
_PER_LEARNER, _PER_BYTE = 1e-7, 4e-7
_MAX_TASKS = 256  # tasks in a bundle


@dataclass
class DurationEstimate:
    """An estimate of the duration of tasks: measured and initially estimated seconds so far."""

    seconds: float = 0.0
    guessed: float = 0.0

    def guess(self, task: Task) -> float:
        """Return the seconds a task will take."""
        return _work(task) * (self.seconds / self.guessed if self.guessed else 1.0)

    def learn(self, tasks: Sequence[Task], seconds: float) -> None:
        """Update the estimate with the measured seconds of some tasks."""
        self.seconds += seconds
        self.guessed += sum(map(_work, tasks))


def _work(task: Task) -> float:
    packed = 4.0 if task.board.path.endswith(".gz") else 1.0
    return packed * task.nbytes * (_PER_BYTE + _PER_LEARNER * len(task.configurations))


def next_bundle(pending: list[Task], estimate: DurationEstimate, workers: int) -> list[Task]:
    """Remove the next bundle from the end of the pending tasks, and return it.

    Bundles become smaller towards the end of a run, so that no worker is left with a long one.
    """
    share = max(1, len(pending) // (2 * workers))
    max_tasks = min(_MAX_TASKS, share)
    bundle: list[Task] = []
    seconds = 0.0
    while pending and len(bundle) < max_tasks and (not bundle or seconds < SECONDS):
        bundle.append(pending.pop())
        seconds += estimate.guess(bundle[-1])
    return bundle


def run_bundle(tasks: Sequence[Task]) -> list[tuple[list[Record], float]]:
    """Run the tasks of a bundle; return records and seconds of each."""
    out = []
    for task in tasks:
        began = time.perf_counter()
        records = replay_task(task)
        seconds = round(time.perf_counter() - began, 6)
        tell(task, records, seconds)
        out.append((records, seconds))
    return out
