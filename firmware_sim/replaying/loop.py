"""The firmware's main loop: read a row, handle missing values, scale, learn, record metrics.

Row buffer, scaler and learner are inside the cap; the stream reader, the metrics, the curves
and the report are the test bench around the device, on the host, and are not counted.
"""

from __future__ import annotations

import gc
import math
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.boards import board_of
from firmware_sim.boards.step_time import Timing, timing
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.planning import make_kernel, plan_device, scaled_prefix
from firmware_sim.device.split import make_device
from firmware_sim.errors import (
    BeyondCapError,
    DoesNotFitError,
    LearnerDiedError,
    SimulatorError,
    StreamError,
)
from firmware_sim.mcu.replaying import Emulated, OnBoard
from firmware_sim.metrics import Figures, Metrics
from firmware_sim.metrics.batch import Batch
from firmware_sim.replaying.accounting import Accounting, OnResult
from firmware_sim.replaying.assumed import configured, notes_of
from firmware_sim.replaying.blocks import BlockFeed
from firmware_sim.replaying.checked import checked
from firmware_sim.replaying.forecast import (
    Horizon,
    Outlook,
    Point,
    advanced,
    ending,
    shared,
)
from firmware_sim.replaying.held_out import (
    HeldOut,
    Later,
    Part,
    Reordered,
    Selected,
    groups_of,
    held_out,
    measured,
)
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.replaying.rows import nothing_usable
from firmware_sim.replaying.source import Source, opened
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.cached import CachedStream
from firmware_sim.streams.cadence import Cadence
from firmware_sim.streams.faulty import FaultyStream
from firmware_sim.streams.live import LiveStream
from firmware_sim.streams.row_times import RowTimes
from firmware_sim.streams.stream import Groups


