"""What is done with a row before the learner sees it: scaled, bounded, measured for a width.

In this order: a scaler inside the block scales each feature, ``clip_rows`` bounds the length of the
row, and the first rows tell the width of the kernel where it is not given.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from edgeolk.parts.scaling import (
    CLIP,
    METHODS,
    NAMES,
    WINDOW,
    clip_number,
    method_number,
    window_number,
)
from edgeolk.parts.whole import whole

GAMMA_ROWS = 100
MOST_LENGTH = 1e30

#: Names that some algorithms have for something else, and what then stands for ours.
ALIASES = {"gamma": "kernel_gamma", "clip": "scale_clip"}
#: Every argument there is.
ARGUMENTS = (
    *("gamma", "kernel_gamma", "gamma_rows", "scale", "clip", "scale_clip", "scale_window"),
    *("freeze_after", "clip_rows"),
)


@dataclass(frozen=True)
class Intake:
    """What happens to a row on its way in; 0 stands for what is not asked for.

    Attributes
    ----------
    method : int
        How each feature is scaled, as a ``RunningScaler`` has it.
    clip, window, freeze_after : number
        Of the scaler.
    clip_rows : float
        The longest a row may be, in the Euclidean norm.
    gamma_rows : int
        Rows that the width of the kernel is made from.
    """

    method: int = 0
    clip: float = 0.0
    window: int = 0
    freeze_after: int = 0
    clip_rows: float = 0.0
    gamma_rows: int = 0

    @property
    def reshapes(self) -> bool:
        """Whether the learner sees other numbers than were given."""
        return bool(self.method or self.clip_rows)

    @property
    def regions(self) -> tuple[str, ...]:
        """Regions that it needs."""
        names: tuple[str, ...] = ()
        if self.method:
            names += ("scaler", "scaler_counts")
        if self.method == METHODS["minmax"]:
            names += ("scaler_range",)
        if self.clip_rows:
            names += ("clipped_rows",)
        if self.gamma_rows:
            names += ("width", "width_mean")
        return names

    def stored(self) -> dict[str, float]:
        """As the header holds it: what is at its default is omitted."""
        made: dict[str, float] = {}
        if self.method:
            made["scale.method"] = self.method
            if self.clip != CLIP:
                made["scale.clip"] = self.clip
            if self.window != WINDOW:
                made["scale.window"] = self.window
            if self.freeze_after:
                made["scale.freeze_after"] = self.freeze_after
        if self.clip_rows:
            made["clip_rows"] = self.clip_rows
        if self.gamma_rows:
            made["gamma_rows"] = self.gamma_rows
        return made

    def options(self, own: Collection[str]) -> dict[str, Any]:
        """As arguments, beside those of an algorithm that has names of its own."""
        said: dict[str, Any] = {}
        if self.gamma_rows:
            said[_named("gamma", own)] = "auto"
            if self.gamma_rows != GAMMA_ROWS:
                said["gamma_rows"] = self.gamma_rows
        if self.method:
            said["scale"] = NAMES[self.method]
            if self.clip != CLIP:
                said[_named("clip", own)] = self.clip
            if self.window != WINDOW:
                said["scale_window"] = self.window
            if self.freeze_after:
                said["freeze_after"] = self.freeze_after
        if self.clip_rows:
            said["clip_rows"] = self.clip_rows
        return said


def _named(name: str, own: Collection[str]) -> str:
    return ALIASES[name] if name in own else name


def _either(name: str, given: dict[str, Any], own: Collection[str]) -> Any:
    """What is given for ours of that name, by it or by its alias; "" for nothing."""
    value = given.pop(ALIASES[name], "")
    if name not in own and name in given:
        if value != "":
            raise TypeError(f"give {name}= or {ALIASES[name]}=, which are the same, and not both")
        value = given.pop(name)
    return value


def _length(value: Any) -> float:
    if isinstance(value, bool) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"clip_rows must be a number or None, got {type(value).__name__}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"clip_rows must be a number or None, got {value!r}") from None
    except OverflowError:
        number = math.inf
    if not 0.0 < number <= MOST_LENGTH:
        raise ValueError(f"clip_rows must be above 0, at most {MOST_LENGTH:g}, got {value!r}")
    return number


def _scaler(given: dict[str, Any], own: Collection[str], default: str | None) -> dict[str, Any]:
    """What is said of a scaler inside."""
    scale = given.pop("scale", default)
    clip = _either("clip", given, own)
    window = given.pop("scale_window", None)
    freeze_after = given.pop("freeze_after", None)
    if scale is None:
        for name, value in (("clip", clip), ("scale_window", window)):
            if value not in ("", None):
                raise TypeError(f"{name} is of the scaler inside and needs scale=")
        if freeze_after is not None:
            raise TypeError("freeze_after is of the scaler inside and needs scale=")
        return {}
    if not isinstance(scale, str) or scale not in METHODS:
        known = ", ".join(map(repr, METHODS))
        raise ValueError(f"scale must be one of {known} or None, got {scale!r}")
    if clip is None:
        raise ValueError("clip must be from 2 to 1e+06 inside a learner: one glitch would stay")
    number = CLIP if clip == "" else clip_number(clip)
    made = {"method": method_number(scale), "clip": number, "window": window_number(window, number)}
    if freeze_after is not None:
        made["freeze_after"] = whole("freeze_after", freeze_after, 1, 2**53)
    return made


def taken(given: dict[str, Any], own: Collection[str], *, default: bool, width: bool) -> Intake:
    """The intake that arguments ask for; they are taken out of ``given``.

    Parameters
    ----------
    given : dict
        Arguments of the caller.
    own : collection of str
        Names that the algorithm has for parameters of its own.
    default : bool
        Whether rows are scaled, and the width is chosen, where nothing is said.
    width : bool
        Whether a kernel is given.

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.
    """
    gamma: Any = "auto" if default and not width else None
    if isinstance(given.get("gamma"), str) and "gamma" in own and given["gamma"] == "auto":
        given["kernel_gamma"] = given.pop("gamma")
    said = _either("gamma", given, own)
    gamma = gamma if isinstance(said, str) and said == "" else said
    if gamma is not None and not (isinstance(gamma, str) and gamma == "auto"):
        raise TypeError(
            f"gamma must be 'auto' or None, got {gamma!r}; a width that is known goes into the"
            " kernel, as in kernel=ek.Gaussian(0.5)"
        )
    rows = given.pop("gamma_rows", None)
    if rows is not None and gamma is None:
        raise TypeError("gamma_rows needs gamma='auto'")
    length = given.pop("clip_rows", None)
    return Intake(
        **_scaler(given, own, "standard" if default else None),
        clip_rows=0.0 if length is None else _length(length),
        gamma_rows=0
        if gamma is None
        else whole("gamma_rows", GAMMA_ROWS if rows is None else rows, 2),
    )


def intake_from(values: dict[str, float]) -> Intake:
    """The intake that a header tells of, taken out of its values.

    Raises
    ------
    ValueError
        There is none like that.
    """

    def number(name: str, least: int, most: int) -> int:
        value = values.pop(name)
        if not (least <= value <= most and value == math.floor(value)):
            raise ValueError(f"the model is inconsistent: {name} is {value}")
        return int(value)

    made: dict[str, Any] = {}
    if "scale.method" in values:
        made["method"] = number("scale.method", 1, len(METHODS))
        made["clip"] = clip_number(values.pop("scale.clip", CLIP))
        made["window"] = WINDOW
        if "scale.window" in values:
            made["window"] = window_number(number("scale.window", 1, 2**53), made["clip"])
        if "scale.freeze_after" in values:
            made["freeze_after"] = number("scale.freeze_after", 1, 2**53)
    if "clip_rows" in values:
        made["clip_rows"] = _length(values.pop("clip_rows"))
    if "gamma_rows" in values:
        made["gamma_rows"] = number("gamma_rows", 2, 2**31 - 1)
    return Intake(**made)
