"""The report of a replay as one HTML page that loads nothing and runs nothing."""

from __future__ import annotations

from firmware_sim.drawing.document import document, drawn, safe
from firmware_sim.drawing.table import Table
from firmware_sim.metrics import Novelty, Regression
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report import course
from firmware_sim.report.command import command
from firmware_sim.report.errors import errors
from firmware_sim.report.figures import (
    ABOUT_INPUTS,
    figures,
    frozen,
    inputs,
    judged_by,
    meanings,
    tables,
)
from firmware_sim.report.series import SCALING
from firmware_sim.report.text import board_lines, event_lines, head_lines
from firmware_sim.report.verdict import over_time, verdict

_STYLE = """
polyline.learner{stroke:var(--learner)}
polyline.first{stroke:var(--first);stroke-dasharray:6 4}
polyline.second{stroke:var(--second);stroke-dasharray:6 4}
polygon.recent{fill:var(--learner);opacity:.16}
rect.fault{fill:#cc79a7;opacity:.22}rect.window{fill:#e69f00;opacity:.3}
rect.alarm{fill:#b00020;opacity:.5}rect.rise{fill:var(--warn);opacity:.14}
rect.drift{fill:#d55e00}
.legend .learner{--c:var(--learner)}.legend .first{--c:var(--first)}
.legend .second{--c:var(--second)}.legend .recent{--c:#cfe3f0}
.legend .fault{--c:#f1d5e4}.legend .window{--c:#f7dca6}
.legend .alarm{--c:#b00020}.legend .rise{--c:#f2d3d8}.legend .drift{--c:#d55e00}
.map{display:flex;height:2rem;border:1px solid var(--line);background:#eef1f4}
.map span{display:block;min-width:1px}
.learner-part{background:var(--learner)}.scaler-part{background:var(--scaler)}
.buffer-part{background:var(--buffer)}
dl.bars{display:grid;grid-template-columns:fit-content(45%) 1fr;gap:.2rem .7rem;margin:.4rem 0}
.bars dt{overflow-wrap:anywhere}.bars dd{margin:0;white-space:nowrap}
.bars dd{display:flex;align-items:center;gap:.4rem}
.bars span{background:var(--learner);height:.9em;min-width:2px}
"""


def to_page(result: ReplayResult) -> str:
    """Return the page.

    result: what a replay returned.
    """
    params = ", ".join(f"{name}={value}" for name, value in result.config.params.items())
    learner = result.config.algorithm + (f" ({params})" if params else "")
    title = f"{result.stream.name}: {learner} in {result.layout.cap:,} bytes"
    body = [
        f"<h1>{safe(title)}</h1>",
        *_early(result),
        f'<p id="verdict">{safe(verdict(result))}</p>',
        *(f"<p>{safe(text)}</p>" for text in [frozen(result), result.hint] if text),
        *(f'<p class="warn">{safe(text)}</p>' for text in result.warnings),
        f"<h2>{safe(over_time(result))}</h2>",
        '<p class="faint">Each row is predicted before it is learned. Logarithmic scale.</p>',
        f'<div id="errors">{errors(result)}</div>',
        *_forecasts(result),
        "<h2>Figures</h2>",
        drawn(figures(result)),
        f'<ul class="faint">{"".join(f"<li>{safe(line)}</li>" for line in meanings(result))}</ul>',
        *_inputs(result),
        *_of_kind(result),
        "<h2>Rows</h2>",
        _rows(result),
        "<h2>Memory</h2>",
        *_memory(result),
        *_board(result),
        "<h2>The run</h2>",
        f'<pre id="run">{safe(_joined([*head_lines(result), *event_lines(result)]))}</pre>',
        *_again(result),
    ]
    return document(title, _STYLE + course.STYLE, body)


def _joined(lines: list[str]) -> str:
    return "\n".join(lines)


def _forecasts(result: ReplayResult) -> list[str]:
    metrics = result.metrics
    if not isinstance(metrics, Regression) or not metrics.course.rows:
        return []
    return course.sections(metrics.course)


def _early(result: ReplayResult) -> list[str]:
    if result.status == "complete":
        return []
    text = f"{result.status}: {result.detail}. This is the report so far."
    return [f'<p class="warn">{safe(text)}</p>']


def _inputs(result: ReplayResult) -> list[str]:
    """A bar for each input that matters."""
    found = inputs(result)
    if not found:
        return []
    bars = "".join(
        f'<dt>{safe(name)}</dt><dd><span style="width:{75 * share / found[0][1]:.1f}%"></span>'
        f"{100 * share:.0f} %</dd>"
        for name, share in found
    )
    about = ABOUT_INPUTS[0].upper() + ABOUT_INPUTS[1:]
    return [
        "<h2>Input importance</h2>",
        f'<p class="faint">{about}.</p>',
        f'<dl class="bars" id="inputs">{bars}</dl>',
    ]


def _of_kind(result: ReplayResult) -> list[str]:
    """What a kind of labels has beside the figures."""
    body = []
    if isinstance(result.metrics, Novelty):
        said = judged_by(result.metrics)
        body.append(f'<p class="faint">{safe(said[0].upper() + said[1:])}.</p>')
    for table in tables(result):
        head, *rest = table.title.partition(": ")
        body.append(f"<h2>{safe(head)}</h2>")
        if rest[1]:
            body.append(f'<p class="faint">{safe(rest[1][0].upper() + rest[1][1:])}.</p>')
        body.append(drawn(table))
    return body


def _rows(result: ReplayResult) -> str:
    count = result.rows
    missing = ", ".join(f"{name} {n:,}" for name, n in count.missing_by_column.items())
    rows = (
        ("read", count.read, ""),
        ("used", count.used, ""),
        ("left out, a value missing", count.missing, missing),
        ("repaired", count.repaired, result.config.missing if count.repaired else ""),
        ("left out, damaged", count.damaged, count.first_damage),
        ("refused by the learner", count.refused, count.first_refusal),
    )
    why = "why, or the first"
    told = [(what, f"{n:,}", said) for what, n, said in rows]
    return drawn(Table("rows", "", ("", "rows", why), told, sentences=(why,)))


def _memory(result: ReplayResult) -> list[str]:
    layout = result.layout
    bars = []
    rows: list[tuple[str, ...]] = []
    for part in layout.parts:
        kind = "scaler" if part.name in SCALING else "buffer"
        kind = "learner" if part.name == "learner" else kind
        share = 100.0 * part.nbytes / layout.cap
        look = f'class="{kind}-part" style="width:{share:.3f}%"'
        bars.append(f'<span {look} title="{safe(part.name)}"></span>')
        rows.append((part.name, f"{part.offset:,}", f"{part.nbytes:,}"))
        for region in part.regions:
            name = "\u00a0\u00a0" + region.name.replace("_", " ")
            rows.append((name, f"{region.offset:,}", f"{region.nbytes:,}"))
    return [
        f"<p>{layout.cap - layout.free:,} of {layout.cap:,} bytes; {safe(result.enforcement)}.</p>",
        f'<div class="map" id="map">{"".join(bars)}</div>',
        drawn(Table("memory", "", ("region", "offset", "bytes"), rows)),
    ]


def _board(result: ReplayResult) -> list[str]:
    lines = [line for line in board_lines(result) if line]
    return ["<h2>Board</h2>", f'<pre id="board">{safe(_joined(lines))}</pre>'] if lines else []


def _again(result: ReplayResult) -> list[str]:
    words = command(result.config)
    return ["<h2>Again</h2>", f'<pre id="command">{safe(words)}</pre>'] if words else []
