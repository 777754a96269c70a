"""The report's picture: error over time on the left, memory under the cap on the right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator

from firmware_sim.drawing.chart import BUFFER, FREE, LEARNER, SCALER, TEXT, WARN, Mark
from firmware_sim.drawing.pictures import FAINT, THOUSANDS, canvas, plot
from firmware_sim.plaintext import printable
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.error_chart import BANDS, errors
from firmware_sim.report.figures import in_short
from firmware_sim.report.kinds import draw_panels, height_of
from firmware_sim.report.summary import (
    SCALING,
    headline,
    learner_size,
    summary_sentence,
)

#: Width of an alarm's reason as a share of the rows; its maximum number of letters.
_REASON_WIDTH, _LONGEST = 0.018, 60
#: Inches of the part that every picture has.
_TALL = 6.4
SMALL = 0.01  # learner regions below this fraction of the cap share one line


class Bar(NamedTuple):
    """One line of the memory chart; regions that share a line have a span each."""

    name: str
    spans: list[tuple[int, int]]  # offset and bytes
    colour: str


def draw(result: ReplayResult, path: Path) -> None:
    """Draw the picture of a replay into a PNG file.

    result: the result of a replay.
    path: the file, overwritten.
    """
    panels = result.metrics.panels()
    more = height_of(panels) if panels else 0.0
    size = 13.0, _TALL + more
    with canvas(path, size, dpi=120, pil_kwargs={"compress_level": 3}) as figure:
        upper: Any = figure
        if panels:
            halves: Any = figure.subfigures(2, 1, height_ratios=(_TALL, more))
            upper = halves[0]
            draw_panels(halves[1], panels)
        errors, memory = upper.subplots(1, 2, width_ratios=(1.55, 1))
        upper.subplots_adjust(left=0.07, right=0.975, bottom=0.095, top=0.7, wspace=0.42)
        _headline(upper, result)
        _draw_errors(errors, result)
        _draw_memory(memory, result)


def _headline(figure: Any, result: ReplayResult) -> None:
    early = "" if result.status == "complete" else f"  ({result.status}: the report so far)"
    title = f"{headline(result)} in {_bytes(result.layout.cap)} of RAM{early}"
    # A name may contain math markup, or characters that no font has.
    title = printable(title)
    figure.text(0.018, 0.957, title, fontsize=17, fontweight="bold", va="center", parse_math=False)
    readings = f"{result.rows.used:,} rows of {len(result.stream.features)} readings"
    about = f"{readings}, {learner_size(result)}.  {summary_sentence(result, counts=False)}"
    for height, line in ((0.912, about), (0.874, in_short(result))):
        figure.text(0.018, height, line, color=FAINT, fontsize=10.5, va="center")


def _draw_errors(axes: Any, result: ReplayResult) -> None:
    """Draw the page's chart of errors, with the reasons of alarms."""
    chart = errors(result)
    title = f"{result.metrics.timeline_title}: each row is predicted before it is learned"
    axes.set_title(title, pad=52)
    if chart is None:
        axes.text(0.5, 0.5, "no row was scored", ha="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    # The legend between title and axes may have three lines.
    many = {"ncols": 3, "fontsize": 8.5} if len(chart.legend) > 6 else {"columnspacing": 2.5}
    plot(axes, chart, **many)
    _write_reasons(axes, [mark for mark in chart.marks if mark.name == BANDS["alarm"][0]])


def _write_reasons(axes: Any, alarms: Sequence[Mark]) -> None:
    """Write the reason of each alarm vertically, if there is space next to the previous one."""
    rows = axes.get_xlim()[1]
    before = -rows
    for alarm in alarms:
        first, (_, _, reason) = alarm.x[0], alarm.tooltip.partition(": ")
        if first - before < _REASON_WIDTH * rows:
            continue
        before = first
        axes.text(
            *(first, 0.055, reason if len(reason) <= _LONGEST else reason[:_LONGEST] + "..."),
            color=WARN, fontsize=7.5, rotation=90, ha="center", va="bottom", clip_on=True,
            transform=axes.get_xaxis_transform(),
            bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.5},
        )  # fmt: skip


def _draw_memory(axes: Any, result: ReplayResult) -> None:
    """Draw each region as a bar from its first byte to its last, one per line, under the cap."""
    layout = result.layout
    bars = _bars(result)
    axes.set_title(f"Memory: {layout.cap - layout.free:,} of {layout.cap:,} bytes", pad=52)
    for place, bar in enumerate(bars):
        axes.broken_barh(bar.spans, (place - 0.31, 0.62), color=bar.colour, linewidth=0)
        _label(axes, place, bar, layout.cap)
    axes.axvline(layout.cap, color=WARN, linewidth=2)
    axes.annotate(
        *(f"cap {_bytes(layout.cap)}", (layout.cap, 0.99), (-4, 0)),
        xycoords=("data", "axes fraction"), textcoords="offset points",
        ha="right", va="top", color=WARN, fontweight="bold", fontsize=10,
    )  # fmt: skip
    axes.set_xlim(0, 1.004 * layout.cap)
    axes.set_ylim(len(bars) - 0.4, -1.1)
    axes.set_yticks(range(len(bars)), [bar.name for bar in bars])
    axes.tick_params(axis="y", length=0, labelcolor=TEXT)
    axes.xaxis.set_major_locator(FixedLocator([layout.cap * i / 4 for i in range(5)]))
    axes.xaxis.set_major_formatter(THOUSANDS)
    axes.grid(axis="x")
    axes.set_xlabel("address under the cap, bytes")
    tenants = {"rows": BUFFER, "scaler, repair": SCALER, "learner": LEARNER, "free": FREE}
    shown = {bar.colour for bar in bars}
    axes.legend(
        handles=[Patch(color=own, label=name) for name, own in tenants.items() if own in shown],
        ncols=4, loc="lower left", bbox_to_anchor=(-0.03, 0.995), handlelength=1.0,
        columnspacing=1.6,
    )  # fmt: skip


def _label(axes: Any, place: int, bar: Bar, cap: int) -> None:
    """Write the bytes of a bar inside it, to its right, or to its left if it ends near the cap."""
    total = sum(nbytes for _, nbytes in bar.spans)
    start, first = bar.spans[0]
    end = start + first
    inside = len(bar.spans) == 1 and total > 0.3 * cap
    before = not inside and end > 0.72 * cap
    spot = start + total / 2 if inside else start if before else end
    axes.annotate(
        *(f"{total:,}", (spot, place), (0 if inside else -5 if before else 5, 0)),
        textcoords="offset points",
        ha="center" if inside else "right" if before else "left", va="center",
        fontsize=9.5, color="white" if inside and bar.colour != FREE else TEXT,
    )  # fmt: skip


def _bars(result: ReplayResult) -> list[Bar]:
    """Return the bars in the order of addresses."""
    layout = result.layout
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


def _bytes(count: int) -> str:
    """Return a size as text, such as 64 KiB or 1,000 bytes."""
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size and count % size == 0:
            return f"{count // size:,} {unit}"
    return f"{count:,} bytes"
