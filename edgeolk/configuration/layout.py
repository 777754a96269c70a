"""Third step: the layout of a block: the offset and size of every region.

Design: state comes first, so a model file is the block up to the last region of state. Scratch
follows; scratch regions that are never in use together overlap. In a block of more than 4 KiB
regions are aligned to 64 bytes for aligned loads (with structured features only those of weights),
in a smaller block to 8 bytes.
"""

from __future__ import annotations

from edgeolk.configuration.header import head_bytes, stored_values, without_implied
from edgeolk.configuration.regions import ELEMENT_BYTES, KINDS, Kind, Lifetime, Region, needed
from edgeolk.configuration.settings import Settings
from edgeolk.parts.numbers import Dtype
from edgeolk.parts.storage import COEFFICIENTS

#: Alignment of regions in a block, and in a block of at most SMALL bytes.
WIDE, NARROW = 64, 8
SMALL = 4096
#: The regions of structured features that are read by vector loads.
_IN_VECTORS = ("weights", "mean_weights", "feature_row")
#: Loops may read up to this many bytes past the last row of a ``read_beyond`` region; they do not
#: use these bytes.
BEYOND = 64


def _element(config: Settings, kind: Kind) -> str:
    storage = config.storage
    named = {
        "storage": storage.element,
        "computing": storage.computes_in,
        "exact": "f" if config.parts["dtype"] == Dtype.FLOAT32 else "d",
        "value": "f" if config.value_bytes == 4 else "d",
        "real": COEFFICIENTS[config.coefficients].element,
    }
    return named.get(kind.element, kind.element)


def _region(config: Settings, name: str, at: int, boundary: int) -> Region:
    """The region at this offset, padded to this boundary."""
    kind = KINDS[name]
    element = _element(config, kind)
    shape = kind.sizes(config)
    size = shape[0] * shape[1] * ELEMENT_BYTES[element]
    return Region(name, at, -(-size // boundary) * boundary, kind.purpose, element, shape)


def _lay(config: Settings, names: set[str], boundary: int) -> tuple[Region, ...]:
    # Plain loops: CPython leaks generators and closures if memory runs out while closing them.
    counts: list[int] = []
    for name, kind in KINDS.items():
        if name in names and kind.lifetime is Lifetime.STATE:
            rows, stride = kind.sizes(config)
            counts.append(rows * stride)
    head = head_bytes(len(without_implied(stored_values(config), names)), counts)
    offset = -(-head // NARROW) * NARROW
    regions = [Region("header", 0, offset, "configuration, counters, generator state")]
    scratch = end = beyond = offset
    for lifetime in Lifetime:
        if lifetime is Lifetime.MEAN and not config.basis.admit and config.columns == 1:
            # The averaged model scores while nothing is learned: it may reuse the scratch of
            # learning, unless scoring needs it.
            offset = scratch
        scratch = offset
        for name, kind in KINDS.items():
            if name in names and kind.lifetime is lifetime:
                is_narrow = config.update.is_sorf and name not in _IN_VECTORS
                alignment = NARROW if is_narrow else boundary
                gap = -offset % alignment
                if gap:
                    previous = regions[-1]
                    regions[-1] = previous._replace(nbytes=previous.nbytes + gap)
                    offset += gap
                region = _region(config, name, offset, alignment)
                regions.append(region)
                offset += region.nbytes
                if kind.read_beyond:
                    beyond = max(beyond, offset + BEYOND)
        end = max(end, offset)
    slack = max(0, beyond - end) + boundary
    purpose = "padding: the buffer may start at any address"
    regions.append(Region("alignment", end, slack, purpose))
    return tuple(regions)


def total(regions: tuple[Region, ...]) -> int:
    """Bytes of a block with these regions; scratch regions may overlap."""
    end = 0
    for region in regions:
        end = max(end, region.offset + region.nbytes)
    return end


def layout(config: Settings) -> tuple[Region, ...]:
    """Regions of a configuration, state first, alignment slack last."""
    names = needed(config)
    regions = _lay(config, names, WIDE)
    if total(regions) <= SMALL or config.forecasts:
        # For a forecaster padding matters: with narrow alignment it may fit into 4 KiB.
        narrow = _lay(config, names, NARROW)
        return narrow if total(narrow) <= SMALL else regions
    return regions


def boundary(regions: tuple[Region, ...]) -> int:
    """The alignment of regions in a block."""
    return WIDE if total(regions) > SMALL else NARROW


def state_bytes(regions: tuple[Region, ...]) -> int:
    """Length of the part of a block that is stored in files."""
    end = 0
    for region in regions:
        kind = KINDS.get(region.name)
        if region.name == "header" or (kind is not None and kind.lifetime is Lifetime.STATE):
            end = max(end, region.offset + region.nbytes)
    return end


def region_table(title: str, regions: tuple[Region, ...], nbytes: int) -> str:
    """A plan as text."""
    lines = [title, f"{'region':<18}{'offset':>10}{'bytes':>12}  purpose"]
    lines += [f"{r.name:<18}{r.offset:>10}{r.nbytes:>12}  {r.purpose}" for r in regions]
    lines.append(f"{'total':<18}{'':>10}{nbytes:>12}")
    return "\n".join(lines)
