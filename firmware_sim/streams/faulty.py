"""A stream with simulated sensor faults."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from firmware_sim.errors import SimulatorError
from firmware_sim.streams.faults import KINDS, Effect, Fault, Spread
from firmware_sim.streams.stream import Row, Sample, Stream

Rows = Iterator[Sample | None]

#: Most labels of a class column.
MAX_CLASSES = 256


def _same(cell: str, label: str) -> bool:
    """Whether a cell equals a label, as a word or as a number."""
    try:
        return float(cell) == float(label)
    except ValueError:
        return cell.strip() == label


class FaultyStream(Stream):
    """Another stream with faults, identical in every pass.

    clean: the stream without faults.
    faults: the faults, applied in this order; those of entire rows come last.
    seed: of the random generator.
    counts: rows changed by each fault in the last pass, in the order of `faults`.
    """

    def __init__(self, clean: Stream, faults: Sequence[Fault], seed: int = 0) -> None:
        self._clean = clean
        self.faults = tuple(faults)
        self.describe_as(clean)
        self.kept = clean.kept
        self._seed = seed
        self.counts = [0] * len(self.faults)
        self._effects()  # rejects unknown columns now

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """The notes of the clean stream."""
        return self.clean.notes

    @property
    def clean(self) -> Stream:
        """The stream without faults."""
        return self._clean

    def _effects(self) -> tuple[Spread, list[tuple[int, Fault, Effect]]]:
        spread = Spread(len(self.features))
        acts = [
            (at, fault, Effect(fault, self.features, spread, self._draws(at)))
            for at, fault in enumerate(self.faults)
            if not KINDS[fault.kind].of_rows
        ]
        return spread, acts

    def _draws(self, at: int) -> np.random.Generator:
        return np.random.default_rng((self._seed, at))

    def samples(self, row: Row) -> Rows:
        """Yield the rows in order; see `Stream.samples`. Numbers follow the output order."""
        self.counts = [0] * len(self.faults)
        rows = self._broken(row)
        ways: dict[str, Callable[[Rows, Row, int, Fault], Rows]] = {
            "duplicate": self._duplicated,
            "gap": self._gapped,
            "burst": self._held_back,
            "flip": self._flipped,
            "without": self._without,
        }
        for at, fault in enumerate(self.faults):
            if KINDS[fault.kind].of_rows:
                rows = ways[fault.kind](rows, row, at, fault)
        number = 0
        for sample in rows:
            if sample is None:
                yield None
                continue
            number += 1
            yield sample._replace(number=number)

    def _broken(self, row: Row) -> Rows:
        """Apply the column faults."""
        spread, acts = self._effects()
        for sample in self.clean.samples(row):
            if sample is None or sample.damage:
                yield sample
                continue
            spread.add(row)
            for at, fault, effect in acts:
                if fault.covers(sample.number):
                    self.counts[at] += effect.act(row, sample.number)
            yield sample

    def _duplicated(self, rows: Rows, row: Row, at: int, fault: Fault) -> Rows:
        rng = self._draws(at)
        for sample in rows:
            if sample is None or not fault.covers(sample.number):
                yield sample
                continue
            again = rng.random() < fault.options["p"]
            kept = row.copy() if again else row
            yield sample
            if again:
                row[:] = kept  # who took the first may have written to the buffer
                self.counts[at] += 1
                yield sample

    def _gapped(self, rows: Rows, row: Row, at: int, fault: Fault) -> Rows:
        rng = self._draws(at)
        left = 0
        for sample in rows:
            if sample is not None and fault.covers(sample.number):
                if left == 0 and rng.random() < fault.options["p"]:
                    left = int(fault.options["rows"])
                if left:
                    left -= 1
                    self.counts[at] += 1
                    continue
            yield sample

    def _flipped(self, rows: Rows, row: Row, at: int, fault: Fault) -> Rows:
        """Replace class labels by the next of the classes seen, in the order of their names."""
        rng = self._draws(at)
        seen: dict[str, None] = {}
        for sample in rows:
            if sample is None or sample.damage or not sample.label.strip():
                yield sample
                continue
            seen.setdefault(sample.label)
            if len(seen) > MAX_CLASSES:
                raise SimulatorError(f"fault flip: {self.target} has too many labels for classes")
            if fault.covers(sample.number) and rng.random() < fault.options["p"]:
                names = sorted(seen)
                other = names[(names.index(sample.label) + 1) % len(names)]
                self.counts[at] += 1
                yield sample._replace(label=other)
                continue
            yield sample

    def _without(self, rows: Rows, row: Row, at: int, fault: Fault) -> Rows:
        """Drop rows of one class."""
        rng = self._draws(at)
        for sample in rows:
            if (
                sample is not None
                and fault.covers(sample.number)
                and _same(sample.label, fault.label)
                and rng.random() < fault.options["p"]
            ):
                self.counts[at] += 1
                continue
            yield sample

    def _held_back(self, rows: Rows, row: Row, at: int, fault: Fault) -> Rows:
        """Delay some rows, then yield them all with the time of the last one."""
        rng = self._draws(at)
        held: deque[tuple[Sample, Row]] = deque()
        left = 0
        for sample in rows:
            if sample is None:
                yield None
                continue
            if left == 0 and fault.covers(sample.number) and rng.random() < fault.options["p"]:
                left = int(fault.options["rows"])
            if left == 0:
                yield sample
                continue
            left -= 1
            held.append((sample, row.copy()))
            if left == 0:
                yield from self._given(held, row, at)
        yield from self._given(held, row, at)

    def _given(self, held: deque[tuple[Sample, Row]], row: Row, at: int) -> Rows:
        seconds = held[-1][0].seconds if held else 0.0
        while held:
            sample, values = held.popleft()
            row[:] = values
            self.counts[at] += 1
            yield sample._replace(seconds=seconds)

    def recount(self, rows: int) -> None:
        """Recompute `counts` for exactly this many rows; blocks may have been read beyond them."""
        row = np.empty(len(self.features))
        for _ in islice((sample for sample in self.samples(row) if sample is not None), rows):
            pass

    def count(self) -> int | None:
        """Return the number of rows, None if a fault changes it."""
        changed = any(fault.kind in ("duplicate", "gap", "without") for fault in self.faults)
        return None if changed else self.clean.count()

    def close(self) -> None:
        """Close the clean stream."""
        self.clean.close()
