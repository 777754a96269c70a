"""Calls that work in the arena: less stack, the same bits."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled
from helpers import few_first

import edgeolk as ek
from bench.mcu.costs import ARITHMETIC, CORES, LEVELS, ON_STACK, compiled, learner_of
from edgeolk.cli import main
from edgeolk.export.costs import COSTS, scratch_of, stacks_of
from edgeolk.export.sorf import is_streamed
from firmware_sim.mcu.program import PREFIX

compiles = pytest.mark.skipif(shutil.which(f"{PREFIX}gcc") is None, reason=f"no {PREFIX}gcc")
#: By day one core and level.
WAYS = [(core, level) for core in CORES for level in LEVELS]
BOUNDS = [(("learner", "int8", "library"), [("Cortex-M4F", "-Os")])]
#: The most stack of every kind that works in the arena.
WITH_ARENA = {case: cost.with_arena for case, cost in COSTS.items() if cost.with_arena is not None}
BOUNDS += [pytest.param(case, WAYS, marks=pytest.mark.slow) for case in WITH_ARENA]  # type: ignore[misc]
#: What a call does differs in each.
KINDS: dict[str, dict[str, Any]] = {
    "recommended": {"ram": "4KiB"},
    "classes": {"D": 150, "n_classes": 3},
    "regression": {"D": 150, "loss": "square", "relevance": True},
    "float32": {"D": 150, "dtype": "float32", "scale": "minmax"},
    "novelty": {"D": 150, "loss": "novelty", "gamma": "auto"},
    "in time": {"D": 192, "loss": "novelty", "history": True, "clock": True},
    "forecaster": {"D": 64, "loss": "square", "history": True},
}


def rows(learner: ek.Learner) -> tuple[np.ndarray, np.ndarray]:
    """Six Gaussian inputs, and what follows from the product of two of them."""
    X = np.random.default_rng(0).standard_normal((300, 6)).astype(np.float32)
    product = X[:, 0] * X[:, 1]
    if learner._config.columns > 1:
        return X, np.floor(np.abs(product) * 3) % 3
    return X, product if learner.is_regression else np.where(product > 0, 1.0, -1.0)


@pytest.mark.parametrize("flag", ["", "-DEK_FIXED"])
@pytest.mark.parametrize("kind", few_first(KINDS, ("recommended", "classes", "forecaster")))
@pytest.mark.spread(6)
def test_the_same_bits(kind: str, flag: str, tmp_path: Path) -> None:
    """And nothing beyond the arena, wherever that begins."""
    options = KINDS[kind]
    if flag and (options.get("dtype") == "float32" or kind not in ("recommended", "novelty")):
        pytest.skip("one of each arithmetic is enough, and float32 has one")
    learner = ek.Learner("sorf" if "D" in options and kind not in ("in time", "forecaster") else
                         None, n_features=6, **options)  # fmt: skip
    boards = []
    for scratch in ("stack", "arena"):
        ek.export_c(learner, tmp_path / scratch, scratch=scratch)
        flags = (flag,) if flag else ()
        boards.append(Compiled(tmp_path / scratch, learner, flags=flags, offset=4))
    usual, beside = boards
    how = {"": "library", "-DEK_FIXED": "whole"}[flag]
    scratch = scratch_of(learner.dtype, streamed=is_streamed(learner))[how]
    assert beside.nbytes - usual.nbytes - scratch in range(8)
    for x, y in zip(*rows(learner), strict=True):
        assert usual.learn(x, y) == beside.learn(x, y)
        assert (usual.scores(x) == beside.scores(x)).all()
    n = len(learner.__reduce__()[1][0])
    assert usual.file(n) == beside.file(n)
    assert beside.load(usual.file(n)) == 0
    assert usual.counts() == beside.counts()
    assert usual.untouched()
    assert beside.untouched()


def test_every_kind_takes_less_of_the_stack() -> None:
    assert set(WITH_ARENA) == {case for case in COSTS if case[0] not in ON_STACK}
    for case, stack in WITH_ARENA.items():
        # The deepest way of a watched stream is then that of reading a row, which has no scratch.
        assert stack < COSTS[case].stack - (150 if case[0] == "watching" else 200)
        most = 3.5 if case[1] == "float64" else 2.5
        assert stack <= max(most, 3.1 if case[0] == "remembering" else 0.0) * 1024


@compiles
@pytest.mark.parametrize(("case", "ways"), BOUNDS)
def test_the_bound_that_is_printed_holds(
    case: tuple[str, str, str], ways: list[tuple[str, str]], tmp_path: Path
) -> None:
    kind, dtype, how = case
    ek.export_c(learner_of(kind, dtype), tmp_path, scratch="arena")
    most = max(compiled(tmp_path, core, [level, *ARITHMETIC[how]]) for core, level in ways)
    assert most.stack <= WITH_ARENA[case], most.way
    assert most.stack > 0.7 * WITH_ARENA[case] or ways != WAYS


def test_it_is_told(tmp_path: Path) -> None:
    learner = ek.Learner(n_features=4, ram="3KiB")
    learner.save(tmp_path / "model.olk")
    where = ["--out", str(tmp_path / "out"), "--scratch", "arena"]
    assert main(["export", str(tmp_path / "model.olk"), *where]) == 0
    text = (tmp_path / "out/README.md").read_text()
    header = (tmp_path / "out/model.h").read_text()
    for how, bytes_ in stacks_of(learner, "arena").items():
        work = scratch_of("int8")[how]
        assert f"| {bytes_:,} |" in text
        assert f"#define EK_STACK_BYTES {bytes_}u" in header
        assert f"{work:,} " in text
        assert f"#define EK_SCRATCH_BYTES {work}u" in header
    assert f"behind the {learner.nbytes} bytes" in text


def test_the_plan_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    told = ["plan", "--algorithm", "sorf", "--features", "4", "--ram", "3KiB", "--scratch", "arena"]
    assert main(told) == 0
    said = capsys.readouterr().out
    for work in scratch_of("int8").values():
        assert f"{work:,} bytes" in said


def test_what_is_refused(tmp_path: Path) -> None:
    learner = ek.Learner(n_features=4, ram="3KiB")
    with pytest.raises(ValueError, match="scratch must be one of 'stack', 'arena', got 'heap'"):
        ek.export_c(learner, tmp_path / "none", scratch="heap")
    ring = ek.Learner("rbp", n_features=4, budget=9)
    with pytest.raises(ValueError, match="is for 'sorf'; rbp takes 696 bytes"):
        ek.export_c(ring, tmp_path / "none", scratch="arena")
    assert not (tmp_path / "none").exists()


CASES = [{"ram": "1KiB"}, {"D": 1000}, {"D": 997, "linear": True}]


@pytest.mark.parametrize("options", CASES, ids=str)
def test_scratch_ends_in_the_arena_wherever_that_begins(
    options: dict[str, Any], tmp_path: Path
) -> None:
    """The block may move by its slack, and its scratch with it."""
    learner = ek.Learner("sorf", n_features=5, **options)
    ek.export_c(learner, tmp_path, scratch="arena")
    text = (tmp_path / "model.h").read_text()
    numbers = {
        name: int(re.search(rf"#define {name} \(?(\d+)u?\b", text)[1])  # type: ignore[index]
        for name in ("EK_BOUNDARY", "EK_AT_SCRATCH", "EK_ARENA_BYTES")
    }
    furthest = numbers["EK_BOUNDARY"] - 1 + numbers["EK_AT_SCRATCH"]
    assert furthest <= numbers["EK_ARENA_BYTES"]  # and EK_SCRATCH_BYTES follow in both
