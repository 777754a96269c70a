"""Rows that were asked and whose labels come late: which of them a learned row is."""

from __future__ import annotations

import numpy as np


class PendingRows:
    """The last rows asked of a learner with ``delay=k``, by number and fingerprint.

    The learner keeps what its experts answered to the last k + 1 rows asked. A row that is learned
    is the oldest of these with the same readings whose label has not come. If no row with these
    readings was asked lately, something between the caller and the model changes rows, such as the
    scaler of a pipeline: then it is the oldest whose label has not come.

    Parameters
    ----------
    delay
        Rows between a row's answer and its label.
    n_early
        Rows asked before the learner existed, whose readings are unknown.
    """

    def __init__(self, delay: int, n_early: int) -> None:
        self._kept = delay + 1
        # As many rows again, so that a label later than expected is not taken for another's.
        self._prints = np.zeros(2 * self._kept, dtype=np.uint64)
        self._has_label = np.zeros(2 * self._kept, dtype=bool)
        self.n_asked = n_early

    def ask(self, fingerprint: int) -> None:
        """A row was asked."""
        place = self.n_asked % len(self._prints)
        self._prints[place] = fingerprint
        self._has_label[place] = False
        self.n_asked += 1

    def find(self, fingerprint: int) -> int | None:
        """The number of the row asked that has this fingerprint; None: it was not asked, or waits
        no more."""
        size = len(self._prints)
        recent = np.arange(max(0, self.n_asked - size), self.n_asked)
        is_same = self._prints[recent % size] == np.uint64(fingerprint)
        waits = ~self._has_label[recent % size] & (recent >= self.n_asked - self._kept)
        found = recent[waits & is_same] if is_same.any() else recent[waits]
        return int(found[0]) if len(found) else None

    def learn(self, number: int) -> None:
        """The label of this row has come."""
        self._has_label[number % len(self._prints)] = True

    def has_label(self, number: int) -> bool:
        """Whether the label of this row has come."""
        return bool(self._has_label[number % len(self._prints)])
