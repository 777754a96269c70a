"""The record of input preprocessing.

In this order: a scaler in the block scales each feature, or all by a common scale; ``clip_rows``
bounds the norm of the row; the kernel width, if not given, adapts to the rows or is estimated from
the first ones.

Also the limits of its numbers, which ``RunningScaler`` shares. Without numpy.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from edgeolk.checks import check_int, check_real

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
#: The largest number of rows to freeze after: float64 in the header of a block is exact up to it.
MAX_FREEZE = 2**53
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


GAMMA_ROWS = 100
#: Values of a scaler that are omitted from files.
OMITTED = {"scale.clip": 5.0, "scale.window": 10_000.0}
#: The same for a common scale of all inputs. Not the current defaults: those may change, but the
#: omitted values may not.
OMITTED_COMMON = {"scale.clip": 8.0, "scale.window": 0.0}
#: Names in the header of a block, in order.
_STORED = {
    **{"method": "scale.method", "clip": "scale.clip", "window": "scale.window"},
    **{"freeze_after": "scale.freeze_after", "clip_rows": "clip_rows", "gamma_rows": "gamma_rows"},
    **{"follows": "width_follows"},
}
MAX_NORM = 1e30

#: Short names of arguments -> full names. An algorithm may have a parameter of the short name.
ALIASES = {"gamma": "kernel_gamma", "clip": "scale_clip"}
#: All arguments.
ARGUMENTS = (
    *("gamma", "kernel_gamma", "gamma_rows", "scale", "clip", "scale_clip", "scale_window"),
    *("freeze_after", "clip_rows"),
)
#: Fields that decide whether compact statistics suffice.
_COMPACT_FIELDS = ("method", "clip", "window")


@dataclass(frozen=True)
class Preprocessing:
    """Preprocessing of rows. A field is 0 if that step is not requested."""

    #: How each feature is scaled: a number of ``scaling.INSIDE``, or ``scaling.COMPACT``.
    method: int = 0
    #: Deviations from the mean at which the scaler clips a reading.
    clip: float = 0.0
    #: Rows that the scaler remembers.
    window: int = 0
    #: Rows after which the statistics of the scaler are frozen.
    freeze_after: int = 0
    #: The maximum Euclidean norm of a row.
    clip_rows: float = 0.0
    #: Rows that the kernel width is estimated from.
    gamma_rows: int = 0
    #: Whether the width adapts to the rows (docs/sorf.md, section 15).
    follows: bool = False

    @property
    def reshapes(self) -> bool:
        """Whether the learner sees modified numbers."""
        return bool(self.method or self.clip_rows)

    @property
    def scales_each(self) -> bool:
        """Whether each input is scaled by a separate deviation."""
        return self.method not in (0, METHODS["minmax"], INSIDE["common"])

    @property
    def has_one_scale(self) -> bool:
        """Whether all inputs share one mean and deviation."""
        return self.method == INSIDE["common"]

    @property
    def common_clip(self) -> float:
        """Deviations that inputs with a common scale are clipped to."""
        return self.clip if self.has_one_scale else COMMON_CLIP

    @property
    def compact(self) -> bool:
        """Whether statistics take ``RECORD_BYTES`` per input."""
        return self.method == COMPACT

    @property
    def regions(self) -> tuple[str, ...]:
        """Names of the regions that it needs."""
        names: tuple[str, ...] = ()
        if self.has_one_scale:
            names += ("common",)
        elif self.compact:
            names += ("statistics",)
        elif self.method:
            names += ("scaler", "scaler_counts")
        if self.method == METHODS["minmax"]:
            names += ("scaler_range",)
        if self.clip_rows:
            names += ("clipped_rows",)
        if self.gamma_rows:
            names += ("width", "width_mean")
        if self.follows:
            names += ("width_follows",)
        return names

    def stored(self) -> dict[str, float]:
        """The numbers for the header of a block, without those omitted from files."""
        omitted = _omitted(self.method)
        fields = {name: float(getattr(self, field)) for field, name in _STORED.items()}
        return {name: number for name, number in fields.items() if number != omitted.get(name, 0.0)}

    def options(
        self, own: Collection[str], usual: Mapping[str, str], *, may_follow: bool
    ) -> dict[str, Any]:
        """The arguments that create this record, in addition to a kernel.

        For an algorithm with parameters of these ``own`` names and the ``usual`` preprocessing by
        default; if ``may_follow``, the width adapts to scaled rows unless ``gamma_rows`` is given.
        """
        arguments: dict[str, Any] = {}
        if self.gamma_rows or self.follows:
            arguments[named("gamma", own)] = "auto"
        if self.gamma_rows != (0 if self.follows else GAMMA_ROWS) or (may_follow and self.method):
            arguments.update({"gamma_rows": self.gamma_rows} if self.gamma_rows else {})
        if self.method:
            arguments["scale"] = INSIDE_NAMES[self.method]
            if self.clip != (COMMON_CLIP if self.method == INSIDE["common"] else CLIP):
                arguments["scale_clip"] = self.clip
            if self.window not in (0, WINDOW):
                arguments["scale_window"] = self.window
            if self.freeze_after:
                arguments["freeze_after"] = self.freeze_after
        elif "scale" in usual:
            arguments["scale"] = None
        if self.clip_rows:
            arguments["clip_rows"] = self.clip_rows
        return arguments


def _omitted(method: int) -> dict[str, float]:
    """Values of a scaler with this method that are omitted from files."""
    if not method:
        return {}
    return OMITTED_COMMON if method == INSIDE["common"] else OMITTED


def named(name: str, own: Collection[str]) -> str:
    """The name of an argument for an algorithm with parameters of these ``own`` names."""
    return ALIASES[name] if name in own else name


def norm_number(value: Any) -> float:
    """The maximum norm of a row, for ``clip_rows``.

    Raises TypeError, ValueError: not a number, or out of range.
    """
    number = check_real("clip_rows", value, "a number or None")
    if not 0.0 < number <= MAX_NORM:
        raise ValueError(f"clip_rows must be above 0, at most {MAX_NORM:g}, got {value!r}")
    return number


def preprocessing_from(values: dict[str, float]) -> Preprocessing:
    """The preprocessing in a header; its numbers are removed from ``values``.

    Raises ValueError: a number is out of range.
    """

    def number(name: str, minimum: int, maximum: int) -> int:
        value = values.pop(name)
        if not (minimum <= value <= maximum and value == math.floor(value)):
            raise ValueError(f"the model is inconsistent: {name} is {value}")
        return int(value)

    fields: dict[str, Any] = {}
    if "scale.method" in values:
        fields["method"] = number("scale.method", 1, max(INSIDE_NAMES))
        if fields["method"] not in INSIDE_NAMES:
            raise ValueError(f"the model is inconsistent: scale.method is {fields['method']}")
        omitted = _omitted(fields["method"])
        fields["clip"] = clip_number(values.pop("scale.clip", omitted["scale.clip"]))
        fields["window"] = int(omitted["scale.window"])
        if "scale.window" in values and fields["window"]:
            fields["window"] = window_number(number("scale.window", 1, 2**53), fields["clip"])
        if "scale.freeze_after" in values:
            fields["freeze_after"] = number("scale.freeze_after", 1, MAX_FREEZE)
        compact = {name: fields[name] for name in _COMPACT_FIELDS}
        if fields["method"] == COMPACT and not fits_compact(**compact):
            raise ValueError("the model is inconsistent: compact statistics do not suit its scaler")
    if "clip_rows" in values:
        fields["clip_rows"] = norm_number(values.pop("clip_rows"))
    if "gamma_rows" in values:
        fields["gamma_rows"] = number("gamma_rows", 2, 2**31 - 1)
    if "width_follows" in values:
        fields["follows"] = bool(number("width_follows", 1, 1))
    return Preprocessing(**fields)
