"""The frontier: what is run, what is chosen of it, and what is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.bytes import __main__ as program
from bench.bytes import again, offline, report, runs
from bench.bytes.frontier import Frontier, Run
from bench.bytes.grid import KIB, SMALL, Grid, Job, record
from bench.bytes.offline import OFFLINE
from bench.bytes.others import answers_of, window_of
from bench.cache import Cache

TINY = Grid(
    sizes=(KIB, 4 * KIB), names=("bpa_s", "fogd"), storage=(("float32", "float32"),),
    widths=(1.0,), values={"C": (1.0,), "eta": (0.3,)}, rows=300,
)  # fmt: skip


def run_of(name: str, size: int, error: float, prefix: float, nbytes: int = 0, **more: Any) -> Run:
    return Run(Job("banana", name, size, **more), error, prefix, nbytes or size)


RUNS = [
    run_of("sorf", KIB, 10.0, 12.0),
    run_of("sorf", 4 * KIB, 8.0, 12.0),
    run_of("bpa_s", KIB, 14.0, 11.0),
    run_of("ahpatron", KIB, 11.0, 13.0),
    run_of("ahpatron", 4 * KIB, 7.5, 9.0),
    run_of("VW linear", 0, 9.0, 9.0, 160),
    Run(Job("ring", "sorf", KIB), 1.0, 1.0, KIB),
]
OURS, OURS_OF_4, BPA, SMALL_AHPATRON, AHPATRON, LINEAR, _ = RUNS


def test_what_is_best_of_the_runs() -> None:
    frontier = Frontier("banana", RUNS)
    assert frontier.ours(KIB) is OURS
    assert frontier.ours(4 * KIB) is OURS_OF_4
    assert frontier.ours(16 * KIB) is None
    assert frontier.tuned(KIB) is BPA
    assert frontier.hindsight(KIB) is SMALL_AHPATRON
    assert frontier.others() == [LINEAR]
    assert frontier.needed(10.0) is LINEAR
    assert frontier.needed(8.0) is AHPATRON
    assert frontier.needed(7.0) is None
    assert frontier.needed(10.0, ("ahpatron",)) is AHPATRON


def test_the_best_of_each_kind_of_run() -> None:
    """Chosen on the first rows among those alike, though another errs less in the end."""
    other = run_of("ahpatron", KIB, 9.0, 14.0, dtype="int8")
    frontier = Frontier("banana", [*RUNS, other])
    by_name = frontier.of_each(KIB, lambda job: job.name)
    assert by_name == {"bpa_s": BPA, "ahpatron": SMALL_AHPATRON}
    by_storage = frontier.of_each(KIB, lambda job: job.dtype)
    assert by_storage["int8"] is other
    assert by_storage[""] is BPA


def test_a_kind_is_said_with_the_sets_where_it_errs_no_more() -> None:
    also = run_of("scikit-learn SGD", 0, 7.0, 9.0, 900)
    frontiers = [Frontier("banana", [*RUNS, also]), Frontier("ring", RUNS)]
    assert report.kinds(frontiers) == ["- linear: 1 of 1 sets: banana (7.00 % in 900 B)."]


@pytest.mark.parametrize("task", ["two", "classes", "regression"])
def test_the_nearest_of_the_last_rows_answer(task: str) -> None:
    """Only the window is asked: the row like the last but two has left it."""
    X = np.array([[0.0], [5.0], [5.1], [9.0], [0.1], [5.2], [9.1]])
    y = np.array([-1.0, 1.0, 1.0, -1.0, -1.0, 1.0, -1.0])
    answers = answers_of(X, y, task, 2, 1)
    assert answers[0] == 0.0
    if task == "two":
        assert answers[1:].tolist() == [-1.0, 1.0, 1.0, 1.0, -1.0, 1.0]
    elif task == "classes":
        assert answers[1:].tolist() == [-1.0, 1.0, -1.0, -1.0, -1.0, -1.0]
    else:
        assert answers_of(X, y, task, 2, 2)[2] == 0.0


def test_a_window_holds_whole_rows() -> None:
    assert window_of(100, 4, "two", 50) == (5, 85)
    assert window_of(100, 4, "regression", 50) == (5, 100)
    assert window_of(0, 4, "two", 50) == (50, 850)
    with pytest.raises(ValueError, match="hold no row"):
        window_of(16, 4, "two", 50)


def test_compact_models_are_shown_once_all_of_ours_have_run(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "runs.jsonl")
    assert offline.table(cache) is None
    for _, name, nbytes, _ in OFFLINE:
        for bare in (False, True):
            made = {"1": 90.0 + bare, "5": 92.0 + bare, "nbytes": nbytes}
            cache.add(offline._key(name, nbytes, bare), {}, made)
    table = offline.table(cache)
    assert table is not None
    assert table.rows[0] == (
        "usps-2", "Bonsai", "2,048", "94.42", "90.00", "92.00", "91.00", "93.00",
    )  # fmt: skip


def test_it_is_said_where_ours_is_not_the_best() -> None:
    said = report.losses(TINY, [Frontier("banana", RUNS), Frontier("ring", RUNS)])
    assert said == [
        "- banana, 1 KiB: VW linear errs 9.00 % in 160 B, ours 10.00 %.",
        "- banana, 4 KiB: ahpatron errs 7.50 % in 4 KiB, ours 8.00 %.",
    ]


def test_first_choices_of_every_learner_come_first() -> None:
    jobs = program.every_job(SMALL, ["banana", "ring"])
    assert len({job.key for job in jobs}) == len(jobs)
    own = [(job.data, job.name) for job in jobs if job.nbytes]
    assert set(own[: len(own) // 3]) == set(own)
    assert not any(job.nbytes for job in jobs[len(own) :])


@pytest.mark.parametrize("task", ["two", "classes", "regression"])
def test_errors_in_per_cent(task: str) -> None:
    y = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    answers = {"two": -y, "classes": -np.ones(5), "regression": np.zeros(5)}[task]
    made = record(task, answers, y, 7, 0.0)
    assert made["nbytes"] == 7
    if task == "regression":
        assert made["error"] == pytest.approx(100.0 / np.var(y))
    else:
        assert made["error"] == 100.0
        half = record(task, np.where(np.arange(5) < 1, answers, -answers), y, 7, 0.0)
        assert (half["error"], half["prefix"], half["rest"]) == (20.0, 100.0, 0.0)


def test_a_run_is_kept_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second call finds everything done; what does not fit is kept as refused."""
    from bench.datasets import find

    try:
        find("banana.libsvm.gz")
    except FileNotFoundError:
        pytest.skip("banana.libsvm.gz is not in the data folder (EDGEOLK_DATA)")
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(program.others, "jobs", lambda *_: [])
    grid = replace(TINY, sizes=(128, KIB))
    jobs = program.every_job(grid, ["banana"])
    cache, ticks = Cache(tmp_path / "runs.jsonl"), []
    assert program.do(jobs, cache, 1, lambda: ticks.append(1)) == 0
    assert len(ticks) == len(jobs)
    assert all("refused" in made for made in cache.records.values() if made["nbytes"] == 128)
    again = Cache(tmp_path / "runs.jsonl")
    monkeypatch.setattr(runs, "ProcessPoolExecutor", None)  # whatever would run fails
    assert program.do(jobs, again, 1, lambda: None) == 0
    written = report.write(grid, jobs, again, tmp_path)
    assert {path.name for path in written} == {"bytes.md", "banana.png", "bytes.png"}
    assert "untuned" in (tmp_path / "bytes.md").read_text()


