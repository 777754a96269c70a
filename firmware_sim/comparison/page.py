"""A comparison as one HTML page that loads nothing and runs nothing."""

from __future__ import annotations

from firmware_sim.comparison.chart import errors
from firmware_sim.comparison.choice import choice, sentence
from firmware_sim.comparison.program import program
from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.table import head_lines, lasting, table
from firmware_sim.drawing.document import document, drawn, lines_of, paragraph, section
from firmware_sim.drawing.svg import charted


def to_page(found: Comparison) -> str:
    """Return the page."""
    best, chart, ranked = choice(found), errors(found), table(found)
    about = (
        "Each row is predicted before it is learned; everything under the cap counts. Both scales "
        "are logarithmic."
    )
    return document(
        f"{found.rows.name}: error against memory",
        "",
        sentence(found),
        *(paragraph(text, "warn") for text in found.rows.warnings),
        section(chart.title, paragraph(about, "faint"), f'<div id="errors">{charted(chart)}</div>'),
        section("Ranking", paragraph(f"{ranked.title}.", "faint"), drawn(ranked)),
        section("While it runs", lines_of("lasting", lasting(found))),
        section("In Python", lines_of("program", program(found, *best) if best else ())),
        section("The run", lines_of("run", head_lines(found))),
        early="" if found.complete else "interrupted: these are the runs so far.",
    )
