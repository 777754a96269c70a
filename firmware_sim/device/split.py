"""A device whose learner runs in a separate process."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

import edgeolk as ek
from edgeolk.files import restore
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.containment.child import BLOCK, COUNTERS
from firmware_sim.containment.process import ProcessLearner
from firmware_sim.device.device import Device
from firmware_sim.device.supervision import When, row_type
from firmware_sim.errors import BeyondCapError, LearnerDiedError
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import RegressionAdapter, scaled_targets
from firmware_sim.tasks.learning import LearnResult


def _as_float64(row: Row) -> Row:
    """Return a row in the type that the process reads; the row buffer may have a smaller type."""
    return np.ascontiguousarray(row, np.float64)


class _Remote:
    """The learner in the process, with the interface of a learner, one row at a time.

    last_outputs: what it reports beside its last forecast; empty unless it is a forecaster.
    """

    def __init__(self, process: ProcessLearner) -> None:
        self._process = process
        self._label = np.empty(1)
        self.last_outputs = [0.0] * (process.width - 1) if process.candidates else []

    def learn_one(self, row: Row, label: float) -> float:
        self._label[0] = label
        scores, message = self._process.learn(_as_float64(row)[np.newaxis], self._label)
        kind, _, text = message.partition(":")
        if kind:
            raise RuntimeError(text) if kind == "stop" else ValueError(text)
        return self._keep_outputs(scores)

    def _keep_outputs(self, scores: list[float]) -> float:
        if self.last_outputs:
            self.last_outputs = scores[1:]
        return scores[0]

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

    def ask_label(self, row: Row) -> bool:
        return self._process.wants(_as_float64(row))


class SplitDevice(Device):
    """A device whose learner runs in a separate process, whose memory may not grow.

    Row buffer, scaler and the queue of pending labels stay here, in the block; the
    learner's part of the block is not used.
    """

    def _build(self, config: ReplayConfig, n_features: int, settings: dict[str, Any]) -> None:
        # If labels do not arrive with their rows, or a gap may come, rows are answered one by one.
        self._one_by_one = config.waits_for_labels or self._misses_targets or config.gap is not None
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
            kind=config.resolved.kind,
            saved=saved,
        )
        remote = _Remote(self._process)
        self._adapter = (
            remote if self._targets is None else RegressionAdapter(remote, self._targets)
        )

    def _release_learner(self) -> None:
        self._peak = max(self._peak, self._process.peak)
        self._process.close()
        self._adapter = None  # it holds the scaler of targets, whose memory will be reused

    def _resume(self, learner: Any) -> None:
        self._start(bytes(learner.__reduce__()[1][0]))
        self._counters = self._process.counters()

    def _attach_adapter(self) -> None:
        """Do nothing: `_start` attaches the process."""

    def _learner_to_save(self) -> Any:
        return ek.Learner._from_block(bytes(restore.written(memoryview(self._process.block()))))

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

    def learn_block(self, X: Row, y: Row, when: When) -> LearnResult:
        """Scale rows and learn them; see `Device.learn_block`. The process receives all of them."""
        return self._scaled_and_learned(X, y, when)

    def _learn(self, rows: Row, y: Row, when: When) -> LearnResult:
        """Have the process learn scaled rows."""
        alarms_before = self.alarms
        found = (
            self._learn_singly(rows, y, when) if self._one_by_one else self._learn_batch(rows, y)
        )
        self._counters = self._process.counters()
        if self.alarms > alarms_before:
            found.alarms.append(len(y) - 1)
        return found

    def _learn_batch(self, rows: Row, y: Row) -> LearnResult:
        if self._config.scales_outside:
            rows = rows.astype(row_type(self._config))
        width = self._process.width
        forecast = width - 1 if self._config.forecasts else 0
        rows, targets, found = _as_float64(rows), y, LearnResult.empty(len(y), forecast)
        mean, spread = np.zeros(len(y)), np.ones(len(y))
        if self._targets is not None:
            targets, mean, spread = scaled_targets(self._targets, y)
        while found.done < len(y) and found.stopped is None:
            at = found.done
            values, message = self._process.learn(rows[at:], targets[at:])
            columns = np.array(values).reshape(-1, width).T
            found.done += columns.shape[1]
            part = slice(at, found.done)
            found.scores[part] = mean[part] + spread[part] * columns[0]
            if self._watches:
                found.levels[part], found.reasons[part] = columns[1:]
            elif forecast:
                found.outputs[part] = columns[1:].T
            kind, _, text = message.partition(":")
            if kind == "stop":
                found.stopped = RuntimeError(text)
            elif kind:
                found.refused[found.done] = ValueError(text)
                found.done += 1
        return found

    @property
    def _watches(self) -> bool:
        return self._config.resolved.kind == "novelty"

    @property
    def candidates(self) -> tuple[str, ...]:
        """What a forecaster mixes its answers of."""
        return self._process.candidates

    @property
    def clipped(self) -> int:
        """Readings out of the storage's range: always 0, a bare learner has no such type."""
        return 0

    @property
    def alarms(self) -> int:
        """Drift alarms, by the last counters received."""
        return 0 if self._watches else self._counters["alarms"]

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
