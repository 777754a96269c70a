"""Forecasters in C: the answers of the library with the plainest loops, bit for bit."""

from __future__ import annotations

import ctypes
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled
from forecasts import learner_of, run, series, troubled
from helpers import by_variant

import edgeolk as ek

CASES: list[dict[str, Any]] = [
    {"dtype": "int8", "horizon": 3, "season": 12, "interval": (0.5, 0.9)},
    {"dtype": "float64", "d": 2},
    {"dtype": "float32", "d": 0},
    {"D": 0},
    {"D": 0, "d": 0, "season": 12},
]


def exported(learner: ek.Learner, folder: Path, flags: tuple[str, ...] = ()) -> Compiled:
    ek.export_c(learner, folder)
    return Compiled(folder, learner, flags=flags)


def goes_on(case: dict[str, Any], folder: Path) -> int:
    """Hold the exported learner against the library, row by row; return the rows learned."""
    learner = learner_of(**case)
    k = int(learner.parameters["horizon"])
    X, y = troubled(d=learner.n_features)
    X = X.astype(np.float32).astype(float)
    run(learner, X[:200], y[:200], k)
    c = exported(learner, folder)
    for t in range(200, len(X)):
        learner.tell_one(y[t - k])
        c.tell_one(y[t - k])
        assert learner.ask_one(X[t]) == c.ask_one(X[t]), (case, t)
        flat = np.reshape(learner.interval, (-1, 2)).T.ravel()
        assert c.said[1 : 1 + len(flat)] == flat.tolist()
        if t == 600:
            learner.restart()
            c.c.ek_restart(c.arena)
            with pytest.raises(ValueError, match="-6"):  # no row waits
                c.tell_one(1.0)
            for _ in range(k):
                assert learner.ask_one(X[t]) == c.ask_one(X[t])
    assert c.counts()[0] == learner.steps
    assert c.file(len(learner._sealed())) == bytes(learner._sealed())
    assert c.untouched()
    return learner.steps


def in_child(target: str) -> None:
    """Every case."""
    folder = Path(target).parent
    steps = {str(i): goes_on(case, folder / str(i)) for i, case in enumerate(CASES)}
    np.savez(target, **steps)  # type: ignore[arg-type]


def test_it_goes_on_as_the_library_does(tmp_path: Path) -> None:
    """In a process of its own, whose loops are the plainest."""
    assert len(by_variant(__file__, "scalar", tmp_path)) == len(CASES)


@pytest.mark.parametrize(
    "options",
    [{"loss": "square", "history": True, "horizon": 2, "ram": "8KiB", "interval": (0.5, 0.9)},
     {"algorithm": "krls_auto", "budget": 9, "lags": 3}],
    ids=["sorf", "krls_auto"],
)  # fmt: skip
def test_an_interval_is_infinite_while_errors_are_unknown(
    options: dict[str, Any], tmp_path: Path
) -> None:
    """In C as in the library, from the first row on and after a restart."""
    given = dict(options)
    learner = ek.Learner(given.pop("algorithm", None), n_features=3, **given)
    c = exported(learner, tmp_path)
    delay = int(given.get("horizon", 1))
    X, y = series(40)
    X = X[:, :3].astype(np.float32).astype(float)
    infinite = []
    for t, row in enumerate(X):
        if t >= delay:
            learner.tell_one(y[t - delay])
            c.tell_one(y[t - delay])
        learner.ask_one(row)
        c.ask_one(row)
        expected = np.reshape(learner.interval, (-1, 2)).T.ravel()
        told = np.array(c.said[1 : 1 + len(expected)])
        assert (np.isinf(told) == np.isinf(expected)).all(), t
        assert told == pytest.approx(expected, rel=1e-4), t
        infinite.append(bool(np.isinf(told).all()))
    assert infinite[:delay] == [True] * delay
    assert not infinite[-1]


