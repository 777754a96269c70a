"""A report as plain data: a headline, and sections of charts, tables, bars and lines.

Text, page and picture show the same `Report`; its `data` is the JSON file. No form knows what the
report is about, and a new section appears in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmware_sim.drawing.chart import Drawing
from firmware_sim.plaintext import printable

#: Characters of the longest bar in a text.
_BAR = 40


def capital(text: str) -> str:
    """Return the text with a capital letter at its start."""
    return text[:1].upper() + text[1:]


def split_sentence(text: str) -> tuple[str, list[str]]:
    """Return the first sentence, which is the headline, and the rest as one note, if any."""
    first, dot, rest = text.partition(". ")
    return first + dot.rstrip(), [rest] if rest else []


@dataclass(frozen=True)
class Table:
    """A table of strings; the first column contains names."""

    name: str  # its identifier on an HTML page
    title: str  # its heading
    head: tuple[str, ...]  # the titles of the columns
    rows: Sequence[tuple[str, ...]]  # the cells
    #: titles of columns of sentences, which are aligned to the left
    sentences: tuple[str, ...] = ()
    #: whether narrow screens show each row as a list of titles and cells
    stacked: bool = False

    def to_lines(self) -> list[str]:
        """Return the table as text, a line for each row."""
        lines = [self.head, *self.rows]
        widths = [max(len(row[i]) for row in lines) for i in range(len(self.head))]
        left = [i == 0 or title in self.sentences for i, title in enumerate(self.head)]
        return [
            "  ".join(
                cell.ljust(widths[i]) if left[i] else cell.rjust(widths[i])
                for i, cell in enumerate(row)
            ).rstrip()
            for row in lines
        ]


@dataclass(frozen=True)
class Section:
    """A part of a report under a heading, in the order of its fields; empty ones are left out."""

    name: str  # the identifier of its lines or bars on a page
    title: str
    about: str = ""  # a sentence below the heading
    charts: Mapping[str, Drawing] = field(default_factory=dict)  # by identifier; not in texts
    lines: Sequence[str] = ()
    bars: Sequence[tuple[str, float]] = ()  # names and shares
    table: Table | None = None
    notes: Sequence[str] = ()  # sentences below the table

    @classmethod
    def of(cls, table: Table) -> Section:
        """Return the section of one table; what follows a colon in its title is a sentence."""
        title, _, about = table.title.partition(": ")
        return cls(table.name, title, about, table=table)

    def to_lines(self) -> list[str]:
        """Return the section as text; empty if it has only charts."""
        lines = [*self.lines, *_bars(self.bars)]
        lines += self.table.to_lines() if self.table is not None else []
        lines += [f"  {note}" for note in self.notes]
        heading = self.title + (f": {self.about}" if self.about else "")
        return [heading, *lines] if lines else []


def _bars(bars: Sequence[tuple[str, float]]) -> list[str]:
    width = max((len(name) for name, _ in bars), default=0)
    longest = max((share for _, share in bars), default=1.0)
    return [
        f"{name:<{width}}  {100 * share:4.0f} %  {'#' * round(_BAR * share / longest)}".rstrip()
        for name, share in bars
    ]


@dataclass(frozen=True)
class Report:
    """What text, JSON, page and picture are made from."""

    title: str  # what was run
    headline: str  # the conclusion
    sections: Sequence[Section]
    data: Mapping[str, Any] = field(default_factory=dict)  # of the JSON file
    #: what precedes the headline: why the report is incomplete, that many rows were left out
    notice: str = ""
    alert: bool = False  # whether the headline is bad news
    notes: Sequence[str] = ()  # sentences after the headline
    warnings: Sequence[str] = ()

    @property
    def charts(self) -> list[Drawing]:
        """The charts of all sections."""
        return [chart for section in self.sections for chart in section.charts.values()]

    def to_text(self) -> str:
        """Return the report as plain text, with a final newline."""
        lines = [self.notice, ""] if self.notice else []
        lines += [self.headline, *self.notes]
        lines += [f"WARNING   {warning}" for warning in self.warnings]
        for section in self.sections:
            shown = section.to_lines()
            lines += ["", *shown] if shown else []
        # Names come from the stream and may contain terminal control characters.
        return printable("\n".join(lines) + "\n", keep="\n")
