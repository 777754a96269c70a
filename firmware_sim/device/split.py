"""A device whose learner lives in a process of its own."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np

import edgeolk as ek
from edgeolk.files import v3
from firmware_sim.config import ReplayConfig
from firmware_sim.containment.child import BLOCK, COUNTERS
from firmware_sim.containment.process import ProcessLearner
from firmware_sim.device.device import Device, Outcome
from firmware_sim.errors import BeyondCapError, LearnerDiedError
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import RegressionAdapter, Watched


def _wide(row: Row) -> Row:
    """Return a row as the process reads it; the row buffer may hold shorter numbers."""
    return np.ascontiguousarray(row, np.float64)


class _Remote:
    """The learner in the process, one row at a time, as `Supervision` asks and teaches it."""

    def __init__(self, process: ProcessLearner) -> None:
        self._process = process
        self._label = np.empty(1)

    def learn_one(self, row: Row, label: float) -> float:
        self._label[0] = label
        scores, message = self._process.learn(_wide(row)[np.newaxis], self._label)
        kind, _, text = message.partition(":")
        if kind:
            raise RuntimeError(text) if kind == "stop" else ValueError(text)
        return scores[0]

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
        # Where labels do not come with their rows, the learner is asked about each.
        self._one_by_one = config.waits_for_labels
        # Where the power goes, rows must not wait: a checkpoint and a cut lie between two of them.
        self.block = 1 if config.power_cut is not None or self._one_by_one else BLOCK
        self._held = []
        self._rows = np.empty((BLOCK, n_features))
        self._labels = np.empty(BLOCK)
        self._waiting: list[tuple[float, float] | Exception] = []  # how to read the score
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
            kind=config.kind,
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

    def put(self, label: float, number: int = 0, seconds: float = math.nan) -> None:
        """Scale the row in `raw` and keep a copy for the next block."""
        if self._one_by_one:
            super().put(label, number, seconds)
            return
        n = sum(not isinstance(one, Exception) for one in self._waiting)
        try:
            self.scale()
        except ValueError as error:
            self._waiting.append(error)
            return
        scale = (0.0, 1.0)
        if self._targets is not None:
            scale = self._targets.present
            label = self._targets.learn(label)
        self._waiting.append(scale)
        self._rows[n] = self._scaled
        self._labels[n] = label

    def settle(self) -> list[Outcome]:
        """Have the process learn the block; see `Device.settle`."""
        if self._one_by_one:
            held, self._held = self._held, []
            answers = [self._learn(one) for one in held]
            self._counters = self._process.counters()
            return answers
        waiting, self._waiting = self._waiting, []
        n = sum(not isinstance(one, Exception) for one in waiting)
        learned: list[Outcome] = []
        while len(learned) < n:
            at = len(learned)
            scores, message = self._process.learn(self._rows[at:n], self._labels[at:n])
            each = scores[::3], scores[1::3], scores[2::3]
            learned += map(Watched, *each) if self._watches else scores
            kind, _, text = message.partition(":")
            if kind == "stop":
                learned.append(RuntimeError(text))
                break
            if kind:
                learned.append(ValueError(text))
        if n:
            self._counters = self._process.counters()
        out: list[Outcome] = []
        found = iter(learned)
        for one in waiting:
            if isinstance(one, Exception):
                out.append(one)
                continue
            answer = next(found, None)
            if answer is None:  # behind a stop
                break
            if isinstance(answer, (int, float)):
                answer = one[0] + one[1] * answer
            out.append(answer)
        return out

    @property
    def _watches(self) -> bool:
        return self._config.kind == "novelty"

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
