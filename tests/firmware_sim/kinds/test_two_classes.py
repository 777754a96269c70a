"""Labels of two classes: figures over all thresholds, and the answers at a chosen one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from edgeolk.hosting import Probabilities
from firmware_sim.kinds.two_classes import ByShares, Prequential
from firmware_sim.metrics.batch import Batch
from firmware_sim.metrics.ranking import Goal, Ranking
from firmware_sim.report import to_dict, to_text
from firmware_sim.streams import Row


def drawn(n: int = 1500) -> tuple[Row, Row]:
    """Labels of which few are +1, and scores that are mostly below 0."""
    draws = np.random.default_rng(5)
    labels = np.where(draws.random(n) < 0.08, 1.0, -1.0)
    return labels, draws.normal(size=n) + 1.2 * labels - 0.5


def metrics(goal: Goal | None, *sizes: int) -> Prequential:
    labels, scores = drawn()
    found, at = Prequential(goal), 0
    for size in (*sizes, len(labels)):
        part = slice(at, at + size)
        if len(labels[part]):
            found.add_block(Batch.of(label=labels[part], score=scores[part]))
        at += size
    return found


@pytest.mark.parametrize("goal", [Goal(cost=10.0), Goal(beta=2.0)], ids=["cost", "beta"])
def test_each_row_is_answered_at_the_best_threshold_of_earlier_rows(goal: Goal) -> None:
    labels, scores = drawn()
    thresholds = np.zeros(len(labels))
    for first in (256, 512, 1024):
        before = Ranking()
        before.add_block(labels[:first], scores[:first])
        thresholds[first:] = before.threshold(goal)
    found = metrics(goal).thresholded
    assert found is not None
    answers = scores >= thresholds
    assert found.threshold == thresholds[-1] != 0.0
    assert found.counts.true_positive == np.count_nonzero(answers & (labels > 0))
    assert found.counts.false_positive == np.count_nonzero(answers & (labels < 0))
    assert found.counts.rows == len(labels)
    # It is what it was chosen for.
    assert found.counts.value(goal) > metrics(goal).learner.value(goal)


def test_balanced_decisions_compare_probabilities_with_shares() -> None:
    labels, scores = drawn()
    model, answers = Probabilities(), np.zeros(len(labels), dtype=bool)
    for at, score in enumerate(scores):
        answers[at] = model.margins(np.array([[score]]), balanced=True)[0] >= 0.0
        model.learn_one(score, int(labels[at] > 0))
    goal = Goal(balanced=True)
    found = metrics(goal).thresholded
    assert found is not None
    assert found.counts.true_positive == np.count_nonzero(answers & (labels > 0))
    assert found.counts.false_positive == np.count_nonzero(answers & (labels < 0))
    recalls = (answers[labels > 0].mean(), (~answers[labels < 0]).mean())
    assert found.counts.value(goal) == pytest.approx(np.mean(recalls))
    assert found.counts.value(goal) > metrics(goal).learner.value(goal) + 0.02
    assert model.margins(np.array([[found.threshold]]), balanced=True)[0] == pytest.approx(
        0.0, abs=1e-9
    )


@pytest.mark.parametrize("goal", [Goal(cost=10.0), Goal(balanced=True)], ids=["cost", "balanced"])
def test_blocks_change_nothing(goal: Goal) -> None:
    one, many = (metrics(goal, *sizes) for sizes in ([], [1, 255, 1, 300, 700]))
    assert one.details(()) == many.details(())
    assert one.summary() == many.summary()


def test_without_a_goal_there_is_no_threshold() -> None:
    found = metrics(None)
    assert found.details(()) == {}
    assert [table.name for table in found.tables(())] == ["confusion"]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    draws = np.random.default_rng(6)
    path: Path = tmp_path_factory.mktemp("rare") / "rare.csv"
    x = draws.normal(size=1200)
    rare = draws.random(1200) < 1.0 / (1.0 + np.exp(4.0 - 2.0 * x))
    path.write_text(
        "\n".join(["x,y", *(f"{a!r},{b:d}" for a, b in zip(x.tolist(), rare, strict=True))])
    )
    return str(path)


def configured(log: str, **options: Any) -> fs.ReplayConfig:
    known: dict[str, Any] = {"target": "y", "ram": "4KiB", "algorithm": "bpa_s", "gamma": 0.5}
    return fs.ReplayConfig(log, **{**known, **options})


@pytest.mark.parametrize(
    ("option", "value", "title"),
    [
        ("cost", 4.0, "cost a row"),
        ("beta", 4.0, "F4"),
        ("decision", "balanced", "balanced accuracy"),
    ],
)
def test_the_report_has_the_table_and_the_threshold(
    log: str, option: str, value: Any, title: str
) -> None:
    result = fs.replay(configured(log, **{option: value}))
    lines = to_text(result).splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("+1 from a score of"))
    assert lines[at].endswith(title)
    record = to_dict(result)["threshold"]
    assert lines[at + 2].startswith(f"chosen, now {record['threshold']:.4g}")
    shown = [float(line.split()[-1]) for line in lines[at + 1 : at + 3]]
    assert (shown[1] < shown[0]) if option == "cost" else (shown[1] > shown[0])
    assert record[option] == value
    assert [record[name] for name in ("cost", "beta", "decision") if name != option] == [None] * 2
    learner = to_dict(result)["metrics"]["learner"]
    assert 0.5 < learner["roc_auc"] < 1.0
    assert 0.0 < learner["average_precision"] < 1.0
    assert to_dict(result)["metrics"]["majority"]["roc_auc"] is None


def test_areas_are_those_of_the_records(log: str) -> None:
    found: list[np.ndarray] = []
    replay = fs.Replay(configured(log))
    result = replay.run(on_result=lambda batch: found.append(batch.rows.copy()))
    rows = np.concatenate(found)
    expected = Ranking()
    expected.add_block(rows["label"], rows["score"])
    assert result.metrics.summary()["learner"]["roc_auc"] == expected.auc


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cost": 2.0, "beta": 1.0}, "cost and beta choose the same threshold: give one of them"),
        ({"beta": 2.0, "decision": "balanced"}, "beta and decision choose the same threshold"),
        ({"decision": "fair"}, "decision is .fair., it must be one of: balanced"),
        ({"decision": "balanced", "kind": "regression"}, "--decision is for labels of two classes"),
        ({"cost": 0.0}, "must be above 0"),
        ({"beta": float("inf")}, "must be above 0 and finite"),
        ({"cost": 2.0, "kind": "regression"}, "--cost is for labels of two classes, not for real"),
        ({"beta": 2.0, "kind": "novelty", "algorithm": ""}, "--beta is for labels of two classes"),
    ],
    ids=str,
)
def test_what_is_refused(log: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(fs.SimulatorError, match=message):
        configured(log, **options)


def test_areas_of_a_sample_are_told() -> None:
    found = metrics(None)
    assert found.remarks() == []
    labels, scores = drawn()
    found.learner.ranking = Ranking(100)
    found.add_block(Batch.of(label=labels, score=scores))
    (told,) = found.remarks()
    assert told.startswith("ROC AUC and average precision are those of a sample of 1,000,000 rows")


@pytest.mark.parametrize(("label", "threshold"), [(1.0, np.inf), (-1.0, -np.inf)])
def test_no_probability_reaches_the_share_of_the_only_class(label: float, threshold: float) -> None:
    answers = ByShares(Goal(balanced=True))
    labels = np.full(3_000, label)
    answers.add_block(labels, np.random.default_rng(0).normal(size=3_000), Ranking())
    assert answers.threshold == threshold
