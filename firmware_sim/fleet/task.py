"""The task of one stream, and the keys of its records."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import edgeolk as ek
from firmware_sim.config import ReplayConfig
from firmware_sim.fleet.configurations import Configuration
from firmware_sim.fleet.manifest import Board
from firmware_sim.streams.bundled import BUNDLED

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
    """

    board: Board
    content: str
    nbytes: int
    configurations: tuple[Configuration, ...]
    models: str = ""
    memory: int = 0

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
