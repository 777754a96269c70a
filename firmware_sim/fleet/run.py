"""A fleet from manifest to records: what is missing is done, and written down as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firmware_sim.errors import NotWrittenError, SimulatorError
from firmware_sim.fleet import journal
from firmware_sim.fleet.cluster import Cluster, Done, InProcess
from firmware_sim.fleet.configurations import Configuration, check_kinds
from firmware_sim.fleet.manifest import Board
from firmware_sim.fleet.task import Record, Task, digest, key_of


@dataclass
class Fleet:
    """What a run of a fleet found.

    Attributes
    ----------
    boards : int
        Boards in the manifest.
    configurations : tuple of str
        Names of the configurations.
    records : list of Record
        One for each board and configuration, in their order.
    earlier : int
        Of these, how many were there before this run.
    complete : bool
        Whether all are there.
    seconds, busy : float
        Time of this run, and that of its tasks put together.
    workers : int
        Workers of this run.
    files : list of Path
        What was written.
    unwritten : str
        Which files could not be written, and why; empty where all were.
    """

    boards: int
    configurations: tuple[str, ...]
    records: list[Record]
    earlier: int = 0
    complete: bool = True
    seconds: float = 0.0
    busy: float = 0.0
    workers: int = 1
    files: list[Path] = field(default_factory=list)
    unwritten: str = ""

    @property
    def failed(self) -> list[Record]:
        """The records without a result."""
        return [record for record in self.records if record.status != "done"]

    @property
    def rows(self) -> int:
        """Rows that learners took, over all records."""
        return sum(int(record.figures.get("rows_used") or 0) for record in self.records)


def memory_needed(configurations: Sequence[Configuration]) -> int:
    """Return the most bytes the learners of a worker may take: the sum of their caps."""
    return sum(one.on("", {}).cap_bytes for one in configurations)


def run_fleet(
    boards: Sequence[Board],
    configurations: Sequence[Configuration],
    folder: str | Path,
    *,
    scheduler: str | None = None,
    workers: int = 1,
    worker_memory: int = 0,
    models: str | Path | None = None,
    form: str = "jsonl",
    on_start: Callable[[int, int], object] | None = None,
    on_task: Callable[[], object] | None = None,
    on_cluster: Callable[[str], object] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Fleet:
    """Replay every board's stream with every configuration.

    Parameters
    ----------
    boards : sequence of Board
        From `read_manifest`.
    configurations : sequence of Configuration
        From `read_configurations`.
    folder : str or Path
        Where records are kept as they come; those that are there already are not made again.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers must see the same files under the same paths.
    workers : int
        Without a scheduler: 1 for this process, more for a Dask cluster started here. A script
        that calls this with more must not do so when it is imported.
    worker_memory : int
        Bytes that the learners of a worker may have together, 0 for no bound.
    models : str or Path, optional
        A folder for the final models.
    form : {"jsonl", "parquet"}
        Of the records that are written at the end.
    on_start, on_task : callable, optional
        Called with the number of tasks and of those done already; called after each task.
    on_cluster : callable, optional
        Called with the address of Dask's page, which may be empty.
    should_stop : callable, optional
        Asked between tasks; True ends the run early.

    Raises
    ------
    SimulatorError
        The learners need more memory than a worker may have, they learn labels of several kinds,
        or the run cannot go on.
    """
    needed = memory_needed(configurations)
    if worker_memory and needed > worker_memory:
        raise SimulatorError(
            f"the learners of a task may take {needed:,} bytes, the sum of their caps, and a "
            f"worker may have {worker_memory:,}: allow more, or run fewer configurations at a time"
        )
    check_kinds(configurations, boards)
    journal.check_form(form)
    folder = _made(Path(folder))
    place = "" if models is None else str(_made(Path(models).absolute()))
    log = journal.Journal(folder)
    try:
        plan = _Plan(boards, configurations, log, place, worker_memory)
        todo = plan.todo
        if on_start is not None:
            on_start(len(boards), len(boards) - len(todo))
        earlier = sum(key in log.records for key, *_ in plan.wanted)
        seconds, spent, many = 0.0, [], 1
        if todo:
            alone = scheduler is None and workers == 1
            cluster = InProcess() if alone else Cluster(scheduler, workers)
            with cluster:
                many = cluster.workers
                if on_cluster is not None:
                    on_cluster(cluster.dashboard)
                began = time.perf_counter()  # from here on it is work
                spent = _worked(plan, cluster, on_task, should_stop)
                seconds = time.perf_counter() - began
        records = plan.records()
        times = [log.seconds.get(record.key) for record in records]
        files, unwritten = [], ""
        try:
            files = journal.publish(folder, records, times, form)
        except NotWrittenError as error:  # what was found is told all the same
            files, unwritten = error.files, str(error)
    finally:
        log.close()
    names = tuple(one.name for one in configurations)
    complete = len(spent) == len(todo)
    return Fleet(
        *(len(boards), names, records, earlier, complete),
        *(seconds, sum(spent), many, files, unwritten),
    )


def _made(folder: Path) -> Path:
    """Make a folder where there is none; return it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SimulatorError(f"cannot write to {folder}: {error.strerror}") from None
    return folder


def _worked(
    plan: _Plan,
    cluster: InProcess | Cluster,
    on_task: Callable[[], object] | None,
    should_stop: Callable[[], bool],
) -> list[float]:
    """Have what is missing done and write it down as it comes; return the time of each task."""
    spent = []
    for one in cluster.work(plan.todo, should_stop):
        plan.enter(one)
        spent.append(one.seconds)
        if on_task is not None:
            on_task()
    return spent


class _Plan:
    """What is wanted, and what of it is missing."""

    def __init__(
        self,
        boards: Sequence[Board],
        configurations: Sequence[Configuration],
        log: journal.Journal,
        models: str,
        memory: int,
    ) -> None:
        self._log = log
        self._lost: dict[str, Record] = {}
        self.wanted: list[tuple[str, Board, Configuration]] = []
        self.todo: list[Task] = []
        for board in boards:
            try:
                content, size = digest(board.path)
            except (OSError, SimulatorError) as error:
                for one in configurations:
                    key = key_of(board, "", one)
                    self.wanted.append((key, board, one))
                    self._lose(key, board, one, f"cannot be read: {error}")
                continue
            missing = []
            for one in configurations:
                key = key_of(board, content, one)
                self.wanted.append((key, board, one))
                there = log.records.get(key)
                if there is None or (models and not _saved(there, models)):
                    missing.append(one)
            if missing:
                self.todo.append(Task(board, content, size, tuple(missing), models, memory))

    def _lose(self, key: str, board: Board, one: Configuration, why: str) -> None:
        self._lost[key] = Record(key, board.device, board.stream, one.name, "failed", why)

    def enter(self, one: Done) -> None:
        """Keep what came of a task; what may go better the next time is not in the journal."""
        if not one.lost:
            self._log.enter(one.records, one.seconds)
            return
        for configuration in one.task.configurations:
            self._lose(one.task.key(configuration), one.task.board, configuration, one.lost)

    def records(self) -> list[Record]:
        """Return what there is, in the order of the manifest."""
        found = (self._log.records.get(key) or self._lost.get(key) for key, *_ in self.wanted)
        return [record for record in found if record is not None]


def _saved(record: Record, models: str) -> bool:
    """Whether the model of a record is there, or there is none to be had."""
    name = f"{record.device}.{record.configuration}.olk"
    return record.status != "done" or (Path(models) / name).exists()
