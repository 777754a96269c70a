"""Tasks on Dask: workers may die, the scheduler may restart, a task may kill whatever runs it."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from queue import Empty, SimpleQueue
from typing import Any

from firmware_sim.errors import SimulatorError
from firmware_sim.fleet import bundles
from firmware_sim.fleet.events import TOPIC
from firmware_sim.fleet.task import Record, Task

#: Bundles on their way for each worker: one that it does, and the next.
_AHEAD = 2
#: Times that a bundle is tried again by Dask where it raises an exception.
_RETRIES = 2
#: Times that a task by itself is given to the cluster again when its worker dies.
_LIVES = 3
#: What Dask does for its own pages takes an eighth of a core, where two are to work: samples of
#: every worker's stack, looks at the event loop, the memory and the machine.
_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
_ADDRESS = re.compile(r"(tcp|tls|ws|wss)://\S+:\d+")
#: Seconds between two looks at whether there is still a scheduler.
_LOOK = 0.2


@dataclass
class Done:
    """What came of a task: its records, or why there are none."""

    task: Task
    records: list[Record] = field(default_factory=list)
    seconds: float = 0.0
    lost: str = ""


@dataclass
class _Sent:
    tasks: list[Task]
    lives: int = _LIVES


class Cluster(AbstractContextManager["Cluster"]):
    """The workers of a Dask cluster.

    address: of a scheduler that runs; without it a cluster is started here.
    workers: of a cluster started here.
    patience: seconds for which a scheduler that is gone is waited for.
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
        # What the loss of a worker does is told by the run, in a sentence each.
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
        # The death of a worker says nothing about the tasks it had: they get more than three lives.
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
        """The address of Dask's own page, where there is one."""
        return str(self._client.dashboard_link or "")

    def _threads(self) -> int:
        """What the workers there are do at once; none may be there yet."""
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
        """Do the tasks; yield each as it is done, in any order.

        Raises SimulatorError: the scheduler is gone for good.
        """
        waiting = tasks[::-1]
        again: list[_Sent] = []
        out: dict[Any, _Sent] = {}
        news: SimpleQueue[Any] = SimpleQueue()
        pace = bundles.Pace()
        left = len(tasks)
        self._tell(event="started", boards=left, workers=self.workers)
        try:
            while (waiting or again or out) and not should_stop():
                if self._client.status != "running":
                    again += out.values()
                    out.clear()
                    self._let_go()
                    self._connect(self._patience)
                while (waiting or again) and len(out) < _AHEAD * self.workers:
                    sent = again.pop() if again else _Sent([])
                    sent.tasks = sent.tasks or bundles.take(waiting, pace, self.workers)
                    future = self._client.submit(
                        bundles.do, sent.tasks, pure=False, retries=_RETRIES
                    )
                    out[future] = sent
                    future.add_done_callback(news.put)
                try:
                    future = news.get(timeout=_LOOK)
                except Empty:
                    continue
                settled = out.pop(future, None)
                for one in self._settled(future, settled, again, pace) if settled else ():
                    left -= 1
                    if one.lost:
                        self._tell(event="lost", board=one.task.board.device, reason=one.lost)
                    yield one
        finally:
            for future in out:
                future.cancel(force=True)
            self._tell(event="ended", boards_left=left)

    def _tell(self, **event: Any) -> None:
        """Log an event with the scheduler; a run does not depend on it."""
        with suppress(Exception):  # the scheduler may be gone at any moment
            self._client.log_event(TOPIC, event)

    def _settled(
        self, future: Any, sent: _Sent, again: list[_Sent], pace: bundles.Pace
    ) -> Iterator[Done]:
        """Give out what a bundle brought, or put it back."""
        try:
            results = future.result(timeout=self._patience)
        except (self._dask.CancelledError, self._dask.comm.CommClosedError, TimeoutError):
            again.append(sent)  # the scheduler is gone, and what it knew with it
        except Exception as error:
            killed = isinstance(error, self._dask.scheduler.KilledWorker)
            sent.lives -= 1
            if len(sent.tasks) > 1:  # one of them may be to blame
                again += [_Sent([task]) for task in sent.tasks]
            elif killed and sent.lives:
                again.append(sent)
            else:
                died = "its worker died whenever it was tried"
                why = died if killed else f"{type(error).__name__}: {error}"
                yield Done(sent.tasks[0], lost=why)
        else:
            pace.learn(sent.tasks, sum(seconds for _, seconds in results))
            for task, (records, seconds) in zip(sent.tasks, results, strict=True):
                yield Done(task, records, seconds)

    def _let_go(self) -> None:
        if self._client is not None:
            self._client.close(timeout=1)

    def close(self) -> None:
        """Let go of the cluster; end it if it was started here."""
        self._let_go()
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
        """Do the tasks in order; yield each."""
        for task in tasks:
            if should_stop():
                return
            try:
                ((records, seconds),) = bundles.do([task])
            except (OSError, MemoryError) as error:
                yield Done(task, lost=f"{type(error).__name__}: {error}")
            else:
                yield Done(task, records, seconds)

    def __exit__(self, *_: object) -> None:
        """There is nothing to let go of."""
