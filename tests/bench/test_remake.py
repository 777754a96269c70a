"""`make results` in pieces: what is made, stopped, continued, left."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bench import remake
from bench.older import Page

CODE = """
import pathlib, subprocess, sys, time
done = pathlib.Path(sys.argv[1])
if done.exists() or sys.argv[2:] == ["once"]:
    done.write_text("made")
else:
    done.write_text("begun")
    subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"])
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    """A program that takes long, with a process of its own, and continues when run again."""
    (tmp_path / "program.py").write_text(CODE)
    return f"python {tmp_path / 'program.py'}"


def test_a_piece_ends(
    program: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = {name: tmp_path / name for name in ("short", "long", "last")}
    pages = [
        Page("short", f"{program} {files['short']} once", (), 1),
        Page("long", f"{program} {files['long']}", (), 90, by_case=True),
        Page("last", f"{program} {files['last']} once", (), 1, timed=True),
    ]
    monkeypatch.setattr(remake, "PAGES", pages)
    monkeypatch.setattr(remake, "older", lambda page: not is_made(files[page.path]))
    monkeypatch.setattr(remake.os, "cpu_count", lambda: 1)
    began = time.monotonic()
    assert remake.main(["--minutes", "0.02"]) == 0
    assert time.monotonic() - began < 60
    assert files["long"].read_text() == "begun"
    said = capsys.readouterr().out
    assert "long: stopped, will continue after" in said
    assert said.endswith(f"{files['last']} once\n3 of 3 pages are left, 92 minutes\n")
    assert remake.main([]) == 0
    assert all(is_made(file) for file in files.values())
    assert capsys.readouterr().out.endswith("0 of 3 pages are left, 0 minutes\n")


def is_made(file: Path) -> bool:
    return file.exists() and file.read_text() == "made"


def test_a_page_that_fails_does_not_stop_the_others(
    program: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    good = tmp_path / "good"
    pages = [
        Page("bad", "WHY=2 python -c 'import os; exit(int(os.environ[\"WHY\"]))'", (), 1),
        Page("skipped", "python -c pass", (), 1),
        Page("good", f"{program} {good} once", (), 1),
    ]
    monkeypatch.setattr(remake, "PAGES", pages)
    monkeypatch.setattr(remake, "older", lambda page: not (page.path == "good" and is_made(good)))
    assert remake.main([]) == 1
    said = capsys.readouterr().out
    assert "bad: FAILED after" in said
    assert "skipped: NOT made: something that it needs is not here, after" in said
    assert "good: made after" in said
    assert "2 of 3 pages are left, 2 minutes" in said


def test_all_pages_of_this_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """With --all a page of an earlier commit is made, though its code has not changed."""
    page = Page("results/none.md", "", (), 1)
    monkeypatch.setattr(remake, "PAGES", [page])
    monkeypatch.setattr(remake, "older", lambda page: False)
    monkeypatch.setattr(remake, "here", lambda: "a later commit")
    assert remake.left(everything=False) == []
    assert remake.left(everything=True) == [page]
    monkeypatch.setattr(remake, "here", lambda: page.measured_on[0])
    assert remake.left(everything=True) == []


WAITS = """
import pathlib, sys, time
mine, other = map(pathlib.Path, sys.argv[1:])
mine.write_text("made")
end = time.monotonic() + 30
while not other.exists():
    assert time.monotonic() < end
    time.sleep(0.01)
"""


def test_pages_are_made_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "waits.py").write_text(WAITS)
    a, b = tmp_path / "a", tmp_path / "b"
    pages = [
        Page(str(mine), f"python {tmp_path / 'waits.py'} {mine} {other}", (), 1)
        for mine, other in ((a, b), (b, a))
    ]
    monkeypatch.setattr(remake, "PAGES", pages)
    monkeypatch.setattr(remake, "older", lambda page: not is_made(Path(page.path)))
    monkeypatch.setattr(remake.os, "cpu_count", lambda: 2)
    assert remake.main([]) == 0
