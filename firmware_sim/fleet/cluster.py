"""Tasks on Dask: workers may die, the scheduler may restart, a task may kill its worker.

Tasks are sent in bundles of seconds, not milliseconds, which are worth sending to a worker. Each
finished board is an event on Dask's scheduler and in counters for Prometheus.
"""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from queue import Empty, SimpleQueue
from typing import Any

from firmware_sim.errors import SimulatorError
from firmware_sim.fleet.task import Record, Task, replay_task

#: Submitted bundles per worker: the current one and the next.
_BUNDLES_PER_WORKER = 2
#: How often Dask retries a bundle that raises an exception.
_RETRIES = 2
#: How often a single task is submitted if its worker dies.
_ATTEMPTS = 3
#: Dask's own monitoring takes an eighth of a core of two: profiles of every worker's stack, checks
#: of the event loop, the memory and the machine.
_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
_ADDRESS = re.compile(r"(tcp|tls|ws|wss)://\S+:\d+")
#: Seconds between two checks of the scheduler.
_POLL_SECONDS = 0.2
#: Seconds of work in a bundle: much more than the scheduler's milliseconds per bundle.
SECONDS = 2.0
#: Initial estimates: seconds per byte and learner, and per byte.
_PER_LEARNER, _PER_BYTE = 1e-7, 4e-7
_MAX_TASKS = 256  # tasks in a bundle
#: The topic of the events, for ``Client.subscribe_topic`` and ``Client.get_events``.
TOPIC = "firmware_sim"


@dataclass
class Done:
    """The outcome of a task: its records, or why there are none."""

    task: Task
    records: list[Record] = field(default_factory=list)
    seconds: float = 0.0
    lost: str = ""


@dataclass
class _Bundle:
    tasks: list[Task]
    attempts: int = _ATTEMPTS


class Cluster(AbstractContextManager["Cluster"]):
    """The workers of a Dask cluster.

    address: a running scheduler; without it a local cluster is started.
    workers: workers of the local cluster.
    patience: seconds to wait for a lost scheduler.
    Raises SimulatorError: dask is not installed, or no scheduler answers.
    """

    def __init__(
        self, address: str | None = None, workers: int = 2, *, patience: float = 120.0
    ) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise SimulatorError(
                "a fleet on several workers needs Dask: pip install 'edgeolk[fleet]'; --workers 1 "
                "does not"
            ) from None
        if address is not None and not _ADDRESS.fullmatch(address):
            raise SimulatorError(f"scheduler is {address!r}, it must be as in tcp://10.0.0.1:8786")
        self._dask = distributed
        self._patience = patience
        self._cluster: Any = None
        self._client: Any = None
        self._address = address
        # The run reports lost tasks itself.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        if address is None:
            self._cluster = self._started(workers)
            self._address = self._cluster.scheduler_address
        try:
            self._connect(min(patience, 20.0))
            self.workers = self._threads() or workers
        except BaseException:
            self.close()
            raise

    def _started(self, workers: int) -> Any:
        dask: Any = import_module("dask")
        # The death of a worker is not the fault of all its tasks: they may fail more often.
        dask.config.set({"distributed.scheduler.allowed-failures": 10, **_QUIET})
        return self._dask.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )

    @property
    def dashboard(self) -> str:
        """The address of Dask's dashboard; empty if there is none."""
        return str(self._client.dashboard_link or "")

    def _threads(self) -> int:
        """Threads of all connected workers; 0 if none is connected yet."""
        return int(sum(self._client.nthreads().values()))

    def _connect(self, patience: float) -> None:
        deadline = time.monotonic() + patience
        while True:
            try:
                self._client = self._dask.Client(self._address, timeout=5, set_as_default=False)
                return
            except (OSError, TimeoutError) as error:
                if time.monotonic() > deadline:
                    raise SimulatorError(
                        f"no Dask scheduler answers at {self._address}: {error}"
                    ) from None

    def work(
        self, tasks: list[Task], should_stop: Callable[[], bool] = lambda: False
    ) -> Iterator[Done]:
        """Run the tasks; yield the outcome of each, in any order.

        Raises SimulatorError: the scheduler is lost and does not return.
        """
        pending = tasks[::-1]
        to_retry: list[_Bundle] = []
        in_flight: dict[Any, _Bundle] = {}
        finished: SimpleQueue[Any] = SimpleQueue()
        estimate = DurationEstimate()
        n_left = len(tasks)
        self._log_event(event="started", boards=n_left, workers=self.workers)
        try:
            while (pending or to_retry or in_flight) and not should_stop():
                if self._client.status != "running":
                    to_retry += in_flight.values()
                    in_flight.clear()
                    self._disconnect()
                    self._connect(self._patience)
                while (pending or to_retry) and len(in_flight) < _BUNDLES_PER_WORKER * self.workers:
                    bundle = to_retry.pop() if to_retry else _Bundle([])
                    bundle.tasks = bundle.tasks or next_bundle(pending, estimate, self.workers)
                    future = self._client.submit(
                        run_bundle, bundle.tasks, pure=False, retries=_RETRIES
                    )
                    in_flight[future] = bundle
                    future.add_done_callback(finished.put)
                try:
                    future = finished.get(timeout=_POLL_SECONDS)
                except Empty:
                    continue
                done_bundle = in_flight.pop(future, None)
                for one in (
                    self._results_of(future, done_bundle, to_retry, estimate) if done_bundle else ()
                ):
                    n_left -= 1
                    if one.lost:
                        self._log_event(event="lost", board=one.task.board.device, reason=one.lost)
                    yield one
        finally:
            for future in in_flight:
                future.cancel(force=True)
            self._log_event(event="ended", boards_left=n_left)

    def _log_event(self, **event: Any) -> None:
        """Log an event on the scheduler; the run does not depend on it."""
        with suppress(Exception):  # the scheduler may be lost at any moment
            self._client.log_event(TOPIC, event)

    def _results_of(
        self,
        future: Any,
        bundle: _Bundle,
        to_retry: list[_Bundle],
        estimate: DurationEstimate,
    ) -> Iterator[Done]:
        """Yield the outcomes of a bundle, or queue it for a retry."""
        try:
            results = future.result(timeout=self._patience)
        except (self._dask.CancelledError, self._dask.comm.CommClosedError, TimeoutError):
            to_retry.append(bundle)  # the scheduler and its results are lost
        except Exception as error:
            killed = isinstance(error, self._dask.scheduler.KilledWorker)
            bundle.attempts -= 1
            if len(bundle.tasks) > 1:  # one of them may be the cause
                to_retry += [_Bundle([task]) for task in bundle.tasks]
            elif killed and bundle.attempts:
                to_retry.append(bundle)
            else:
                died = "its worker died whenever it was tried"
                why = died if killed else f"{type(error).__name__}: {error}"
                yield Done(bundle.tasks[0], lost=why)
        else:
            estimate.learn(bundle.tasks, sum(seconds for _, seconds in results))
            for task, (records, seconds) in zip(bundle.tasks, results, strict=True):
                yield Done(task, records, seconds)

    def _disconnect(self) -> None:
        if self._client is not None:
            self._client.close(timeout=1)

    def close(self) -> None:
        """Disconnect from the cluster; stop it if it is local."""
        self._disconnect()
        if self._cluster is not None:
            self._cluster.close()

    def __exit__(self, *_: object) -> None:
        self.close()


