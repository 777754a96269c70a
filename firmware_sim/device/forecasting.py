"""Targets of a forecaster, delivered as they arrive: the learner itself stores pending rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.supervision import Supervision
from firmware_sim.errors import SimulatorError
from firmware_sim.metrics.batch import When
from firmware_sim.streams import Row


class ForecastSupervision(Supervision):
    """Requests a forecast for each row, and delivers each target when it arrives.

    config, n_features, counts, arrived, at_once: as for `Supervision`.
    """

    _may_ask = False

    def __init__(self, config: ReplayConfig, n_features: int) -> None:
        super().__init__(config, n_features)
        self._is_first = True
        # Numbers are those of periods, of which short gaps are filled in.
        self._counts_periods = config.grid is not None and config.rows_ahead > 0
        self._number = 0

    def step(
        self, trainer: Any, row: Row, label: float, number: int, seconds: float
    ) -> tuple[Any, ...]:
        """Answer a row, and learn the targets that have arrived; see `Supervision.step`."""
        self.arrived.clear()
        self.at_once = False
        is_late = seconds - self._seconds > self._gap or self._is_after_break(number)
        if self._has_unknown_pending(trainer) or is_late:
            self._restart(trainer)
        self._seconds, self._number = seconds, number
        if self._immediate:
            self.at_once = True
            self.counts.learned += 1
            learned: tuple[Any, ...] = trainer.learn_one(row, label)
            return learned
        now = self._now(number, seconds)
        while self._labels and now - self._labels[0][0] >= self._delay:
            self._deliver(trainer, self._labels.popleft()[1])
        answer: tuple[Any, ...] = trainer.ask_one(row)
        is_missing = self._rng.random() < self._config.label_missing or np.isnan(label)
        if len(self._labels) == self._size > 0:  # the learner has dropped the oldest
            self._labels.popleft()
            self.counts.lost += 1
        self._labels.append((now, None if is_missing else label))
        if not self._delay:
            self._deliver(trainer, self._labels.popleft()[1])
            self.arrived.clear()
            self.at_once = not is_missing
        self.counts.waiting = len(self._labels)
        return answer

    def after_cut(self, previous: Supervision, trainer: Any, lost: int) -> None:
        """Continue after a power cut: rows that were pending at the checkpoint are still pending.

        They are stored in the learner. Targets that arrived between checkpoint and cut were lost
        with the RAM and do not come again; rows of that time are lost, and their targets find none.
        """
        self.counts, self._is_first, self._clock = previous.counts, False, previous._clock
        pending = list(previous._labels)
        self._labels.extend(pending[: max(0, len(pending) - lost)])
        self.counts.cut += len(pending) - len(self._labels)
        self.counts.waiting = len(self._labels)
        for _ in range(trainer.n_pending - len(self._labels)):
            trainer.tell_one(None)

    def _has_unknown_pending(self, trainer: Any) -> bool:
        """Whether a learner from a file has pending rows, of which this object knows nothing."""
        begins, self._is_first = self._is_first, False
        return begins and trainer.n_pending > 0

    def _deliver(self, trainer: Any, label: float | None) -> None:
        """Deliver the target of the oldest pending row.

        A target that the learner refuses is delivered as missing: otherwise the row would receive
        the next target, which belongs to another row.
        """
        try:
            trainer.tell_one(label)
        except SimulatorError:  # the learner's process has died
            raise
        except ValueError:
            label = None
            trainer.tell_one(label)
        if label is None:
            self.counts.missing += 1
        else:
            self.arrived.append(label)
            self.counts.learned += 1

    def _restart(self, trainer: Any) -> None:
        """Forget the history and the pending rows after a long gap."""
        self.counts.lost += sum(label is not None for _, label in self._labels)
        self._labels.clear()
        trainer.restart()

    def _is_after_break(self, number: int) -> bool:
        """Whether periods before a row are missing."""
        return self._counts_periods and number - self._number > 1 and self._number > 0

    def _rows_after_gaps(self, trainer: Any, when: When) -> list[int]:
        """Return the indices of the rows before which there is a long gap."""
        seconds, numbers = when.seconds, when.numbers
        gaps = np.diff(seconds, prepend=self._seconds) > self._gap
        if len(seconds):
            if self._counts_periods:
                gaps[1:] |= np.diff(numbers) > 1
                gaps[0] |= self._is_after_break(int(numbers[0]))
            gaps[0] |= self._has_unknown_pending(trainer)
            self._seconds, self._number = float(seconds[-1]), int(numbers[-1])
        return [*np.flatnonzero(gaps).tolist()]
