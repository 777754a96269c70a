"""A fleet from manifest to records: what is missing is done, and written down as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from firmware_sim.errors import NotWrittenError, SimulatorError
from firmware_sim.fleet import journal
from firmware_sim.fleet.cluster import Cluster, InProcess
from firmware_sim.fleet.configurations import Configuration, check_kinds
from firmware_sim.fleet.manifest import Board
from firmware_sim.fleet.task import Record, Task, digest


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
    names = tuple(one.name for one in configurations)
    log = journal.Journal(folder)
    try:
        tasks, lost = _tasks(boards, tuple(configurations), place, worker_memory)
        wanted = [task.key(one) for task in tasks for one in task.configurations]
        todo = _missing([task for task in tasks if task.content], log)
        if on_start is not None:
            on_start(len(boards), len(boards) - len(todo))
        fleet = Fleet(len(boards), names, [], sum(key in log.records for key in wanted))
        done = 0
        if todo:
            alone = scheduler is None and workers == 1
            with InProcess() if alone else Cluster(scheduler, workers) as cluster:
                fleet.workers = cluster.workers
                if on_cluster is not None:
                    on_cluster(cluster.dashboard)
                began = time.perf_counter()  # from here on it is work
                for one in cluster.work(todo, should_stop):
                    done += 1
                    if one.lost:  # what may go better the next time is not in the journal
                        lost += one.task.failed(one.lost)
                    else:
                        log.enter(one.records, one.seconds)
                    fleet.busy += one.seconds
                    if on_task is not None:
                        on_task()
                fleet.seconds = time.perf_counter() - began
        fleet.complete = done == len(todo)
        found = {**{record.key: record for record in lost}, **log.records}
        fleet.records = [found[key] for key in wanted if key in found]
        times = [log.seconds.get(record.key) for record in fleet.records]
        try:
            fleet.files = journal.publish(folder, fleet.records, times, form)
        except NotWrittenError as error:  # what was found is told all the same
            fleet.files, fleet.unwritten = error.files, str(error)
    finally:
        log.close()
    return fleet


def _made(folder: Path) -> Path:
    """Make a folder where there is none; return it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SimulatorError(f"cannot write to {folder}: {error.strerror}") from None
    return folder


def _tasks(
    boards: Sequence[Board], configurations: tuple[Configuration, ...], models: str, memory: int
) -> tuple[list[Task], list[Record]]:
    """Return the task of each board, without content where it cannot be read, and why not."""
    tasks, lost = [], []
    for board in boards:
        try:
            content, size = digest(board.path)
        except (OSError, SimulatorError) as error:
            tasks.append(Task(board, "", 0, configurations))
            lost += tasks[-1].failed(f"cannot be read: {error}")
        else:
            tasks.append(Task(board, content, size, configurations, models, memory))
    return tasks, lost


def _missing(tasks: Sequence[Task], log: journal.Journal) -> list[Task]:
    """Return what of tasks is still to be done: no record is there, or no model of it."""

    def is_missing(task: Task, one: Configuration) -> bool:
        record = log.records.get(task.key(one))
        if record is None or not task.models or record.status != "done":
            return record is None
        return not (Path(task.models) / f"{record.model}.olk").exists()

    left = [
        replace(task, configurations=tuple(c for c in task.configurations if is_missing(task, c)))
        for task in tasks
    ]
    return [task for task in left if task.configurations]
