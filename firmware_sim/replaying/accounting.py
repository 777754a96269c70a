"""The accounts of a replay: the outcome of each row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device.device import Device, Outcome
from firmware_sim.device.power import Power
from firmware_sim.device.supervision import When
from firmware_sim.metrics import Prequential, Regression
from firmware_sim.metrics.base import NOTHING, Contexts, Looked, LookedMany, RowContext
from firmware_sim.replaying.checked import Checked, usable
from firmware_sim.replaying.frozen import FrozenTwin, may_freeze
from firmware_sim.replaying.rows import CheckedRow, RowCount
from firmware_sim.replaying.sampled import Sampled
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.cadence import Cadence
from firmware_sim.tasks.adapters import Forecast, Watched
from firmware_sim.tasks.kinds import KINDS
from firmware_sim.tasks.labels import LabelMap, doubt


class _Waiting(NamedTuple):
    """A row on its way through the device."""

    row: CheckedRow
    given: bool  # whether the device has it
    repaired: bool
    looked: Looked  # what the metrics made of its readings


class Accounting:
    """Rows wait here until the device has scored them, and are counted in order.

    config: what is replayed.
    stream: where the rows come from.
    device: what learns them.
    on_row: called after each row.
    beside: whether the learner is also asked that is frozen after the first rows, and some rows are
        kept to rank its inputs by.
    rows: what became of the rows so far.
    cadence: the usual time between them.
    labels: what decodes the target column.
    metrics: what keeps score.
    waiting: rows that the device has not scored yet.
    sampled: some of the rows; None where nobody asks for them.
    twin: the learner as it was after the first rows, where there is one.
    alarms: rows at which the learner's alarm of drift rang.
    stopped: why the replay has to stop, empty where it goes on.
    power: what cuts the power, where something does.
    """

    def __init__(
        self,
        config: ReplayConfig,
        stream: Stream,
        device: Device,
        on_row: Callable[[], object] | None,
        *,
        beside: bool = False,
    ) -> None:
        self._config = config
        self._stream = stream
        self._device = device
        self._on_row = on_row
        kind = KINDS[config.kind]
        self.taught = kind.is_taught
        self.rows = RowCount()
        self.cadence = Cadence()
        self.labels = kind.labels(config)
        self.metrics = kind.metrics(config, self.cadence)
        self.waiting: list[_Waiting] = []
        self.sampled = Sampled() if beside else None
        self.alarms: list[int] = []
        freezes = beside and may_freeze(config)
        self.twin = FrozenTwin(config, self.metrics) if freezes else None
        self._rang = 0
        self.stopped = ""
        self.power = None if config.power_cut is None else Power(config)

    @property
    def raw(self) -> Row:
        """The device's row buffer."""
        return self._device.raw

    def take_block(self, block: Checked) -> None:
        """Take rows at once, none of which ends the replay; the same as `take` one by one."""
        device, rows, numbers = self._device, self.rows, block.block
        left = 0 if self.twin is None else self.twin.left(device)
        if 0 < left < len(block):
            self.take_block(block.part(0, left))
            self.take_block(block.part(left, len(block)))
            return
        self.cadence.add_block(np.where(block.damaged, np.nan, numbers.seconds))
        X, places = usable(block, device.repair, rows, self._stream, taught=self.taught)
        if not len(places):
            return
        y = block.y[places]
        if self.sampled is not None:
            self.sampled.add_block(X)
        looked = [] if self.taught else self.metrics.look_many(X)
        when = When(numbers.first + places, numbers.seconds[places])
        found = device.learn_block(X, y, when)
        self.alarms += [numbers.first + int(places[at]) for at in found.alarms]
        self._rang = device.alarms
        for at, error in sorted(found.refused.items()):
            rows.add_refused(CheckedRow(numbers.first + int(places[at])), error)
        taken = found.taken
        if self._config.forecasts:
            assert isinstance(self.metrics, Regression)
            said = found.forecasts(tuple(device.learner.shares))
            self.metrics.add_forecasts(y[taken], found.scores[taken], said)
        else:
            some: Sequence[RowContext] = ()
            if isinstance(looked, LookedMany):
                some = Contexts(
                    found.levels[taken],
                    looked[taken],
                    when.seconds[taken],
                    when.numbers[taken],
                    found.verdicts[taken],
                )
            self.metrics.add_block(y[taken], found.scores[taken], some)
        rows.used += len(taken)
        if self.twin is not None:
            self.twin.see(device, X[taken], y[taken])
        if not self._config.takes_gaps:
            rows.repaired += int(np.sum(block.absent[places[taken]]))

    def take(self, row: CheckedRow) -> bool:
        """Take the row that is in the row buffer; return whether the replay has to stop."""
        device = self._device
        if row.unlabelled and not self.taught:
            row = row._replace(label=math.nan, unlabelled=False)
        if self.power is not None:
            self.power.before(device, row.number)
        self.cadence.add(row.seconds)
        whole = not (row.damage or row.absent)
        if device.repair is not None and not row.damage:
            whole = device.repair.mend(device.raw, row.absent)
        given = whole and not row.unlabelled
        looked = self.metrics.look(device.raw) if given else NOTHING.looked
        repaired = given and bool(row.absent) and not self._config.takes_gaps
        self.waiting.append(_Waiting(row, given, repaired, looked))
        if given:
            if self.sampled is not None:
                self.sampled.add(device.raw)
            device.put(row.label, row.number, row.seconds)
        if len(self.waiting) >= device.block or self._forbidden(row):
            self.settle()
        return bool(self.stopped)

    def _forbidden(self, row: CheckedRow) -> bool:
        config = self._config
        if row.damage:
            return config.damaged == "stop"
        return bool(row.absent or row.unlabelled) and config.missing == "stop"

    def settle(self) -> None:
        """Have the device learn what waits, and account for it.

        Raises BeyondCapError, LearnerDiedError: the device took memory it may not have, or is gone.
        """
        outcomes: Iterator[Outcome] = iter(())
        if any(one.given for one in self.waiting):
            outcomes = iter(self._device.settle())
            before, self._rang = self._rang, self._device.alarms
            if self._rang > before:
                self.alarms.append(self.waiting[-1].row.number)
            if self.power is not None:
                self.power.after(self._device)
        waiting, self.waiting = self.waiting, []
        for one in waiting:
            self.rows.read = one.row.number
            outcome = next(outcomes) if one.given else None
            self._enter(one, outcome)
            if self.stopped:
                return
            if self._on_row is not None:
                self._on_row()

    def _enter(self, one: _Waiting, outcome: Outcome | None) -> None:
        """Enter one row and what became of it."""
        row, rows = one.row, self.rows
        if row.damage:
            rows.add_damaged(row)
            if self._forbidden(row):
                self.stopped = f"row {row.number}: {row.damage}"
            return
        missing = row.missing(self._stream) if row.absent or row.unlabelled else []
        rows.add_missing(missing)
        if isinstance(outcome, RuntimeError):  # a full ring that is told to refuse candidates
            self.stopped = f"row {row.number}: {outcome}"
        elif isinstance(outcome, Exception):
            rows.add_refused(row, outcome)
            if self._config.damaged == "stop":
                self.stopped = f"row {row.number}: {outcome}"
        elif outcome is not None:
            supervision = self._device.supervision
            for label in supervision.came:  # baselines know no label before the learner does
                self.metrics.observe(label)
            context = RowContext(0.0, one.looked, row.seconds, number=row.number)
            if isinstance(outcome, Watched):
                context = context._replace(level=outcome.level, verdict=outcome.verdict)
            elif isinstance(outcome, Forecast):
                context = context._replace(interval=outcome.interval, shares=outcome.shares)
            score = outcome.score if isinstance(outcome, (Watched, Forecast)) else outcome
            self.metrics.add(row.label, score, supervision.at_once, context)
            rows.used += 1
            if self.twin is not None:
                self.twin.see(self._device, self.raw[np.newaxis].copy(), np.array([row.label]))
            rows.repaired += one.repaired
        else:
            rows.missing += 1
            if self._forbidden(row):
                self.stopped = f"row {row.number} has no value for {missing[0]!r}"

    def warnings(self) -> list[str]:
        """Return what a reader of the figures has to know, a sentence each."""
        rows = self.rows
        out = rows.warnings()
        delay, in_seconds = self._config.delay
        out += filter(None, [self.cadence.warning(bool(delay) and in_seconds)])
        if rows.refused:
            out.append(
                f"the learner refuses {rows.refused:,} of {rows.read:,} rows, the first is "
                f"{rows.first_refusal}"
            )
        clipped = self._device.clipped
        if clipped:
            out.append(
                f"{clipped:,} readings lie beyond the levels of int8 and count as their ends: "
                "scale them, or take another --dtype"
            )
        doubtful = doubt(self.labels, self._config.kind)
        out += filter(None, (doubtful, self._asks_for_all(), self._one_sided()))
        return out

    def _asks_for_all(self) -> str:
        """Return the warning about a learner that is asked, and asks for every label."""
        config = self._config
        if not config.ask or not self.rows.used or self._device.supervision.counts.saved:
            return ""
        remedy = ": try a ramp loss, loss=ramp" if config.params.get("loss") != "ramp" else ""
        return f"{config.algorithm} asks for every label{remedy}"

    def _one_sided(self) -> str:
        """Return the warning about a stream whose labels all mean the same."""
        if not (isinstance(self.labels, LabelMap) and isinstance(self.metrics, Prequential)):
            return ""
        used, wanted = self.rows.used, self._config.positive
        positive = self.metrics.learner.true_positive + self.metrics.learner.false_negative
        if self._stream.kept is not None and wanted and self.labels.seen and not positive:
            # Only for a live stream: a file was searched for the label before the first row.
            return self.labels.never(wanted, self._stream.target)
        return self.labels.one_sided(used, positive)
