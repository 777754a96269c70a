"""The memory layout of a scaler, to the byte."""

from __future__ import annotations

from dataclasses import dataclass

from edgeolk.configuration.layout import region_table
from edgeolk.configuration.regions import Region
from edgeolk.core.arena import ALIGNMENT
from edgeolk.preprocessing.scaling import COMPACT, METHODS, NAMES, RECORD_BYTES

#: Size of the struct Head (core/scaler.pxd); bytes of a feature's four numbers and two counts.
HEAD_BYTES = 64
FEATURE_BYTES = 40

# Regions: name, bytes per feature, purpose.
_MOMENTS = (
    ("mean", 8, "mean of each feature"),
    ("mean_low", 8, "what rounding leaves out of it"),
    ("m2", 8, "sum of squared distances from the mean"),
    ("level", 1, "unit the feature is counted in"),
)
_WINSORISED = (("features", FEATURE_BYTES, "mean, deviation and clipped readings of each"),)
_COMPACT = (("statistics", RECORD_BYTES, "mean, deviation and age of each"),)
_RANGE = (("min", 8, "least of each feature"), ("max", 8, "most of each feature"))


@dataclass(frozen=True)
class ScalerPlan:
    """Memory layout of a scaler.

    Page: docs/rows.md.

    Attributes
    ----------
    method : str
        "standard" or "minmax".
    n_features : int
        Numbers in a row.
    regions : tuple of Region
        ``(name, offset, nbytes, purpose)``, offsets from the start of the block.
    nbytes : int
        Total, exactly the size of the scaler.
    """

    method: str
    n_features: int
    regions: tuple[Region, ...]
    nbytes: int

    def __str__(self) -> str:
        title = f"{self.method} scaler: d = {self.n_features}"
        return region_table(title, self.regions, self.nbytes)


def plan_of(n_features: int, method: int, clipped: bool) -> ScalerPlan:
    """Lay out regions on 64-byte boundaries, with alignment slack last."""
    specs: tuple[tuple[str, int, str], ...] = _WINSORISED if clipped else ()
    if method == COMPACT:
        specs = _COMPACT
    elif method == METHODS["minmax"]:
        specs += _RANGE
    elif not clipped:
        specs += _MOMENTS
    regions = []
    offset = 0
    head = ("header", HEAD_BYTES, "configuration and counters")
    rest = [(name, size * n_features, purpose) for name, size, purpose in specs]
    for name, size, purpose in (head, *rest):
        size = -(-size // ALIGNMENT) * ALIGNMENT
        regions.append(Region(name, offset, size, purpose))
        offset += size
    slack = "padding: the buffer may start at any address"
    regions.append(Region("alignment", offset, ALIGNMENT, slack))
    return ScalerPlan(NAMES[method], n_features, tuple(regions), offset + ALIGNMENT)
