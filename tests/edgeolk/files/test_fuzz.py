"""Hostile files and blocks at random; ``make fuzz`` tries a million of them under sanitizers."""

from __future__ import annotations

import faulthandler
from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzzing import MOST_MEMORY, Fuzzer
from mutations import MUTATIONS

MUTANTS, FUZZERS = 20_000, 4


@pytest.fixture(autouse=True)
def watch() -> Iterator[None]:
    """A loop without end in compiled code cannot be interrupted: say where, and stop the run."""
    faulthandler.dump_traceback_later(600, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, FUZZERS))]
)
def test_mutants_are_refused_or_can_be_used(seed: int, tmp_path: Path) -> None:
    with Fuzzer(tmp_path, seed) as fuzzer:
        fuzzer.run(MUTANTS // FUZZERS)
    assert fuzzer.tally["accepted"] > 1000
    assert fuzzer.tally["refused"] > 1000
    assert fuzzer.tally["poisoned"] == 0
    assert fuzzer.most_memory < MOST_MEMORY
    assert set(fuzzer.kinds) == {*MUTATIONS, "splice", "sealed", "table", "slot", "sealed slot"}
