"""The rows of a memory where only bytes are given: section 7f of docs/sorf.md."""

from __future__ import annotations

from typing import Any

import pytest

import edgeolk as ek
from edgeolk.configuration import defaults as row_memory

KIB = 1024


def options(d: int, K: int, nbytes: int) -> dict[str, Any]:
    return {"n_features": d, "ram": nbytes, **({"n_classes": K} if K > 1 else {})}


@pytest.mark.parametrize(
    ("d", "K", "nbytes", "rows", "size"),
    [
        (10, 11, 16 * KIB, 1280, 10_480),
        (16, 26, 64 * KIB, 3723, 41_433),
        (5, 1, 16 * KIB, 1536, 6208),
        (36, 6, 16 * KIB, 292, 292 * 21 + 64 + 96),
        (256, 10, 64 * KIB, 187, 187 * 131 + 64 + 160),
        (42, 6, 16 * KIB, 213, 213 * 24 + 64 + 96),  # a row is as long as a frequency
        (5, 1, 40 * KIB, 3072, 12 * KIB + 64),
        (5, 1, 64 * KIB, 4096, 16 * KIB + 64),
        (123, 1, 16 * KIB, 65, 65 * 63 + 64),  # few, and many frequencies
    ],
)
def test_rows_of_the_text(d: int, K: int, nbytes: int, rows: int, size: int) -> None:
    assert row_memory.default_memory_rows(nbytes, d, K) == rows
    made = ek.Config(**options(d, K, nbytes))
    assert made.parameters["memory"] == rows
    assert rows * made._settings.memory_row + 64 + (16 * K if K > 1 else 0) == size
    assert nbytes - 160 - 4 * K < ek.plan(made).nbytes <= nbytes
    assert ek.Config(**made.options) == made
    off = ek.Config(**options(d, K, nbytes), memory=0)
    assert off.parameters["memory"] == 0
    assert off.budget > made.budget >= row_memory.min_frequencies(K, rows)


@pytest.mark.parametrize(
    ("d", "K", "nbytes"),
    [
        (20, 1, 4 * KIB),  # 139 rows, or 93 beside fewer than 1,024 frequencies
        (256, 1, 16 * KIB),  # 31 rows
        (24, 2, 4 * KIB),
        (16, 26, 4 * KIB),  # no 8 frequencies left
        (5, 1, 2000),  # no 256
        (2, 1, KIB),
        (256, 10, 16 * KIB),
        (3, 300, 256 * KIB),
    ],
)
def test_none_where_it_does_not_pay(d: int, K: int, nbytes: int) -> None:
    made = ek.Config(**options(d, K, nbytes))
    assert made.parameters["memory"] == 0
    assert made == ek.Config(**options(d, K, nbytes), memory=False)


@pytest.mark.parametrize(
    "more", [{"loss": "square"}, {"loss": "novelty"}, {"loss": "square", "history": True}]
)
def test_other_tasks_have_none(more: dict[str, Any]) -> None:
    assert ek.Config(n_features=5, ram=16 * KIB, **more).parameters["memory"] == 0


def test_what_is_said_stands() -> None:
    assert ek.Config(n_features=5, D=600).parameters["memory"] == 0
    assert ek.Config(n_features=5, ram=16 * KIB, memory=77).parameters["memory"] == 77
    assert ek.Config(n_features=5, ram=16 * KIB, memory=None).parameters["memory"] == 1536
    large = ek.Config(n_features=5, ram=48 * KIB)
    assert large.budget >= 7000
    assert large.parameters["groups"] == 1 + (large.budget >= 8000)
