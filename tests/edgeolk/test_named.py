"""Learners from estimators and river models: their names, probabilities and files."""

from __future__ import annotations

import copy
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.calibration import Calibration, softmax, two_columns
from edgeolk.named import NamedLearner

sklearn = pytest.importorskip("edgeolk.sklearn")
river = pytest.importorskip("edgeolk.river")

DRAWS = np.random.default_rng(6)
X = DRAWS.normal(size=(400, 3))
WORDS = {2: np.array(["idle", "busy"]), 3: np.array(["idle", "busy", "worn"])}


def labels(n_classes: int) -> np.ndarray:
    return WORDS[n_classes][np.digitize(X[:, 0], [0.0, 0.8][: n_classes - 1])]


def kept(learner: NamedLearner, folder: Path) -> list[NamedLearner]:
    """The learner, and what files, copies and pickles make of it."""
    learner.save_named(folder / "m.zip")
    return [
        learner, ek.load(folder / "m.zip"), copy.copy(learner), copy.deepcopy(learner),
        pickle.loads(pickle.dumps(learner)),
    ]  # fmt: skip


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", [None, "logistic"])
def test_an_estimators_probabilities(n_classes: int, loss: str | None, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    table, y = pd.DataFrame(X, columns=["a", "b", "c"]), labels(n_classes)
    algorithm = "ogd" if loss else "sorf"
    model = sklearn.OnlineKernelClassifier(algorithm, loss=loss, ram="4KiB", random_state=0)
    model.fit(table, y)
    wanted, answers = model.predict_proba(table[:20]), model.predict(table[:20])
    for learner in kept(model.to_learner(), tmp_path):
        assert isinstance(learner, NamedLearner)
        assert learner.names.features == ("a", "b", "c")
        for row, shares, answer in zip(X[:20], wanted, answers, strict=True):
            found = learner.predict_proba_one(row)
            assert [*found] == model.classes_.tolist()
            np.testing.assert_array_equal([*found.values()], shares)
            assert learner.answer_one(row) == answer
        learner.learn_one(X[0], learner.label_of_class(y[0]))
        assert learner.steps == model.learner_.steps + 1
    with pytest.raises(ValueError, match="there is no class 'gone', only"):
        model.to_learner().label_of_class("gone")


def test_an_estimators_targets_have_their_unit(tmp_path: Path) -> None:
    model = sklearn.OnlineKernelRegressor("bpa_s", ram="4KiB", random_state=0)
    model.fit(X, 500.0 + 40.0 * X[:, 0])
    for learner in kept(model.to_learner(), tmp_path):
        assert [learner.answer_one(row) for row in X[:9]] == model.predict(X[:9]).tolist()
        with pytest.raises(AttributeError, match="predict_proba_one needs classes"):
            learner.predict_proba_one(X[0])
    novelty = sklearn.OnlineKernelNovelty(random_state=0).fit(X).to_learner()
    assert [novelty.answer_one(row) for row in X[:5]] == [novelty.predict_one(r) for r in X[:5]]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_river_models_probabilities(n_classes: int, tmp_path: Path) -> None:
    model = river.KernelClassifier(ram="4KiB", n_classes=n_classes, history=False)
    for row, y in zip(X.tolist(), labels(n_classes).tolist(), strict=True):
        model.learn_one(dict(zip("abc", row, strict=True)), y)
    for learner in kept(model.to_learner(), tmp_path):
        assert learner.names.features == ("a", "b", "c")
        for row in X[:20].tolist():
            x = dict(zip("abc", row, strict=True))
            found = learner.predict_proba_one(np.array(row))
            assert found == pytest.approx(model.predict_proba_one(x), rel=1e-12)
            assert learner.answer_one(np.array(row)) == model.predict_one(x)


def test_a_model_saves_itself(tmp_path: Path) -> None:
    model = sklearn.OnlineKernelClassifier(ram="2KiB", random_state=0).fit(X, labels(2))
    model.save(tmp_path / "a.zip")
    found = ek.load(tmp_path / "a.zip")
    assert found.predict_proba_one(X[0]) == model.to_learner().predict_proba_one(X[0])
    assert found.nbytes == model.learner_.nbytes
    model.save(tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    model.to_learner().save(tmp_path / "plain.olk")  # without names, for boards
    plain = ek.load(tmp_path / "plain.olk")
    assert type(plain) is ek.Learner
    assert plain.decision_one(X[0]) == found.decision_one(X[0])
    one = river.KernelRegressor(ram="2KiB")
    one.learn_one({"a": 1.0}, 2.0)
    one.save(tmp_path / "river.zip")
    assert ek.load(tmp_path / "river.zip").names.features == ("a",)
    with pytest.raises(ValueError, match="takes"):
        ek.load(tmp_path / "a.zip", ram=500)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_balanced_decision_is_kept(n_classes: int, tmp_path: Path) -> None:
    draws = np.random.default_rng(6)
    names = np.array(["idle", "busy", "worn"])[:n_classes]
    shares = [0.9, 0.1] if n_classes == 2 else [0.9, 0.06, 0.04]
    y = draws.choice(n_classes, 1500, p=shares)
    rows = draws.normal(size=(1500, 2)) + np.eye(3)[y][:, :2] - (y == 2)[:, None]
    model = river.KernelClassifier(
        ram="4KiB", n_classes=n_classes + 1 if n_classes > 2 else 2, decision="balanced"
    )
    for row, label in zip(rows.tolist(), names[y].tolist(), strict=True):
        model.learn_one(dict(zip("ab", row, strict=True)), label)
    plain = copy.deepcopy(model)
    plain.decision = "accuracy"
    inputs = [dict(zip("ab", row, strict=True)) for row in rows[:100].tolist()]
    wanted = [model.predict_one(x) for x in inputs]
    assert wanted != [plain.predict_one(x) for x in inputs]
    for learner in kept(model.to_learner(), tmp_path):
        learner.restart()  # the labels of these rows do not come
        assert [learner.answer_one(row) for row in rows[:100]] == wanted


def test_a_file_of_format_1_has_its_probabilities(tmp_path: Path) -> None:
    """They came from the score alone, through two numbers."""
    model = sklearn.OnlineKernelClassifier(ram="2KiB", random_state=0).fit(X, labels(2))
    model.save(tmp_path / "m.zip")
    with zipfile.ZipFile(tmp_path / "m.zip") as box:
        parts = {name: box.read(name) for name in box.namelist()}
    about = json.loads(parts["about.json"])
    alone = about.pop("probabilities")["calibration"]
    del about["decision"]
    for given in (alone, None):
        with zipfile.ZipFile(tmp_path / "old.zip", "w") as box:
            box.writestr("learner.olk", parts["learner.olk"])
            box.writestr("about.json", changed(about, format=1, calibration=given))
        found = ek.load(tmp_path / "old.zip")
        calibration = Calibration()
        calibration.__setstate__(alone)
        for row in X[:9]:
            f = found.decision_one(row)
            scores = two_columns([f])
            p = (softmax if given is None else calibration.probabilities)(scores)[0]
            assert [*found.predict_proba_one(row).values()] == pytest.approx(p, abs=1e-12)
            assert found.answer_one(row) == model.classes_[int(f > 0.0)]


def test_names_that_a_file_cannot_hold(tmp_path: Path) -> None:
    model = river.KernelClassifier(ram="2KiB")
    model.learn_one({"a": 1.0}, ("x", 1))
    assert model.to_learner().names.classes == (("x", 1),)
    with pytest.raises(TypeError, match=r"classes in a file must be text or numbers, got tuple"):
        model.save(tmp_path / "m.zip")
    assert not (tmp_path / "m.zip").exists()


def test_names_are_theirs_alone() -> None:
    """A model that learns on changes nothing of the learner it gave."""
    model = river.KernelClassifier(ram="2KiB", history=False)
    for row, y in zip(X.tolist(), labels(2).tolist(), strict=True):
        model.learn_one(dict(zip("abc", row, strict=True)), y)
    learner = model.to_learner()
    before = learner.predict_proba_one(X[0])
    for row in X.tolist():
        model.learn_one(dict(zip("abc", row, strict=True)), "busy")
    assert learner.predict_proba_one(X[0]) == before


def changed(about: dict[str, Any], **fields: Any) -> bytes:
    return json.dumps({**about, **fields}).encode()


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    sklearn.OnlineKernelClassifier(ram="2KiB", random_state=0).fit(X, labels(2)).save(
        tmp_path / "m.zip"
    )
    with zipfile.ZipFile(tmp_path / "m.zip") as box:
        parts = {name: box.read(name) for name in box.namelist()}
    about = json.loads(parts["about.json"])
    kept = about["probabilities"]
    cases: list[tuple[dict[str, bytes], int, str]] = [
        ({"about.json": parts["about.json"]}, 0, "no model with names"),
        ({"learner.olk": parts["learner.olk"]}, 0, "no model with names"),
        (parts, zipfile.ZIP_DEFLATED, "is compressed"),
        ({**parts, "about.json": b"{"}, 0, "no model with names"),
        ({**parts, "about.json": b"[]"}, 0, "is not of format 1"),
        ({**parts, "about.json": changed(about, format=3)}, 0, "is not of format 1 or 2"),
        ({**parts, "about.json": changed(about, classes=None)}, 0, "must list classes"),
        ({**parts, "about.json": changed(about, classes=[[]])}, 0, "must list classes"),
        ({**parts, "about.json": changed(about, classes=[1, 2, 3])}, 0, "names 3 classes of 2"),
        ({**parts, "about.json": changed(about, features=[1, 2, 3, 4])}, 0, "names 4 inputs of 3"),
        ({**parts, "about.json": changed(about, decision="fair")}, 0, "decision must be"),
        ({**parts, "about.json": changed(about, probabilities=None)}, 0, "must have probabilities"),
        *(
            ({**parts, "about.json": changed(about, probabilities={**kept, **wrong})}, 0, message)
            for wrong, message in (
                ({"calibration": [1.0]}, "must have finite"),
                ({"calibration": None}, "no log odds"),
                ({"all_scores": [0.0] * 20}, "must have finite"),
                ({"all_scores": [float("inf")] * 21}, "must have finite"),
                ({"labels": [1.0]}, "must have finite"),
                ({"labels": [1.0, -1.0]}, "must have finite"),
                ({"labels": None}, "must have finite"),
                ({"over_shares": "0"}, "must have finite"),
            )
        ),
        ({**parts, "about.json": changed(about, target_scale=None)}, 0, "must have finite"),
        ({**parts, "learner.olk": parts["learner.olk"][:-1]}, 0, "length|bytes"),
    ]
    for some, compression, message in cases:
        with zipfile.ZipFile(tmp_path / "bad.zip", "w", compression) as box:
            for name, data in some.items():
                box.writestr(name, data)
        with pytest.raises(ValueError, match=message):
            ek.load(tmp_path / "bad.zip")
    whole = (tmp_path / "m.zip").read_bytes()
    (tmp_path / "bad.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="no model with names"):
        ek.load(tmp_path / "bad.zip")
