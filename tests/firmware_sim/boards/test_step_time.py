"""Steps of structured features on boards: the recorded counts come out again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import edgeolk as ek
import firmware_sim as fs
from bench.mcu.rows import stream
from bench.rows import EAGER, random_rows
from firmware_sim.boards import BOARDS
from firmware_sim.boards.step_time import QUIET, _longest, timing
from firmware_sim.report import to_dict, to_text
from release.steps import FILLED, RAM, ROWS

RESULTS = Path(__file__).parents[3] / "bench" / "results"
#: Emulated boards, and a board here with such a core.
LIKE = {
    "microbit,": "microbit",
    "mps2-an386,": "nrf52840",
    "mps2-an500,": "stm32f405",
    "mps2-an505,": "pico-2",
}
#: Rows of 50 that changed weights, by d and D; learners here over the same rows count them.
CHANGED = {(5, 150): 7, (5, 928): 6, (5, 4000): 7, (22, 150): 19, (22, 928): 23, (22, 4000): 26}


def instructions(
    device: str, plan: ek.Plan, d: int, changed: float, held: int = 0
) -> tuple[float, ...]:
    """To learn a row that changes nothing, in the mean, at most."""
    found = timing(BOARDS[device], plan, d, held)
    mean = found.mean(round(10_000 * changed), 10_000)
    assert found.longest is not None
    assert mean is not None
    rate = BOARDS[device].per_second
    return found.step * rate, mean * rate, found.longest * rate


def cells(title: str) -> Iterator[list[str]]:
    """Rows of a table of mcu.md, of boards that have a core here."""
    text = (
        (RESULTS / "mcu.md").read_text(encoding="utf-8").split(f"## {title}")[1].split("\n## ")[0]
    )
    for line in text.splitlines():
        parts = [part.strip().replace(",", "") for part in line.strip("|").split("|")]
        name = parts[0].split()[0] + "," if parts[0] else ""
        if name in LIKE and "does not fit" not in line:
            yield [LIKE[name], *parts[1:]]


def test_recorded_learners() -> None:
    """Of the first 50 rows: they need not reach the mean and the longest step of harder streams."""
    rows = [row for row in cells("Sizes") if row[1] == "library"]
    assert len(rows) == 22
    for device, _, d, budget, *counts in rows:
        shape = int(d), int(budget)
        scored, learned, longest = (1e3 * float(counts[at]) for at in (4, 5, 6))
        plan = ek.plan(n_features=shape[0], budget=shape[1])
        score, mean, most = instructions(device, plan, shape[0], CHANGED[shape] / 50)
        assert score / QUIET == pytest.approx(scored, rel=0.1), (device, shape)
        assert mean == pytest.approx(learned, rel=0.2), (device, shape)
        assert longest <= most <= 1.4 * longest, (device, shape)


def test_recorded_streams() -> None:
    """Beside learners here that take the same rows, which say how many changed weights."""
    rows = list(cells("Streams"))
    assert len(rows) == 3
    for device, _, name, n_rows, *counts in rows:
        X, y = stream(name, int(n_rows), 1000)
        learner = ek.Learner(n_features=X.shape[1], ram="4KiB")
        learner.learn_many(X, y)
        changed = learner.updates / learner.steps
        learned = 1e3 * float(counts[5])
        _, mean, _ = instructions(device, learner.plan, X.shape[1], changed, learner.n_remembered)
        assert mean == pytest.approx(learned, rel=0.3), (device, name)


def test_recorded_step_of_a_raspberry_pi() -> None:
    """Beside the learner here that takes the same rows, which says how many changed weights."""
    recorded = json.loads((RESULTS / "boards.json").read_text(encoding="utf-8"))["boards"][
        "aarch64"
    ]
    count = next(row for row in recorded if row["algorithm"] == "sorf")
    d = count["features"]
    learner = ek.Learner("sorf", n_features=d, ram=RAM, **EAGER["sorf"])
    assert (learner.budget, learner.nbytes) == (count["budget"], count["bytes"])
    X, y = random_rows(d, FILLED + ROWS)
    X = X.astype("float32")
    learner.learn_many(X[:FILLED], y[:FILLED])
    before = learner.updates
    learner.learn_many(X[FILLED:], y[FILLED:])
    changed = (learner.updates - before) / ROWS
    _, mean, _ = instructions("pi-zero-2w", learner.plan, d, changed, learner.n_remembered)
    assert mean == pytest.approx(count["instructions"], rel=0.1)


def test_recorded_kernel_rows_of_a_raspberry_pi() -> None:
    """Of rings that the rows fill."""
    recorded = json.loads((RESULTS / "boards.json").read_text(encoding="utf-8"))["boards"][
        "aarch64"
    ]
    rows = [row for row in recorded if row["algorithm"] == "rbp" and row["dtype"] == "float32"]
    full = [row for row in rows if row["budget"] < FILLED / 2]
    assert len(full) == 4
    for row in full:
        plan = ek.plan("rbp", n_features=row["features"], budget=row["budget"])
        step = timing(BOARDS["pi-zero-2w"], plan, row["features"]).step
        count = step * BOARDS["pi-zero-2w"].per_second
        assert count == pytest.approx(row["instructions"], rel=0.15), row


def test_classes_cost_more() -> None:
    """Of 400 rows with four classes an emulated Cortex-M4F and M0 counted these."""
    plan = ek.plan("sorf", n_features=24, budget=120, n_classes=4)
    for device, scored, longest in (
        ("nrf52840", 46_678, 148_640),
        ("microbit", 999_783, 2_479_750),
    ):
        found = timing(BOARDS[device], plan, 24)
        assert found.longest is not None
        rate = BOARDS[device].per_second
        assert found.step * rate / QUIET == pytest.approx(scored, rel=0.1)
        assert found.longest * rate == pytest.approx(longest, rel=0.1)


@pytest.mark.parametrize(
    ("device", "classes", "scored", "longest"),
    [
        ("nrf52840", {}, 6_026, 6_200), ("nrf52840", {"n_classes": 4}, 5_454, 6_120),
        ("microbit", {}, 75_326, 79_188), ("microbit", {"n_classes": 4}, 94_485, 107_813),
    ],
)  # fmt: skip
def test_the_narrower_kernel_of_a_memory_costs_more(
    device: str, classes: dict[str, int], scored: float, longest: float
) -> None:
    """Counted with and without, 260 rows of 5 inputs, on an emulated Cortex-M4F and M0."""
    found = [
        instructions(device, ek.plan("sorf", n_features=5, budget=64, memory=260, memory_narrow=on,
                                     **classes), 5, 0.0, 260)
        for on in (False, True)
    ]  # fmt: skip
    assert found[1][0] - found[0][0] == pytest.approx(scored, rel=0.2)
    assert found[1][2] - found[0][2] == pytest.approx(longest, rel=0.2)


def test_a_process_beside_features() -> None:
    """Of 400 rows of 4 inputs an emulated Cortex-M4F counted these: the mean, and the longest."""
    for ram, mean, longest in (("4KiB", 341_700, 485_000), ("16KiB", 1_508_000, 2_381_000)):
        plan = ek.plan(n_features=4, ram=ram, loss="square")
        found = instructions("nrf52840", plan, 4, 1.0)
        assert found[2] == pytest.approx(longest, rel=0.25)
        assert found[0] < mean < found[2]
        alone = ek.plan(n_features=4, budget=plan.budget, loss="square")
        assert instructions("nrf52840", alone, 4, 1.0)[2] < 0.7 * found[2]


def test_every_task_has_an_estimate() -> None:
    for options in ({"loss": "novelty"}, {"loss": "square"}, {"dtype": "float32"}):
        found = timing(BOARDS["pico"], ek.plan("sorf", n_features=5, budget=200, **options), 5)
        assert found.longest is not None
        assert found.longest > found.step > 0


def replayed(**changes: object) -> fs.ReplayResult:
    base = {"limit": 200, "device": "nrf52840", "ram": "4KiB"}
    return fs.replay(fs.ReplayConfig("occupancy", **{**base, **changes}))  # type: ignore[arg-type]


def test_report_judges_by_the_longest_step() -> None:
    """Between the usual step and the longest one, rows come too fast."""
    told = to_dict(replayed())["board"]
    usual, longest = told["step_seconds"], told["longest_step_seconds"]
    assert usual < told["mean_step_seconds"] < longest
    for period, word in ((1.1 * longest, "in time"), (0.9 * longest, "TOO LATE")):
        text = to_text(replayed(period=period))
        assert f"between rows: {word}, the longest step takes" in text
        assert "without an update, the longest about" in text
        assert "\nmean      about" in text


def test_report_does_not_promise_what_it_does_not_know() -> None:
    result = replayed(algorithm="rbp", gamma=0.2, period=1.0)
    assert result.timing is not None
    object.__setattr__(result.timing, "longest", None)
    text = to_text(result)
    assert "unknown whether in time, the usual step takes" in text
    assert to_dict(result)["board"]["mean_step_seconds"] is None


def test_a_step_of_exponentials_alone() -> None:
    core = BOARDS["pico"].core
    assert _longest(core, "3 2 B exponentials", 10, 4) == 60 * core.exponential
    assert _longest(core, "O(B d) + B exponentials", 10, 4) is None
