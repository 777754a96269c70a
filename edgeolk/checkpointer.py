"""Checkpoints of learners and scalers while they learn, safe against power cuts.

Guarantees and layout on the medium: ``docs/checkpoints.md``.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from edgeolk.checks import check_int, check_real
from edgeolk.configuration.header import MAX_HEADER_BYTES
from edgeolk.configuration.plan import parse_bytes
from edgeolk.errors import unknown_attribute
from edgeolk.files.media import MAX_SLOTS, medium_at
from edgeolk.files.slots import Opened, Part, Slots
from edgeolk.learner import Learner
from edgeolk.loading import named
from edgeolk.named import NamedLearner
from edgeolk.scaling import RunningScaler
from edgeolk.scaling.block import check_start

#: Classes of objects in checkpoints, by their numbers in files: append, never renumber.
KINDS: dict[int, type[Any]] = {1: Learner, 2: RunningScaler}
#: The kind of an entry with the names of the learner before it.
_NAMES = 3
#: The maximum number of bytes of names.
_MAX_NAMES = 1 << 24
_COUNT = struct.Struct("<Q")
#: Kind and size of each saved object; the bytes of the objects follow, in the same order.
_ENTRY = struct.Struct("<QQ")
#: No counter exceeds this.
MAX_EVERY = 2**62


def _parts(what: Any) -> tuple[Any, ...]:
    parts = tuple(what) if isinstance(what, (tuple, list)) else (what,)
    for part in parts:
        if not isinstance(part, tuple(KINDS.values())):
            raise TypeError(
                "a checkpoint holds a Learner, a RunningScaler, or a tuple of these, got"
                f" {type(part).__name__}"
            )
    if not parts:
        raise ValueError("there is nothing to write: the checkpoint would be empty")
    return parts


def _saved(part: Any) -> bytes | bytearray:
    """The bytes that ``save`` would write."""
    if isinstance(part, Learner):
        return part._sealed()
    saved: bytes = part.__reduce__()[1][0]
    return saved


def _pieces(parts: tuple[Any, ...]) -> list[bytes | bytearray]:
    """A table, then the bytes that ``save`` would write of each object."""
    entries: list[tuple[int, bytes | bytearray]] = []
    for part in parts:
        kind = next(n for n, kind in KINDS.items() if isinstance(part, kind))
        entries.append((kind, _saved(part)))
        if isinstance(part, NamedLearner):
            entries.append((_NAMES, part._about().encode()))
    table = [_ENTRY.pack(kind, len(data)) for kind, data in entries]
    return [_COUNT.pack(len(entries)), *table, *(data for _, data in entries)]


def _entries(length: int, part: Part) -> Iterator[tuple[int, int, int]]:
    """Yield kind, offset and size of each object in a payload, read in pieces by ``part``.

    Raises ValueError: its table contradicts its length; earlier objects have been yielded by then.
    """
    if length < _COUNT.size:
        raise ValueError(f"{length} bytes hold no objects")
    (count,) = _COUNT.unpack(part(0, _COUNT.size))
    at = _COUNT.size + count * _ENTRY.size
    if count < 1 or at > length:
        raise ValueError(f"{count} objects claimed in {length} bytes")
    before = 0
    for i in range(count):
        kind, size = _ENTRY.unpack(part(_COUNT.size + i * _ENTRY.size, _ENTRY.size))
        is_valid = before == 1 and size <= _MAX_NAMES if kind == _NAMES else kind in KINDS
        if not is_valid or size > length - at:
            raise ValueError(f"an object of kind {kind} and {size} bytes is invalid")
        yield kind, at, size
        before = kind
        at += size
    if at != length:
        raise ValueError(f"{length - at} bytes are left over")


def _bytes_left(max_bytes: int | None, taken: int) -> int | None:
    """The memory left for further objects; None for no limit."""
    return None if max_bytes is None else max(0, max_bytes - taken)


def _check_payload(length: int, part: Part, max_bytes: int | None = None) -> None:
    """Check a payload by its table and the start of each object, before memory is allocated.

    Raises ValueError: it is not valid, or its objects take more than ``max_bytes``.
    """
    from edgeolk.files import restore

    for kind, at, size in _entries(length, part):
        if kind == _NAMES:
            continue
        check = restore.check_start if KINDS[kind] is Learner else check_start
        taken = check(part(at, min(size, MAX_HEADER_BYTES)), size, max_bytes)
        max_bytes = _bytes_left(max_bytes, taken)


def _decoded(payload: bytearray, max_bytes: int | None = None) -> Any:
    """The object or the tuple of objects in a payload, checked as ``load`` checks a file.

    Raises ValueError: it is not valid, or its objects take more than ``max_bytes``.
    """
    from edgeolk.files import restore

    parts: list[Any] = []
    view = memoryview(payload)
    for kind, at, size in _entries(len(payload), lambda at, n: bytes(view[at : at + n])):
        data = view[at : at + size]
        if kind == _NAMES:
            parts[-1] = named(parts[-1], bytes(data))
            continue
        if KINDS[kind] is Learner:
            parts.append(Learner._over(*restore.from_bytes(data, max_bytes)))
        else:
            parts.append(KINDS[kind]._from_block(bytes(data)))
        max_bytes = _bytes_left(max_bytes, parts[-1].nbytes)
    return parts[0] if len(parts) == 1 else tuple(parts)


def _progress(parts: tuple[Any, ...]) -> int:
    """The largest number of examples that any of the objects has seen."""
    return max(part.steps if isinstance(part, Learner) else part.n_seen for part in parts)


class Checkpointer:
    """Keeps checkpoints in alternating slots, so that a power cut never loses the newest one.

    Page: docs/checkpoints.md.

    Parameters
    ----------
    place : str, bytes, path-like, or writable buffer
        An existing folder (with a file per slot), an existing or new file, a block device, or
        memory: battery-backed, or a mapped file.
    every : int or None
        ``step`` writes when that many examples have been learned since the last checkpoint.
    seconds : float, optional
        ... or after this many seconds, if something has been learned.
    slots : int, optional
        Of a new place: 2 to 64, 2 by default. More slots spread the wear of flash memory. An
        existing place has the number with which it was written; another one is rejected.
    clock : callable
        Returns seconds that never decrease.
    ram : int or str, optional
        The maximum number of bytes of all opened objects together, as for ``load``. A larger slot
        is rejected unread and another one is tried; ``write`` rejects larger objects too. Use it
        if others may have written the slots.

    Attributes
    ----------
    bytes_written : int
        Bytes handed to the medium so far, by this checkpointer.
    slots : int
        The number of slots; of an existing place, once it was opened or written.
    sequence : int or None
        Number of the newest checkpoint; None if there is none. Numbers wrap after 2^32.
    opened : Opened or None
        The newest slot, and why others were rejected; None before ``open``.

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.

    Examples
    --------
    >>> import edgeolk as ek
    >>> store = bytearray(20_000)
    >>> with ek.Checkpointer(store, every=2) as checkpoints:
    ...     learner = checkpoints.open() or ek.Learner("rbp", n_features=1, budget=5)
    ...     [checkpoints.step(learner) for _ in range(4) if learner.learn_one([1.0], 1) or True]
    [False, True, False, True]
    >>> ek.Checkpointer.restore(store).steps
    4
    """

    def __init__(
        self,
        place: Any,
        every: int | None = 1000,
        seconds: float | None = None,
        slots: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        ram: int | str | None = None,
    ) -> None:
        if every is not None:
            every = check_int("every", every, 1, MAX_EVERY)
        if seconds is not None:
            seconds = check_real("seconds", seconds, "a number above 0, or None")
            if not seconds > 0.0:
                raise ValueError(f"seconds must be above 0, got {seconds!r}")
        number = 2 if slots is None else check_int("slots", slots, 2, MAX_SLOTS)
        max_bytes = None if ram is None else parse_bytes(ram)
        self.every = every
        self.seconds = seconds
        self._clock = clock
        self._medium = medium_at(place, number)
        self._max_bytes = max_bytes
        self._slots = Slots(
            self._medium,
            partial(_decoded, max_bytes=max_bytes),
            partial(_check_payload, max_bytes=max_bytes),
            finds=slots is None,
        )
        self._last = 0
        self._last_time = clock()

    # ---- writing ----------------------------------------------------------------------------

    def step(self, what: Any) -> bool:
        """Write a checkpoint if one is due; return whether it was.

        Parameters
        ----------
        what : Learner, RunningScaler, or a tuple of these
            The objects to keep.

        Raises
        ------
        OSError, ValueError, TypeError, RuntimeError
            As ``write``.
        """
        now = _progress(_parts(what))
        # Fewer examples than before belong to another learner: counting starts here.
        self._last = min(self._last, now)
        learned = now - self._last
        due = self.every is not None and learned >= self.every
        if not due and self.seconds is not None and learned:
            due = self._clock() - self._last_time >= self.seconds
        if due:
            self.write(what)
        return due

    def write(self, what: Any) -> int:
        """Write a checkpoint now; return its number once it is on the device.

        Parameters
        ----------
        what : Learner, RunningScaler, or a tuple of these
            The objects that ``open`` will return.

        Raises
        ------
        OSError
            The medium failed, another checkpointer writes there, or a file has been removed or
            replaced since the last checkpoint (the next call uses the file found then): the newest
            checkpoint is the previous one or this one. Also if a checkpoint that may be newer than
            the opened one could not be opened for lack of memory: nothing was written.
        ValueError
            The slots are too small, were written with another number or have other contents, all
            but one were written by a newer version of the library, or the objects take more than
            ``ram``; nothing was written.
        MemoryError
            As ``open``, if it has not been called yet; nothing was written.
        TypeError
            The object cannot be saved.
        RuntimeError
            The learner is in use by another thread, or the checkpointer was forked from the process
            that writes; the newest checkpoint is unchanged.
        """
        parts = _parts(what)
        taken = sum(part.nbytes for part in parts)
        if self._max_bytes is not None and taken > self._max_bytes:
            raise ValueError(
                f"the checkpoint takes {taken} bytes, more than ram allows: {self._max_bytes}"
            )
        number = self._slots.write(_pieces(parts))
        self._last = _progress(parts)
        self._last_time = self._clock()
        return number

    # ---- reading ----------------------------------------------------------------------------

    def open(self) -> Any:
        """Return the objects of the newest complete checkpoint, or None; writes nothing.

        Afterwards, ``opened`` tells which slot was used and why others were rejected.

        Returns
        -------
        Learner, RunningScaler, tuple of these, or None
            As it was given to ``write``.

        Raises
        ------
        ValueError
            The checkpoints were written with another number of slots.
        MemoryError
            There are checkpoints, but not enough memory for any of them.
        """
        found = self._slots.open()
        if found is not None:
            self._last = _progress(_parts(found))
        return found

    @classmethod
    def restore(cls, place: Any, slots: int | None = None, *, ram: int | str | None = None) -> Any:
        """Return what ``Checkpointer(place, slots=slots, ram=ram).open()`` returns; writes nothing.

        Parameters
        ----------
        place : str, bytes, path-like, or writable buffer
            As for ``Checkpointer``.
        slots : int, optional
            The number it was written with; by default that which is found.
        ram : int or str, optional
            The maximum number of bytes of the opened objects.

        Returns
        -------
        Learner, RunningScaler, tuple of these, or None
            As it was given to ``write``.

        Raises
        ------
        ValueError, MemoryError
            As ``open``.
        """
        with cls(place, slots=slots, ram=ram) as checkpoints:
            return checkpoints.open()

    @property
    def opened(self) -> Opened | None:
        """Which slot is the newest, and why others were rejected; None before ``open``."""
        return self._slots.opened

    @property
    def sequence(self) -> int | None:
        """Number of the newest checkpoint; None if there is none, or nothing was opened yet."""
        return None if self.opened is None else self.opened.sequence

    @property
    def slots(self) -> int:
        """The number of slots; of an existing place, once it was opened or written."""
        return self._medium.slots

    @property
    def bytes_written(self) -> int:
        """Bytes handed to the medium so far, by this checkpointer."""
        return self._medium.bytes_written

    def lock(self) -> None:
        """Lock out other checkpointers now, instead of at the first checkpoint.

        Raises
        ------
        OSError, ValueError, MemoryError, RuntimeError
            As ``write``.
        """
        self._slots.refresh()

    # ---- end --------------------------------------------------------------------------------

    def close(self) -> None:
        """Release the files, so that another process can write them."""
        self._medium.close()

    if not TYPE_CHECKING:  # type checkers know every attribute

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError with similar names; Python calls it only for unknown names."""
            raise unknown_attribute(self, name)

    def __enter__(self) -> Checkpointer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Checkpointer every {self.every} steps: {self.opened or 'not opened yet'}>"
