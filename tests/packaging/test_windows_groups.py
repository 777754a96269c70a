"""Groups of tests in pieces; the Python under Wine is started by ``make test-windows``."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from bench.cases import Cases
from release import windows

GROUPS = [["tests/edgeolk/rows"], ["tests/edgeolk/a.py", "tests/edgeolk/b.py"], ["tests/c.py"]]
ENDINGS = {
    "tests/edgeolk/rows": (0, "x\n== 12 passed, 3 skipped, 9 deselected in 4.00s =="),
    "tests/edgeolk/a.py": (1, "x\n== 2 failed, 40 passed in 4.00s =="),
    "tests/c.py": (0, "Timeout (0:05:00)!\nThread 0x1 (most recent call first)"),
}


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first words of the groups that were run: one passes, one fails, one is stopped."""
    found: list[str] = []

    def run(project: Path, words: list[str], minutes: float) -> tuple[int, str]:
        [name] = [word for word in words if word in ENDINGS]
        found.append(name)
        return ENDINGS[name]

    monkeypatch.setattr(windows, "run", run)
    return found


def test_groups_that_passed_are_not_run_again(
    begun: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        kept = Cases(tmp_path / "kept.jsonl", "this")
        assert windows.run_groups(Path(), 1, GROUPS, kept, math.inf) == (False, [])
        counts = "== 52 passed, 3 skipped, 2 failed, 1 not ended\n"
        assert capsys.readouterr().out.endswith(counts)
    assert begun == [*ENDINGS, *list(ENDINGS)[1:]]


def test_no_group_is_begun_when_the_time_is_up(begun: list[str]) -> None:
    names = [" ".join(group) for group in GROUPS]
    ended = windows.run_groups(Path(), 1, GROUPS, Cases(None, "this"), time.monotonic())
    assert ended == (True, names)
    assert begun == []


def test_a_group_without_tests_passes(
    begun: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(ENDINGS, "tests/c.py", (5, "== 4 deselected in 0.10s =="))
    kept = Cases(None, "this")
    assert windows.run_groups(Path(), 1, [GROUPS[0], GROUPS[2]], kept, math.inf) == (True, [])
    assert capsys.readouterr().out.endswith("== 12 passed, 3 skipped\n")
