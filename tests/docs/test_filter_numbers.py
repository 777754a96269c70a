"""Numbers that the source cites are in the list of docs/kernel-adaptive-filters.md."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "kernel-adaptive-filters.md"
SOURCES = ("*.py", "*.pyx", "*.pxd", "*.pyi", "*.h")
CITED = re.compile(r"\b(K[0-9]+) of\s+(?:[#*]\s*)?docs/kernel-adaptive-filters\.md")


def test_cited_numbers_are_on_the_page() -> None:
    cited = {
        number
        for folder in ("edgeolk", "firmware_sim")
        for pattern in SOURCES
        for path in (ROOT / folder).rglob(pattern)
        for number in CITED.findall(path.read_text(encoding="utf-8"))
    }
    assert cited, "the expression that finds citations finds none"
    rows = set(re.findall(r"^\| (K[0-9]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert cited <= rows
