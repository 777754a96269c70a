"""Rows that cannot be read, by reason: how many, and the first of each as they are in the log."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from firmware_sim.streams.block import Damage

#: Reasons that are counted by name, and rows that are shown of each.
_REASONS, _SHOWN = 12, 3
_OTHERS = "other reasons"
_CELL = re.compile(r"(?:label )?(?P<mark>['\"]).*(?P=mark) (?=is |has |are )", re.DOTALL)


@dataclass
class Damages:
    """What was counted.

    by_reason: of each reason how many rows, and the first of them.
    """

    by_reason: dict[str, tuple[int, list[str]]] = field(default_factory=dict)

    def add(self, number: int, damage: str) -> None:
        """Count a row that cannot be read, of this number."""
        column, colon, what = damage.partition(": ")
        # Each cell is another one, and not another reason.
        reason = column + colon + _CELL.sub("a cell ", what) if colon else damage
        if reason not in self.by_reason and len(self.by_reason) >= _REASONS:
            reason = _OTHERS
        count, shown = self.by_reason.setdefault(reason, (0, []))
        if count < _SHOWN:
            row = damage.row if isinstance(damage, Damage) and damage.row else str(damage)
            shown.append(f"row {number:,}: {row}")
        self.by_reason[reason] = count + 1, shown

    def to_lines(self) -> list[str]:
        """Return a line on each reason, those with the most rows first, and their rows."""
        out = []
        for reason, (count, shown) in sorted(self.by_reason.items(), key=lambda one: -one[1][0]):
            out += [f"{count:,} skipped: {reason}", *(f"  {row}" for row in shown)]
        return out
