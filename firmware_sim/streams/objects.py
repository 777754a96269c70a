"""JSON files: one object per line, an array of objects, or an object that contains one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.streams.block import Damage
from firmware_sim.streams.columns import INSPECTED_ROWS
from firmware_sim.streams.messages import flat, text
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.tables import CellStream, Line, TableStream
from firmware_sim.streams.text import BadLine, open_lines

#: Most characters of a file without one object per line, because it is held in memory.
_LONGEST = 1 << 26
NO_OBJECT = "it is not a JSON object"


def fields_of(line: str) -> dict[str, Any]:
    """Return the fields of a line of JSON, those of an array by index; {} if it is not JSON.

    Ignores brackets and commas of an enclosing array, and a topic before the object.
    """
    start = min((at for at in map(line.find, "{[") if at >= 0), default=-1)
    if start < 0:
        return {}
    body = line[start:].strip().rstrip(",")
    for candidate in (body, body.lstrip("[ "), body.rstrip("] "), body.strip("[] ")):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return of_value(value)
    return {}


def of_value(value: Any) -> dict[str, Any]:
    """Return the fields of an object, or the items of an array by index."""
    try:
        if isinstance(value, dict):
            return flat(value)
        if isinstance(value, list) and not any(isinstance(one, dict) for one in value):
            return flat({f"c{place}": one for place, one in enumerate(value, 1)})
    except RecursionError:
        pass
    return {}


def names_of(objects: Sequence[dict[str, Any]]) -> list[str]:
    """Return the fields of objects, in the order in which they first occur."""
    return [*dict.fromkeys(name for one in objects for name in one)]


class JsonLines(CellStream):
    """A file with one object per line.

    path: the file.
    options: settings of the columns.
    """

    def __init__(self, path: Path, options: ReadingOptions) -> None:
        self.path, self.name = path, path.name
        with open_lines(path) as lines:
            objects = [fields_of(line) for line in islice(filter(str.strip, lines), INSPECTED_ROWS)]
        known = options.given
        self._names = known.names if known is not None else names_of([*filter(None, objects)])
        first = [self._cells(one) for one in objects if one]
        if known is None:
            known = options.study(self._names, first, "\t")
            known = known.laid_out("JSON, one object per line", None)
        self._read_as(Reading(self.name, known, first, options))

    def _cells(self, one: dict[str, Any]) -> list[str]:
        return [text(one.get(name)) for name in self._names]

    def records(self) -> Iterator[Line]:
        """Yield the rows; see `CellStream.records`."""
        with open_lines(self.path) as lines:
            for line in lines:
                if isinstance(line, BadLine):
                    yield [], line.why
                elif line.strip(" \t\r\n[],\ufeff"):
                    found = fields_of(line)
                    yield (self._cells(found), "") if found else ([], Damage.of(NO_OBJECT, line))

    def count(self) -> int | None:
        """Return the number of rows."""
        return sum(1 for _ in self.records())


def open_json(path: Path, options: ReadingOptions) -> CellStream:
    """Return the stream of a JSON file.

    Raises StreamError: the file contains no rows.
    """
    with open_lines(path) as lines:
        some = [line for line in islice(lines, 64) if line.strip(" \t\r\n[],\ufeff")]
    fit = [fields_of(line) for line in some]
    by_line = 2 * sum(map(bool, fit)) > len(fit) and (len(some) > 1 or not _rows(some[0]))
    if by_line:
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
    names = names_of([*filter(None, objects[:INSPECTED_ROWS])])
    if not names:
        raise StreamError(
            f"cannot read {path}: it is JSON that holds no list of objects, such as "
            "[{\"temperature\": 21.5}, ...]; convert it: jq -c '.LIST[]' FILE"
        )
    records = [[text(one.get(name)) for name in names] if one else [] for one in objects]
    return TableStream(path.name, names, records, options, "JSON")


def _rows(text_: str) -> bool:
    """Whether a text is a single value that contains rows."""
    try:
        return bool(_find_rows(json.loads(text_)))
    except (ValueError, RecursionError):
        return False


def _values(text_: str) -> list[Any]:
    """Return the rows in a JSON text, as many as are readable."""
    try:
        return _find_rows(json.loads(text_))
    except (ValueError, RecursionError):
        pass
    out: list[Any] = []
    decoder, at, last = json.JSONDecoder(), text_.find("{"), -1
    while at >= 0:  # several values, or a damaged one
        try:
            value, end = decoder.raw_decode(text_, at)
            out.append(value)
            at = text_.find("{", end)
        except (ValueError, RecursionError) as error:
            if last != len(out):  # a damaged stretch is one row
                out.append(None)
                last = len(out)
            at = text_.find("{", max(at + 1, getattr(error, "pos", at)))
    return out


def _find_rows(value: Any) -> list[Any]:
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
            plain = all(
                not isinstance(cell, (dict, list)) for c in lists.values() for cell in c[:9]
            )
            if len(lists) > 1 and len(lengths) == 1 and plain and max(lengths) > len(best):
                best = [
                    dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)
                ]
            pending += one.values()
    return best
