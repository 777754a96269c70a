"""The report of a replay as one HTML page that loads nothing and runs nothing."""

from __future__ import annotations

import html
from typing import Any

from firmware_sim.metrics import Novelty
from firmware_sim.plaintext import printable
from firmware_sim.replaying.loop import ReplayResult
from firmware_sim.report import svg
from firmware_sim.report.command import command
from firmware_sim.report.document import document
from firmware_sim.report.figures import figures, judged_by, tables
from firmware_sim.report.record import emulated_on
from firmware_sim.report.table import Table
from firmware_sim.report.text import board_lines, event_lines, head_lines
from firmware_sim.report.verdict import advice, over_time, verdict

_STYLE = """
:root{--ink:#222b36;--faint:#5d6875;--line:#dfe4ea;--learner:#0072b2;--first:#8c8c8c;
--second:#d55e00;--scaler:#009e73;--buffer:#e69f00;--warn:#b00020}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1rem;font:16px/1.45 system-ui,sans-serif;
color:var(--ink);background:#fff}
h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}
p{margin:.4rem 0}.faint{color:var(--faint)}.warn{color:var(--warn);font-weight:600}
svg{width:100%;height:auto;display:block}
svg text{font-size:12px;fill:var(--faint)}
.grid{stroke:var(--line)}polyline{fill:none;stroke-width:2.4}
polyline.learner{stroke:var(--learner)}
polyline.first{stroke:var(--first);stroke-dasharray:6 4}
polyline.second{stroke:var(--second);stroke-dasharray:6 4}
polygon.recent{fill:var(--learner);opacity:.16}
rect.fault{fill:#cc79a7;opacity:.22}rect.window{fill:#e69f00;opacity:.3}rect.rise{fill:var(--warn);opacity:.14}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0;margin:.3rem 0}
.legend li::before{content:"";display:inline-block;width:1.1em;height:.7em;margin-right:.4em;
background:var(--c)}
.legend .learner{--c:var(--learner)}.legend .first{--c:var(--first)}
.legend .second{--c:var(--second)}.legend .recent{--c:#cfe3f0}
.legend .fault{--c:#f1d5e4}.legend .window{--c:#f7dca6}.legend .rise{--c:#f2d3d8}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left;padding-left:0}
#rows td:last-child,#rows th:last-child{white-space:normal;text-align:left}
@media(max-width:600px){svg text{font-size:21px}th,td{padding:.25rem .4rem}}
.map{display:flex;height:2rem;border:1px solid var(--line);background:#eef1f4}
.map span{display:block;min-width:1px}
.learner-part{background:var(--learner)}.scaler-part{background:var(--scaler)}
.buffer-part{background:var(--buffer)}
pre{background:#f4f6f8;padding:.6rem;overflow-x:auto;white-space:pre-wrap;
overflow-wrap:anywhere;font-size:.9rem}
"""
_SCALERS = ("scaler", "target scaler", "repair")


def to_page(result: ReplayResult) -> str:
    """Return the page.

    Parameters
    ----------
    result : ReplayResult
        What a replay returned.
    """
    params = ", ".join(f"{name}={value}" for name, value in result.config.params.items())
    learner = result.config.algorithm + (f" ({params})" if params else "")
    title = f"{result.stream.name}: {learner} in {result.layout.cap:,} bytes"
    body = [
        f"<h1>{_safe(title)}</h1>",
        *_early(result),
        f'<p id="verdict">{_safe(verdict(result))}</p>',
        *(f"<p>{_safe(text)}</p>" for text in [advice(result)] if text),
        *(f'<p class="warn">{_safe(text)}</p>' for text in result.warnings),
        f"<h2>{_safe(over_time(result))}</h2>",
        '<p class="faint">Each row is predicted before it is learned. Logarithmic scale.</p>',
        f'<div id="errors">{svg.errors(result)}</div>',
        "<h2>Figures</h2>",
        _drawn(figures(result)),
        *_of_kind(result),
        "<h2>Rows</h2>",
        _rows(result),
        "<h2>Memory</h2>",
        *_memory(result),
        *_board(result),
        "<h2>The run</h2>",
        f'<pre id="run">{_safe(_joined([*head_lines(result), *event_lines(result)]))}</pre>',
        *_again(result),
    ]
    return document(_safe(title), _STYLE, body)


