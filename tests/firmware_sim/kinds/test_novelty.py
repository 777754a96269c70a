"""No labels for the learner: alarms, delays and areas against plain computations."""

from __future__ import annotations

import json
import math
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.metrics.alarms import Distance
from firmware_sim.metrics.batch import Batch
from firmware_sim.metrics.novelty import Novelty
from firmware_sim.metrics.ranking import Sample, area
from firmware_sim.report import to_dict, to_page, to_text


@pytest.fixture
def pump(tmp_path: Path) -> Path:
    """Two readings a minute; from row 700 to 759 one of them is far off."""
    rng = np.random.default_rng(5)
    readings = rng.normal(size=(1000, 2))
    readings[700:760, 0] += 6.0
    lines = [
        f"2026-01-01 {i // 60:02d}:{i % 60:02d}:00,{a:.4f},{b:.4f},{1 if 700 <= i < 760 else -1}"
        for i, (a, b) in enumerate(readings)
    ]
    path = tmp_path / "pump.csv"
    path.write_text("time,a,b,failure\n" + "\n".join(lines) + "\n")
    return path


def config(path: Path, **changes: object) -> fs.ReplayConfig:
    said = {"target": "failure", "kind": "novelty", "ram": "4KiB", "algorithm": "sorf"}
    return fs.ReplayConfig(str(path), **{**said, "gamma": 0.3, **changes})  # type: ignore[arg-type]


def usual_row(label: float) -> Batch:
    """A row that is not novel."""
    one = np.ones(1)
    return Batch.of(label=label * one, score=one, threshold=0 * one, reason=-one)


def stretches(marks: list[bool]) -> list[tuple[int, int]]:
    """First and last place of each stretch of True."""
    out, at = [], 0
    for value, group in groupby(marks):
        n = len(list(group))
        if value:
            out.append((at, at + n - 1))
        at += n
    return out


ROWS = st.lists(
    st.tuples(st.sampled_from([-1.0, 1.0, math.nan]), st.sampled_from([-2.0, -1.0, 0.0, 1.0])),
    min_size=1,
    max_size=60,
)


@given(ROWS)
@example([(1.0, 0.0), (-1.0, 0.0), (-1.0, -2.0)])  # an alarm that the rows end
def test_figures_against_plain_loops(rows: list[tuple[float, float]]) -> None:
    metrics = Novelty(0.1, period=60.0)
    labels, scores = np.array(rows).T
    none = np.full(len(rows), -1.0)
    seconds = 100.0 * np.arange(len(rows))
    metrics.add_block(
        Batch.of(label=labels, score=scores, threshold=none + 1.5, reason=none, seconds=seconds)
    )
    alarms = stretches([score < 0 for _, score in rows])
    windows = stretches([label > 0 for label, _ in rows])
    false = [a for a in alarms if not any(w[0] <= a[1] and a[0] <= w[1] for w in windows)]
    delays = [
        next((i - first for i in range(first, last + 1) if rows[i][1] < 0), None)
        for first, last in windows
    ]
    found = [delay for delay in delays if delay is not None]
    novel = [-score for label, score in rows if label > 0]
    usual = [-score for label, score in rows if label < 0]
    figures = metrics.summary()["learner"]
    assert figures["alarm_rows"] == sum(score < 0 for _, score in rows)
    assert figures["alarms"] == len(alarms)
    assert figures["alarms_a_day"] is None  # at most an hour
    assert (figures["windows"], figures["detected"]) == (len(windows), len(found))
    assert figures["delay_rows"] == (pytest.approx(np.mean(found)) if found else None)
    assert figures["delay_seconds"] == (pytest.approx(100 * np.mean(found)) if found else None)
    assert metrics.windows == [[first + 1, last + 1] for first, last in windows]
    if novel and usual:
        pairs = [(a > b) + (a == b) / 2 for a in novel for b in usual]
        assert figures["auc"] == pytest.approx(np.mean(pairs))
        assert figures["false_alarms"] == len(false)
    else:
        assert figures["auc"] is None
        assert figures["false_alarms"] is None


