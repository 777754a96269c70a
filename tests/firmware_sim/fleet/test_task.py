"""The task of a fleet: what it finds is what a replay finds, and it fails in a record."""

from __future__ import annotations

import gzip
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fleets import write_fleet, write_stream

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.errors import SimulatorError
from firmware_sim.fleet import (
    Board,
    Configuration,
    Task,
    read_configurations,
    read_manifest,
    replay_task,
)
from firmware_sim.fleet import task as task_module
from firmware_sim.fleet.task import digest


def task_of(board: Board, *configurations: Configuration, models: str = "") -> Task:
    return Task(board, *digest(board.path), configurations, models)


@pytest.fixture
def fleet(tmp_path):
    manifest, configs = write_fleet(tmp_path, boards=3)
    return read_manifest(str(manifest)), read_configurations(configs)


@pytest.mark.parametrize("at", [0, 1, 2])  # plain, repaired, with faults
def test_task_counts_as_a_replay_of_each_configuration(fleet, at):
    boards, configurations = fleet
    board = boards[at]
    records = replay_task(task_of(board, *configurations))
    assert [record.configuration for record in records] == ["small", "wide", "usual"]
    for record, one in zip(records, configurations, strict=True):
        result = fs.replay(one.on(board.path, board.options))
        summary, rows = result.metrics.summary(), result.rows
        assert record.status == "done"
        assert record.loss == summary["learner"]["error"]
        expected = {
            **summary["learner"],
            **{f"{who}_error": summary[who]["error"] for who in ("no_change", "majority")},
            **{
                f"rows_{name}": getattr(rows, name)
                for name in ("read", "used", "missing", "damaged", "repaired", "refused")
            },
            "n_support": result.learner["n_support"],
            "nbytes": result.layout.end,
        }
        assert {name: record.figures[name] for name in expected} == expected


def test_task_and_function_survive_a_pickle_and_give_the_same_again(fleet):
    boards, configurations = fleet
    task = task_of(boards[2], *configurations)
    function, copy = pickle.loads(pickle.dumps((replay_task, task)))
    assert function(copy) == replay_task(task) == replay_task(task)


def test_a_row_the_learner_refuses_is_counted_and_the_others_learned(tmp_path):
    path = tmp_path / "log.csv"
    write_stream(path, 3, damage=False)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[300] = "1e300,20,3,1"
    path.write_text("\n".join(lines) + "\n")
    board = read_manifest(str(path.parent / "*.csv"), {"target": "label"})[0]
    one = Configuration("raw", {"algorithm": "ogd", "ram": "4KiB", "gamma": 0.5, "scale": "none"})
    (record,) = replay_task(task_of(board, one))
    result = fs.replay(one.on(board.path, board.options))
    assert record.figures["rows_refused"] == result.rows.refused == 1
    assert record.figures["rows_used"] == result.rows.used == 699
    summary = result.metrics.summary()
    assert {name: record.figures[name] for name in summary["learner"]} == summary["learner"]
    assert record.figures["no_change_error"] == summary["no_change"]["error"]


def test_what_does_not_fit_fails_by_itself(fleet):
    boards, configurations = fleet
    tiny = Configuration("tiny", {"algorithm": "rbp", "ram": 64})
    records = replay_task(task_of(boards[0], tiny, configurations[0]))
    assert [record.status for record in records] == ["failed", "done"]
    assert "too few" in records[0].detail
    assert records[0].loss is None


def test_where_no_learner_gets_on_each_record_has_its_own_reason(fleet):
    boards, _ = fleet
    tiny = Configuration("tiny", {"algorithm": "rbp", "ram": 64})
    params = {"full": "raise"}
    full = Configuration("full", {"algorithm": "perceptron", "budget": 3, "params": params})
    (alone,) = replay_task(task_of(boards[0], tiny))
    assert "too few" in alone.detail
    small, stopped = replay_task(task_of(boards[0], tiny, full))
    assert (small.status, small.detail) == ("failed", alone.detail)
    assert stopped.status == "failed"
    assert "the ring is full" in stopped.detail


