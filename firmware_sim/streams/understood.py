"""The record of what was understood of a log from its first rows; it can be saved and reused.

The program of a board would contain the same record: it cannot use anything that the first rows do
not show.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.streams.cells import PLAIN, Notation
from firmware_sim.streams.dialect import Dialect, described
from firmware_sim.streams.time_format import TimeFormat

#: Version of the saved record; incremented when a key changes its meaning.
FORMAT = 1
_KINDS = ("number", "switch", "words", "time", "index", "empty")
_ENCODINGS = {"utf-8-sig": "UTF-8", "utf-8": "UTF-8", "cp1252": "Windows-1252"}
_COUNTED = {"epoch": "seconds since 1970", "epoch ms": "milliseconds since 1970"}


@dataclass(frozen=True)
class Column:
    """One column of a table.

    name: unique in the table.
    kind: "number", "switch", "words", "time", "index" or "empty".
    notation: how its numbers are written.
    absent: additional words for missing readings, in lower case.
    example: a cell that is not empty.
    why: why it is not an input, if its kind does not say so.
    """

    name: str
    kind: str
    notation: Notation = PLAIN
    absent: frozenset[str] = frozenset()
    example: str = ""
    why: str = ""


@dataclass(frozen=True)
class Moments:
    """The columns that hold the time of a row.

    columns: their cells, joined by blanks, are one time.
    format: see `TimeFormat`.
    sure: whether the order of day and month is unambiguous.
    """

    columns: tuple[str, ...]
    format: str
    sure: bool = True

    def __str__(self) -> str:
        names = ", ".join(map(repr, self.columns))
        return f"{names} as {_COUNTED.get(self.format, self.format)}"

    def joined(self, cells: Sequence[str]) -> str:
        """Join the cells of a row to one time; pads the digits of a time of day with zeros."""
        if len(cells) == 1:
            return cells[0]
        first, *others = (cell.strip() for cell in cells)
        width = {"%H%M": 4, "%H%M%S": 6}.get(self.format.rpartition(" ")[2], 0)
        if others[-1].isdigit():
            others[-1] = others[-1].zfill(width)
        return " ".join([first, *others]) if first else ""


@dataclass(frozen=True)
class Understood:
    """What was understood of a log.

    columns: of the table, in order.
    moments: the columns of times; None if there are none.
    comma: whether a comma is the decimal mark.
    renamed: the original names of columns renamed because of duplicates.
    kind: the file format, in words.
    dialect: the layout of its lines, if it has lines.
    encoding: of its text.
    """

    columns: tuple[Column, ...] = ()
    moments: Moments | None = None
    comma: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)
    kind: str = "a table"
    dialect: Dialect | None = None
    encoding: str = "utf-8"

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def __str__(self) -> str:
        layout = self.dialect
        if layout is None:
            return self.kind
        out = f"{self.kind} in {_ENCODINGS.get(self.encoding, self.encoding.upper())}"
        if len(self.columns) > 1:
            out += f", cells separated by {described(layout.separator)}"
        names = f"names in line {layout.header}" if layout.header else "no header"
        out += f", {names}, rows from line {layout.data}"
        return out + (f", comments after {layout.comment}" if layout.comment else "")

    def notes(self) -> list[str]:
        """Return notes on the layout of the table, one sentence each."""
        out, layout = [], self.dialect
        if layout is not None and not layout.header:
            names = ", ".join(self.names[:3]) + ", ..." * (len(self.columns) > 3)
            out.append(f"the first line contains no names: columns are called {names}")
        elif layout is not None:
            if layout.header > 1:
                out.append(f"the names of the columns are in line {layout.header}")
            between = layout.data - layout.header - 1
            if between == 1:
                out.append("the first row contains units and is skipped")
            elif between > 1:
                out.append(f"{between} lines below the names are skipped")
        if self.comma:
            out.append("numbers have a decimal comma")
        for new, old in self.renamed.items():
            out.append(f"more than one column is called {old!r}: this one is now {new!r}")
        return out

    def to_toml(self) -> str:
        """Return the record as TOML."""
        top = {"format": FORMAT, "kind": self.kind, "encoding": self.encoding}
        top["decimal_comma"] = self.comma
        if self.dialect is not None:
            names = ("separator", "header", "data", "comment")
            top |= {name: getattr(self.dialect, name) for name in names}
        parts = ["# How a log is read: firmware_sim replay LOG --understood THIS_FILE", *_toml(top)]
        if self.moments is not None:
            parts += ["", "[time]", *_toml({**vars(self.moments)})]
        for column in self.columns:
            found = {"name": column.name, "kind": column.kind}
            more = {
                "called": self.renamed.get(column.name),
                **{name: one for name, one in vars(column.notation).items() if one != "."},
                "missing": sorted(column.absent),
                "left_out": column.why,
            }
            found |= {name: value for name, value in more.items() if value}
            parts += ["", "[[column]]", *_toml(found)]
        return "\n".join(parts) + "\n"

    @classmethod
    def from_toml(cls, text: str, name: str) -> Understood:
        """Return the record in a TOML text.

        name: the name in messages.
        Raises StreamError: the text is not such a record.
        """
        found = _parsed(text, name)
        try:
            return cls._of(found)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise StreamError(f"{name} is not a record of a log: {error}") from None

    @classmethod
    def _of(cls, found: dict[str, Any]) -> Understood:
        if found.get("format") != FORMAT:
            raise ValueError(f"format is {found.get('format')!r}, it must be {FORMAT}")
        columns, renamed = [], {}
        for one in found["column"]:
            if one["kind"] not in _KINDS:
                raise ValueError(f"kind is {one['kind']!r}, it must be one of: {', '.join(_KINDS)}")
            marks = ("decimal", "thousands", "unit")
            notation = Notation(**{mark: str(one[mark]) for mark in marks if mark in one})
            absent = frozenset(map(str.lower, one.get("missing", [])))
            why = str(one.get("left_out", ""))
            columns.append(Column(str(one["name"]), one["kind"], notation, absent, why=why))
            if "called" in one:
                renamed[one["name"]] = one["called"]
        names = tuple(column.name for column in columns)
        if len(set(names)) < len(names):
            raise ValueError("two columns have the same name")
        moments = dialect = None
        if "time" in found:
            time = found["time"]
            moments = Moments(tuple(time["columns"]), time["format"], bool(time.get("sure", True)))
            TimeFormat(moments.format)
            if not moments.columns or not set(moments.columns) <= set(names):
                raise ValueError(f"time is in {moments.columns}, which are not columns")
        if "separator" in found:
            header, data = int(found["header"]), int(found["data"])
            dialect = Dialect(found["separator"], names, header, data, found["comment"])
            if not dialect.separator or data < 1 or '"' in dialect.separator:
                raise ValueError("separator or data make no sense")
        comma, kind, encoding = found["decimal_comma"], str(found["kind"]), str(found["encoding"])
        return cls(tuple(columns), moments, bool(comma), renamed, kind, dialect, encoding)


def read_understood(path: Path) -> Understood:
    """Read the record in a file.

    Raises StreamError: the file is unreadable.
    """
    try:
        return Understood.from_toml(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise StreamError(f"cannot read {path}: {error}") from None


def _toml(values: Mapping[str, Any]) -> list[str]:
    """Return values as lines of TOML, whose strings and lists are those of JSON."""
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items())
    return [line.encode("utf-8", "replace").decode().replace("\x7f", "\\u007f") for line in lines]


def _parsed(text: str, name: str) -> dict[str, Any]:
    for module in ("tomllib", "tomli"):
        try:
            parser: Any = import_module(module)
            break
        except ImportError:
            continue
    else:
        raise StreamError(f"{name}: Python before 3.11 needs tomli to read it: pip install tomli")
    try:
        found: dict[str, Any] = parser.loads(text)
    except parser.TOMLDecodeError as error:
        raise StreamError(f"{name} is not TOML: {error}") from None
    return found
