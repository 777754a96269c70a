"""The report of a fleet: its text, and the files."""

from __future__ import annotations

from pathlib import Path

from firmware_sim.errors import SimulatorError
from firmware_sim.fleet.findings import Findings, findings
from firmware_sim.fleet.page import to_page
from firmware_sim.fleet.run import Fleet
from firmware_sim.plaintext import printable


def to_text(found: Findings) -> str:
    """Return the report as plain text that ends with a line end."""
    lines = [*found.summary, "", found.sentence]
    for table in found.tables:
        lines += ["", table.title, *table.to_lines()]
    return printable("\n".join(lines) + "\n", keep="\n")


def write_fleet(fleet: Fleet, folder: str | Path) -> tuple[str, list[Path]]:
    """Write ``fleet.txt`` and ``fleet.html``; return the text and the files."""
    found = findings(fleet)
    text = to_text(found)
    files = [Path(folder) / "fleet.txt", Path(folder) / "fleet.html"]
    try:
        for file, content in zip(files, (text, to_page(found)), strict=True):
            file.write_text(content, encoding="utf-8")
    except OSError as error:
        raise SimulatorError(f"cannot write to {folder}: {error.strerror}") from None
    return text, files