def test_a_learner_that_refuses_every_row_says_so(tmp_path):
    (tmp_path / "log.csv").write_text("a,label\n" + "1e300,1\n-1e300,-1\n" * 5)
    board = read_manifest(str(tmp_path / "*.csv"), {"target": "label"})[0]
    one = Configuration("raw", {"algorithm": "ogd", "ram": "4KiB", "gamma": 0.5, "scale": "none"})
    (record,) = replay_task(task_of(board, one))
    assert record.status == "failed"
    assert "the learner refuses every row" in record.detail


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a,b,c\n1,2,3\n", "no column 'label'"),
        ("a,label\n1,maybe\n", "neither 1 nor -1"),
        ("a,label\n,1\n", "none of the 1 rows has a value in every column"),
        ("a,label\n", "there is no row after the header"),
        ("", "no line contains the column names"),
        ("a,label\n1,\0\n", "none of the 1 rows can be read; row 1: it holds NUL bytes"),
    ],
)
def test_a_poisoned_stream_is_a_failed_record_with_its_reason(tmp_path, text, why):
    (tmp_path / "log.csv").write_text(text)
    board = read_manifest(str(tmp_path / "*.csv"), {"target": "label"})[0]
    one = Configuration("one", {"algorithm": "ogd", "ram": "4KiB", "gamma": 1.0})
    (record,) = replay_task(task_of(board, one))
    assert record.status == "failed"
    assert why in record.detail


def test_a_file_that_is_gone_or_another_is_no_record(fleet):
    boards, configurations = fleet
    task = task_of(boards[0], *configurations)
    with pytest.raises(OSError, match="has changed since the run started"):
        replay_task(replace(task, content="0" * 64))
    Path(boards[0].path).unlink()
    with pytest.raises(FileNotFoundError, match="no file"):
        replay_task(task)


def test_learners_beyond_the_memory_of_a_worker_are_refused(fleet):
    boards, configurations = fleet
    task = replace(task_of(boards[0], *configurations), memory=4096)
    assert {record.status for record in replay_task(task)} == {"failed"}
    assert "a worker may have 4,096" in replay_task(task)[0].detail


def test_models_come_back_and_go_on_learning(fleet, tmp_path):
    boards, configurations = fleet
    records = replay_task(task_of(boards[0], *configurations, models=str(tmp_path)))
    usual = ek.load(tmp_path / "board0.usual.olk")
    assert usual.n_support == records[2].figures["n_support"]
    assert usual.steps == records[2].figures["rows_used"]
    usual.learn_one(np.array([0.1, 21.0, 3.0]), 1)
    scaler = ek.RunningScaler.load(tmp_path / "board0.wide.scaler.olk")
    assert scaler.n_seen == records[1].figures["rows_used"]
    assert not list(tmp_path.glob(".model-*"))


def test_a_strict_run_that_leaves_out_many_rows_has_failed(tmp_path):
    path = tmp_path / "log.csv"
    rows = [f"{i % 7},{f'bad{i}' if i % 10 < 3 else i % 5},{(-1) ** i}" for i in range(1000)]
    path.write_text("a,b,y\n" + "\n".join(rows) + "\n")
    board = Board("one", str(path), str(path), {"target": "y"})
    one = Configuration("small", {"ram": "2KiB", "algorithm": "rbp"})
    task = task_of(board, one)
    (record,) = replay_task(task)
    assert record.status == "done"
    (strict,) = replay_task(replace(task, strict=True))
    assert (strict.status, strict.key) == ("failed", replace(task, strict=True).key(one))
    assert "300 of 1,000 rows (30 %) were left out" in strict.detail
    assert strict.key != record.key  # a later run without the option learns it


def test_what_goes_wrong_is_a_record_or_is_tried_again(fleet, monkeypatch):
    boards, (one, *_) = fleet
    task = task_of(boards[0], one)

    def unreadable(_):
        try:
            raise OSError("the disk is gone")
        except OSError as error:
            raise SimulatorError(f"cannot read log.csv: {error}")  # noqa: B904

    def damaged(_):
        raise gzip.BadGzipFile("CRC check failed")

    def unforeseen(_):
        raise KeyError("column")

    for raising, detail in ((damaged, "CRC check failed"), (unforeseen, "KeyError: 'column'")):
        monkeypatch.setattr(task_module, "_replayed", raising)
        (record,) = replay_task(task)
        assert (record.status, record.detail) == ("failed", detail)
    monkeypatch.setattr(task_module, "_replayed", unreadable)
    with pytest.raises(OSError, match=r"cannot read log\.csv: the disk is gone"):
        replay_task(task)


def test_power_cuts_are_figures(fleet):
    boards, _ = fleet
    options = {"ram": "8KiB", "power_cut": "every=200", "checkpoint_every": 50}
    (record,) = replay_task(task_of(boards[0], Configuration("cut", options)))
    assert record.status == "done"
    assert record.figures["power_cuts"] == 3
    assert record.figures["power_checkpoints"] > 3
