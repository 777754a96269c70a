"""Logs with one line per change of a sensor: Home Assistant's history, InfluxDB's export."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from firmware_sim.errors import StreamError
from firmware_sim.plaintext import shortened
from firmware_sim.streams.block import Line
from firmware_sim.streams.dates import TimeFormat
from firmware_sim.streams.dialect import INSPECTED_LINES, Dialect, laid_out
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.streams.tables import TableStream
from firmware_sim.streams.text import Records, open_lines

#: The columns of the sensor name, its value and the time.
_HISTORIES = (("entity_id", "state", "last_changed"), ("_field", "_value", "_time"))
_ISO = TimeFormat("%Y-%m-%dT%H:%M:%S")


def history_of(path: Path, target: str | None) -> Dialect | None:
    """Return the dialect of a history of several sensors; None for any other file."""
    with open_lines(path) as file:
        lines = [*islice(file, INSPECTED_LINES)]
    if not any(columns[0] in line for columns in _HISTORIES for line in lines):
        return None
    layout = laid_out(lines)
    columns = _columns(layout)
    if columns is None or target in columns:
        return None
    if columns is _HISTORIES[0]:
        return layout
    place = layout.names.index(columns[0])
    records = Records(iter(lines[layout.data - 1 :]), layout.separator, layout.comment)
    fields = {record[place] for record in records if len(record) == len(layout.names)}
    return layout if len(fields - {columns[0], ""}) > 1 else None


def _columns(layout: Dialect) -> tuple[str, str, str] | None:
    return next((some for some in _HISTORIES if set(some) <= set(layout.names)), None)


def open_history(path: Path, layout: Dialect, options: ReadingOptions) -> TableStream:
    """Return a history as a table: one column per entity, one row per time of a change.

    A cell holds the latest state of its entity, and is empty before the first one. The lines may
    have any order, such as entity by entity; they are sorted by time in memory. Unreadable lines
    become unreadable rows at the end.

    layout: the dialect of the file, from `history_of`.
    options: settings of the columns, which are named after their entities.
    Raises StreamError: the file is unreadable, or all of its times are.
    """
    columns = _columns(layout)
    assert columns is not None
    with open_lines(path) as lines:
        rest = islice(lines, layout.data - 1, None)
        records = Records(rest, layout.separator, layout.comment)
        changes, bad = _changes(path.name, records, layout, columns)
    place = {entity: i for i, entity in enumerate(dict.fromkeys(one[1] for one in changes), 1)}
    rows: list[list[str]] = []
    states = ["", *("" for _ in place)]
    # Sorting is stable: if several lines have the same time, the last one counts.
    for _, entity, state, time in sorted(changes, key=lambda change: change[0]):
        if time != states[0] or not rows:
            rows.append([])
        states[0], states[place[entity]] = time, state
        rows[-1] = [*states]
    kind = "a history, a line for each change"
    return TableStream(path.name, [columns[2], *place], [*map(Line, rows), *bad], options, kind)


def _changes(
    name: str, records: Records, layout: Dialect, columns: tuple[str, str, str]
) -> tuple[list[tuple[float, str, str, str]], list[Line]]:
    """Return (seconds, entity, state, time as written) of each line, and the unreadable lines."""
    places = [layout.names.index(column) for column in columns]
    changes: list[tuple[float, str, str, str]] = []
    bad: list[Line] = []
    first = ""
    for at, record in enumerate(records):
        cells = [record[place].strip() if place < len(record) else "" for place in places]
        entity, state, time = cells
        if records.damage:
            bad.append(Line([], records.damage, records.text))
        elif entity and cells != [*columns]:
            try:
                changes.append((_ISO.seconds(time), entity, state, time))
            except ValueError:
                example = "2026-01-05T10:00:00.000Z"
                why = f"{columns[2]} is {shortened(time)}, not a time such as {example}"
                first = first or f"line {layout.data + at}: {why}"
                bad.append(Line([], why, records.text))
    if not changes:
        raise StreamError(f"{name}: {first or 'there is no row after the header'}")
    return changes, bad
