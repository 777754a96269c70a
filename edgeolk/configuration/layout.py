"""Third step: how the regions of a model lie in its block, to the byte.

Design. State comes first: a model file is the block up to the last region of state. Scratch
follows, overlaid where two regions are never in use together. A block of more than 4 KiB keeps its
regions on 64-byte boundaries, for aligned loads; one of structured features only those of its
weights. A smaller one keeps all on 8, where every byte counts.
"""

from __future__ import annotations

from edgeolk.configuration.header import head_bytes, stored_values, without_implied
from edgeolk.configuration.regions import ELEMENT_BYTES, KINDS, Kind, Lifetime, Region, needed
from edgeolk.configuration.settings import Settings
from edgeolk.parts.numbers import Dtype
from edgeolk.parts.storage import COEFFICIENTS

#: Boundary of regions in a block, and in one of at most SMALL bytes.
WIDE, NARROW = 64, 8
SMALL = 4096
#: Of structured features, what is read in whole vectors.
_IN_VECTORS = ("weights", "mean_weights", "feature_row")
#: Loops may read up to this many bytes past the last row of a region that is ``read_beyond``; what
#: they read there is not used.
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
    """A region that begins there, up to that boundary."""
    kind = KINDS[name]
    element = _element(config, kind)
    shape = kind.sizes(config)
    size = shape[0] * shape[1] * ELEMENT_BYTES[element]
    return Region(name, at, -(-size // boundary) * boundary, kind.purpose, element, shape)


def _lay(config: Settings, names: set[str], boundary: int) -> tuple[Region, ...]:
    # Plain loops: Python loses generators and closures that memory is too short to close.
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
            # The mean model answers while nothing is learned: it may use that scratch, unless
            # scoring does.
            offset = scratch
        scratch = offset
        for name, kind in KINDS.items():
            if name in names and kind.lifetime is lifetime:
                own = NARROW if config.update.whole and name not in _IN_VECTORS else boundary
                gap = -offset % own
                if gap:
                    before = regions[-1]
                    regions[-1] = before._replace(nbytes=before.nbytes + gap)
                    offset += gap
                region = _region(config, name, offset, own)
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
    """Bytes of a block with these regions: scratch may lie over scratch."""
    end = 0
    for region in regions:
        end = max(end, region.offset + region.nbytes)
    return end


def layout(config: Settings) -> tuple[Region, ...]:
    """Regions of a configuration, state first, alignment slack last."""
    names = needed(config)
    regions = _lay(config, names, WIDE)
    if total(regions) <= SMALL or config.forecasts:
        # Of a forecaster the bytes between count: with what is on its own boundary, 4 KiB are less.
        narrow = _lay(config, names, NARROW)
        return narrow if total(narrow) <= SMALL else regions
    return regions


def boundary(regions: tuple[Region, ...]) -> int:
    """What the regions of a block are aligned to."""
    return WIDE if total(regions) > SMALL else NARROW


def state_bytes(regions: tuple[Region, ...]) -> int:
    """Length of the part of a block that a file holds."""
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
