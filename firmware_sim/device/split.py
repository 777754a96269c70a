"""A device whose learner lives in a process of its own."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

import edgeolk as ek
from edgeolk.files import v3
from firmware_sim.config import ReplayConfig
from firmware_sim.containment.child import BLOCK, COUNTERS
from firmware_sim.containment.process import ProcessLearner
from firmware_sim.device.device import Device
from firmware_sim.device.supervision import When, row_type
from firmware_sim.errors import BeyondCapError, LearnerDiedError
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import RegressionAdapter
from firmware_sim.tasks.regression import scaled_targets
from firmware_sim.tasks.teaching import Taught


def _wide(row: Row) -> Row:
    """Return a row as the process reads it; the row buffer may hold shorter numbers."""
    return np.ascontiguousarray(row, np.float64)


class _Remote:
    """The learner in the process, one row at a time, as `Supervision` asks and teaches it.

    beside: what it says beside its last forecast; no numbers where it is no forecaster.
    """

    def __init__(self, process: ProcessLearner) -> None:
        self._process = process
        self._label = np.empty(1)
        self.beside = [0.0] * (process.width - 1) if process.candidates else []

    def learn_one(self, row: Row, label: float) -> float:
        self._label[0] = label
        scores, message = self._process.learn(_wide(row)[np.newaxis], self._label)
        kind, _, text = message.partition(":")
        if kind:
            raise RuntimeError(text) if kind == "stop" else ValueError(text)
        return self._noted(scores)

    def _noted(self, scores: list[float]) -> float:
        if self.beside:
            self.beside = scores[1:]
        return scores[0]

    def ask_one(self, row: Row) -> float:
        return self._noted(self._process.forecast(_wide(row)))

    def tell_one(self, target: float | None) -> None:
        self._process.tell(target)

    def restart(self) -> None:
        self._process.restart()

    @property
    def n_waiting(self) -> int:
        return self._process.n_waiting

    def decision_one(self, row: Row) -> float:
        return self._process.decide(_wide(row))

    def ask_label(self, row: Row) -> bool:
        return self._process.wants(_wide(row))


class SplitDevice(Device):
    """A device whose learner lives in a process of its own, under a limit on growth.

    Row buffer, scaler and the queue of rows whose labels are late stay here, in the block; the
    learner's part of the block is not used.
    """

    def _build(self, config: ReplayConfig, n_features: int, settings: dict[str, Any]) -> None:
        # Where labels do not come with their rows, or a gap may, the learner is asked about each.
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

    def _let_go(self) -> None:
        self._peak = max(self._peak, self._process.peak)
        self._process.close()
        self._adapter = None  # it has the scaler of targets, whose memory is to be used again

    def _resume(self, learner: Any) -> None:
        self._start(bytes(learner.__reduce__()[1][0]))
        self._counters = self._process.counters()

    def _teach(self) -> None:
        """The process does."""

    def _kept_learner(self) -> Any:
        return ek.Learner._from_block(bytes(v3.written(memoryview(self._process.block()))))

    @property
    def steps(self) -> int:
        """Rows learned, as last heard of."""
        return self._counters["steps"]

    @property
    def enforcement(self) -> str:
        """How the cap is enforced, in words."""
        why = f" ({self._process.reasons})" if self._process.reasons else ""
        return f"{self._process.limit} on the growth of the learner's process{why}"

    @property
    def peak_resident(self) -> int | None:
        """Peak resident bytes of the learner's process."""
        return max(self._peak, self._process.peak)

    def learn_block(self, X: Row, y: Row, when: When) -> Taught:
        """Scale rows and learn them; see `Device.learn_block`. The process has all of a block."""
        return self._scaled_and_learned(X, y, when)

    def _learn(self, rows: Row, y: Row, when: When) -> Taught:
        """Have the process learn scaled rows."""
        rang = self.alarms
        found = self._learn_singly(rows, y, when) if self._one_by_one else self._taught(rows, y)
        self._counters = self._process.counters()
        if self.alarms > rang:
            found.alarms.append(len(y) - 1)
        return found

    def _taught(self, rows: Row, y: Row) -> Taught:
        if self._config.scales_outside:
            rows = rows.astype(row_type(self._config))
        width = self._process.width
        forecast = width - 1 if self._config.forecasts else 0
        rows, told, found = _wide(rows), y, Taught.of(len(y), forecast)
        mean, spread = np.zeros(len(y)), np.ones(len(y))
        if self._targets is not None:
            told, mean, spread = scaled_targets(self._targets, y)
        while found.done < len(y) and found.stopped is None:
            at = found.done
            said, message = self._process.learn(rows[at:], told[at:])
            columns = np.array(said).reshape(-1, width).T
            found.done += columns.shape[1]
            part = slice(at, found.done)
            found.scores[part] = mean[part] + spread[part] * columns[0]
            if self._watches:
                found.levels[part], found.verdicts[part] = columns[1:]
            elif forecast:
                found.said[part] = columns[1:].T
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
        """Readings that the storage could not hold: a bare learner has no such storage."""
        return 0

    @property
    def alarms(self) -> int:
        """Alarms of drift, as last heard of."""
        return 0 if self._watches else self._counters["alarms"]

    def counters(self) -> dict[str, int]:
        """Budget, bytes and counters of the learner, as last heard of."""
        nbytes = self.layout.part("learner").nbytes
        own = {"budget": self.plan.budget, "nbytes": nbytes}
        return {**own, **self._counters, "alarms": self.alarms}

    def close(self) -> None:
        """Take the learner out of the process, if there is one still, and end it."""
        if not (self._process.gone or hasattr(self, "learner")):
            with suppress(BeyondCapError, LearnerDiedError):
                self.learner = self._kept_learner()
        self._process.close()


def make_device(config: ReplayConfig, n_features: int, kernel: Any) -> Device:
    """Return the device that enforces its cap as the configuration says."""
    kind = SplitDevice if config.enforce == "process" else Device
    return kind(config, n_features, kernel)
