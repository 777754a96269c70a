"""The notebooks run from top to bottom, and print what is stored in them but for the numbers."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NEEDED = {"comparison": ("river", "sklearn")}


def notebook(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((DOCS / f"notebooks/{name}.ipynb").read_text("utf-8"))
    return read


@pytest.fixture(scope="module")
def runner() -> Any:
    spec = importlib.util.spec_from_file_location("notebooks", DOCS / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def without_numbers(text: str) -> str:
    """Each number, with the spaces that align it, as one sign; the rows of a table in any order."""
    return "\n".join(sorted(re.sub(r" *-?\d[\d.,]*", "#", text).splitlines()))


@pytest.mark.parametrize("name", ["stream", "comparison", "board"])
def test_a_notebook_prints_what_it_shows(name: str, runner: Any) -> None:
    for module in NEEDED.get(name, ()):
        pytest.importorskip(module)
    shown = runner.stored(notebook(name))
    assert any(shown)
    assert [*map(without_numbers, runner.run(notebook(name)))] == [*map(without_numbers, shown)]


def test_every_notebook_is_run_and_linked() -> None:
    found = {path.stem for path in (DOCS / "notebooks").glob("*.ipynb")}
    assert found == {"stream", "comparison", "board"}
    page = (DOCS / "index.md").read_text("utf-8")
    assert [name for name in found if f"notebooks/{name}.ipynb" not in page] == []


def test_links_of_notebooks_lead_somewhere() -> None:
    for path in (DOCS / "notebooks").glob("*.ipynb"):
        for link in re.findall(r"\]\(([^)]+)\)", path.read_text("utf-8")):
            assert (path.parent / link).exists(), f"{path.name}: {link}"
