"""A run of a fleet from manifest to records: runs the missing tasks and records their results."""

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
    """The result of a fleet's run.

    Attributes
    ----------
    boards : int
        Boards in the manifest.
    configurations : tuple of str
        Names of the configurations.
    records : list of Record
        One for each board and configuration, in order.
    earlier : int
        How many of these are from earlier runs.
    complete : bool
        Whether no record is missing.
    seconds, busy : float
        Duration of this run, and the sum of the durations of its tasks.
    workers : int
        Workers of this run.
    files : list of Path
        The files written.
    unwritten : str
        Which files could not be written, and why; empty if all were.
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
        """Rows learned, over all records."""
        return sum(int(record.figures.get("rows_used") or 0) for record in self.records)


def memory_needed(configurations: Sequence[Configuration]) -> int:
    """Return the maximum memory of a worker's learners: the sum of their caps."""
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
    strict: bool = False,
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
        Folder of the records; tasks whose records exist are not run again.
    scheduler : str, optional
        Address of a Dask scheduler whose workers have the same files under the same paths.
    workers : int
        Without a scheduler: 1 for this process, more for a local Dask cluster. A script that uses
        more must protect the call with ``if __name__ == "__main__"``.
    worker_memory : int
        Maximum bytes of all learners of a worker, 0 for no limit.
    models : str or Path, optional
        Folder for the final models.
    strict : bool
        Whether a run that leaves out more than a tenth of its rows has failed.
    form : {"jsonl", "parquet"}
        Format of the records at the end.
    on_start, on_task : callable, optional
        Called with the number of tasks and of finished ones; called after each task.
    on_cluster : callable, optional
        Called with the address of Dask's dashboard, which may be empty.
    should_stop : callable, optional
        Called between tasks; True ends the run early.

    Raises
    ------
    SimulatorError
        The learners need more memory than allowed for a worker, they learn labels of several kinds,
        or the run cannot continue.
    """
    needed = memory_needed(configurations)
    if worker_memory and needed > worker_memory:
        raise SimulatorError(
            f"the learners of a task may take {needed:,} bytes, the sum of their caps, and a "
            f"worker may have {worker_memory:,}: allow more, or run fewer configurations at a time"
        )
    check_kinds(configurations, boards)
    journal.check_form(form)
    folder = _make_folder(Path(folder))
    models_folder = "" if models is None else str(_make_folder(Path(models).absolute()))
    names = tuple(one.name for one in configurations)
    log = journal.Journal(folder)
    try:
        tasks, failed_records = _tasks(
            boards, tuple(configurations), models_folder, worker_memory, strict
        )
        wanted = [task.key(one) for task in tasks for one in task.configurations]
        todo = _missing([task for task in tasks if task.content], log)
        if on_start is not None:
            on_start(len(boards), len(boards) - len(todo))
        fleet = Fleet(len(boards), names, [], sum(key in log.records for key in wanted))
        done = 0
        if todo:
            in_process = scheduler is None and workers == 1
            with InProcess() if in_process else Cluster(scheduler, workers) as cluster:
                fleet.workers = cluster.workers
                if on_cluster is not None:
                    on_cluster(cluster.dashboard)
                started = time.perf_counter()  # after the start of the cluster
                for one in cluster.work(todo, should_stop):
                    done += 1
                    if one.lost:  # not in the journal, since a retry may succeed
                        failed_records += one.task.failed(one.lost)
                    else:
                        log.enter(one.records, one.seconds)
                    fleet.busy += one.seconds
                    if on_task is not None:
                        on_task()
                fleet.seconds = time.perf_counter() - started
        fleet.complete = done == len(todo)
        found = {**{record.key: record for record in failed_records}, **log.records}
        fleet.records = [found[key] for key in wanted if key in found]
        times = [log.seconds.get(record.key) for record in fleet.records]
        try:
            fleet.files = journal.publish(folder, fleet.records, times, form)
        except NotWrittenError as error:  # the results are returned anyway
            fleet.files, fleet.unwritten = error.files, str(error)
    finally:
        log.close()
    return fleet


def _make_folder(folder: Path) -> Path:
    """Create a folder unless it exists; return it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SimulatorError(f"cannot write to {folder}: {error.strerror}") from None
    return folder


def _tasks(
    boards: Sequence[Board],
    configurations: tuple[Configuration, ...],
    models: str,
    memory: int,
    strict: bool,
) -> tuple[list[Task], list[Record]]:
    """Return the task of each board, and failed records of boards that cannot be read."""
    tasks, failed_records = [], []
    for board in boards:
        try:
            content, size = digest(board.path)
        except (OSError, SimulatorError) as error:
            tasks.append(Task(board, "", 0, configurations, strict=strict))
            failed_records += tasks[-1].failed(f"cannot be read: {error}")
        else:
            tasks.append(Task(board, content, size, configurations, models, memory, strict))
    return tasks, failed_records


def _missing(tasks: Sequence[Task], log: journal.Journal) -> list[Task]:
    """Return the tasks with the configurations whose record or model is missing."""

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
