"""A stream in blocks of rows: parsed once, for all learners of a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device.repair import KEEPS, Repair
from firmware_sim.replaying.checked import checked, usable
from firmware_sim.replaying.rows import RowCount
from firmware_sim.streams import Row, Stream
from firmware_sim.tasks.kinds import KINDS
from firmware_sim.tasks.labels import Labels


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

    def blocks(self) -> Iterator[tuple[Row, Row, Row]]:
        """Yield blocks: usable rows, their labels, and the rows without a gap, labelled or not.

        Raises StreamError: the stream cannot be read, or a label is not understood.
        """
        for block in checked(self.config, self.stream, self.labels):
            block.tally(self.labels, len(block))
            X, places = usable(block, self._repair, self.rows, self.stream, taught=True)
            self.rows.repaired += int(np.sum(block.absent[places]))
            whole = block.block.rows[~(block.absent | block.damaged)]
            yield X, block.y[places], whole
            if block.fault is not None:
                raise block.fault
