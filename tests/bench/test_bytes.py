"""The frontier: what is run, what is chosen of it, and what is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.bytes import __main__ as program
from bench.bytes import report
from bench.bytes.frontier import Choice, Frontier, Run
from bench.bytes.grid import KIB, SMALL, Grid, Job
from bench.bytes.scoring import record
from bench.papers.work import Cache

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


def test_what_is_best_of_the_runs() -> None:
    frontier = Frontier("banana", RUNS)
    assert frontier.ours(KIB) == Choice("sorf", 10.0, KIB)
    assert frontier.ours(16 * KIB) is None
    assert frontier.tuned(KIB) == Choice("bpa_s", 14.0, KIB)
    assert frontier.hindsight(KIB) == Choice("ahpatron", 11.0, KIB)
    assert frontier.others() == [Choice("VW linear", 9.0, 160)]
    assert frontier.needed(10.0) == Choice("VW linear", 9.0, 160)
    assert frontier.needed(8.0) == Choice("ahpatron", 7.5, 4 * KIB)
    assert frontier.needed(7.0) is None


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
    grid = replace(TINY, sizes=(256, KIB))
    jobs = program.every_job(grid, ["banana"])
    cache, ticks = Cache(tmp_path / "runs.jsonl"), []
    assert program.do(jobs, cache, 1, lambda: ticks.append(1)) == 0
    assert len(ticks) == len(jobs)
    assert all("refused" in made for made in cache.records.values() if made["nbytes"] == 256)
    again = Cache(tmp_path / "runs.jsonl")
    monkeypatch.setattr(program, "run", None)
    assert program.do(jobs, again, 1, lambda: None) == 0
    written = report.write(grid, jobs, again, tmp_path)
    assert {path.name for path in written} == {"bytes.md", "banana.png", "bytes.png"}
    assert "untuned" in (tmp_path / "bytes.md").read_text()
