"""Streams that keep their rows in memory, so that several replays parse them only once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from firmware_sim.streams.block import Block
from firmware_sim.streams.stream import BlockStream, Stream
from firmware_sim.streams.tally import Tally

#: Most numbers kept in memory, eight bytes each; a longer stream is parsed in every replay.
MAX_NUMBERS = 1 << 23


class HeldStream(BlockStream):
    """The rows of a stream, held in memory.

    stream: where the rows come from; it is not read again.
    held: the rows.
    log: the rows that these were made of, counted; None if these are as they are logged.
    """

    def __init__(self, stream: Stream, held: Sequence[Block] | None) -> None:
        self.describe_as(stream)
        self.notes = stream.notes
        self.log = log_of(stream)
        self._held = held

    def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows after row `number`; see `Stream.blocks_after`."""
        end = None if limit is None else number + limit
        for block in self._blocks():
            first, last = block.first - 1, block.first - 1 + len(block)
            stop = last if end is None else min(last, end)
            if stop > max(first, number):
                is_complete = first >= number and stop == last
                yield block if is_complete else block.part(max(0, number - first), stop - first)
            if end is not None and last >= end:
                return

    def _blocks(self) -> Iterable[Block]:
        return self._held or ()

    def count(self) -> int | None:
        """Return the number of rows."""
        return sum(map(len, self._held or ()))

    def close(self) -> None:
        """Release the rows."""
        self._held = None


class CachedStream(HeldStream):
    """A stream that caches the rows of another one after the first complete pass.

    stream: must be readable any number of times.
    """

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream, None)
        self._stream = stream

    @property
    def clean(self) -> Stream:
        """The same stream without sensor faults."""
        return self if self._stream.clean is self._stream else self._stream.clean

    def _blocks(self) -> Iterator[Block]:
        if self._held is not None:
            yield from self._held
            return
        held: list[Block] | None = []
        numbers = 0
        for block in self._stream.blocks():
            numbers += block.rows.size
            if numbers >= MAX_NUMBERS:
                held = None
            if held is not None:
                held.append(replace(block, text=None))
            yield block
        self._held = held

    def count(self) -> int | None:
        """Return the number of rows."""
        return self._stream.count() if self._held is None else super().count()

    def close(self) -> None:
        """Close the stream and release its cached rows."""
        super().close()
        self._stream.close()


def log_of(stream: Stream) -> Tally | None:
    """Return the rows that those of a stream were made of; None if they are as they are logged."""
    clean = stream.clean
    return clean.log if isinstance(clean, HeldStream) else None
