"""Models of other libraries in a comparison: the same rows, and answers before labels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from river import anomaly, linear_model, preprocessing, tree
from sklearn.cluster import KMeans
from sklearn.linear_model import SGDClassifier, SGDRegressor

import firmware_sim as fs
from firmware_sim.comparison import Comparison
from firmware_sim.comparison.report import report_of
from firmware_sim.streams import Row, Sample

N = 400
RNG = np.random.default_rng(5)
X = RNG.normal(size=(N, 3)) * [1, 30, 1] + [0, 500, 2]
WAY = X[:, 0] + (X[:, 1] - 500) / 30


class Listed(fs.Stream):
    """Rows in memory; the reading of row 7 is missing."""

    name, target, features = "listed", "y", ("a", "b", "c")

    def __init__(self, labels: list[str]) -> None:
        self.labels = labels

    def samples(self, row: Row) -> Iterator[Sample]:
        for number, (values, label) in enumerate(zip(X, self.labels, strict=True), 1):
            row[:] = values
            if number == 7:
                row[0] = np.nan
            yield Sample(number, label)


TWO = ["1" if way > 0 else "-1" for way in WAY]
THREE = [("low", "mid", "high")[int(np.digitize(way, [-0.7, 0.7]))] for way in WAY]
NUMBERS = [repr(float(way)) for way in WAY]


TREE = preprocessing.StandardScaler() | tree.HoeffdingTreeRegressor()


def compared(folder: Path, labels: list[str], of: dict[str, Any], **config: Any) -> Comparison:
    given = fs.ReplayConfig(Listed(labels), **config)
    return fs.compare(given, ["4KiB"], ["rbp"], models=of, folder=folder, workers=1, seeds=1)


class Noted:
    """A model that keeps what it was asked and told, and answers with the label before."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any, Any]] = []
        self.copies: list[Noted] = []

    def __deepcopy__(self, memo: object) -> Noted:
        self.copies.append(type(self)())
        return self.copies[-1]

    def predict_one(self, x: dict[str, float]) -> Any:
        self.calls.append(("ask", x, None))
        return next((y for what, _, y in reversed(self.calls) if what == "learn"), None)

    def learn_one(self, x: dict[str, float], y: Any) -> None:
        self.calls.append(("learn", x, y))


def test_a_copy_of_a_model_answers_each_row_before_it_learns_it(tmp_path: Path) -> None:
    own = Noted()
    found = compared(tmp_path, TWO, {"before": own})
    assert not own.calls  # the caller's is not touched
    calls = own.copies[0].calls
    assert [what for what, *_ in calls] == ["ask", "learn"] * (N - 1)
    rows = np.delete(X, 6, axis=0)  # unscaled, with their names
    assert [x for what, x, _ in calls if what == "ask"] == [
        dict(zip("abc", row, strict=True)) for row in rows.tolist()
    ]
    labels = [label == "1" for at, label in enumerate(TWO) if at != 6]
    assert [y for what, _, y in calls if what == "learn"] == labels
    (name,) = (one for one in found.rows.baselines if one.startswith("before"))
    # It repeats the last label, as the baseline does; before the first, +1.
    assert found.rows.baselines[name] == pytest.approx(
        found.rows.baselines["no-change"], abs=1.0 / N
    )


