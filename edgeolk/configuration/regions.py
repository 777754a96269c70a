"""Regions of a block, and the rows of the table of regions that both families share.

``ring/regions.py`` and ``sorf/regions.py`` have the others, and say which a configuration needs.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

from edgeolk.parts.storage import ELEMENTS
from edgeolk.scaling.record import RECORD_BYTES

#: Bytes of one number by the code of its type.
ELEMENT_BYTES = {code: element.nbytes for code, element in ELEMENTS.items()}


class Lifetime(str, Enum):
    """When a region's content is in use."""

    STATE = "state"  # always; stored in files
    CALL = "call"  # during a call, from reading a row to its answer
    LEARN = "learn"  # while a row is learned
    MEAN = "mean"  # while the averaged model scores


_Region = namedtuple(
    "_Region",
    "name offset nbytes purpose element shape lifetime stays",
    defaults=("", (0, 0), Lifetime.CALL, False),
)


class Region(_Region):
    """A named part of the block.

    Page: docs/reference.md.

    Attributes
    ----------
    name : str
        Its name in plans and in the table of files.
    offset, nbytes : int
        Offset from the start of the block; size in bytes, padding included.
    purpose : str
        Its content in one line.
    element : str
        Type of its numbers as a ``struct`` code; "w" for words of a C struct, "" for none.
    shape : tuple of int
        Number of rows, and numbers from one row to the next.
    lifetime : Lifetime
        When its content is in use.
    stays : bool
        Whether it is kept when the model restarts because the kernel width is known.
    """

    __slots__ = ()

    name: str
    offset: int
    nbytes: int
    purpose: str
    element: str
    shape: tuple[int, int]
    lifetime: Lifetime
    stays: bool

    @property
    def is_state(self) -> bool:
        """Whether its numbers outlive a call and are stored in files."""
        return self.lifetime is Lifetime.STATE and bool(self.element)


@dataclass(frozen=True)
class Kind:
    """One row of the table of regions."""

    #: Type of its numbers: a code of ``ELEMENT_BYTES``, or a word for the type that the
    #: configuration uses for support vectors ("storage"), the arithmetic on rows ("computing"),
    #: coefficients ("real") or kernel values ("value").
    element: str
    #: Number of rows, and numbers from one row to the next: each a number or an attribute of
    #: ``Settings``; or a function that computes both from a configuration.
    shape: tuple[int | str, int | str] | Callable[[Any], tuple[int, int]]
    #: Its content in one line.
    purpose: str
    #: Its number in files, if it is state: never reused.
    number: int = 0
    #: When its content is in use.
    lifetime: Lifetime = Lifetime.STATE
    #: Whether loops may read past its last row, a vector at a time.
    read_beyond: bool = False
    #: Whether it is kept when the model restarts because the kernel width is known.
    stays: bool = False

    def sizes(self, config: Any) -> tuple[int, int]:
        """Number of rows, and numbers from one row to the next."""
        if callable(self.shape):
            return self.shape(config)
        rows, stride = self.shape
        return _size(config, rows), _size(config, stride)


def _size(config: Any, size: int | str) -> int:
    return int(getattr(config, size)) if isinstance(size, str) else size


def triangle(n: int) -> tuple[int, int]:
    """The shape of a packed lower triangle."""
    return 1, n * (n + 1) // 2


kept = partial(Kind, stays=True)
of_call = partial(Kind, lifetime=Lifetime.CALL)
of_learning = partial(Kind, lifetime=Lifetime.LEARN)

#: Sums of errors in regression; words are members of the structs of ``core/state.pxd``.
ERRORS = kept("w", (1, 2), "sums of squared and of absolute errors", 21)

#: Regions of preprocessing, of bad rows and of checksums, which stand behind the other state.
PREPROCESSING: dict[str, Kind] = {
    "scaler": kept(
        "d", lambda c: (1, 4 * c.n_features), "scaling: mean (two), deviation, pending reading", 64
    ),
    "scaler_counts": kept(
        "i", lambda c: (1, 2 * c.n_features), "scaling: readings, clipped readings", 65
    ),
    "scaler_range": kept("d", lambda c: (1, 2 * c.n_features), "scaling: minimum and maximum", 66),
    "statistics": kept(
        "b", ("n_features", RECORD_BYTES), "scaling: mean, deviation and age of each", 80
    ),
    "clipped_rows": kept("w", (1, 1), "rows that were shortened", 67),
    "width": kept("w", (1, 7), "kernel width, counters before it was known", 68),
    "width_mean": kept(
        "computing", (1, "n_features"), "mean of the rows that determine the width", 69
    ),
    "width_follows": kept(
        "d", lambda c: (1, 4 if c.finds_pairs else 1),
        "kernel width that follows the rows, detection of two-valued inputs", 70,
    ),
    "common": kept("d", (1, 2), "scaling: mean of all inputs, sum of squared deviations", 71),
    "skipped": kept("w", (1, 1), "skipped bad rows", 72),
}


def checksums(needed: Callable[[Any], set[str]], kinds: dict[str, Kind]) -> Kind:
    """The region of checksums: a number for each region of state; its own is that of the header."""

    def shape(config: Any) -> tuple[int, int]:
        names = needed(config)
        return 1, sum(kinds[name].lifetime is Lifetime.STATE for name in names)

    return Kind("i", shape, "CRC-32 of the header and of each region, once sealed", 73)


def shared_regions(config: Any) -> tuple[str, ...]:
    """Names of the regions of preprocessing, bad rows and checksums that a configuration needs."""
    names: tuple[str, ...] = config.preprocessing.regions
    if config.skips_bad_rows:
        names += ("skipped",)
    if config.checksums:
        names += ("checksums",)
    return names
