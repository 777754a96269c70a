"""A report as HTML without scripts or network access: a page, or a part of a notebook.

Both are made from the templates `page.html` and `notebook.html`, which share `section.html`.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
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
    return _template("page.html").render(report=report, sections=shown, capital=capital)


def to_fragment(report: Report, *, charts: bool = True) -> str:
    """Return the report for a notebook: all up to the first table is open, the rest is folded.

    charts: whether it has charts, which need matplotlib.
    """
    # A notebook may show several reports, whose identifiers must differ.
    mark = f"r{zlib.crc32(report.to_text().encode()):08x}"
    shown: list[dict[str, Any]] = []
    for section in report.sections:
        drawings = _drawings(section.charts, mark) if charts else []
        if drawings or section.to_lines():
            is_open = not any(one["table"] for one in shown)
            name = f"{mark}-{section.name}"
            shown.append({**vars(section), "name": name, "drawings": drawings, "is_open": is_open})
    return _template("notebook.html").render(report=report, sections=shown, capital=capital)


def _drawings(charts: Mapping[str, Any], mark: str = "") -> list[tuple[str, Markup]]:
    """Return the charts by identifier; with a mark for identifiers, those for wide screens."""
    if not charts:
        return []
    from firmware_sim.drawing import pictures  # matplotlib takes a second to import

    if mark:
        names = {name: f"{mark}-{name}" for name in charts}
        return [(names[name], Markup(pictures.wide(names[name], charts[name]))) for name in charts]
    return [(name, Markup(pictures.svg(name, chart))) for name, chart in charts.items()]


@cache
def _template(name: str) -> jinja2.Template:
    folder = files("firmware_sim.drawing")
    loader = jinja2.FunctionLoader(lambda one: (folder / one).read_text(encoding="utf-8"))
    environment = jinja2.Environment(
        autoescape=True, finalize=_safe, trim_blocks=True, loader=loader
    )
    return environment.get_template(name)


def _safe(value: Any) -> Any:
    """Return a text of a stream without control characters; they are never part of the template."""
    return printable(value, keep="\n") if type(value) is str else value
