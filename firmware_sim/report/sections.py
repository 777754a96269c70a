"""The report of a replay: what its text, JSON, page and picture show."""

from __future__ import annotations

from dataclasses import replace

from firmware_sim.drawing.chart import ROW_LABEL, Chart
from firmware_sim.drawing.document import Report, Section, Table
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report import figures, forecast
from firmware_sim.report.error_chart import errors
from firmware_sim.report.hints import loses
from firmware_sim.report.kinds import sections_of_kind
from firmware_sim.report.memory import MemoryChart
from firmware_sim.report.record import to_dict
from firmware_sim.report.summary import command, headline, summary_sentence
from firmware_sim.report.text import board_lines, event_lines, head_lines, memory_lines


def report_of(result: ReplayResult) -> Report:
    """Return the report of a replay."""
    early = f"{result.status.upper()}: {result.detail}. This is the report so far."
    early = "" if result.status == "complete" else early
    emulated = [] if result.emulated is None else result.emulated.to_lines()
    sections = [
        *forecast.sections(result),
        _errors(result),
        *sections_of_kind(result),
        Section(
            "held-out",
            "Rows that were not learned from",
            figures.about_held_out(result),
            table=figures.held_out(result),
        ),
        Section("figures", "Figures", table=figures.table(result), notes=figures.meanings(result)),
        *map(Section.of, result.metrics.tables(result.stream.features)),
        Section("inputs", "Input importance", figures.ABOUT_INPUTS, bars=figures.inputs(result)),
        Section("run", "The run", lines=[*head_lines(result), *event_lines(result)]),
        _rows(result),
        _memory(result),
        Section("board", "Board", lines=board_lines(result)),
        Section("emulated", "Emulated board", lines=[line for line in emulated if line]),
        Section(
            "understood", "How the log was understood, from its first rows", lines=result.understood
        ),
        Section("command", "Again", lines=[line for line in [command(result.config)] if line]),
    ]
    sections = [_dated(one, result) for one in sections]
    return Report(
        f"{headline(result)} in {_bytes(result)}",
        summary_sentence(result),
        sections,
        to_dict(result),
        " ".join(filter(None, [early, result.left_out])),
        loses(result.metrics) or bool(result.held_out and result.held_out.unbeaten),
        [
            *result.metrics.remarks(),
            *filter(None, [figures.frozen(result), figures.last_label(result), result.hint]),
        ],
        [warning for warning in result.warnings if warning != result.left_out],
    )


def _bytes(result: ReplayResult) -> str:
    """Return the cap as text; of a path, that of all forecasters together."""
    horizons = [] if result.outlook is None else result.outlook.horizons
    if len(horizons) < 2:
        return f"{result.layout.cap:,} bytes"
    return f"{sum(one.cap for one in horizons):,} bytes for {len(horizons)} horizons"


def _dated(section: Section, result: ReplayResult) -> Section:
    """Return a section whose charts against rows have dates too."""
    if result.times is None:
        return section
    charts = {
        name: one.with_ticks(result.times.ticks(*one.x_range))
        if isinstance(one, Chart) and one.x_label == ROW_LABEL and not one.x_ticks
        else one
        for name, one in section.charts.items()
    }
    return replace(section, charts=charts)


def _errors(result: ReplayResult) -> Section:
    chart = errors(result)
    about = "Each row is predicted before it is learned."
    charts = {} if chart is None else {"errors": chart}
    return Section("", result.metrics.timeline_title, about, charts)


def _rows(result: ReplayResult) -> Section:
    """Return the table of rows that were not used as they came; empty if there are none."""
    count, repaired = result.rows, result.rows.repaired
    n_lacking, lacking = repaired or count.lacking, count.lacking_words()
    if repaired:
        lacking = ": ".join(filter(None, [result.config.missing, lacking]))
    rows = [
        (what, f"{n:,}", reason)
        for what, n, reason in (
            ("left out, a value missing", count.missing, count.missing_words()),
            ("repaired" if repaired else "used, a reading missing", n_lacking, lacking),
            ("left out, damaged", count.damaged, count.first_damage),
            ("refused by the learner", count.refused, count.first_refusal),
            ("filled in, without a target", count.filled, count.filled_words()),
            ("gaps that begin the history again", count.breaks, count.break_words()),
        )
        if n
    ]
    why = "why, or the first"
    table = Table("rows", "", ("rows", "", why), rows, sentences=(why,))
    return Section("", "Rows", table=table if rows else None)


def _memory(result: ReplayResult) -> Section:
    layout = result.layout
    rows = [
        (f"{indent}{one.name}", f"{one.offset:,}", f"{one.nbytes:,}", one.purpose)
        for part in layout.parts
        for one, indent in ((part, ""), *((region, "  ") for region in part.regions))
    ]
    head = ("region", "offset", "bytes", "purpose")
    table = Table("memory", "", head, rows, sentences=("purpose",))
    charts = {"map": MemoryChart(layout)}
    return Section("enforced", "Memory", "", charts, memory_lines(result), table=table)
