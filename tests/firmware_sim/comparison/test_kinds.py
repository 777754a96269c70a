"""Comparisons and choices for every kind of labels: the figures of replays, their report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.comparison import Comparison, compare
from firmware_sim.comparison.choice import sentence
from firmware_sim.comparison.evaluators import Evaluator
from firmware_sim.comparison.report import report_of, to_dict
from firmware_sim.comparison.rows import prepare
from firmware_sim.comparison.tuning import tune
from firmware_sim.comparison.work import DEFAULT
from firmware_sim.kinds.classes import ClassTrainer, passive_aggressive_classes
from firmware_sim.kinds.regression import least_squares
from firmware_sim.kinds.two_classes import passive_aggressive
from firmware_sim.metrics.batch import Batch, When
from firmware_sim.report.writing import write_files

STREAMS: dict[str, dict[str, Any]] = {
    "binary": {"stream": "occupancy", "limit": 1200},
    "multiclass": {"stream": "robot", "target": "move", "limit": 900},
    "regression": {"stream": "house", "limit": 900},
    "novelty": {"stream": "office", "limit": 4000},
}
METHODS = {
    "binary": ["rbp", "bpa_s", "ahpatron"],
    "multiclass": ["rbp", "bpa_s"],
    "regression": ["ogd", "krls_auto", "bpa_s", "sorf"],
    "novelty": ["nogd", "sorf"],
}
BASELINES = {
    "binary": {"majority class", "no-change", "linear (PA-I)"},
    "multiclass": {"majority class", "no-change", "linear (PA-I)"},
    "regression": {
        *("running mean", "last value", "value 96 rows ago", "forecast, no kernel"),
        "linear (RLS)",
    },
    "novelty": {"distance"},
}


def config(kind: str, **changes: Any) -> fs.ReplayConfig:
    algorithm = METHODS[kind][0]
    said = {"algorithm": algorithm, "kind": kind, **STREAMS[kind]}
    return fs.ReplayConfig(**{**said, **changes})


@pytest.fixture(scope="module", params=STREAMS)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("compare")
    names = METHODS[request.param]
    return compare(config(request.param), ["4KiB", "8KiB"], names, folder=folder, workers=1)


@pytest.mark.spread(4)
def test_report_and_the_choice(found: Comparison, tmp_path: Path) -> None:
    kind = found.config.resolved.kind
    data = to_dict(found)
    assert data["kind"] == kind
    assert set(data["baselines"]) == BASELINES[kind]
    files = write_files(report_of(found), tmp_path, "compare", picture=True)
    assert json.loads(files[1].read_text(encoding="utf-8"), parse_constant=pytest.fail) == data
    assert files[3].read_bytes().startswith(b"\x89PNG")
    words = {
        "binary": "% wrong",
        "multiclass": "% wrong",
        "regression": "mean absolute error",
        "novelty": "AUC 0.",
    }
    assert words[kind] in sentence(found)
    headline, *notes = report_of(found).to_text().partition("\n\n")[0].splitlines()
    assert " ".join([headline, *notes]) == sentence(found)


def test_ties_are_asked_before_their_rows_are_learned() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60).astype(float)
    X[10:40] = 0.0  # a linear kernel makes nothing of them: all scores are 0
    said: dict[str, Any] = {"n_features": 2, "budget": 9, "kernel": ek.Linear(), "n_classes": 3}
    many, one = ek.Learner("rbp", **said), ek.Learner("rbp", **said)
    wrong = 0
    for x, label in zip(X, y, strict=True):
        wrong += one.predict_one(x) != label
        one.learn_one(x, int(label))
    evaluator = Evaluator(y, fs.ReplayConfig("", classes=("a", "b", "c")))
    when, trainer = When(np.arange(60), np.zeros(60)), ClassTrainer(many)
    parts = slice(0, 25), slice(25, 60)
    answers = [trainer.learn(X[part], y[part], when.part(part)).rows for part in parts]
    assert evaluator.loss(np.concatenate(answers)) == wrong / 60
    assert (many.steps, many.mistakes, many.updates) == (one.steps, one.mistakes, one.updates)
    assert wrong < many.mistakes  # the library counts each tie


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.spread(4)
def test_all_methods_of_a_kind(kind: str, tmp_path: Path) -> None:
    """By default those that go with the labels, and none that does not."""
    short = config(kind, limit=None if kind == "novelty" else 120)
    if kind == "novelty":
        short = replace(short, limit=3800)
    everything = compare(short, ["16KiB"], folder=tmp_path, seeds=1, workers=1)
    names = {one.algorithm for one in everything.outcomes}
    assert {"binary": 15, "multiclass": 15, "regression": 15, "novelty": 3}[kind] <= len(names)
    assert all(
        one.status != "refused" or "run away" in one.detail for one in everything.outcomes
    ), [(one.algorithm, one.detail) for one in everything.outcomes if one.status == "refused"]


def test_linear_models_against_plain_numbers() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    numbers = X @ [2.0, -1.0] + 0.5
    ones = np.hstack([X, np.ones((40, 1))])
    # Recursive least squares is ridge regression on the rows before.
    expected = [
        ones[i] @ np.linalg.solve(np.eye(3) + ones[:i].T @ ones[:i], ones[:i].T @ numbers[:i])
        for i in range(40)
    ]
    assert least_squares(X, numbers) == pytest.approx(np.array(expected))
    y = rng.integers(0, 3, 40).astype(float)
    weights = [[0.0] * 3 for _ in range(3)]
    said = []
    for x, label in zip(ones.tolist(), y.astype(int), strict=True):
        scores = [sum(a * b for a, b in zip(w, x, strict=True)) for w in weights]
        said.append(scores.index(max(scores)))
        rival = max((k for k in range(3) if k != label), key=lambda k, s=scores: s[k])  # type: ignore[misc]
        step = min(1.0, max(0.0, 1 - scores[label] + scores[rival]) / (2 * sum(a * a for a in x)))
        weights[label] = [w + step * a for w, a in zip(weights[label], x, strict=True)]
        weights[rival] = [w - step * a for w, a in zip(weights[rival], x, strict=True)]
    assert passive_aggressive_classes(X, y).tolist() == said
    signs, own, scores = np.where(y > 0, 1.0, -1.0), np.zeros(3), []
    for x, label in zip(ones, signs, strict=True):
        scores.append(own @ x)
        own += min(1.0, max(0.0, 1 - label * scores[-1]) / (x @ x)) * label * x
    assert passive_aggressive(X, signs) == pytest.approx(np.array(scores))


def test_streams_without_failures_cannot_be_compared(tmp_path: Path) -> None:
    with pytest.raises(fs.SimulatorError, match="alarms cannot be judged"):
        compare(config("novelty", limit=900), ["4KiB"], folder=tmp_path)
    with pytest.raises(fs.SimulatorError, match="give another --tune-rows"):
        tune(config("novelty", limit=None, algorithm="sorf"), rows=300)


def watched(path: Path, labels: list[str]) -> Any:
    """The rows of a stream for novelty with these labels; no column of them where all are empty."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(len(labels), 2))
    column = "" if not any(labels) else ",y"
    ends = [f",{label}" if column else "" for label in labels]
    lines = [f"{a:.3f},{b:.3f}{end}" for (a, b), end in zip(rows, ends, strict=True)]
    path.write_text("\n".join(["a,b" + column, *lines]) + "\n")
    target = "y" if column else None
    return prepare(fs.ReplayConfig(str(path), algorithm="nogd", kind="novelty", target=target))


