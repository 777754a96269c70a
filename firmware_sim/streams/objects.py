"""JSON: one object per line or message, an array of objects, or an object that contains one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.streams.block import Line
from firmware_sim.streams.columns import INSPECTED_ROWS, study
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.tables import CellStream, TableStream
from firmware_sim.streams.text import BadLine, open_lines

#: Most characters of a file without one object per line, because it is held in memory.
_LONGEST = 1 << 26
#: Characters of a line that may enclose objects, but are none.
_AROUND = " \t\r\n[],\ufeff"
_EMPTY: tuple[Any, ...] = ({}, [])
LINES = "JSON, one object per line"


def parsed(text: str | bytes) -> Any:
    """Return a JSON value, None if the text is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def fields_of(line: str | bytes) -> dict[str, Any]:
    """Return the fields of a line of JSON, those of an array by index; {} if it is not JSON.

    Ignores brackets and commas of an enclosing array, and a topic before the object.
    """
    line = line if isinstance(line, str) else line.decode("utf-8", "replace")
    start = min((at for at in map(line.find, "{[") if at >= 0), default=-1)
    if start < 0:
        return {}
    body = line[start:].strip().rstrip(",")
    some = map(parsed, (body, body.lstrip("[ "), body.rstrip("] "), body.strip("[] ")))
    return of_value(next((value for value in some if value is not None), None))


def of_value(value: Any) -> dict[str, Any]:
    """Return the fields of an object, or the items of an array by index."""
    if isinstance(value, list) and not any(isinstance(one, dict) for one in value):
        value = {f"c{place}": one for place, one in enumerate(value, 1)}
    try:
        return flat(value) if isinstance(value, dict) else {}
    except RecursionError:
        return {}


def flat(values: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return the values of an object, nested ones as ``a.b`` and ``a.0``.

    null, [] and {} become None: the field exists but has no value.
    """
    out: dict[str, Any] = {}
    for name, value in values.items():
        if value in _EMPTY:
            out[before + name] = None
        elif isinstance(value, dict):
            out |= flat(value, f"{before}{name}.")
        elif isinstance(value, list):
            out |= flat({str(place): one for place, one in enumerate(value)}, f"{before}{name}.")
        else:
            out[before + name] = value
    return out


def cell_of(value: Any) -> str:
    """Return a JSON value as a table cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def names_of(objects: Sequence[dict[str, Any]]) -> list[str]:
    """Return the fields of objects, in the order in which they first occur."""
    return [*dict.fromkeys(name for one in objects for name in one)]


def line_of(found: dict[str, Any], names: Sequence[str], text: str = "") -> Line:
    """Return an object as a row; {} is none."""
    if not found:
        return Line([], "it is not a JSON object", text)
    return Line([cell_of(found.get(name)) for name in names], "", text)


def lines_of(lines: Iterator[str], names: Sequence[str]) -> Iterator[Line]:
    """Yield the rows of lines of JSON."""
    for line in lines:
        if isinstance(line, BadLine):
            yield Line([], line.why, line.text)
        elif line.strip(_AROUND):
            yield line_of(fields_of(line), names, line)


class JsonLines(CellStream):
    """A file with one object per line.

    path: the file.
    options: settings of the columns.
    """

    def __init__(self, path: Path, options: ReadingOptions) -> None:
        self.path, self.name = path, path.name
        with open_lines(path) as lines:
            some = [*islice(filter(str.strip, lines), INSPECTED_ROWS)]
        known = options.given
        self._names = names_of([*map(fields_of, some)]) if known is None else known.names
        first = [line.cells for line in lines_of(iter(some), self._names) if not line.why]
        known = study(options, self._names, first, kind=LINES)
        self._read_as(Reading(self.name, known, first, options))

    def lines(self) -> Iterator[Line]:
        """Yield the rows; see `CellStream.lines`."""
        with open_lines(self.path) as lines:
            yield from lines_of(lines, self._names)


def open_json(path: Path, options: ReadingOptions) -> CellStream:
    """Return the stream of a JSON file.

    Raises StreamError: the file contains no rows.
    """
    with open_lines(path) as lines:
        some = [line for line in islice(lines, 64) if line.strip(_AROUND)]
    fit = sum(bool(fields_of(line)) for line in some)
    if 2 * fit > len(some) and (len(some) > 1 or not _rows_in(parsed(some[0]))):
        return JsonLines(path, options)
    with open_lines(path) as lines:
        parts, length = [], 0
        for line in lines:
            length += len(line)
            if length > _LONGEST:
                raise StreamError(
                    f"cannot read {path}: more than {_LONGEST:,} characters of JSON that are not "
                    "one object per line; convert it: jq -c '.[]' FILE"
                )
            parts.append(line)
    objects = [*map(of_value, _values("".join(parts).lstrip("\ufeff")))]
    names = names_of(objects[:INSPECTED_ROWS])
    if not names:
        raise StreamError(
            f"cannot read {path}: it is JSON that holds no list of objects, such as "
            "[{\"temperature\": 21.5}, ...]; convert it: jq -c '.LIST[]' FILE"
        )
    return TableStream(path.name, names, (line_of(one, names) for one in objects), options, "JSON")


def _values(text: str) -> list[Any]:
    """Return the rows in a JSON text, as many as are readable."""
    if (value := parsed(text)) is not None:
        return _rows_in(value)
    out: list[Any] = []
    decoder, at, last = json.JSONDecoder(), text.find("{"), -1
    while at >= 0:  # several values, or a damaged one
        try:
            value, end = decoder.raw_decode(text, at)
            out.append(value)
            at = text.find("{", end)
        except (ValueError, RecursionError) as error:
            if last != len(out):  # a damaged stretch is one row
                out.append(None)
                last = len(out)
            at = text.find("{", max(at + 1, getattr(error, "pos", at)))
    return out


def _rows_in(value: Any) -> list[Any]:
    """Return the longest list of rows in a value; columns of equal length become rows."""
    best: list[Any] = []
    pending = [value]
    while pending:
        one = pending.pop(0)
        if isinstance(one, list):
            rows = [row for row in one if isinstance(row, (dict, list))]
            if 2 * len(rows) > len(one) and len(one) > len(best):
                best = one
            pending += rows[:50]
        elif isinstance(one, dict):
            lists = {name: column for name, column in one.items() if isinstance(column, list)}
            lengths = {len(column) for column in lists.values()}
            cells = (cell for column in lists.values() for cell in column[:9])
            plain = not any(isinstance(cell, (dict, list)) for cell in cells)
            if len(lists) > 1 and len(lengths) == 1 and plain and max(lengths) > len(best):
                columns = zip(*lists.values(), strict=True)
                best = [dict(zip(lists, row, strict=True)) for row in columns]
            pending += one.values()
    return best
