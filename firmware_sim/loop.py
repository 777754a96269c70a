"""The firmware's main loop: read a row, mind the gaps, scale, learn, keep score.

Row buffer, scaler and learner live inside the cap; the stream reader, the metrics, the curves
and the report are the test bench around the device, live on the host and are not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device import make_device, make_kernel, scaled_prefix
from firmware_sim.errors import BeyondCapError, LearnerDiedError, SimulatorError, StreamError
from firmware_sim.labels import LabelMap
from firmware_sim.memory import Layout
from firmware_sim.metrics import Prequential
from firmware_sim.plaintext import shortened
from firmware_sim.streams import Row, Stream, open_stream
from firmware_sim.width import Width


@dataclass
class RowCount:
    """How many rows were read, and what became of them."""

    read: int = 0
    used: int = 0
    missing: int = 0
    missing_by_column: dict[str, int] = field(default_factory=dict)
    damaged: int = 0
    first_damage: str = ""


class CheckedRow(NamedTuple):
    """What there is to know of the row in the row buffer."""

    number: int
    label: int  # 0 where missing
    missing: list[str]  # columns
    damage: str = ""  # why it cannot be read

    @property
    def usable(self) -> bool:
        """Whether the learner gets it."""
        return not (self.missing or self.damage)


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
        self.stream = open_stream(config.stream, target=config.target, ignore=config.ignore)
        n_features = len(self.stream.features)
        if config.positive is not None:
            self._find_positive(config.positive)
        kernel, self.width = make_kernel(config, n_features, self._prefix)
        self.device = make_device(config, n_features, kernel)

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
            for row in _checked_rows(self.config, self.stream, self.device.raw, bench.labels):
                if should_stop is not None and should_stop():
                    status, detail = "interrupted", f"interrupted before row {row.number}"
                    break
                if bench.take(row):
                    break
            bench.settle()
        except (BeyondCapError, LearnerDiedError) as error:
            first, last = bench.waiting[0].number, bench.waiting[-1].number
            status = "killed" if isinstance(error, BeyondCapError) else "died"
            detail = f"rows {first} to {last}: {error}"
        finally:
            self.device.close()
        seconds = time.perf_counter() - began
        if bench.stopped:
            status, detail = "stopped", bench.stopped
        if bench.rows.used == 0 and status == "complete":
            raise StreamError(_nothing_usable(self.stream, bench.rows))
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
            if not sample.damage and labels.decode(sample.label) == 1:
                return
        if labels.seen:
            raise StreamError(f"{self.stream.name}: {labels.never(positive, self.stream.target)}")

    def _prefix(self) -> Row:
        """Return the scaled first usable rows, read in a pass of their own."""
        row = np.empty(len(self.stream.features))
        kept: list[Row] = []
        # Labels are not looked at, so a row that only lacks one counts.
        for checked in _checked_rows(self.config, self.stream, row):
            if checked.usable:
                kept.append(row.copy())
                if len(kept) == self.config.prefix:
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
                self.rows.damaged += 1
                self.rows.first_damage = self.rows.first_damage or f"row {row.number}: {row.damage}"
                if self._forbidden(row):
                    self.stopped = f"row {row.number}: {row.damage}"
                    return
            elif row.missing:
                self.rows.missing += 1
                for column in row.missing:
                    count = self.rows.missing_by_column.get(column, 0)
                    self.rows.missing_by_column[column] = count + 1
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


def _checked_rows(
    config: ReplayConfig, stream: Stream, row: Row, labels: LabelMap | None = None
) -> Iterator[CheckedRow]:
    """Yield the rows of a stream as they come into the row buffer; without labels if so told."""
    codes = np.array(config.missing_codes)
    for number, cell, damage in stream.samples(row):
        if config.limit is not None and number > config.limit:
            return
        if damage:
            yield CheckedRow(number, 0, [], damage)
            continue
        absent = ~np.isfinite(row)
        if codes.size:
            absent |= np.isin(row, codes)
        missing = (
            [name for name, gone in zip(stream.features, absent, strict=True) if gone]
            if absent.any()
            else []
        )
        label: int | None = 0
        if labels is not None:
            try:
                label = labels.decode(cell)
            except StreamError as error:
                raise StreamError(
                    f"{stream.name}: row {number}, column {stream.target!r}: {error}"
                ) from None
            if label is None:
                missing.append(stream.target)
        yield CheckedRow(number, label or 0, missing)


def _nothing_usable(stream: Stream, rows: RowCount) -> str:
    if rows.read == 0:
        return f"{stream.name}: there is no row after the header"
    if rows.damaged == rows.read:
        return f"{stream.name}: none of the {rows.read:,} rows can be read; {rows.first_damage}"
    worst = max(rows.missing_by_column, key=lambda name: rows.missing_by_column[name])
    return (
        f"{stream.name}: none of the {rows.read:,} rows has a value in every column; "
        f"{worst!r} is missing in {rows.missing_by_column[worst]:,} (see --ignore)"
    )


def _warnings(bench: _Bench) -> list[str]:
    """What a reader of the figures has to know, a sentence each."""
    out = []
    rows, labels = bench.rows, bench.labels
    if rows.damaged:
        out.append(
            f"{rows.damaged:,} of {rows.read:,} rows cannot be read and were left out, "
            f"the first is {rows.first_damage}"
        )
    positive = bench.metrics.learner.true_positive + bench.metrics.learner.false_negative
    if rows.used > 1 and positive in (0, rows.used):
        names = ", ".join(shortened(name) for name in labels.seen)
        out.append(
            f"all {rows.used:,} labels mean {'+1' if positive else '-1'} ({names}): "
            "there is nothing to tell apart, and the figures say nothing"
        )
    return out