def test_area_is_that_of_a_library() -> None:
    library = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    y, scores = rng.random(400) < 0.2, np.round(rng.normal(size=400), 1)
    found = area(scores[~y], scores[y])
    assert found == pytest.approx(library.roc_auc_score(y, scores))


def test_sample_is_of_fixed_size_and_even() -> None:
    few = Sample(10, 0)
    few.add_block(np.arange(10.0))
    assert few.values.tolist() == list(range(10))
    means = []
    for seed in range(40):
        sample = Sample(50, seed)
        for part in np.split(np.arange(1000.0), [30, 31, 70, 400]):
            sample.add_block(part)
        assert len(sample.values) == 50
        means.append(sample.values.mean())
    # 2,000 numbers of 0 to 999: the mean errs by 6.5, one standard deviation.
    assert abs(np.mean(means) - 499.5) < 26.0


def test_distance_is_the_mean_squared_standard_score() -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(3.0, 2.0, size=(300, 3))
    rows[:, 2] = 7.0  # stands still: says nothing
    baseline = Distance(0.1)
    for i, row in enumerate(rows):
        seen = rows[:i]
        spread = seen.var(axis=0) if i else np.zeros(3)
        parts = [
            (row[j] - seen[:, j].mean()) ** 2 / spread[j] if spread[j] else 0.0 for j in range(3)
        ]
        ((distance,), _) = baseline.measure(row[np.newaxis])
        assert distance == pytest.approx(np.mean(parts), rel=1e-9)
    alarms = baseline.alarms(rng.chisquare(3, size=20_000))
    assert np.mean(alarms[1000:]) == pytest.approx(0.1, abs=0.02)


def test_same_as_a_loop_by_hand(pump: Path) -> None:
    result = fs.replay(config(pump))
    learner = ek.Learner(
        "sorf",
        n_features=2,
        budget=result.learner["budget"],
        kernel=ek.Gaussian(0.3),
        scale=None,
        loss="novelty",
    )
    scaler = ek.RunningScaler(2)
    alarms, usual, labels = 0, [], []
    for line in pump.read_text(encoding="utf-8").splitlines()[1:]:
        _, a, b, label = line.split(",")
        x = scaler.learn_transform_one(np.array([float(a), float(b)]))
        level = learner.threshold
        score = learner.learn_one(x)
        alarms += score < 0
        usual.append(score + level)
        labels.append(label == "1")
    f, y = np.array(usual), np.array(labels)
    figures = result.metrics.summary()["learner"]
    assert figures["alarm_rows"] == alarms
    above = (f[~y][:, None] > f[y]).mean() + 0.5 * (f[~y][:, None] == f[y]).mean()
    assert figures["auc"] == pytest.approx(above)
    assert figures["auc"] > 0.9
    assert (figures["windows"], figures["detected"]) == (1, 1)
    # A row a minute, 1,000 of them: less than a day.
    assert figures["alarms_a_day"] is figures["false_alarms_a_day"] is None
    assert figures["delay_seconds"] == pytest.approx(60.0 * figures["delay_rows"])


def test_labels_are_not_told(pump: Path, tmp_path: Path) -> None:
    """Other labels, gaps among them, or none: the learner does the same."""
    lines = pump.read_text(encoding="utf-8").splitlines()
    blank = tmp_path / "blank.csv"
    blank.write_text(
        lines[0] + "\n" + "\n".join(f"{line[: line.rindex(',')]}," for line in lines[1:])
    )
    bare = tmp_path / "bare.csv"
    bare.write_text("\n".join(line[: line.rindex(",")] for line in lines) + "\n")
    first = fs.replay(config(pump))
    for other in (config(blank), config(bare, target=None)):
        result = fs.replay(other)
        assert result.rows.used == 1000
        assert result.learner == first.learner
        figures = result.metrics.summary()["learner"]
        assert figures["alarms"] == first.metrics.summary()["learner"]["alarms"]
        assert figures["auc"] is None
        text = to_text(result)
        assert "in 1,000 rows (16.7 h); without labelled windows nothing says" in text
        assert "nothing says which of them were false" in text
        to_page(result)


