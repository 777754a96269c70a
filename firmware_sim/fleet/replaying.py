"""The one pure task: a stream is read once, and all learners step through it together.

Design: two classes and real numbers are learned a block at a time. Where a learner has to be asked
row by row (several classes, no labels, late ones, power cuts) each configuration is a replay like
that of the command, over rows that are parsed once.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.errors import SimulatorError, StreamError
from firmware_sim.fleet.block_learner import BlockLearner, Scalers
from firmware_sim.fleet.blocks import Reader
from firmware_sim.fleet.configurations import Configuration
from firmware_sim.fleet.figures import figures_of, of_result
from firmware_sim.fleet.saving import save_parts
from firmware_sim.fleet.task import Record, Task, digest
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.base import finite
from firmware_sim.replaying.loop import Replay
from firmware_sim.replaying.rows import opened
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.cached import CachedStream
from firmware_sim.streams.faults import parse
from firmware_sim.streams.faulty import FaultyStream


def replay_task(task: Task) -> list[Record]:
    """Replay one stream for several configurations at once.

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
        cause = error.__context__
        if isinstance(cause, OSError) and not isinstance(cause, gzip.BadGzipFile):
            raise OSError(str(error)) from None
        return _failed(task, str(error))
    except Exception as error:  # a stream that nobody thought of stops nobody
        return _failed(task, f"{type(error).__name__}: {error}")


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
    stream = opened(configs[0])
    try:
        if any(row_by_row(config) for config in configs):
            held = CachedStream(stream)
            return [
                _alone(task, one, replace(config, stream=held))
                for one, config in zip(task.configurations, configs, strict=True)
            ]
        return _learned(task, configs, _broken(configs[0], stream))
    finally:
        stream.close()


def row_by_row(config: ReplayConfig) -> bool:
    """Whether a learner is asked row by row, so that blocks are of no use."""
    return config.is_eventful or config.kind not in ("binary", "regression")


def _alone(task: Task, one: Configuration, config: ReplayConfig) -> Record:
    """Return the record of a replay; the rows are parsed already where another one went before."""
    try:
        replay = Replay(config)
        result = replay.run(beside_clean=False)
    except SimulatorError as error:
        return _record(task, one, "failed", str(error))
    if result.status != "complete":
        return _record(task, one, "failed", result.detail)
    record = _record(task, one, "done")
    record.figures, record.loss = of_result(result), _loss(result.metrics)
    if task.models:
        device, name = replay.device, f"{task.board.device}.{one.name}"
        save_parts(Path(task.models), name, device.learner, device.scaler, device.target_scaler)
    return record


def _broken(config: ReplayConfig, stream: Stream) -> Stream:
    if not config.faults:
        return stream
    faults = [parse(text) for text in config.faults]
    return FaultyStream(stream, faults, config.fault_seed or 0)


def _learned(task: Task, configs: list[ReplayConfig], stream: Stream) -> list[Record]:
    reader = Reader(configs[0], stream)
    learners = _Learners(task, configs, len(stream.features))
    prefix = max(config.prefix for config in configs)
    waiting: list[tuple[Row, Row]] = []
    whole: list[Row] = []
    if isinstance(stream, FaultyStream):
        learners.make(_clean_prefix(configs[0], stream.clean, prefix))
    for X, y, first in reader.blocks():
        if learners.made:
            learners.learn(X, y)
            continue
        waiting.append((X, y))
        whole.append(first)
        if sum(map(len, whole)) >= prefix:
            learners.make(np.concatenate(whole))
            _settle(learners, waiting)
    if not learners.made and whole and sum(map(len, whole)):
        learners.make(np.concatenate(whole))
        _settle(learners, waiting)
    if not learners.made:
        raise StreamError(_nothing_used(stream, reader, 0))
    return [
        _figured(task, one, learner, reader)
        if isinstance(learner, str) or learner.stopped or learner.used
        else _record(task, one, "failed", _nothing_used(stream, reader, learner.refused))
        for one, learner in zip(task.configurations, learners.each, strict=True)
    ]


def _nothing_used(stream: Stream, reader: Reader, refused: int) -> str:
    rows, also = reader.rows, f", the learner refuses {refused:,}" if refused else ""
    if not rows.read:
        return f"{stream.name}: there is no row after the header"
    where = f" ({rows.missing_words()})" if rows.missing_by_column else ""
    return (
        f"{stream.name}: none of the {rows.read:,} rows can be used: {rows.missing:,} lack a "
        f"value{where}, {rows.damaged:,} are damaged{also}"
    )


def _clean_prefix(config: ReplayConfig, clean: Stream, prefix: int) -> Row:
    """Return the first rows without a gap: sensors are whole when a board is flashed."""
    whole: list[Row] = []
    for _, _, first in Reader(config, clean).blocks():
        whole.append(first)
        if sum(map(len, whole)) >= prefix:
            break
    return np.concatenate([np.empty((0, len(clean.features))), *whole])


def _settle(learners: _Learners, waiting: list[tuple[Row, Row]]) -> None:
    for X, y in waiting:
        learners.learn(X, y)
    waiting.clear()


def _figured(task: Task, one: Configuration, learner: BlockLearner | str, reader: Reader) -> Record:
    if isinstance(learner, str):
        return _record(task, one, "failed", learner)
    if learner.stopped:
        return _record(task, one, "failed", f"the learner takes no more rows: {learner.stopped}")
    record = _record(task, one, "done")
    rows = replace(reader.rows, used=learner.used, refused=learner.refused)
    record.figures = figures_of(rows, learner.metrics, learner.counters(), learner.nbytes)
    record.loss = _loss(learner.metrics)
    if task.models:
        learner.save(Path(task.models), f"{task.board.device}.{one.name}")
    return record


def _loss(metrics: Metrics) -> float | None:
    """What is compared, where JSON has such a number."""
    return finite({"loss": metrics.comparable})["loss"]


class _Learners:
    """The learners of a task."""

    def __init__(self, task: Task, configs: list[ReplayConfig], n_features: int) -> None:
        self._task, self._configs, self._n_features = task, configs, n_features
        self._scalers = Scalers(n_features)
        self.each: list[BlockLearner | str] = []

    @property
    def made(self) -> bool:
        """Whether the learners are made."""
        return bool(self.each)

    def make(self, first: Row) -> None:
        """Make the learners; one that cannot be had is a sentence instead."""
        for config in self._configs:
            try:
                self.each.append(BlockLearner(config, self._n_features, self._scalers, first))
            except SimulatorError as error:
                self.each.append(str(error))
        needed = sum(learner.nbytes for learner in self.each if isinstance(learner, BlockLearner))
        if self._task.memory and needed > self._task.memory:
            raise SimulatorError(
                f"the learners need {needed:,} bytes, a worker may have {self._task.memory:,}"
            )

    def learn(self, X: Row, y: Row) -> None:
        """Let every learner step through a block."""
        if not len(y):
            return
        self._scalers.begin_block()
        for learner in self.each:
            if isinstance(learner, BlockLearner):
                learner.learn(X, y)
