"""What is drawn of a comparison, the same in the page and the picture."""

from __future__ import annotations

from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.table import ranking

#: Colours of the first methods of the ranking; the others are grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
OTHERS = "#cdd3da"


def lines(found: Comparison) -> dict[str, list[tuple[int, float]]]:
    """Return errors by cap, of the methods that have some, in the order of the ranking."""
    drawn = {
        name: [(ram, e) for ram in found.rams if (e := found.cell(name, ram).error) is not None]
        for name in ranking(found)
        if name not in found.rows.baselines
    }
    return {name: line for name, line in drawn.items() if line}


def coloured(found: Comparison) -> dict[str, str]:
    """Return the methods that have a colour of their own, with it."""
    return dict(zip(lines(found), COLOURS, strict=False))
