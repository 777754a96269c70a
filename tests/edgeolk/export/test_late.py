"""Exported learners whose labels come late: the queue of the library, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled
from helpers import by_variant
from structured_cases import sealed, stream
from structured_cases import settings as structured

import edgeolk as ek
from firmware_sim.mcu import BOARDS, build, lacking, run
from firmware_sim.mcu.counting import packed
from firmware_sim.mcu.program import HERE

DELAY = 6
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "two": ("two", {"last_label": True, "memory": 12, "kept_answers": 2, "dtype": "int8"}),
    "classes": ("classes", {"last_label": True, "linear_group": True, "dtype": "float64"}),
    "regression": ("regression", {"linear": True, "dtype": "int8"}),
}


def made(case: str) -> tuple[ek.Learner, np.ndarray, np.ndarray]:
    task, options = CASES[case][0], dict(CASES[case][1])
    number = np.float64 if options["dtype"] == "float64" else np.float32
    dtype = options.pop("dtype")
    size = {"D": 50, "delay": DELAY, "drift": False}
    learner = ek.Learner("sorf", **structured(task, dtype, **options, **size))
    X, y = stream(task, 120)
    return learner, X.astype(number), y


def agrees(case: str, folder: Path) -> int:
    """Hold the exported learner against the library, call by call; return the rows learned."""
    learner, X, y = made(case)
    ek.export_c(learner, folder)
    board = Compiled(folder, learner)
    size, asked = len(sealed(learner)), 0
    for t, row in enumerate(X):
        if t % 11 == 5:
            continue  # not asked
        said = np.atleast_1d(learner.ask_one(row))
        board.ask_one(row)
        assert board.said[: len(said)] == said.tolist(), t
        asked += 1
        if asked % 13 == 7:
            learner.tell_one(None)
            assert board.c.ek_give_up(board.arena) == 0
        elif t >= DELAY:
            before = learner.learn_one(X[t - DELAY], y[t - DELAY])
            assert board.learn(X[t - DELAY], y[t - DELAY]) == before
        if t == 70:
            learner.restart()
            board.c.ek_restart(board.arena)
            assert board.c.ek_give_up(board.arena) == -6  # EK_WRONG_ORDER: no row waits
    assert board.file(size) == sealed(learner)
    return learner.steps


def in_child(target: str) -> None:
    """Every case."""
    folder = Path(target).parent
    steps = {str(i): agrees(case, folder / str(i)) for i, case in enumerate(CASES)}
    np.savez(target, **steps)  # type: ignore[arg-type]


def test_the_answers_and_the_state_of_the_library(tmp_path: Path) -> None:
    """In a process of its own, whose loops are the plainest."""
    assert min(by_variant(__file__, "scalar", tmp_path).values()) > 80


def test_its_readme_and_header_name_the_calls(tmp_path: Path) -> None:
    learner, _, _ = made("two")
    ek.export_c(learner, tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert all(call in text for call in ("ek_ask(", "ek_learn(", "ek_give_up("))
    assert f"EK_LATE {DELAY}" in (tmp_path / "model.h").read_text()


@pytest.mark.mcu
@pytest.mark.skipif(bool(lacking()), reason=lacking())
def test_on_an_emulated_board(tmp_path: Path) -> None:
    learner, X, y = made("two")
    ek.export_c(learner, tmp_path)
    chosen = BOARDS["mps2-an386"]
    sources = [HERE / "stream.c", tmp_path / "edgeolk.c", tmp_path / "model.c"]
    program = build(
        chosen, sources, tmp_path / "board.elf", include=[tmp_path], flags=(chosen.level,)
    )
    events: list[tuple[np.ndarray, float]] = []
    for t, row in enumerate(X):
        events += [(row, np.nan)] + ([(X[t - DELAY], y[t - DELAY])] if t >= DELAY else [])
    found = run(program, packed(*zip(*events, strict=True)), tmp_path)
    for row, label in events:
        learner.ask_one(row) if np.isnan(label) else learner.learn_one(row, label)
    assert found.refused == 0
    assert found.steps == learner.steps == len(X) - DELAY
    assert found.state == sealed(learner)
