"""The report of a replay: what its headline is, and the same content in all its forms."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.metrics.batch import Batch
from firmware_sim.report import report_of, to_dict, to_page, to_text
from firmware_sim.report.memory import MemoryChart


@pytest.fixture(scope="module")
def result() -> fs.ReplayResult:
    return fs.replay(fs.ReplayConfig("occupancy", ram="8KiB", limit=600, gamma=0.2))


def losing(result: fs.ReplayResult) -> fs.ReplayResult:
    """The same, as if the learner had had more errors than its baselines."""
    other = fs.replay(result.config)
    other.metrics.add_block(Batch.of(label=np.ones(1000), score=-np.ones(1000)))
    return other


def test_a_learner_that_beats_nothing_has_that_as_its_headline(result: fs.ReplayResult) -> None:
    other = losing(result)
    report = report_of(other)
    assert re.match(r"sorf does not beat .*no-change \(", report.headline)
    assert report.alert
    assert report.to_text().startswith(report.headline)
    assert f'<h1 id="summary" class="warn">{report.headline}</h1>' in to_page(other)


def test_baselines_that_are_not_beaten_come_first(result: fs.ReplayResult) -> None:
    shown = report_of(result).headline
    unbeaten, _, beaten = shown.partition(", but ")
    assert unbeaten.startswith("sorf does not beat no-change (")
    assert beaten.startswith("beats majority class (")


def test_all_forms_have_the_same_figures(result: fs.ReplayResult) -> None:
    report = report_of(result)
    text, page = report.to_text(), to_page(result)
    assert report.data == to_dict(result)
    for section in report.sections:
        for row in section.table.rows if section.table is not None else ():
            for cell in row:
                assert cell.strip() in text
                assert cell.replace("'", "&#39;") in page
    error = report.data["metrics"]["learner"]["error"]
    assert f"{100 * error:.2f} %" in text


def test_rows_are_listed_only_if_some_were_not_used(tmp_path: Path) -> None:
    lines = [f"{i % 7},{i % 2}" for i in range(60)]
    for name, more in {"good": [], "bad": [",1"]}.items():
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["a,y", *lines, *more]) + "\n")
        text = report_of(fs.replay(fs.ReplayConfig(str(path), target="y", ram="8KiB"))).to_text()
        assert ("left out, a value missing  1  a 1" in text) == (name == "bad")
        assert ("\nRows\n" in text) == (name == "bad")


def test_the_chart_of_memory_has_every_byte(result: fs.ReplayResult) -> None:
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    MemoryChart(result.layout).draw(axes, narrow=False)
    labels = [one.get_text() for one in axes.get_yticklabels()]
    counted = [int(label.rpartition("  ")[2].replace(",", "")) for label in labels]
    assert 0 < result.layout.cap - sum(counted) < 256  # alignment of the parts
    assert "free" in labels[-1]


def test_a_replay_of_a_stream_object_has_no_command(result: fs.ReplayResult) -> None:
    config = replace(result.config, stream=fs.Replay(result.config).stream)
    assert "\nAgain\n" in report_of(result).to_text()
    assert "\nAgain\n" not in report_of(fs.replay(config)).to_text()


def test_a_linear_model_is_called_one(tmp_path: Path) -> None:
    """Where bytes leave few frequencies: in the lines of learner, kernel and memory."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 57))
    lines = [",".join([*(f"c{i}" for i in range(57)), "label"])]
    lines += [",".join([*(f"{x:.3f}" for x in row), str(int(row.sum() > 0))]) for row in X]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(lines) + "\n")
    result = fs.replay(fs.ReplayConfig(str(path), kind="binary", target="label", ram=1300))
    text = report_of(result).to_text()
    assert ": a linear model, " in text
    assert "kernel    none" in text
    assert "kernel none: a linear model of 57 inputs is worth more here" in text


def test_a_learner_that_uses_the_last_label_says_so() -> None:
    """And what to do where labels come late, which the replay then does."""
    sentence = "sorf itself uses the last label: if labels come late, replay with --label-delay"
    options: dict[str, Any] = {"limit": 60, "ram": "4KiB"}
    assert sentence in to_text(fs.replay("occupancy", **options))
    for late in ({"label_delay": "3"}, {"params": {"last_label": False}}):
        assert "uses the last label" not in to_text(fs.replay("occupancy", **options, **late))
