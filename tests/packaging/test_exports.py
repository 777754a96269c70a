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
#: By day: one that learns there in each arithmetic, a Gaussian process in single precision, one
#: whose widths are learned, one that stays as it is, one that has no C.
FEW = (
    *("sorf-int8", "krls_t-float32-coefficients", "krls_auto-float32"),
    *("rbp-float16", "pomdr-float32"),
)


def written(folder: Path, *only: str) -> str:
    """What it says of the exports; the library is its plain variant there."""
    words = ["write", str(folder), *(["--only", *only] if only else [])]
    ran = subprocess.run(
        [sys.executable, "-m", "release.exports", *words],
        env={**os.environ, "EDGEOLK_SIMD": "scalar"}, cwd=ROOT, text=True, capture_output=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_some_answer_as_the_library(tmp_path: Path) -> None:
    """Scores and states to the bit, calls that work in the arena too."""
    lines = written(tmp_path, *FEW)
    assert lines.startswith("4 learners exported, 7 programs, ")
    assert "; 0 differ; no C for 1" in lines
    with np.load(tmp_path / "exports.npz") as kept:
        assert all(len(kept[f"{name}/library/stack/state"]) > 0 for name in FEW[:3])
    assert "pomdr cannot be exported" in lines


@pytest.mark.slow
def test_all_answer_as_the_library(tmp_path: Path) -> None:
    count = len(dict(exports.learners()))
    assert f"{count - 6} learners exported" in written(tmp_path)


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
