"""Labels that are late, missing or asked for: against a loop written out by hand."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.errors import SimulatorError
from firmware_sim.report import to_dict, to_text

BASE = {"ram": "16KiB", "algorithm": "rbp", "gamma": 0.3, "limit": 1500}


def run(**changes: object) -> fs.ReplayResult:
    return fs.replay(fs.ReplayConfig("occupancy", **{**BASE, **changes}))  # type: ignore[arg-type]


def by_hand(delay: int, size: int) -> tuple[int, int]:
    """Wrong answers of the learner and of no-change, when labels come so many rows late."""
    replay = fs.Replay(fs.ReplayConfig("occupancy", label_delay=delay, label_queue=size, **BASE))  # type: ignore[arg-type]
    stream, budget = replay.stream, replay.device.learner.budget
    learner = ek.Learner("rbp", n_features=5, budget=budget, kernel=ek.Gaussian(0.3))
    scaler = ek.RunningScaler(5)
    row = np.empty(5)
    waiting: deque[tuple[int, np.ndarray, int]] = deque()
    wrong = repeated = 0
    last = 1
    for sample in stream.samples(row):
        assert sample is not None
        if sample.number > 1500:
            break
        label = int(sample.label)
        scaled = scaler.learn_transform_one(row)
        while waiting and sample.number - waiting[0][0] >= delay:
            _, old, old_label = waiting.popleft()
            learner.learn_one(old, old_label)
            last = old_label
        wrong += learner.predict_one(scaled) != label
        repeated += last != label
        if len(waiting) == size:
            waiting.popleft()
        waiting.append((sample.number, scaled.copy(), label))
    return wrong, repeated


@pytest.mark.parametrize(("delay", "size"), [(1, 1), (7, 7), (50, 50), (50, 20)])
def test_late_labels(delay: int, size: int) -> None:
    result = run(label_delay=delay, label_queue=size)
    assert (result.metrics.learner.wrong, result.metrics.no_change.wrong) == by_hand(delay, size)
    counts = result.labels
    assert counts.waiting == size
    assert counts.learned + counts.lost + counts.waiting == 1500
    # With too small a queue every row falls off before its label comes.
    assert counts.learned == (1500 - delay if size >= delay else 0)
    assert result.learner["steps"] == counts.learned


JUDGED = {"algorithm": "sorf", "gamma": None, "limit": 900}


def judged_by_hand(delay: int, size: int, missing: np.ndarray) -> int:
    """Wrong answers of a learner whose experts are judged by what they answered."""
    options = {**BASE, **JUDGED, "params": {"delay": 9}}
    replay = fs.Replay(fs.ReplayConfig("occupancy", label_delay=delay, **options))  # type: ignore[arg-type]
    learner = ek.Learner._from_block(bytes(replay.device.learner._sealed()))
    scaler, row, wrong = ek.RunningScaler(5), np.empty(5), 0
    waiting: deque[tuple[int, np.ndarray, int]] = deque()
    for sample in replay.stream.samples(row):
        assert sample is not None
        if sample.number > 900:
            break
        scaled = scaler.learn_transform_one(row).astype(np.float32)
        while waiting and sample.number - waiting[0][0] >= delay:
            number, old, label = waiting.popleft()
            if missing[number - 1]:
                learner.tell_one(None)
            else:
                learner.learn_one(old, label)
        wrong += (learner.ask_one(scaled) >= 0.0) != (int(sample.label) > 0)
        if len(waiting) == size:
            waiting.popleft()
            learner.tell_one(None)
        waiting.append((sample.number, scaled, int(sample.label)))
    assert learner.n_waiting == size
    return wrong


@pytest.mark.parametrize(("delay", "size", "share"), [(7, 7, 0.0), (9, 9, 0.3), (6, 4, 0.0)])
@pytest.mark.parametrize("enforce", ["arena", "process"])
@pytest.mark.spread(6)
def test_experts_are_judged_by_what_they_answered(
    delay: int, size: int, share: float, enforce: str
) -> None:
    """With the learner's own `delay`; labels that never come take their answers away."""
    options = {**JUDGED, "label_delay": delay, "label_queue": size, "params": {"delay": 9}}
    result = run(**options, label_missing=share, enforce=enforce)
    draws = np.random.default_rng((fs.ReplayConfig("occupancy").seed, 1))
    missing = draws.random(900) < share
    assert result.metrics.learner.wrong == judged_by_hand(delay, size, missing)


