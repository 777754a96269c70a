"""Fleets of several classes, no labels, late ones and power cuts: what replays find."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.drawing.page import to_page
from firmware_sim.fleet import (
    Configuration,
    Fleet,
    Task,
    read_configurations,
    read_manifest,
    replay_task,
    run_fleet,
)
from firmware_sim.fleet.report import report_of
from firmware_sim.fleet.summary import summarize
from firmware_sim.fleet.task import Record, digest
from firmware_sim.streams import open_stream
from firmware_sim.streams.cached import CachedStream

CONFIGS = """
[small]
algorithm = "sorf"
ram = "2KiB"
gamma = 0.5

[usual]
ram = "8KiB"
"""
#: Columns of a manifest beside device, stream and target, by what is tried.
KINDS: dict[str, dict[str, str]] = {
    "multiclass": {"kind": "multiclass", "classes": "low;middle;high"},
    "novelty": {"kind": "novelty", "period": "60"},
    "late": {"kind": "regression", "label_delay": "5", "label_missing": "0.1"},
    "cut": {"power_cut": "every=150", "checkpoint_every": "40"},
}
TARGETS = {"multiclass": "state", "novelty": "far", "late": "sum", "cut": "far"}


def write(folder: Path, what: str, boards: int = 2) -> Path:
    """Write streams with every kind of label, and a manifest; return the manifest."""
    rng = np.random.default_rng(1)
    names = list(KINDS[what])
    lines = [",".join(["device", "stream", "target", "ignore", "faults", "fault_seed", *names])]
    for i in range(boards):
        X = rng.normal(size=(400, 2))
        X[300:320, 0] += 5.0
        rows = [
            f"{a:.3f},{b:.3f},{('low', 'middle', 'high')[int(np.digitize(a + b, (-1, 1)))]},"
            f"{1 if 300 <= at < 320 else -1},{10 * a - b:.3f}"
            for at, (a, b) in enumerate(X)
        ]
        (folder / f"log{i}.csv").write_text("\n".join(["a,b,state,far,sum", *rows]) + "\n")
        others = ";".join(name for name in ("state", "far", "sum") if name != TARGETS[what])
        faults = '"noise:column=a,sd=0.3"' if i else ""
        cells = [f"board{i}", f"log{i}.csv", TARGETS[what], others, faults, str(i)]
        lines.append(",".join([*cells, *KINDS[what].values()]))
    manifest = folder / "manifest.csv"
    manifest.write_text("\n".join(lines) + "\n")
    (folder / "configs.toml").write_text(CONFIGS)
    return manifest


@pytest.mark.parametrize("what", KINDS)
@pytest.mark.spread(4)
def test_a_record_is_what_a_replay_finds(what: str, tmp_path: Path) -> None:
    manifest = write(tmp_path, what)
    configurations = read_configurations(tmp_path / "configs.toml")
    models = tmp_path / "models"
    models.mkdir()
    for board in read_manifest(str(manifest)):
        task = Task(board, *digest(board.path), tuple(configurations), str(models))
        records = replay_task(task)
        for record, one in zip(records, configurations, strict=True):
            assert (record.status, record.detail) == ("done", "")
            config = one.on(board.path, {**board.options, "fault_seed": board.fault_seed})
            replay = fs.Replay(config)
            result = replay.run()
            found = result.metrics.summary()["learner"]
            assert {name: record.figures[name] for name in found} == found
            assert record.loss == result.metrics.comparable
            assert record.figures["rows_used"] == result.rows.used == 400
            first = next(iter(result.metrics.table))
            for who in result.metrics.baselines:
                told = result.metrics.summary()[who][first]
                assert record.figures[f"{who}_{first}"] == told
            if what == "multiclass":
                assert record.figures["classes_seen"] == 3
            if what == "late":
                assert record.figures["labels_waiting"] == result.labels.waiting > 0
                assert record.figures["labels_missing"] == result.labels.missing > 0
            if what == "cut":
                assert result.power is not None
                assert record.figures["power_cuts"] == result.power.cuts == 2
                assert record.figures["power_rows_lost"] == result.power.rows_lost
            saved = ek.load(models / f"{board.device}.{one.name}.olk")
            assert saved.steps == result.learner["steps"]


def test_losses_of_several_kinds_are_not_held_together(tmp_path: Path) -> None:
    boards = read_manifest(str(write(tmp_path, "multiclass")))
    both = [Configuration("a"), Configuration("b", {"params": {"loss": "square"}})]
    with pytest.raises(fs.SimulatorError, match="are for 'regression'"):
        run_fleet(boards, both, tmp_path / "out")
    plain = read_manifest(str(tmp_path / "log*.csv"), {"target": "sum"})
    with pytest.raises(fs.SimulatorError, match="labels of two classes and some real numbers"):
        run_fleet(plain, both, tmp_path / "out")


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "multiclass")
    base = ["fleet", str(tmp_path / "log*.csv"), "--workers", "1", "--configs"]
    more = [str(tmp_path / "configs.toml"), "--out", str(tmp_path / "out"), "--target", "state"]
    assert main([*base, *more, "--kind", "multiclass"]) == 0
    assert "has the lowest error" in capsys.readouterr().out


def record(loss: float | None, figures: dict[str, Any]) -> Record:
    return Record("k", "b", "b.csv", "c", "done", "", loss, {"rows_used": 9, **figures})


def test_report_names_what_a_loss_is() -> None:
    judged = summarize(Fleet(1, ("c",), [record(0.2, {"auc": 0.8})]))
    assert "Area above the ROC curve, %" in report_of(judged).to_text()
    blind = summarize(Fleet(1, ("c",), [record(None, {"auc": None})]))
    assert "No board has labels to judge by" in report_of(blind).to_text()
    to_page(report_of(blind))


def test_rows_that_are_held_are_those_of_the_stream(tmp_path: Path) -> None:
    write(tmp_path, "late", boards=1)
    made: dict[str, Any] = {"target": "sum", "ignore": ("state", "far")}
    stream = open_stream(str(tmp_path / "log0.csv"), **made)
    held = CachedStream(open_stream(str(tmp_path / "log0.csv"), **made))

    def read(one: fs.Stream, most: int = 1000) -> list[tuple[list[float], str]]:
        row = np.empty(2)
        out = []
        for sample in one.samples(row):
            assert sample is not None
            out.append((row.tolist(), sample.label))
            if len(out) == most:
                break
        return out

    whole = read(stream)
    assert read(held, 10) == whole[:10]  # a reading that ends early keeps nothing
    (tmp_path / "log0.csv").touch()
    assert read(held) == whole
    (tmp_path / "log0.csv").unlink()
    assert held.count() == 400
    assert read(held) == whole
    assert read(held, 7) == whole[:7]
    (part,) = held.blocks_after(390, 7)
    assert part.rows.tolist() == [numbers for numbers, _ in whole[390:397]]