@pytest.mark.parametrize(
    ("labels", "of", "config", "at_most"),
    [
        (TWO, preprocessing.StandardScaler() | linear_model.LogisticRegression(), {}, 0.12),
        (TWO, SGDClassifier(random_state=0), {}, 0.5),
        (THREE, tree.HoeffdingTreeClassifier(grace_period=50), {"kind": "multiclass"}, 0.55),
        (THREE, SGDClassifier(random_state=0), {"kind": "multiclass"}, 0.7),
        (NUMBERS, TREE, {"kind": "regression"}, 1.2),
    ],
)  # fmt: skip
@pytest.mark.spread(2)
def test_models_of_both_libraries(
    tmp_path: Path, labels: list[str], of: Any, config: dict[str, Any], at_most: float
) -> None:
    found = compared(tmp_path, labels, {"theirs": of}, **config)
    (one,) = found.rows.models
    assert (one.name, one.rows, one.detail) == ("theirs", len(found.rows.y), "")
    assert one.library == ("scikit-learn" if isinstance(of, SGDClassifier) else "river")
    loss = found.rows.baselines[one.label]
    assert 0.0 < loss <= at_most
    report = report_of(found)
    table = next(section.table for section in report.sections if section.title == "Ranking")
    assert table is not None
    words = found.rows.evaluator.metrics.cell(loss)
    assert (one.label, words) in [row[:2] for row in table.rows]
    assert "no cap" in report.to_text()
    assert one.label in report.data["baselines"]


def test_its_loss_is_that_of_its_answers(tmp_path: Path) -> None:
    # Unscaled rows diverge, which is the model's own affair.
    found = compared(tmp_path, NUMBERS, {"sgd": SGDRegressor(random_state=0)}, kind="regression")
    rows, y = X.copy(), found.rows.y
    rows[6, 0] = rows[5, 0]  # the last reading in place of the missing one
    by_hand = SGDRegressor(random_state=0)
    total = abs(y[0])  # an answer of 0 before the first label
    for at, row in enumerate(rows):
        total += abs(by_hand.predict(row[None])[0] - y[at]) if at else 0.0
        by_hand.partial_fit(row[None], [y[at]])
    (one,) = found.rows.models
    assert found.rows.baselines[one.label] == pytest.approx(total / len(y), rel=1e-9)


def test_a_label_that_comes_later_is_learned_later(tmp_path: Path) -> None:
    """An answer that repeats the newest label is 5 rows old where labels are 5 rows late."""
    found = compared(tmp_path, THREE, {"before": Noted()}, kind="multiclass", label_delay=5)
    (one,) = found.rows.models
    np.testing.assert_array_equal(one.scores[5:], found.rows.y[:-5])
    np.testing.assert_array_equal(one.scores[:5], np.zeros(5))


def test_alarms_are_not_compared(tmp_path: Path) -> None:
    with pytest.raises(fs.SimulatorError, match="on labels, not on novelty"):
        compared(tmp_path, TWO, {"trees": anomaly.HalfSpaceTrees()}, kind="novelty")


def test_one_that_takes_too_long_is_named(tmp_path: Path) -> None:
    given = fs.ReplayConfig(Listed(TWO))
    of = {"slow": tree.HoeffdingTreeClassifier()}
    found = fs.compare(
        given, ["4KiB"], ["rbp"], models=of, folder=tmp_path, workers=1, seeds=1, seconds=1e-9
    )
    assert not any("slow" in name for name in found.rows.baselines)
    assert "slow (river) took too long: 64 of 399 rows" in report_of(found).to_text()


@pytest.mark.parametrize("of", [KMeans(), 3, "sorf", SGDClassifier])
def test_what_cannot_learn_row_by_row_is_refused_first(tmp_path: Path, of: Any) -> None:
    message = "model 'theirs' is a .*, which cannot learn row by row"
    if of is SGDClassifier:  # a class has the methods of its instances
        message = "model 'theirs' is a class: give an instance of it"
    with pytest.raises(fs.SimulatorError, match=message):
        compared(tmp_path / "new", TWO, {"theirs": of})
    assert not (tmp_path / "new").exists()


class Broken(Noted):
    def learn_one(self, x: dict[str, float], y: Any) -> None:
        raise KeyError("b")


def test_an_error_of_a_model_names_it_and_the_row(tmp_path: Path) -> None:
    with pytest.raises(fs.SimulatorError, match="model 'broken' refuses row 1: 'b'"):
        compared(tmp_path, TWO, {"broken": Broken()})