def test_more_rows_than_the_learner_waits_for() -> None:
    for delay in (10, "60s"):
        with pytest.raises(SimulatorError, match=r"--label-delay .* at most the 9 rows"):
            run(**JUDGED, label_delay=delay, params={"delay": 9})


def test_queue_is_in_the_plan() -> None:
    for dtype, item in (("float32", 4), ("float64", 8)):
        replay = fs.Replay(
            fs.ReplayConfig("occupancy", label_delay=20, dtype=dtype, **BASE)  # type: ignore[arg-type]
        )
        part = replay.device.layout.part("label queue")
        assert part.nbytes == 20 * (8 + 5 * item)
        assert "20 rows that wait for their label" in part.purpose
    with pytest.raises(fs.DoesNotFitError, match="label queue"):
        run(label_delay=1000)
    # Rows wait as finely as the learner sees them: labels one row late give the same model.
    fine, coarse = run(label_delay=1, dtype="float64"), run(label_delay=1)
    assert fine.labels == coarse.labels


def test_seconds_are_those_of_the_stream() -> None:
    by_rows = run(label_delay=10)
    by_time = run(label_delay="600s", label_queue=12)
    assert by_time.labels.learned == pytest.approx(by_rows.labels.learned, abs=30)
    tight = run(label_delay="600s", label_queue=5)
    assert tight.labels.lost > 1400
    late = run(label_delay="600s", faults=("burst:p=0.01,rows=30",))
    assert late.labels.learned > 0


def test_times_that_fall_are_told_of(tmp_path: Path) -> None:
    lines = [f"2026-01-01 00:{i // 60:02d}:{i % 60:02d},{i % 7},{i % 2}" for i in range(300)]
    path = tmp_path / "s.csv"
    said = {"algorithm": "rbp", "ram": "8KiB", "target": "y", "gamma": 0.3, "device": "pico"}
    found = {}
    for name, body in (("oldest", lines), ("newest", lines[::-1])):
        path.write_text("\n".join(["time,a,y", *body]) + "\n")
        for delay in (0, 10, "10s"):
            mine = fs.ReplayConfig(str(path), label_delay=delay, **said)  # type: ignore[arg-type]
            found[name, delay] = fs.replay(mine)
    late = found["newest", "10s"]
    assert late.labels.learned == 0
    assert "never comes" in late.warnings[0]
    assert "sort the rows by time" in late.warnings[0]
    assert "period    1 s between rows" in to_text(late)  # the column was recognised
    for delay in (0, 10):
        (warning,) = found["newest", delay].warnings
        assert "the newest row first; sort the rows by time" in warning
    assert all(not found["oldest", delay].warnings for delay in (0, 10, "10s"))


def test_seconds_need_a_clock(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.csv"
    path.write_text("a,y\n" + "".join(f"{i % 5},{i % 2}\n" for i in range(30)))
    command = ["replay", str(path), "--target", "y", "--label-delay", "5s", "--no-picture"]
    assert main([*command, "--out", str(tmp_path / "out")]) == 2
    assert "name the column with --time" in capsys.readouterr().err


def test_labels_that_never_come() -> None:
    at_once, late = run(label_missing=0.3), run(label_missing=0.3, label_delay=20)
    for result in (at_once, late):
        counts = result.labels
        assert 0.25 < counts.missing / 1500 < 0.35
        assert counts.learned + counts.missing + counts.waiting == 1500
        assert result.learner["steps"] == counts.learned
        assert result.rows.used == 1500  # every row is predicted and scored
    assert at_once.labels == run(label_missing=0.3).labels
    assert at_once.labels != run(label_missing=0.3, seed=5).labels
    assert at_once.metrics.no_change.wrong > run().metrics.no_change.wrong


def test_only_labels_that_are_asked_for() -> None:
    options = {"algorithm": "ogd", "params": {"loss": "ramp"}}
    asked, told = run(ask=True, **options), run(**options)
    assert asked.labels.saved > 300
    assert asked.labels.learned + asked.labels.saved == 1500
    # A label that would change nothing is not missed.
    assert asked.metrics.learner.wrong == told.metrics.learner.wrong
    assert f"{asked.labels.saved:,} not asked for" in to_text(asked)
    assert to_dict(asked)["labels"]["saved"] == asked.labels.saved
    greedy = run(ask=True)
    assert greedy.labels.saved == 0
    assert any("asks for every label" in warning for warning in greedy.warnings)


def test_plain_replay_counts_no_labels() -> None:
    result = run()
    assert result.labels.learned == 1500
    assert "labels    " not in to_text(result)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"label_delay": -1}, "label-delay is -1"),
        ({"label_delay": 1.5}, "label-delay is 1.5"),
        ({"label_delay": "soon"}, "label-delay is 'soon', it must be a number of rows"),
        ({"label_delay": "infs"}, "label-delay is 'infs'"),
        ({"label_missing": 1.0}, "label-missing is 1.0"),
        ({"label_missing": float("nan")}, "label-missing is nan"),
        ({"label_queue": 5}, "label-queue is 5"),
        ({"label_queue": 0, "label_delay": 3}, "label-queue is 0"),
    ],
)
def test_options_that_make_no_sense(changes: dict[str, object], words: str) -> None:
    with pytest.raises(SimulatorError, match=words):
        run(**changes)


