"""The arguments of feature scaling, checked: those of ``RunningScaler`` and of a learner that
scales inside. Without numpy."""

from __future__ import annotations

from edgeolk.checks import check_int, real
from edgeolk.lean import Any

#: Part of the file formats: never renumbered.
METHODS = {"standard": 1, "minmax": 2}
#: "standard" by statistics in single precision, ``RECORD_BYTES`` an input (loops/compact.h).
COMPACT = 9
NAMES = {**{number: name for name, number in METHODS.items()}, COMPACT: "standard"}
#: Inside a learner one mean and deviation may be those of all inputs, too.
INSIDE = {**METHODS, "common": 3}
INSIDE_NAMES = {**NAMES, INSIDE["common"]: "common"}

CLIP = 5.0
#: Where one scale is that of all inputs.
COMMON_CLIP = 8.0
LEAST_CLIP, MOST_CLIP = 2.0, 1e6
WINDOW = 10_000
LEAST_WINDOW, MOST_WINDOW = 10, 2**31 - 1
RECORD_BYTES = 9
#: The most that these serve.
COMPACT_CLIP, COMPACT_WINDOW = 1000.0, 21_844


def clip_number(clip: Any) -> float:
    """Deviations to clip to as the block has them, 0 for None."""
    if clip is None:
        return 0.0
    number = real("clip", clip, "a number or None")
    if not LEAST_CLIP <= number <= MOST_CLIP:
        raise ValueError(f"clip must be from {LEAST_CLIP:g} to {MOST_CLIP:g} or None, got {clip!r}")
    return number


def window_number(window: Any, clip: float) -> int:
    """Rows remembered as the block has them, 0 where nothing is clipped."""
    if clip == 0.0:
        if window is not None:
            raise ValueError(
                f"window must be None with clip=None, where all rows count alike, got {window!r}"
            )
        return 0
    return WINDOW if window is None else check_int("window", window, LEAST_WINDOW, MOST_WINDOW)


def fits_compact(method: int, clip: float, window: int) -> bool:
    """Whether statistics in ``RECORD_BYTES`` an input serve this way to scale."""
    standard = method in (METHODS["standard"], COMPACT)
    return standard and 0.0 < clip <= COMPACT_CLIP and 0 < window <= COMPACT_WINDOW


def form_number(method: Any, compact: Any, clip: float, window: int) -> int:
    """The number of a method in the block of a scaler of its own.

    Raises TypeError, ValueError: no method, or one that takes more bytes than ``compact`` has.
    """
    if not isinstance(method, str):
        raise TypeError(f"method must be a string, got {type(method).__name__}")
    if method not in METHODS:
        known = ", ".join(map(repr, METHODS))
        raise ValueError(f"method must be one of {known}, got {method!r}")
    if not isinstance(compact, bool):
        raise TypeError(f"compact must be True or False, got {compact!r}")
    if not compact:
        return METHODS[method]
    if not fits_compact(METHODS[method], clip, window):
        raise ValueError(
            "compact=True is for method='standard' with clip from 2 to"
            f" {COMPACT_CLIP:g} and a window of at most {COMPACT_WINDOW:,} rows"
        )
    return COMPACT
