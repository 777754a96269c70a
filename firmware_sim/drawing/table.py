"""Tables of a report, before they become text or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table of words; the first column holds names."""

    name: str  # its identifier on an HTML page
    title: str  # what stands above it
    head: tuple[str, ...]  # the titles of the columns
    rows: Sequence[tuple[str, ...]]  # the cells
    #: titles of columns that hold sentences, which are not aligned to the right
    sentences: tuple[str, ...] = ()

    def to_lines(self) -> list[str]:
        """Return the table as text, a line for each row."""
        whole = [self.head, *self.rows]
        widths = [max(len(row[i]) for row in whole) for i in range(len(self.head))]
        left = [i == 0 or title in self.sentences for i, title in enumerate(self.head)]
        return [
            "  ".join(
                cell.ljust(widths[i]) if left[i] else cell.rjust(widths[i])
                for i, cell in enumerate(row)
            ).rstrip()
            for row in whole
        ]
