"""The Python of every page runs, from the top of the page to its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"
#: Pages whose code is run by a test of their own.
ELSEWHERE = ("tutorial.md",)


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M)


PAGES = [page for page in sorted(DOCS.glob("*.md")) if page.name not in ELSEWHERE and blocks(page)]


def readings() -> Iterator[tuple[np.ndarray, int]]:
    draws = np.random.default_rng(0)
    for row in draws.normal(size=(20, 8)):
        yield row, 1 if row[0] > 0 else -1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"readings": readings}
    for block in blocks(page):
        exec(compile(block, page.name, "exec"), names)


def test_pages_have_code() -> None:
    assert len(PAGES) >= 7