class Replay:
    """A stream and a device, checked and ready to run once.

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
        The stream with its faults.
    clean : Stream
        The stream without faults.
    groups : Groups or None
        The groups of its rows, if one at a time is left out.
    device : Device
        Row buffer, scaler and learner, under the cap.
    width : Width or None
        The kernel width and its origin; None if the learner chooses it.

    Raises
    ------
    DoesNotFitError
        The parts do not fit the cap.
    SimulatorError
        The configuration or the stream cannot be replayed; all errors that can be found before the
        first row are raised here.
    """

    def __init__(self, config: ReplayConfig, *, live: LiveStream | None = None) -> None:
        self.config = config
        self._source = source = Source(config, live)
        self.stream, self.clean = source.stream, source.clean
        self._other: Stream | None = None  # of `config.test`
        self.groups: Groups | None = None
        self._season, self._period = "", config.period  # of a forecast
        self._horizons: list[ReplayConfig] = []  # of a path, ascending; the last one runs here
        n_features = len(self.stream.features)
        try:
            self._open_others()
            is_part = isinstance(self.stream, Selected)
            config, self._season, self._period = source.resolve(config, has_all_labels=not is_part)
            self.config = config
            if config.path and config.label_kind.keeps_rows:
                self._horizons = shared(config, n_features)
            self.config = config = self._with_clock(config)
            kernel, self.width = make_kernel(config, n_features, self._prefix)
            own = self._horizons[-1] if self._horizons else config
            self.device = make_device(own, n_features, kernel)
            self._board = None
            if config.on:
                self._board = OnBoard(config.on, config, self.device, self.stream.windows)
        except BaseException:
            source.close()
            raise

    def _with_clock(self, config: ReplayConfig) -> ReplayConfig:
        """Return the configuration with the hour of the day for the learner, if that fits."""
        if config.algorithm or not self.clean.is_dated:
            return config
        timed = replace(config, params={**config.params, **config.label_kind.timed_params()})
        try:
            plan_device(timed, len(self.stream.features), None)
        except DoesNotFitError:
            return config
        return timed

    @property
    def windows(self) -> ek.Windows | None:
        """New windows as those of the stream; None if its rows are as they are logged."""
        plan = self.stream.windows
        return None if plan is None else ek.Windows(**plan.options)

    def _outlook(
        self, accounting: Accounting, status: str, should_stop: Callable[[], bool] | None
    ) -> Outlook | None:
        """Return the errors by horizon and the path of a forecast; None for other replays.

        The learner is left as it is on a board that has read all rows. If `should_stop` ends the
        replays of a path, its first horizons are missing.
        """
        config, ahead = self.config, self.config.rows_ahead
        if config.forecast is None or not config.label_kind.keeps_rows:
            return None
        if status != "complete":  # rows were read ahead: which are the last ones is not known
            if hasattr(self.device, "learner"):
                self.device.learner.restart()
            return None
        metrics: Any = accounting.metrics
        last = accounting.rows.read
        rows, recent = metrics.timeline.recent
        coming = advanced(self.device, accounting.delay, last)
        cap = self.device.layout.cap
        horizons = [Horizon(ahead, cap, metrics.summary())]
        past: list[Point] = []
        if self._horizons:
            coming, past = coming[-1:], ending(metrics, 0)
            stream = CachedStream(self.stream)
            for shorter in self._horizons[-2::-1]:
                one = Replay(shorter.of_rows(stream, on=None))
                result = one.run(beside_clean=False, should_stop=should_stop)
                outlook = result.outlook
                if outlook is None:
                    break
                coming += outlook.future[-1:]
                past += ending(result.metrics, ahead - shorter.rows_ahead)
                horizons += outlook.horizons
            coming.reverse()
            past.reverse()
            horizons.reverse()
        period, last_time = self._period or accounting.cadence.period, accounting.cadence.last
        shown = rows, recent[:, 0]
        return Outlook(period, last_time, self._season, horizons, shown, past, coming)

    def _open_others(self) -> None:
        """Open the streams that are read besides the replay's own, or after it.

        Raises SimulatorError: they cannot be read, or read again.
        """
        config, stream = self.config, self.stream
        again = {"train-rows": config.train_rows, "group": config.group, "path": config.path}
        option = next((name for name, value in again.items() if value), "")
        if option and stream.kept is not None:
            raise SimulatorError(
                f"{option} needs a stream that can be read again: {stream.name} is live"
            )
        if config.group is not None:
            self.groups = groups_of(config, config.group)
        if config.test is not None:
            target = config.target or stream.target
            # Its further columns are not read.
            other = replace(config, stream=config.test, target=target, ignore=(), faults=())
            self._other = Reordered(opened(other), stream.features)

    def run(
        self,
        *,
        on_rows: Callable[[int], object] | None = None,
        should_stop: Callable[[], bool] | None = None,
        beside_clean: bool = True,
        ranked: bool = True,
        on_result: OnResult | None = None,
    ) -> ReplayResult:
        """Replay the stream.

        Parameters
        ----------
        on_rows : callable, optional
            Called with the number of rows of each block that was read, for a progress bar.
        should_stop : callable, optional
            Asked before each row; True ends the replay, and the result says "interrupted".
        beside_clean : bool
            Whether to also replay a stream with faults without them, compare the learner with a
            copy frozen after the first rows, and rank its inputs.
        ranked : bool
            Whether to rank the inputs.
        on_result : callable, optional
            Called with the `metrics.batch.Batch` of each block as soon as it is learned: its
            ``rows`` are the records that ``--record`` writes. An exception ends the replay.

        Returns
        -------
        ReplayResult
            Also if the replay ended early: see its ``status``.

        Raises
        ------
        SimulatorError
            The stream is damaged, or no row of it could be used.
        """
        with warnings.catch_warnings():
            # The library counts what it warns of, and the report shows it.
            warnings.simplefilter("ignore", UserWarning)
            accounting = Accounting(
                *(self.config, self.stream, self.device),
                with_frozen=beside_clean,
                ranked=beside_clean and ranked,
                on_result=on_result,
            )
            return self._run(accounting, on_rows, should_stop, beside_clean)

    def _run(
        self,
        accounting: Accounting,
        on_rows: Callable[[int], object] | None,
        should_stop: Callable[[], bool] | None,
        beside_clean: bool,
    ) -> ReplayResult:
        started = time.perf_counter()
        with frozen_gc() if self.stream.kept is not None else nullcontext():
            status, detail = self._feed(accounting, on_rows, should_stop)
        seconds = time.perf_counter() - started
        if accounting.stopped:
            status, detail = "stopped", accounting.stopped
        # Figures of a part of the stream cannot be compared with those of the complete stream.
        complete = beside_clean and status == "complete"
        holds_out = complete and self.config.holds_out
        held_out = self._held_out(accounting.metrics, should_stop) if holds_out else None
        clean = self._without_faults(should_stop) if complete else None
        if accounting.rows.used == 0 and status == "complete":
            raise StreamError(nothing_usable(self.stream, accounting.rows))
        learner = self.device.counters()
        inputs = self._inputs(accounting)
        outlook = self._outlook(accounting, status, should_stop)
        return ReplayResult(
            config=self.config,
            stream=self.stream,
            layout=self.device.layout,
            width=self.width,
            rows=accounting.rows,
            metrics=accounting.metrics,
            learner=learner,
            seconds=seconds,
            status=status,
            detail=detail,
            enforcement=self.device.enforcement,
            peak_resident=self.device.peak_resident,
            warnings=accounting.warnings(),
            left_out=accounting.left_out,
            labels=self.device.supervision.counts,
            power=None if accounting.power is None else accounting.power.counts,
            timing=self._timing(),
            period=self.config.period or accounting.cadence.period,
            elapsed=self._elapsed(accounting),
            clean=clean,
            emulated=self._emulated(status),
            alarms=accounting.alarms,
            frozen=None if accounting.twin is None else accounting.twin.result(),
            held_out=held_out,
            outlook=outlook,
            times=self._times(accounting),
            inputs=inputs,
            row=str(self.device.row.kind),
            n_inexact=self.device.row.n_inexact,
        )

    def _feed(
        self,
        accounting: Accounting,
        on_rows: Callable[[int], object] | None,
        should_stop: Callable[[], bool] | None,
    ) -> tuple[str, str]:
        """Feed the rows to the device; return the final status and its reason."""
        source = self._source
        # A caller may have put other rows in place of the source's.
        stream = source.once if self.stream is source.stream else self.stream
        feed = BlockFeed(self.config, stream, accounting, on_rows, should_stop)
        detail, read = "", 0  # rows that were read, if the replay ends early
        try:
            detail = feed.run()
            # The row at which `should_stop` returned True was read.
            read = accounting.rows.read + bool(detail) if detail or accounting.stopped else 0
            return ("interrupted", detail) if detail else ("complete", "")
        except (BeyondCapError, LearnerDiedError) as error:
            first, read = accounting.current_rows
            status = "killed" if isinstance(error, BeyondCapError) else "died"
            return status, f"rows {first} to {read}: {error}"
        finally:
            if read and isinstance(self.stream, FaultyStream) and self.stream.kept is None:
                self.stream.recount(read)
            self.device.close()
            self._source.close()

    def _held_out(self, metrics: Metrics, should_stop: Callable[[], bool] | None) -> HeldOut | None:
        """Return the errors on rows that the learner does not learn from."""
        config, device = self.config, self.device
        found = []
        if config.train_rows is not None:
            later, after = Later(self.stream, config.train_rows), config.train_rows
            found.append(measured(config, device, metrics, f"rows after {after:,}", later))
        if self._other is not None:
            with closing(self._other):
                test = replace(config, limit=None)
                found.append(measured(test, device, metrics, self._other.name, self._other))
        if self.groups is not None:
            found += self.by_group(should_stop)
            if len(found) < len(self.groups.names):  # interrupted
                return None
        return held_out(found, metrics)

    def new_metrics(self) -> Metrics:
        """Return metrics of no rows."""
        return self.config.label_kind.metrics(Cadence())

    def by_group(
        self, should_stop: Callable[[], bool] | None = None
    ) -> Iterator[tuple[Part, list[Batch]]]:
        """Yield the errors on each group of a learner of all others, up to an interruption.

        The replay itself need not be run.

        Raises
        ------
        SimulatorError
            If a learner stops before the end of the others' rows.
        """
        assert self.groups is not None
        names, groups = self.groups
        plain: dict[str, Any] = {"group": None, "limit": None, "leak": 0, "on": None}
        for at, name in enumerate(names):
            others = Selected(self.stream, (groups != at) & (groups >= 0))
            # The learner of all rows, with its defaults.
            config = self.config.pinned().of_rows(others, target=None, ignore=(), **plain)
            one = Replay(config)
            result = one.run(beside_clean=False, should_stop=should_stop)
            if result.status == "interrupted":
                return
            if result.status != "complete":
                raise SimulatorError(f"without group {name or '(empty)'}: {result.detail}")
            rows = Selected(self.stream, groups == at)
            yield measured(config, one.device, result.metrics, name or "(empty)", rows)

    def _emulated(self, status: str) -> Emulated | None:
        return self._board.run() if self._board is not None and status == "complete" else None

    def _inputs(self, accounting: Accounting) -> dict[str, float]:
        if accounting.sampled is None:
            return {}
        found = self.device.inputs(accounting.sampled.rows)
        return {self.stream.features[place]: share for place, share in found.items()}

    def _times(self, accounting: Accounting) -> RowTimes | None:
        times = accounting.times
        times.period = accounting.cadence.seconds_per_row or math.nan
        is_increasing = not accounting.cadence.warning()
        return times if self.clean.is_dated and is_increasing else None

    def _elapsed(self, accounting: Accounting) -> float | None:
        given = self.config.period
        return accounting.rows.read * given if given else accounting.cadence.elapsed

    def _timing(self) -> Timing | None:
        if self.config.device is None:
            return None
        n_features = len(self.stream.features)
        held = self.device.counters().get("n_remembered", 0)
        return timing(board_of(self.config.device), self.device.plan, n_features, int(held))

    def _without_faults(self, should_stop: Callable[[], bool] | None) -> Figures | None:
        """Return the learner's figures on the rows without faults; None if not possible."""
        if not self.config.faults or self.stream.kept is not None:
            return None
        changes: dict[str, Any] = {"leak": 0, "frozen_after": 0, "on": None}
        changes |= {"test": None, "group": None, "path": False}
        complete = Replay(self.config.of_rows(self.clean, **changes))
        result = complete.run(should_stop=should_stop)
        return result.metrics.summary()["learner"] if result.status == "complete" else None

    def _prefix(self) -> Row:
        """Return the first usable rows, scaled, from a separate pass.

        Without faults: sensors are intact when a board is flashed.
        """
        kept: list[Row] = []
        wanted = self.config.prefix
        for block in checked(self.config, self.clean, None):
            complete = block.block.rows[~(block.absent | block.damaged)]
            kept += [complete[: wanted - sum(map(len, kept))]] if len(complete) else []
            if sum(map(len, kept)) == wanted:
                break
        if not kept:
            raise StreamError(f"{self.stream.name}: no row has a value in every column")
        return scaled_prefix(self.config, np.concatenate(kept))


