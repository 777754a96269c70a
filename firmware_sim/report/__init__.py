"""The report of a replay: text, JSON, a page and a picture, from one result."""

from firmware_sim.report.record import to_dict
from firmware_sim.report.text import to_text
from firmware_sim.report.writing import write_report

__all__ = ["to_dict", "to_text", "write_report"]
