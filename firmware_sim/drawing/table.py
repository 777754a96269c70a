"""Tables of a report, independent of text or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table of strings; the first column contains names."""

    name: str  # its identifier on an HTML page
    title: str  # its heading
    head: tuple[str, ...]  # the titles of the columns
    rows: Sequence[tuple[str, ...]]  # the cells
    #: titles of columns of sentences, which are aligned to the left
    sentences: tuple[str, ...] = ()

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
