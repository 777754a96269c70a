"""Error against bytes with everything in the block: what is promised, and how it is told."""

from __future__ import annotations

import numpy as np
import pytest

import edgeolk as ek
from bench.bytes import whole
from bench.bytes.grid import KIB, OURS, Job
from bench.cases import Cases
from bench.datasets import folder

COMMON = {"scale": "common"}
#: Set, KiB, options, and the most wrong answers in %, mean of the seeds.
PROMISED = [
    ("satimage_train", 2, {}, 15.2),
    ("satimage_train", 4, {}, 14.3),
    ("letter", 4, {}, 43.0),
    ("ijcnn1_train", 1, {}, 8.6),
    ("ijcnn1_train", 2, {}, 8.0),
    ("ijcnn1_train", 4, {}, 7.8),
    ("covtype10k", 2, {}, 28.8),
    ("covtype10k", 4, {}, 27.0),
    ("spambase", 2, {}, 8.5),
    ("spambase", 4, {}, 7.8),
    ("a9a_train", 4, {}, 17.3),
    ("dna_train", 8, {}, 17.2),
    ("a9a_train", 2, COMMON, 17.3),
    ("mushrooms", 2, COMMON, 0.85),
    ("usps_train", 2, COMMON, 11.6),
    ("usps_train", 4, COMMON, 8.9),
    ("dna_train", 4, COMMON, 20.6),
    ("w8a", 4, COMMON, 2.9),
    # A linear model: fewer frequencies than half the inputs would be left.
    ("mnist_t10k", 16, COMMON, 16.4),
]


@pytest.mark.slow
@pytest.mark.parametrize(("data", "size", "options", "most"), PROMISED)
def test_errors_in_so_many_bytes(
    data: str, size: int, options: dict[str, str], most: float
) -> None:
    if not (folder() / f"{data}.libsvm.gz").is_file():
        pytest.skip(f"{data} is not in the data folder")
    assert whole.run(Job(data, OURS, size * KIB, params=options, rows=4_000))["error"] <= most


@pytest.mark.parametrize(("d", "size", "least"), [(16, 1, 110), (54, 2, 220), (123, 4, 450)])
def test_frequencies_in_so_many_bytes(d: int, size: int, least: int) -> None:
    assert ek.plan(n_features=d, ram=size * KIB).budget >= least


def test_everything_is_in_the_block() -> None:
    for name in ("sorf", "ogd"):
        config = ek.Config(name, **whole.options(Job("banana", name, KIB, "int8"), 20))
        assert config._settings.preprocessing.method > 0
        assert ek.plan(config).nbytes <= KIB


def test_the_page_tells_what_was_found() -> None:
    cases = Cases(None)
    jobs = [job for job in whole.every_job(["banana"], [KIB, 512]) if job.name in (OURS, "ogd")]
    for at, job in enumerate(jobs):
        ours = job.name == OURS
        found = {"error": 1.0 + bool(job.params) if ours else 3.0 + at, "prefix": 1.0}
        cases.add(job.key, {**found, "nbytes": job.nbytes})
    page, frontiers = whole.report(["banana"], jobs, cases)
    text = page.markdown()
    assert [each.data for each in frontiers] == ["banana"]
    assert "Of 2 comparisons of set and size" in text
    ours, common, best = page.tables[1:]
    assert [*ours.rows[0]] == ["banana", "1.00", "1.00"]
    assert [*common.rows[0]] == ["banana", "2.00", "2.00"]
    assert all(cell.endswith(" ogd") for cell in best.rows[0][1:])


def test_rows_are_those_of_the_set(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    monkeypatch.setattr(whole, "load", lambda *_, **__: (X, y))
    for name in (OURS, "ogd"):
        found = whole.run(Job("banana", name, KIB))
        assert found["error"] < 40.0
        assert found["nbytes"] <= KIB
