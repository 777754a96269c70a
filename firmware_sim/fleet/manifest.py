"""The boards of a fleet: a CSV with a row for each, or a pattern of file names."""

from __future__ import annotations

import csv
import glob
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.configuration.option import MANIFEST, Option
from firmware_sim.errors import SimulatorError, StreamError
from firmware_sim.streams import BUNDLED
from firmware_sim.streams.text import Records, open_lines

#: Allowed columns besides stream and device; empty cells are ignored.
COLUMNS = {name: one for name, one in OPTIONS.items() if one.where >= MANIFEST}


@dataclass(frozen=True)
class Board:
    """One board and its stream.

    Attributes
    ----------
    device : str
        Its unique name.
    stream : str
        The stream as given in the manifest.
    path : str
        The path from which a worker opens it.
    options : mapping
        Fields of `ReplayConfig` on reading and faults.
    fault_seed : int
        Seed of the faults; learners have their own seeds.
    """

    device: str
    stream: str
    path: str
    options: Mapping[str, Any] = field(default_factory=dict)
    fault_seed: int = 0


def read_manifest(manifest: str, options: Mapping[str, Any] | None = None) -> list[Board]:
    """Return the boards of a manifest.

    Parameters
    ----------
    manifest : str
        A CSV file with a column ``stream`` (paths, relative to the file) and, optionally,
        ``device`` and the `COLUMNS`; several values in a cell are separated by semicolons. Or a
        pattern, such as ``"logs/*.csv.gz"``.
    options : mapping, optional
        Values for empty cells and missing columns.

    Raises
    ------
    SimulatorError
        There is no such file, a cell cannot be read, or two boards have the same name.
    """
    given = dict(options or {})
    if glob.has_magic(manifest):
        boards = [
            Board(_stem(path), path, str(Path(path).absolute()), given)
            for path in sorted(glob.glob(manifest, recursive=True))
        ]
        if not boards:
            raise SimulatorError(f"no file is called {manifest!r}")
    else:
        boards = _from_table(Path(manifest), given)
    seen: dict[str, Board] = {}
    for board in boards:
        check_name(board.device)
        other = seen.setdefault(board.device, board)
        if other is not board:
            raise SimulatorError(
                f"two boards are called {board.device!r}, {other.stream} and {board.stream}: "
                "give them names in a column 'device'"
            )
    return boards


def check_name(name: str) -> None:
    """Raise an error for a name that cannot be part of a file name.

    name: the name of a board or a configuration.
    Raises SimulatorError: it is empty, starts with a dot, or contains a slash or characters that
        cannot be printed.
    """
    if not name or name.startswith(".") or "/" in name or not name.isprintable():
        raise SimulatorError(
            f"{name!r} cannot be the name of a board or configuration: model files are named "
            "after it, so it must not be empty, contain a slash or start with a dot"
        )


def _from_table(path: Path, given: dict[str, Any]) -> list[Board]:
    boards = []
    with open_lines(path) as lines:
        records = Records(lines, ",")
        header = [cell.strip() for cell in next(records, [])]
        unknown = [name for name in header if name not in ("stream", "device", *COLUMNS)]
        if "stream" not in header or unknown:
            raise SimulatorError(
                f"{path} is not a manifest: it has the columns {', '.join(header)}; it needs "
                f"'stream' and may have device, {', '.join(COLUMNS)}"
            )
        for number, record in enumerate(records, 1):
            try:
                if records.damage:
                    raise ValueError(records.damage)
                if len(record) != len(header):
                    raise ValueError(f"{len(record)} cells where the header has {len(header)}")
                boards.append(_board(dict(zip(header, record, strict=True)), path, given))
            except (ValueError, csv.Error) as error:
                raise SimulatorError(f"{path}: row {number}: {error}") from None
    if not boards:
        raise StreamError(f"{path}: no board after the header")
    return boards


def _board(cells: dict[str, str], manifest: Path, given: dict[str, Any]) -> Board:
    stream = cells["stream"].strip()
    if not stream:
        raise ValueError("no stream")
    path = stream if stream in BUNDLED else str((manifest.parent / stream).absolute())
    own = {
        name: _value(one, cells[name])
        for name, one in COLUMNS.items()
        if cells.get(name, "").strip()
    }
    seed = own.pop("fault_seed", 0)
    device = cells.get("device", "").strip() or _stem(stream)
    return Board(device, stream, path, {**given, **own}, seed)


def _value(one: Option, cell: str) -> Any:
    """Return the value of a cell, or the tuple of values separated by semicolons."""
    if not one.several:
        return one.value.read(cell.strip())
    words = [word.strip() for word in cell.split(";") if word.strip()]
    return tuple(words if one.value.commas else map(one.value.read, words))


def _stem(path: str) -> str:
    return Path(path).name.split(".")[0]
