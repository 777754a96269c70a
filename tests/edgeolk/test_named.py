"""Learners from estimators and river models: their names, probabilities and files."""

from __future__ import annotations

import copy
import json
import pickle
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk import progress
from edgeolk.calibration import Calibration, softmax, two_columns
from edgeolk.checkpointer import _decoded
from edgeolk.cli.program import main
from edgeolk.named import NamedLearner

sklearn = pytest.importorskip("edgeolk.sklearn", exc_type=ImportError)
river = pytest.importorskip("edgeolk.river", exc_type=ImportError)

DRAWS = np.random.default_rng(6)
X = DRAWS.normal(size=(400, 3))
WORDS = {2: np.array(["idle", "busy"]), 3: np.array(["idle", "busy", "worn"])}


def labels(n_classes: int) -> np.ndarray:
    return WORDS[n_classes][np.digitize(X[:, 0], [0.0, 0.8][: n_classes - 1])]


def kept(learner: NamedLearner, folder: Path) -> list[NamedLearner]:
    """The learner, and what files, copies and pickles make of it."""
    learner.save(folder / "m.zip")
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
            assert learner.predict_one(row) == answer
        assert learner.predict(X[:20]).tolist() == answers.tolist()
        np.testing.assert_array_equal(learner.predict_proba(X[:20]), wanted)
        learner.learn_one(X[0], y[0])
        assert learner.steps == model.learner_.steps + 1
        with pytest.raises(ValueError, match=r"y must be one of 'busy', 'idle'.*, got 'gone'"):
            learner.learn_one(X[0], "gone")
        with pytest.raises(ValueError, match=r"y\[1\] must be one of .*, got 'gone'"):
            learner.learn_many(X[:2], ["idle", "gone"])
        assert learner.steps == model.learner_.steps + 1
        with pytest.raises(ValueError, match="y must have as many items as X has rows, 2, got 1"):
            learner.learn_many(X[:2], ["idle"])
        with pytest.raises(AttributeError, match="did you mean 'predict_one'"):
            _ = learner.answer_one


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("algorithm", ["sorf", "bpa_s"])
def test_a_loaded_learner_goes_on_as_the_estimator(
    n_classes: int, algorithm: str, tmp_path: Path
) -> None:
    """Classes 1, 2 (and 3): labels keep their names through load, learn and save."""
    y = 1 + np.digitize(X[:, 0], [0.0, 0.8][: n_classes - 1])
    model = sklearn.OnlineKernelClassifier(algorithm, ram="4KiB", random_state=0)
    model.partial_fit(X[:200], y[:200], classes=[1, 2, 3][:n_classes])
    model.save(tmp_path / "m.zip")
    many, one = ek.load(tmp_path / "m.zip"), ek.load(tmp_path / "m.zip")
    scores = np.empty(100)
    assert many.learn_many(X[200:300], y[200:300], out=scores) is scores
    assert [one.learn_one(x, k) for x, k in zip(X[200:300], y[200:300], strict=True)] == [*scores]
    model.partial_fit(X[200:300], y[200:300])
    many.save(tmp_path / "m.zip")
    many = ek.load(tmp_path / "m.zip")
    assert many.predict(X).tolist() == model.predict(X).tolist()
    assert set(many.predict(X).tolist()) == {*range(1, n_classes + 1)}
    np.testing.assert_array_equal(many.predict_proba(X), model.predict_proba(X))
    assert pickle.dumps(one.plain) == pickle.dumps(many.plain)
    np.testing.assert_allclose(one.predict_proba(X), model.predict_proba(X), atol=0.05)
    assert repr(many).endswith(", classes 1, 2" + ", 3" * (n_classes == 3))


