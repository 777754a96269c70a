"""Why rows cannot be read: counted by reason, with the first rows as they stand in the log."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

#: Characters kept of a row.
_WIDTH = 120
#: Most reasons counted separately, and rows shown for each.
_REASONS, _SHOWN = 12, 3
_OTHERS = "other reasons"
_CELL = re.compile(r"(?:label )?(?P<mark>['\"]).*(?P=mark) (?=is |has |are )", re.DOTALL)
_COLUMN = re.compile(r"column (?P<mark>['\"])(?P<name>.*)(?P=mark): ", re.DOTALL)


class Damage(str):
    """Why a row cannot be read; `row` is its beginning, as it stands in the log."""

    __slots__ = ("row",)
    row: str

    @classmethod
    def of(cls, why: str, row: str) -> Damage:
        """Return the damage of a row."""
        out = cls(why)
        row = row.strip("\r\n\0")
        out.row = row if len(row) <= _WIDTH else row[: _WIDTH - 3] + "..."
        return out


@dataclass
class Damages:
    """Unreadable rows by reason.

    by_reason: for each reason the number of rows, and the first of them.
    first: number of the first row, and its reason.
    """

    by_reason: dict[str, tuple[int, list[str]]] = field(default_factory=dict)
    first: str = ""

    def add(self, number: int, damage: str) -> None:
        """Count the unreadable row with this number."""
        self.first = self.first or f"row {number}: {damage}"
        column, colon, what = damage.partition(": ")
        # Rows that differ only in the cell have the same reason.
        reason = column + colon + _CELL.sub("a cell ", what) if colon else str(damage)
        if reason not in self.by_reason and len(self.by_reason) >= _REASONS:
            reason = _OTHERS
        count, shown = self.by_reason.setdefault(reason, (0, []))
        if count < _SHOWN:
            shown.append(f"row {number:,}: {getattr(damage, 'row', '') or damage}")
        self.by_reason[reason] = count + 1, shown

    @property
    def n_rows(self) -> int:
        """The number of unreadable rows."""
        return sum(count for count, _ in self.by_reason.values())

    @property
    def main(self) -> str:
        """The most frequent reason."""
        return max(self.by_reason, key=lambda reason: self.by_reason[reason][0], default="")

    @property
    def main_column(self) -> str:
        """The column of the most frequent reason; empty if it is not about a column."""
        found = _COLUMN.match(self.main)
        return found["name"] if found else ""

    def to_lines(self) -> list[str]:
        """Return a line for each reason, most frequent first, followed by its rows."""
        out = []
        for reason, (count, shown) in sorted(self.by_reason.items(), key=lambda one: -one[1][0]):
            out += [f"{count:,} skipped: {reason}", *(f"  {row}" for row in shown)]
        return out
