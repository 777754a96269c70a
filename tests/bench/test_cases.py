"""Finished cases: a run that was stopped continues, on the same commit alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import cases
from bench.cases import Cases

COMMIT = "commit `4f1c`"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cases, "here", lambda: COMMIT)
    found = Cases(tmp_path / "new" / "page.jsonl")
    assert found.of("a", lambda: {"error": 1.5, "sizes": (1, 2)}) == {"error": 1.5, "sizes": [1, 2]}
    found.add("b", 2)
    return tmp_path / "new" / "page.jsonl"


def test_a_stopped_run_continues(path: Path) -> None:
    path.write_text(path.read_text() + '{"case": "c", "fou')  # stopped while it wrote
    again = Cases(path)
    assert again.of("a", lambda: pytest.fail("made twice")) == {"error": 1.5, "sizes": [1, 2]}
    assert again.get("c") is None
    again.add("c", 3)
    assert Cases(path).found == {"a": {"error": 1.5, "sizes": [1, 2]}, "b": 2, "c": 3}


@pytest.mark.parametrize(
    "now", ["commit `5f1c`", f"{COMMIT} and changes to it", "an unknown commit"]
)
def test_cases_of_other_code_are_made_again(
    now: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "here", lambda: now)
    for _ in range(2):  # also where it is neither committed nor known
        again = Cases(path)
        if "5f1c" not in now:
            assert again.found == {}
        assert again.of("a", lambda: 7) == 7
        assert path.read_text().splitlines() == [
            f'{{"measured_on": "{now}"}}',
            '{"case": "a", "found": 7}',
        ]


def test_some_cases_alone_are_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "RESULTS", tmp_path)
    Cases.of_page("page", keep=False).add("a", 1)
    assert list(tmp_path.iterdir()) == []
    Cases.of_page("page").add("a", 1)
    assert [file.name for file in tmp_path.iterdir()] == ["page.jsonl"]
