"""The rows of a comparison: read once, stored and scaled, with the losses of the baselines."""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.comparison.evaluators import ALONE, Evaluator
from firmware_sim.comparison.groups import baselines as baselines_by_group
from firmware_sim.comparison.models import ModelOutcome
from firmware_sim.comparison.work import default_of
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.device import Device
from firmware_sim.device.intake import KEEPS, Gaps, scaled_rows
from firmware_sim.device.planning import Width
from firmware_sim.errors import SimulatorError
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.batch import Batch, When
from firmware_sim.replaying.checked import Delay, checked, filler_of
from firmware_sim.replaying.loop import Replay
from firmware_sim.replaying.rows import RowCount, nothing_usable
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.block import Block, Places
from firmware_sim.streams.cached import HeldStream
from firmware_sim.streams.faults import parse

#: Maximum number of stored readings, of eight bytes each.
MOST_NUMBERS = 1 << 26
#: Memory for reading rows, whatever the cap; the budget of the device's unused learner.
_ROOM, _BUDGET = 1 << 20, 64
_DAY = 86_400


@dataclass
class Rows:
    """Scaled rows and labels of a stream."""

    name: str
    features: tuple[str, ...]
    X: Row  # scaled, shape (n, d)
    evaluator: Evaluator  # the rows as read, and the evaluation of answers
    width: Width  # the kernel width, the same for all methods
    count: RowCount  # rows by outcome
    #: remarks on the stream, and on the figures
    notes: list[str]
    warnings: list[str]
    #: mean losses of the baselines on these rows, by name
    baselines: dict[str, float]
    #: their mean losses over stretches of rows
    baseline_blocks: dict[str, list[float]]
    trivial: tuple[str, ...]  # names of the baselines that do not learn from readings
    config: ReplayConfig  # the configuration, with the classes found in the stream
    left_out: str = ""  # the headline about rows that were left out
    day: int = 0  # rows of a day; 0 if unknown
    season: int = 0  # rows of a season of the forecaster without a kernel; 0 for none
    is_dated: bool = False  # whether rows have the hour of the day
    models: list[ModelOutcome] = field(default_factory=list)  # of other libraries

    def add_model(self, found: ModelOutcome) -> None:
        """Add the result of a model of another library to what the methods have to beat."""
        self.models.append(found)
        if found.detail:
            self.notes.append(f"{found.name} ({found.library}) took too long: {found.detail}")
            return
        records = self.evaluator.of_scores(found.scores)
        self.baselines[found.label] = self.evaluator.loss(records)
        self.baseline_blocks[found.label] = self.evaluator.blocks(records).get("learner", [])

    @property
    def windows(self) -> ek.WindowsPlan | None:
        """The windows whose features the rows are; None if they are as they are logged."""
        return self.stream.windows

    @property
    def stream(self) -> Stream:
        """The rows as they were read, in memory."""
        stream = self.evaluator.stream
        assert not isinstance(stream, str)
        return stream

    @property
    def y(self) -> Row:
        """The labels, shape (n,)."""
        return self.evaluator.y

    @property
    def read(self) -> int:
        """Rows read, including skipped ones."""
        return self.count.read

    @property
    def mark(self) -> str:
        """A digest of the rows, labels and width."""
        identity = (self.width.gamma, self.config.resolved.kind, self.config.classes)
        parts = (self.X.tobytes(), self.y.tobytes(), repr(identity).encode())
        return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def prepare(config: ReplayConfig, season: int = 0, *, gaps: bool | None = None) -> Rows:
    """Read, repair and scale the rows of a stream.

    config: with a Gaussian kernel; its cap and algorithm do not matter.
    season: rows of a season of the target; 0 for the rows of a day, if the stream has times.
    gaps: whether rows that lack a reading are kept, with the last reading in its place for learners
        that do not accept gaps; by default if the learner that `replay` would run accepts them.
    Raises SimulatorError: there are too many rows to store, or none.
    """
    if config.kernel != "gaussian":
        raise SimulatorError("compare and tune are for Gaussian kernels")
    # Reading and scaling need memory under the cap; the device's learner is not used.
    room = max(config.cap_bytes, _ROOM)
    # A forecaster scales its rows itself; those that all learn are scaled here.
    inside = {"scale": "standard"} if config.forecast is not None else {}
    params = {**config.params, **inside}
    replay = Replay(replace(config, ram=room, budget=_BUDGET, params=params, **ALONE))
    assert replay.width is not None
    try:
        held = HeldStream(replay.stream, _read(replay.stream, replay.config))
        if not held.count():
            raise SimulatorError(nothing_usable(replay.stream, RowCount()))
    finally:
        replay.clean.close()
    ahead = held.ahead = replay.config.rows_ahead
    held.groups = replay.groups
    if config.forecast is not None:
        season = int(replay.config.season)
    # Each run finds the season that its cap has room for.
    config = replace(
        replay.config,
        ram=config.ram,
        budget=config.budget,
        season=config.season,
        params={**config.params},
    )
    gaps = _keeps_gaps(config) if gaps is None else gaps
    replay.stream = held
    replay.device = device = _Collecting(replay.config, replay.width, len(held.features), gaps)
    judged: list[Places] = []
    result = replay.run(
        on_result=lambda found: judged.append(found.rows["row"]), beside_clean=False
    )
    if result.status == "stopped":
        raise SimulatorError(result.detail)
    raw, y = np.concatenate(device.rows), np.concatenate(device.labels)
    numbers = np.concatenate(judged)
    fills = filler_of(replay.config, held) is not None
    if fills:  # periods between the rows were learned too
        periods = np.concatenate([_periods(block) for block in held.blocks()])
        at = np.searchsorted(np.concatenate(device.numbers), periods[numbers - 1])
        raw, y = raw[at], y[at]
    later = numbers > ahead  # the first rows of a forecast have none
    head = y[~later]
    if not gaps:
        later &= ~np.isnan(raw).any(axis=1)
    raw, y, numbers = raw[later], y[later], numbers[later]
    if not len(y):
        raise SimulatorError(f"{held.name}: no row has a forecast {ahead:,} rows ahead")
    filled, complete = held, raw
    if gaps and (lacking := int(np.count_nonzero(np.isnan(raw).any(axis=1)))):
        complete = _filled(raw)
        filled = HeldStream(held, [_with_rows(one, numbers, complete) for one in held.blocks()])
    if not gaps and not fills:  # the default would take them
        filled = held = HeldStream(held, [_without_others(one, numbers) for one in held.blocks()])
    as_read, unfit = device.row.take(complete)
    scaler = device.scaler
    if scaler is None and config.scale != "none":
        method, frozen = config.scale, config.freeze_after
        scaler = ek.RunningScaler(len(held.features), method=method, freeze_after=frozen)
    X, refused = scaled_rows(scaler, as_read, unfit)
    for error in refused.values():
        raise SimulatorError(str(error))
    mean = result.elapsed / len(y) if result.elapsed else None
    judge = replace(replay.config, stream="", ram=config.ram, budget=config.budget, period=mean)
    evaluator = Evaluator(y, judge, held, filled, numbers, head=head)
    changes = {row for one in map(parse, config.faults) for row in one.changes(result.rows.read)}
    at = np.searchsorted(numbers, sorted(changes))
    evaluator.changes = sorted({place for place in at.tolist() if 0 < place < len(y)})
    if not evaluator.kind.judges(y, 0):
        raise SimulatorError(
            f"{held.name}: alarms cannot be judged, because no row or every row is labelled "
            "+1; name the column of labelled failures with --target"
        )
    notes = [*held.notes]
    if filled is not held:
        notes.append(
            f"{lacking:,} of {len(y):,} rows lack a reading: the default is told so, for the"
            " others the last one stands in"
        )
    shared: dict[str, Any] = {
        "name": held.name,
        "features": held.features,
        "X": X,
        "evaluator": evaluator,
        "width": replay.width,
        "count": result.rows,
        "notes": notes,
        "warnings": result.warnings,
        "config": config,
        "left_out": result.left_out,
        "is_dated": held.is_dated,
    }
    if replay.groups is not None:
        return Rows(**shared, **baselines_by_group(evaluator, replay.groups))
    day = rows_of_day(_seconds(held, numbers), config.period)
    named = season > 0
    season = season or replay.config.baseline_season or as_season(day, len(y))
    as_read = np.where(np.isnan(raw), np.nan, as_read)
    # Targets before the first forecast are known to the baselines; their readings are not.
    unread = np.full((len(head), X.shape[1]), np.nan)
    scaled, as_read = np.vstack([np.zeros_like(unread), X]), np.vstack([unread, as_read])
    targets = np.concatenate([head, y])
    shared["season"] = season if named else 0
    rivals = evaluator.kind.baselines(scaled, as_read, targets, season, named=named)
    rivals = {name: scores[len(head) :] for name, scores in rivals.items()}
    return Rows(**shared, day=day, **_baselines(evaluator, result.metrics, rivals))


