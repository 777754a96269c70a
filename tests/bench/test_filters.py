"""Filters compared on series: the rows, the settings that are chosen, and the page."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest

# At the end: where an installed wheel is tested, edgeolk must not be the one beside bench.
sys.path.append(str(Path(__file__).parents[2]))

from bench import table
from bench.filters import __main__ as program
from bench.filters import picture, profile, series, subjects
from bench.filters.subjects import Subject, learner_of

DESCENT = Subject("ogd", "gradient", {"loss": "square"}, {"eta": (0.1, 0.5)})


@pytest.fixture
def waves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with short series."""
    (tmp_path / "series").mkdir()
    for at, name in enumerate(series.SERIES):
        values = np.sin(np.arange(1, 160) * (0.3 + 0.2 * at)) + 2.0
        with gzip.open(tmp_path / "series" / f"{name}.dat.gz", "wt") as file:
            file.write("\n".join(map(str, values)) + "\n\n")
    monkeypatch.setenv("EDGEOLK_DATA", str(tmp_path))
    return tmp_path


def test_a_row_is_the_last_six_values_and_its_target_the_next() -> None:
    X, y = series.lagged(np.arange(1.0, 20.0), 10)
    assert X.shape == (10, 6)
    assert X[0].tolist() == [1, 0, 0, 0, 0, 0]
    assert X[7].tolist() == [8, 7, 6, 5, 4, 3]
    assert y.tolist() == list(range(2, 12))


def test_lags_and_targets_have_one_scale(waves: Path) -> None:
    raw_rows, raw_targets = series.lagged(series.read("lorenz"), 100)
    X, y = series.standardised("lorenz", 100)
    assert (y.mean(), y.std()) == (pytest.approx(0.0, abs=1e-12), pytest.approx(1.0))
    assert np.allclose(X[10:, 0], y[9:-1])
    assert np.allclose(X * raw_targets.std() + raw_targets.mean(), raw_rows)


def test_the_steady_error_leaves_the_first_rows_out() -> None:
    y = np.array([9.0, 9.0, 1.0, 2.0])
    assert series.steady_error(np.array([0.0, 0.0, 0.9, 2.1]), y, 2) == pytest.approx(-20.0)
    assert series.steady_error(np.array([0.0, np.nan, 0.9, 2.1]), y, 2) == np.inf


def test_settings_are_chosen_by_the_first_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """One setting is right in the first rows, the other in the judged ones."""

    class Fixed:
        nbytes = 77

        def __init__(self, early: float, late: float) -> None:
            self.errors = np.r_[np.full(1000, early), np.full(200, late)]

        def learn_many(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
            return y + self.errors

    made = {0.1: Fixed(0.1, 1.0), 0.5: Fixed(1.0, 0.01)}
    monkeypatch.setattr(profile, "learner_of", lambda _, ram, setting: made[setting["eta"]])
    found = profile.measure(DESCENT, "1KiB", np.zeros((1200, 6)), np.zeros(1200))
    assert found is not None
    assert (found.setting, found.best_setting) == ({"eta": 0.1}, {"eta": 0.5})
    assert found.error == pytest.approx(0.0)
    assert found.hindsight == pytest.approx(-40.0)
    assert found.nbytes == 77


def test_what_does_not_fit_is_left_out() -> None:
    X = np.zeros((40, 6))
    assert profile.measure(DESCENT, "256", X, X[:, 0]) is None


def test_every_method_is_made_by_its_public_name() -> None:
    assert set(subjects.SUBJECTS) - {subjects.SORF, subjects.FORECASTER} == {
        "klms", "qklms", "knlms", "kapa", "krls", "sw_krls", "fb_krls", "krls_t", "sogp",
        "krls_auto",
    }  # fmt: skip
    for subject in subjects.SUBJECTS.values():
        for setting in subject.settings():
            assert set(setting) == set(subject.tried)
        assert learner_of(subject, "2KiB", setting).nbytes <= 2048


def test_the_program_saves_a_page_a_picture_and_numbers(
    waves: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("PIL")
    some = {
        "krls": Subject("krls", "least squares", {}, {"gamma": (0.3,), "nu": (1e-2, 1e-4)}),
        "sorf": subjects.SUBJECTS["sorf"],
    }
    for module in (program, profile, picture):
        monkeypatch.setattr(module, "SUBJECTS", some)
    monkeypatch.setattr(program, "ROWS", 150)
    for module in (program, profile):
        monkeypatch.setattr(module, "SIZES", ("1KiB", "2KiB"))
        monkeypatch.setattr(module, "CHOOSING", slice(20, 60))
    for module, name in ((program, "RESULTS"), (table, "RESULTS"), (table, "ROOT")):
        monkeypatch.setattr(module, name, tmp_path)
    monkeypatch.setattr(table.Report.save, "__defaults__", (tmp_path,))
    monkeypatch.setattr(sys, "argv", ["filters"])
    assert program.main() == 0
    page = (tmp_path / "filters.md").read_text()
    assert page.count("## ") == 4 * len(series.SERIES)
    assert "![Error against bytes and time](filters.png)" in page
    assert (tmp_path / "filters.png").stat().st_size > 5000
    data = json.loads((tmp_path / "filters.json").read_text())
    krls = data["lorenz"]["krls"]["1KiB"]
    assert f"{krls['error']:.1f}" in page
    assert krls["error"] >= krls["hindsight"]
    assert data["lorenz"]["sorf"]["2KiB"]["nbytes"] <= 2048


def test_without_the_series_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EDGEOLK_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["filters", "--quick"])
    assert program.main() == 1
    told = capsys.readouterr()
    assert not told.out
    assert "series/lorenz.dat.gz" in told.err
