"""The record of what was understood of a log from its first rows; it can be saved and reused.

The program of a board would contain the same record: it cannot use anything that the first rows do
not show.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.streams.cells import PLAIN, Notation
from firmware_sim.streams.dates import COUNTED, TimeFormat
from firmware_sim.streams.dialect import Dialect, described

#: Version of the saved record; incremented when a key changes its meaning.
FORMAT = 1
_KINDS = ("number", "switch", "words", "time", "index", "empty")


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

    def joined(self, cells: Sequence[str]) -> str:
        """Join the cells of a row to one time; pads the digits of a time of day with zeros."""
        if len(cells) == 1:
            return cells[0]
        first, *others = (cell.strip() for cell in cells)
        digits = self.format.rpartition(" ")[2]
        width = {"%H%M": 4, "%H%M%S": 6}.get(digits)
        if width and others and others[-1].isdigit():
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

    def to_toml(self) -> str:
        """Return the record as TOML."""
        lines = [
            "# How a log is read: firmware_sim replay LOG --understood THIS_FILE",
            f"format = {FORMAT}",
            f"kind = {_toml(self.kind)}",
            f"encoding = {_toml(self.encoding)}",
            f"decimal_comma = {_toml(self.comma)}",
        ]
        if self.dialect is not None:
            layout = self.dialect
            lines += [
                f"separator = {_toml(layout.separator)}",
                f"header = {layout.header}",
                f"data = {layout.data}",
                f"comment = {_toml(layout.comment)}",
            ]
        if self.moments is not None:
            lines += [
                "", "[time]",
                f"columns = {_toml([*self.moments.columns])}",
                f"format = {_toml(self.moments.format)}",
                f"sure = {_toml(self.moments.sure)}",
            ]  # fmt: skip
        for column in self.columns:
            lines += [
                "",
                "[[column]]",
                f"name = {_toml(column.name)}",
                f"kind = {_toml(column.kind)}",
            ]
            if column.name in self.renamed:
                lines.append(f"called = {_toml(self.renamed[column.name])}")
            notation = column.notation
            for name, value, default in (
                ("decimal", notation.decimal, "."),
                ("thousands", notation.thousands, ""),
                ("unit", notation.unit, ""),
                ("missing", sorted(column.absent), []),
                ("left_out", column.why, ""),
            ):
                if value != default:
                    lines.append(f"{name} = {_toml(value)}")
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, text: str, name: str) -> Understood:
        """Return the record in a TOML text.

        name: the name in messages.
        Raises StreamError: the text is not such a record.
        """
        found = _parsed(text, name)
        try:
            return cls._made(found)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise StreamError(f"{name} is not a record of a log: {error}") from None

    @classmethod
    def _made(cls, found: dict[str, Any]) -> Understood:
        if found.get("format") != FORMAT:
            raise ValueError(f"format is {found.get('format')!r}, it must be {FORMAT}")
        columns, renamed = [], {}
        for one in found["column"]:
            if one["kind"] not in _KINDS:
                raise ValueError(f"kind is {one['kind']!r}, it must be one of: {', '.join(_KINDS)}")
            notation = Notation(
                one.get("decimal", "."), one.get("thousands", ""), one.get("unit", "")
            )
            absent = frozenset(map(str.lower, one.get("missing", [])))
            why = one.get("left_out", "")
            columns.append(Column(str(one["name"]), one["kind"], notation, absent, why=str(why)))
            if "called" in one:
                renamed[one["name"]] = one["called"]
        names = tuple(column.name for column in columns)
        if len(set(names)) < len(names):
            raise ValueError("two columns have the same name")
        moments = None
        if "time" in found:
            time = found["time"]
            moments = Moments(tuple(time["columns"]), time["format"], bool(time.get("sure", True)))
            TimeFormat(moments.format)
            if not set(moments.columns) <= set(names):
                raise ValueError(f"time is in {moments.columns}, which are not columns")
        dialect = None
        if "separator" in found:
            header, data = int(found["header"]), int(found["data"])
            dialect = Dialect(found["separator"], names, header, data, found["comment"])
            if not dialect.separator or data < 1 or '"' in dialect.separator:
                raise ValueError("separator or data make no sense")
        return cls(
            tuple(columns), moments, bool(found["decimal_comma"]), renamed, str(found["kind"]),
            dialect, str(found["encoding"]),
        )  # fmt: skip

    def laid_out(self, kind: str, dialect: Dialect | None, encoding: str = "utf-8") -> Understood:
        """Return a copy with the format of the file."""
        return replace(self, kind=kind, dialect=dialect, encoding=encoding)

    def made_of(self) -> str:
        """Return a phrase that describes the file."""
        out = self.kind
        layout = self.dialect
        if layout is None:
            return out
        encoding = {"utf-8-sig": "UTF-8", "utf-8": "UTF-8", "cp1252": "Windows-1252"}
        out += f" in {encoding.get(self.encoding, self.encoding.upper())}"
        if len(self.columns) > 1:
            out += f", cells separated by {described(layout.separator)}"
        names = f"names in line {layout.header}" if layout.header else "no header"
        out += f", {names}, rows from line {layout.data}"
        return out + (f", comments after {layout.comment}" if layout.comment else "")


def read_understood(path: Path) -> Understood:
    """Read the record in a file.

    Raises StreamError: the file is unreadable.
    """
    try:
        return Understood.from_toml(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise StreamError(f"cannot read {path}: {error}") from None


def _toml(value: Any) -> str:
    """Return a value as TOML, with JSON strings."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value.encode("utf-8", "replace").decode(), ensure_ascii=False).replace(
            "\x7f", "\\u007f"
        )
    return json.dumps(value)


def _parsed(text: str, name: str) -> dict[str, Any]:
    parser: Any = None
    for module in ("tomllib", "tomli"):
        try:
            parser = import_module(module)
            break
        except ImportError:
            continue
    if parser is None:
        raise StreamError(f"{name}: Python before 3.11 needs tomli to read it: pip install tomli")
    try:
        found: dict[str, Any] = parser.loads(text)
    except parser.TOMLDecodeError as error:
        raise StreamError(f"{name} is not TOML: {error}") from None
    return found


def in_words(moments: Moments) -> str:
    """Return a description of the time columns."""
    names = ", ".join(map(repr, moments.columns))
    how = moments.format
    if how in COUNTED:
        how = {"epoch": "seconds since 1970", "epoch ms": "milliseconds since 1970"}.get(how, how)
    return f"{names} as {how}"
