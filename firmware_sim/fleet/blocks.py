"""A stream in blocks of rows: parsed once, for all learners of a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from firmware_sim.config import ReplayConfig
from firmware_sim.device.repair import KEEPS, Repair
from firmware_sim.replaying.rows import RowCount, decoded, gaps, limited
from firmware_sim.streams import Row, Stream
from firmware_sim.tasks.kinds import KINDS
from firmware_sim.tasks.labels import Labels

#: Rows in a block.
ROWS = 512


@dataclass
class Reader:
    """The usable rows of a stream, as a replay would give them to its learner."""

    config: ReplayConfig  # how rows are read and repaired
    stream: Stream  # the stream
    #: how many rows were read, and what became of those that could not be used
    rows: RowCount = field(default_factory=RowCount)
    labels: Labels = field(init=False)

    def __post_init__(self) -> None:
        config = self.config
        self.labels = KINDS[config.kind].labels(config)
        self._repair = None
        if config.missing in KEEPS:
            n = len(self.stream.features)
            held = memoryview(bytearray(Repair.nbytes(config.missing, n)))
            self._repair = Repair(config.missing, n, held)
        self._codes = np.array(config.missing_numbers)

    def blocks(self) -> Iterator[tuple[Row, Row, Row]]:
        """Yield blocks: usable rows, their labels, and the rows without a gap, labelled or not.

        Raises StreamError: the stream cannot be read, or a label is not understood.
        """
        n = len(self.stream.features)
        X, y = np.empty((ROWS, n)), np.empty(ROWS)
        row = np.empty(n)
        at = 0
        for sample in limited(self.config, self.stream, row):
            if sample is None:
                continue
            self.rows.read = sample.number
            if sample.damage:
                self.rows.damaged += 1
                continue
            X[at] = row
            label = decoded(self.labels, sample, self.stream)
            y[at] = np.nan if label is None else label
            at += 1
            if at == ROWS:
                yield self._usable(X, y)
                at = 0
        if at:
            yield self._usable(X[:at], y[:at])

    def _usable(self, X: Row, y: Row) -> tuple[Row, Row, Row]:
        gone = gaps(X, self._codes)
        absent: npt.NDArray[np.bool_] = np.any(gone, axis=1).astype(bool)
        whole = X[~absent]
        usable: npt.NDArray[np.bool_] = np.logical_not(absent)
        if self._repair is not None:
            X = X.copy()
            for i, row in enumerate(X):
                usable[i] = self._repair.mend(row, np.flatnonzero(gone[i]).tolist())
        usable &= ~np.isnan(y)
        self.rows.missing += int(np.sum(~usable))
        self.rows.repaired += int(np.sum(usable & absent))
        return X[usable], y[usable], whole
