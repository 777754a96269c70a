"""A stream of samples as a stream of windows: rows of features, each with a label."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import edgeolk as ek
from firmware_sim.errors import StreamError
from firmware_sim.plaintext import counted
from firmware_sim.streams.block import ROWS, Block, Cells, Places, Row
from firmware_sim.streams.cached import HeldStream
from firmware_sim.streams.stream import Stream
from firmware_sim.streams.tally import Tally

#: Which label a window has.
MAJORITY, LAST = "majority", "last"


@dataclass
class _Window:
    """The labels of the samples in the ring."""

    size: int
    labels: list[str] = field(default_factory=list)

    def add(self, label: str) -> None:
        self.labels.append(label)
        del self.labels[: -self.size]

    def of(self, how: str) -> str:
        """The label of most samples, at a tie the one that came first; or that of the last."""
        if how == LAST:
            return self.labels[-1]
        return max(dict.fromkeys(self.labels), key=self.labels.count)


class Windowed(HeldStream):
    """The rows of features of a stream's windows.

    samples: the stream.
    windows: new ones, with as many channels as it has readings.
    how: "majority" or "last", the label of a window.
    cuts (ndarray of int64): numbers of the samples that begin a new window, as those of another
        machine do.
    gap: seconds; samples with more than this between them are not in one window.
    codes: numbers that mean "missing".

    A missing reading, or a sample that is damaged or refused, is a gap too: the window begins
    again.

    Raises StreamError: no window is complete.
    """

    def __init__(
        self,
        samples: Stream,
        windows: ek.Windows,
        how: str,
        cuts: Places | None = None,
        gap: float = math.inf,
        codes: Sequence[float] = (),
    ) -> None:
        if samples.kept is not None:
            raise StreamError(
                f"window needs a stream that can be read again: {samples.name} is live"
            )
        plan = windows.plan
        self.gaps = self.gaps_in_time = 0
        self._gap = gap
        begins = set() if cuts is None else {*cuts.tolist()}
        tally = Tally(samples, codes)
        found = list(self._rows(tally, windows, how, begins))
        if not found:
            raise StreamError(
                f"{samples.name}: no {plan.size} samples in a row are without a gap, as window asks"
            )
        super().__init__(samples, tuple(_blocks(found)))
        self.log = self.log or tally
        samples.close()
        self.windows = plan
        self.features = tuple(_named(name, samples.features) for name in windows.names)
        both = self.gaps + self.gaps_in_time
        gaps = f", begun again after {counted(both, 'gap')}" if both else ""
        gaps += f", {self.gaps_in_time:,} of them in time" if self.gaps_in_time else ""
        rate = plan.options["rate"]
        rate = "" if rate == 1.0 else f", {rate:g} samples a second"
        self.notes = (
            *samples.notes,
            f"windows of {plan.size} samples, a row of {plan.n_features} features every"
            f" {plan.hop}{', envelope' if plan.envelope else ''}{gaps}{rate}",
        )

    def _rows(
        self, samples: Tally, windows: ek.Windows, how: str, cuts: set[int]
    ) -> Iterator[tuple[Row, str, float]]:
        """The row, label and time of each window."""
        window, last = _Window(windows.plan.size), math.nan
        for block in samples.blocks():
            words, places = block.labels.words, block.labels.places.tolist()
            for at, sample in enumerate(_as(block.rows, windows.plan.dtype)):
                seconds = float(block.seconds[at])
                is_late = abs(seconds - last) > self._gap
                last = last if math.isnan(seconds) else seconds
                if block.first + at in cuts or is_late:
                    self.gaps_in_time += block.first + at not in cuts
                    windows.restart()
                try:
                    is_bad = at in block.damage or not np.isfinite(block.rows[at]).all()
                    row = None if is_bad else windows.feed_one(sample)
                except ValueError:
                    is_bad = True
                if is_bad:
                    self.gaps += 1
                    windows.restart()
                    continue
                window.add(words[places[at]])
                if row is not None:
                    yield row.astype(np.float64), window.of(how), seconds

    def close(self) -> None:
        """Nothing: the rows are held."""


def _named(feature: str, channels: tuple[str, ...]) -> str:
    """Return the name of a feature with the names of its channels: x_rms for c0_rms."""
    found = re.match(r"(?:c\d+_)+", feature)
    assert found is not None
    numbers = re.findall(r"\d+", found[0])
    return "_".join([*(channels[int(number)] for number in numbers), feature[found.end() :]])


def _as(rows: Row, dtype: str) -> Any:
    """Readings in the type of the windows.

    Raises StreamError: they are to be integers, and are not.
    """
    if dtype == "float32":
        with np.errstate(over="ignore"):  # a sample beyond the type is a gap
            return rows.astype(np.float32)
    known = np.where(np.isfinite(rows), rows, 0.0)
    if np.any(known != np.rint(known)) or np.any(np.abs(known + 0.5) > 32768):
        raise StreamError(
            "windows of int16 need readings that are integers from -32768 to 32767, as a sensor "
            "delivers them: scale the log, or leave out --row int16"
        )
    return known.astype(np.int16)


def _blocks(found: list[tuple[Row, str, float]]) -> Iterator[Block]:
    for first in range(0, len(found), ROWS):
        rows, labels, seconds = zip(*found[first : first + ROWS], strict=True)
        yield Block(first + 1, np.array(rows), Cells.of(labels), np.array(seconds))


def windows_of_rows(n_features: int, **options: Any) -> ek.WindowsPlan:
    """Return the plan of windows with rows of so many numbers.

    Raises ValueError: no number of channels gives such rows.
    """
    for channels in range(1, 65):
        try:
            plan = ek.windows_plan(channels, **options)
        except ValueError:
            if channels > 1:
                raise
            continue  # a correlation needs two
        if plan.n_features == n_features:
            return plan
    raise ValueError(f"no windows have rows of {n_features} numbers")
