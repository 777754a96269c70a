"""The firmware's main loop: read a row, mind the gaps, scale, learn, keep score.

Row buffer, scaler and learner live inside the cap; the stream reader, the metrics, the curves
and the report are the test bench around the device, live on the host and are not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device import Device, make_kernel, scaled_prefix
from firmware_sim.errors import SimulatorError, StreamError
from firmware_sim.labels import LabelMap
from firmware_sim.memory import Layout
from firmware_sim.metrics import Prequential
from firmware_sim.streams import Row, Stream, open_stream
from firmware_sim.width import Width


@dataclass
class RowCount:
    """How many rows were read, and what became of them."""

    read: int = 0
    used: int = 0
    missing: int = 0
    missing_by_column: dict[str, int] = field(default_factory=dict)


@dataclass
class ReplayResult:
    """Everything a report is made from.

    Attributes
    ----------
    status : {"complete", "interrupted", "stopped"}
        How the replay ended: at the end of the stream (or the limit), by the user, or at a
        row the configuration forbids: one with a missing value under the policy "stop", one
        that no longer fits a budget that is told to refuse it.
    detail : str
        One sentence about an early end, empty otherwise.
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
        kernel, self.width = make_kernel(config, n_features, self._prefix)
        self.device = Device(config, n_features, kernel)

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
        device, rows, metrics = self.device, RowCount(), Prequential()
        status, detail = "complete", ""
        began = time.perf_counter()
        for number, label, missing in _checked_rows(self.config, self.stream, device.raw):
            if should_stop is not None and should_stop():
                status, detail = "interrupted", f"interrupted before row {number}"
                break
            rows.read = number
            if missing:
                rows.missing += 1
                for column in missing:
                    rows.missing_by_column[column] = rows.missing_by_column.get(column, 0) + 1
                if self.config.missing == "stop":
                    status, detail = "stopped", f"row {number} has no value for {missing[0]!r}"
                    break
            else:
                try:
                    score = device.step(label)
                except RuntimeError as error:  # a full ring that is told to refuse newcomers
                    status, detail = "stopped", f"row {number}: {error}"
                    break
                except ValueError as error:
                    raise SimulatorError(f"{self.stream.name}: row {number}: {error}") from None
                metrics.add(label, score)
                rows.used += 1
            if on_row is not None:
                on_row()
        seconds = time.perf_counter() - began
        if rows.used == 0 and status == "complete":
            raise StreamError(_nothing_usable(self.stream, rows))
        learner = device.learner
        return ReplayResult(
            config=self.config,
            stream=self.stream,
            layout=device.layout,
            width=self.width,
            rows=rows,
            metrics=metrics,
            learner={
                name: int(getattr(learner, name))
                for name in ("budget", "n_support", "updates", "mistakes", "steps", "nbytes")
            },
            seconds=seconds,
            status=status,
            detail=detail,
        )

    def _prefix(self) -> Row:
        """Return the scaled first usable rows, read in a pass of their own."""
        row = np.empty(len(self.stream.features))
        kept: list[Row] = []
        # Labels are not looked at, so a row that only lacks one counts.
        for _, _, missing in _checked_rows(self.config, self.stream, row, with_labels=False):
            if not missing:
                kept.append(row.copy())
                if len(kept) == self.config.prefix:
                    break
        if not kept:
            raise StreamError(f"{self.stream.name}: no row has a value in every column")
        return scaled_prefix(self.config, np.array(kept))


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
    config: ReplayConfig, stream: Stream, row: Row, with_labels: bool = True
) -> Iterator[tuple[int, int, list[str]]]:
    """Yield row number, label (0 where missing) and the names of the columns that are missing."""
    labels = LabelMap(config.positive, config.missing_codes)
    codes = np.array(config.missing_codes)
    for number, cell in stream.samples(row):
        if config.limit is not None and number > config.limit:
            return
        absent = ~np.isfinite(row)
        if codes.size:
            absent |= np.isin(row, codes)
        missing = (
            [name for name, gone in zip(stream.features, absent, strict=True) if gone]
            if absent.any()
            else []
        )
        label: int | None = 0
        if with_labels:
            try:
                label = labels.decode(cell)
            except StreamError as error:
                raise StreamError(
                    f"{stream.name}: row {number}, column {stream.target!r}: {error}"
                ) from None
            if label is None:
                missing.append(stream.target)
        yield number, label or 0, missing


def _nothing_usable(stream: Stream, rows: RowCount) -> str:
    if rows.read == 0:
        return f"{stream.name}: there is no row after the header"
    worst = max(rows.missing_by_column, key=lambda name: rows.missing_by_column[name])
    return (
        f"{stream.name}: none of the {rows.read} rows has a value in every column; "
        f"{worst!r} is missing in {rows.missing_by_column[worst]} (see --ignore)"
    )