@pytest.mark.parametrize(
    ("options", "refused", "status"),
    [
        ({"scale": "none"}, 2, "complete"),
        ({"scale": "none", "label_missing": 0.1}, 2, "complete"),
        ({"ask": True, "algorithm": "rbp", "ram": "4KiB"}, 0, "complete"),
        ({"algorithm": "ogd", "params": {"full": "raise"}, "ram": "2KiB", "label_delay": 1}, 0,
         "stopped"),
        ({"forecast": "a", "target": None, "gap": 600.0}, 0, "complete"),
    ],
    ids=str,
)  # fmt: skip
def test_a_learner_in_its_own_process_is_told_the_same(
    tmp_path: Path, options: dict[str, Any], refused: int, status: str
) -> None:
    """Two rows are too large, and an hour is missing: refusals, stops and restarts go along."""
    path = tmp_path / "s.csv"
    huge = (50, 299) if options.get("scale") == "none" else ()
    path.write_text("time,a,b,y\n" + "".join(
        f"{1.7e9 + 60 * i + 3600 * (i > 150):.0f},{i % 7},{1e19 if i in huge else i % 3},"
        f"{i // 2 % 2}\n" for i in range(300)
    ))  # fmt: skip
    found = []
    for enforce in ("arena", "process"):
        known = {"target": "y", "ram": "16KiB", "frozen_after": 0, **options}
        result = fs.replay(fs.ReplayConfig(str(path), enforce=enforce, **known))
        assert (result.status, result.rows.refused) == (status, refused)
        found.append((result.rows.used, result.detail, result.metrics.summary(), result.labels))
    assert found[0] == found[1]


def test_a_gap_among_rows_without_times_is_not_seen(tmp_path: Path) -> None:
    path, block = tmp_path / "s.csv", 9_000
    times = [f"{1.7e9 + 60 * i:.0f}" if not 300 <= i < block else "" for i in range(block + 300)]
    cells = [f"{time},{i % 7},{i % 3}\n" for i, time in enumerate(times)]
    path.write_text("time,a,b\n" + "".join(cells))
    options: dict[str, Any] = {"kind": "novelty", "ram": "4KiB", "time": "time"}
    long, never = (
        fs.replay(fs.ReplayConfig(str(path), gap=gap, **options)) for gap in (60.0 * block, None)
    )
    assert long.metrics.summary() == never.metrics.summary()


def test_a_gap_is_one_for_rows_one_by_one_too(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    draws = np.random.default_rng(0).normal(size=900)
    path.write_text("time,a\n" + "".join(
        f"{1.7e9 + 60 * i + 3600 * (i > 450):.0f},{np.sin(i / 9) + 0.1 * draws[i]:.4f}\n"
        for i in range(900)
    ))  # fmt: skip
    scores = []
    for wrapped, gap in ((False, 600.0), (True, 600.0), (False, None)):
        config = fs.ReplayConfig(str(path), kind="novelty", ram="4KiB", gap=gap, time="time")
        replay, parts = fs.Replay(config), []
        if wrapped:  # as for a board
            replay.device.wrap_learner(lambda learner: learner)
        replay.run(on_result=lambda batch, parts=parts: parts.append(batch.rows["score"].copy()))
        scores.append(np.concatenate(parts))
    np.testing.assert_array_equal(*scores[:2])
    np.testing.assert_array_equal(scores[0][:451], scores[2][:451])
    assert np.any(scores[0][451:] != scores[2][451:])  # begun again
