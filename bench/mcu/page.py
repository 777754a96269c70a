"""The page of results that several benchmarks write to, a table each."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

from bench.machine import CHANGED, commits_of, here
from bench.table import RESULTS, Table
from firmware_sim.mcu import lacking

PAGE = RESULTS / "mcu.md"


def _parts() -> list[str]:
    """Return the introduction, then each table."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return re.split(r"^(?=## )", text, flags=re.MULTILINE)


def _write(parts: list[str]) -> None:
    PAGE.write_text("\n\n".join(part.strip() for part in parts) + "\n", encoding="utf-8")


def measured_here(title: str) -> bool:
    """Whether the page has the table of that title from this commit."""
    found = [part for part in _parts() if part.startswith(f"## {title}\n")]
    return CHANGED not in here() and [commits_of(part) for part in found] == [[here()]]


def put(table: Table) -> None:
    """A table in the place of the one of the same title, or at the end."""
    measured = " ".join(text for text in (table.note, f"Measured on {here()}.") if text)
    table = replace(table, note=measured)
    parts = _parts()
    known = [part.split("\n")[0] for part in parts]
    title = f"## {table.title}"
    at = known.index(title) if title in known else len(parts)
    _write([*parts[:at], table.markdown(), *parts[at + 1 :]])


def need_boards() -> None:
    """End with 2 where no board can be emulated."""
    if reason := lacking():
        print(reason, file=sys.stderr)
        sys.exit(2)
