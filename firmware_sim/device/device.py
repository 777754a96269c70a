"""The simulated device: row buffer, scaler and learner under one cap."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.containment.memory import DeviceMemory
from firmware_sim.device.forecasting import ForecastSupervision
from firmware_sim.device.intake import KEEPS, Gaps, Repair, RowBuffer, scaled_rows
from firmware_sim.device.planning import learner_settings, make_learner, plan_device
from firmware_sim.device.supervision import Supervision, row_type
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds.base import Trainer
from firmware_sim.kinds.scaling import TargetScale
from firmware_sim.metrics.batch import Batch, When
from firmware_sim.streams import Row


def remembered(learner: Any) -> dict[str, int]:
    """Return the rows in a learner's row memory, and its weight in the next answer in %."""
    share = float(getattr(learner, "memory_share", 0.0))
    held = int(getattr(learner, "n_remembered", 0))
    return {"n_remembered": held, "memory_percent": int(100.0 * share + 0.5)}


class Device:
    """The firmware: turns rows of readings and labels into scores.

    config: scaling, algorithm, cap, and how the cap is enforced.
    n_features: readings in a row.
    kernel: a kernel of `edgeolk`; see `make_kernel`.
    row: the row buffer.
    layout: the memory layout.
    plan: the plan of the learner's memory.
    scaler: the scaler of the readings, or None.
    repair: fills in missing readings, or None.
    supervision: delivers labels to the learner.
    targets: the scaler of labels, or None.
    trainer: asks and trains the learner.
    block: most rows that it accepts at once.
    """

    def __init__(self, config: ReplayConfig, n_features: int, kernel: Any) -> None:
        self._config, self._n_features = config, n_features
        self._kind = config.label_kind
        self.layout, self.plan = plan_device(config, n_features, kernel)
        self._memory = DeviceMemory(self.layout)
        self._leak = config.leak
        self._leaked = 0
        self.block = sys.maxsize
        self.row = RowBuffer(config)
        self._wrapped = False
        # With another horizon, a forecaster's targets may not find their rows.
        default = config.queue_rows or 1
        horizon = config.resolved.params.get("horizon", default)
        self._misses_targets = self._kind.keeps_rows and horizon != default
        self._settings = learner_settings(config, kernel, self.plan)
        self._boot()
        self._build(config, n_features, self._settings)

    def _boot(self) -> None:
        """Create all parts but the learner, in zeroed memory."""
        config, n_features = self._config, self._n_features
        self.scaler: Any = None
        if config.scales_outside:
            self.scaler = ek.RunningScaler(
                n_features,
                method=config.scale,
                freeze_after=config.freeze_after,
                buffer=self._memory.view("scaler"),
            )
        self.targets: TargetScale | None = None
        if self._kind.scales_targets:
            self.targets = TargetScale(self._memory.view("target scaler"))
        self.repair: Repair | Gaps | None = Gaps() if config.takes_gaps else None
        if config.missing in KEEPS:
            self.repair = Repair(config.missing, n_features, self._memory.view("repair"))
        self.supervision: Supervision
        if self._kind.keeps_rows:
            self.supervision = ForecastSupervision(config, n_features)
            return
        queue = self._memory.view("label queue") if config.queue_rows else None
        self.supervision = Supervision(config, n_features, queue)

    def _build(self, config: ReplayConfig, n_features: int, settings: dict[str, Any]) -> None:
        if self._leak and not self._memory.guarded:
            raise SimulatorError(f"leaks cannot be detected here: {self._memory.enforcement}")
        self.block = 1 if self._leak else self.block
        self.learner = make_learner(n_features, settings, buffer=self._memory.view("learner"))
        self._attach_trainer()

    def _attach_trainer(self) -> None:
        self.trainer: Trainer | None = self._kind.trainer(self.learner, self.targets)

    def wrap_learner(self, wrap: Callable[[Any], Any]) -> None:
        """Train the learner through the wrapper that ``wrap`` returns."""
        self.trainer = self._kind.trainer(wrap(self.learner), self.targets)
        self._wrapped = True

    @property
    def checkpointed(self) -> tuple[Any, ...]:
        """The contents of a checkpoint: the learner, and the scalers of readings and targets."""
        return (self._learner_to_save(), *self._scalers)

    def _learner_to_save(self) -> Any:
        return self.learner

    @property
    def target_scaler(self) -> Any:
        """The scaler of real targets; None for other labels."""
        return None if self.targets is None else self.targets.scaler

    @property
    def _scalers(self) -> tuple[Any, ...]:
        return tuple(part for part in (self.scaler, self.target_scaler) if part is not None)

    @property
    def steps(self) -> int:
        """Rows learned."""
        return int(self.learner.steps)

    @property
    def progress(self) -> int:
        """Rows learned, or seen by a scaler if these are more."""
        return max(self.steps, 0, *(int(part.n_seen) for part in self._scalers))

    def restart(self, kept: tuple[Any, ...] | None) -> None:
        """Lose the RAM, as in a power cut.

        kept: `checkpointed` as a checkpoint returned it; None if there is none yet. It stays in
            its own memory, of the size that the layout reserves for it.
        """
        before, steps = self.supervision, self.steps
        # All views of the block are released before it is reused.
        self._release_learner()
        self.scaler = self.targets = self.repair = None
        self._memory.clear()
        self._boot()
        if kept is None:
            self._build(self._config, self._n_features, self._settings)
            self.supervision.after_cut(before, self.trainer, steps - self.steps)
            return
        learner, *scalers = kept
        self._resume(learner)
        params = self._config.resolved.params
        if params.get("last_label") or params.get("delay"):  # what waits is from before the cut
            learner.restart()
        if self._config.scales_outside:
            self.scaler = scalers.pop(0)
        if self.targets is not None:
            self.targets.scaler = scalers.pop(0)
        self._attach_trainer()
        self.supervision.after_cut(before, self.trainer, steps - self.steps)

    def _release_learner(self) -> None:
        """Release the learner and its views of the block."""
        self.learner = self.trainer = None

    def _resume(self, learner: Any) -> None:
        """Continue with a learner from a checkpoint."""
        self.learner = learner

    @property
    def enforcement(self) -> str:
        """How the cap is enforced, as text."""
        return self._memory.enforcement

    @property
    def peak_resident(self) -> int | None:
        """Peak resident bytes of the learner's process, if it has one."""
        return None

    def learn_block(self, X: Row, y: Row, when: When) -> Batch:
        """Scale rows and learn them in order.

        X, y: readings and labels.
        when: numbers and times.
        Raises BeyondCapError: the learner exceeded its memory limit.

        Returns: for each row the answer before the update, or why it was refused.
        """
        config = self._config
        stops = config.damaged == "stop"
        if not (stops or config.resolved.params.get("full") == "raise" or self._misses_targets):
            return self._scaled_and_learned(X, y, when)
        # After a refused row that ends the replay, no row is scaled or learned.
        parts: list[Batch] = []
        for at in range(len(y)):
            row = slice(at, at + 1)
            parts.append(self._scaled_and_learned(X[row], y[row], when.part(row)))
            if parts[-1].stopped is not None or (stops and parts[-1].reasons):
                break
        return Batch.joined(parts) if parts else self._scaled_and_learned(X, y, when)

    def _scaled_and_learned(self, X: Row, y: Row, when: When) -> Batch:
        rows, refused = scaled_rows(self.scaler, *self.row.take(X))
        if not refused:
            return self._learn(rows, y, when)
        assert self.trainer is not None
        good = np.ones(len(X), dtype=bool)
        good[[*refused]] = False
        found = self._learn(rows[good], y[good], when.part(good))
        reasons = {int(when.numbers[at]): error for at, error in refused.items()}
        return found.spread(self.trainer.records(y, when), good, reasons)

    def _learn(self, rows: Row, y: Row, when: When) -> Batch:
        """Learn scaled rows."""
        assert self.trainer is not None
        if self._leak:
            self._memory.write_beyond(self._leaked, self._leak)
            self._leaked += self._leak
        if self._config.waits_for_labels or self._misses_targets or self._wrapped:
            return self._learn_singly(rows, y, when)
        return self.supervision.learn_many(self.trainer, rows, y, when)

    def _learn_singly(self, rows: Row, y: Row, when: When) -> Batch:
        """Learn scaled rows one by one, as their labels arrive."""
        assert self.trainer is not None
        if self._config.scales_outside:
            rows = rows.astype(row_type(self._config))
        found, alarms_before = Batch(self.trainer.records(y, when)), self.alarms
        for at in range(len(y)):
            self.supervision.record_step(found, at, self.trainer, rows[at])
            if found.stopped is not None:
                break
            if self.alarms > alarms_before:
                alarms_before = self.alarms
                found.rows["drift"][at] = True
        return found

    def inputs(self, rows: Row) -> dict[int, float]:
        """Return the importance of each reading for the answers to some rows, as shares.

        rows: unscaled rows.

        Returns: shares by index of the reading; empty if the learner is not available, or needs
        rows in the order of time.
        """
        learner = getattr(self, "learner", None)
        if learner is None or len(rows) < 2 or not learner.steps:
            return {}
        try:
            if self.scaler is not None:
                rows = np.array([self.scaler.transform_one(row) for row in rows])
            return dict(enumerate(learner.inputs(rows).tolist()))
        except (RuntimeError, ValueError):
            return {}

    @property
    def alarms(self) -> int:
        """Drift alarms so far."""
        assert self.trainer is not None
        return self.trainer.alarms

    @property
    def clipped(self) -> int:
        """Readings out of the range of the storage type, if the library counts them."""
        return int(getattr(self.learner, "n_out_of_range", 0))

    def counters(self) -> dict[str, int]:
        """Budget, bytes and counters of the learner."""
        names = ("budget", "n_support", "updates", "mistakes", "steps", "nbytes")
        found = {name: int(getattr(self.learner, name)) for name in names}
        return {**found, "alarms": self.alarms, **remembered(self.learner)}

    def close(self) -> None:
        """End the device's processes."""
