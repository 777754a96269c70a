"""The report of a fleet: its text, and the files."""

from __future__ import annotations

from pathlib import Path

from firmware_sim.fleet.page import to_page
from firmware_sim.fleet.summary import Summary
from firmware_sim.plaintext import printable
from firmware_sim.report.files import Contents, write_each


def to_text(found: Summary) -> str:
    """Return the report as plain text, with a final newline."""
    lines = [*found.summary, "", found.sentence]
    for table in found.tables:
        lines += ["", table.title, *table.to_lines()]
    return printable("\n".join(lines) + "\n", keep="\n")


def write_fleet(found: Summary, folder: str | Path) -> list[Path]:
    """Write ``fleet.txt`` and ``fleet.html``; return the files.

    Raises NotWrittenError: one of them cannot be written.
    """
    contents: Contents = {"fleet.txt": to_text(found), "fleet.html": to_page(found)}
    return write_each(Path(folder), contents)