def test_rows_without_labels_lack_labels_and_no_rows(tmp_path: Path) -> None:
    with pytest.raises(fs.SimulatorError, match="name the column of labelled failures"):
        watched(tmp_path / "none.csv", [""] * 40)


def test_unlabelled_rows_are_learned_and_judge_nothing(tmp_path: Path) -> None:
    labels = ["1", "0", ""] * 20
    found = watched(tmp_path / "some.csv", labels)
    assert len(found.y) == 60
    assert np.isnan(found.y).sum() == 20
    answers = np.array([{"1": -1.0, "0": 1.0, "": -9.0}[label] for label in labels])
    zeros = np.zeros(60)
    none = Batch.of(label=found.y, score=answers, threshold=zeros, reason=zeros - 1.0)
    assert found.evaluator.loss(none.rows) == 0.0
    with pytest.raises(fs.SimulatorError, match="alarms cannot be judged"):
        watched(tmp_path / "one.csv", ["1", ""] * 20)


def test_the_kind_of_a_named_target_is_found_as_by_replay(tmp_path: Path) -> None:
    """Its labels are words: without the kind they would be refused."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 2))
    lines = [f"{a:.3f},{b:.3f},{'warm' if a > 0 else 'cold'}" for a, b in x.tolist()]
    path = tmp_path / "words.csv"
    path.write_text("\n".join(["a,b,label", *lines, ""]))
    config = fs.ReplayConfig(str(path), target="label", ram="4KiB")
    found = compare(config, ["4KiB"], ["rbp"], folder=tmp_path / "out", workers=1, seeds=1)
    result = fs.replay(str(path), target="label", ram="4KiB")
    assert found.config.resolved.kind == result.config.resolved.kind == "multiclass"
    assert found.cell(DEFAULT, 4096).error == result.metrics.mean_loss("learner")
    assert tune(config, rows=240, candidates=2).config.kind == "multiclass"
