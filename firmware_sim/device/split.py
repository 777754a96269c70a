"""A device whose learner runs in a separate process."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from edgeolk import hosting
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.containment.child import BLOCK, COUNTERS
from firmware_sim.containment.process import ProcessLearner
from firmware_sim.device.device import Device
from firmware_sim.device.supervision import row_type
from firmware_sim.errors import BeyondCapError, LearnerDiedError
from firmware_sim.metrics.batch import Batch, When
from firmware_sim.streams import Row


def _as_float64(row: Row) -> Row:
    """Return a row in the type that the process reads; the row buffer may have a smaller type."""
    return np.ascontiguousarray(row, np.float64)


class _Remote:
    """The learner in the process, with the interface of a learner, one row at a time.

    shares: the experts of a forecaster; empty for other learners.
    """

    def __init__(self, process: ProcessLearner) -> None:
        self._process = process
        self._label = np.empty(1)
        self.shares = dict.fromkeys(process.experts, 0.0)
        self._outputs = [0.0] * (process.width - 1)

    def learn_one(self, row: Row, label: float) -> float:
        self._label[0] = label
        scores, message = self._process.learn(_as_float64(row)[np.newaxis], self._label)
        kind, _, text = message.partition(":")
        if kind:
            raise RuntimeError(text) if kind == "stop" else ValueError(text)
        return self._keep_outputs(scores)

    def _keep_outputs(self, scores: list[float]) -> float:
        self._outputs = scores[1:]
        return scores[0]

    def last_forecast(self) -> tuple[float, list[float], list[float]]:
        n_levels = len(self._outputs) - len(self.shares)
        return 0.0, self._outputs[:n_levels], self._outputs[n_levels:]

    def ask_one(self, row: Row) -> float:
        return self._keep_outputs(self._process.forecast(_as_float64(row)))

    def tell_one(self, target: float | None) -> None:
        self._process.tell(target)

    def restart(self) -> None:
        self._process.restart()

    @property
    def n_waiting(self) -> int:
        return self._process.n_waiting

    def decision_one(self, row: Row) -> float:
        return self._process.decide(_as_float64(row))

    #: Of several classes the process answers with the one predicted.
    predict_one = decision_one

    def ask_label(self, row: Row) -> bool:
        return self._process.wants(_as_float64(row))


class SplitDevice(Device):
    """A device whose learner runs in a separate process, whose memory may not grow.

    Row buffer, scaler and the queue of pending labels stay here, in the block; the
    learner's part of the block is not used.
    """

    def _build(self, config: ReplayConfig, n_features: int, settings: dict[str, Any]) -> None:
        # If labels do not arrive with their rows, or a gap may come, rows are answered one by one.
        may_restart = config.gap is not None or config.grid is not None
        self._one_by_one = config.waits_for_labels or self._misses_targets or may_restart
        self.block = BLOCK
        self._peak = 0
        self._counters = dict.fromkeys(COUNTERS, 0)
        self._start()

    def _start(self, saved: bytes = b"") -> None:
        """Start the process, with a new model or a saved one."""
        config = self._config
        self._process = ProcessLearner(
            self._n_features,
            self._settings,
            config.limit_by,
            config.leak,
            program=self._kind.program,
            saved=saved,
        )
        self._attach_trainer()

    def _attach_trainer(self) -> None:
        self.trainer = self._kind.trainer(_Remote(self._process), self.targets)

    def _release_learner(self) -> None:
        self._peak = max(self._peak, self._process.peak)
        self._process.close()
        self.trainer = None  # it holds the scaler of targets, whose memory will be reused

    def _resume(self, learner: Any) -> None:
        self._start(hosting.to_bytes(learner))
        self._counters = self._process.counters()

    def _learner_to_save(self) -> Any:
        return hosting.from_block(self._process.block())

    @property
    def steps(self) -> int:
        """Rows learned, by the last counters received."""
        return self._counters["steps"]

    @property
    def enforcement(self) -> str:
        """How the cap is enforced, as text."""
        why = f" ({self._process.reasons})" if self._process.reasons else ""
        return f"{self._process.limit} on the growth of the learner's process{why}"

    @property
    def peak_resident(self) -> int | None:
        """Peak resident bytes of the learner's process."""
        return max(self._peak, self._process.peak)

    def learn_block(self, X: Row, y: Row, when: When) -> Batch:
        """Scale rows and learn them; see `Device.learn_block`. The process receives all of them."""
        return self._scaled_and_learned(X, y, when)

    def _learn(self, rows: Row, y: Row, when: When) -> Batch:
        """Have the process learn scaled rows."""
        alarms_before = self.alarms
        found = (
            self._learn_singly(rows, y, when)
            if self._one_by_one
            else self._learn_batch(rows, y, when)
        )
        self._counters = self._process.counters()
        if self.alarms > alarms_before:
            found.rows["drift"][-1:] = True
        return found

    def _learn_batch(self, rows: Row, y: Row, when: When) -> Batch:
        assert self.trainer is not None
        self.supervision.counts.learned += len(y)
        if self._config.scales_outside:
            rows = rows.astype(row_type(self._config))
        rows, (labels, scaling) = _as_float64(rows), self.trainer.scaled(y)
        found, done = Batch(self.trainer.records(y, when)), 0
        labels = self.trainer.sent(labels, when)
        numbers = np.zeros((len(y), self._process.width))
        while done < len(y) and found.stopped is None:
            values, message = self._process.learn(rows[done:], labels[done:])
            part = np.array(values).reshape(-1, self._process.width)
            numbers[done : done + len(part)] = part
            done += len(part)
            kind, _, text = message.partition(":")
            if kind == "stop":
                found.stopped, found.rows = RuntimeError(text), found.rows[:done]
            elif kind:
                found.reasons[int(when.numbers[done])] = ValueError(text)
                found.rows["refused"][done] = True
                done += 1
        self.trainer.write(found.rows, numbers.T, scaling)
        return found

    @property
    def clipped(self) -> int:
        """Readings out of the storage's range: always 0, a bare learner has no such type."""
        return 0

    @property
    def alarms(self) -> int:
        """Drift alarms, by the last counters received."""
        return 0 if not self._kind.is_supervised else self._counters["alarms"]

    def counters(self) -> dict[str, int]:
        """Budget, bytes and counters of the learner, by the last counters received."""
        nbytes = self.layout.part("learner").nbytes
        known = {"budget": self.plan.budget, "nbytes": nbytes}
        return {**known, **self._counters, "alarms": self.alarms}

    def close(self) -> None:
        """Copy the learner out of the process, if it is still running, and end it."""
        if not (self._process.gone or hasattr(self, "learner")):
            with suppress(BeyondCapError, LearnerDiedError):
                self.learner = self._learner_to_save()
        self._process.close()


def make_device(config: ReplayConfig, n_features: int, kernel: Any) -> Device:
    """Return the device with the configured enforcement of the cap."""
    kind = SplitDevice if config.enforce == "process" else Device
    return kind(config, n_features, kernel)