def test_a_sparse_row_of_a_named_learner(tmp_path: Path) -> None:
    model = sklearn.OnlineKernelClassifier(ram="4KiB", random_state=0).fit(X, labels(3))
    dense, sparse = model.to_learner(), model.to_learner()
    row, at = np.array([0.0, 1.5, -2.0]), np.array([1, 2], dtype=np.int32)
    assert sparse.predict_one_sparse(at, row[at]) == dense.predict_one(row)
    assert sparse.learn_one_sparse(at, row[at], "worn") == dense.learn_one(row, "worn")
    assert pickle.dumps(sparse.plain) == pickle.dumps(dense.plain)
    assert sparse.predict_proba_one(row) == dense.predict_proba_one(row)
    with pytest.raises(ValueError, match="indices must increase"):
        sparse.predict_one_sparse([2, 1], [1.0, 1.0])


def test_a_bad_row_of_a_named_learner_changes_nothing(tmp_path: Path) -> None:
    for how in ("raise", "skip"):
        model = sklearn.OnlineKernelClassifier(
            ram="4KiB", random_state=0, params={"on_bad_row": how}
        ).fit(X, labels(3))
        learner = model.to_learner()
        before, bad = learner.predict_proba(X), np.r_[X[:60], [[np.nan] * 3], X[:1]]
        y = [*labels(3)[:60], "idle", "idle"]
        if how == "skip":
            assert np.isnan(learner.learn_one(bad[60], "idle"))
            assert learner.n_skipped == 1
        else:
            with pytest.raises(ek.BadRowError, match="x must be finite"):
                learner.learn_one(bad[60], "idle")
        assert learner.predict_proba(X).tolist() == before.tolist()
        if how == "skip":
            assert np.isnan(learner.learn_many(bad, y)).tolist() == [False] * 60 + [True, False]
        else:
            with pytest.raises(ek.BadRowError, match=r"X\[60"):
                learner.learn_many(bad, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_skipped_row_teaches_no_probability(n_classes: int) -> None:
    """Not even how frequent their class is."""
    options = {"on_bad_row": "skip"}
    model = sklearn.OnlineKernelClassifier("bpa_s", budget=20, random_state=0, params=options)
    first, second = (model.fit(X[:100], labels(n_classes)[:100]).to_learner() for _ in "12")
    rows, y = X[100:130].copy(), labels(n_classes)[100:130]
    bad = y == "busy"
    rows[bad, 1] = np.nan
    first.learn_many(rows, y)
    second.learn_many(rows[~bad], y[~bad])
    assert first.steps == second.steps
    np.testing.assert_allclose(first.predict_proba(X), second.predict_proba(X), rtol=1e-9)


def test_an_estimators_targets_have_their_unit(tmp_path: Path) -> None:
    model = sklearn.OnlineKernelRegressor("bpa_s", ram="4KiB", random_state=0)
    model.fit(X, 500.0 + 40.0 * X[:, 0])
    for learner in kept(model.to_learner(), tmp_path):
        assert [learner.predict_one(row) for row in X[:9]] == model.predict(X[:9]).tolist()
        assert learner.predict(X).tolist() == model.predict(X).tolist()
        with pytest.raises(AttributeError, match="predict_proba_one needs classes"):
            learner.predict_proba_one(X[0])
        with pytest.raises(AttributeError, match="predict_proba needs classes"):
            learner.predict_proba(X)
        before = learner.predict_one(X[0])
        assert learner.learn_one(X[0], 600.0) == pytest.approx(before, abs=2.0)
        assert learner.learn_many(X[1:9], 500.0 + 40.0 * X[1:9, 0])[0] == pytest.approx(
            500.0 + 40.0 * X[1, 0], abs=60.0
        )
        assert 300.0 < learner.predict_one(X[0]) < 700.0
        with pytest.raises(ValueError, match="y must be finite, got inf"):
            learner.learn_one(X[0], float("inf"))
        with pytest.raises(TypeError, match="y must be"):
            learner.learn_one(X[0], "3")
    novelty = sklearn.OnlineKernelNovelty(random_state=0).fit(X).to_learner()
    assert np.isfinite(novelty.learn_one(X[0]))
    assert len(novelty.learn_many(X)) == len(X)
    assert [novelty.predict_one(row) for row in X[:5]] == novelty.predict(X[:5]).tolist()


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
            assert learner.predict_one(np.array(row)) == model.predict_one(x)


def test_a_model_saves_itself(tmp_path: Path) -> None:
    model = sklearn.OnlineKernelClassifier(ram="2KiB", random_state=0).fit(X, labels(2))
    model.save(tmp_path / "a.zip")
    found = ek.load(tmp_path / "a.zip")
    assert found.predict_proba_one(X[0]) == model.to_learner().predict_proba_one(X[0])
    assert found.nbytes == model.learner_.nbytes
    model.save(tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    model.to_learner().plain.save(tmp_path / "plain.olk")  # without names, for bare learners
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
        assert [learner.predict_one(row) for row in rows[:100]] == wanted


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
            assert found.predict_one(row) == model.classes_[int(f > 0.0)]


def test_uncertain_targets_have_their_unit() -> None:
    y = 500.0 + 40.0 * X[:, 0]
    model = sklearn.OnlineKernelRegressor("krls_t", budget=40, random_state=0).fit(X, y)
    learner = model.to_learner()
    target, deviation = model.predict(X[:5], return_std=True)
    np.testing.assert_allclose(np.sqrt(learner.variance(X[:5])), deviation)
    assert learner.variance_one(X[0]) == learner.variance(X[:1])[0]
    low, high = learner.interval_one(X[0])
    assert low < target[0] < high
    assert high - low == pytest.approx(2 * 1.6449 * deviation[0], rel=1e-3)
    before = learner.absolute_error, learner.squared_error
    wrong = learner.learn_one(X[0], 900.0) - 900.0
    assert learner.absolute_error - before[0] == pytest.approx(abs(wrong))
    assert learner.squared_error - before[1] == pytest.approx(wrong**2)


def test_a_river_models_next_class(tmp_path: Path) -> None:
    """A class that comes after loading gets its name while the learner has room."""
    model = river.KernelClassifier(ram="4KiB", n_classes=3, history=False)
    rows = [dict(zip("abc", row, strict=True)) for row in X.tolist()]
    for x, y in zip(rows[:50], labels(2).tolist(), strict=False):
        model.learn_one(x, y)
    model.save(tmp_path / "m.zip")
    one, many = ek.load(tmp_path / "m.zip"), ek.load(tmp_path / "m.zip")
    y = labels(3).tolist()
    for x, label in zip(rows[50:200], y[50:200], strict=True):
        model.learn_one(x, label)
    f = many.learn_many(X[50:200], y[50:200])
    assert [one.learn_one(x, label) for x, label in zip(X[50:200], y[50:200], strict=True)] == [*f]
    for learner in (one, many):
        assert learner.names.classes == tuple(model.classes)
        assert learner.predict(X).tolist() == [model.predict_one(x) for x in rows]
        assert learner.predict_proba_one(X[0]) == pytest.approx(model.predict_proba_one(rows[0]))
        with pytest.raises(ValueError, match="got 'fourth'"):
            learner.learn_one(X[0], "fourth")
    few = ek.load(tmp_path / "m.zip")
    assert few.predict_proba(X[:3]).shape == (3, 2)
    assert set(few.predict(X).tolist()) == {"idle", "busy"}


def test_windows_keep_the_names_of_their_learner(tmp_path: Path) -> None:
    windows = ek.Windows(channels=1, size=32, hop=32, features="level")
    rows = np.random.default_rng(1).normal(size=(60, windows.n_features))
    model = sklearn.OnlineKernelClassifier(ram="4KiB", random_state=0)
    model.fit(rows, np.where(rows[:, 0] > 0, "a", "b"))
    windows.save(tmp_path / "w.zip", model.to_learner())
    assert ek.load(tmp_path / "w.zip").predict_one(rows[0]) == model.predict(rows[:1])[0]
    ek.Windows.load(tmp_path / "w.zip")
    board = tmp_path / "board"
    assert main(["export", str(tmp_path / "w.zip"), "--out", str(board)]) == 0
    assert (board / "samples.c").exists()


def test_an_archive_of_a_replay_is_its_learner(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As firmware_sim saves it, with windows; not where a scaler is beside the learner."""
    path = tmp_path / "w.zip"
    windows = ek.Windows(channels=1, size=32, hop=32, features="level")
    learner = ek.Learner(n_features=windows.n_features, ram="4KiB")
    windows.save(path, learner)
    with zipfile.ZipFile(path, "a") as box:
        box.writestr("about.json", '{"stream": "fan.csv", "classes": []}')
    assert ek.load(path).nbytes == learner.nbytes
    assert main(["info", str(path)]) == 0
    assert "windows          size 32, hop 32, channels 1" in capsys.readouterr().out
    with zipfile.ZipFile(path, "a") as box:
        box.writestr("scaler.olk", b"")
    with pytest.raises(ValueError, match=r"of a replay that scales .*learner.olk and scaler.olk"):
        ek.load(path)


def test_a_checkpoint_keeps_names() -> None:
    model = sklearn.OnlineKernelClassifier(ram="2KiB", random_state=0).fit(X, labels(2))
    learner, scaler, store = model.to_learner(), ek.RunningScaler(3), bytearray(20_000)
    with ek.Checkpointer(store) as checkpoints:
        checkpoints.write((learner, scaler, learner.plain))
    found, again, plain = ek.Checkpointer.restore(store)
    assert found.predict(X).tolist() == model.predict(X).tolist()
    assert type(plain) is ek.Learner
    assert isinstance(again, ek.RunningScaler)
    found.learn_one(X[0], "idle")
    for kinds in ([3], [1, 3, 3], [2, 3]):
        saved = [bytes(ek.Learner(n_features=3, D=8)._sealed()), bytes(scaler.__reduce__()[1][0])]
        data = [saved[kind - 1] if kind < 3 else learner._about().encode() for kind in kinds]
        table = [(kind, len(one)) for kind, one in zip(kinds, data, strict=True)]
        payload = b"".join(
            [struct.pack("<Q", len(kinds)), *(struct.pack("<QQ", *row) for row in table), *data]
        )
        with pytest.raises(ValueError, match=r"an object of kind 3 and \d+ bytes is invalid"):
            _decoded(bytearray(payload))


def test_the_commands_read_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sklearn.OnlineKernelClassifier(ram="2KiB", random_state=0).fit(X, labels(2)).save(
        tmp_path / "m.zip"
    )
    assert main(["info", str(tmp_path / "m.zip")]) == 0
    assert "classes          2: 'busy', 'idle'\n" in capsys.readouterr().out
    assert main(["export", str(tmp_path / "m.zip"), "--out", str(tmp_path / "board")]) == 0
    assert '"busy",\n    "idle",' in (tmp_path / "board" / "model.c").read_text()


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
        ({**parts, "about.json": b"[" * 100_000}, 0, "is nested too deeply"),
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


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"y": "idle"}, TypeError, "y must be a sequence of labels, got str"),
        ({"X": X[0]}, ValueError, r"X must be of shape \(n, n_features\), got \(3,\)"),
        ({"out": np.zeros(400, np.float32)}, TypeError, "out must be a writable float64 array"),
        ({"time": np.zeros(400)}, ValueError, "time is for novelty with clock=True"),
    ],
)
def test_many_labelled_rows_that_will_not_do_change_nothing(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    model = sklearn.OnlineKernelClassifier("pa", ram="4KiB", random_state=0).fit(X, labels(2))
    learner = model.to_learner()
    before = learner.decision_function(X[:20]).tolist()
    with pytest.raises(error, match=message):
        learner.learn_many(**{"X": X, "y": labels(2), **change})
    assert learner.decision_function(X[:20]).tolist() == before


def test_several_labels_for_one_row_are_refused() -> None:
    model = sklearn.OnlineKernelClassifier("pa", ram="4KiB", random_state=0).fit(X, labels(2))
    with pytest.raises(TypeError, match="y must be a label, got ndarray"):
        model.to_learner().learn_one(X[0], labels(2))


# ---- what only some learners have ----------------------------------------------------------------


def test_a_class_that_is_alone_is_certain() -> None:
    model = river.KernelClassifier(ram="4KiB", history=False)
    for row in X[:20].tolist():
        model.learn_one(dict(zip("abc", row, strict=True)), "idle")
    learner = model.to_learner()
    assert learner.predict_proba_one(X[0]) == {"idle": 1.0}
    learner.learn_one(X[0], "busy")
    assert [*learner.predict_proba_one(X[0])] == ["idle", "busy"]


def test_weights_of_rows_weigh_in_probabilities_too() -> None:
    y = labels(2)
    model = sklearn.OnlineKernelClassifier("pa1", ram="4KiB", random_state=0).fit(X, y)
    plain, weighed, halved = (model.to_learner() for _ in range(3))
    for x, label in zip(X[:100], y[:100], strict=True):
        f = plain.learn_one(x, label)
        assert weighed.learn_one(x, label, weight=1.0) == pytest.approx(f, rel=1e-12)
        halved.learn_one(x, label, weight=0.01)
    found = [one.predict_proba(X[:50])[:, 1] for one in (plain, weighed, halved)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
    assert not np.allclose(found[0], found[2], rtol=1e-3)


def test_labels_of_several_types_keep_them() -> None:
    model = river.KernelClassifier(ram="4KiB", n_classes=3, history=False)
    kinds = {"idle": 0, "busy": "busy", "worn": True}
    for row, y in zip(X.tolist(), labels(3).tolist(), strict=True):
        model.learn_one(dict(zip("abc", row, strict=True)), kinds[y])
    learner = model.to_learner()
    found = learner.predict(X[:50])
    assert found.dtype == object
    assert {type(label) for label in found} == {int, str, bool}
    assert [*found] == [learner.predict_one(row) for row in X[:50]]


def test_sparse_rows_of_a_named_learner() -> None:
    scipy = pytest.importorskip("scipy.sparse")
    dense = np.where(np.abs(X) > 0.5, X, 0.0)
    model = sklearn.OnlineKernelClassifier("pa", ram="4KiB", random_state=0)
    model.fit(scipy.csr_array(dense), labels(3))
    learner = model.to_learner()
    for many in (scipy.csr_array(dense), scipy.coo_array(dense)):
        assert learner.predict(many).tolist() == learner.predict(dense).tolist()
    broken = scipy.csr_array(dense)
    broken.indices = broken.indices[:-1]
    with pytest.raises(ValueError, match="X"):
        learner.predict(broken)


def test_sparse_rows_are_learned_as_dense_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    sparse = pytest.importorskip("scipy.sparse")
    y = labels(2)
    model = sklearn.OnlineKernelClassifier("pa", ram="4KiB", random_state=0).fit(X, y)
    dense, learner = model.to_learner(), model.to_learner()
    expected = dense.learn_many(X, y)
    assert learner.learn_many(sparse.coo_matrix(X), y, verbose=True) == pytest.approx(expected)
    assert capsys.readouterr().err == "400 of 400 rows, 100 %\n"
    assert learner.predict_proba(X) == pytest.approx(dense.predict_proba(X))


def test_a_bad_row_of_two_classes_is_named() -> None:
    model = sklearn.OnlineKernelClassifier("pa", ram="4KiB", random_state=0).fit(X, labels(2))
    rows = X.copy()
    rows[7, 1] = np.inf
    with pytest.raises(ek.BadRowError, match=r"X\[7\]"):
        model.to_learner().learn_many(rows, labels(2))


def test_a_file_with_scores_that_its_learner_lacks_is_refused(tmp_path: Path) -> None:
    """Of a ring there is one score a row, of sorf there are those of its experts."""
    model = sklearn.OnlineKernelClassifier("pa", ram="4KiB", random_state=0).fit(X, labels(2))
    model.to_learner().save(tmp_path / "m.zip")
    with zipfile.ZipFile(tmp_path / "m.zip") as box:
        parts = {name: box.read(name) for name in box.namelist()}
    about = json.loads(parts["about.json"])
    about["probabilities"]["all_scores"] = [0.0] * 21
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as box:
        for name, data in {**parts, "about.json": json.dumps(about).encode()}.items():
            box.writestr(name, data)
    with pytest.raises(ValueError, match="has more scores than the learner"):
        ek.load(tmp_path / "bad.zip")
