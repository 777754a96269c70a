"""The rows that a memory beside structured features holds where only bytes are given
(docs/sorf.md, section 7f)."""

from __future__ import annotations

from edgeolk.parts.updates import MOST_REMEMBERED

#: Fewer rows do not repay their bytes; nor do they where fewer frequencies are left.
LEAST_ROWS = 150
LEAST_OF_CLASSES, LEAST_OF_TWO = 8, 256


def usual_rows(nbytes: int, n_features: int, classes: int) -> int:
    """Rows of a memory in a block of so many bytes, 0 for none.

    ``classes`` is 1 for two classes without columns of their own. Five eighths of the bytes where a
    row is short beside a frequency of all classes, else three.
    """
    row = (n_features + 1) // 2 + (3 if classes > 1 else 1)
    eighths = 5 if classes >= 3 and row <= 2 * classes else 3
    rows = eighths * nbytes // 8 // row
    return rows if rows >= LEAST_ROWS and classes <= MOST_REMEMBERED else 0


def least_frequencies(classes: int) -> int:
    """Frequencies that such a memory leaves at least."""
    return LEAST_OF_CLASSES if classes >= 3 else LEAST_OF_TWO
