"""Hostile files and blocks at random; ``make fuzz`` tries a million of them under sanitizers."""

from __future__ import annotations

import faulthandler
from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzzing import MOST_MEMORY, Fuzzer
from mutations import MUTATIONS

#: Mutants of the quick test, and of each of the nightly ones.
FEW, MANY, FUZZERS = 800, 5_000, 4


@pytest.fixture(autouse=True)
def watch() -> Iterator[None]:
    """A loop without end in compiled code cannot be interrupted: say where, and stop the run."""
    faulthandler.dump_traceback_later(600, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.mark.parametrize(
    ("seed", "count"),
    [(0, FEW), *(pytest.param(seed, MANY, marks=pytest.mark.slow) for seed in range(FUZZERS))],
)
def test_mutants_are_refused_or_can_be_used(seed: int, count: int, tmp_path: Path) -> None:
    with Fuzzer(tmp_path, seed) as fuzzer:
        fuzzer.run(count)
    assert fuzzer.tally["accepted"] > count // 5
    assert fuzzer.tally["refused"] > count // 5
    assert fuzzer.tally["poisoned"] == 0
    assert fuzzer.most_memory < MOST_MEMORY
    assert set(fuzzer.kinds) == {*MUTATIONS, "splice", "sealed", "table", "slot", "sealed slot"}
