"""A comparison as one HTML page that loads nothing and runs nothing."""

from __future__ import annotations

import math

from firmware_sim.comparison.caps import written
from firmware_sim.comparison.choice import choice, sentence
from firmware_sim.comparison.heading import head_lines
from firmware_sim.comparison.program import program
from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.table import lasting, ranking, shown, table
from firmware_sim.report.document import document, drawn, safe
from firmware_sim.report.svg import Frame, both, points, ticks

#: Methods and baselines that are drawn in a colour of their own; the others are grey.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
_DASHES = ("2 4", "8 4", "8 3 2 3")
_NAMED = ("dotted", "dashed", "dashes and dots")
_EARLY = "interrupted: these are the runs so far."
_STYLE = """
polyline{fill:none;stroke-width:2.4}polyline.other{stroke:#cdd3da;stroke-width:1.2}
line.trivial{stroke:#222b36;stroke-width:1.2}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0;margin:.3rem 0}
.legend li::before{content:"";display:inline-block;width:1.1em;height:.35em;margin-right:.4em;
vertical-align:middle;background:var(--c)}
pre{background:#f4f6f8;padding:.6rem;overflow-x:auto;white-space:pre-wrap;
overflow-wrap:anywhere;font-size:.9rem}
"""


def to_page(found: Comparison) -> str:
    """Return the page."""
    title = f"{found.rows.name}: error against memory"
    best = choice(found)
    body = [
        f"<h1>{safe(title)}</h1>",
        *([] if found.complete else [f'<p class="warn">{_EARLY}</p>']),
        f'<p id="verdict">{safe(sentence(found))}</p>',
        *(f'<p class="warn">{safe(text)}</p>' for text in found.rows.warnings),
        "<h2>Error against memory</h2>",
        '<p class="faint">Each row is predicted before it is learned; everything under the cap '
        "counts. Both scales are logarithmic.</p>",
        f'<div id="errors">{both(lambda frame: _picture(found, frame))}{_legend(found)}</div>',
        "<h2>Ranking</h2>",
        f'<p class="faint">{safe(table(found).title)}.</p>',
        drawn(table(found)),
        *(
            f'<h2>While it runs</h2><pre id="lasting">{safe(chr(10).join(lines))}</pre>'
            for lines in [lasting(found)]
            if lines
        ),
    ]
    if best is not None:
        lines = "\n".join(program(found, *best))
        body += ["<h2>In Python</h2>", f'<pre id="program">{safe(lines)}</pre>']
    body += ["<h2>The run</h2>", f'<pre id="run">{safe(chr(10).join(head_lines(found)))}</pre>']
    return document(title, _STYLE, body)


def _lines(found: Comparison) -> dict[str, list[tuple[int, float]]]:
    """Return errors by cap, of the methods that have some."""
    lines = {
        name: [(ram, e) for ram in found.rams if (e := found.cell(name, ram).error) is not None]
        for name in ranking(found)
        if name not in found.rows.baselines
    }
    return {name: line for name, line in lines.items() if line}


def _coloured(found: Comparison) -> list[str]:
    return [*_lines(found)][: len(_COLOURS)]


def _picture(found: Comparison, frame: Frame) -> str:
    lines, baselines = _lines(found), found.rows.baselines
    shares = found.rows.evaluator.metrics.shares
    known = [e for line in lines.values() for _, e in line] + [*baselines.values()]
    above = [error for error in known if error > 0.0] or [0.01]
    # What errs more than twice as often as the worst trivial answer lies on the upper edge.
    most = 2.0 * max(baselines.values(), default=max(above))
    low, high = min(above) / 1.3, max(min(max(above) * 1.1, most), 2.0 * min(above))

    def x(ram: int) -> float:
        span = math.log(found.rams[-1] / found.rams[0]) or 1.0
        part = math.log(ram / found.rams[0]) / span if len(found.rams) > 1 else 0.5
        return frame.left + 14 + part * (frame.inner_width - 28)

    def y(error: float) -> float:
        return frame.y(error, low, high)

    parts = [frame.open("error against memory")]
    for value in ticks(low, high):
        parts += frame.line_at(y(value), f"{100 * value:g} %" if shares else f"{value:g}")
    for ram in found.rams:
        parts.append(frame.below(x(ram), written(ram)))
    for error, dash in zip(baselines.values(), _DASHES, strict=False):
        ends = f'x1="{frame.left}" x2="{frame.width - frame.right}"'
        look = f'y1="{y(error):.1f}" y2="{y(error):.1f}" stroke-dasharray="{dash}"'
        parts.append(f'<line class="trivial" {ends} {look}/>')
    coloured = dict(zip(_coloured(found), _COLOURS, strict=False))
    for name in reversed(lines):  # the first are on top
        places = [(x(ram), y(error)) for ram, error in lines[name]]
        colour = coloured.get(name)
        look = f'stroke="{colour}"' if colour else 'class="other"'
        parts.append(f'<polyline {look} points="{points(places)}"/>')
        if colour:
            look = f'r="4" fill="{colour}"'
            parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" {look}/>' for a, b in places]
    return "".join([*parts, "</svg>"])


def _legend(found: Comparison) -> str:
    items = [
        f'<li style="--c:{colour}">{safe(shown(name))}</li>'
        for name, colour in zip(_coloured(found), _COLOURS, strict=False)
    ]
    if len(_lines(found)) > len(items):
        items.append('<li style="--c:#cdd3da">the other methods</li>')
    for name, dash in zip(found.rows.baselines, _NAMED, strict=False):
        items.append(f'<li style="--c:#222b36">{safe(name)} ({dash})</li>')
    return f'<ul class="legend">{"".join(items)}</ul>'
