"""Emulated platforms in pieces; the emulators themselves are run by ``make test-pi``."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from release import emulated, project, targets


@pytest.fixture
def tested(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The platforms that were tested; those on a neon-less processor fail."""
    found: list[str] = []

    def test_board(board: emulated.Board, name: str, *_: Any) -> emulated.Outcome:
        found.append(f"{name} on {board.processor}")
        wheel = Path(__file__)
        failed = "neon=off" in board.processor
        return emulated.Outcome(name, board.processor, wheel, "1 passed", ["equal"], failed)

    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(emulated, "prepare", lambda *_: Path())
    monkeypatch.setattr(emulated, "test_board", test_board)
    return found


def test_platforms_that_passed_are_not_tested_again(
    tested: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "--only",
        "armv7l-cp311",
        "--only",
        "riscv64-cp313",
        "--kept",
        str(tmp_path / "pi.jsonl"),
    ]
    assert emulated.main(words) == 1
    assert "2 of 3 emulated platforms passed" in capsys.readouterr().out
    every = [
        "armv7l-cp311 on cortex-a7",
        "armv7l-cp311 on cortex-a7,neon=off",
        "riscv64-cp313 on rv64",
    ]
    assert tested == every
    assert emulated.main(words) == 1
    assert tested == [*every, every[1]]


def test_no_platform_is_begun_when_the_time_is_up(
    tested: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert emulated.main(["--only", "armv6l", "--only", "s390x", "--minutes", "0"]) == 0
    printed = capsys.readouterr().out
    assert "0 of 2 emulated platforms passed" in printed
    assert "left: armv6l-cp311 on arm1176\nleft: s390x-cp311 on qemu\n" in printed
    assert tested == []


def test_all_platforms_are_those_that_a_release_needs(
    tested: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    from release import record

    emulated.main([])
    assert len(tested) == record.PLATFORMS


def test_a_python_of_this_machine_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert targets.this_machines_python(version) == (sys.executable, Path(sys.base_prefix))
    # A program of another version, one that does not run, and pyenv's newest.
    monkeypatch.setenv("PYTHON399", sys.executable)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    with pytest.raises(targets.NoPythonError, match=r"no Python 3\.99; PYTHON399 may name one"):
        targets.this_machines_python("3.99")
    if os.name != "nt":
        for minor in (2, 10):
            program = tmp_path / f"versions/3.99.{minor}/bin/python3.99"
            program.parent.mkdir(parents=True)
            program.write_text(f"#!/bin/sh\necho 3.99 /place{minor}\n")
            program.chmod(0o755)
        assert targets.this_machines_python("3.99") == (str(program), Path("/place10"))


def test_a_wheel_older_than_the_sources_is_none_of_them(tmp_path: Path) -> None:
    old, new = tmp_path / "old.whl", tmp_path / "new.whl"
    for path, seconds in ((old, 0.0), (new, time.time() + 60.0)):
        path.touch()
        os.utime(path, (seconds, seconds))
    assert project.built_since(tmp_path, "*.whl") == [new]
