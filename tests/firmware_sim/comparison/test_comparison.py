"""Comparisons: the same figures as replays, kept as they come, and a choice that can be run."""

from __future__ import annotations

import signal
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from markupsafe import escape

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.comparison import Comparison, compare
from firmware_sim.comparison import ranking as comparison_ranking
from firmware_sim.comparison import rows as comparison_rows
from firmware_sim.comparison import run as comparison_run
from firmware_sim.comparison.choice import better, choice, recommended, sentence, unbeaten
from firmware_sim.comparison.evaluators import Evaluator
from firmware_sim.comparison.ranking import ranking, shown
from firmware_sim.comparison.report import report_of, to_dict
from firmware_sim.comparison.rows import prepare
from firmware_sim.comparison.work import Outcome, Run, do, goes
from firmware_sim.drawing.page import to_page
from firmware_sim.kinds.base import WITHOUT_KERNEL
from firmware_sim.metrics.batch import Batch
from firmware_sim.streams import Stream
from firmware_sim.streams.cached import HeldStream

NAMES = ["rbp", "bpa_s", "ahpatron"]
CONFIG = fs.ReplayConfig("occupancy", algorithm="rbp", limit=1200)


def run(folder: Path, **changes: object) -> Comparison:
    options = {"rams": ["2KiB", "4KiB"], "algorithms": NAMES, "workers": 1, "seeds": 2}
    return compare(CONFIG, folder=folder, **{**options, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    return run(tmp_path_factory.mktemp("compare"))


def test_only_methods_that_draw_are_run_again(found: Comparison) -> None:
    seeds = {name: len(found.cell(name, 2048).runs) for name in NAMES}
    assert seeds == {"rbp": 2, "bpa_s": 1, "ahpatron": 1}
    assert found.cell("rbp", 2048).deviation is not None
    assert found.cell("bpa_s", 2048).deviation is None


def test_interrupted_it_goes_on_where_it_was(tmp_path: Path, found: Comparison) -> None:
    seen: list[int] = []
    begun = run(tmp_path, on_run=lambda: seen.append(1), should_stop=lambda: bool(seen))
    assert not begun.complete
    assert 1 <= len(begun.outcomes) < len(found.outcomes)
    assert "run the same command again to continue." in report_of(begun).to_text()
    path = tmp_path / "runs.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + '{"algorithm": "bp')  # the power went
    counts: list[tuple[int, int]] = []
    made = iter(range(100))
    ended = run(
        tmp_path,
        on_start=lambda total, done: counts.append((total, done)),
        on_run=lambda: next(made),
    )
    assert counts == [(len(found.outcomes), len(begun.outcomes))]
    assert next(made) == len(found.outcomes) - len(begun.outcomes)
    assert [(o.algorithm, o.loss) for o in ended.outcomes] == [
        (o.algorithm, o.loss) for o in found.outcomes
    ]
    assert run(tmp_path, on_run=lambda: pytest.fail("it is all there")).complete


def test_interrupted_before_the_first_run_it_blames_no_cap(tmp_path: Path) -> None:
    begun = run(tmp_path, should_stop=lambda: True)
    assert not begun.outcomes
    text = report_of(begun).to_text()
    assert "No method has finished yet" in text
    assert "larger --ram" not in text


def small(path: Path, labels: list[str]) -> fs.ReplayConfig:
    """A table with a damaged row and two with gaps, and what compares it."""
    rng = np.random.default_rng(0)
    lines = [
        f"{x:.3f},{z:.3f},{label}"
        for (x, z), label in zip(rng.normal(size=(len(labels), 2)), labels, strict=True)
    ]
    lines += [f"0.1,broken,{labels[0]}", f",0.2,{labels[0]}", f"0.1,,{labels[0]}"]
    path.write_text("\n".join(["a,b,y", *lines]) + "\n")
    return fs.ReplayConfig(str(path), algorithm="rbp", target="y")


def compared(mine: fs.ReplayConfig, folder: Path, *names: str) -> Comparison:
    return compare(mine, ["4KiB"], list(names) or ["rbp"], folder=folder, workers=1, seeds=1)


def test_rows_that_were_left_out_are_told(tmp_path: Path) -> None:
    mine = small(tmp_path / "few.csv", ["1", "-1"] * 40)
    found = compared(mine, tmp_path / "out")
    text, data = report_of(found).to_text(), to_dict(found)
    assert "83 rows read, 80 used, 2 left out for missing values, 1 damaged" in text
    assert "missing   a 1, b 1" in text
    assert "WARNING   1 of 83 rows cannot be read and were left out, the first is row 81" in text
    assert data["stream"]["missing_by_column"] == {"a": 1, "b": 1}
    assert data["stream"]["rows_damaged"] == 1
    assert data["warnings"] == fs.replay(mine).warnings == found.rows.warnings


@pytest.mark.parametrize("option", ["missing", "damaged"])
def test_rows_that_end_a_replay_end_a_comparison(tmp_path: Path, option: str) -> None:
    mine = small(tmp_path / "few.csv", ["1", "-1"] * 40)
    with pytest.raises(fs.SimulatorError, match=r"row 8[12].*(broken|no value for 'a')"):
        compared(replace(mine, **{option: "stop"}), tmp_path / "out")  # type: ignore[arg-type]


def test_warnings_are_those_of_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = small(tmp_path / "one.csv", ["1"] * 40)
    found = compared(mine, tmp_path / "out")
    assert found.rows.warnings == fs.replay(mine).warnings
    assert "all 40 labels mean +1 ('1')" in report_of(found).to_text()
    path = tmp_path / "one.csv"
    words = ["--target", "y", "--ram", "4KiB", "--algorithms", "rbp", "--workers", "1"]
    out = ["--out", str(tmp_path / "again"), "--no-picture"]
    assert main(["compare", str(path), *words, *out]) == 0
    assert "warning: all 40 labels mean +1" in capsys.readouterr().err


def test_storage_is_that_of_each_method(tmp_path: Path) -> None:
    mine = small(tmp_path / "two.csv", ["1", "-1"] * 40)
    found = compared(mine, tmp_path / "out", "rbp", "bpa_s", "sorf")
    assert found.storage("sorf") == "int8"
    assert found.storage("default") == "int8"
    assert (
        "for default and sorf" in report_of(found).to_text()
        or "int8, float32 for" in report_of(found).to_text()
    )
    said = compared(replace(mine, dtype="float64"), tmp_path / "double", "rbp", "sorf")
    assert "storage   float64, scaling" in report_of(said).to_text()


def test_several_processes_find_the_same(tmp_path: Path, found: Comparison) -> None:
    shared_out = run(tmp_path, workers=2)
    wrong = {(o.algorithm, o.ram, o.seed): o.loss for o in shared_out.outcomes}
    assert wrong == {(o.algorithm, o.ram, o.seed): o.loss for o in found.outcomes}
    seen: list[int] = []
    options = {"workers": 2, "on_run": lambda: seen.append(1), "should_stop": lambda: bool(seen)}
    (tmp_path / "again").mkdir()
    assert 1 <= len(run(tmp_path / "again", **options).outcomes) <= len(found.outcomes)


def test_results_of_another_stream_do_not_count(tmp_path: Path) -> None:
    run(tmp_path, algorithms=["rbp"], rams=[2048])
    counts: list[int] = []
    other = fs.ReplayConfig("occupancy", algorithm="rbp", limit=1000)
    for _ in range(2):
        said = {"workers": 1, "on_start": lambda _, n: counts.append(n)}
        compare(other, [2048], ["rbp"], folder=tmp_path, **said)  # type: ignore[arg-type]
        (tmp_path / "runs.jsonl").write_text("no book at all")
    assert counts == [0, 0]


def test_runs_that_do_not_end_well() -> None:
    evaluator = prepare(CONFIG).evaluator
    small = do(Run("rbp", 500, 0), evaluator, CONFIG, 0.2, 9.0)
    assert small.status == "small"
    assert "the smallest cap that fits" in small.detail
    slow = do(Run("rbp", 4096, 0), evaluator, CONFIG, 0.2, 0.0)
    assert slow.status == "slow"
    assert 0 < slow.rows < 1200
    assert slow.detail == f"{slow.rows} of 1,200 rows in 0 s"
    assert isinstance(evaluator.filled, Stream)
    beyond = [replace(one, rows=one.rows.copy()) for one in evaluator.filled.blocks()]
    beyond[-1].rows[-9] = 1e300
    evaluator.filled = HeldStream(evaluator.filled, beyond)
    refused = do(Run("rbp", 4096, 0), evaluator, CONFIG, 0.2, 9.0)
    assert (refused.status, refused.loss) == ("refused", 0.0)
    assert "1e+300 does not fit" in refused.detail
    assert do(Run("nonsense", 4096, 0), evaluator, CONFIG, 0.2, 9.0).status == "refused"


def test_choice_is_the_smallest_that_is_as_good(found: Comparison) -> None:
    def known(*cells: tuple[str, int, int, float]) -> Comparison:
        outcomes = [
            Outcome(name, ram, 0, "done", loss=wrong / 1000, rows=1000, seconds=seconds)
            for name, ram, wrong, seconds in cells
        ]
        rams = sorted({one[1] for one in cells})
        return Comparison(CONFIG, found.rows, rams, outcomes, True)

    assert choice(known(("a", 1024, 104, 1), ("b", 4096, 100, 1))) == ("a", 1024)
    assert choice(known(("a", 1024, 106, 1), ("b", 4096, 100, 1))) == ("b", 4096)
    assert choice(known(("a", 1024, 100, 2), ("b", 1024, 100, 1))) == ("b", 1024)
    nothing = Comparison(CONFIG, found.rows, [512], [Outcome("a", 512, 0, "small")], True)
    assert choice(nothing) is None
    assert sentence(nothing).startswith("No method finished")


def test_trivial_answers_are_ranked(found: Comparison) -> None:
    names = ranking(found)
    assert found.algorithms[0] == "default"
    assert set(names) == {"default", *NAMES, "majority class", "no-change", "linear (PA-I)"}
    errors = [
        found.rows.baselines[name] if name in found.rows.baselines else found.cell(name, 4096).error
        for name in names
    ]
    assert errors == sorted(errors)  # type: ignore[type-var]
    lines = [line.split("  ")[0] for line in report_of(found).to_text().splitlines()]
    shown_names = [shown(name) for name in names]
    assert [name for name in lines if name in shown_names] == shown_names


def judged(found: Comparison, losses: list[float], trivial: list[float]) -> Comparison:
    """A comparison of one method with one trivial answer, by their losses over stretches."""
    mean = float(np.mean(trivial))
    rows = replace(
        found.rows,
        baselines={"no-change": mean, "majority class": 0.5},
        baseline_blocks={"no-change": trivial, "majority class": [0.5] * 20},
        trivial=("no-change", "majority class"),
    )
    one = Outcome("rbp", 1024, 0, "done", loss=float(np.mean(losses)), blocks=losses, rows=1000)
    return Comparison(CONFIG, rows, [1024], [one], True)


def test_a_recommendation_beats_trivial_answers_by_more_than_its_noise(found: Comparison) -> None:
    wave = [0.1 + 0.05 * (-1) ** i for i in range(20)]
    for ours, beaten in (
        ([one - 0.02 for one in wave], True),  # less in every stretch, though each is noisy
        ([0.1 - 0.01 + 0.05 * (-1) ** (i // 2) for i in range(20)], False),
        ([0.1 + 0.01 + 0.05 * (-1) ** (i // 2) for i in range(20)], False),
    ):
        made = judged(found, ours, wave)
        assert (unbeaten(made, "rbp", 1024) == []) == beaten
        said = sentence(made)
        assert said.startswith("For this stream take rbp" if beaten else "No learner is clearly")
        assert ("No-change can be used only where" in said) != beaten


def test_no_method_is_called_the_best_if_a_trivial_answer_beats_it(found: Comparison) -> None:
    wave = [0.1 + 0.05 * (-1) ** i for i in range(20)]
    for ours in ([one + 0.02 for one in wave], [0.5] * 20):
        made = judged(found, ours, wave)
        assert better(made) == ["no-change"]
        said = sentence(made)
        assert said.startswith("Every method is worse than no-change (10.00 % wrong), which")
        assert f"is {100 * np.mean(ours):.2f} % wrong, that of rbp with ram='1KiB'" in said
        assert "No-change can be used only where" in said
        assert "best" not in said
    assert unbeaten(made, "rbp", 1024) == ["no-change", "majority class"]


@pytest.mark.parametrize(
    ("plain", "seasonal", "says"),
    [
        (0.05, 0.2, "For this stream take the forecaster without a kernel (D=0): 5.00 % wrong; of "
         "the methods with a cap, rbp with ram='1KiB' and gamma="),
        (0.09, 0.2, "For this stream take rbp with ram='1KiB' and gamma="),
        (0.05, 0.05, "No learner is clearly better than no-change (5.00 % wrong), which learns "
         "nothing: by two standard errors of the difference at least. The best of them, the "
         "forecaster without a kernel (D=0), has 5.00 % wrong."),
        (0.05, 0.02, "Every method is worse than no-change (2.00 % wrong), which learns nothing, "
         "by more than two standard errors of the difference: take that. The lowest error of a "
         "method "
         "is 5.00 % wrong, that of the forecaster without a kernel (D=0)."),
        (0.05, 0.06, "For this stream take the forecaster without a kernel (D=0)"),
    ],
)  # fmt: skip
def test_a_forecaster_without_a_kernel_that_errs_less_is_the_one_to_take(
    found: Comparison, plain: float, seasonal: float, says: str
) -> None:
    made = judged(found, [0.08] * 20, [seasonal - 0.01, seasonal + 0.01] * 10)
    made.rows.baselines[WITHOUT_KERNEL] = plain
    made.rows.baseline_blocks[WITHOUT_KERNEL] = [plain] * 20
    assert sentence(made).startswith(says)
    name, _ = recommended(made) or ("", 0)
    report = report_of(made)
    assert name == report.data["recommended"] == (WITHOUT_KERNEL if plain < 0.08 else "rbp")
    assert report.data["choice"] == {"algorithm": "rbp", "ram": 1024}
    assert ("D=0" in report.to_text().partition("In Python")[2]) == (plain < 0.08)
    if says.startswith("Every"):
        assert better(made) == ["no-change"]


def test_it_says_that_the_default_was_not_compared(found: Comparison) -> None:
    made = judged(found, [0.05] * 20, [0.1] * 20)
    assert "Default" not in sentence(made)
    small = [Outcome("default", ram, 0, "small", smallest=9000) for ram in (512, 1024)]
    made = replace(made, outcomes=[*made.outcomes, *small], rams=[512, 1024])
    said = sentence(made)
    assert said.endswith(" Default (sorf) is not among them: it needs a cap of 9,000 bytes.")


def test_the_page_says_what_the_text_says(found: Comparison) -> None:
    page = to_page(report_of(found))
    assert escape(report_of(found).headline) in page
    for name in ranking(found):
        assert f"<td>{shown(name)}</td>" in page
    begun = Comparison(CONFIG, found.rows, found.rams, found.outcomes[:1], False)
    assert "INTERRUPTED: these are the runs so far" in to_page(report_of(begun))


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = ["compare", "occupancy", "--limit", "600", "--workers", "1", "--no-picture"]
    command = [*base, "--algorithms", "rbp,bpa_s", "--ram", "2KiB", "--out", str(tmp_path / "c")]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "No learner is clearly better than no-change" in out
    assert "linear (PA-I)" in out
    for words, more in (
        ("algorithm 'magic' is not one of", ["--algorithms", "magic"]),
        ("two classes: give --kind regression", ["--algorithms", "rbp"]),
    ):
        stream = "house" if "kind" in words else "occupancy"
        arguments = ["compare", stream, *base[2:], *more, "--out", str(tmp_path / "d")]
        assert main(arguments) == 2
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*base, "--ram", "lots"])
    assert "is not a list of sizes" in capsys.readouterr().err


def test_processes_are_started_with_interrupts_held_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that Ctrl-C ends while it imports would be waited for without end."""
    held: list[bool] = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, workers: int, *, mp_context: object, **said: object) -> None:
            super().__init__(1, **said)  # type: ignore[arg-type]

        def submit(self, *words: object) -> Future[Outcome]:  # type: ignore[override]
            held.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
            return super().submit(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(comparison_run, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(comparison_run, "_begin", lambda *said: comparison_run._shared.extend(said))
    monkeypatch.setattr(comparison_run, "_shared", [])
    assert run(tmp_path, workers=2).complete
    assert held
    assert all(held)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_a_loss_may_be_judged_from_a_row_on() -> None:
    labels = np.array([1.0, -1.0, 1.0, -1.0])
    evaluator = Evaluator(labels, CONFIG)
    answers = Batch.of(label=labels, score=np.array([-1.0, -1.0, 0.0, 2.0])).rows
    assert [evaluator.loss(answers, first) for first in range(4)] == [0.5, 1 / 3, 0.5, 1.0]
    assert evaluator.loss(answers[:3], 1) == 0.0


@pytest.mark.parametrize(
    ("log", "options", "said"),
    [
        ("a,b,y\n", {"target": "y"}, "there is no row after the header"),
        ("a,y\n1,2.5\n2,3.5\n", {"forecast": "y", "horizon": 3},
         "no row has a forecast 3 rows ahead"),
        ("a,y\n1,1\n1e300,0\n2,1\n", {"target": "y"}, "1e\\+300 does not fit a row buffer"),
        ("a,y\n1,1\n2,0\n", {"target": "y", "kernel": "linear", "gamma": None},
         "for Gaussian kernels"),
    ],
    ids=["no row", "no forecast", "too large", "another kernel"],
)  # fmt: skip
def test_rows_that_cannot_be_compared(
    log: str, options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "log.csv"
    path.write_text(log)
    config = fs.ReplayConfig(str(path), **{"algorithm": "ogd", "gamma": 0.5, **options})
    with pytest.raises(fs.SimulatorError, match=said):
        prepare(config.outside())


def test_more_rows_than_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison_rows, "MOST_NUMBERS", 100)
    with pytest.raises(fs.SimulatorError, match=r"rows do not fit into memory; use --limit"):
        prepare(CONFIG)


def test_a_default_that_other_options_exclude_keeps_no_gaps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gapped = replace(CONFIG, kind="novelty", algorithm="sorf")
    assert comparison_rows._keeps_gaps(gapped)

    def refused(config: fs.ReplayConfig) -> fs.ReplayConfig:
        raise fs.SimulatorError("the default is refused")

    monkeypatch.setattr(comparison_rows, "default_of", refused)
    assert not comparison_rows._keeps_gaps(gapped)


def test_a_loss_that_is_no_number_is_that_of_a_method_that_diverged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    evaluator = prepare(CONFIG).evaluator
    monkeypatch.setattr(type(evaluator.metrics), "mean_loss", lambda *_: np.nan)
    outcome = do(Run("rbp", 4096, 0), evaluator, CONFIG, 0.2, 9.0)
    assert (outcome.status, outcome.detail) == ("refused", "its predictions diverge")
    assert (outcome.loss, outcome.rows) == (0.0, 1200)


def test_methods_beyond_the_colours_are_grey(
    found: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison_ranking, "_COLOURS", comparison_ranking._COLOURS[:1])
    marks = comparison_ranking.errors(found).marks
    first, *others = (name for name in found.algorithms)
    assert marks[0].name == shown(first)
    assert {mark.name for mark in marks[1 : 1 + len(others)]} == {"the other methods"}
    assert {mark.name for mark in marks[1 + len(others) :]} == {*found.rows.baselines}


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="it is such a system")
def test_a_system_that_holds_no_signals_back_starts_processes_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mask = signal.pthread_sigmask
    with comparison_run._uninterrupted():
        assert signal.SIGINT in mask(signal.SIG_BLOCK, [])
    monkeypatch.delattr(signal, "pthread_sigmask")
    with comparison_run._uninterrupted():
        assert signal.SIGINT not in mask(signal.SIG_BLOCK, [])


def test_methods_that_are_for_other_labels_or_none_are_left_out() -> None:
    assert [goes(name, CONFIG, 3) for name in ("rbp", "rbpp")] == [True, False]
    numbers = replace(CONFIG, kind="regression")
    assert [goes(name, numbers, 3) for name in ("rbp", "klms")] == [False, True]