def _read(stream: Stream, config: ReplayConfig) -> list[Block]:
    """Return the rows of a stream; of a forecast, each with the readings from before its target.

    Raises SimulatorError: there are too many to store.
    """
    held, rows, delay = [], 0, Delay.of(config, stream)
    blocks = stream.blocks(config.limit)
    if config.forecast is not None:  # whether a row has a period depends on its label too
        every = checked(replace(config, train_rows=None), stream, config.label_kind.labels(), delay)
        blocks = (one.block for one in every)
    for block in blocks:
        rows += len(block)
        if rows * len(stream.features) > MOST_NUMBERS:
            raise SimulatorError(
                f"{stream.name}: {rows:,} rows do not fit into memory; use --limit"
            )
        held += [replace(block, text=None)] if len(block) else []
    return held


class _Collecting(Device):
    """A device that stores its rows instead of learning them.

    gaps: whether it accepts rows with missing readings.
    rows, labels, numbers: the rows, their labels and numbers (of periods if these are filled in),
        in blocks.
    """

    def __init__(self, config: ReplayConfig, width: Width, n_features: int, gaps: bool) -> None:
        super().__init__(config, n_features, ek.Gaussian(width.gamma))
        # The first rows of a forecast lack their readings: their targets count for the baselines.
        lacks = config.rows_ahead > 0 and config.missing not in KEEPS
        self.repair = Gaps() if gaps or lacks else self.repair
        self._ahead = max(1, config.rows_ahead)
        self._late: deque[tuple[int, float | None]] = deque()
        self.rows: list[Row] = []
        self.labels: list[Row] = []
        self.numbers: list[Places] = []

    def learn_block(self, X: Row, y: Row, when: When) -> Batch:
        """Store rows; see `Device.learn_block`."""
        self.rows.append(X)
        self.labels.append(y)
        self.numbers.append(when.numbers)
        assert self.trainer is not None
        found = Batch(self.trainer.records(y, when))
        found.arrive_late(self._ahead, self._late)
        return found


