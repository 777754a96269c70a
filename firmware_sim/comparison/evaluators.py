"""The rows of a comparison, and the evaluation of records of them.

Records are those of replays; figures are those of the metrics that a replay keeps: what a
comparison reports of a learner is what a replay of it reports, for every kind of labels.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.kinds import Kind
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.batch import Batch, Records
from firmware_sim.metrics.curve import recovery
from firmware_sim.metrics.noise import BLOCKS, MIN_ROWS
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.block import Places
from firmware_sim.streams.cadence import Cadence
from firmware_sim.streams.stream import Groups

#: Options without effect in a comparison: no emulated board, no separate process, no leak.
ALONE: dict[str, Any] = {"on": None, "enforce": "arena", "limit_by": "auto", "leak": 0}


@dataclass
class Evaluator:
    """Rows and their labels.

    y (ndarray of shape (n,)): the label of each usable row.
    config: the kind of labels, and the options of its metrics.
    stream: all rows, in memory.
    filled: the same rows, with the last reading for each missing one; for learners without gaps.
    numbers (ndarray of shape (n,)): the numbers of these rows in the stream.
    head: the targets before the first row of a forecast, which have none; they are known to all.
    changes: indices of the rows at which the stream is known to change.
    """

    y: Row
    config: ReplayConfig
    stream: Stream | str = ""
    filled: Stream | str = ""
    numbers: Places = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    changes: list[int] = field(default_factory=list)
    head: Row = field(default_factory=lambda: np.empty(0))

    @property
    def ahead(self) -> int:
        """Rows from the readings of a row to its target; 0 if it is no forecast."""
        return self.config.rows_ahead

    @property
    def groups(self) -> Groups | None:
        """The groups of the rows, if one at a time is left out."""
        return None if isinstance(self.stream, str) else self.stream.groups

    @property
    def kind(self) -> Kind:
        """The kind of labels."""
        return self.config.label_kind

    def config_for(self, config: ReplayConfig, max_rows: int | None = None) -> ReplayConfig:
        """Return a configuration whose stream are these rows, the first ones or all.

        Labels of a learner that answers rows ahead are delayed by its horizon.
        """
        horizon = 1 if config.forecast is not None else config.label_kind.horizon
        rows = self.stream if config.takes_gaps else self.filled
        assert not isinstance(rows, str)
        return config.of_rows(
            rows,
            damaged="skip",  # a damaged row that must stop a replay has done so already
            **ALONE,
            limit=None if max_rows is None else int(self.numbers[max_rows - 1]),
            label_delay=config.label_delay or (horizon if horizon > 1 else 0),
        )

    def judged(self, records: Records) -> Records:
        """Return the records of a replay that are of these rows.

        The first rows of a forecast are none of them, nor is, where periods are filled in, a row
        that lacks a reading and that only some learners take.
        """
        found: Records = records[np.isin(records["row"], self.numbers)]
        return found

    @property
    def metrics(self) -> Metrics:
        """New metrics, without any rows."""
        return self.kind.metrics(Cadence())

    def loss(self, records: Records, first: int = 0) -> float:
        """Return the mean loss of the answers to the first rows, from row `first` on."""
        found = self.metrics
        found.add_answers(Batch(records[first:]))
        return found.mean_loss("learner")

    def of_scores(self, scores: Row) -> Records:
        """Return records of the scores of a baseline."""
        return Batch.of(label=self.y, score=scores).rows

    def blocks(self, records: Records | None = None) -> dict[str, list[float]]:
        """Return the mean losses over `BLOCKS` stretches of rows, of the learner and the baselines.

        records: those of the learner; if given, only the learner is counted.

        Empty if losses are not sums over rows, or there are too few rows.
        """
        ends = np.linspace(0, len(self.y), BLOCKS + 1).astype(int)
        if len(self.y) < MIN_ROWS * BLOCKS or not self.metrics.has_losses_of_rows:
            return {}
        metrics = self.metrics
        who = metrics.baselines if records is None else ["learner"]
        late: deque[tuple[int, float | None]] = deque()

        def count(labels: Row, numbers: Places) -> None:
            batch = Batch.of(row=numbers, label=labels, score=np.zeros(len(labels)))
            batch.arrive_late(max(1, self.ahead), late)
            metrics.add_block(batch)

        if records is None and len(self.head):
            count(self.head, np.arange(len(self.head)) + 1)
        sums = {one: [0.0] for one in who}
        for first, last in pairwise(ends.tolist()):
            if records is None:
                count(self.y[first:last], self.numbers[first:last])
            else:
                metrics.add_answers(Batch(records[first:last]))
            for one, total in sums.items():
                total.append(metrics.mean_loss(one) * metrics.rows)
        return {one: (np.diff(total) / np.diff(ends)).tolist() for one, total in sums.items()}

    def recovery(self, records: Records) -> list[int | None]:
        """Return the rows until the loss is close to its later level, for each change."""
        wrong = self.kind.wrong(records)
        if wrong is None or not self.changes:
            return []
        ends = [*self.changes[1:], len(wrong)]
        return [recovery(wrong, *part) for part in zip(self.changes, ends, strict=True)]