class InProcess(AbstractContextManager["InProcess"]):
    """This process, without Dask."""

    workers = 1
    dashboard = ""

    def work(
        self, tasks: list[Task], should_stop: Callable[[], bool] = lambda: False
    ) -> Iterator[Done]:
        """Run the tasks in order; yield the outcome of each."""
        for task in tasks:
            if should_stop():
                return
            try:
                ((records, seconds),) = run_bundle([task])
            except (OSError, MemoryError) as error:
                yield Done(task, lost=f"{type(error).__name__}: {error}")
            else:
                yield Done(task, records, seconds)

    def __exit__(self, *_: object) -> None:
        """Do nothing: there is nothing to close."""


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
        log_board(task, records, seconds)
        out.append((records, seconds))
    return out


def board_event(task: Task, records: Sequence[Record], seconds: float) -> dict[str, Any]:
    """Return the event of a replayed board; ``failed`` contains reasons by configuration."""
    return {
        "event": "board",
        "board": task.board.device,
        "stream": task.board.stream,
        "rows": sum(int(one.figures.get("rows_used") or 0) for one in records),
        "seconds": seconds,
        "failed": {one.configuration: one.detail for one in records if one.status != "done"},
    }


def log_board(task: Task, records: Sequence[Record], seconds: float) -> None:
    """Log the event of a finished board, if this process is a Dask worker."""
    dask = sys.modules.get("distributed")
    try:
        worker: Any = dask.get_worker() if dask is not None else None
    except ValueError:  # this process is not a worker
        return
    if worker is None:
        return
    event = board_event(task, records, seconds)
    worker.log_event(TOPIC, event)
    if (counters := _counters()) is not None:
        boards, rows = counters
        boards.labels("failed" if event["failed"] else "done").inc()
        rows.inc(event["rows"])


@cache
def _counters() -> tuple[Any, Any] | None:
    """Return the counters for a worker's ``/metrics``; None without prometheus_client."""
    try:
        from prometheus_client import Counter
    except ImportError:
        return None
    return (
        Counter("firmware_sim_boards", "Boards replayed; failed if a learner failed", ["status"]),
        Counter("firmware_sim_rows", "Rows replayed, each counted for each learner"),
    )
