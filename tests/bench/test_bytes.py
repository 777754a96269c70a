"""Error against bytes: what is best of the runs, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.bytes import report, runs, whole
from bench.bytes.frontier import Frontier, Run
from bench.bytes.grid import KIB, WHOLE, Grid, Job, record
from bench.cases import Cases

TINY = Grid(
    sizes=(KIB, 4 * KIB), names=("bpa_s", "fogd"), storage=(("float32", "float32"),),
    widths=(1.0,), values={"C": (1.0,), "eta": (0.3,)}, rows=300,
)  # fmt: skip


def run_of(name: str, size: int, error: float, prefix: float, nbytes: int = 0) -> Run:
    return Run(Job("banana", name, size), error, prefix, nbytes or size)


RUNS = [
    run_of("sorf", KIB, 10.0, 12.0),
    run_of("sorf", 4 * KIB, 8.0, 12.0),
    run_of("bpa_s", KIB, 14.0, 11.0),
    run_of("ahpatron", KIB, 11.0, 13.0),
    run_of("ahpatron", 4 * KIB, 7.5, 9.0),
    run_of("ogd", KIB, 9.0, 14.0, 160),
    Run(Job("ring", "sorf", KIB), 1.0, 1.0, KIB),
]
OURS, OURS_OF_4, BPA, _, AHPATRON, OGD, _ = RUNS


def test_what_is_best_of_the_runs() -> None:
    frontier = Frontier("banana", RUNS)
    assert frontier.ours(KIB) is OURS
    assert frontier.ours(4 * KIB) is OURS_OF_4
    assert frontier.ours(16 * KIB) is None
    assert frontier.tuned(KIB) is BPA
    assert frontier.hindsight(KIB) is OGD
    assert frontier.needed(10.0) is OGD
    assert frontier.needed(8.0) is AHPATRON
    assert frontier.needed(7.0) is None


def test_it_is_said_where_ours_is_not_the_best() -> None:
    said = report.losses(TINY, [Frontier("banana", RUNS), Frontier("ring", RUNS)])
    assert said == [
        "- banana, 1 KiB: ogd errs 9.00 % in 160 B, ours 10.00 %.",
        "- banana, 4 KiB: ahpatron errs 7.50 % in 4 KiB, ours 8.00 %.",
    ]


def test_first_choices_of_every_learner_come_first() -> None:
    jobs = whole.every_job(["banana", "ring"], WHOLE.sizes)
    assert len({job.key for job in jobs}) == len(jobs)
    own = [(job.data, job.name) for job in jobs]
    assert set(own[: len(own) // 3]) == set(own)


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


def answered(job: Job) -> dict[str, float]:
    if job.name == "fogd":
        raise ValueError("too few bytes")
    return {"error": 1.0, "prefix": 1.0, "nbytes": job.nbytes}


def test_a_run_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second call finds everything done; what does not fit is kept as refused."""
    monkeypatch.setattr("bench.cases.here", lambda: "commit `4f1c`")
    jobs = [Job("banana", name, KIB) for name in ("bpa_s", "fogd")]
    ticks: list[int] = []
    cases = Cases(tmp_path / "runs.jsonl")
    assert runs.do(jobs, cases, 1, lambda: ticks.append(1), answered) == 0
    assert len(ticks) == len(jobs)
    assert cases.get(jobs[1].key) == {"refused": "too few bytes"}
    again = Cases(tmp_path / "runs.jsonl")
    monkeypatch.setattr(runs, "ProcessPoolExecutor", None)  # whatever would run fails
    assert runs.do(jobs, again, 1, lambda: None, answered) == 0