def _safe(text: object) -> str:
    return html.escape(printable(str(text), keep="\n"))


def _joined(lines: list[str]) -> str:
    return "\n".join(lines)


def _early(result: ReplayResult) -> list[str]:
    if result.status == "complete":
        return []
    text = f"{result.status}: {result.detail}. This is the report so far."
    return [f'<p class="warn">{_safe(text)}</p>']


def _table(name: str, head: list[str], rows: list[list[Any]]) -> str:
    cells = "".join(f"<th>{_safe(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{_safe(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f'<div class="scroll"><table id="{name}"><thead><tr>{cells}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _drawn(table: Table) -> str:
    return _table(table.name, list(table.head), [list(row) for row in table.rows])


def _of_kind(result: ReplayResult) -> list[str]:
    """What a kind of labels has beside the figures."""
    body = []
    if isinstance(result.metrics, Novelty):
        said = judged_by(result.metrics)
        body.append(f'<p class="faint">{_safe(said[0].upper() + said[1:])}.</p>')
    for table in tables(result):
        head, *rest = table.title.partition(": ")
        body.append(f"<h2>{_safe(head)}</h2>")
        if rest[1]:
            body.append(f'<p class="faint">{_safe(rest[1][0].upper() + rest[1][1:])}.</p>')
        body.append(_drawn(table))
    return body


def _rows(result: ReplayResult) -> str:
    count = result.rows
    rows: list[list[Any]] = [["read", f"{count.read:,}", ""], ["used", f"{count.used:,}", ""]]
    missing = ", ".join(f"{name} {n:,}" for name, n in count.missing_by_column.items())
    rows.append(["left out, a value missing", f"{count.missing:,}", missing])
    rows.append(
        ["repaired", f"{count.repaired:,}", result.config.missing if count.repaired else ""]
    )
    rows.append(["left out, damaged", f"{count.damaged:,}", count.first_damage])
    rows.append(["refused by the learner", f"{count.refused:,}", count.first_refusal])
    return _table("rows", ["", "rows", "why, or the first"], rows)


def _memory(result: ReplayResult) -> list[str]:
    layout = result.layout
    bars, rows = [], []
    for part in layout.parts:
        kind = "scaler" if part.name in _SCALERS else "buffer"
        kind = "learner" if part.name == "learner" else kind
        share = 100.0 * part.nbytes / layout.cap
        look = f'class="{kind}-part" style="width:{share:.3f}%"'
        bars.append(f'<span {look} title="{_safe(part.name)}"></span>')
        rows.append([part.name, f"{part.offset:,}", f"{part.nbytes:,}"])
        rows += [
            [
                f"\u00a0\u00a0{region.name.replace('_', ' ')}",
                f"{region.offset:,}",
                f"{region.nbytes:,}",
            ]
            for region in part.regions
        ]
    return [
        f"<p>{layout.cap - layout.free:,} of {layout.cap:,} bytes; "
        f"{_safe(result.enforcement)}.</p>",
        f'<div class="map" id="map">{"".join(bars)}</div>',
        _table("memory", ["region", "offset", "bytes"], rows),
    ]


def _board(result: ReplayResult) -> list[str]:
    lines = [line for line in board_lines(result) if line]
    return ["<h2>Board</h2>", f'<pre id="board">{_safe(_joined(lines))}</pre>'] if lines else []


def _again(result: ReplayResult) -> list[str]:
    words = command(result.config, emulated_on(result))
    return ["<h2>Again</h2>", f'<pre id="command">{_safe(words)}</pre>'] if words else []
