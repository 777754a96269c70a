"""How long answers stay worse after a change."""

from __future__ import annotations

import numpy as np

from firmware_sim.streams import Row

#: Rows of the windowed loss, and how near to its later level it has to be.
WINDOW, NEAR = 200, 0.02


def recovery(losses: Row, change: int, end: int | None = None) -> int | None:
    """Return the rows from a change until the windowed loss is back near its later level.

    That level is the mean loss over the second half of what follows the change; back is the start
    of the first `WINDOW` rows whose mean loss is at most `NEAR` above it.

    losses (ndarray of shape (n,)): of each row.
    change: the place of the first row after the change.
    end: where the next change is, or nothing follows any more; by default the end.

    Returns: None where that never happens, or too few rows follow.
    """
    part = np.asarray(losses[change:end], dtype=float)
    if len(part) < 2 * WINDOW:
        return None
    level = float(part[len(part) // 2 :].mean())
    total = np.concatenate(([0.0], np.cumsum(part)))
    windowed = (total[WINDOW:] - total[:-WINDOW]) / WINDOW
    found = np.flatnonzero(windowed <= level + NEAR)
    return int(found[0]) if len(found) else None
