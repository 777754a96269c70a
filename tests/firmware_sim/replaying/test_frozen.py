"""The same learner frozen after the first rows, beside the one that goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.comparison.ranking import lasting
from firmware_sim.comparison.run import compare
from firmware_sim.replaying.frozen import FrozenTwin
from firmware_sim.report import to_dict, to_page, to_text

N, AFTER = 1500, 400


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    draws = np.random.default_rng(1)
    X = draws.normal(size=(N, 3))
    value = X[:, 0] + X[:, 1] * np.where(np.arange(N) < 700, 1.0, -1.0)
    cells = [
        [*map(repr, row), str(int(number > 0)), str((number > -1) + (number > 1)), repr(number)]
        for row, number in zip(X.tolist(), value.tolist(), strict=True)
    ]
    cells[40][1] = ""
    path: Path = tmp_path_factory.mktemp("frozen") / "stream.csv"
    path.write_text("\n".join(["a,b,c,two,three,number", *map(",".join, cells), ""]))
    return str(path)


def configured(table: str, kind: str = "", target: str = "two", **options: Any) -> fs.ReplayConfig:
    ignored = tuple({"two", "three", "number"} - {target})
    if kind == "regression":  # of forecasters, which are the default, there is no such twin
        options.setdefault("params", {"history": False})
    known: dict[str, Any] = {"ram": "6KiB", "frozen_after": AFTER, "kind": kind, **options}
    return fs.ReplayConfig(table, target=target, ignore=ignored, **known)


KINDS = [("", "two"), ("multiclass", "three"), ("regression", "number")]


@pytest.mark.parametrize(("kind", "target"), KINDS)
def test_by_rows_and_by_blocks(table: str, kind: str, target: str) -> None:
    blocks = fs.replay(configured(table, kind, target))
    rows = fs.replay(configured(table, kind, target, damaged="stop"))
    assert blocks.frozen is not None
    assert rows.frozen is not None
    assert blocks.frozen.rows == blocks.rows.used - AFTER
    for name in ("after", "rows", "loss", "learner"):
        assert getattr(rows.frozen, name) == pytest.approx(getattr(blocks.frozen, name), rel=1e-9)
    assert blocks.frozen.loss > blocks.frozen.learner  # the world has changed


def test_it_is_a_learner_of_the_first_rows(table: str) -> None:
    result = fs.replay(configured(table, params={"memory": 100, "last_label": False}))
    learner = ek.Learner(n_features=3, budget=result.learner["budget"], memory=100)
    lines = [line.split(",") for line in Path(table).read_text(encoding="utf-8").splitlines()[1:]]
    whole = [line for line in lines if "" not in line]
    X = np.array([line[:3] for line in whole], dtype=float)
    y = np.where(np.array([line[3] for line in whole]) == "1", 1.0, -1.0)
    learner.learn_many(X[:AFTER], y[:AFTER])
    wrong = learner.decision_function(X[AFTER:]) * y[AFTER:] <= 0.0
    assert result.frozen is not None
    assert result.frozen.loss == pytest.approx(wrong.mean())


def test_with_scalers_outside(table: str) -> None:
    frozen = fs.replay(configured(table, algorithm="bpa_s", ram="16KiB")).frozen
    assert frozen is not None
    assert frozen.rows == N - 1 - AFTER


def test_it_is_told(table: str) -> None:
    result = fs.replay(configured(table))
    assert result.frozen is not None
    said = f"Frozen after {AFTER} rows: {result.frozen.said} on the 1,099 later rows"
    assert said in to_text(result)
    assert said in to_page(result)
    assert to_dict(result)["frozen"]["loss"] == result.frozen.loss


@pytest.mark.parametrize(
    "options", [{"frozen_after": 0}, {"frozen_after": N}, {"kind": "novelty"}], ids=str
)
def test_none_is_told(table: str, options: dict[str, Any]) -> None:
    result = fs.replay(configured(table, **options))
    assert result.frozen is None
    assert "Frozen" not in to_text(result)


@pytest.mark.parametrize(("kind", "target"), KINDS[:2])
def test_comparisons_tell_it_and_how_long_recovery_takes(
    table: str, kind: str, target: str, tmp_path: Path
) -> None:
    config = configured(table, kind, target, faults=("gain:by=0.1,from=1001",))
    found = compare(config, ["6KiB"], ["bpa_s"], folder=tmp_path, seeds=1, workers=1)
    assert found.rows.evaluator.changes == [999]  # a row before it has no value for b
    cell = found.cell("default", 6 * 1024)
    frozen, going_on = cell.means("frozen")
    assert frozen > going_on
    assert len(cell.means("recovery")) == 1
    lines = lasting(found)
    assert lines[0].startswith(f"frozen    the default in 6KiB after {AFTER} rows: ")
    recovered = [line for line in lines if line.startswith("recovery  default")]
    assert len(recovered) == len(cell.means("recovery"))
    again = compare(config, ["6KiB"], ["bpa_s"], folder=tmp_path, seeds=1, workers=1)
    assert again.cell("default", 6 * 1024).means("frozen") == [frozen, going_on]


def test_no_error_is_not_below_zero_by_rounding() -> None:
    """7 wrong of 70 rows, and none of the 30 later ones."""
    metrics = Mock(rows=70, words=lambda loss: f"{100 * loss:.2f} % wrong")
    metrics.mean_loss.side_effect = lambda who: 7 / metrics.rows
    twin = FrozenTwin(configured("occupancy", target="occupied"), metrics)
    twin._before = 70, 7.0 + 1e-9
    metrics.rows = 100
    twin._metrics = metrics
    found = twin.result()
    assert found is not None
    assert found.learner_said == "0.00 % wrong"


def test_a_row_that_only_the_later_learner_accepts_leaves_no_twin(
    table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(*_: Any) -> Any:
        def answers(X: np.ndarray, y: np.ndarray) -> np.ndarray:
            raise ValueError("a reading beyond the range of its scale")

        return answers

    assert fs.replay(configured(table)).frozen is not None
    monkeypatch.setattr("firmware_sim.replaying.frozen.frozen_answers", refusing)
    result = fs.replay(configured(table))
    assert (result.frozen, result.status) == (None, "complete")
