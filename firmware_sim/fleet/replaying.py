"""The pure function behind every task: parse a stream once, and replay it with each learner."""

from __future__ import annotations

import gzip
import os
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware_sim.config import ReplayConfig
from firmware_sim.device.device import Device
from firmware_sim.errors import SimulatorError
from firmware_sim.fleet.configurations import Configuration
from firmware_sim.fleet.task import Record, Task, digest
from firmware_sim.metrics import Figures
from firmware_sim.metrics.base import finite
from firmware_sim.replaying.loop import Replay
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.replaying.rows import opened
from firmware_sim.streams.cached import CachedStream
from firmware_sim.streams.faults import parse
from firmware_sim.streams.faulty import FaultyStream


def replay_task(task: Task) -> list[Record]:
    """Replay one stream for several configurations.

    Parameters
    ----------
    task : Task
        The task; its file is read by the process that runs it.

    Returns
    -------
    list of Record
        One for each configuration, in order; identical for the same task on every machine and in
        every run. An invalid stream or configuration gives a failed record.

    Raises
    ------
    OSError, MemoryError
        A retry may succeed: the file cannot be read now, or there is not enough memory.
    """
    try:
        return _replayed(task)
    except (OSError, MemoryError) as error:
        if not isinstance(error, gzip.BadGzipFile):
            raise
        return task.failed(str(error))
    except SimulatorError as error:
        _raise_if_temporary(error)
        return task.failed(str(error))
    except Exception as error:  # an unforeseen stream must not stop the fleet
        return task.failed(f"{type(error).__name__}: {error}")


def _raise_if_temporary(error: SimulatorError) -> None:
    """Raise the OSError behind the error, if a retry may succeed."""
    cause = error.__context__
    if isinstance(cause, OSError) and not isinstance(cause, gzip.BadGzipFile):
        raise OSError(str(error)) from None


def _replayed(task: Task) -> list[Record]:
    content, _ = digest(task.board.path)
    if content != task.content:
        raise OSError(f"{task.board.stream} has changed since the run started")
    configs = [task.config(one) for one in task.configurations]
    needed = sum(config.cap_bytes for config in configs)
    if task.memory and needed > task.memory:
        raise SimulatorError(
            f"the learners may take {needed:,} bytes, the sum of their caps, and a worker may have "
            f"{task.memory:,}"
        )
    stream = CachedStream(opened(configs[0]))
    try:
        if configs[0].faults:  # of the board: the same for all
            faults = [parse(text) for text in configs[0].faults]
            stream = CachedStream(FaultyStream(stream, faults, configs[0].fault_seed or 0))
        return [
            _replay_one(task, one, replace(config, stream=stream, faults=()))
            for one, config in zip(task.configurations, configs, strict=True)
        ]
    finally:
        stream.close()


def _replay_one(task: Task, one: Configuration, config: ReplayConfig) -> Record:
    """Return the record of a replay."""
    try:
        replay = Replay(config)
        result = replay.run(beside_clean=False)
    except SimulatorError as error:
        _raise_if_temporary(error)
        return task.record(one, detail=str(error))
    if result.status != "complete":
        return task.record(one, detail=result.detail)
    record = task.record(one, "done")
    record.figures = figures_of(result)
    record.loss = finite({"loss": result.metrics.comparable})["loss"]
    if task.models:
        _save(Path(task.models), record.model, replay.device)
    return record


def _save(folder: Path, name: str, device: Device) -> None:
    """Write a learner to a file for `edgeolk.load`, and its scalers to files next to it."""
    parts = {
        "targets.olk": device.target_scaler,
        "scaler.olk": device.scaler,
        "olk": device.learner,  # last: its existence means that all files are complete
    }
    with TemporaryDirectory(dir=folder, prefix=".model-") as scratch:
        for ending, part in parts.items():
            if part is not None:
                file = f"{name}.{ending}"
                part.save(Path(scratch) / file)
                os.replace(Path(scratch) / file, folder / file)


def figures_of(result: ReplayResult) -> Figures:
    """Return counts of rows, the learner's figures, each baseline's first one, labels and power."""
    rows, metrics, learner = result.rows, result.metrics, result.learner
    summary, first = metrics.summary(), next(iter(metrics.table))
    out = finite(
        {
            "rows_read": rows.read,
            "rows_missing": rows.missing,
            "rows_damaged": rows.damaged,
            "rows_repaired": rows.repaired,
            "rows_used": rows.used,
            **summary["learner"],
            "rows_refused": rows.refused,
            "budget": learner["budget"],
            "nbytes": result.layout.end,
            "n_support": learner["n_support"],
            "updates": learner["updates"],
            "drift_alarms": learner["alarms"],
            **{f"{who}_{first}": summary[who][first] for who in metrics.baselines},
        }
    )
    if result.config.is_eventful:
        out |= {f"labels_{name}": count for name, count in asdict(result.labels).items()}
    if result.power is not None:
        out |= {f"power_{name}": count for name, count in asdict(result.power).items()}
    return out
