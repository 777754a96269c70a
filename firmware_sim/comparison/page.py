"""A comparison as one HTML page that loads nothing and runs nothing."""

from __future__ import annotations

import math

from firmware_sim.comparison.caps import written
from firmware_sim.comparison.choice import choice, sentence
from firmware_sim.comparison.heading import head_lines
from firmware_sim.comparison.program import program
from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.series import OTHERS, coloured, lines
from firmware_sim.comparison.table import lasting, shown, table
from firmware_sim.drawing.document import document, drawn, safe
from firmware_sim.drawing.svg import Frame, Plane, both, legend, ticks

_DASHES = ("2 4", "8 4", "8 3 2 3")
_NAMED = ("dotted", "dashed", "dashes and dots")
_EARLY = "interrupted: these are the runs so far."
_STYLE = """
polyline.other{stroke:#cdd3da;stroke-width:1.2}polyline.trivial{stroke:#222b36;stroke-width:1.2}
.legend li::before{height:.35em;vertical-align:middle}
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
            f'<h2>While it runs</h2><pre id="lasting">{safe(chr(10).join(told))}</pre>'
            for told in [lasting(found)]
            if told
        ),
    ]
    if best is not None:
        code = "\n".join(program(found, *best))
        body += ["<h2>In Python</h2>", f'<pre id="program">{safe(code)}</pre>']
    body += ["<h2>The run</h2>", f'<pre id="run">{safe(chr(10).join(head_lines(found)))}</pre>']
    return document(title, _STYLE, body)


def _picture(found: Comparison, frame: Frame) -> str:
    drawn, baselines = lines(found), found.rows.baselines
    known = [e for line in drawn.values() for _, e in line] + [*baselines.values()]
    above = [error for error in known if error > 0.0] or [0.01]
    # What errs more than twice as often as the worst trivial answer lies on the upper edge.
    most = 2.0 * max(baselines.values(), default=max(above))
    low, high = min(above) / 1.3, max(min(max(above) * 1.1, most), 2.0 * min(above))
    # Caps on a logarithmic scale, a little off the edges; a single one in the middle.
    at = {ram: math.log(ram) for ram in found.rams}
    off = max(0.03 * (max(at.values()) - min(at.values())), 1e-3)
    across = min(at.values()) - off, max(at.values()) + off
    plane = Plane(frame, across, (low, high), logarithmic=True)
    percent = found.rows.evaluator.metrics.shares
    parts = plane.lines(ticks(low, high), percent=percent)
    parts += [frame.below(plane.x(at[ram]), written(ram)) for ram in found.rams]
    for error, dash in zip(baselines.values(), _DASHES, strict=False):
        look = f'class="trivial" stroke-dasharray="{dash}"'
        parts.append(plane.line(look, across, (error, error)))
    colours = coloured(found)
    for name in reversed(drawn):  # the first are on top
        places = [at[ram] for ram, _ in drawn[name]], [error for _, error in drawn[name]]
        colour = colours.get(name)
        parts.append(plane.line(f'stroke="{colour}"' if colour else 'class="other"', *places))
        if colour:
            look = f'r="4" fill="{colour}"'
            parts += [
                f'<circle cx="{a:.1f}" cy="{b:.1f}" {look}/>' for a, b in plane.places(*places)
            ]
    return frame.drawn("error against memory", parts)


def _legend(found: Comparison) -> str:
    items = [(colour, shown(name)) for name, colour in coloured(found).items()]
    if len(lines(found)) > len(items):
        items.append((OTHERS, "the other methods"))
    for name, dash in zip(found.rows.baselines, _NAMED, strict=False):
        items.append(("#222b36", f"{name} ({dash})"))
    return legend((f'style="--c:{colour}"', said) for colour, said in items)
