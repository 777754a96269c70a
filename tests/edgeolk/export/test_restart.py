"""``ek_restart`` of exported learners, and last labels that lapse: as in the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled
from watched import made as watching
from watched import rows as readings
from watched import watch

import edgeolk as ek


def exported(learner: ek.Learner, folder: Path, *flags: str) -> Compiled:
    ek.export_c(learner, folder)
    return Compiled(folder, learner, flags=flags)


def _labels(options: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    r = np.random.default_rng(0)
    X = r.normal(size=(700, 3)).astype(np.float32)
    y = np.where(np.arange(700) % 40 < 20, 1.0, -1.0)
    X[:, 0] += y
    return X, (y + 1.0) / 2.0 if options else y


@pytest.mark.parametrize("options", [{}, {"n_classes": 3}], ids=["two", "three"])
@pytest.mark.spread(2)
def test_a_last_label_is_forgotten(options: dict[str, Any], tmp_path: Path) -> None:
    X, y = _labels(options)
    learner = ek.Learner(n_features=3, D=64, last_label=True, dtype="float64", **options)
    learner.learn_many(X[:600], y[:600])
    board = exported(learner, tmp_path)
    before = np.array([board.scores(row) for row in X[600:]])
    np.testing.assert_allclose(before, [learner.scores_one(row) for row in X[600:]], rtol=1e-9)
    board.c.ek_restart(board.arena)
    learner.restart()
    after = np.array([board.scores(row) for row in X[600:]])
    np.testing.assert_allclose(after, [learner.scores_one(row) for row in X[600:]], rtol=1e-9)
    assert (np.abs(after - before).max(axis=1) > 0.01).all()
    assert board.learn(X[600], y[600]) == pytest.approx(learner.learn_one(X[600], y[600]))
    np.testing.assert_allclose(board.scores(X[601]), learner.scores_one(X[601]), rtol=1e-9)
    assert board.untouched()


@pytest.mark.parametrize("flag", [(), ("-DEK_FIXED",)], ids=str)
@pytest.mark.parametrize("options", [{}, {"n_classes": 3}], ids=["two", "three"])
@pytest.mark.spread(4)
def test_a_last_label_lapses_after_as_many_answers_as_in_the_library(
    options: dict[str, Any], flag: tuple[str, ...], tmp_path: Path
) -> None:
    X, y = _labels(options)
    dtype = "int8" if flag else "float64"
    learner = ek.Learner(n_features=3, D=64, history="auto", dtype=dtype, **options)
    learner.learn_many(X[:600], y[:600])
    learner.scores(X[600:605])
    board = exported(learner, tmp_path, *flag)  # which goes on counting
    size = len(learner._sealed())
    assert board.file(size) == bytes(learner._sealed())
    loose = 0.05 if flag else 1e-9

    def answered_alike() -> list[np.ndarray]:
        expected = [learner.scores_one(row) for row in X[605:640]]
        found = [board.scores(row) for row in X[605:640]]
        np.testing.assert_allclose(found, expected, rtol=loose, atol=loose)
        return found

    first = answered_alike()
    answers = [board.predict(row) for row in X[600:640]]
    assert len(set(answers)) > 1  # nothing freezes
    assert np.abs(np.array(answered_alike()) - first).max(axis=1)[:11].min() > 0.01
    learner.learn_one(X[640], y[640])  # a label is back
    board.learn(X[640], y[640])
    answered_alike()
    learner.learn_one(X[641], y[641])
    path = tmp_path / "model.olk"
    for count in (0, 5, 11, 20):  # a file counts answers
        learner.scores(X[650 : 650 + count])
        learner.save(path)
        learner = ek.load(path)
        assert board.load(path.read_bytes()) == 0
        assert board.file(size) == path.read_bytes()
        answered_alike()
        learner.learn_one(X[642], y[642])
    with pytest.raises(ValueError, match=r"."):  # a refused row is no answer
        board.scores(np.full(3, np.nan))
    assert board.untouched()


@pytest.mark.parametrize("call", ["restart", "accept"])
def test_the_event_of_a_stream_is_over(call: str, tmp_path: Path) -> None:
    learner = watching(dtype="float64", clock=True)
    X = readings()
    X[900:930, 0] += 40.0 * np.nanstd(X[:900, 0])
    learner.learn_many(X[:914], time=600.0 * np.arange(914))
    board = exported(learner, tmp_path)
    assert watch(board, X[914], 600.0 * 914).event
    learner.learn_one(X[914], time=600.0 * 914)
    assert learner.event
    board.c[f"ek_{call}"](board.arena)
    getattr(learner, call)()
    assert not learner.event
    size = len(learner._sealed())
    assert board.file(size) == bytes(learner._sealed())
    for x in X[930:1200]:
        found = watch(board, x)
        learner.learn_one(x)
        assert found.score == pytest.approx(learner.anomaly, rel=1e-9, abs=1e-9)
        assert (bool(found.novel), bool(found.event)) == (learner.novel, learner.event)
    assert board.untouched()
