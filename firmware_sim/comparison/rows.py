"""The rows of a stream as a learner sees them, read once and kept."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace

import numpy as np

from firmware_sim.comparison.evaluators import EVALUATORS, Evaluator, Unlabelled
from firmware_sim.config import ReplayConfig
from firmware_sim.device.width import Width
from firmware_sim.errors import SimulatorError
from firmware_sim.metrics.base import Looked
from firmware_sim.replaying.loop import Replay
from firmware_sim.replaying.rows import RowCount, checked_rows, nothing_usable
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence
from firmware_sim.tasks.kinds import KINDS
from firmware_sim.tasks.labels import LabelMap, doubt

#: Numbers kept at most, of eight bytes each.
MOST_NUMBERS = 1 << 26


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
    config: ReplayConfig  # how they were read, with the classes that were found

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


def prepare(config: ReplayConfig) -> Rows:
    """Read, repair and scale the rows of a stream.

    config: of a Gaussian kernel; its cap and algorithm do not matter.
    Raises SimulatorError: there are too many rows to keep, or none.
    """
    if config.kernel != "gaussian":
        raise SimulatorError("compare and tune are for Gaussian kernels")
    replay = Replay(config.outside())
    device, stream, config = replay.device, replay.stream, replay.config
    kind = KINDS[config.kind]
    labels, cadence = kind.labels(config), Cadence()
    metrics = kind.metrics(config, cadence)
    rows: list[Row] = []
    raw: list[Row] = []
    targets: list[float] = []
    looked: list[Looked] = []
    count = RowCount()
    try:
        for row in checked_rows(config, stream, device.raw, labels):
            if row is None:
                continue
            count.read = row.number
            cadence.add(row.seconds)
            if row.unlabelled and not kind.is_taught:
                # It is learned like any other; only nothing is judged by it.
                row = row._replace(label=math.nan, unlabelled=False)
            if row.damage:
                count.add_damaged(row)
            elif row.absent or row.unlabelled:
                count.add_missing(row.missing(stream))
            whole = not (row.damage or row.absent)
            if device.repair is not None and not row.damage:
                whole = device.repair.mend(device.raw, row.absent)
            if not whole or row.unlabelled:
                count.missing += not row.damage
                continue
            looked.append(Looked(metrics.look(device.raw).distance))
            if not kind.is_taught:
                raw.append(device.raw.copy())
            rows.append(device.scale().copy())
            targets.append(row.label)
            if len(rows) * len(stream.features) > MOST_NUMBERS:
                raise SimulatorError(
                    f"{stream.name}: {len(rows):,} rows are more than can be kept; give --limit"
                )
    finally:
        device.close()
        stream.close()
    if not rows:
        raise SimulatorError(nothing_usable(stream, count))
    assert replay.width is not None
    judge = replace(config, stream="", faults=(), period=config.period or cadence.period)
    evaluator = EVALUATORS[config.kind](np.array(rows), np.array(targets), judge, looked)
    if isinstance(evaluator, Unlabelled):
        evaluator.raw = np.array(raw)
    if not evaluator.judges(0):
        raise SimulatorError(
            f"{stream.name}: no row is labelled +1, or all are: nothing tells good alarms from bad "
            "ones; name the column of labelled failures with --target"
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
        notes=[*stream.notes],
        warnings=warnings,
        baselines=_baselines(evaluator),
        config=config,
    )


def _baselines(evaluator: Evaluator) -> dict[str, float]:
    """Return the losses of the baselines, and of a linear model where there is one."""
    name, answers = evaluator.linear()
    metrics = evaluator.judged(answers)
    found = {what: metrics.mean_loss(who) for who, what in metrics.baselines.items()}
    return {**found, name: metrics.mean_loss("learner")} if name else found
