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

FORMAT = 1  # of records: grows when a name in them changes its meaning
_PIECE = 1 << 20
#: What a record has beside its figures.
_OWN = ("key", "device", "stream", "configuration", "status", "detail", "loss")


@dataclass(frozen=True)
class Task:
    """One stream and the configurations that are to learn it: paths and words, no arrays.

    Attributes
    ----------
    board : Board
        The stream.
    content : str
        Digest of what the stream holds.
    nbytes : int
        Its size on disk.
    configurations : tuple of Configuration
        The learners.
    models : str
        A folder for the final models, empty for none.
    memory : int
        Bytes that the learners may have together, 0 for no bound.
    """

    board: Board
    content: str
    nbytes: int
    configurations: tuple[Configuration, ...]
    models: str = ""
    memory: int = 0

    def key(self, configuration: Configuration) -> str:
        """Return the name of what one configuration does on this stream, in any run."""
        said = [
            FORMAT,
            ek.__version__,
            self.board.device,
            self.content,
            sorted(self.board.options.items()),
            self.board.fault_seed,
            configuration.name,
            sorted(configuration.fields.items()),
        ]
        text = json.dumps(said, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def config(self, configuration: Configuration) -> ReplayConfig:
        """Return the replay of the stream with a configuration."""
        said = {**self.board.options, "fault_seed": self.board.fault_seed}
        return configuration.on(self.board.path, said)

    def record(self, one: Configuration, status: str = "failed", detail: str = "") -> Record:
        """Return a record of a configuration, with no figures yet."""
        board = self.board
        return Record(self.key(one), board.device, board.stream, one.name, status, detail)

    def failed(self, why: str) -> list[Record]:
        """Return a failed record of each configuration."""
        return [self.record(one, detail=why) for one in self.configurations]


@dataclass
class Record:
    """What came of one configuration on one stream; the same in every run.

    Attributes
    ----------
    status : {"done", "failed"}
        Whether the learner got to the end of the stream.
    detail : str
        Why it did not.
    loss : float or None
        What is compared: the share of wrong answers; the mean absolute error as a multiple of that
        of repeating the last value; the area above the ROC curve, None without labels.
    figures : mapping
        Everything that was counted.
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
        """What the files of its final model are called, before their endings."""
        return f"{self.device}.{self.configuration}"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, flat, for JSON or a table."""
        return {**{name: getattr(self, name) for name in _OWN}, **self.figures}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Record:
        """Return the record of such a dictionary.

        Raises KeyError: it is none.
        """
        figures = {name: value for name, value in found.items() if name not in _OWN}
        return cls(**{name: found[name] for name in _OWN}, figures=figures)


def digest(path: str) -> tuple[str, int]:
    """Return digest and size of a stream's file.

    Raises OSError: it cannot be read.
    """
    bundled = BUNDLED.get(path)
    file = Path(path) if bundled is None else bundled.path
    if not file.is_file():  # a pipe would be waited on for ever
        raise FileNotFoundError(f"no file {path!r}")
    found = hashlib.sha256()
    with file.open("rb") as stream:
        while piece := stream.read(_PIECE):
            found.update(piece)
        return found.hexdigest(), stream.tell()
