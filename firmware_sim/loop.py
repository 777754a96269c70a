"""The firmware's main loop: read a row, mind the gaps, scale, learn, keep score.

Row buffer, scaler and learner live inside the cap; the stream reader, the metrics, the curves
and the report are the test bench around the device, live on the host and are not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device import make_device, make_kernel, scaled_prefix
from firmware_sim.errors import BeyondCapError, LearnerDiedError, SimulatorError, StreamError
from firmware_sim.labels import LabelMap
from firmware_sim.memory import Layout
from firmware_sim.metrics import Prequential
from firmware_sim.plaintext import shortened
from firmware_sim.rows import CheckedRow, RowCount, checked_rows, nothing_usable
from firmware_sim.streams import Row, Stream, open_stream
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
    metrics: Prequential
    learner: dict[str, int]
    seconds: float
    status: str
    detail: str
    enforcement: str
    peak_resident: int | None
    warnings: list[str]


class Replay:
    """A stream and a device that fit together, ready to run once.

    Parameters
    ----------
    config : ReplayConfig
        What to replay. Every error that can be known before the first row is raised here.

    Attributes
    ----------
    stream : Stream
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
            if config.positive is not None and self.stream.kept is None:
                self._find_positive(config.positive)
            kernel, self.width = make_kernel(config, n_features, self._prefix)
            self.device = make_device(config, n_features, kernel)
        except BaseException:
            self._close_stream()
            raise

    def _close_stream(self) -> None:
        """Let go of a stream that was opened here; one that was given is its owner's."""
        if self.stream is not self.config.stream:
            self.stream.close()

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
            first, last = bench.waiting[0].number, bench.waiting[-1].number
            status = "killed" if isinstance(error, BeyondCapError) else "died"
            detail = f"rows {first} to {last}: {error}"
        finally:
            self.device.close()
            self._close_stream()
        seconds = time.perf_counter() - began
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
            warnings=_warnings(bench),
        )

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
        """Return the scaled first usable rows, read in a pass of their own."""
        row = np.empty(len(self.stream.features))
        kept: list[Row] = []
        # Labels are not looked at, so a row that only lacks one counts.
        for checked in checked_rows(self.config, self.stream, row):
            if checked is None:
                continue
            if checked.usable:
                kept.append(row.copy())
            if len(kept) == self.config.prefix or checked.number == self.stream.kept:
                break
        if not kept:
            raise StreamError(f"{self.stream.name}: no row has a value in every column")
        return scaled_prefix(self.config, np.array(kept))


class _Bench:
    """Books of a replay: rows wait here until the device has scored them, and count in order."""

    def __init__(self, replay: Replay, on_row: Callable[[], object] | None) -> None:
        self._replay = replay
        self._on_row = on_row
        self.labels = LabelMap(replay.config.positive, replay.config.missing_codes)
        self.rows = RowCount()
        self.metrics = Prequential()
        self.waiting: list[CheckedRow] = []
        self.stopped = ""

    def take(self, row: CheckedRow) -> bool:
        """Take a row that is in the row buffer; whether the replay has to stop."""
        device = self._replay.device
        self.waiting.append(row)
        if row.usable:
            device.put(row.label)
        if len(self.waiting) >= device.block or self._forbidden(row):
            self.settle()
        return bool(self.stopped)

    @property
    def target(self) -> str:
        """Name of the label column."""
        return self._replay.stream.target

    @property
    def unseen_positive(self) -> str:
        """The label that is to mean +1, where no row of a live stream had it; else nothing."""
        counts = self.metrics.learner
        if self._replay.stream.kept is None or counts.true_positive + counts.false_negative:
            return ""  # in a file it has been found before the first row
        return self._replay.config.positive or ""

    def _forbidden(self, row: CheckedRow) -> bool:
        config = self._replay.config
        if row.damage:
            return config.damaged == "stop"
        return bool(row.missing) and config.missing == "stop"

    def settle(self) -> None:
        """Have the device learn what waits, and enter it in the books.

        Raises
        ------
        SimulatorError
            A row is bad; or, `BeyondCapError`, the device took memory it may not have.
        """
        scores: list[float] = []
        error: Exception | None = None
        if any(row.usable for row in self.waiting):
            scores, error = self._replay.device.settle()
        waiting, self.waiting = self.waiting, []
        at = 0
        for row in waiting:
            self.rows.read = row.number
            if row.damage:
                self.rows.add_damaged(row)
                if self._forbidden(row):
                    self.stopped = f"row {row.number}: {row.damage}"
                    return
            elif row.missing:
                self.rows.add_missing(row)
                if self._forbidden(row):
                    self.stopped = f"row {row.number} has no value for {row.missing[0]!r}"
                    return
            elif at < len(scores):
                self.metrics.add(row.label, scores[at])
                self.rows.used += 1
                at += 1
            elif isinstance(error, RuntimeError):  # a full ring that is told to refuse newcomers
                self.stopped = f"row {row.number}: {error}"
                return
            else:
                name = self._replay.stream.name
                raise SimulatorError(f"{name}: row {row.number}: {error}")
            if self._on_row is not None:
                self._on_row()


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


def _warnings(bench: _Bench) -> list[str]:
    """What a reader of the figures has to know, a sentence each."""
    out = []
    rows, labels = bench.rows, bench.labels
    absent = bench.unseen_positive
    if absent and labels.seen:
        out.append(labels.never(absent, bench.target))
    if rows.damaged:
        out.append(
            f"{rows.damaged:,} of {rows.read:,} rows cannot be read and were left out, "
            f"the first is {rows.first_damage}"
        )
    positive = bench.metrics.learner.true_positive + bench.metrics.learner.false_negative
    if not absent and rows.used > 1 and positive in (0, rows.used):
        names = ", ".join(shortened(name) for name in labels.seen)
        out.append(
            f"all {rows.used:,} labels mean {'+1' if positive else '-1'} ({names}): "
            "there is nothing to tell apart, and the figures say nothing"
        )
    return out
