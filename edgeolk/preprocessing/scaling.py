"""Checks the arguments of feature scaling, for ``RunningScaler`` and for a learner that scales
inside. Without numpy."""

from __future__ import annotations

from edgeolk.checks import check_int, check_real
from edgeolk.lean import Any

#: Part of the file formats: never renumbered.
METHODS = {"standard": 1, "minmax": 2}
#: "standard" with statistics in single precision, ``RECORD_BYTES`` per input (c/scaler_compact.h).
COMPACT = 9
NAMES = {**{number: name for name, number in METHODS.items()}, COMPACT: "standard"}
#: Inside a learner all inputs may share one mean and deviation.
INSIDE = {**METHODS, "common": 3}
INSIDE_NAMES = {**NAMES, INSIDE["common"]: "common"}

CLIP = 5.0
#: For a common scale of all inputs.
COMMON_CLIP = 8.0
MIN_CLIP, MAX_CLIP = 2.0, 1e6
WINDOW = 10_000
MIN_WINDOW, MAX_WINDOW = 10, 2**31 - 1
RECORD_BYTES = 9
#: Limits of compact statistics.
COMPACT_CLIP, COMPACT_WINDOW = 1000.0, 21_844


def clip_number(clip: Any) -> float:
    """Deviations to clip to as stored in the block, 0 for None."""
    if clip is None:
        return 0.0
    number = check_real("clip", clip, "a number or None")
    if not MIN_CLIP <= number <= MAX_CLIP:
        raise ValueError(f"clip must be from {MIN_CLIP:g} to {MAX_CLIP:g} or None, got {clip!r}")
    return number


def window_number(window: Any, clip: float) -> int:
    """Rows remembered as stored in the block, 0 if nothing is clipped."""
    if clip == 0.0:
        if window is not None:
            raise ValueError(
                f"window must be None with clip=None, which forgets no rows, got {window!r}"
            )
        return 0
    return WINDOW if window is None else check_int("window", window, MIN_WINDOW, MAX_WINDOW)


def fits_compact(method: int, clip: float, window: int) -> bool:
    """Whether statistics in ``RECORD_BYTES`` per input suffice for this scaling."""
    standard = method in (METHODS["standard"], COMPACT)
    return standard and 0.0 < clip <= COMPACT_CLIP and 0 < window <= COMPACT_WINDOW


def form_number(method: Any, compact: Any, clip: float, window: int) -> int:
    """The number of a method in the block of a ``RunningScaler``.

    Raises TypeError, ValueError: not a method, or one that ``compact`` does not support.
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
