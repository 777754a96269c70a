"""The rows of a stream as a learner sees them, read once and kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firmware_sim.comparison.evaluators import EVALUATORS, WITHOUT_KERNEL, Evaluator
from firmware_sim.comparison.work import default_of
from firmware_sim.config import ReplayConfig
from firmware_sim.device.repair import Gaps
from firmware_sim.device.scaling import scaled_rows
from firmware_sim.device.width import Width
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.checked import checked, left_out, usable
from firmware_sim.replaying.loop import Replay
from firmware_sim.replaying.rows import RowCount, nothing_usable
from firmware_sim.streams import Row
from firmware_sim.streams.block import Places
from firmware_sim.streams.cadence import Cadence
from firmware_sim.streams.faults import parse
from firmware_sim.tasks.kinds import KINDS
from firmware_sim.tasks.labels import LabelMap, doubt

#: Numbers kept at most, of eight bytes each.
MOST_NUMBERS = 1 << 26
#: Bytes in which rows are read, whatever the cap, and the budget of a learner that learns nothing.
_ROOM, _BUDGET = 1 << 20, 64
_DAY = 86_400


@dataclass
class Rows:
    """Scaled rows and labels of a stream."""

    name: str
    features: tuple[str, ...]
    evaluator: Evaluator  # the rows, how they are taught and how answers are judged
    width: Width  # the width of the kernel, for all methods the same
    count: RowCount  # how many rows were read, and why some were left out
    #: what was recognised in the stream, and what a reader of the figures has to know
    notes: list[str]
    warnings: list[str]
    #: losses of what needs no learner, or hardly one: by name, on these rows
    baselines: dict[str, float]
    #: ... and over stretches of rows; those that answer without learning the readings come first
    baseline_blocks: dict[str, list[float]]
    trivial: tuple[str, ...]
    config: ReplayConfig  # how they were read, with the classes that were found
    cadence: float | None = None  # seconds from row to row, where that is known

    @property
    def X(self) -> Row:
        """The rows, shape (n, d)."""
        return self.evaluator.X

    @property
    def y(self) -> Row:
        """The labels, shape (n,)."""
        return self.evaluator.y

    @property
    def read(self) -> int:
        """Rows read, with those that were left out."""
        return self.count.read

    @property
    def mark(self) -> str:
        """A mark that other rows do not have."""
        said = (self.width.gamma, self.config.kind, self.config.classes)
        parts = (self.X.tobytes(), self.y.tobytes(), repr(said).encode())
        return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def prepare(config: ReplayConfig, season: int = 0) -> Rows:
    """Read, repair and scale the rows of a stream.

    config: of a Gaussian kernel; its cap and algorithm do not matter.
    season: rows of a season of the target; 0 for those of a day, where rows say when they were
        taken.
    Raises SimulatorError: there are too many rows to keep, or none.
    """
    if config.kernel != "gaussian":
        raise SimulatorError("compare and tune are for Gaussian kernels")
    # What reads and scales the rows takes room of its own; the learner beside it is not asked.
    replay = Replay(replace(config, ram=max(config.cap_bytes, _ROOM), budget=_BUDGET, on=None))
    device, stream = replay.device, replay.stream
    config = replace(replay.config, ram=config.ram, budget=config.budget)
    kind = KINDS[config.kind]
    labels, cadence = kind.labels(config), Cadence()
    metrics = kind.metrics(config, cadence)
    rows: list[Row] = []
    raw: list[Row] = []
    absent: list[NDArray[np.bool_]] = []
    mends = _Stand(len(stream.features)) if _keeps_gaps(config) else None
    numbers: list[Places] = []
    targets: list[float] = []
    looked: list[Row] = []
    count = RowCount()
    try:
        for block in checked(config, stream, labels):
            cadence.add_block(np.where(block.damaged, np.nan, block.block.seconds))
            block.tally(labels)
            repair = device.repair if mends is None else Gaps()
            X, places = usable(block, repair)
            left_out(block, places, count, stream)
            if len(places):
                gone = np.isnan(X)
                if mends is not None:
                    X = mends(X, gone)
                if (found := metrics.look(X)) is not None:
                    looked.append(found.distances)
                held, unfit = device.row.take(X)
                scaled, refused = scaled_rows(device.scaler, held, unfit)
                for error in refused.values():
                    raise error
                raw.append(held)
                absent.append(gone)
                numbers.append(block.block.first + places)
                rows.append(scaled)
                targets += block.y[places].tolist()
            if len(targets) * len(stream.features) > MOST_NUMBERS:
                raise SimulatorError(
                    f"{stream.name}: {len(targets):,} rows do not fit into memory; use --limit"
                )
            if block.fault is not None:
                raise block.fault
    finally:
        device.close()
        stream.close()
    if not rows:
        raise SimulatorError(nothing_usable(stream, count))
    assert replay.width is not None
    judge = replace(config, stream="", faults=(), period=config.period or cadence.period)
    X, y, as_read = np.concatenate(rows), np.array(targets), np.concatenate(raw)
    distances = np.concatenate(looked) if looked else None
    evaluator = EVALUATORS[config.kind](X, y, judge, distances, as_read)
    notes = [*stream.notes]
    if mends is not None and mends.rows:
        evaluator.gaps = np.where(np.concatenate(absent), np.nan, as_read)
        notes.append(
            f"{mends.rows:,} of {len(y):,} rows lack a reading: the default is told so, for the"
            " others the last one stands in"
        )
    changes = {row for fault in map(parse, config.faults) for row in fault.changes(count.read)}
    at = np.searchsorted(np.concatenate(numbers), sorted(changes))
    evaluator.changes = sorted({place for place in at.tolist() if 0 < place < len(y)})
    if not evaluator.judges(0):
        raise SimulatorError(
            f"{stream.name}: alarms cannot be judged, because no row or every row is labelled "
            "+1; name the column of labelled failures with --target"
        )
    warnings = count.warnings()
    warnings += filter(None, [cadence.warning(), doubt(labels, config.kind)])
    if isinstance(labels, LabelMap) and kind.is_taught:
        warnings += filter(None, [labels.one_sided(len(targets), targets.count(1.0))])
    return Rows(
        name=stream.name,
        features=stream.features,
        evaluator=evaluator,
        width=replay.width,
        count=count,
        notes=notes,
        warnings=warnings,
        config=config,
        cadence=cadence.period,
        **_baselines(evaluator, season or day_of(cadence.period, len(y)), named=season > 0),
    )


def day_of(period: float | None, rows: int) -> int:
    """Return the rows of a day; 0 where that is not known, or the stream has few days."""
    season = round(_DAY / period) if period else 0
    return season if 2 <= season <= rows // 3 else 0


def _keeps_gaps(config: ReplayConfig) -> bool:
    """Whether what `replay` runs on the stream by itself is told of absent readings."""
    try:
        return default_of(config).takes_gaps
    except SimulatorError:
        return False


class _Stand:
    """Lets the last reading stand in for one that is absent, 0 before the first."""

    def __init__(self, n_features: int) -> None:
        self._last = np.zeros(n_features)
        self.rows = 0  # that lacked one

    def __call__(self, X: Row, gone: NDArray[np.bool_]) -> Row:
        X = X.copy()
        for at in np.flatnonzero(gone.any(axis=1)).tolist():
            before = X[at - 1] if at else self._last
            X[at, gone[at]] = before[gone[at]]
            self.rows += 1
        self._last = X[-1].copy()
        return X


def _baselines(evaluator: Evaluator, season: int, *, named: bool) -> dict[str, Any]:
    """Return the fields of `Rows` on the baselines, and on linear models where there are such."""
    name, answers = evaluator.linear()
    metrics, blocks = evaluator.judged(answers), evaluator.blocks(answers)
    found = {what: metrics.mean_loss(who) for who, what in metrics.baselines.items()}
    by_block = {what: blocks.get(who, []) for who, what in metrics.baselines.items()}
    others = evaluator.others(season, named=named)
    trivial = (*found, *(what for what in others if what != WITHOUT_KERNEL))
    for what, said in others.items():
        found[what] = evaluator.loss(said)
        by_block[what] = evaluator.blocks(said).get("learner", [])
    if name:
        found[name], by_block[name] = metrics.mean_loss("learner"), blocks.get("learner", [])
    return {"baselines": found, "baseline_blocks": by_block, "trivial": trivial}
