"""The history that Home Assistant exports: a line for each change of each entity."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path

from firmware_sim.errors import StreamError
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.streams.tables import TableStream
from firmware_sim.streams.text import open_lines

_ENTITY, _STATE, _TIME = _COLUMNS = ("entity_id", "state", "last_changed")


def is_history(first_line: str) -> bool:
    """Whether a file with this first line is such a history."""
    header = next(csv.reader([first_line.lstrip("\ufeff")]), [])
    return set(_COLUMNS) <= {cell.strip() for cell in header}


class HistoryStream(TableStream):
    """A history as a table: a column for each entity, a row for each time at which one changed.

    A cell has the last state of its entity, and is empty before its first. The file may have its
    lines in any order, such as entity by entity; they are held in memory and sorted by time.

    path: the file.
    options: what is known of the columns, which are named by their entities.
    Raises StreamError: the file cannot be read, or a time in it is none.
    """

    def __init__(self, path: Path, options: ReadingOptions) -> None:
        with open_lines(path) as lines:
            changes = _changes(path.name, lines)
        entities = list(dict.fromkeys(entity for _, entity, _, _ in changes))
        place = {entity: i for i, entity in enumerate(entities, 1)}
        records: list[list[str]] = []
        states = ["", *("" for _ in entities)]
        # Sorting is stable: of several states at one time the last line counts.
        for _, entity, state, time in sorted(changes, key=lambda change: change[0]):
            if time != states[0] or not records:
                records.append([])
            states[0], states[place[entity]] = time, state
            records[-1] = [*states]
        super().__init__(path.name, [_TIME, *entities], records, options)


def _changes(name: str, lines: Iterable[str]) -> list[tuple[datetime, str, str, str]]:
    """The time, entity, state and time as written of each line."""
    rows = csv.DictReader(lines)
    rows.fieldnames = [field.strip() for field in rows.fieldnames or ()]
    changes = []
    for row in rows:
        entity, state, time = (str(row.get(column) or "").strip() for column in _COLUMNS)
        if not entity:
            continue
        try:
            at = datetime.fromisoformat(time.replace("Z", "+00:00"))
        except ValueError:
            raise StreamError(
                f"{name}: line {rows.line_num}: {_TIME} is {time!r}, it must be a time such as"
                " 2026-01-05T10:00:00.000Z"
            ) from None
        if at.tzinfo is None:
            at = at.replace(tzinfo=timezone.utc)
        changes.append((at, entity, state, time))
    if not changes:
        raise StreamError(f"{name}: there is no row after the header")
    return changes
