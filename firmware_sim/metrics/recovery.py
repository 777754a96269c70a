"""How long answers stay worse after a change."""

from __future__ import annotations

import numpy as np

from firmware_sim.streams import Row

#: Rows of the windowed loss, and how close to its later level it has to be.
WINDOW, NEAR = 200, 0.02


def recovery(losses: Row, change: int, end: int | None = None) -> int | None:
    """Return the rows from a change until the windowed loss is close to its later level.

    That level is the mean loss over the second half of the rows after the change; recovery is the
    start of the first `WINDOW` rows whose mean loss is at most `NEAR` above it.

    losses (ndarray of shape (n,)): the loss of each row.
    change: index of the first row after the change.
    end: index of the next change; by default the end of the rows.

    Returns: None if that never happens, or too few rows follow.
    """
    later = np.asarray(losses[change:end], dtype=float)
    if len(later) < 2 * WINDOW:
        return None
    level = float(later[len(later) // 2 :].mean())
    cumulative = np.concatenate(([0.0], np.cumsum(later)))
    windowed = (cumulative[WINDOW:] - cumulative[:-WINDOW]) / WINDOW
    found = np.flatnonzero(windowed <= level + NEAR)
    return int(found[0]) if len(found) else None
