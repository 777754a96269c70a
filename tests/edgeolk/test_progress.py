"""What a long call shows of itself."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk import progress
from edgeolk.progress import Progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that the module takes it to be."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "tqdm":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)


def test_a_short_call_shows_nothing(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(100) as shown:
        for _ in range(10):
            clock[0] += 0.09
            shown(10)
    assert capsys.readouterr() == ("", "")
    assert shown.done == 100


@pytest.mark.usefixtures("without_tqdm")
def test_lines_where_there_is_no_tqdm(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with Progress(1000) as shown:
        for _ in range(10):
            clock[0] += 1.0
            shown(100)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == ["100 of 1,000 rows, 10 %", "600 of 1,000 rows, 60 %"]


def test_a_bar_of_tqdm(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    with Progress(1000) as shown:
        for _ in range(10):
            clock[0] += 1.0
            shown(100)
    assert "1000/1000" in capsys.readouterr().err.replace(",", "")


def test_learn_many_tells_of_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    monkeypatch.setattr(Progress, "__call__", lambda _, rows: told.append(rows))
    X = np.random.default_rng(0).normal(size=(5000, 400))
    y = np.where(X[:, 0] > 0.0, 1, -1)
    options: dict[str, Any] = {"n_features": 400, "budget": 100, "kernel_gamma": 0.01}
    learner, quiet = ek.Learner("pa1", **options), ek.Learner("pa1", **options)
    f = learner.learn_many(X, y, verbose=True)
    assert sum(told) == len(X)
    assert len(told) > 2
    np.testing.assert_array_equal(f, quiet.learn_many(X, y))


def test_an_interrupt_leaves_whole_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: Progress, rows: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "__call__", interrupted)
    X = np.random.default_rng(0).normal(size=(5000, 400))
    learner = ek.Learner("pa1", n_features=400, budget=100, kernel_gamma=0.01)
    with pytest.raises(KeyboardInterrupt):
        learner.learn_many(X, np.where(X[:, 0] > 0.0, 1, -1), verbose=True)
    assert 0 < learner.steps < 5000
    learner.learn_one(X[0], 1)  # it is in use by nobody


@pytest.mark.parametrize("verbose", [False, True])
def test_a_fit_tells_of_every_row_of_every_epoch(
    verbose: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sklearn = pytest.importorskip("edgeolk.sklearn", exc_type=ImportError)
    told: list[int] = []
    monkeypatch.setattr(Progress, "__call__", lambda _, rows: told.append(rows))
    X = np.random.default_rng(0).normal(size=(700, 3))
    model = sklearn.OnlineKernelClassifier(ram="4KiB", epochs=2, verbose=verbose)
    model.fit(X, np.where(X[:, 0] > 0.0, 1, -1))
    assert sum(told) == (2 * len(X) if verbose else 0)
