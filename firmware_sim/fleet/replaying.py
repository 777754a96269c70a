"""The one pure task: a stream is parsed once, and each learner replays its rows."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

from firmware_sim.config import ReplayConfig
from firmware_sim.errors import SimulatorError
from firmware_sim.fleet.configurations import Configuration
from firmware_sim.fleet.figures import figures_of
from firmware_sim.fleet.saving import save_parts
from firmware_sim.fleet.task import Record, Task, digest
from firmware_sim.metrics.base import finite
from firmware_sim.replaying.loop import Replay
from firmware_sim.replaying.rows import opened
from firmware_sim.streams.cached import CachedStream
from firmware_sim.streams.faults import parse
from firmware_sim.streams.faulty import FaultyStream


def replay_task(task: Task) -> list[Record]:
    """Replay one stream for several configurations.

    Parameters
    ----------
    task : Task
        Paths and words; the file is read where this runs.

    Returns
    -------
    list of Record
        One for each configuration, in their order; the same for the same task, wherever and how
        often it runs. A stream or a configuration that is at fault gives a failed one.

    Raises
    ------
    OSError, MemoryError
        What may go better the next time: the file cannot be read now, or there is no memory.
    """
    try:
        return _replayed(task)
    except (OSError, MemoryError) as error:
        if not isinstance(error, gzip.BadGzipFile):
            raise
        return _failed(task, str(error))
    except SimulatorError as error:
        _raise_if_passing(error)
        return _failed(task, str(error))
    except Exception as error:  # a stream that nobody thought of stops nobody
        return _failed(task, f"{type(error).__name__}: {error}")


def _raise_if_passing(error: SimulatorError) -> None:
    """Raise the OSError behind a message, where the file may be readable the next time."""
    cause = error.__context__
    if isinstance(cause, OSError) and not isinstance(cause, gzip.BadGzipFile):
        raise OSError(str(error)) from None


def _failed(task: Task, why: str) -> list[Record]:
    return [_record(task, one, "failed", why) for one in task.configurations]


def _record(task: Task, one: Configuration, status: str, detail: str = "") -> Record:
    board = task.board
    return Record(task.key(one), board.device, board.stream, one.name, status, detail)


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
    held = CachedStream(opened(configs[0]))
    try:
        if configs[0].faults:  # of the board: the same for all
            faults = [parse(text) for text in configs[0].faults]
            held = CachedStream(FaultyStream(held, faults, configs[0].fault_seed or 0))
        return [
            _alone(task, one, replace(config, stream=held, faults=()))
            for one, config in zip(task.configurations, configs, strict=True)
        ]
    finally:
        held.close()


def _alone(task: Task, one: Configuration, config: ReplayConfig) -> Record:
    """Return the record of a replay."""
    try:
        replay = Replay(config)
        result = replay.run(beside_clean=False)
    except SimulatorError as error:
        _raise_if_passing(error)
        return _record(task, one, "failed", str(error))
    if result.status != "complete":
        return _record(task, one, "failed", result.detail)
    record = _record(task, one, "done")
    record.figures = figures_of(result)
    record.loss = finite({"loss": result.metrics.comparable})["loss"]
    if task.models:
        device, name = replay.device, f"{task.board.device}.{one.name}"
        save_parts(Path(task.models), name, device.learner, device.scaler, device.target_scaler)
    return record
