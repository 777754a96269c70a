"""Quoted figures are on the pages of results that are named beside them."""

from __future__ import annotations

import re
import sys
from decimal import Decimal
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results"
PAGES = {path.stem for path in RESULTS.glob("*.md")}
LINK = "[Tables](../bench/results/whole.md)."
#: A number that is no part of a name; thousands may be apart.
NUMBER = re.compile(r"(?<![\w.])(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?!\w)")


def numbers(text: str) -> set[Decimal]:
    return {Decimal(found.replace(",", "")) for found in NUMBER.findall(text)}


def pages_in(text: str) -> set[str]:
    """Pages that a text links to, or that the last cell of a row names."""
    found = re.findall(r"bench/results/(\w+)\.md", text)
    if text.startswith("|"):
        found += re.findall(r"`(\w+)`", text.strip().strip("|").rpartition("|")[2])
    return {*found} & PAGES


def without_page(text: str) -> list[str]:
    """Quoted figures that no page holds which their paragraph, row or section names."""
    missing = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE):
        blocks = re.split(r"\n\n+|\n(?=[|-])", re.sub(r"```.*?```", "", section, flags=re.DOTALL))
        for block in blocks:
            pages = pages_in(block) or pages_in(section)
            held = set().union(*(numbers((RESULTS / f"{p}.md").read_text()) for p in pages))
            for figure in numbers(re.sub(r"`[^`]*`|\]\([^)]*\)", "", block)) if pages else ():
                exponent = int(figure.as_tuple().exponent)
                half = Decimal(5).scaleb(exponent - 1)  # figures may be rounded
                told = exponent < 0 or figure >= 100
                if told and all(abs(one - figure) > half for one in held):
                    missing.append(f"{figure} in {' '.join(block.split())[:60]}: {sorted(pages)}")
    return missing


def test_a_figure_that_no_page_holds_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "whole.md").write_text("Of 155 comparisons.\n\n| ijcnn1 | 6.75 | 4,000 |")
    monkeypatch.setattr(sys.modules[__name__], "RESULTS", tmp_path)
    row = "| ijcnn1 | 4,000 rows in 4 KiB: {} % wrong, `C=0.1` | `whole` |"
    bullet = f"## Bytes\n\n{LINK}\n\n- {{}} of them"
    for quoted, held, other in ((row, "6.8", "6.751"), (bullet, "155", "154")):
        assert without_page(quoted.format(held)) == []
        assert [found.split()[0] for found in without_page(quoted.format(other))] == [other]
    assert without_page(f"{LINK}\n\n## Other\n\n154") == []


#: Pages that quote results, and their figures that are none: years, settings, counts of a plan.
QUOTING = {
    "README.md": "",
    "docs/anomalies.md": "",
    "docs/forecast.md": "1,000",  # a factor between two units
    "docs/forecasting.md": "",
    "docs/kernel-adaptive-filters.md": "2,760",  # hours before the picture
    "docs/layers.md": "",
    "docs/learners.md": "2,320 4,992",  # vectors in 64 KiB
    "docs/rare-classes.md": ".048",  # a threshold, 1 / 21
    "docs/raspberry-pi.md": "144",  # checkpoints a day
    "docs/sorf-why.md": "2006 2007",  # years of papers
    "docs/speed.md": "",
    "docs/which-one.md": "",
}


@pytest.mark.parametrize("path", QUOTING)
def test_every_figure_is_on_a_page(path: str) -> None:
    missing = without_page((ROOT / path).read_text(encoding="utf-8"))
    others = numbers(QUOTING[path])
    found = {Decimal(line.split()[0]) for line in missing}
    assert [line for line in missing if Decimal(line.split()[0]) not in others] == []
    assert others <= found, "these exceptions are not needed"
