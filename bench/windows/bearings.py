"""Classes of faults of bearings, beside a random forest and networks of the literature.

The recordings are those of the Case Western Reserve University (Bearing Data Center), read from a
clone that is not part of the repository; without it nothing is measured.
"""

from __future__ import annotations

from typing import Any

from bench.table import Table
from bench.windows.classes import accuracies, table_of
from bench.windows.sets import BEARINGS, bearings, bearings_folder

#: Figures of small convolutional networks, with what they were measured on.
PUBLISHED = (
    ("1-D CNN of raw samples", "the same bearings at the same load", ".951 to .991",
     "Pubalan et al., arXiv:2602.09699: each of the four loads trained and tested by itself"),
)  # fmt: skip
_ABOUT = (
    "Faults in three places (inner race, ball, outer race at 6 o'clock) of three sizes at four"
    " loads, drive end, 12 kHz, windows of 512 samples without overlap. Unseen loads: each of the"
    " four answered by a learner of the others, which knows the same bearings. Unseen sizes: each"
    f" of the three, so other bearings. Recordings: github.com/{BEARINGS}; no licence is stated, so"
    " none of them is in this repository."
)


def run(some: tuple[str, ...]) -> tuple[list[Table], dict[str, Any]]:
    """The tables of accuracies, measured and published; none without the recordings."""
    place = bearings_folder()
    if place is None:
        print(
            f"bearings are skipped: there is no clone of github.com/{BEARINGS} as cwru in the data"
            " folder (EDGEOLK_DATA)"
        )
        return [], {}
    sets = {f"unseen {name}s": (bearings(place, name), None) for name in ("load", "size")}
    chosen = {
        name: one for name, one in sets.items() if not some or any(word in name for word in some)
    }
    return [
        table_of(accuracies(chosen), _ABOUT),
        Table(
            "Small convolutional networks of the literature, as published",
            ("model", "set", "accuracy", "source"),
            list(PUBLISHED),
            "Not measured here, and on another split: the bearings of the test are those of the"
            " training.",
            left=4,
        ),
    ], {}
