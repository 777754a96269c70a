"""Power cuts: the run goes on from the last checkpoint, exactly."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.boards import BOARDS
from firmware_sim.configuration.values import power_cut
from firmware_sim.device.power import PowerCount
from firmware_sim.report import to_dict, to_text

BASE = {"ram": "8KiB", "algorithm": "rbp", "gamma": 0.3, "limit": 1500, "checkpoint_every": 200}


def run(**changes: object) -> fs.ReplayResult:
    return fs.replay(fs.ReplayConfig("occupancy", **{**BASE, **changes}))  # type: ignore[arg-type]


def by_hand(cuts: set[int], scaled: bool) -> tuple[int, int]:
    """Wrong answers and rows lost, when whoever learns is copied every 200 rows learned."""
    replay = fs.Replay(fs.ReplayConfig("occupancy", scale="standard" if scaled else "none", **BASE))  # type: ignore[arg-type]
    kernel, budget = ek.Gaussian(0.3), replay.device.learner.budget

    def new() -> tuple[ek.Learner, ek.RunningScaler]:
        learner = ek.Learner("rbp", n_features=5, budget=budget, kernel=kernel)
        return learner, ek.RunningScaler(5)

    def copied(learner: ek.Learner, scaler: ek.RunningScaler) -> tuple[bytes, bytes]:

        return pickle.dumps(learner), pickle.dumps(scaler)

    learner, scaler = new()
    kept: tuple[bytes, bytes] | None = None
    last = wrong = lost = 0
    row, x = np.empty(5), np.empty(5)
    for sample in replay.stream.samples(row):
        assert sample is not None
        if sample.number > 1500:
            break
        if sample.number in cuts:
            steps = learner.steps
            if kept is None:
                learner, scaler = new()
            else:
                learner, scaler = (pickle.loads(part) for part in kept)
            lost += steps - learner.steps
        x[:] = row
        if scaled:
            scaler.learn_transform_one(row, x)
        label = int(sample.label)
        wrong += (learner.learn_one(x, label) >= 0) != (label > 0)
        last = min(last, learner.steps)
        if learner.steps - last >= 200:
            kept, last = copied(learner, scaler), learner.steps
    return wrong, lost


@pytest.mark.parametrize("scale", ["standard", "none"])
@pytest.mark.parametrize(
    ("power_cut", "cuts"),
    [("at=700", {700}), ("at=50", {50}), ("every=333", {334, 667, 1000, 1333})],
)
@pytest.mark.spread(3)
def test_run_goes_on_from_the_last_checkpoint(power_cut: str, cuts: set[int], scale: str) -> None:
    result = run(power_cut=power_cut, scale=scale)
    assert result.power is not None
    assert result.power.cuts == len(cuts)
    wrong, lost = by_hand(cuts, scale != "none")
    assert (result.metrics.learner.wrong, result.power.rows_lost) == (wrong, lost)
    assert lost > 0
    assert result.rows.used == 1500  # the stream went on
    # What lies before the first line of the block is not written.
    assert result.power.bytes_written > 0.95 * result.power.checkpoints * result.learner["nbytes"]


def test_random_cuts_repeat() -> None:
    first, second = run(power_cut="random=0.005"), run(power_cut="random=0.005")
    assert first.power == second.power
    assert first.power is not None
    assert 2 < first.power.cuts < 20
    assert first.metrics.summary() == second.metrics.summary()
    assert run(power_cut="random=0.005", seed=1).power != first.power


def test_all_that_learns_comes_back(tmp_path: Path) -> None:
    """Targets, repairs and waiting labels too: what is in RAM only is lost, and counted."""
    path = tmp_path / "s.csv"
    rng = np.random.default_rng(0)
    rows = [f"{a:.3f},{b:.3f},{100 + 20 * a:.3f}" for a, b in rng.normal(size=(900, 2))]
    path.write_text("a,b,t\n" + "\n".join(rows) + "\n")
    options = {"target": "t", "algorithm": "ogd", "params": {"loss": "square", "eta": 0.5}}
    config = {**BASE, **options, "limit": None}
    cut = fs.replay(fs.ReplayConfig(str(path), power_cut="at=500", **config))  # type: ignore[arg-type]
    whole = fs.replay(fs.ReplayConfig(str(path), **config))  # type: ignore[arg-type]
    assert cut.metrics.loss("learner") < 1.3 * whole.metrics.loss("learner")
    late = run(power_cut="at=700", label_delay=20, missing="last", faults=("dropout:p=0.1",))
    assert late.labels.cut == 20
    assert late.labels.waiting == 20


def test_report_tells_the_cost() -> None:
    result = run(power_cut="every=500", device="nrf52840", period=60.0)
    text = to_text(result)
    assert "power     2 cuts and restarts, learning of " in text
    assert "flash     lasts about" in text
    assert to_dict(result)["power"]["cuts"] == 2
    assert to_dict(run())["power"] is None


@pytest.mark.parametrize("last_label", [True, False])
def test_report_tells_that_the_last_label_is_forgotten(last_label: bool) -> None:
    """With a checkpoint after every row nothing else is lost."""
    given = {"ram": "4KiB", "algorithm": "sorf", "gamma": None, "limit": 900}
    given["params"] = {"last_label": last_label}
    whole = run(**given)
    cut = run(**given, power_cut="every=10", checkpoint_every=1)
    assert cut.power is not None
    assert (cut.power.cuts, cut.power.rows_lost) == (89, 0)
    is_same = cut.metrics.summary() == whole.metrics.summary()
    text = "power     89 cuts and restarts, the last label forgotten at each, learning of 0 rows"
    assert (text in to_text(cut)) == last_label == (not is_same)


def test_labels_that_a_cut_loses_are_not_late() -> None:
    result = run(power_cut="every=500", label_delay=10)
    labels = result.labels
    assert (labels.cut, labels.lost, labels.waiting) == (20, 0, 10)
    assert labels.learned == 1500 - 20 - 10
    assert ", 20 lost their row in a power cut, 10 still to come" in to_text(result)
    assert to_dict(result)["labels"]["cut"] == 20


def test_life_of_the_flash() -> None:
    """Two slots of 10,000 erasures, a checkpoint an hour: 20,000 hours."""
    years = PowerCount().years(BOARDS["nrf52840"], every=60, period=60.0)
    assert years == pytest.approx(20_000 / (24 * 365.25))


def test_a_card_writes_the_first_sector_twice() -> None:
    """The figure of docs/checkpoints.md, for the 1,000 cycles of a card instead of 10,000."""
    years = PowerCount().years(BOARDS["pi-3"], every=1, period=600.0)
    assert 10 * years * 365.25 == pytest.approx(69.4, abs=0.1)


def test_words_that_say_when() -> None:
    assert power_cut("every=500") == ("every", 500)
    assert power_cut("at=7") == ("at", 7)
    assert power_cut("random=0.25") == ("random", 0.25)
    for text in ("every", "every=0", "every=1.5", "at=-3", "random=0", "random=1", "often=3", ""):
        with pytest.raises(fs.SimulatorError, match=r"power-cut is .* it must be every=ROWS"):
            fs.ReplayConfig("occupancy", power_cut=text)


def test_a_release_without_checkpoints_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ek, "Checkpointer", None)
    with pytest.raises(fs.SimulatorError, match="needs a release of edgeolk with Checkpointer"):
        run(power_cut="at=700")


def test_the_last_label_is_from_before_the_cut() -> None:
    """A learner that has it starts again without it, and learns all rows."""
    options = {"algorithm": "", "gamma": None, "limit": 900}
    result = run(power_cut="every=300", checkpoint_every=100, **options)
    assert result.config.resolved.params["last_label"]
    assert result.power is not None
    assert (result.power.cuts, result.rows.used) == (2, 900)
    whole = run(**options)
    assert abs(result.metrics.learner.wrong - whole.metrics.learner.wrong) <= 2 * result.power.cuts
