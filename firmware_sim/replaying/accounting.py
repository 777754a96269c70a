"""The accounts of a replay: the outcome of each row."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device.device import Device
from firmware_sim.device.power import Power
from firmware_sim.device.supervision import When
from firmware_sim.metrics import Prequential
from firmware_sim.metrics.base import Context, WatchedMany
from firmware_sim.replaying.checked import Checked, left_out, usable
from firmware_sim.replaying.frozen import FrozenTwin, may_freeze
from firmware_sim.replaying.rows import RowCount
from firmware_sim.replaying.sampled import Sampled
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.block import Places
from firmware_sim.streams.cadence import Cadence
from firmware_sim.streams.sentinels import Sentinels
from firmware_sim.tasks.kinds import KINDS
from firmware_sim.tasks.labels import LabelMap, doubt
from firmware_sim.tasks.teaching import Taught

#: Called with what became of rows.
OnTaught = Callable[[Taught], object]


class Accounting:
    """Rows are given to the device here, and what becomes of them is counted.

    config: what is replayed.
    stream: where the rows come from.
    device: what learns them.
    beside: whether the learner is also asked that is frozen after the first rows.
    ranked: whether some rows are kept to rank its inputs by.
    on_taught: as of `Replay.run`.
    rows: what became of the rows so far.
    cadence: the usual time between them.
    labels: what decodes the target column.
    metrics: what keeps score.
    sampled: some of the rows; None where nobody asks for them.
    twin: the learner as it was after the first rows, where there is one.
    alarms: rows at which the learner's alarm of drift rang.
    at_hand: the first and the last row of those that the device was given last.
    stopped: why the replay has to stop, empty where it goes on.
    power: what cuts the power, where something does.
    """

    def __init__(
        self,
        config: ReplayConfig,
        stream: Stream,
        device: Device,
        *,
        beside: bool = False,
        ranked: bool = False,
        on_taught: OnTaught | None = None,
    ) -> None:
        self._config = config
        self._on_taught = on_taught
        self._stream = stream
        self._device = device
        kind = KINDS[config.kind]
        self.rows = RowCount()
        self._sentinels = Sentinels(
            [*stream.features, stream.target] if config.is_regression else stream.features,
            config.missing_numbers,
        )
        self.cadence = Cadence()
        self.labels = kind.labels(config)
        self.metrics = kind.metrics(config, self.cadence)
        self.sampled = Sampled() if ranked else None
        self.alarms: list[int] = []
        freezes = beside and may_freeze(config)
        self.twin = FrozenTwin(config, self.metrics) if freezes else None
        self.at_hand = 0, 0
        self.stopped = ""
        self.power = None if config.power_cut is None else Power(config)

    def take(self, block: Checked) -> None:
        """Give rows to the device and account for them."""
        for part in self._parts(block):
            self._take(part)
            if self.stopped:
                return

    def _parts(self, block: Checked) -> Iterator[Checked]:
        """Yield a block in parts: between two of them something may have to be done."""
        power, twin, device, at = self.power, self.twin, self._device, 0
        if power is not None:
            power.look_ahead(block.block.first, len(block))
        while at < len(block):
            rows = [device.block]
            if power is not None:
                rows.append(power.left(device, block.block.first + at))
            if twin is not None:
                rows += filter(None, [twin.left(device)])
            # Labels that are late by seconds may all come at once, each for one more row learned.
            come = device.supervision.counts.waiting if self._config.delay[1] else 0
            end = min(len(block), at + max(1, min(rows) - come))
            yield block if end - at == len(block) else block.part(at, end)
            at = end

    def _take(self, block: Checked) -> None:
        own = block.block
        self.at_hand = own.first, own.first
        if self.power is not None:
            self.power.before(self._device, own.first)
        self.at_hand = own.first, own.first + len(block) - 1
        X, places = usable(block, self._device.repair)
        if len(places):
            block = block.part(0, self._learn(X, places, block))
            if self.power is not None:
                self.power.after(self._device)
        own = block.block
        columns = own.rows
        if own.damage:
            columns = np.where(block.damaged[:, np.newaxis], np.nan, columns)
        if self._config.is_regression:
            columns = np.column_stack((columns, block.y))
        self._sentinels.add_block(columns)
        self.cadence.add_block(np.where(block.damaged, np.nan, own.seconds))
        left_out(block, places[places < len(block)], self.rows, self._stream)

    def _learn(self, X: Row, places: Places, block: Checked) -> int:
        """Have the device learn rows, which lie at these places of a block.

        Returns: the rows of the block to count, all or those to the one that ends the replay.
        """
        device, rows, y = self._device, self.rows, block.y[places]
        when = When(block.block.first + places, block.block.seconds[places])
        looked = self.metrics.look(X)
        found = device.learn_block(X, y, when)
        if self._on_taught is not None:
            self._on_taught(found)
        end = len(places)
        if found.refused and self._config.damaged == "stop":
            end = min(found.refused) + 1
            self.stopped = f"row {when.numbers[end - 1]}: {found.refused[end - 1]}"
        elif found.stopped is not None:  # a full ring that is told to refuse candidates
            end = found.done + 1
            self.stopped = f"row {when.numbers[end - 1]}: {found.stopped}"
        if self.sampled is not None:
            self.sampled.add_block(X[:end])
        self.alarms += when.numbers[[at for at in found.alarms if at < end]].tolist()
        for at, error in sorted(found.refused.items()):
            if at < end:
                rows.add_refused(int(when.numbers[at]), error)
        taken, watched, forecasts = found.taken, None, None
        taken = taken[taken < end]
        used = slice(None) if len(taken) == len(y) else taken
        if looked is not None:
            watched = WatchedMany(
                found.levels[used],
                looked.part(used),
                when.seconds[used],
                when.numbers[used],
                found.verdicts[used],
            )
        if found.said.size:
            forecasts = found.forecasts(tuple(device.learner.shares))
        context = Context(found.told(y), watched, forecasts)
        self.metrics.add_block(y[used], found.scores[used], context)
        rows.used += len(taken)
        if self.twin is not None:
            self.twin.see(device, X[used], y[used])
        if not self._config.takes_gaps:
            rows.repaired += int(np.sum(block.absent[places[taken]]))
        return int(places[end - 1]) + 1 if self.stopped else len(block)

    def warnings(self) -> list[str]:
        """Return what a reader of the figures has to know, a sentence each."""
        rows = self.rows
        out = rows.warnings()
        delay, in_seconds = self._config.delay
        out += filter(None, [self.cadence.warning(bool(delay) and in_seconds)])
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
