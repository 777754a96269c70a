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
        return key_of(self.board, self.content, configuration)

    def config(self, configuration: Configuration) -> ReplayConfig:
        """Return the replay of the stream with a configuration."""
        said = {**self.board.options, "fault_seed": self.board.fault_seed}
        return configuration.on(self.board.path, said)


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

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, flat, for JSON or a table."""
        own = dict(self.__dict__)
        figures: Mapping[str, Any] = own.pop("figures")
        return {**own, **figures}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Record:
        """Return the record of such a dictionary.

        Raises KeyError: it is none.
        """
        own = ("key", "device", "stream", "configuration", "status", "detail", "loss")
        figures = {name: value for name, value in found.items() if name not in own}
        return cls(**{name: found[name] for name in own}, figures=figures)


def key_of(board: Board, content: str, configuration: Configuration) -> str:
    """Return the key of a configuration on a stream of that content."""
    said = [
        FORMAT,
        ek.__version__,
        board.device,
        content,
        sorted(board.options.items()),
        board.fault_seed,
        configuration.name,
        sorted(configuration.fields.items()),
    ]
    text = json.dumps(said, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def digest(path: str) -> tuple[str, int]:
    """Return digest and size of a stream's file.

    Raises OSError: it cannot be read.
    """
    bundled = BUNDLED.get(path)
    file = Path(path) if bundled is None else bundled.path
    if not file.is_file():  # a pipe would be waited on for ever
        raise FileNotFoundError(f"no file {path!r}")
    found, size = hashlib.sha256(), 0
    with file.open("rb") as stream:
        while piece := stream.read(_PIECE):
            found.update(piece)
            size += len(piece)
    return found.hexdigest(), size
