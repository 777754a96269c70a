"""Parameters chosen on the first rows: fixed work, the same again, judged on other rows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.comparison import tuning
from firmware_sim.comparison.evaluators import Evaluator
from firmware_sim.comparison.rows import prepare
from firmware_sim.comparison.tuning import Candidate, Tuning, _numbers, _seasons, report_of, tune

CONFIG = fs.ReplayConfig("occupancy", algorithm="ogd", ram="8KiB", limit=6000)


@pytest.fixture(scope="module")
def found() -> Tuning:
    return tune(CONFIG, candidates=16)


def test_work_is_fixed_beforehand(found: Tuning) -> None:
    assert found.tuned_on == 1200
    assert found.judged_on == 4800
    # 16, 8, 4 and 2 candidates on an eighth, a quarter, a half and all of the rows.
    assert found.work == 16 * 150 + 8 * 300 + 4 * 600 + 2 * 1200
    runs: list[int] = []
    again = tune(CONFIG, candidates=16, on_start=runs.append, on_run=lambda: runs.append(0))
    assert runs[0] == len(runs) - 1 == 32
    assert again == found


def test_choice_looks_at_the_first_rows_only(found: Tuning, tmp_path: Path) -> None:
    """Other labels after them change what is reported, not what is chosen."""
    rows = prepare(CONFIG)
    outcomes = []
    for flipped in (False, True):
        y = rows.y.copy()
        if flipped:
            y[1200:] *= -1
        path = tmp_path / f"{flipped}.npz"
        np.savez(path, X=rows.X, y=y.astype(int))
        config = fs.ReplayConfig(str(path), algorithm="ogd", ram="8KiB", scale="none")
        outcomes.append(tune(config, candidates=8))
    plain, other = outcomes
    assert plain.chosen == other.chosen
    assert plain.after != other.after


def test_parameters_that_are_given_stay(found: Tuning) -> None:
    names = {name for name, _ in found.chosen.params}
    assert "eta" in names or found.chosen == found.start
    config = fs.ReplayConfig("occupancy", algorithm="ogd", params={"eta": 0.5}, limit=3000)
    fixed = tune(config, candidates=4)
    assert "eta" not in {name for name, _ in fixed.chosen.params}


@pytest.mark.parametrize(("kind", "varied"), [("binary", False), ("novelty", True)])
def test_parameters_of_another_loss_are_left_out(kind: str, varied: bool) -> None:
    config = fs.ReplayConfig("occupancy", algorithm="sorf", kind=kind, gamma=0.3)
    numbers = _numbers(config, Candidate(0.3), 5)
    assert ("nu" in numbers) == varied
    assert "r" in numbers


def test_text_says_what_to_take() -> None:
    start, chosen = Candidate(0.5), Candidate(2.0, (("eta", 0.25),))
    evaluator = Evaluator(np.ones(1), CONFIG)
    gain = report_of(Tuning(CONFIG, start, chosen, 100, 400, 0.1, 0.07, 1600, evaluator)).to_text()
    assert "before    10.00 % wrong with gamma=0.5" in gain
    assert "Gained: 30 % of the wrong answers" in gain
    assert f"take      --algorithm {CONFIG.algorithm} --gamma 2.0 --param eta=0.25" in gain
    loss = report_of(Tuning(CONFIG, start, chosen, 100, 400, 0.1, 0.12, 1600, evaluator)).to_text()
    assert "Nothing gained: keep what you began with" in loss
    assert loss.endswith(f"take      --algorithm {CONFIG.algorithm}\n")  # the width is its own
    worse = Tuning(CONFIG, start, chosen, 100, 400, 0.1, 0.07, 1600, evaluator, default=0.06)
    text = report_of(worse).to_text()
    assert "default   6.00 % wrong with no algorithm named" in text
    assert text.endswith("take      the default: name no algorithm\n")
    assert worse.options == ""


def test_streams_that_are_too_short() -> None:
    with pytest.raises(fs.SimulatorError, match="500 rows are too few to tune on 100"):
        tune(fs.ReplayConfig("occupancy", limit=500))
    with pytest.raises(fs.SimulatorError, match="too few to tune on 900"):
        tune(fs.ReplayConfig("occupancy", limit=1000), rows=900)


def test_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    base = ["tune", "occupancy", "--limit", "2000", "--candidates", "4", "--algorithm"]
    assert main([*base, "bpa_s", "--ram", "4KiB"]) == 0
    out = capsys.readouterr().out
    assert "\nbpa_s: chosen on the first 400 rows" in out
    taken = out.splitlines()[-1].removeprefix("take      ")
    assert main([*base, "bpa_s", "--ram", "4KiB", "--quiet"]) == 0
    said = capsys.readouterr().out.strip()
    assert said == ("" if taken.startswith("the default") else taken)
    assert main([*base, "nonsense"]) == 2
    assert "nonsense" in capsys.readouterr().err


@pytest.mark.slow
def test_a_folder_and_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tune", "occupancy", "--limit", "1200", "--algorithm", "rbp", "--candidates", "4"]
    assert main(words) == 0
    alone = capsys.readouterr().out
    assert main([*words, "--jobs", "2", "--out", str(tmp_path / "t")]) == 0
    shared = capsys.readouterr().out
    files = [tmp_path / "t" / name for name in ("tune.txt", "tune.json", "tune.html")]
    assert shared == f"{alone}report    {'  '.join(map(str, files))}\n"
    assert files[0].read_text(encoding="utf-8") == alone
    data = json.loads(files[1].read_text(encoding="utf-8"))
    assert data["options"] in alone
    assert data["start"]["loss"] >= 0.0
    assert main([*words[:-1], "1", "--out", "/dev/null"]) == 2
    assert "cannot write to" in capsys.readouterr().err


def test_a_method_that_refuses_the_rows_with_every_candidate_is_told() -> None:
    config = fs.ReplayConfig(
        "house", kind="regression", algorithm="ogd", params={"eta": 1e30}, limit=1200
    )
    with pytest.raises(fs.SimulatorError, match=r"^ogd rejects the rows with gamma="):
        tune(config, candidates=2)


def test_a_target_that_never_changes_has_no_season_of_its_own() -> None:
    assert _seasons(0, np.ones(500)) == []
    assert _seasons(24, np.ones(510)) == [24, 168]
    waves = np.sin(2.0 * np.pi * np.arange(500) / 30)
    assert _seasons(0, waves) == [30]


def test_a_number_that_is_no_argument_is_not_varied(monkeypatch: pytest.MonkeyPatch) -> None:
    candidate, learner = Candidate(0.3), tuning._learner
    varied = [*_numbers(CONFIG, candidate, 5)]

    def refused(config: fs.ReplayConfig, one: Candidate, n_features: int) -> object:
        if any(name == "eta" for name, _ in one.params):
            raise ValueError("eta is no argument")
        return learner(config, one, n_features)

    monkeypatch.setattr(tuning, "_learner", refused)
    assert "eta" in varied
    assert [*_numbers(CONFIG, candidate, 5)] == [name for name in varied if name != "eta"]
