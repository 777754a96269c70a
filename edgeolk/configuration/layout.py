"""Third step: the layout of a block: the offset and size of every region.

Design: state comes first, so a model file is the block up to the last region of state. Scratch
follows; scratch regions that are never in use together overlap. In a block of more than 4 KiB
regions are aligned to 64 bytes for aligned loads (with structured features only those of weights),
in a smaller block to 8 bytes.
"""

from __future__ import annotations

from edgeolk.configuration.families import FAMILIES
from edgeolk.configuration.header import head_bytes, stored_values, without_implied
from edgeolk.configuration.regions import ELEMENT_BYTES, Kind, Lifetime, Region
from edgeolk.configuration.settings import Settings

#: Alignment of regions in a block, and in a block of at most SMALL bytes.
WIDE, NARROW = 64, 8
SMALL = 4096
#: Loops may read up to this many bytes past the last row of a ``read_beyond`` region; they do not
#: use these bytes.
BEYOND = 64


def _region(config: Settings, name: str, kind: Kind, at: int, boundary: int) -> Region:
    """The region at this offset, padded to this boundary."""
    element = config.element_of(kind.element)
    shape = kind.sizes(config)
    size = -(-shape[0] * shape[1] * ELEMENT_BYTES[element] // boundary) * boundary
    return Region(name, at, size, kind.purpose, element, shape, kind.lifetime, kind.stays)


def _lay(config: Settings, names: set[str], boundary: int) -> tuple[Region, ...]:
    # Plain loops: CPython leaks generators and closures if memory runs out while closing them.
    family = FAMILIES[config.family]
    counts: list[int] = []
    for name, kind in family.kinds.items():
        if name in names and kind.lifetime is Lifetime.STATE:
            rows, stride = kind.sizes(config)
            counts.append(rows * stride)
    values = without_implied(family, stored_values(config), names)
    head = head_bytes(len(values), counts)
    offset = -(-head // NARROW) * NARROW
    purpose = "configuration, counters, generator state"
    regions = [Region("header", 0, offset, purpose, lifetime=Lifetime.STATE)]
    scratch = end = beyond = offset
    for lifetime in Lifetime:
        if lifetime is Lifetime.MEAN and config.mean_scores_alone:
            # The averaged model scores while nothing is learned: it may reuse the scratch of
            # learning, unless scoring needs it.
            offset = scratch
        scratch = offset
        for name, kind in family.kinds.items():
            if name in names and kind.lifetime is lifetime:
                is_wide = family.wide is None or name in family.wide
                alignment = boundary if is_wide else NARROW
                gap = -offset % alignment
                if gap:
                    previous = regions[-1]
                    regions[-1] = previous._replace(nbytes=previous.nbytes + gap)
                    offset += gap
                region = _region(config, name, kind, offset, alignment)
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
    names = FAMILIES[config.family].needed(config)
    regions = _lay(config, names, WIDE)
    if total(regions) <= SMALL or config.saves_padding:
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
        if region.lifetime is Lifetime.STATE:
            end = max(end, region.offset + region.nbytes)
    return end


def region_table(title: str, regions: tuple[Region, ...], nbytes: int) -> str:
    """A plan as text."""
    lines = [title, f"{'region':<18}{'offset':>10}{'bytes':>12}  purpose"]
    lines += [f"{r.name:<18}{r.offset:>10}{r.nbytes:>12}  {r.purpose}" for r in regions]
    lines.append(f"{'total':<18}{'':>10}{nbytes:>12}")
    return "\n".join(lines)
