"""The report of a replay as one HTML page that loads nothing and runs nothing."""

from __future__ import annotations

from firmware_sim.drawing.chart import charted
from firmware_sim.drawing.document import Table, document, drawn, lines_of, paragraph, safe, section
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report import figures
from firmware_sim.report.error_chart import errors
from firmware_sim.report.kinds import panel_sections
from firmware_sim.report.summary import SCALING, command, headline, summary_sentence
from firmware_sim.report.text import board_lines, event_lines, head_lines

_STYLE = """
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

    result: the result of a replay.
    """
    metrics, layout, chart = result.metrics, result.layout, errors(result)
    early = f"{result.status}: {result.detail}. This is the report so far."
    plotted = "<p>No row was scored.</p>" if chart is None else charted(chart)
    explained = "".join(f"<li>{safe(line)}</li>" for line in figures.meanings(result))
    return document(
        f"{headline(result)} in {layout.cap:,} bytes",
        _STYLE,
        summary_sentence(result),
        *map(paragraph, [figures.frozen(result), result.hint]),
        *(paragraph(text, "warn") for text in result.warnings),
        section(
            metrics.timeline_title,
            paragraph("Each row is predicted before it is learned. Logarithmic scale.", "faint"),
            f'<div id="errors">{plotted}</div>',
        ),
        *panel_sections(metrics.panels()),
        section("Figures", drawn(figures.table(result)), f'<ul class="faint">{explained}</ul>'),
        _inputs(result),
        *(paragraph(_upper(text) + ".", "faint") for text in metrics.remarks()),
        *map(_of_kind, metrics.tables(result.stream.features)),
        section("Rows", _rows(result)),
        section("Memory", *_memory(result)),
        section("Board", lines_of("board", filter(None, board_lines(result)))),
        section("The run", lines_of("run", [*head_lines(result), *event_lines(result)])),
        section("The log as understood", lines_of("understood", result.understood))
        if result.understood
        else "",
        section("Again", lines_of("command", [command(result.config)])),
        early="" if result.status == "complete" else early,
    )


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _inputs(result: ReplayResult) -> str:
    """Return the section with a bar for each important input."""
    found = figures.inputs(result)
    bars = "".join(
        f'<dt>{safe(name)}</dt><dd><span style="width:{75 * share / found[0][1]:.1f}%"></span>'
        f"{100 * share:.0f} %</dd>"
        for name, share in found
    )
    drawing = f'<dl class="bars" id="inputs">{bars}</dl>'
    about = paragraph(_upper(figures.ABOUT_INPUTS) + ".", "faint")
    return section("Input importance", about, drawing) if found else ""


def _of_kind(table: Table) -> str:
    """Return the section with a table of this kind of labels."""
    head, _, about = table.title.partition(": ")
    return section(head, paragraph(_upper(about) + "." if about else "", "faint"), drawn(table))


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
    cells = [(what, f"{n:,}", reason) for what, n, reason in rows]
    return drawn(Table("rows", "", ("", "rows", why), cells, sentences=(why,)))


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
