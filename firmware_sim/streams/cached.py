"""A stream whose rows stay in memory, so that several replays parse it once."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_sim.streams.stream import Row, Sample, Stream

#: Numbers that are kept at most, of eight bytes each; a longer stream is read again.
MOST = 1 << 23


class CachedStream(Stream):
    """Another stream, its rows kept at the end of the first whole reading.

    stream: one that can be read again and again.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.name, self.target, self.features = stream.name, stream.target, stream.features
        self.ignored, self.notes = stream.ignored, stream.notes
        self.local_times = stream.local_times
        self._held: list[tuple[Row, Sample]] | None = None

    def samples(self, row: Row) -> Iterator[Sample | None]:
        """Yield the rows in order; see `Stream.samples`."""
        if self._held is not None:
            for numbers, sample in self._held:
                row[:] = numbers
                yield sample
            return
        held: list[tuple[Row, Sample]] = []
        room = True
        for one in self._stream.samples(row):
            if room and one is not None:
                held.append((row.copy(), one))
                room = len(held) * len(row) < MOST
            yield one
        self._held = held if room else None

    def count(self) -> int | None:
        """Return the number of rows."""
        return self._stream.count() if self._held is None else len(self._held)

    def close(self) -> None:
        """Let go of the stream, and of what was kept."""
        self._held = None
        self._stream.close()
