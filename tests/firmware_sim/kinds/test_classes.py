"""Two and several classes: figures against plain numpy, replays against loops by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.kinds.classes import ClassNames, Multiclass
from firmware_sim.kinds.two_classes import Confusion, Prequential
from firmware_sim.metrics.batch import Batch
from firmware_sim.metrics.curve import Curve
from firmware_sim.report import to_dict, to_page, to_text

labels = st.sampled_from([-1, 1])
streams = st.lists(st.tuples(labels, st.floats(-2, 2)), min_size=1, max_size=200)


def expected(label: np.ndarray, answer: np.ndarray) -> dict[str, float | None]:
    """Accuracy, kappa and F1 from their definitions."""
    accuracy = np.mean(label == answer)
    chance = sum(np.mean(label == c) * np.mean(answer == c) for c in (-1, 1))
    hits = np.sum((label == 1) & (answer == 1))
    out = {"error": 1 - accuracy, "kappa": None, "f1": None}
    if chance < 1 - 1e-12:
        out["kappa"] = (accuracy - chance) / (1 - chance)
    if np.any(label == 1) or np.any(answer == 1):
        out["f1"] = 2 * hits / (np.sum(label == 1) + np.sum(answer == 1))
    return out


def close(a: float | None, b: float | None) -> bool:
    return a is b is None or (
        a is not None and b is not None and math.isclose(a, b, abs_tol=1e-9, rel_tol=1e-9)
    )


@given(streams)
@settings(deadline=None)
def test_against_formulas(stream: list[tuple[int, float]]) -> None:
    metrics = Prequential()
    label, scores = np.array(stream, float).T
    metrics.add_block(Batch.of(label=label, score=scores))
    before = np.concatenate([[0], np.cumsum(label)[:-1]])
    answers = {
        "learner": np.where(scores >= 0, 1, -1),
        "majority": np.where(before >= 0, 1, -1),
        "no_change": np.concatenate([[1], label[:-1]]),
    }
    summary = metrics.summary()
    no_change_accuracy = np.mean(answers["no_change"] == label)
    for name, answer in answers.items():
        want, got = expected(label, answer), summary[name]
        for key in ("error", "kappa", "f1"):
            assert close(got[key], want[key]), (name, key, got, want)
        assert got["wrong"] == np.sum(answer != label)
        assert got["true_positive"] == np.sum((answer == 1) & (label == 1))
        assert got["false_positive"] == np.sum((answer == 1) & (label == -1))
        assert got["true_negative"] == np.sum((answer == -1) & (label == -1))
        assert got["false_negative"] == np.sum((answer == -1) & (label == 1))
        temporal = None
        if no_change_accuracy < 1:
            temporal = (np.mean(answer == label) - no_change_accuracy) / (1 - no_change_accuracy)
        assert close(got["kappa_no_change"], temporal)


def test_undefined_is_none() -> None:
    metrics = Prequential()
    assert all(value in (None, 0) for value in metrics.summary()["learner"].values())
    metrics.add_block(Batch.of(label=-np.ones(3), score=-np.ones(3)))
    assert metrics.learner.kappa is None  # one class only
    assert metrics.learner.f1 is None
    assert metrics.learner.error == 0.0


def test_kappa_is_exact_at_its_ends() -> None:
    right, constant, labels = Confusion(), Confusion(), np.repeat([1, -1], [3, 7])
    right.add_block(labels, labels)
    constant.add_block(labels, -np.ones(10))
    assert (right.kappa, constant.kappa) == (1.0, 0.0)  # always the same answer: chance


@given(st.lists(st.booleans(), min_size=1, max_size=400), st.integers(1, 100))
@settings(deadline=None)
def test_window_is_a_moving_average(wrong: list[bool], asked: int) -> None:
    curve = Curve(32)
    curve.add_block(np.cumsum(wrong)[:, None] * np.ones(3, int))
    rows, error, window = curve.windowed(asked)
    assert window % curve.step == 0
    for row, value in zip(rows, error[:, 0], strict=True):
        assert math.isclose(value, np.mean(wrong[row - window : row]), abs_tol=1e-12)


def test_curve_of_nothing() -> None:
    curve = Curve()
    assert len(curve.cumulative()[0]) == 0
    assert len(curve.windowed()[0]) == 0
    with pytest.raises(ValueError, match="2 points"):
        Curve(1)


NAMES = ("low", "middle", "high", "never")


@pytest.fixture
def valve(tmp_path: Path) -> Path:
    """Two readings; the state is the place of their sum among three."""
    rng = np.random.default_rng(3)
    readings = rng.normal(size=(600, 2))
    words = [NAMES[int(np.digitize(a + b, (-0.7, 0.7)))] for a, b in readings]
    lines = [f"{a:.4f},{b:.4f},{word}" for (a, b), word in zip(readings, words, strict=True)]
    path = tmp_path / "valve.csv"
    path.write_text("a,b,state\n" + "\n".join(lines) + "\n")
    return path


def config(path: Path, **changes: object) -> fs.ReplayConfig:
    said = {"target": "state", "kind": "multiclass", "algorithm": "bpa_s", "ram": "8KiB"}
    return fs.ReplayConfig(str(path), **{**said, "gamma": 0.5, **changes})  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60))
def test_figures_against_numpy(rows: list[tuple[int, int]]) -> None:
    metrics = Multiclass(NAMES)
    y, said = np.array(rows).T
    metrics.add_block(Batch.of(label=y, score=said))
    f1s = []
    for k, one in enumerate(metrics.by_class()):
        right = np.sum((y == k) & (said == k))
        support, answered = np.sum(y == k), np.sum(said == k)
        assert (one.name, one.support) == (NAMES[k], support)
        assert one.precision == (pytest.approx(right / answered) if answered else None)
        assert one.recall == (pytest.approx(right / support) if support else None)
        if support + answered:
            f1s.append(2 * right / (support + answered))
            assert one.f1 == pytest.approx(f1s[-1])
        else:
            assert one.f1 is None
    figures = metrics.summary()["learner"]
    assert figures["macro_f1"] == pytest.approx(np.mean(f1s))
    assert figures["error"] == pytest.approx(np.mean(y != said))
    chance = sum(np.mean(y == k) * np.mean(said == k) for k in range(4))
    if chance < 1.0:
        expected = (np.mean(y == said) - chance) / (1.0 - chance)
        assert figures["kappa"] == pytest.approx(expected, abs=1e-12)
    else:
        assert figures["kappa"] is None
    shown = metrics.details(())["classes"]["confusion"]
    assert shown == [[int(np.sum((y == i) & (said == j))) for j in range(4)] for i in range(4)]
    # Baselines: the label before, and the commonest before, the first of those that tie.
    assert metrics.no_change.wrong == np.sum(y != np.concatenate([[0], y[:-1]]))
    most = [int(np.argmax(np.bincount(y[:i], minlength=4))) for i in range(len(y))]
    assert metrics.majority.wrong == np.sum(y != most)


def test_macro_f1_is_that_of_a_library() -> None:
    library = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    y, said = rng.integers(0, 3, 200), rng.integers(0, 4, 200)
    metrics = Multiclass(NAMES)
    metrics.add_block(Batch.of(label=y, score=said))
    found = metrics.summary()["learner"]
    assert found["macro_f1"] == pytest.approx(library.f1_score(y, said, average="macro"))
    assert found["kappa"] == pytest.approx(library.cohen_kappa_score(y, said))


def test_same_as_a_loop_by_hand(valve: Path) -> None:
    result = fs.replay(config(valve))
    lines = [line.split(",") for line in valve.read_text(encoding="utf-8").splitlines()[1:]]
    order = sorted({line[2] for line in lines})  # words, as they are found
    learner = ek.Learner(
        "bpa_s",
        n_features=2,
        budget=result.learner["budget"],
        kernel=ek.Gaussian(0.5),
        n_classes=3,
    )
    scaler = ek.RunningScaler(2)
    counts = np.zeros((3, 3), int)
    for a, b, word in lines:
        x = scaler.learn_transform_one(np.array([float(a), float(b)]))
        said = int(np.argmax(learner.scores_one(x)))
        learner.learn_one(x, order.index(word))
        counts[order.index(word), said] += 1
    assert result.config.classes == tuple(order)
    assert to_dict(result)["classes"]["confusion"] == counts.tolist()
    assert result.metrics.loss("learner") < 0.5 * result.metrics.loss("majority")


def test_late_missing_and_chosen_labels(valve: Path) -> None:
    late = fs.replay(config(valve, label_delay=20, label_missing=0.2))
    assert late.labels.waiting == 20
    assert late.labels.missing > 50
    chosen = fs.replay(config(valve, params={"loss": "ramp"}, ask=True))
    assert chosen.labels.saved + chosen.labels.learned == 600
    assert chosen.metrics.loss("learner") < chosen.metrics.loss("majority")


def test_report_has_classes_and_confusion(valve: Path) -> None:
    result = fs.replay(config(valve, classes=NAMES))
    text, page = to_text(result), to_page(result)
    assert "macro F1" in text
    for name in NAMES:
        assert f"\n{name} " in text
        assert f"<td>{name}</td>" in page
    assert "Answers: a row for each class of the stream" in text
    assert '<table id="classes">' in page
    assert '<table id="confusion">' in page
    data = json.loads(json.dumps(to_dict(result), allow_nan=False))
    assert data["kind"] == "multiclass"
    assert data["classes"]["names"] == list(NAMES)
    assert data["classes"]["by_class"][3] == {
        **{"name": "never", "support": 0, "precision": None, "recall": None, "f1": None}
    }


def test_of_many_classes_the_commonest_mistakes_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("a,y\n" + "".join(f"{i % 7},c{i % 20:02d}\n" for i in range(200)))
    result = fs.replay(config(path, target="y"))
    assert "Commonest mistakes" in to_text(result)
    fs.write_report(result, tmp_path / "out")


def test_classes_are_found_in_order() -> None:
    assert ClassNames.found(["10", "9", "", "9.0", "nan"]) == ("9", "10")
    assert ClassNames.found(["b", " a ", "b"]) == ("a", "b")
    assert ClassNames.found(["10", "9", "x"]) == ("10", "9", "x")
    assert ClassNames.found(["1", "2", "-1"], [-1.0]) == ("1", "2")
    with pytest.raises(fs.StreamError, match="'a' alone"):
        ClassNames.found(["a", "a"])
    with pytest.raises(fs.StreamError, match=r"more than 256 classes.*--kind regression"):
        ClassNames.found(map(str, range(300)))


def test_labels_that_are_no_class(valve: Path) -> None:
    names = ClassNames(["1", "2"], [-9.0])
    assert [names.value(cell) for cell in ("1.0", "2", "", "-9")] == [0, 1, None, None]
    with pytest.raises(fs.StreamError, match=r"'high' is not one of the 2 classes: .*--classes"):
        fs.replay(config(valve, classes=("low", "middle")))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"positive": "low"}, "not for several classes"),
        ({"classes": ("a",)}, "at least two classes"),
        ({"classes": ("a", "a")}, "each once"),
        ({"kind": "binary", "classes": ("a", "b")}, "for --kind multiclass"),
        ({"kind": "several"}, "must be one of: binary, multiclass, regression, novelty"),
        ({"params": {"loss": "square"}}, "are for 'regression'"),
        ({"kind": "regression", "algorithm": "rbp"}, "rbp is not for real numbers; these are: "),
        ({"kind": "novelty", "algorithm": "bpa_s"}, "these are: fogd, nogd, sorf"),
        ({"params": {"n_classes": 2}}, "n_classes is 2, and there are .* classes: .* at least"),
        ({"algorithm": "forgetron"}, "several classes need"),
    ],
)
def test_what_does_not_go_together(valve: Path, changes: dict[str, object], said: str) -> None:
    with pytest.raises(fs.SimulatorError, match=said):
        fs.Replay(config(valve, **changes))


def test_room_for_more_classes_than_occur(valve: Path) -> None:
    result = fs.replay(config(valve, params={"n_classes": 9}))
    assert (result.rows.refused, len(result.config.classes)) == (0, 3)


def test_bundled_stream_of_several_classes() -> None:
    result = fs.replay(fs.ReplayConfig("robot", kind="multiclass", target="move", limit=800))
    assert len(result.stream.features) == 24  # the other label is no reading
    assert result.config.classes[0] == "Move-Forward"
