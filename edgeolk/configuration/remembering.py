"""The rows that a memory beside structured features holds where only bytes are given
(docs/sorf.md, section 7f)."""

from __future__ import annotations

from edgeolk.parts.updates import MOST_REMEMBERED

#: Fewer rows do not repay their bytes; nor do they where fewer frequencies are left.
LEAST_ROWS = 150
LEAST_OF_CLASSES, LEAST_OF_TWO = 8, 256
#: Long rows of two classes: so few of them are still worth it beside so many frequencies.
FEW_ROWS, LEAST_BESIDE_FEW = 64, 1024
#: In blocks of fewer bytes the features of several classes need more where rows are long.
SMALL = 32 * 1024
#: From these bytes on the memory of two classes grows more slowly than the block.
ENOUGH = 12 * 1024


def usual_rows(nbytes: int, n_features: int, classes: int) -> int:
    """Rows of a memory in a block of so many bytes, 0 for none.

    ``classes`` is 1 for two classes without columns of their own. The more classes there are, the
    more a frequency costs, and the larger the share of the memory.
    """
    row = (n_features + 1) // 2 + (3 if classes > 1 else 1)
    least = LEAST_ROWS
    if classes >= 3:
        small = row >= 4 * classes and nbytes < SMALL
        sixteenths = 10 if row <= 2 * classes else 5 if small else 6
        rows = sixteenths * nbytes // 16 // row
    else:
        rows = max(nbytes // 4, min(3 * nbytes // 8, ENOUGH)) // row
        if rows < LEAST_ROWS:
            rows, least = nbytes // 4 // row, FEW_ROWS
    return rows if rows >= least and classes <= MOST_REMEMBERED else 0


def least_frequencies(classes: int, rows: int) -> int:
    """Frequencies that such a memory leaves at least."""
    if classes >= 3:
        return LEAST_OF_CLASSES
    return LEAST_OF_TWO if rows >= LEAST_ROWS else LEAST_BESIDE_FEW
