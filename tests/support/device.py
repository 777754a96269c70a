"""A storage device on which the power fails: after any byte, before or after any sync.

Data written since the last sync may be on the device or not, sector by sector and in any order.
A sector being written when the power fails may be torn, zeroed or full of garbage.

If a process dies and the power stays on, its data is in the cache: another process reads it
there, and a later cut drops or tears the pending data of both alike.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from edgeolk.files.media import Arrangement

Piece = bytes | bytearray | memoryview


class PowerCut(Exception):  # noqa: N818
    """The end of this run."""


class Device:
    """A medium of the two-slot store, in memory.

    Time is counted in ticks: one for each byte that a write accepts, one for the call itself, two
    for a sync (requested, done). At tick ``cut`` the power fails. Call number ``fail`` (writes and
    syncs are counted) raises ``error`` instead, a write after half of its bytes. ``cached`` is the
    data pending when another process died. A sync of a slot syncs its file only.
    """

    def __init__(
        self,
        image: Piece,
        slots: int = 2,
        sector: int = 512,
        cut: int = -1,
        fail: int = -1,
        error: int = 5,
        seed: int = 0,
        cached: Sequence[tuple[int, bytes]] = (),
    ) -> None:
        self.image = bytearray(image)
        self.slots = slots
        self.sector = sector
        self.cut, self.fail, self.error = cut, fail, error
        self.pending = list(cached)
        #: Whether anything was written, or made to last, in this run; when its calls ended.
        self.begun = False
        self.ends = [0]
        self.ticks = self.calls = self.bytes_written = 0
        #: Raise it for a store that lets go and comes back.
        self.claims = 1
        self.syncs_at: list[int] = []
        self._rng = random.Random(seed)
        self._capacity = len(self.image) // slots
        assert self._capacity % sector == 0

    # ---- what the store asks for ----------------------------------------------------------------

    def arrangement(self, taken: object, head: int) -> Arrangement:
        return Arrangement((), ())

    def use(self, slots: int) -> None:
        raise AssertionError(f"the device has {self.slots} slots")

    def capacity(self, slot: int) -> int:
        assert 0 <= slot < self.slots
        return self._capacity

    def claim(self) -> int:
        return self.claims

    def prepare(self, slot: int, need: int, mark: Piece, alone: bool) -> None:
        if need > self._capacity:
            raise ValueError("too small")

    def read_into(self, slot: int, offset: int, memory: memoryview) -> int:
        seen = self.applied(self.pending)
        start = slot * self._capacity + offset
        count = min(len(memory), self._capacity - offset)
        memory[:count] = seen[start : start + count]
        return count

    def write(self, slot: int, offset: int, piece: Piece) -> None:
        data = bytes(piece)
        assert offset >= 0
        assert offset + len(data) <= self._capacity, "a write beyond its slot"
        accepted, event = len(data), ""
        if self.calls == self.fail:
            accepted, event = len(data) // 2, "error"
        if 0 <= self.cut - self.ticks <= accepted:
            accepted, event = self.cut - self.ticks, "cut"
        self.calls += 1
        self.ticks += accepted + 1
        self.ends.append(self.ticks)
        self.begun = True
        if accepted:
            self.pending.append((slot * self._capacity + offset, data[:accepted]))
        self.bytes_written += accepted
        self._end(event)

    def sync(self, slot: int) -> None:
        self._sync(range(slot * self._capacity, (slot + 1) * self._capacity))

    def sync_all(self) -> None:
        self._sync(range(len(self.image)))
        self.begun = True

    def _sync(self, where: range) -> None:
        event = "error" if self.calls == self.fail else ""
        self.calls += 1
        if self.cut == self.ticks:
            self._end("cut")
        rest = [unit for unit in self.pending if unit[0] not in where]
        units = [unit for unit in self.units() if unit[0] in where]
        if event:
            # Some of it is there, and nothing will say again which.
            units = [unit for unit in units if self._rng.random() < 0.5]
        self.image = self.applied(units)
        self.pending = rest
        if event:
            self._end(event)
        self.syncs_at.append(self.calls)
        self.ticks += 2
        self.ends.append(self.ticks)
        if self.cut == self.ticks - 1:
            self._end("cut")

    def close(self) -> None:
        pass

    def _end(self, event: str) -> None:
        if event == "cut":
            raise PowerCut
        if event == "error":
            raise OSError(self.error, "the device failed")

    # ---- what is left after a cut ----------------------------------------------------------------

    def applied(self, units: list[tuple[int, bytes]]) -> bytearray:
        image = bytearray(self.image)
        for start, data in units:
            image[start : start + len(data)] = data
        return image

    def units(self) -> list[tuple[int, bytes]]:
        """Pending data, in pieces of at most one sector."""
        found = []
        for start, data in self.pending:
            while data:
                count = self.sector - start % self.sector
                found.append((start, data[:count]))
                start, data = start + count, data[count:]
        return found

    def remains(self, garble: bool = True, most: int = 24) -> Iterator[bytearray]:
        """Images that a cut may leave: every subset of few sectors, samples of many."""
        units = self.units()
        if 2 ** len(units) <= most:
            chosen = [
                list(c) for n in range(len(units) + 1) for c in itertools.combinations(units, n)
            ]
        else:
            chosen = [[], units, units[:1], units[1:], units[:-1], units[-1:], units[::2]]
            chosen += [[u for u in units if self._rng.random() < 0.5] for _ in range(most // 3)]
        for subset in chosen:
            yield self.applied(subset)
        if not (garble and units):
            return
        for start, _ in {units[0], units[-1]}:
            first = start - start % self.sector
            for kind in ("zeros", "ones", "noise", "torn"):
                image = self.applied(units)
                size = self.sector
                if kind == "torn":
                    half = first + self.sector // 2
                    image[half : first + size] = self.image[half : first + size]
                else:
                    filling = {"zeros": bytes(size), "ones": b"\xff" * size}
                    image[first : first + size] = filling.get(kind) or self._rng.randbytes(size)
                yield image
