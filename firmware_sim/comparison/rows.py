"""The rows of a stream as a learner sees them, read once and kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.errors import SimulatorError
from firmware_sim.labels import LabelMap
from firmware_sim.loop import Replay
from firmware_sim.metrics import Prequential
from firmware_sim.rows import checked_rows
from firmware_sim.streams import Row
from firmware_sim.width import Width

#: Numbers kept at most, of eight bytes each.
MOST_NUMBERS = 1 << 26


@dataclass
class Rows:
    """Scaled rows and labels of a stream.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Scaled as they came.
    y : ndarray of shape (n,)
        -1 and +1.
    width : Width
        The width of the kernel, for all methods the same.
    read : int
        Rows read, with those that were left out.
    baselines : Prequential
        Majority class and no-change on these rows, and in the learner's place a linear model.
    """

    name: str
    features: tuple[str, ...]
    X: Row
    y: Row
    width: Width
    read: int
    baselines: Prequential

    @property
    def mark(self) -> str:
        """A mark that other rows do not have."""
        parts = (self.X.tobytes(), self.y.tobytes(), repr(self.width.gamma).encode())
        return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def prepare(config: ReplayConfig) -> Rows:
    """Read, repair and scale the rows of a stream.

    Parameters
    ----------
    config : ReplayConfig
        Of a Gaussian kernel and labels of two classes; its cap and algorithm do not matter.

    Raises
    ------
    SimulatorError
        There are too many rows to keep, or none.
    """
    if config.is_regression or config.kernel != "gaussian":
        raise SimulatorError("compare is for two classes and Gaussian kernels")
    replay = Replay(config)
    device, stream = replay.device, replay.stream
    labels = LabelMap(config.positive, config.missing_codes)
    rows: list[Row] = []
    targets: list[float] = []
    read = 0
    try:
        for row in checked_rows(config, stream, device.raw, labels):
            if row is None:
                continue
            read = row.number
            whole = not (row.damage or row.absent)
            if device.repair is not None and not row.damage:
                whole = device.repair.mend(device.raw, row.absent)
            if not whole or row.unlabelled:
                continue
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
        raise SimulatorError(f"{stream.name}: no row can be used")
    assert replay.width is not None
    X, y = np.array(rows), np.array(targets)
    names = stream.features
    return Rows(stream.name, names, X, y, replay.width, read, linear(X, y))


def linear(X: Row, y: Row, C: float = 1.0) -> Prequential:
    """Return the record of a linear passive-aggressive model (PA-I) beside both baselines'."""
    metrics = Prequential(2)
    weights = np.zeros(X.shape[1] + 1)
    ones = np.hstack([X, np.ones((len(X), 1))])
    squares = np.einsum("ij,ij->i", ones, ones)
    for x, label, square in zip(ones, y, squares, strict=True):
        score = float(weights @ x)
        metrics.add(label, score)
        loss = 1.0 - label * score
        if loss > 0.0:
            weights += min(C, loss / square) * label * x
    return metrics
