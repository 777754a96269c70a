"""One learner of a task, and what scales its rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.config import ReplayConfig
from firmware_sim.device.planning import (
    learner_settings,
    make_kernel,
    make_learner,
    plan_device,
    scaled_prefix,
)
from firmware_sim.device.row import buffer_type, converted
from firmware_sim.device.scaling import scaled_rows
from firmware_sim.fleet.saving import save_parts
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence
from firmware_sim.tasks.kinds import KINDS
from firmware_sim.tasks.regression import TargetScale
from firmware_sim.tasks.teaching import teach, watches_drift

_MOST_SIZES = 1_000


class Scalers:
    """Scalers that learners share: those that scale alike see the same rows."""

    def __init__(self, n_features: int) -> None:
        self._n_features = n_features
        self.made: dict[tuple[Any, ...], Any] = {}
        self._scaled: dict[tuple[Any, ...], tuple[Row, Any]] = {}
        self._held: dict[np.dtype[Any], tuple[Row, dict[int, Exception]]] = {}
        self._kernels: dict[tuple[Any, ...], Any] = {}

    def kernel(self, config: ReplayConfig, first: Row) -> Any:
        """Return the kernel of a configuration, its width chosen from the first rows."""
        scaling = (config.scale, config.freeze_after, config.prefix, config.chooses_inside)
        form = (config.kernel, config.gamma, config.degree, config.offset)
        key = (*scaling, *form)
        if key not in self._kernels:
            kernel, _ = make_kernel(
                config, self._n_features, lambda: scaled_prefix(config, first[: config.prefix])
            )
            self._kernels[key] = kernel
        return self._kernels[key]

    def begin_block(self) -> None:
        """Forget what was scaled: a new block comes."""
        self._scaled.clear()
        self._held.clear()

    def scaled(self, config: ReplayConfig, X: Row) -> tuple[Row, Any]:
        """Return the rows as a learner sees them, and which of them could be scaled."""
        kind = buffer_type(config)
        if kind not in self._held:
            self._held[kind] = converted(X, kind)[:2]
        held, unfit = self._held[kind]
        if not config.scales_outside:
            return held, _good(unfit, len(X))
        key = self.key(config)
        if key not in self._scaled:
            out, refused = scaled_rows(self.scaler(config), held, unfit)
            self._scaled[key] = out, _good(refused, len(X))
        return self._scaled[key]

    def key(self, config: ReplayConfig) -> tuple[Any, ...]:
        """Return what configurations that scale alike have in common."""
        return (config.scale, config.freeze_after, buffer_type(config))

    def scaler(self, config: ReplayConfig) -> Any:
        """Return the scaler of a configuration."""
        key = self.key(config)
        if key not in self.made:
            self.made[key] = ek.RunningScaler(
                self._n_features, method=config.scale, freeze_after=config.freeze_after
            )
        return self.made[key]


def _good(refused: Mapping[int, Exception], n: int) -> Any:
    """Return which of n rows were not refused; None for all."""
    if not refused:
        return None
    good = np.ones(n, dtype=bool)
    good[[*refused]] = False
    return good


#: Bytes and plans by what they follow from: planning takes longer than a hundred rows.
_sizes: dict[str, tuple[int, Any]] = {}


def _size(config: ReplayConfig, n_features: int, kernel: Any) -> tuple[int, Any]:
    """Return the bytes under the cap and the plan; the width of a kernel takes no room."""
    read = {"stream": "", "target": None, "ignore": (), "faults": (), "fault_seed": None}
    key = repr((n_features, replace(config, **read)))  # type: ignore[arg-type]
    if key not in _sizes:
        if len(_sizes) >= _MOST_SIZES:
            _sizes.clear()
        layout, plan = plan_device(config, n_features, kernel)
        _sizes[key] = layout.end, plan
    return _sizes[key]


class BlockLearner:
    """A learner among those that step through a stream together.

    config: the learner, and its cap.
    n_features: readings in a row.
    scalers: shared.
    first: first rows without a gap, for the width of the kernel.
    nbytes: bytes under the cap that are used.
    used, refused: rows that the learner took, those before a stop among them, and that it refused.
    metrics: what was counted.
    stopped: why it takes no more rows, empty while it does.
    Raises SimulatorError: it does not fit, or `edgeolk` refuses it.
    """

    def __init__(self, config: ReplayConfig, n_features: int, scalers: Scalers, first: Row) -> None:
        self._config = config
        self._scalers = scalers
        kernel = scalers.kernel(config, first)
        self.nbytes, plan = _size(config, n_features, kernel)
        settings = learner_settings(config, kernel, plan)
        self.learner = make_learner(n_features, settings)
        self._targets = TargetScale.made() if config.scales_targets else None
        self.metrics = KINDS[config.kind].metrics(config, Cadence())
        self.used = self.refused = 0
        self.stopped = ""

    def learn(self, X: Row, y: Row) -> None:
        """Score the rows of a block and learn them."""
        if self.stopped:
            return
        rows, good = self._scalers.scaled(self._config, X)
        if good is not None:
            self.refused += int(np.sum(~good))
            rows, y = rows[good], y[good]
        if not len(y):
            return
        with warnings.catch_warnings():  # of readings beyond the levels of int8
            warnings.simplefilter("ignore", UserWarning)
            found = teach(self._config.kind, self.learner, self._targets, rows, y)
        taken = found.taken
        self.used += len(taken)
        self.refused += len(found.refused)
        if found.stopped is not None:  # a full ring that is told to refuse candidates
            self.stopped = str(found.stopped)
        self.metrics.add_block(y[taken], found.scores[taken])

    def counters(self) -> dict[str, int]:
        """Return what the learner may hold, holds and has changed."""
        names = ("budget", "n_support", "updates")
        found = {name: int(getattr(self.learner, name)) for name in names}
        return {**found, "alarms": int(self.learner.alarms) if watches_drift(self.learner) else 0}

    def save(self, folder: Path, name: str) -> None:
        """Write the learner and its scalers to files; see `save_parts`."""
        scaler = self._scalers.scaler(self._config) if self._config.scales_outside else None
        targets = None if self._targets is None else self._targets.scaler
        save_parts(folder, name, self.learner, scaler, targets)
