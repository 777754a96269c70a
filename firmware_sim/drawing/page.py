"""A report as one HTML page without scripts or network access, from the template `page.html`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from firmware_sim.drawing.document import Report, capital
from firmware_sim.plaintext import printable


def to_page(report: Report, *, charts: bool = True) -> str:
    """Return the page.

    charts: whether it has charts, which need matplotlib.
    """
    shown = []
    for section in report.sections:
        drawings = _drawings(section.charts) if charts else []
        if drawings or section.to_lines():
            shown.append({**vars(section), "drawings": drawings})
    return _template().render(report=report, sections=shown, capital=capital)


def _drawings(charts: Any) -> list[tuple[str, Markup]]:
    if not charts:
        return []
    from firmware_sim.drawing.pictures import svg  # matplotlib takes a second to import

    return [(name, Markup(svg(name, chart))) for name, chart in charts.items()]


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, finalize=_safe, trim_blocks=True)
    text = (files("firmware_sim.drawing") / "page.html").read_text(encoding="utf-8")
    return environment.from_string(text)


def _safe(value: Any) -> Any:
    """Return a text of a stream without control characters; they are never part of the template."""
    return printable(value, keep="\n") if type(value) is str else value
