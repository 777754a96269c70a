"""Where the rows of a replay come from: the only place that opens a stream, for every command.

A log becomes rows in this order: its cells are read, its rows of a period are joined, its samples
are put together as windows, its faults are applied. What the rows then settle of the options (the
classes that occur, a horizon in rows) is found here too. A command that replays the same rows
several times holds them, and `ReplayConfig.of_rows` is the configuration of each of these replays.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.configuration.values import seconds_of
from firmware_sim.errors import StreamError
from firmware_sim.replaying.checked import label_counts
from firmware_sim.replaying.forecast import resolved
from firmware_sim.streams import Stream, open_stream
from firmware_sim.streams.block import Places
from firmware_sim.streams.cached import CachedStream
from firmware_sim.streams.cadence import even_steps
from firmware_sim.streams.faults import parse
from firmware_sim.streams.faulty import FaultyStream
from firmware_sim.streams.joined import Joined
from firmware_sim.streams.live import LiveStream
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.streams.windowed import Windowed

#: Samples whose times tell their rate, and what a gap is.
_TIMED = 10_000
#: The options of the samples in windows.
WITHOUT_WINDOWS: dict[str, Any] = {
    name: OPTIONS[name].default
    for name in ("window", "hop", "features", "rate", "envelope", "window_label")
}


class Source:
    """The rows that a configuration names, opened.

    config: the configuration, without what `resolve` finds.
    live: its stream, if it comes only once and was looked at already.
    cached: whether rows are held in memory after the first pass.
    clean: the rows without faults.
    stream: the rows, with faults if there are any.
    once: the rows as the replay takes them: held in memory if they were read for their classes and
        are not too many.

    Raises StreamError: there is no such stream, or its columns do not match the configuration.
    """

    def __init__(
        self, config: ReplayConfig, live: LiveStream | None = None, *, cached: bool = False
    ) -> None:
        self._is_own = not isinstance(config.stream, Stream)
        stream = opened(config, live)
        self.stream = CachedStream(stream) if cached else stream
        self.clean, self.once = self.stream.clean, self.stream
        if not config.faults:
            return
        try:
            seed = config.seed if config.fault_seed is None else config.fault_seed
            self.stream = FaultyStream(self.clean, [parse(one) for one in config.faults], seed)
        except BaseException:
            self.close()
            raise
        self.stream = CachedStream(self.stream) if cached else self.stream
        self.once = self.stream

    def close(self) -> None:
        """Close the stream if it was opened here; a given one belongs to the caller."""
        self.once = self.stream  # what was held
        if self._is_own:
            self.clean.close()

    def resolve(
        self, config: ReplayConfig, *, has_all_labels: bool = True
    ) -> tuple[ReplayConfig, str, float | None]:
        """Return a configuration with what the rows settle: classes, horizon and season in rows.

        has_all_labels: False for a part of a stream, which need not have the positive label.

        Returns the season with its reason, and the seconds between rows; None if unknown.
        Raises SimulatorError: the positive label never occurs, there are too few or too many
        classes, or a time cannot be expressed in rows.
        """
        if config.positive is not None and has_all_labels and self.stream.kept is None:
            self._find_positive(config, config.positive)
        if config.label_kind.takes_classes and not config.classes:
            config = self._with_classes(config)
        if config.forecast is None:
            return config, "", config.period
        return resolved(config, self.clean)

    def _find_positive(self, config: ReplayConfig, positive: str) -> None:
        """Raise StreamError if the positive label never occurs."""
        labels = config.label_kind.labels()
        for block in self.stream.blocks():
            for word, times in label_counts(block):
                label = labels.value(word)
                if label == 1:
                    return
                labels.tally(word, label, times)
        if never := labels.never_message(positive, self.stream.target):
            raise StreamError(f"{self.stream.name}: {never}")

    def _with_classes(self, config: ReplayConfig) -> ReplayConfig:
        """Return the configuration with the classes of the stream, found in a separate pass."""
        if self.stream.kept is not None:
            raise StreamError(f"{self.stream.name}: name the classes with --classes A,B,C")
        held = CachedStream(self.clean)
        if self.stream is self.clean:
            self.once = held
        cells = (word for block in held.blocks() for word, _ in label_counts(block))
        try:
            return replace(config, classes=config.label_kind.found_classes(cells))
        except StreamError as error:
            where = f"{self.stream.name}: column {self.stream.target!r}"
            raise StreamError(f"{where}: {error}") from None


def opened(
    config: ReplayConfig, live: LiveStream | None = None, *, group: str | None = None
) -> Stream:
    """Open the stream that a configuration names, without its faults.

    Options with the name of a field of `ReadingOptions` are passed on to it.

    live: that stream, if it comes only once and was looked at already.
    group: a column that windows do not cross, besides `config.group`.

    Raises StreamError: there is no such stream, or its columns do not match the configuration.
    """
    names = (one.name for one in fields(ReadingOptions) if one.name in OPTIONS)
    options = {name: getattr(config, name) for name in names}
    options |= {
        "labelled": config.label_kind.is_supervised,
        "absent": config.missing_words,
        "ignore": config.ignore if config.group is None else (*config.ignore, config.group),
        "alone": config.label_kind.is_numeric,
    }
    is_windowed = isinstance(config.stream, Stream) and config.stream.windows is not None
    if config.windows is not None and not is_windowed:
        samples = opened(replace(config, **WITHOUT_WINDOWS), live)
        group = group or config.group
        cuts = None if group is None else changes_of(config, group)
        rate, gap = _timing_of(samples)
        rate = config.rate or rate
        try:
            windows = ek.Windows(len(samples.features), **{**config.windows, "rate": rate})
        except ValueError as error:
            raise StreamError(f"{samples.name}: {error}") from None
        codes = config.missing_numbers
        return Windowed(samples, windows, config.window_label, cuts, gap, codes)
    if config.every is not None:
        rows = opened(replace(config, every=None), live)
        every, has_numbers = seconds_of(config.every, "every"), config.label_kind.is_numeric
        return Joined(
            rows, every, config.join, config.missing_numbers, has_numbers=has_numbers
        )
    if live is not None:
        live.read_as(ReadingOptions(**options))
        return live
    return open_stream(config.stream, idle=config.idle, **options)


def _timing_of(samples: Stream) -> tuple[float, float]:
    """Return the samples a second by their times, and what seconds between two a gap exceeds.

    The rate has four digits; it is 1 if unknown, or if fewer.
    """
    blocks = samples.blocks(_TIMED) if samples.kept is None else ()
    step, gap = even_steps(np.concatenate([np.zeros(0), *(block.seconds for block in blocks)]))
    rate = 1.0 / step if step else 0.0
    return float(f"{rate:.4g}") if rate > 1.0 else 1.0, gap


def changes_of(config: ReplayConfig, group: str) -> Places:
    """Return the numbers of the rows of a log whose group differs from that of the row before."""
    ignored = tuple(name for name in config.ignore if name != group)
    plain = {**WITHOUT_WINDOWS, "group": None, "classes": (), "params": {}, "kind": ""}
    keys = opened(replace(config, target=group, ignore=ignored, positive=None, **plain))
    known: dict[str, int] = {}
    found = []
    for block in keys.blocks():
        words = [known.setdefault(word, len(known)) for word in block.labels.words]
        found.append(np.array(words, dtype=np.int64)[block.labels.places])
    keys.close()
    return np.flatnonzero(np.diff(np.concatenate(found))) + 2 if found else np.zeros(0, np.int64)
