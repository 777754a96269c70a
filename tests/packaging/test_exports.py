"""Exports of the agreement list answer as the library does, and what differs is noticed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

# At the end: where an installed wheel is tested, edgeolk must not be the one beside release.
sys.path.append(str(Path(__file__).parents[2]))

from release import exports

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no cc")


@pytest.mark.slow
def test_all_answer_as_the_library(tmp_path: Path) -> None:
    """Scores and states to the bit of its plain variant, calls that work in the arena too."""
    ran = subprocess.run(
        [sys.executable, "-m", "release.exports", "write", str(tmp_path)],
        env={**os.environ, "EDGEOLK_SIMD": "scalar"}, cwd=ROOT, text=True, capture_output=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{len(dict(exports.learners())) - 6} learners exported" in ran.stdout
    assert "; 0 differ; no C for 6" in ran.stdout


def test_a_difference_is_noticed(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    scores = np.linspace(-1.0, 1.0, 9)
    for folder in (here, there):
        folder.mkdir()
        np.savez(folder / "exports.npz", first=scores, second=scores)
    lines: list[str] = []
    assert exports.compare(here, there, lines) == []
    assert lines == ["2 of 2 arrays identical to the bit"]
    np.savez(there / "exports.npz", first=np.nextafter(scores, 2.0), second=scores, third=scores)
    assert exports.compare(here, there, lines) == ["first"]
    assert lines[1:] == ["1 of 2 arrays identical to the bit", "in one of them only: third"]