PAGE = """
## Bytes for the error of sorf in 4 KiB

| banana | none of those tried | 1.00 | 4 KiB | - |

## 512 B: error in %

| set | sorf, untuned | chosen | hindsight |
| --- | ----: | ----: | ----: |
| banana | 12.53 | 15.70 bpa_s | 15.65 fogd |
| ring | 7.15 | - | 32.73 bsgd |

## 4 KiB: error in %

| banana | 0.00 | 11.38 VW linear | 11.20 fogd |
"""


def test_ours_again_beside_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(again.printed(PAGE)) == [
        again.Printed("banana", 512, 12.53, 15.70, 15.65),
        again.Printed("banana", 4 * KIB, 0.0, 11.38, 11.20),
    ]
    errors = {512: 15.7, 4 * KIB: 11.39}
    (tmp_path / "bytes.md").write_text(PAGE)
    monkeypatch.setattr(again, "RESULTS", tmp_path)
    monkeypatch.setattr(again, "error_of", lambda line, seeds: errors[line.nbytes])
    assert again.main([]) == 0
    said = capsys.readouterr().out
    assert "banana, 4096 bytes: 11.39, others 11.38" in said
    assert "Of 2 comparisons" in said
    assert "first rows in 1 (was 2), by hindsight in 0 (was 2)" in said
