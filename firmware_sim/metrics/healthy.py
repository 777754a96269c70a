"""From how many healthy windows on a detector of novelty is expected to work.

Measured by ``python -m bench.windows --only novelty`` (docs/vibration.md): it depends on how many
states the healthy windows are of, not on the number of features. Of one state, as many windows are
enough as the detector needs for its first verdict. Of many states, such as speeds, the kernel is
wide beside each of them, and more windows do not help. The median squared distance of two windows
over that of a window to its nearest tells the two apart.
"""

from __future__ import annotations

import numpy as np

from firmware_sim.streams import Row

#: Windows among which the distances are compared, as measured; of fewer, nothing can be said.
COMPARED, MIN_COMPARED = 100, 30
#: Windows from which on detectors worked where these are of one state; without a verdict before,
#: those in the order of time.
ENOUGH, ENOUGH_IN_TIME = 30, 200
#: Below the first ratio windows are taken to be of one state, from the second on of many: measured
#: were 3 and 15, and 57.
_ONE_STATE, _MANY_STATES = 20.0, 50.0


def nearest_distance(rows: Row) -> float:
    """Return the median squared distance of a row to its nearest one, above 0."""
    squared = _distances(rows)
    np.fill_diagonal(squared, np.inf)
    return max(float(np.median(squared.min(axis=1))), 1e-9)


def spread_ratio(rows: Row) -> float:
    """Return the median squared distance of two rows over that of a row to its nearest one.

    rows: scaled, shape (n, d), at least two.
    """
    pairs = _distances(rows)[np.triu_indices(len(rows), 1)]
    return float(np.median(pairs)) / nearest_distance(rows)


def _distances(rows: Row) -> Row:
    """Return the squared distances of all pairs of rows, shape (n, n)."""
    squared = np.einsum("ij,ij->i", rows, rows)
    return np.asarray(np.maximum(squared[:, None] + squared - 2.0 * rows @ rows.T, 0.0))


def about_healthy(windows: Row, *, in_time: bool) -> str:
    """Return from how many healthy windows on a detector is expected to work, and why.

    windows: an even sample of the healthy ones.
    in_time: whether it finds novelty in the order of time.
    """
    first = ENOUGH_IN_TIME if in_time else ENOUGH
    early = "; before, this detector gives no verdict (--param history=false gives one at once)"
    verdict = early if in_time else ""
    if len(windows) < MIN_COMPARED:
        return (
            f"Healthy windows: at least {first} are needed{verdict}; there were {len(windows):,}."
        )
    shown = windows[:: -(-len(windows) // COMPARED)]
    deviation = shown.std(axis=0)
    ratio = spread_ratio((shown - shown.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0))
    compared = (
        f"the median squared distance of two is {ratio:,.0f} times that to the nearest, among "
        f"{len(shown):,}"
    )
    if ratio < _ONE_STATE:
        return (
            f"Healthy windows: expected to work from {first} on{verdict}. They are of one state "
            f"({compared}): a fan at one speed (3 times) had AUC 1.00 from {ENOUGH} on, and an ECG "
            "(15 times) .92, in a random order."
        )
    if ratio < _MANY_STATES:
        return (
            f"Healthy windows: at least {first} are needed{verdict}, and more may not help: "
            f"{compared}, between recordings on which {ENOUGH} were enough (15 times) and on which "
            "no number was (57 times). Check with labelled windows."
        )
    return (
        f"Healthy windows: no number is expected to be enough{verdict}. They are of many states, "
        f"as of many speeds ({compared}), beside each of which the kernel is wide: a fan at 17 "
        "speeds (57 times) had AUC .60 after 100 and .58 after 300, a local outlier factor .87. "
        "Learn a detector for each state, or choose a narrow kernel (docs/vibration.md)."
    )
