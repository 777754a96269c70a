"""What a comparison reports of a learner is what a replay of it reports, whatever the options."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import firmware_sim as fs
from firmware_sim.comparison import compare
from firmware_sim.comparison.work import DEFAULT
from firmware_sim.metrics.base import finite

ROWS = 260
METHODS = {
    "binary": ["rbp", "bpa_s", "sorf"],
    "multiclass": ["rbp", "bpa_s", "sorf"],
    "regression": ["ogd", "bpa_s", "sorf"],
    "novelty": ["nogd", "sorf"],
}
#: Faults that leave every row with all its readings: others a method may need to be filled in.
FAULTS = ("stuck:column=x0,from=60,to=90", "drift:column=x1,offset=0.02", "gap:from=100,to=120")
GAMMA = 0.7


def written(folder: Path, kind: str, seed: int) -> Path:
    """A stream with times, some labels of which are missing, and some rows damaged."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, 2)) + np.sin(np.arange(ROWS) / 9)[:, np.newaxis]
    words = {
        "binary": np.where(X[:, 0] > 0, "on", "off"),
        "multiclass": np.array([*"abc"])[np.digitize(X[:, 0], [-0.6, 0.6])],
        "regression": np.char.mod("%.4f", 20 + 3 * X[:, 0]),
        "novelty": np.where(np.arange(ROWS) % 50 < 4, "1", "0"),
    }[kind]
    words = words.astype(object)
    words[rng.random(ROWS) < 0.03] = ""
    lines = [
        f"{1_600_000_000 + 60 * i},{a:.4f},{b:.4f},{word}"
        for i, ((a, b), word) in enumerate(zip(X.tolist(), words, strict=True))
    ]
    for at in np.flatnonzero(rng.random(ROWS) < 0.02).tolist():
        lines[at] = lines[at].rpartition(",")[0].rpartition(",")[0]
    path = folder / "stream.csv"
    path.write_text("\n".join(["time,x0,x1,y", *lines]) + "\n")
    return path


options = st.fixed_dictionaries(
    {},
    optional={
        "scale": st.sampled_from(["standard", "minmax", "none"]),
        "dtype": st.sampled_from(["float32", "float64"]),
        "faults": st.lists(st.sampled_from(FAULTS), max_size=2, unique=True).map(tuple),
        "freeze_after": st.integers(20, 200),
        "frozen_after": st.sampled_from([0, 100]),
        "seed": st.integers(0, 2),
        "limit": st.integers(150, ROWS),
        "ignore": st.just(("x1",)),
        "clock": st.just(True),
    },
)


@pytest.mark.parametrize("kind", METHODS)
@given(data=st.data(), chosen=options, seed=st.integers(0, 99), delay=st.sampled_from([0, 0, 3]))
@settings(deadline=None, max_examples=6, phases=[Phase.generate])
@pytest.mark.spread(4)
def test_a_comparison_reports_what_a_replay_reports(
    kind: str, data: st.DataObject, chosen: dict[str, Any], seed: int, delay: int
) -> None:
    method = data.draw(st.sampled_from(METHODS[kind]))
    if chosen.get("scale") == "none":
        chosen.pop("freeze_after", None)
    if "ignore" in chosen:
        chosen["faults"] = tuple(one for one in chosen.get("faults", ()) if "x1" not in one)
    if kind != "novelty":
        chosen["label_delay"] = delay
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), kind, seed)
        mine = fs.ReplayConfig(
            str(path), target="y", kind=kind, gamma=GAMMA, ram="6KiB", algorithm=method, **chosen
        )
        found = compare(mine, ["6KiB"], [method], folder=folder, seeds=1, workers=1)
        default = fs.ReplayConfig(str(path), target="y", kind=kind, ram="6KiB", **chosen)
        # A comparison draws its own seeds: the first is 0.
        for name, config in ((method, mine), (DEFAULT, default)):
            (run,) = found.cell(name, 6 * 1024).runs
            result = fs.replay(fs.ReplayConfig(**{**vars_of(config), "seed": 0}))
            metrics = result.metrics
            assert (run.status, run.detail) == ("done", "")
            assert run.loss == metrics.mean_loss("learner")
            assert (run.budget, run.nbytes) == (result.learner["budget"], result.layout.end)
            assert run.rows == result.rows.used
            timed = {"alarms_a_day", "false_alarms_a_day", "delay_seconds"}
            expected = finite(metrics.summary()["learner"])
            assert {n: v for n, v in run.figures.items() if n not in timed} == {
                n: v for n, v in expected.items() if n not in timed
            }
            if not delay:
                losses = {what: metrics.mean_loss(who) for who, what in metrics.baselines.items()}
                assert {name: found.rows.baselines[name] for name in losses} == losses
            frozen = result.frozen
            if name == DEFAULT and frozen is not None:
                assert run.frozen == [frozen.loss, frozen.learner]


def test_the_hour_of_the_day_is_known_in_spite_of_faults(tmp_path: Path) -> None:
    """The default of rows that have times learns the day, in a comparison too."""
    path = written(tmp_path, "novelty", 29)
    config = fs.ReplayConfig(
        str(path), target="y", kind="novelty", ram="6KiB", faults=FAULTS[1:2], clock=True
    )
    replay = fs.replay(config)
    assert "clock" in {region.name for part in replay.layout.parts for region in part.regions}
    found = compare(config, ["6KiB"], ["nogd"], folder=tmp_path / "out", seeds=1, workers=1)
    (run,) = found.cell(DEFAULT, 6 * 1024).runs
    assert (run.nbytes, run.loss) == (replay.layout.end, replay.metrics.mean_loss("learner"))


def vars_of(config: fs.ReplayConfig) -> dict[str, Any]:
    return {name: getattr(config, name) for name in config.__dataclass_fields__}


def test_a_forecast_has_the_baselines_of_a_replay_where_rows_are_skipped(tmp_path: Path) -> None:
    """Targets arrive when so many rows have been read, whether or not these can be used."""
    y = np.cumsum(np.random.default_rng(5).normal(size=ROWS))
    lines = [f"{1_600_000_000 + 3600 * i},{i % 7},{value:.3f}" for i, value in enumerate(y)]
    lines[60] = "0;?"  # skipped
    lines[90:93] = [line.rpartition(",")[0] + "," for line in lines[90:93]]  # without a target
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["time,x,y", *lines, ""]))
    config = fs.ReplayConfig(str(path), forecast="y", horizon=6, season=0, ram="6KiB")
    metrics = fs.replay(config).metrics
    assert metrics.baselines.keys() == {"mean", "last_value", "seasonal"}
    found = compare(config, ["6KiB"], ["ogd"], folder=tmp_path / "out", seeds=1, workers=1)
    for who, name in metrics.baselines.items():
        assert found.rows.baselines[name] == pytest.approx(metrics.mean_loss(who))