def test_figures_a_day_are_by_the_clock(pump: Path, tmp_path: Path) -> None:
    """Rows of sensors that report within seconds of each other, every five minutes."""
    lines = pump.read_text(encoding="utf-8").splitlines()
    path = tmp_path / "bursts.csv"
    at = [1_700_000_000 + 300 * (i // 3) + i % 3 for i in range(len(lines) - 1)]
    rows = [f"{t},{line.split(',', 1)[1]}" for t, line in zip(at, lines[1:], strict=True)]
    path.write_text("\n".join([lines[0], *rows]) + "\n")
    days = (at[-1] - at[0]) / 86_400
    replayed = fs.replay(config(path))
    figures = replayed.metrics.summary()["learner"]
    assert replayed.period == 1.0
    assert figures["alarms"]
    assert figures["alarms_a_day"] == pytest.approx(figures["alarms"] / days, rel=0.002)
    assert figures["false_alarms_a_day"] == pytest.approx(figures["false_alarms"] / days, rel=0.002)
    compared = fs.compare(config(path), ["4KiB"], ["sorf"], folder=tmp_path / "out", workers=1)
    run = compared.outcomes[0].figures
    assert run["alarms_a_day"] == pytest.approx(run["alarms"] / days, rel=0.002)


def test_period_that_is_said_counts(pump: Path) -> None:
    hourly = fs.replay(config(pump, period=3600.0)).metrics.summary()["learner"]
    assert hourly["alarms"] is not None
    assert hourly["alarms_a_day"] == pytest.approx(hourly["alarms"] * 24 / 1000)
    timeless = config(pump, time="none", ignore=("time",), period=60.0)
    told = fs.replay(timeless).metrics.summary()["learner"]
    assert told["delay_seconds"] == pytest.approx(60.0 * told["delay_rows"])  # type: ignore[operator]
    unknown = fs.replay(config(pump, time="none", ignore=("time",)))
    assert unknown.metrics.summary()["learner"]["alarms_a_day"] is None


def test_report(pump: Path, tmp_path: Path) -> None:
    result = fs.replay(config(pump))
    text, page = to_text(result), to_page(result)
    assert "Judged by 1 labelled window.\n" in text
    assert "sorf beats distance (AUC " in text or "sorf does not beat distance (AUC " in text
    assert "Alarms over time" in page
    assert "<title>labelled window, rows 701 to 760</title>" in page
    data = json.loads(json.dumps(to_dict(result), allow_nan=False))
    assert data["kind"] == "novelty"
    assert data["windows"] == [[701, 760]]
    assert set(data["curve"]["cumulative"]) == {"rows", "learner", "distance"}
    files = fs.write_report(result, tmp_path / "out")
    assert files[3].read_bytes().startswith(b"\x89PNG")


def test_labels_that_come_late_make_no_sense(pump: Path) -> None:
    for changes in ({"label_delay": 5}, {"label_missing": 0.1}, {"ask": True}):
        with pytest.raises(fs.SimulatorError, match="novelty learns without labels"):
            config(pump, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("common", [-1.0, 1.0])
def test_it_says_where_the_area_is_that_of_a_sample(common: float) -> None:
    metrics = Novelty(0.1, sampled=3)
    for label, sampled in ((common, False), (-common, False), (common, False), (common, False)):
        metrics.add_block(usual_row(label))
        assert metrics.sampled is sampled
    # One kind has more than are kept; of the other there is one.
    metrics.add_block(usual_row(common))
    assert metrics.sampled
