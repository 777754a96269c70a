"""The task of one stream, the keys of its records, and the pure function that runs it.

A task parses its stream once, and replays it with each learner.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import edgeolk as ek
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.device import Device
from firmware_sim.errors import SimulatorError
from firmware_sim.fleet.configurations import Configuration
from firmware_sim.fleet.manifest import Board
from firmware_sim.metrics import Figures
from firmware_sim.metrics.base import finite
from firmware_sim.replaying.loop import Replay
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.replaying.source import Source
from firmware_sim.streams import BUNDLED

FORMAT = 1  # of records: incremented when a field changes its meaning
_PIECE = 1 << 20
#: Fields of a record besides its figures.
_FIXED_FIELDS = ("key", "device", "stream", "configuration", "status", "detail", "loss")


@dataclass(frozen=True)
class Task:
    """One stream and the configurations that learn it: paths and options, no arrays.

    Attributes
    ----------
    board : Board
        The stream.
    content : str
        Digest of the stream's content.
    nbytes : int
        Its size on disk.
    configurations : tuple of Configuration
        The learners.
    models : str
        Folder for the final models; empty: models are not saved.
    memory : int
        Maximum bytes of all learners, 0 for no limit.
    strict : bool
        Whether a run that leaves out more than a tenth of its rows has failed.
    """

    board: Board
    content: str
    nbytes: int
    configurations: tuple[Configuration, ...]
    models: str = ""
    memory: int = 0
    strict: bool = False

    def key(self, configuration: Configuration) -> str:
        """Return the key of a configuration's record for this stream, the same in every run."""
        identity = [
            FORMAT,
            ek.__version__,
            self.board.device,
            self.content,
            sorted(self.board.options.items()),
            self.board.fault_seed,
            configuration.name,
            sorted(configuration.fields.items()),
            *(["strict"] if self.strict else []),
        ]
        text = json.dumps(identity, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def config(self, configuration: Configuration) -> ReplayConfig:
        """Return the configuration of the stream's replay."""
        identity = {**self.board.options, "fault_seed": self.board.fault_seed}
        return configuration.on(self.board.path, identity)

    def record(self, one: Configuration, status: str = "failed", detail: str = "") -> Record:
        """Return a record without figures."""
        board = self.board
        return Record(self.key(one), board.device, board.stream, one.name, status, detail)

    def failed(self, why: str) -> list[Record]:
        """Return a failed record of each configuration."""
        return [self.record(one, detail=why) for one in self.configurations]


@dataclass
class Record:
    """The result of one configuration on one stream; the same in every run.

    Attributes
    ----------
    status : {"done", "failed"}
        Whether the learner reached the end of the stream.
    detail : str
        Why it failed.
    loss : float or None
        The loss to compare: the share of wrong answers; the mean absolute error divided by that of
        the last value; the area above the ROC curve, None without labels.
    figures : mapping
        All figures.
    """

    key: str
    device: str
    stream: str
    configuration: str
    status: str
    detail: str = ""
    loss: float | None = None
    figures: dict[str, float | int | None] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The name of its model files, without extension."""
        return f"{self.device}.{self.configuration}"

    def to_dict(self) -> dict[str, Any]:
        """Return all fields and figures as one flat dictionary."""
        return {**{name: getattr(self, name) for name in _FIXED_FIELDS}, **self.figures}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Record:
        """Return the record of a dictionary from `to_dict`.

        Raises KeyError: a field is missing.
        """
        figures = {name: value for name, value in found.items() if name not in _FIXED_FIELDS}
        return cls(**{name: found[name] for name in _FIXED_FIELDS}, figures=figures)


def digest(path: str) -> tuple[str, int]:
    """Return the digest and size of a stream's file.

    Raises OSError: it cannot be read.
    """
    bundled = BUNDLED.get(path)
    file = Path(path) if bundled is None else bundled.path
    if not file.is_file():  # reading a pipe could block forever
        raise FileNotFoundError(f"no file {path!r}")
    found = hashlib.sha256()
    with file.open("rb") as stream:
        while piece := stream.read(_PIECE):
            found.update(piece)
        return found.hexdigest(), stream.tell()


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
    # All but the type of samples in windows is of the board, and the same for all.
    sources: dict[str, Source] = {}
    records = []
    try:
        for one, config in zip(task.configurations, configs, strict=True):
            key = repr(config.windows)
            try:
                source = sources.get(key) or Source(config, cached=True)
            except SimulatorError as error:
                _raise_if_temporary(error)
                records.append(task.record(one, detail=str(error)))
                continue
            sources[key] = source
            records.append(_replay_one(task, one, config.of_rows(source.stream)))
        return records
    finally:
        for source in sources.values():
            source.close()


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
    if task.strict and result.left_out:
        return task.record(one, detail=result.left_out)
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
    if result.outlook is not None:
        for one in result.outlook.horizons[:-1]:  # the last one is that of the figures above
            out[f"mae_{one.rows}_ahead"] = one.figures["learner"]["mae"]
    if result.config.is_eventful:
        out |= {f"labels_{name}": count for name, count in asdict(result.labels).items()}
    if result.power is not None:
        out |= {f"power_{name}": count for name, count in asdict(result.power).items()}
    return out
