"""Charts drawn by matplotlib: as SVG inside a page, and together in one PNG."""

from __future__ import annotations

import html
import io
import math
import re
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from firmware_sim.drawing.chart import FAINT, FREE, GRID, PAPER, TEXT, WARN, Drawing
from firmware_sim.drawing.document import Report
from firmware_sim.plaintext import printable

#: Letters of the text below a title that an inch has room for.
_LETTERS = 12
_STYLE: Any = {
    "font.family": "DejaVu Sans",  # part of matplotlib: the same picture on every machine
    "font.size": 10.5,
    "text.color": TEXT,
    "text.parse_math": False,  # a name of a reading may contain a dollar
    "axes.axisbelow": True,
    "axes.edgecolor": "#b8c0ca",
    "axes.labelcolor": FAINT,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.9,
    "legend.fontsize": "medium",
    "legend.frameon": False,
    "legend.handlelength": 1.5,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "svg.fonttype": "none",  # text stays text: small, searchable, in the font of the page
    "svg.hashsalt": "edgeolk",  # the same identifiers in every run
}
#: Colours that a page replaces by its own, which differ on a dark screen. Those of data stay: they
#: differ clearly from each other on both.
_COLOURS = {
    TEXT: "ink", FAINT: "faint", GRID: "line", WARN: "warn", FREE: "line", PAPER: "paper",
}  # fmt: skip
#: Units of a drawing, which are pixels on a screen of its width; 72 make an inch.
_WIDE, _NARROW, _TALL, _LEGEND_ROW = 900, 345, 300, 17
_UNIT = 72.0


@contextmanager
def _styled(**more: Any) -> Iterator[None]:
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # of a foreign name
        matplotlib.rcdefaults()  # a style file of the user's must not change a report
        settings: Any = {**_STYLE, **more}
        matplotlib.rcParams.update(settings)
        yield


def svg(name: str, chart: Drawing) -> str:
    """Return a chart for wide screens and for narrow ones; a page shows one of them."""
    return "".join(
        f'<div class="{kind}">{_svg(f"{name}-{kind}", chart, narrow=kind == "narrow")}</div>'
        for kind in ("wide", "narrow")
    )


def wide(name: str, chart: Drawing) -> str:
    """Return a chart for wide screens."""
    return _svg(name, chart, narrow=False)


def _svg(name: str, chart: Drawing, *, narrow: bool) -> str:
    rows = chart.legend_rows if narrow else math.ceil(chart.legend_rows / 2)
    width, height = _NARROW if narrow else _WIDE, chart.height * _TALL + rows * _LEGEND_ROW
    with _styled(**{"font.size": 12.0}):
        figure = Figure((width / _UNIT, height / _UNIT), facecolor="none", layout="constrained")
        canvas: Any = FigureCanvasSVG(figure)
        axes = figure.subplots()
        axes.set_facecolor("none")
        chart.draw(axes, narrow=narrow)
        file = io.StringIO()
        canvas.print_svg(file)  # Figure.savefig draws twice
    return _inline(file.getvalue(), name, chart.title)


def _inline(text: str, name: str, label: str) -> str:
    """Return the SVG of matplotlib as part of a page.

    Its prologue goes, tooltips become titles, identifiers unique, and coordinates shorter.
    """
    box = re.search(r'viewBox="[^"]*"', text)
    assert box is not None
    text = text[text.index("<defs") :]
    text = re.sub(r'<g id="title:([^"]*)">', r"<g><title>\1</title>", text)
    used = {*re.findall(r"(?:url\(|href=\")#(\w+)", text)}
    text = re.sub(
        r' id="([^"]*)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", text
    )
    text = re.sub(r"(url\(|href=\")#", rf"\1#{name}-", text).replace("xlink:href", "href")
    text = re.sub(
        r' d="([^"]*)"',
        lambda found: ' d="' + re.sub(r"(\.\d)\d+", r"\1", " ".join(found[1].split())) + '"',
        text,
    )
    for colour, variable in _COLOURS.items():
        text = text.replace(colour, f"var(--{variable})")
    head = f'<svg {box[0]} role="img" aria-label="{html.escape(printable(label.lower()))}">'
    # Names of a stream may contain control characters.
    return printable(head + re.sub(r">\s+<", "><", text).strip(), keep="\n")


class Picture(Figure):
    """A figure that notebooks show, whether or not they draw with pyplot."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.write_png(file)
        return file.getvalue()

    def write_png(self, file: Any) -> None:
        """Write the figure as a PNG, without the name of the program."""
        saved: Any = {"metadata": {"Software": None}, "pil_kwargs": {"compress_level": 3}}
        canvas: Any = FigureCanvasAgg(self)
        with _styled():
            canvas.print_png(file, **saved)


def draw(report: Report, path: Path) -> None:
    """Draw all charts of a report into a PNG file; see `picture`.

    path: the file, overwritten.
    """
    picture(report).write_png(path)


def picture(report: Report) -> Picture:
    """Draw all charts of a report under its title and headline.

    Wide charts are on the left, compact ones on the right.

    report: a report with at least one chart.
    """
    columns = [[one for one in report.charts if one.compact is side] for side in (False, True)]
    columns = [charts for charts in columns if charts]
    legends = [
        [one.legend_rows if one.compact else math.ceil(one.legend_rows / 2) for one in charts]
        for charts in columns
    ]
    heights = [
        [3.4 * one.height + 0.22 * rows for one, rows in zip(charts, each, strict=True)]
        for charts, each in zip(columns, legends, strict=True)
    ]
    width = (9.0, 13.0)[len(columns) - 1]
    said = [printable(line) for line in (report.headline, *report.notes[:1])]
    lines = [part for line in said for part in textwrap.wrap(line, int(_LETTERS * width))]
    head = 0.7 + 0.26 * len(lines)
    height = head + max(map(sum, heights)) + 0.5
    with _styled():
        # Not pyplot: a report must not touch the state of a program that draws its own figures.
        figure: Any = Picture((width, height), 120, facecolor="white", layout="constrained")
        figure.get_layout_engine().set(rect=(0, 0, 1, 1 - head / height), w_pad=0.12, h_pad=0.1)
        at = 1 - 0.38 / height
        title = printable(report.title)
        figure.text(0.015, at, title, fontsize=16, fontweight="bold", va="center")
        for place, line in enumerate(lines):
            down = at - (0.34 + 0.24 * place) / height
            figure.text(0.015, down, line, color=FAINT, va="center")
        grid = figure.add_gridspec(1, len(columns), width_ratios=(1.55, 1)[: len(columns)])
        for column, charts, ratios, each in zip(grid, columns, heights, legends, strict=True):
            stacked = column.subgridspec(len(charts), 1, height_ratios=ratios)
            for place, chart, rows in zip(stacked, charts, each, strict=True):
                axes = figure.add_subplot(place)
                chart.draw(axes, narrow=chart.compact)
                axes.set_title(chart.title, pad=12 + 17 * rows)
    return figure  # type: ignore[no-any-return]
