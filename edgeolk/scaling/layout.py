"""Where every byte of a scaler goes, and the arguments that decide it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from edgeolk.core.arena import ALIGNMENT
from edgeolk.parts.whole import whole
from edgeolk.planning import Region, region_table

#: Part of the file format: never renumbered.
METHODS = {"standard": 1, "minmax": 2}
NAMES = {number: name for name, number in METHODS.items()}

#: Sizes of the structs Head (core/scaler.pxd) and Feature (core/winsor.pxd).
HEAD_BYTES = 64
FEATURE_BYTES = 40

CLIP = 5.0
LEAST_CLIP, MOST_CLIP = 2.0, 1e6
WINDOW = 10_000
LEAST_WINDOW, MOST_WINDOW = 10, 2**31 - 1

# Regions: name, bytes per feature, purpose.
_MOMENTS = (
    ("mean", 8, "mean of each feature"),
    ("mean_low", 8, "what rounding leaves out of it"),
    ("m2", 8, "sum of squared distances from the mean"),
    ("level", 1, "unit the feature is counted in"),
)
_WINSORISED = (("features", FEATURE_BYTES, "mean, deviation and clipped readings of each"),)
_RANGE = (("min", 8, "least of each feature"), ("max", 8, "most of each feature"))


@dataclass(frozen=True)
class ScalerPlan:
    """Memory of a scaler that need not exist yet.

    Attributes
    ----------
    method : str
        "standard" or "minmax".
    n_features : int
        Numbers in a row.
    regions : tuple of Region
        ``(name, offset, nbytes, purpose)``, offsets from the start of the block.
    nbytes : int
        Total, exactly what a scaler takes.
    """

    method: str
    n_features: int
    regions: tuple[Region, ...]
    nbytes: int

    def __str__(self) -> str:
        title = f"{self.method} scaler: d = {self.n_features}"
        return region_table(title, self.regions, self.nbytes)


def method_number(method: Any) -> int:
    """The number of a method in the block."""
    if not isinstance(method, str):
        raise TypeError(f"method must be a string, got {type(method).__name__}")
    if method not in METHODS:
        known = ", ".join(repr(name) for name in METHODS)
        raise ValueError(f"method must be one of {known}, got {method!r}")
    return METHODS[method]


def clip_number(clip: Any) -> float:
    """Deviations to clip to as the block has them, 0 for None."""
    if clip is None:
        return 0.0
    if isinstance(clip, bool) or not (hasattr(clip, "__float__") or hasattr(clip, "__index__")):
        raise TypeError(f"clip must be a number or None, got {type(clip).__name__}")
    try:
        number = float(clip)
    except TypeError:
        raise TypeError(f"clip must be a number or None, got {type(clip).__name__}") from None
    except OverflowError:
        number = math.inf
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
    return WINDOW if window is None else whole("window", window, LEAST_WINDOW, MOST_WINDOW)


def plan_of(n_features: int, method: int, clipped: bool) -> ScalerPlan:
    """Regions on 64-byte boundaries, alignment slack last."""
    kinds: tuple[tuple[str, int, str], ...] = _WINSORISED if clipped else ()
    if method == METHODS["minmax"]:
        kinds += _RANGE
    elif not clipped:
        kinds += _MOMENTS
    regions = []
    offset = 0
    head = ("header", HEAD_BYTES, "configuration and counters")
    rest = [(name, size * n_features, purpose) for name, size, purpose in kinds]
    for name, size, purpose in (head, *rest):
        size = -(-size // ALIGNMENT) * ALIGNMENT
        regions.append(Region(name, offset, size, purpose))
        offset += size
    slack = "slack: any buffer serves, wherever it starts"
    regions.append(Region("alignment", offset, ALIGNMENT, slack))
    return ScalerPlan(NAMES[method], n_features, tuple(regions), offset + ALIGNMENT)
