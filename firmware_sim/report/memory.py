"""The memory under the cap as a chart: each region from its first byte to its last."""

from __future__ import annotations

from typing import Any, NamedTuple

from firmware_sim.containment.memory import Layout
from firmware_sim.drawing.chart import BUFFER, FREE, LEARNER, SCALER, TEXT, WARN, Drawing, legend
from firmware_sim.report.summary import SCALING

SMALL = 0.01  # learner regions below this fraction of the cap share one line
_KINDS = {"rows": BUFFER, "scaler, repair": SCALER, "learner": LEARNER, "free": FREE}


class Bar(NamedTuple):
    """One line of the chart; regions that share a line have a span each."""

    name: str
    spans: list[tuple[int, int]]  # offset and bytes
    colour: str


class MemoryChart(Drawing):
    """Bars in the order of addresses, and the cap."""

    compact = True

    def __init__(self, layout: Layout) -> None:
        self.title = f"Memory: {layout.cap - layout.free:,} of {layout.cap:,} bytes"
        self._cap, self._bars = layout.cap, _bars(layout)
        self.height = 0.25 + 0.075 * len(self._bars)
        used = {bar.colour for bar in self._bars}
        self._kinds = {name: colour for name, colour in _KINDS.items() if colour in used}
        self.legend_rows = len(self._kinds)

    def draw(self, axes: Any, *, narrow: bool) -> None:
        """Draw the bars and the cap."""
        for place, bar in enumerate(self._bars):
            axes.broken_barh(bar.spans, (place - 0.31, 0.62), color=bar.colour, linewidth=0)
        axes.axvline(self._cap, color=WARN, linewidth=2)
        axes.set(xlim=(0, 1.004 * self._cap), ylim=(len(self._bars) - 0.4, -0.6))
        names = [f"{one.name}  {sum(n for _, n in one.spans):,}" for one in self._bars]
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0, labelcolor=TEXT)
        quarters = [self._cap * i / 4 for i in range(0, 5, 2 if narrow else 1)]
        axes.set_xticks(quarters, [f"{at:,.0f}" for at in quarters])
        axes.grid(axis="x")
        axes.set_xlabel("address in bytes; red: the cap")
        patches = [axes.barh(0, 0, color=colour) for colour in self._kinds.values()]
        legend(axes, patches, [*self._kinds], narrow=narrow)


def _bars(layout: Layout) -> list[Bar]:
    """Return the bars in the order of addresses."""
    bars = [
        Bar(one.name, [(one.offset, one.nbytes)], SCALER if one.name in SCALING else BUFFER)
        for one in layout.parts
        if one.name != "learner"
    ]
    small = []
    for region in layout.part("learner").regions:
        if region.nbytes < SMALL * layout.cap:
            small.append((region.offset, region.nbytes))
        else:
            name = region.name.replace("_", " ")
            bars.append(Bar(name, [(region.offset, region.nbytes)], LEARNER))
    if small:
        bars.append(Bar("learner, the rest", small, LEARNER))
    bars.sort(key=lambda bar: bar.spans[0])
    if layout.free:
        bars.append(Bar("free", [(layout.end, layout.free)], FREE))
    return bars
