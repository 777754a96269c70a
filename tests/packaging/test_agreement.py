"""Learners of two variants say the same over 2,000 rows, and what differs is noticed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

# At the end: where an installed wheel is tested, edgeolk must not be the one beside release.
sys.path.append(str(Path(__file__).parents[2]))

from release import agreement, emulated, pythons, windows_tests

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """What the plainest variant wrote, and what the baseline did that went on from its files."""
    folder = tmp_path_factory.mktemp("agreement")
    there, here = folder / "scalar", folder / "baseline"
    for words, simd in (([there], "scalar"), ([here, "--resume", there], "baseline")):
        subprocess.run(
            [sys.executable, "-m", "release.agreement", "write", *map(str, words)],
            env={**os.environ, "EDGEOLK_SIMD": simd},
            cwd=ROOT,
            check=True,
        )
    return here, there


def held(here, there, same=False):
    lines = []
    return agreement.compare(here, there, same=same, lines=lines), lines


def test_two_variants_decide_alike(folders):
    wrong, [line] = held(*folders)
    assert wrong == []
    assert "baseline and" in line
    assert " 0 decisions differ" in line
    count = len(dict(agreement.cases()))
    assert count > 60
    assert f"{count} of {count} crossed" in line


@pytest.fixture
def changed(folders, tmp_path):
    """A copy of the first folder, to be changed."""
    return shutil.copytree(folders[0], tmp_path / "changed"), folders[0]


def test_scores_that_differ_are_noticed(changed):
    here, there = changed
    assert held(here, there, same=True)[0] == []
    with np.load(here / "scores.npz") as stored:
        scores = dict(stored)
    size = np.abs(scores["rbp-float64"]).max()
    scores["rbp-float64"][1500] += 5e-8 * size
    np.savez(here / "scores.npz", **scores)
    assert held(here, there)[0] == []
    [complaint] = held(here, there, same=True)[0]
    assert complaint.startswith("rbp-float64: scores differ")
    scores["rbp-float64"][1500] += 0.1
    np.savez(here / "scores.npz", **scores)
    assert held(here, there)[0]


def test_plans_and_files_that_differ_are_noticed(changed):
    here, there = changed
    facts = json.loads((here / "facts.json").read_text())
    facts["plans"]["spa-float32"] += 8
    facts["crossed"]["ogd-float64"] = False
    (here / "facts.json").write_text(json.dumps(facts))
    found = held(here, there, same=True)[0]
    assert [line.split(":")[0] for line in found] == ["ogd-float64", "spa-float32"]


def test_what_is_run_or_left_out_is_there() -> None:
    """A moved test would end every emulated run before its first test."""
    tests = ROOT / "tests"
    core = [f"edgeolk/{name}" for name in (*emulated.CORE, *emulated.EXCLUDED, *pythons.TESTS)]
    files = [name for names in windows_tests.FILES.values() for name in names.split()]
    assert not [name for name in (*core, *files) if not (tests / name).exists()]
    for left_out in windows_tests.TESTS.values():
        for file, names in left_out.items():
            text = (tests / file).read_text()
            lost = [n for n in names.split() if f"def test_{n.partition('[')[0]}" not in text]
            assert not lost, file
