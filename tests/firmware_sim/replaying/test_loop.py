"""The main loop: missing values, limits, scaling, early ends; and the report's numbers."""

from __future__ import annotations

import gc
import itertools
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.replaying.loop import Replay, frozen_gc
from firmware_sim.replaying.rows import RowCount
from firmware_sim.report import to_dict, to_text
from firmware_sim.streams import Row, Sample


class Listed(fs.Stream):
    """A stream from memory: what a new source has to write."""

    name = "listed"
    target = "y"

    def __init__(self, rows: list[list[float]], labels: list[str]) -> None:
        self.rows, self.labels = rows, labels
        self.features = tuple(f"x{i}" for i in range(len(rows[0])))

    def samples(self, row: Row) -> Iterator[Sample]:
        for number, (values, label) in enumerate(zip(self.rows, self.labels, strict=True), 1):
            row[:] = values
            yield Sample(number, label)


def two_blobs(n: int = 300, seed: int = 0) -> Listed:
    rng = np.random.default_rng(seed)
    labels = rng.choice([-1, 1], n)
    rows = 1000.0 + 50.0 * rng.normal(size=(n, 3)) + 120.0 * labels[:, None]
    return Listed(rows.tolist(), [str(label) for label in labels])


def config(stream: fs.Stream, **changes: object) -> fs.ReplayConfig:
    return fs.ReplayConfig(stream, **{"ram": "16KiB", "algorithm": "rbp", **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", ["standard", "minmax", "none"])
def test_same_as_a_loop_by_hand(scale: str) -> None:
    stream = two_blobs()
    result = fs.replay(config(stream, scale=scale, freeze_after=None, gamma=0.5, seed=3))
    rows = np.array(stream.rows)
    learner = ek.Learner(
        "rbp",
        n_features=3,
        budget=result.learner["budget"],
        kernel=ek.Gaussian(0.5),
        seed=3,
    )
    scaler = None if scale == "none" else ek.RunningScaler(3, method=scale)
    wrong = 0
    out = np.empty(3)
    for row, label in zip(rows, stream.labels, strict=True):
        if scaler is None:
            out[:] = row
        else:
            scaler.learn_transform_one(row, out)
        wrong += (1 if learner.learn_one(out, int(label)) >= 0 else -1) != int(label)
    assert result.metrics.learner.wrong == wrong
    assert result.learner["n_support"] == learner.n_support
    assert result.learner["steps"] == len(rows) == result.rows.used
    if scale == "standard":
        assert wrong < 30


def test_missing_values_are_skipped_and_counted() -> None:
    stream = two_blobs(100)
    clean = fs.replay(config(stream, gamma=0.5))
    nan, inf = float("nan"), float("inf")
    for place, bad in ((0, nan), (10, -200.0), (20, inf), (50, nan)):
        stream.rows.insert(place, [1.0, bad, 2.0])
        stream.labels.insert(place, "1")
    stream.rows.append([1.0, 2.0, 3.0])
    stream.labels.append("")
    result = fs.replay(config(stream, gamma=0.5, missing_codes=(-200.0,)))
    assert (result.rows.read, result.rows.used, result.rows.missing) == (105, 100, 5)
    assert result.rows.missing_by_column == {"x1": 4, "y": 1}
    assert result.metrics.summary() == clean.metrics.summary()  # a skipped row leaves no trace
    assert "x1 4, y 1" in to_text(result)


def test_stop_at_a_missing_value() -> None:
    stream = two_blobs(100)
    stream.rows[40][2] = float("nan")
    result = fs.replay(config(stream, missing="stop"))
    assert result.status == "stopped"
    assert result.detail == "row 41 has no value for 'x2'"
    assert (result.rows.read, result.rows.used) == (41, 40)
    assert to_text(result).startswith("STOPPED: row 41")


@pytest.mark.parametrize("power_cut", [None, "at=10"])
def test_stop_at_a_full_ring(power_cut: str | None) -> None:
    """In rows that are given together, and in those of which a later power cut parts others."""
    chosen = config(two_blobs(), algorithm="perceptron", params={"full": "raise"}, budget=3,
                    power_cut=power_cut)  # fmt: skip
    result = fs.replay(chosen)
    assert result.status == "stopped"
    assert result.learner["n_support"] == 3
    assert result.rows.used == result.learner["steps"] == result.rows.read - 1
    assert f"row {result.rows.read}: " in result.detail


def test_damaged_rows_of_a_block_are_counted(tmp_path: Path) -> None:
    lines = [f"{i % 7},{i % 5},{'on' if i % 2 else 'off'}" for i in range(40)]
    lines[20], lines[25], lines[30] = "torn,3,on", "3,on", "worn,1,on"
    (tmp_path / "sensor.csv").write_text("\n".join(["a,b,state", *lines]) + "\n")
    rows = fs.replay(config(str(tmp_path / "sensor.csv"), target="state", positive="on")).rows
    assert (rows.read, rows.used, rows.damaged) == (40, 37, 3)
    assert rows.first_damage == "row 21: column 'a': 'torn' is not a number"


def test_what_only_damaged_rows_say_is_no_class(tmp_path: Path) -> None:
    lines = [f"{i % 7},{i % 5},{'abc'[i % 3]}" for i in range(40)]
    lines[20] = "torn,3,d"
    (tmp_path / "sensor.csv").write_text("\n".join(["a,b,state", *lines]) + "\n")
    result = fs.replay(config(str(tmp_path / "sensor.csv"), kind="multiclass", target="state"))
    assert result.config.classes == ("a", "b", "c")


def test_a_label_that_is_none_costs_its_row(tmp_path: Path) -> None:
    lines = [f"{i % 7},{i % 5},{'ab'[i % 2]}" for i in range(40)]
    lines[5], lines[10], lines[20] = "torn,3,c", "1,3,d", "1,3,c"
    (tmp_path / "sensor.csv").write_text("\n".join(["a,b,state", *lines]) + "\n")
    told = {"kind": "multiclass", "target": "state", "classes": ("a", "b")}
    result = fs.replay(config(str(tmp_path / "sensor.csv"), **told))
    assert (result.rows.used, result.rows.damaged) == (37, 3)
    told_of = "\n".join(result.rows.damages.to_lines())
    assert "column 'state': a cell is not one of the 2 classes\n  row 11: 1,3,d" in told_of
    told["classes"] = ("b", "c")  # half of the labels are none of these: another column is meant
    with pytest.raises(fs.SimulatorError, match=r"row 1, column 'state': label 'a' is not one"):
        fs.replay(config(str(tmp_path / "sensor.csv"), **told))


def test_a_number_with_an_underscore_is_damage(tmp_path: Path) -> None:
    """Python takes 1_2 for 12; no sensor writes it."""
    lines = [f"{i % 7},{i % 5},{'on' if i % 2 else 'off'}" for i in range(1200)]
    lines[1100] = "1_2,3,on"
    (tmp_path / "sensor.csv").write_text("\n".join(["a,b,state", *lines]) + "\n")
    rows = fs.replay(config(str(tmp_path / "sensor.csv"), target="state", positive="on")).rows
    assert (rows.read, rows.used, rows.damaged) == (1200, 1199, 1)
    assert rows.first_damage == "row 1101: column 'a': '1_2' is not a number"


def test_a_stopped_replay_is_not_held_against_a_whole_one(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = config(two_blobs(), missing="stop", faults=("dropout:column=x0,p=0.02",), gamma=0.5)
    monkeypatch.setattr(Replay, "_without_faults", lambda *_: pytest.fail("replayed again"))
    result = fs.replay(chosen)
    assert (result.status, result.clean) == ("stopped", None)
    assert "- without" in to_text(result)


@pytest.mark.parametrize(
    ("error", "status"), [(fs.LearnerDiedError, "died"), (fs.BeyondCapError, "killed")]
)
@pytest.mark.spread(2)
def test_a_board_that_does_not_come_up_after_a_power_cut(
    error: type[Exception], status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = config(two_blobs(), power_cut="at=30", gamma=0.5, enforce="process")
    try:
        replay = Replay(chosen)
    except fs.SimulatorError as reason:
        pytest.skip(str(reason))

    def fails(*_: object) -> None:
        raise error("it does not come up")

    monkeypatch.setattr(replay.device, "_resume", fails)
    monkeypatch.setattr(replay.device, "_build", fails)
    result = replay.run()
    assert (result.status, result.detail) == (status, "rows 30 to 30: it does not come up")
    assert result.rows.used == 29
    to_text(result)
    json.dumps(to_dict(result), allow_nan=False)


def test_interruption_keeps_whole_rows() -> None:
    countdown = itertools.count(1)
    result = Replay(config(two_blobs())).run(should_stop=lambda: next(countdown) > 25)
    assert result.status == "interrupted"
    assert result.rows.used == result.metrics.learner.rows == result.learner["steps"] == 25
    assert to_text(result).startswith("INTERRUPTED: interrupted before row 26")
    at_once = Replay(config(two_blobs())).run(should_stop=lambda: True)
    assert at_once.rows.used == 0
    assert "No row was scored" in to_text(at_once)
    json.dumps(to_dict(at_once), allow_nan=False)


def test_limit() -> None:
    result = fs.replay(config(two_blobs(), limit=77))
    assert result.rows.read == 77
    assert result.status == "complete"
    assert result.width is not None
    assert result.width.rows == 77  # the prefix does not look further than the replay


def test_prefix_ignores_labels_and_gaps() -> None:
    stream = two_blobs(50)
    plain = fs.replay(config(stream, prefix=20)).width
    stream.rows.insert(5, [float("nan")] * 3)
    stream.labels.insert(5, "1")
    assert fs.replay(config(stream, prefix=20)).width == plain
    stream.labels[:] = ["-1"] * len(stream.labels)
    assert fs.replay(config(stream, prefix=20)).width == plain


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "polynomial", "linear", "sigmoid"])
def test_kernels(kernel: str) -> None:
    result = fs.replay(config(two_blobs(), kernel=kernel))
    assert result.metrics.learner.wrong < 60
    data = to_dict(result)["learner"]
    assert (data["gamma"] is None) == (kernel == "linear")
    assert (data["degree"] is None) == (kernel != "polynomial")


def test_frozen_scaler() -> None:
    replay = Replay(config(two_blobs(), freeze_after=20))
    replay.run()
    assert replay.device.scaler.frozen


@pytest.mark.parametrize(
    ("rows", "labels", "pattern"),
    [
        ([[1.0]], ["2"], "listed: row 1, column 'y': label '2'.*--positive"),
        ([[float("nan")]] * 3, ["1"] * 3, "no row has a value in every column"),
        ([[1.0]] * 3, [""] * 3, "none of the 3 rows.*'y' is missing in 3"),
    ],
)
def test_streams_without_use(rows: list[list[float]], labels: list[str], pattern: str) -> None:
    with pytest.raises(fs.StreamError, match=pattern):
        fs.replay(config(Listed(rows, labels)))


def test_an_empty_stream() -> None:
    stream = two_blobs(1)
    stream.rows, stream.labels = [], []
    with pytest.raises(fs.StreamError, match="no row after the header"):
        fs.replay(config(stream, gamma=1.0))


@pytest.mark.parametrize(
    ("changes", "pattern"),
    [
        (
            {"scale": "robust"},
            "scale is 'robust', it must be one of: standard, minmax, common, none",
        ),
        ({"kernel": "rbf"}, "kernel is 'rbf'"),
        ({"dtype": "bfloat16"}, "dtype"),
        ({"missing": "fill"}, "missing"),
        ({"budget": 0}, "budget is 0"),
        ({"limit": 0}, "limit is 0"),
        ({"freeze_after": -1}, "freeze-after is -1"),
        ({"scale": "none", "freeze_after": 5}, "needs a scaler"),
        ({"ram": "lots"}, "lots"),
        ({"ram": 0}, "ram is 0"),
        ({"gamma": -1.0}, "gamma"),
        ({"kernel": "polynomial", "degree": 0}, "degree"),
    ],
)
def test_bad_configuration(changes: dict[str, object], pattern: str) -> None:
    with pytest.raises(fs.SimulatorError, match=pattern):
        fs.replay(config(two_blobs(), **changes))


def test_report_is_strict_and_repeats(tmp_path: Path) -> None:
    stream = two_blobs(1200)
    chosen = config(stream, algorithm="olrd", params={"U": float("inf")})
    first, second = to_dict(fs.replay(chosen)), to_dict(fs.replay(chosen))
    text = json.dumps(first, allow_nan=False)
    assert json.loads(text)["learner"]["parameters"] == {"U": "inf"}
    assert first.pop("host").keys() == second.pop("host").keys()
    assert first == second
    memory = first["memory"]
    assert memory["used"] + memory["alignment_gaps"] + memory["free"] == memory["cap"] == 16384
    assert [part["name"] for part in memory["parts"]] == [
        "raw row",
        "scaled row",
        "scaler",
        "learner",
    ]
    assert {region["name"] for region in memory["parts"][3]["regions"]} >= {"support_vectors"}
    curve = first["curve"]["cumulative"]
    assert curve["rows"][-1] == 1200
    assert len(curve["rows"]) <= 513
    assert curve["learner"][-1] == first["metrics"]["learner"]["error"]
    assert curve["no_change"][-1] == first["metrics"]["no_change"]["error"]


def test_one_class_report(tmp_path: Path) -> None:
    stream = Listed(np.random.default_rng(0).normal(size=(50, 2)).tolist(), ["1"] * 50)
    files = fs.write_report(fs.replay(config(stream)), tmp_path)
    data = json.loads(files[1].read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert data["metrics"]["learner"]["kappa"] is None
    assert files[3].read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_a_label_that_is_missing_stops_too() -> None:
    stream = two_blobs()
    stream.labels[120] = ""
    result = fs.replay(config(stream, missing="stop", gamma=0.5))
    assert (result.status, result.rows.read) == ("stopped", 121)
    assert result.detail == "row 121 has no value for 'y'"
    assert fs.replay(config(stream, gamma=0.5)).rows.used == 299


@pytest.mark.parametrize("limit", [1, 40])
def test_no_row_beyond_the_limit_is_waited_for(limit: int) -> None:
    class Live(Listed):
        def samples(self, row: Row) -> Iterator[Sample]:
            for sample in super().samples(row):
                assert sample.number <= limit, "a live stream would wait here"
                yield sample

    blobs = two_blobs()
    result = fs.replay(config(Live(blobs.rows, blobs.labels), limit=limit, gamma=0.5))
    assert (result.status, result.rows.read) == ("complete", limit)


def test_the_first_damage_is_told_and_all_are_counted() -> None:
    count = RowCount(read=9)
    for number, damage in ((3, "torn"), (7, "worn")):
        count.add_damaged(number, damage)
        count.add_refused(number, f"{damage} too")
    assert (count.damaged, count.first_damage) == (2, "row 3: torn")
    assert (count.refused, count.first_refusal) == (2, "row 3: torn too")
    assert count.warnings() == [
        "2 of 9 rows cannot be read and were left out, the first is row 3: torn"
    ]


def test_what_was_there_before_a_live_stream_is_not_looked_through() -> None:
    with frozen_gc():
        assert gc.get_freeze_count() > 1000
    assert gc.get_freeze_count() == 0


def test_notebooks_show_configuration_and_result() -> None:
    given = config(two_blobs(), budget=30, gamma=0.5)
    shown = given._repr_html_()
    for part in ("listed", "<td>budget</td>", ">30</td>", "maximum number of support vectors"):
        assert part in shown
    assert "<td>degree</td>" not in shown  # it has its default
    result = fs.replay(given)
    shown = result._repr_html_()
    assert result._report().headline in shown
    assert shown.count("<svg") == len(result.plot().axes) == len(result._report().charts)


def test_a_forecast_whose_process_died_has_no_outlook(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    lines = [f"{1.7e9 + 600 * i:.0f},{i % 7},{i % 9}.5" for i in range(300)]
    path.write_text("\n".join(["time,a,y", *lines, ""]))
    config = fs.ReplayConfig(str(path), forecast="y", horizon=3, ram="8KiB", enforce="process")
    replay = fs.Replay(config)
    pid = replay.device._process._child.pid  # type: ignore[attr-defined]
    result = replay.run(on_rows=lambda _: os.kill(pid, signal.SIGTERM))
    assert (result.status, result.outlook) == ("died", None)
    interrupted = fs.Replay(config).run(should_stop=lambda: True)
    assert (interrupted.status, interrupted.outlook) == ("interrupted", None)
