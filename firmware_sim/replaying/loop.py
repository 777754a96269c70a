"""The firmware's main loop: read a row, mind the gaps, scale, learn, keep score.

Row buffer, scaler and learner live inside the cap; the stream reader, the metrics, the curves
and the report are the test bench around the device, live on the host and are not counted.
"""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from firmware_sim.boards import board_of
from firmware_sim.boards.step_time import Timing, timing
from firmware_sim.config import ReplayConfig
from firmware_sim.device.planning import make_kernel, scaled_prefix
from firmware_sim.device.split import make_device
from firmware_sim.errors import BeyondCapError, LearnerDiedError, StreamError
from firmware_sim.mcu.replaying import Emulated, OnBoard
from firmware_sim.metrics import Figures
from firmware_sim.replaying.accounting import Accounting, OnTaught
from firmware_sim.replaying.blocks import BlockFeed
from firmware_sim.replaying.checked import checked, told_words
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.replaying.rows import nothing_usable, opened
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.faults import parse
from firmware_sim.streams.faulty import FaultyStream
from firmware_sim.streams.live import LiveStream
from firmware_sim.tasks.labels import ClassNames, LabelMap


class Replay:
    """A stream and a device that fit together, ready to run once.

    Page: docs/tutorial.md.

    Parameters
    ----------
    config : ReplayConfig
        What to replay.
    live : LiveStream, optional
        Its stream, where that comes once and was looked at already.

    Attributes
    ----------
    stream : Stream
        With its faults.
    clean : Stream
        Without them.
    device : Device
        Row buffer, scaler and learner, under the cap.
    width : Width or None
        The kernel width and where it comes from; None where the learner makes it.

    Raises
    ------
    DoesNotFitError
        The parts do not fit the cap.
    SimulatorError
        The configuration or the stream cannot be replayed; whatever can be known before the first
        row is raised here.
    """

    def __init__(self, config: ReplayConfig, *, live: LiveStream | None = None) -> None:
        self.config = config
        self.stream = opened(config, live)
        n_features = len(self.stream.features)
        try:
            self.clean = self.stream.clean
            if config.faults:
                faults = [parse(text) for text in config.faults]
                seed = config.seed if config.fault_seed is None else config.fault_seed
                self.stream = FaultyStream(self.clean, faults, seed)
            if config.positive is not None and self.stream.kept is None:
                self._find_positive(config.positive)
            if config.kind == "multiclass" and not config.classes:
                self.config = config = self._with_classes(config)
            kernel, self.width = make_kernel(config, n_features, self._prefix)
            self.device = make_device(config, n_features, kernel)
            self._board = OnBoard(config.on, config, self.device) if config.on else None
        except BaseException:
            self._close_stream()
            raise

    def _close_stream(self) -> None:
        """Let go of a stream that was opened here; one that was given is its owner's."""
        if not isinstance(self.config.stream, Stream):
            self.clean.close()

    def run(
        self,
        *,
        on_row: Callable[[], object] | None = None,
        should_stop: Callable[[], bool] | None = None,
        beside_clean: bool = True,
        ranked: bool = True,
        on_taught: OnTaught | None = None,
    ) -> ReplayResult:
        """Replay the stream.

        Parameters
        ----------
        on_row : callable, optional
            Called for each row, for a progress bar.
        should_stop : callable, optional
            Asked before each row; True ends the replay, and the result says "interrupted".
        beside_clean : bool
            Whether a stream with faults is replayed without them, too, the learner is held
            against itself frozen after the first rows, and its inputs are ranked.
        ranked : bool
            Whether that last is done.
        on_taught : callable, optional
            Called with what became of rows (`tasks.teaching.Taught`), as soon as they are learned;
            what it raises ends the replay.

        Returns
        -------
        ReplayResult
            Also where the replay ended early: see its ``status``.

        Raises
        ------
        SimulatorError
            The stream is damaged, or no row of it could be used.
        """
        with warnings.catch_warnings():
            # What the library warns of is counted by it, and told in the report.
            warnings.simplefilter("ignore", UserWarning)
            accounting = Accounting(
                *(self.config, self.stream, self.device),
                beside=beside_clean,
                ranked=beside_clean and ranked,
                on_taught=on_taught,
            )
            return self._run(accounting, on_row, should_stop, beside_clean)

    def _run(
        self,
        accounting: Accounting,
        on_row: Callable[[], object] | None,
        should_stop: Callable[[], bool] | None,
        beside_clean: bool,
    ) -> ReplayResult:
        began = time.perf_counter()
        with uncollected() if self.stream.kept is not None else nullcontext():
            status, detail = self._feed(accounting, on_row, should_stop)
        seconds = time.perf_counter() - began
        if accounting.stopped:
            status, detail = "stopped", accounting.stopped
        # Figures of a part of the stream say nothing beside those of all of it.
        whole = beside_clean and status == "complete"
        clean = self._without_faults(should_stop) if whole else None
        if accounting.rows.used == 0 and status == "complete":
            raise StreamError(nothing_usable(self.stream, accounting.rows))
        return ReplayResult(
            config=self.config,
            stream=self.stream,
            layout=self.device.layout,
            width=self.width,
            rows=accounting.rows,
            metrics=accounting.metrics,
            learner=self.device.counters(),
            seconds=seconds,
            status=status,
            detail=detail,
            enforcement=self.device.enforcement,
            peak_resident=self.device.peak_resident,
            warnings=accounting.warnings(),
            labels=self.device.supervision.counts,
            power=None if accounting.power is None else accounting.power.counts,
            timing=self._timing(),
            period=self.config.period or accounting.cadence.period,
            clean=clean,
            emulated=self._emulated(status),
            alarms=accounting.alarms,
            frozen=None if accounting.twin is None else accounting.twin.result(),
            inputs=self._inputs(accounting),
            row=str(self.device.row.kind),
            unlike=self.device.row.unlike,
        )

    def _feed(
        self,
        accounting: Accounting,
        on_row: Callable[[], object] | None,
        should_stop: Callable[[], bool] | None,
    ) -> tuple[str, str]:
        """Give the rows to the device; return how that ended, and why."""
        feed = BlockFeed(self.config, self.stream, accounting, on_row, should_stop)
        detail, read = "", 0  # rows that were read where it ends early
        try:
            detail = feed.run()
            # The row that somebody stopped at was read.
            read = accounting.rows.read + bool(detail) if detail or accounting.stopped else 0
            return ("interrupted", detail) if detail else ("complete", "")
        except (BeyondCapError, LearnerDiedError) as error:
            first, read = accounting.at_hand
            status = "killed" if isinstance(error, BeyondCapError) else "died"
            return status, f"rows {first} to {read}: {error}"
        finally:
            if read and isinstance(self.stream, FaultyStream) and self.stream.kept is None:
                self.stream.recount(read)
            self.device.close()
            self._close_stream()

    def _emulated(self, status: str) -> Emulated | None:
        return self._board.run() if self._board is not None and status == "complete" else None

    def _inputs(self, accounting: Accounting) -> dict[str, float]:
        if accounting.sampled is None:
            return {}
        found = self.device.inputs(accounting.sampled.rows)
        return {self.stream.features[place]: share for place, share in found.items()}

    def _timing(self) -> Timing | None:
        if self.config.device is None:
            return None
        n_features = len(self.stream.features)
        held = self.device.counters().get("n_remembered", 0)
        return timing(board_of(self.config.device), self.device.plan, n_features, int(held))

    def _without_faults(self, should_stop: Callable[[], bool] | None) -> Figures | None:
        """Replay the same rows with whole sensors, where that can be, for the learner's figures."""
        if not self.config.faults or self.stream.kept is not None:
            return None
        less: dict[str, Any] = {"faults": (), "leak": 0, "frozen_after": 0, "on": None}
        whole = Replay(replace(self.config, stream=self.clean, **less))
        result = whole.run(should_stop=should_stop)
        return result.metrics.summary()["learner"] if result.status == "complete" else None

    def _find_positive(self, positive: str) -> None:
        """Refuse a stream in which the label that means +1 never occurs."""
        labels = LabelMap(positive, self.config.missing_codes)
        for block in self.stream.blocks():
            for word, times in told_words(block):
                label = labels.value(word)
                if label == 1:
                    return
                labels.tally(word, label, times)
        if labels.seen:
            raise StreamError(f"{self.stream.name}: {labels.never(positive, self.stream.target)}")

    def _with_classes(self, config: ReplayConfig) -> ReplayConfig:
        """Return the configuration with the classes that occur, read in a pass of their own."""
        if self.stream.kept is not None:
            raise StreamError(f"{self.stream.name}: name the classes with --classes A,B,C")
        cells = (word for block in self.clean.blocks() for word, _ in told_words(block))
        try:
            return replace(config, classes=ClassNames.found(cells, config.missing_codes))
        except StreamError as error:
            where = f"{self.stream.name}: column {self.stream.target!r}"
            raise StreamError(f"{where}: {error}") from None

    def _prefix(self) -> Row:
        """Return the scaled first usable rows, read in a pass of their own.

        Sensors are whole when a board is flashed, so their faults do not count.
        """
        kept: list[Row] = []
        wanted = self.config.prefix
        for block in checked(self.config, self.clean, None):
            whole = block.block.rows[~(block.absent | block.damaged)]
            kept += [whole[: wanted - sum(map(len, kept))]] if len(whole) else []
            if sum(map(len, kept)) == wanted:
                break
        if not kept:
            raise StreamError(f"{self.stream.name}: no row has a value in every column")
        return scaled_prefix(self.config, np.concatenate(kept))


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep what is there out of garbage collections: one over all of it takes 20 ms."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def replay(config: ReplayConfig) -> ReplayResult:
    """Replay a stream through the firmware loop under the cap.

    Page: docs/tutorial.md.

    Parameters
    ----------
    config : ReplayConfig
        What to replay.

    Returns
    -------
    ReplayResult
        For `report.write_report`, `report.to_dict` or `report.to_text`.

    Raises
    ------
    DoesNotFitError
        The parts do not fit the cap.
    SimulatorError
        The configuration or the stream cannot be replayed.
    """
    return Replay(config).run()
