"""One group left out at a time: a comparison and a choice have the figures of a replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.comparison import compare
from firmware_sim.comparison.groups import _spread
from firmware_sim.comparison.report import report_of, to_dict
from firmware_sim.comparison.rows import prepare
from firmware_sim.comparison.tuning import tune
from firmware_sim.comparison.work import DEFAULT, Run, do
from firmware_sim.replaying.held_out import HeldOut
from firmware_sim.streams.stream import Groups

CAP = 6 * 1024
OFFSETS = {"mill": 0.0, "lathe": 1.0, "press": 3.0}


def log(folder: Path, kind: str, n: int = 420) -> str:
    """Rows of three machines, one after the other; some are damaged, some lack a reading."""
    draws = np.random.default_rng(2)
    X = draws.normal(size=(n, 2))
    machines = np.repeat([*OFFSETS], n // 3).tolist()
    y = X[:, 0] + 0.3 * X[:, 1]
    X[:, 1] += [OFFSETS[one] for one in machines]
    words = np.where(y > 0.4, "1", "0") if kind == "binary" else np.char.mod("%.4f", y)
    rows = zip(X.tolist(), machines, words, strict=True)
    lines = [f"{a!r},{b!r},{machine},{word}" for (a, b), machine, word in rows]
    lines[40], lines[200] = "0.5,broken", f",0.25,lathe,{words[200]}"
    path = folder / "machines.csv"
    path.write_text("\n".join(["a,b,machine,y", *lines, ""]))
    return str(path)


def left_out(**options: Any) -> HeldOut:
    found = fs.replay(fs.ReplayConfig(**options)).held_out
    assert found is not None
    return found


@pytest.mark.parametrize(("kind", "method"), [("binary", "rbp"), ("regression", "ogd")])
def test_losses_are_those_of_a_replay(tmp_path: Path, kind: str, method: str) -> None:
    known: dict[str, Any] = {"stream": log(tmp_path, kind), "target": "y", "kind": kind}
    known |= {"group": "machine", "ram": CAP}
    config = fs.ReplayConfig(**known)
    found = compare(config, [CAP], [method], folder=tmp_path / "out", seeds=1, workers=1)
    for name in (DEFAULT, method):
        (run,) = found.cell(name, CAP).runs
        assert (run.status, run.detail) == ("done", "")
        more = {} if name == DEFAULT else {"algorithm": name, "gamma": found.rows.width.gamma}
        expected = left_out(**known, **more)
        assert run.loss == expected.loss("learner")
        assert run.rows == expected.total.rows == 418
        assert run.blocks == [part.metrics.mean_loss("learner") for part in expected.parts]
        names = {who: expected.total.baselines[who] for who in expected.total.lasting_baselines}
        losses = {what: expected.loss(who) for who, what in names.items()}
        assert found.rows.baselines == pytest.approx(losses)
    text = report_of(found).to_text()
    assert "group     machine, 3 groups: each is answered by learners of all the others" in text
    assert to_dict(found)["group"] == "machine"


def test_windows_do_not_cross_groups(tmp_path: Path) -> None:
    known: dict[str, Any] = {"stream": log(tmp_path, "binary", 1500), "target": "y"}
    known |= {"group": "machine", "window": 32, "features": ("rms",), "ram": CAP}
    config = fs.ReplayConfig(**known)
    found = compare(config, [CAP], ["rbp"], folder=tmp_path / "out", seeds=1, workers=1)
    assert found.cell(DEFAULT, CAP).error == left_out(**known).loss("learner")
    assert found.rows.windows is not None


def test_a_choice_is_judged_on_other_rows_of_every_group(tmp_path: Path) -> None:
    known: dict[str, Any] = {"stream": log(tmp_path, "binary", 630), "target": "y"}
    known |= {"group": "machine", "ram": CAP, "algorithm": "ogd"}
    found = tune(fs.ReplayConfig(**known), rows=210, candidates=2)
    mine = fs.ReplayConfig(**known, gamma=found.start.gamma)
    assert found.replayed == left_out(**known, gamma=found.start.gamma).loss("learner")
    replay = fs.Replay(mine)
    n = found.tuned_on + found.judged_on
    assert found.tuned_on == 208
    judged: list[bool] = []
    for _, batches in replay.by_group():
        for rows in (batch.rows for batch in batches):
            chosen = [at * 208 // n > (at - 1) * 208 // n for at in rows["row"].tolist()]
            rows = rows[~np.array(chosen)]
            judged += (rows["label"] * rows["score"] <= 0.0).tolist()
    assert found.before == pytest.approx(np.mean(judged))
    assert abs(len(judged) - found.judged_on) <= 3


def test_rows_of_a_choice_are_spread_over_each_group() -> None:
    places = np.repeat([0, 1, -1], [600, 300, 100])
    taken = [_spread(Groups(["a", "b"], places), many, 1000) for many in (200, 100, 50)]
    assert [np.bincount(places[one] + 1).tolist() for one in taken] == [
        [0, 120, 60], [0, 60, 30], [0, 30, 15],
    ]  # fmt: skip
    assert np.diff(np.flatnonzero(taken[0][:600])).max() == 5
    assert (taken[0] >= taken[1]).all()
    assert (taken[1] >= taken[2]).all()


def test_both_commands_take_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = log(tmp_path, "binary", 630)
    base = [stream, "--target", "y", "--group", "machine", "--workers", "1", "--no-progress"]
    here = ["--ram", "6KiB", "--algorithms", "rbp", "--seeds", "1", "--no-picture"]
    assert main(["compare", *base, *here, "--out", str(tmp_path / "out")]) == 0
    assert "in groups of 'machine' that were not learned from" in capsys.readouterr().out
    assert main(["tune", *base, "--candidates", "2", "--tune-rows", "210"]) == 0
    said = capsys.readouterr().out
    assert "chosen on 208 rows of all groups of 'machine'" in " ".join(said.split())


def test_what_cannot_be_compared_by_group(tmp_path: Path) -> None:
    class Model:
        def predict_one(self, row: dict[str, float]) -> float:
            return 1.0

        def learn_one(self, row: dict[str, float], label: float) -> None:
            pass

    config = fs.ReplayConfig(log(tmp_path, "binary"), target="y", group="machine")
    with pytest.raises(fs.SimulatorError, match="are not compared by group"):
        compare(config, [CAP], ["rbp"], models={"one": Model()}, folder=tmp_path)
    with pytest.raises(fs.SimulatorError, match="which a forecast needs"):
        fs.ReplayConfig(str(config.stream), forecast="a", group="machine", algorithm="ogd")


def two_machines(folder: Path, *, is_broken: bool = False) -> fs.ReplayConfig:
    """Rows of a mill, then of a press, whose first reading may always be missing."""
    draws = np.random.default_rng(0)
    lines = ["a,b,machine,y"]
    for machine in ("mill", "press"):
        for a, b in draws.normal(size=(60, 2)).tolist():
            shown = "" if is_broken and machine == "press" else repr(a)
            lines.append(f"{shown},{b!r},{machine},{int(a > 0.0)}")
    path = folder / "machines.csv"
    path.write_text("\n".join([*lines, ""]))
    return fs.ReplayConfig(
        str(path), target="y", group="machine", algorithm="rbp", gamma=0.5, ram=CAP, kind="binary"
    )


def test_a_machine_without_a_whole_row_cannot_be_learned_alone(tmp_path: Path) -> None:
    """What leaves out the other one has nothing to learn; baselines know the whole rows."""
    config = two_machines(tmp_path, is_broken=True)
    rows = prepare(config.outside())
    assert len(rows.y) == 60
    assert rows.baseline_blocks == {what: [loss] for what, loss in rows.baselines.items()}
    outcome = do(Run("rbp", CAP, 0), rows.evaluator, rows.config, 0.5, 9.0)
    assert (outcome.status, outcome.loss) == ("refused", 0.0)
    assert "none of the 60 rows can be read; row 1: it lacks a reading" in outcome.detail


def test_a_method_that_is_too_slow_for_all_groups_is_told(tmp_path: Path) -> None:
    rows = prepare(two_machines(tmp_path).outside())
    outcome = do(Run("rbp", CAP, 0), rows.evaluator, rows.config, 0.5, 0.0)
    assert (outcome.status, outcome.detail) == ("slow", "1 of 2 groups in 0 s")


def test_a_method_that_stops_is_refused_and_not_slow(tmp_path: Path) -> None:
    """A perceptron in few bytes, which may not forget a row."""
    config = replace(
        two_machines(tmp_path), algorithm="perceptron", params={"full": "raise"}, ram=700
    )
    rows = prepare(config.outside())
    outcome = do(Run("perceptron", 700, 0), rows.evaluator, rows.config, 0.5, 9.0)
    assert outcome.status == "refused"
    assert outcome.detail.startswith("without group mill: ")
    assert "full" in outcome.detail
