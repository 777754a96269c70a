"""The firmware's main loop: read a row, mind the gaps, scale, learn, keep score.

Row buffer, scaler and learner live inside the cap; the stream reader, the metrics, the curves
and the report are the test bench around the device, live on the host and are not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from firmware_sim.boards import Timing, board_of, timing
from firmware_sim.cadence import Cadence
from firmware_sim.config import ReplayConfig
from firmware_sim.device import Outcome, make_device, make_kernel, scaled_prefix
from firmware_sim.errors import BeyondCapError, LearnerDiedError, StreamError
from firmware_sim.faults import parse
from firmware_sim.labels import LabelMap, Labels, Targets
from firmware_sim.memory import Layout
from firmware_sim.metrics import Prequential, Regression
from firmware_sim.plaintext import shortened
from firmware_sim.rows import CheckedRow, RowCount, checked_rows, nothing_usable
from firmware_sim.streams import Row, Stream, open_stream
from firmware_sim.streams.faulty import FaultyStream
from firmware_sim.supervision import LabelCount
from firmware_sim.width import Width


@dataclass
class ReplayResult:
    """Everything a report is made from.

    Attributes
    ----------
    status : {"complete", "interrupted", "stopped", "killed", "died"}
        How the replay ended: at the end of the stream (or the limit), by the user, at a
        row the configuration forbids (a damaged one or one with a missing value under the policy
        "stop", one that no longer fits a budget that is told to refuse it), because the learner's
        process took more memory than it may, or because it ended for another reason.
    detail : str
        One sentence about an early end, empty otherwise.
    warnings : list of str
        What a reader of the figures has to know, a sentence each.
    labels : LabelCount
        What became of labels.
    timing : Timing or None
        How long steps take on the board, where one is named.
    period : float or None
        Seconds between rows, where that is known.
    clean : dict or None
        The learner's figures on the same stream without its faults, where there are any.
    enforcement : str
        What kept the learner under the cap, in words.
    peak_resident : int or None
        Peak resident bytes of the learner's process, where it has one.
    """

    config: ReplayConfig
    stream: Stream
    layout: Layout
    width: Width | None
    rows: RowCount
    metrics: Prequential | Regression
    learner: dict[str, int]
    seconds: float
    status: str
    detail: str
    enforcement: str
    peak_resident: int | None
    warnings: list[str]
    labels: LabelCount
    timing: Timing | None
    period: float | None
    clean: dict[str, float | int | None] | None


class Replay:
    """A stream and a device that fit together, ready to run once.

    Parameters
    ----------
    config : ReplayConfig
        What to replay. Every error that can be known before the first row is raised here.

    Attributes
    ----------
    stream : Stream
        With its faults.
    clean : Stream
        Without them.
    device : Device
    width : Width or None
        The kernel width and where it comes from.
    """

    def __init__(self, config: ReplayConfig) -> None:
        self.config = config
        self.stream = open_stream(
            config.stream,
            target=config.target,
            ignore=config.ignore,
            idle=config.idle,
            time=config.time,
            categories=config.categories,
            category_slots=config.category_slots,
        )
        n_features = len(self.stream.features)
        try:
            self.clean = self.stream
            if config.faults:
                faults = [parse(text) for text in config.faults]
                self.stream = FaultyStream(self.clean, faults, config.seed)
            if config.positive is not None and self.stream.kept is None:
                self._find_positive(config.positive)
            kernel, self.width = make_kernel(config, n_features, self._prefix)
            self.device = make_device(config, n_features, kernel)
        except BaseException:
            self._close_stream()
            raise

    def _close_stream(self) -> None:
        """Let go of a stream that was opened here; one that was given is its owner's."""
        if self.clean is not self.config.stream:
            self.clean.close()

    def run(
        self,
        *,
        on_row: Callable[[], object] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> ReplayResult:
        """Replay the stream.

        Parameters
        ----------
        on_row : callable, optional
            Called after each row, for a progress bar.
        should_stop : callable, optional
            Asked before each row; True ends the replay, and the result says "interrupted".

        Raises
        ------
        SimulatorError
            The stream is damaged, or no row of it could be used.
        """
        bench = _Bench(self, on_row)
        status, detail = "complete", ""
        began = time.perf_counter()
        try:
            last = 0
            for row in checked_rows(self.config, self.stream, self.device.raw, bench.labels):
                if should_stop is not None and should_stop():
                    status, detail = "interrupted", f"interrupted before row {last + 1}"
                    break
                if row is None:
                    bench.settle()
                    continue
                last = row.number
                if bench.take(row):
                    break
            bench.settle()
        except (BeyondCapError, LearnerDiedError) as error:
            first, last = bench.waiting[0].row.number, bench.waiting[-1].row.number
            status = "killed" if isinstance(error, BeyondCapError) else "died"
            detail = f"rows {first} to {last}: {error}"
        finally:
            self.device.close()
            self._close_stream()
        seconds = time.perf_counter() - began
        clean = self._without_faults(should_stop) if status == "complete" else None
        if bench.stopped:
            status, detail = "stopped", bench.stopped
        if bench.rows.used == 0 and status == "complete":
            raise StreamError(nothing_usable(self.stream, bench.rows))
        return ReplayResult(
            config=self.config,
            stream=self.stream,
            layout=self.device.layout,
            width=self.width,
            rows=bench.rows,
            metrics=bench.metrics,
            learner=self.device.counters(),
            seconds=seconds,
            status=status,
            detail=detail,
            enforcement=self.device.enforcement,
            peak_resident=self.device.peak_resident,
            warnings=bench.warnings(),
            labels=self.device.supervision.counts,
            timing=self._timing(),
            period=self.config.period or bench.cadence.period,
            clean=clean,
        )

    def _timing(self) -> Timing | None:
        if self.config.device is None:
            return None
        n_features = len(self.stream.features)
        return timing(board_of(self.config.device), self.device.plan, n_features)

    def _without_faults(
        self, should_stop: Callable[[], bool] | None
    ) -> dict[str, float | int | None] | None:
        """Replay the same rows with whole sensors, where that can be, for the learner's figures."""
        if not self.config.faults or self.stream.kept is not None:
            return None
        whole = Replay(replace(self.config, stream=self.clean, faults=(), leak=0))
        result = whole.run(should_stop=should_stop)
        return result.metrics.summary()["learner"] if result.status == "complete" else None

    def _find_positive(self, positive: str) -> None:
        """See to it that the label that means +1 occurs, before the long part."""
        labels = LabelMap(positive, self.config.missing_codes)
        row = np.empty(len(self.stream.features))
        for sample in self.stream.samples(row):
            if sample is not None and not sample.damage and labels.decode(sample.label) == 1:
                return
        if labels.seen:
            raise StreamError(f"{self.stream.name}: {labels.never(positive, self.stream.target)}")

    def _prefix(self) -> Row:
        """Return the scaled first usable rows, read in a pass of their own.

        Sensors are whole when a board is flashed, so their faults do not count.
        """
        row = np.empty(len(self.stream.features))
        kept: list[Row] = []
        # Labels are not looked at, so a row that only lacks one counts.
        for checked in checked_rows(self.config, self.clean, row):
            if checked is None:
                continue
            if not (checked.absent or checked.damage):
                kept.append(row.copy())
            if len(kept) == self.config.prefix or checked.number == self.stream.kept:
                break
        if not kept:
            raise StreamError(f"{self.stream.name}: no row has a value in every column")
        return scaled_prefix(self.config, np.array(kept))


class _Waiting(NamedTuple):
    """A row on its way through the device."""

    row: CheckedRow
    given: bool  # whether the device has it
    repaired: bool


class _Bench:
    """Books of a replay: rows wait here until the device has scored them, and count in order."""

    def __init__(self, replay: Replay, on_row: Callable[[], object] | None) -> None:
        self._replay = replay
        self._on_row = on_row
        config = replay.config
        self.labels: Labels
        self.metrics: Prequential | Regression
        if replay.device.is_regression:
            self.labels = Targets(config.missing_codes)
            self.metrics = Regression()
        else:
            self.labels = LabelMap(config.positive, config.missing_codes)
            self.metrics = Prequential()
        self.rows = RowCount()
        self.cadence = Cadence()
        self.waiting: list[_Waiting] = []
        self.stopped = ""

    def take(self, row: CheckedRow) -> bool:
        """Take a row that is in the row buffer; whether the replay has to stop."""
        device = self._replay.device
        self.cadence.add(row.seconds)
        whole = not (row.damage or row.absent)
        if device.repair is not None and not row.damage:
            whole = device.repair.mend(device.raw, row.absent)
        given = whole and not row.unlabelled
        self.waiting.append(_Waiting(row, given, given and bool(row.absent)))
        if given:
            device.put(row.label, row.number, row.seconds)
        if len(self.waiting) >= device.block or self._forbidden(row):
            self.settle()
        return bool(self.stopped)

    def _forbidden(self, row: CheckedRow) -> bool:
        config = self._replay.config
        if row.damage:
            return config.damaged == "stop"
        return bool(row.absent or row.unlabelled) and config.missing == "stop"

    def settle(self) -> None:
        """Have the device learn what waits, and enter it in the books.

        Raises
        ------
        BeyondCapError, LearnerDiedError
            The device took memory it may not have, or is gone.
        """
        outcomes: Iterator[Outcome] = iter(())
        if any(one.given for one in self.waiting):
            outcomes = iter(self._replay.device.settle())
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
        missing = row.missing(self._replay.stream) if row.absent or row.unlabelled else []
        rows.add_missing(missing)
        if isinstance(outcome, RuntimeError):  # a full ring that is told to refuse newcomers
            self.stopped = f"row {row.number}: {outcome}"
        elif isinstance(outcome, Exception):
            rows.add_refused(row, outcome)
            if self._replay.config.damaged == "stop":
                self.stopped = f"row {row.number}: {outcome}"
        elif outcome is not None:
            supervision = self._replay.device.supervision
            for label in supervision.came:  # baselines know no label before the learner does
                self.metrics.observe(label)
            self.metrics.add(row.label, outcome, supervision.at_once)
            rows.used += 1
            rows.repaired += one.repaired
        else:
            rows.missing += 1
            if self._forbidden(row):
                self.stopped = f"row {row.number} has no value for {missing[0]!r}"

    def warnings(self) -> list[str]:
        """Return what a reader of the figures has to know, a sentence each."""
        out = []
        rows, config, stream = self.rows, self._replay.config, self._replay.stream
        if rows.damaged:
            out.append(
                f"{rows.damaged:,} of {rows.read:,} rows cannot be read and were left out, "
                f"the first is {rows.first_damage}"
            )
        if rows.refused:
            out.append(
                f"the learner refuses {rows.refused:,} of {rows.read:,} rows, the first is "
                f"{rows.first_refusal}"
            )
        counts = self._replay.device.supervision.counts
        if config.ask and rows.used and not counts.saved:
            out.append(f"{config.algorithm} asks for every label: try a ramp loss, loss=ramp")
        if isinstance(self.labels, LabelMap) and isinstance(self.metrics, Prequential):
            positive = self.metrics.learner.true_positive + self.metrics.learner.false_negative
            names = ", ".join(shortened(name) for name in self.labels.seen)
            if stream.kept is not None and config.positive and names and not positive:
                # In a file it has been looked for before the first row.
                out.append(self.labels.never(config.positive, stream.target))
            elif rows.used > 1 and positive in (0, rows.used):
                out.append(
                    f"all {rows.used:,} labels mean {'+1' if positive else '-1'} ({names}): "
                    "there is nothing to tell apart, and the figures say nothing"
                )
        return out


def replay(config: ReplayConfig) -> ReplayResult:
    """Replay a stream through the firmware loop under the cap.

    Parameters
    ----------
    config : ReplayConfig
        What to replay.

    Returns
    -------
    ReplayResult
        For `report.write_report`, `report.to_dict` or `report.to_text`.
    """
    return Replay(config).run()