def rows_of_day(seconds: Row, period: float | None = None) -> int:
    """Return the rows of a day; 0 if unknown.

    The median of those of each day from the first row on, but for the last day, which may be cut
    off, and days without rows. Intervals tell less: three sensors that report one after the other
    every five minutes are seconds apart.

    seconds: when the rows were taken; NaN if unknown.
    period: seconds between rows, if they are known without a clock.
    """
    if period:
        return round(_DAY / period)
    known = seconds[~np.isnan(seconds)]
    days = np.floor((known - known.min(initial=np.inf)) / _DAY) if len(known) else known
    _, counts = np.unique(days, return_counts=True)
    return round(float(np.median(counts[:-1]))) if len(counts) > 1 else 0


def as_season(rows: int, n: int) -> int:
    """Return so many rows as a season of n rows; 0 if these are not three of them."""
    return rows if 2 <= rows <= n // 3 else 0


def _seconds(stream: HeldStream, numbers: Places) -> Row:
    """Return when the rows of these numbers were taken."""
    every = np.concatenate([block.seconds for block in stream.blocks()])
    return np.asarray(every[numbers - 1])


def _periods(block: Block) -> Places:
    """Return the periods of a block's rows, which are those of a forecast."""
    assert block.periods is not None
    return block.periods


def _keeps_gaps(config: ReplayConfig) -> bool:
    """Whether the default learner accepts missing readings of this stream."""
    try:
        return default_of(config).takes_gaps
    except SimulatorError:
        return False


def _filled(X: Row) -> Row:
    """Return rows with the last reading in place of each missing one; 0 before the first."""
    X = np.vstack([np.zeros(X.shape[1]), X])
    places = np.where(np.isnan(X), 0, np.arange(len(X))[:, np.newaxis])
    return np.take_along_axis(X, np.maximum.accumulate(places, axis=0), axis=0)[1:]


def _with_rows(block: Block, numbers: Places, X: Row) -> Block:
    """Return a block in which the rows of these numbers have the readings of `X`."""
    first, end = np.searchsorted(numbers, [block.first, block.first + len(block)])
    rows = block.rows.copy()
    rows[numbers[first:end] - block.first] = X[first:end]
    return replace(block, rows=rows)


def _without_others(block: Block, numbers: Places) -> Block:
    """Return a block in which all rows but those of these numbers are left out as damaged."""
    others = np.setdiff1d(np.arange(block.first, block.first + len(block)), numbers) - block.first
    damage = {**dict.fromkeys(others.tolist(), "it lacks a reading"), **block.damage}
    return replace(block, damage=damage)


def _baselines(evaluator: Evaluator, metrics: Metrics, rivals: dict[str, Row]) -> dict[str, Any]:
    """Return the fields of `Rows` on the baselines.

    metrics: metrics with the baselines of every replay.
    rivals: the answers of further baselines.
    """
    blocks = evaluator.blocks()
    found = {what: metrics.mean_loss(who) for who, what in metrics.baselines.items()}
    by_block = {what: blocks.get(who, []) for who, what in metrics.baselines.items()}
    learned = evaluator.kind.learned_baselines
    rivals = {what: scores for what, scores in rivals.items() if what not in found}
    trivial = (*found, *(what for what in rivals if what not in learned))
    for what, scores in rivals.items():
        records = evaluator.of_scores(scores)
        found[what] = evaluator.loss(records)
        by_block[what] = evaluator.blocks(records).get("learner", [])
    return {"baselines": found, "baseline_blocks": by_block, "trivial": trivial}
