"""The bookkeeping of a replay: the outcome of each row."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

import numpy as np

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.device import Device
from firmware_sim.device.power import Power
from firmware_sim.metrics.batch import Batch, When
from firmware_sim.metrics.sampled import Sampled
from firmware_sim.replaying.checked import (
    Checked,
    Delay,
    count_skipped,
    filler_of,
    forecast_rows,
    usable,
)
from firmware_sim.replaying.frozen import FrozenTwin, may_freeze
from firmware_sim.replaying.rows import RowCount
from firmware_sim.streams import Stream
from firmware_sim.streams.block import Places
from firmware_sim.streams.cached import log_of
from firmware_sim.streams.cadence import Cadence
from firmware_sim.streams.periods import Filled
from firmware_sim.streams.row_times import RowTimes
from firmware_sim.streams.sentinels import Sentinels

#: Called with the outcome of a batch of rows.
OnResult = Callable[[Batch], object]


class Accounting:
    """Passes rows to the device and counts their outcomes.

    config: the configuration of the replay.
    stream: the source of the rows.
    device: the device that learns them.
    with_frozen: whether to evaluate a copy of the learner that is frozen after the first rows.
    ranked: whether to keep a sample of rows for ranking the inputs.
    on_result: as of `Replay.run`.
    rows: counts of outcomes.
    cadence: the usual time between rows.
    times: when rows were taken.
    labels: the decoder of the target column.
    delay: the readings whose targets are still to come.
    filler: puts in the periods without a row, of a forecast; else None.
    metrics: the metrics.
    sampled: the sample of rows, or None.
    twin: the learner as it was after the first rows, or None.
    alarms: rows with a drift alarm of the learner.
    current_rows: the first and the last row of the block that the device received last.
    stopped: why the replay has to stop; empty while it continues.
    power: the source of power cuts, or None.
    """

    def __init__(
        self,
        config: ReplayConfig,
        stream: Stream,
        device: Device,
        *,
        with_frozen: bool = False,
        ranked: bool = False,
        on_result: OnResult | None = None,
    ) -> None:
        self._config = config
        self._on_result = on_result
        self._stream = stream
        self._device = device
        kind = config.label_kind
        self.rows = RowCount()
        self._log = log_of(stream)
        #: columns that are searched for sentinel values: those of a log are searched as it is read
        self._n_searched = len(stream.features) if self._log is None else 0
        self._sentinels = Sentinels(
            [*stream.features[: self._n_searched], *[stream.target] * kind.is_numeric],
            config.missing_numbers,
        )
        self.cadence, self.times = Cadence(), RowTimes()
        self.labels = kind.labels()
        self.delay = Delay.of(config, stream)
        self.filler = filler_of(config, stream)
        self.metrics = kind.metrics(self.cadence)
        #: numbers and targets of the rows before the first forecast that are still to come
        self._head: deque[tuple[int, float]] = deque()
        self.sampled = Sampled() if ranked else None
        self.alarms: list[int] = []
        freezes = with_frozen and may_freeze(config)
        self.twin = FrozenTwin(config, self.metrics) if freezes else None
        self.current_rows = 0, 0
        self.stopped = ""
        self.power = None if config.power_cut is None else Power(config)

    def take(self, block: Checked) -> None:
        """Give rows to the device and account for them."""
        for part in self._parts(block):
            self._take(part)
            if self.stopped:
                return

    def _parts(self, block: Checked) -> Iterator[Checked]:
        """Yield a block in parts, between which power is cut or the twin starts, for example."""
        power, twin, device, at = self.power, self.twin, self._device, 0
        if power is not None:
            power.look_ahead(block.block.first, len(block))
        while at < len(block):
            rows = [device.block]
            if power is not None:
                rows.append(power.rows_left(device, block.block.first + at))
            if twin is not None:
                rows += filter(None, [twin.rows_left(device)])
            # Labels delayed by seconds may all arrive at once, each for one more learned row.
            arriving = device.supervision.counts.waiting if self._config.delay[1] else 0
            end = min(len(block), at + max(1, min(rows) - arriving))
            yield block if end - at == len(block) else block.part(at, end)
            at = end

    def _take(self, block: Checked) -> None:
        raw = block.block
        self.current_rows = raw.first, raw.first
        if self.power is not None:
            self.power.before(self._device, raw.first)
        self.current_rows = raw.first, raw.first + len(block) - 1
        X, places = usable(block, self._device.repair)
        complete = None if self._device.repair is None else places
        if raw.first <= self._config.rows_ahead:
            self._add_head(block, places)
        rows = forecast_rows(block, X, places, self.filler)
        if self.filler is not None and not self._config.label_kind.keeps_rows:
            rows = rows.part(rows.is_row)  # without a history there are no missing periods
        places = rows.places[rows.is_row]
        if len(rows.y):
            block = block.part(0, self._learn(rows, block))
            if self.power is not None:
                self.power.after(self._device)
        raw = block.block
        columns = raw.rows[:, : self._n_searched]
        if raw.damage:
            columns = np.where(block.damaged[:, np.newaxis], np.nan, columns)
        if self._config.label_kind.is_numeric:
            columns = np.column_stack((columns, block.y))
        self._sentinels.add_block(columns)
        seconds = np.where(block.damaged, np.nan, raw.seconds)
        self.cadence.add_block(seconds)
        self.times.add(raw.first + np.arange(len(block)), seconds)
        ahead = self._config.rows_ahead
        if self.filler is not None:
            filler = self.filler
            counts = filler.n_filled, filler.n_gaps, filler.n_breaks
            self.rows.filled, self.rows.gaps, self.rows.breaks = counts
            self.rows.most_filled = filler.most
        received = places[places < len(block)]
        count_skipped(block, received, self.rows, self._stream, ahead, complete)

    def _learn(self, taken: Filled, block: Checked) -> int:
        """Have the device learn rows of a block, and the missing periods between them.

        Returns: how many rows of the block count: all, or up to the one that ends the replay.
        """
        device, rows, (X, y, periods, places, is_row) = self._device, self.rows, taken
        seconds = np.where(is_row, block.block.seconds[places], np.nan)
        when = When(periods, seconds)
        observed = self.metrics.observe(X)
        found = device.learn_block(X, y, when)
        if self.filler is not None:
            found = found.renumbered(periods, block.block.first + places, is_row)
        if self._head:
            self._arrive(found)
        if self._on_result is not None:
            self._on_result(found.of_rows)
        if found.reasons and self._config.damaged == "stop":
            number = min(found.reasons)
            self.stopped, found = f"row {number}: {found.reasons[number]}", found.up_to(number)
        elif found.stopped is not None:  # a full ring with full="raise"
            number = block.block.first + places[len(found.rows)]
            self.stopped = f"row {number}: {found.stopped}"
        learned = np.flatnonzero(~found.rows["refused"])
        used = learned[is_row[learned]]
        end = len(found.rows) + (found.stopped is not None)
        if self.sampled is not None:
            self.sampled.add_block(X[:end][is_row[:end]])
        self.alarms += found.rows["row"][found.rows["drift"]].tolist()
        for number, error in sorted(found.reasons.items()):
            rows.add_refused(number, error)
        self.metrics.add_block(found if self.filler is None else found.labelled, observed)
        rows.used += len(used)
        if self.twin is not None:
            which = slice(None) if len(learned) == len(y) else learned
            self.twin.add_rows(device, X[which], y[which], is_row[which])
        if not self._config.takes_gaps:
            rows.repaired += int(np.sum(block.absent[places[used]]))
        return int(places[end - 1]) + 1 if self.stopped else len(block)

    def _add_head(self, block: Checked, places: Places) -> None:
        """Show the baselines of a forecast the targets of rows before it, as they come.

        These rows lack the readings of earlier ones, so a learner without a history has none.

        places: indices of the rows that the learner receives.
        """
        ahead = self._config.rows_ahead
        numbers = block.block.first + np.arange(len(block))
        is_head = (numbers <= ahead) & np.isfinite(block.y)
        is_head[places] = False
        if not is_head.any():
            return
        n, y = numbers[is_head], block.y[is_head]
        late = np.full(len(y), ahead > 1)  # else it is known before the next row
        self.metrics.add_block(Batch.of(row=n, label=y, score=np.zeros(len(y)), late=late))
        if ahead > 1:
            self._head.extend(zip(n.tolist(), y.tolist(), strict=True))

    def _arrive(self, found: Batch) -> None:
        """Write down with which rows the targets before the first forecast arrive."""
        arrived: list[float] = []
        ahead, rows = self._config.rows_ahead, found.rows
        for at in np.flatnonzero(~rows["refused"]).tolist():
            while self._head and self._head[0][0] <= rows["row"][at] - ahead:
                arrived.append(self._head.popleft()[1])
                rows["n_arrived"][at] += 1
        found.arrived = np.concatenate([arrived, found.arrived])

    @property
    def left_out(self) -> str:
        """The headline about rows that were left out; empty if they are few."""
        stream, log = self._stream, self._log
        found = self.rows.left_out(stream.features, stream.target or "")
        if found or log is None:
            return found
        return RowCount.of_log(log).left_out(log.stream.features, "")

    def warnings(self) -> list[str]:
        """Return the warnings on the figures, one sentence each."""
        rows, log = self.rows, self._log
        counts = rows if log is None else RowCount.of_log(log)
        out = [self.left_out] if self.left_out else counts.warnings()
        delay, in_seconds = self._config.delay
        out += filter(None, [self.cadence.warning(bool(delay) and in_seconds)])
        out += [] if log is None else log.sentinels.warnings()
        out += self._sentinels.warnings()
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
        stream = self._stream
        doubtful = self._config.label_kind.warnings(
            self.labels, self.metrics, target=stream.target, is_live=stream.kept is not None
        )
        out += filter(None, (*doubtful, self._asks_for_all(), self._repeats()))
        return out

    def _repeats(self) -> str:
        """Return the warning about readings that are repeated until the next one comes."""
        kind, seconds = self._config.label_kind, self.cadence.seconds_per_row
        if not (kind.uses_order and self.cadence.is_uneven) or kind.is_supervised or not seconds:
            return ""
        cycle = seconds * len(self._stream.features)
        every = f"{round(cycle / 60)}min" if cycle >= 60.0 else f"{max(1, round(cycle))}s"
        return (
            "the rows come unevenly, as from sensors that report one after the other; a reading "
            "that is repeated until the next one comes counts as unchanged: "
            f"--every {every} makes one row of each period"
        )

    def _asks_for_all(self) -> str:
        """Return the warning about a learner that requests every label."""
        config = self._config
        if not config.ask or not self.rows.used or self._device.supervision.counts.saved:
            return ""
        algorithm, params, _, _ = config.resolved
        remedy = ": try a ramp loss, loss=ramp" if params.get("loss") != "ramp" else ""
        return f"{algorithm} asks for every label{remedy}"