@contextmanager
def frozen_gc() -> Iterator[None]:
    """Exclude existing objects from garbage collection: a full collection takes 20 ms."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def replay(config: ReplayConfig | Any, **options: Any) -> ReplayResult:
    """Replay a stream through the firmware loop under the cap.

    Page: docs/tutorial.md.

    Parameters
    ----------
    config : ReplayConfig, str, path, Stream, or pandas or polars DataFrame
        What to replay: a configuration, or the stream of one.
    **options
        With a stream: the other fields of its configuration. Target and kind of labels are found as
        on the command line if you name neither and the stream leaves no doubt.

    Returns
    -------
    ReplayResult
        For `report.write_report`, `report.to_dict` or `report.to_text`; notebooks show it.

    Raises
    ------
    DoesNotFitError
        The parts do not fit the cap.
    SimulatorError
        The configuration or the stream cannot be replayed.
    TypeError
        A configuration and options.

    Examples
    --------
    >>> import firmware_sim as fs
    >>> result = fs.replay("occupancy", ram="16KiB", limit=200)
    >>> result.rows.used
    200
    """
    if isinstance(config, ReplayConfig):
        if options:
            raise TypeError(
                "options belong to a stream: dataclasses.replace changes a ReplayConfig"
            )
        return Replay(config).run()
    config, found = configured(config, options)
    run = Replay(config, live=found.live)
    notes_of(run.clean, found.notes)
    return run.run()
