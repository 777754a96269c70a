"""The simulated device: row buffer, scaler and learner under one cap."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.config import ReplayConfig
from firmware_sim.containment.memory import DeviceMemory
from firmware_sim.device.forecasting import ForecastSupervision
from firmware_sim.device.planning import learner_settings, make_learner, plan_device
from firmware_sim.device.repair import KEEPS, Gaps, Repair
from firmware_sim.device.row import RowBuffer
from firmware_sim.device.scaling import scaled_rows
from firmware_sim.device.supervision import Supervision, When, row_type
from firmware_sim.device.watching import WatchSupervision
from firmware_sim.errors import SimulatorError
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import adapter
from firmware_sim.tasks.regression import TargetScale
from firmware_sim.tasks.teaching import Taught, numbers_said, watches_drift


def remembered(learner: Any) -> dict[str, int]:
    """Return the rows of its memory beside the features, and its share of the next answer in %."""
    share = float(getattr(learner, "memory_share", 0.0))
    held = int(getattr(learner, "n_remembered", 0))
    return {"n_remembered": held, "memory_percent": int(100.0 * share + 0.5)}


class Device:
    """What would be flashed: it turns rows of readings and labels into scores.

    config: scaling, algorithm, cap, and how the cap is enforced.
    n_features: readings in a row.
    kernel: a kernel of `edgeolk`; see `make_kernel`.
    row: the row buffer.
    layout: what lies where.
    plan: the learner's own.
    scaler: what scales the readings, where they are scaled.
    repair: what stands in for absent readings, where something does.
    supervision: what gives the learner its labels.
    block: rows that it takes at once, at most.
    """

    def __init__(self, config: ReplayConfig, n_features: int, kernel: Any) -> None:
        self._config, self._n_features = config, n_features
        self.layout, self.plan = plan_device(config, n_features, kernel)
        self._memory = DeviceMemory(self.layout)
        self._leak = config.leak
        self._leaked = 0
        self.block = sys.maxsize
        self.row = RowBuffer(config)
        self._wrapped = False
        # Targets of a forecaster may not find their rows, by its horizon.
        own = config.queue_rows or 1
        horizon = config.resolved.params.get("horizon", own)
        self._misses_targets = config.forecasts and horizon != own
        self._settings = learner_settings(config, kernel, self.plan)
        self._boot()
        self._build(config, n_features, self._settings)

    def _boot(self) -> None:
        """Make all but the learner, in memory of zeros."""
        config, n_features = self._config, self._n_features
        self.scaler: Any = None
        if config.scales_outside:
            self.scaler = ek.RunningScaler(
                n_features,
                method=config.scale,
                freeze_after=config.freeze_after,
                buffer=self._memory.view("scaler"),
            )
        self._targets = None
        if config.scales_targets:
            self._targets = TargetScale(self._memory.view("target scaler"))
        self.repair: Repair | Gaps | None = Gaps() if config.takes_gaps else None
        if config.missing in KEEPS:
            self.repair = Repair(config.missing, n_features, self._memory.view("repair"))
        self.supervision: Supervision
        own = ForecastSupervision if config.forecasts else WatchSupervision
        if config.forecasts or config.watches:
            self.supervision = own(config, n_features)
            return
        queue = self._memory.view("label queue") if config.queue_rows else None
        self.supervision = Supervision(config, n_features, queue)

    def _build(self, config: ReplayConfig, n_features: int, settings: dict[str, Any]) -> None:
        if self._leak and not self._memory.guarded:
            raise SimulatorError(f"leaks cannot be detected here: {self._memory.enforcement}")
        self.block = 1 if self._leak else self.block
        self.learner = make_learner(n_features, settings, buffer=self._memory.view("learner"))
        self._teach()

    def _teach(self) -> None:
        self._drifts = watches_drift(self.learner)
        self._adapter: Any = adapter(self._config.resolved.kind, self.learner, self._targets)

    def teach_through(self, wrap: Callable[[Any], Any]) -> None:
        """Teach what ``wrap`` makes of the learner, which passes it on."""
        self._adapter = adapter(self._config.resolved.kind, wrap(self.learner), self._targets)
        self._wrapped = True

    @property
    def lasting(self) -> tuple[Any, ...]:
        """What a checkpoint keeps: the learner, and what scales readings and targets."""
        return (self._kept_learner(), *self._scalers)

    def _kept_learner(self) -> Any:
        return self.learner

    def copied(self) -> bytearray:
        """Return a copy of the learner's memory, where it lies in this process."""
        return bytearray(self._memory.view("learner"))

    @property
    def target_scaler(self) -> Any:
        """What scales the targets, where they are real numbers; else None."""
        return None if self._targets is None else self._targets.scaler

    @property
    def _scalers(self) -> tuple[Any, ...]:
        return tuple(part for part in (self.scaler, self.target_scaler) if part is not None)

    @property
    def steps(self) -> int:
        """Rows learned."""
        return int(self.learner.steps)

    @property
    def progress(self) -> int:
        """Rows learned, or taken in by a scaler where these are more."""
        return max(self.steps, 0, *(int(part.n_seen) for part in self._scalers))

    def restart(self, kept: tuple[Any, ...] | None) -> None:
        """Lose the RAM, as by a power cut.

        kept: what a checkpoint gave back of `lasting`; None where there is none yet. It stays in
            memory of its own, of the size that the layout has for it.
        """
        before, steps = self.supervision, self.steps
        # The block is let go before it is used again.
        self._let_go()
        self.scaler = self._targets = self.repair = None
        self._memory.clear()
        self._boot()
        if kept is None:
            self._build(self._config, self._n_features, self._settings)
            self.supervision.after_cut(before, self._adapter, steps - self.steps)
            return
        learner, *scalers = kept
        self._resume(learner)
        if self._config.resolved.params.get("last_label"):  # that of a row before the cut
            learner.restart()
        if self._config.scales_outside:
            self.scaler = scalers.pop(0)
        if self._targets is not None:
            self._targets.scaler = scalers.pop(0)
        self._teach()
        self.supervision.after_cut(before, self._adapter, steps - self.steps)

    def _let_go(self) -> None:
        """Let go of the learner."""
        self.learner = self._adapter = None

    def _resume(self, learner: Any) -> None:
        """Go on with a learner that a checkpoint held."""
        self.learner = learner

    @property
    def enforcement(self) -> str:
        """How the cap is enforced, in words."""
        return self._memory.enforcement

    @property
    def peak_resident(self) -> int | None:
        """Peak resident bytes of the learner's own process, where it has one."""
        return None

    def learn_block(self, X: Row, y: Row, when: When) -> Taught:
        """Scale rows and learn them, in their order.

        X, y: readings and labels.
        when: numbers and times.
        Raises BeyondCapError: the learner took memory it may not have.

        Returns: for each row its score from before the update, or why it was refused.
        """
        config = self._config
        stops = config.damaged == "stop"
        if not (stops or config.resolved.params.get("full") == "raise" or self._misses_targets):
            return self._scaled_and_learned(X, y, when)
        # Behind a row that is refused, and ends the replay, none is scaled or learned.
        whole = Taught.of(len(y), numbers_said(self._adapter))
        for at in range(len(y)):
            row = slice(at, at + 1)
            self._scaled_and_learned(X[row], y[row], when.part(row)).enter(whole, at)
            if whole.stopped is not None or (stops and whole.refused):
                break
        return whole

    def _scaled_and_learned(self, X: Row, y: Row, when: When) -> Taught:
        rows, refused = scaled_rows(self.scaler, *self.row.take(X))
        if not refused:
            return self._learn(rows, y, when)
        places = np.flatnonzero([at not in refused for at in range(len(X))])
        found = self._learn(rows[places], y[places], when.part(places))
        return found.among(places, len(X), refused)

    def _learn(self, rows: Row, y: Row, when: When) -> Taught:
        """Learn scaled rows."""
        if self._leak:
            self._memory.write_beyond(self._leaked, self._leak)
            self._leaked += self._leak
        config = self._config
        waits = config.waits_for_labels or self._misses_targets
        if waits or self._wrapped:
            return self._learn_singly(rows, y, when)
        learn_many = self.supervision.learn_many
        return learn_many(config.resolved.kind, self.learner, self._targets, rows, y, when)

    def _learn_singly(self, rows: Row, y: Row, when: When) -> Taught:
        """Learn scaled rows one by one, as their labels come."""
        if self._config.scales_outside:
            rows = rows.astype(row_type(self._config))
        found, rang = Taught.of(len(y), numbers_said(self._adapter)), self.alarms
        for at in range(len(y)):
            self.supervision.enter(found, at, self._adapter, rows[at], float(y[at]), when)
            if found.stopped is not None:
                break
            if self.alarms > rang:
                rang = self.alarms
                found.alarms.append(at)
        return found

    def inputs(self, rows: Row) -> dict[int, float]:
        """Return how much each reading matters to the answers to some rows, as shares.

        rows: as they come from the sensors.

        Returns: by the place of the reading; empty where the learner cannot be asked, or knows rows
        in order only.
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
    def candidates(self) -> tuple[str, ...]:
        """What a forecaster mixes its answers of."""
        return tuple(self.learner.shares)

    @property
    def alarms(self) -> int:
        """Alarms of drift so far."""
        return int(self.learner.alarms) if self._drifts else 0

    @property
    def clipped(self) -> int:
        """Readings that the storage could not hold, where the library counts them."""
        return int(getattr(self.learner, "n_out_of_range", 0))

    def counters(self) -> dict[str, int]:
        """Budget, bytes and counters of the learner."""
        names = ("budget", "n_support", "updates", "mistakes", "steps", "nbytes")
        found = {name: int(getattr(self.learner, name)) for name in names}
        return {**found, "alarms": self.alarms, **remembered(self.learner)}

    def close(self) -> None:
        """End what the device has running."""
