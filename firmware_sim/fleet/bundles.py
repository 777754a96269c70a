"""Tasks put together until they are worth sending: seconds of work, not milliseconds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from firmware_sim.fleet.events import tell
from firmware_sim.fleet.replaying import replay_task
from firmware_sim.fleet.task import Record, Task

#: Work of a bundle: long beside the milliseconds that a scheduler takes for it.
SECONDS = 2.0
#: Of a byte on disk and a learner, and of a byte by itself; the first guess.
_PER_LEARNER, _PER_BYTE = 1e-7, 4e-7
_MOST = 256  # tasks in a bundle


@dataclass
class Pace:
    """What tasks take, learned from those that are done: seconds, and the first guess of them."""

    seconds: float = 0.0
    guessed: float = 0.0

    def guess(self, task: Task) -> float:
        """Return the seconds a task will take."""
        return _work(task) * (self.seconds / self.guessed if self.guessed else 1.0)

    def learn(self, tasks: Sequence[Task], seconds: float) -> None:
        """Take in what some tasks took."""
        self.seconds += seconds
        self.guessed += sum(map(_work, tasks))


def _work(task: Task) -> float:
    packed = 4.0 if task.board.path.endswith(".gz") else 1.0
    return packed * task.nbytes * (_PER_BYTE + _PER_LEARNER * len(task.configurations))


def take(waiting: list[Task], pace: Pace, workers: int) -> list[Task]:
    """Take the next bundle from the end of what waits.

    Bundles become smaller towards the end of a run, so that no worker is left with a long one.
    """
    share = max(1, len(waiting) // (2 * workers))
    most = min(_MOST, share)
    bundle: list[Task] = []
    seconds = 0.0
    while waiting and len(bundle) < most and (not bundle or seconds < SECONDS):
        bundle.append(waiting.pop())
        seconds += pace.guess(bundle[-1])
    return bundle


def do(tasks: Sequence[Task]) -> list[tuple[list[Record], float]]:
    """Do the tasks of a bundle; return records and seconds of each."""
    out = []
    for task in tasks:
        began = time.perf_counter()
        records = replay_task(task)
        seconds = round(time.perf_counter() - began, 6)
        tell(task, records, seconds)
        out.append((records, seconds))
    return out
