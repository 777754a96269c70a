"""What is replayed where no algorithm is named: a learner that scales by itself."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.configuration.config import freezes
from firmware_sim.report import to_text
from firmware_sim.report.summary import command

#: What makes the last label a candidate for as long as labels come.
REPEATS = {"last_label": True, "lapse": 16}


def config(**options: object) -> fs.ReplayConfig:
    return fs.ReplayConfig("occupancy", **{"ram": "4KiB", "limit": 600, **options})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def result() -> fs.ReplayResult:
    return fs.replay(config())


def test_it_is_the_recommended_learner_and_scales_inside(result: fs.ReplayResult) -> None:
    assert result.config.resolved.algorithm == ek.Config(n_features=1).name == "sorf"
    assert result.config.resolved.params == {"scale": "standard", "gamma": "auto", **REPEATS}
    parts = {part.name for part in result.layout.parts}
    assert "scaler" not in parts
    assert "scaled row" not in parts
    regions = {region.name for region in result.layout.part("learner").regions}
    assert {"statistics", "width_follows"} <= regions
    assert result.layout.used <= 4096


def test_the_report_says_so(result: fs.ReplayResult) -> None:
    report = to_text(result)
    assert "scaling   standard, inside the learner" in report
    assert "gamma follows the learned rows" in report
    assert "freezes" not in report


def test_a_learner_that_freezes_is_said_to() -> None:
    frozen = config(algorithm="stoptron", gamma=1.0)
    assert freezes(frozen)
    assert "freezes when it is full" in to_text(fs.replay(frozen))
    assert not freezes(config(algorithm="bpa_s"))
    assert not freezes(config(algorithm="pa", params={"full": "random"}))


def test_it_errs_as_it_does_behind_a_scaler_of_its_own(result: fs.ReplayResult) -> None:
    outside = fs.replay(config(algorithm="sorf"))
    assert "scaler" in {part.name for part in outside.layout.parts}
    inside, behind = (r.metrics.loss("learner") for r in (result, outside))
    assert abs(inside - behind) <= 5  # rows of 600: the widths differ a little


def test_what_is_said_of_scaling_holds_inside() -> None:
    made = config(scale="minmax", freeze_after=50, gamma=0.5)
    assert made.resolved.params == {"scale": "minmax", "freeze_after": 50, **REPEATS}
    assert config(scale="none").resolved.params == {"gamma": "auto", **REPEATS}
    assert config(scale="none", gamma=1.0).resolved.params == REPEATS


@pytest.mark.parametrize(
    "options",
    [{"label_delay": "3"}, {"label_missing": 0.1}, {"ask": True}, {"params": {"history": False}}],
)
def test_the_last_label_is_no_candidate_where_it_may_not_be_known(
    options: dict[str, object],
) -> None:
    assert "last_label" not in config(**options).resolved.params


@pytest.mark.parametrize("algorithm", ["", "bpa_s"])
def test_one_scale_for_all_readings_is_inside_the_learner(algorithm: str) -> None:
    common = config(scale="common", algorithm=algorithm)
    assert common.scales_inside
    replayed = fs.replay(common)
    assert "scaling   common, inside the learner" in to_text(replayed)
    assert "common" in {region.name for region in replayed.layout.part("learner").regions}
    assert "--scale common" in command(common)
    with pytest.raises(fs.SimulatorError, match="scale common is inside a learner"):
        common.outside()


def test_a_saved_model_is_one_file(tmp_path: Path) -> None:
    replay = fs.Replay(config())
    replay.run()
    with zipfile.ZipFile(fs.save_model(replay, tmp_path / "model.zip")) as box:
        assert "scaler.olk" not in box.namelist()
        box.extract("learner.olk", tmp_path)
    learner = ek.load(tmp_path / "learner.olk")
    assert learner.scaler is not None
    assert learner.scaler.n_seen == learner.steps
