"""The report of a replay: text, JSON, a page and a picture, from one result."""

from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.record import to_dict
from firmware_sim.report.sections import report_of
from firmware_sim.report.writing import write_report

__all__ = ["report_of", "to_dict", "to_page", "to_text", "write_report"]


def to_text(result: ReplayResult) -> str:
    """Return the report of a replay as plain text, with a final newline."""
    return report_of(result).to_text()


def to_page(result: ReplayResult) -> str:
    """Return the report of a replay as an HTML page; needs jinja2 and matplotlib."""
    from firmware_sim.drawing.page import to_page as page  # jinja2 is imported only for a page

    return page(report_of(result))
