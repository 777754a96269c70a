"""A plan as notebooks show it: a map of the block, and its regions as a table."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from edgeolk.configuration.regions import Lifetime, Region

#: Colours of the map: what is stored in files, what only calls use, padding.
_STATE, _SCRATCH, _PADDING = "#0072b2", "#e69f00", "#8c8c8c"
_WIDTH, _LANE = 640, 16
_LEFT = "style='text-align:left'"
_KEYS = {
    _STATE: "state, stored in files",
    _SCRATCH: "scratch, one line for each time of use",
    _PADDING: "padding",
}


def plan_html(
    title: str, regions: tuple[Region, ...], nbytes: int, facts: Mapping[str, str]
) -> str:
    """Return the map and the table.

    facts: further properties of the model, by name.
    """
    rows = "".join(
        f"<tr><td {_LEFT}>{escape(one.name)}</td><td>{one.offset:,}</td><td>{one.nbytes:,}</td>"
        f"<td>{100 * one.nbytes / nbytes:.1f} %</td><td {_LEFT}>{escape(one.purpose)}</td></tr>"
        for one in regions
    )
    more = "".join(
        f"<tr><td {_LEFT}>{escape(name)}</td><td colspan='4' {_LEFT}>{escape(text)}</td></tr>"
        for name, text in facts.items()
    )
    head = "".join(
        f"<th {_LEFT if name in ('region', 'purpose') else ''}>{name}</th>"
        for name in ("region", "offset", "bytes", "share", "purpose")
    )
    return (
        f"<div><b>{escape(title)}: {nbytes:,} bytes</b></div>{_map(regions, nbytes)}"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}{more}</tbody></table>"
    )


def _map(regions: tuple[Region, ...], nbytes: int) -> str:
    """Return the block as an SVG: a line of state, and one for each use of scratch."""
    lanes = [one for one in Lifetime if any(region.lifetime is one for region in regions)]
    boxes, used = [], set()
    for region in regions:
        is_padding = not region.element and region.lifetime is not Lifetime.STATE
        is_state = region.lifetime is Lifetime.STATE
        colour = _PADDING if is_padding else _STATE if is_state else _SCRATCH
        used.add(colour)
        left, width = (_WIDTH * part / nbytes for part in (region.offset, region.nbytes))
        boxes.append(
            f"<rect x='{left:.1f}' y='{lanes.index(region.lifetime) * _LANE}' "
            f"width='{max(width - 0.5, 0.5):.1f}' height='{_LANE - 2}' fill='{colour}'>"
            f"<title>{escape(region.name)}: {region.nbytes:,} bytes</title></rect>"
        )
    keys = " ".join(
        f"<span style='color:{one}'>&#9632;</span> {what}"
        for one, what in _KEYS.items()
        if one in used
    )
    height = len(lanes) * _LANE
    return (
        f"<svg viewBox='0 0 {_WIDTH} {height}' width='{_WIDTH}' height='{height}' role='img' "
        f"aria-label='map of the block' style='max-width:100%'>{''.join(boxes)}</svg>"
        f"<div><small>{keys}</small></div>"
    )