def test_its_state_goes_both_ways_and_a_forged_one_is_refused(tmp_path: Path) -> None:
    learner = learner_of(dtype="int8", season=12)
    X, y = series()
    c = exported(learner, tmp_path / "c")
    size = len(learner._sealed())
    run(learner, X[:100], y[:100])
    file = bytes(learner._sealed())
    assert c.c.ek_load(c.arena, file, ctypes.c_size_t(size)) == 0
    back = ctypes.string_at(c.c.ek_file(c.arena), size)
    (tmp_path / "back.olk").write_bytes(back)
    assert (tmp_path / "back.olk").read_bytes() == file
    loaded = ek.load(tmp_path / "back.olk")
    assert loaded.ask_one(X[100]) == pytest.approx(c.ask_one(X[100]), rel=1e-6)
    forged = bytearray(file)
    at = next(r.offset for r in learner.plan.regions if r.name == "head")
    forged[at : at + 4] = np.float32(np.nan).tobytes()
    forged[8:12] = bytes(4)
    forged[8:12] = zlib.crc32(forged).to_bytes(4, "little")
    before = ctypes.string_at(c.c.ek_file(c.arena), size)
    assert c.c.ek_load(c.arena, bytes(forged), ctypes.c_size_t(size)) == -3
    assert ctypes.string_at(c.c.ek_file(c.arena), size) == before


@pytest.mark.parametrize(("horizon", "changes"), [(1, 1), (3, 3)])
@pytest.mark.spread(2)
def test_a_unit_from_too_few_changes_is_refused(horizon: int, changes: int, tmp_path: Path) -> None:
    """In the rows that wait; a horizon of 1 starts from one change, a longer one from three."""
    learner = learner_of(dtype="int8", horizon=horizon)
    X, y = series()
    c = exported(learner, tmp_path)
    run(learner, X[:100], y[:100], horizon)
    at = next(r.offset for r in learner.plan.regions if r.name == "history") + 4
    for given, code in ((changes, 0), (changes - 1, -3)):
        forged = bytearray(learner._sealed())
        forged[at : at + 4] = np.float32(given).tobytes()
        forged[8:12] = bytes(4)
        forged[8:12] = zlib.crc32(forged).to_bytes(4, "little")
        assert c.c.ek_load(c.arena, bytes(forged), ctypes.c_size_t(len(forged))) == code


def test_wrong_order_and_bad_numbers_are_refused(tmp_path: Path) -> None:
    learner = learner_of(dtype="int8")
    X, y = series()
    learner.learn_many(X[:50], y[:50])
    c = exported(learner, tmp_path)
    with pytest.raises(ValueError, match="-6"):
        c.tell_one(1.0)
    with pytest.raises(ValueError, match="-1"):
        c.ask_one([1.0, np.inf, 0.0])
    c.ask_one(X[50])
    with pytest.raises(ValueError, match="-6"):
        c.learn(X[50], 1.0)
    with pytest.raises(ValueError, match="-2"):
        c.tell_one(np.inf)
    c.tell_one(None)
    learner.ask_one(X[50])
    learner.tell_one(None)
    assert c.learn(X[50], 1.0) == pytest.approx(learner.predict_one(X[50]), rel=1e-5)


def test_in_whole_numbers_errors_stay_within_a_hundredth(tmp_path: Path) -> None:
    X, y = series(2000)
    learner = learner_of(dtype="int8", D=200)
    c = exported(learner, tmp_path, ("-DEK_FIXED",))
    errors = [np.abs(run(one, X, y) - y)[100:].mean() for one in (learner, c)]
    assert errors[1] <= 1.01 * errors[0]


def test_bad_rows_are_counted_as_by_the_library(tmp_path: Path) -> None:
    """A refused question changes nothing; a refused row to learn is skipped and counted."""
    learner = learner_of(dtype="float64", on_bad_row="skip")
    X, y = series()
    learner.learn_many(X[:50], y[:50])
    c = exported(learner, tmp_path)
    bad = np.where(np.arange(learner.n_features) == 1, np.inf, X[50])
    with pytest.raises(ek.BadRowError):
        learner.ask_one(bad)
    with pytest.raises(ValueError, match="-1"):
        c.ask_one(bad)
    assert c.counts()[3] == learner.n_skipped == 0
    for row, target, code in ((bad, 1.0, "-1"), (X[50], np.inf, "-2"), (X[50], 1e101, "-2")):
        assert np.isnan(learner.learn_one(row, target))
        with pytest.raises(ValueError, match=code):
            c.learn(row, target)
    assert c.counts()[3] == learner.n_skipped == 3
    learner.ask_one(X[50])
    c.ask_one(X[50])
    with pytest.raises(RuntimeError, match="still waits"):
        learner.learn_one(X[51], 1.0)
    with pytest.raises(ValueError, match="-6"):
        c.learn(X[51], 1.0)
    assert np.isnan(learner.learn_one(bad, 1.0))
    with pytest.raises(ValueError, match="-1"):
        c.learn(bad, 1.0)
    assert c.counts()[3] == learner.n_skipped == 4
