"""The stack that exported C takes: its bound, and the way down that few rows take."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import edgeolk as ek
from bench.mcu.costs import ARITHMETIC, CORES, KINDS, LEVELS, ON_STACK, compiled, learner_of
from edgeolk.export.costs import COSTS
from edgeolk.export.costs import stacks_of as printed
from firmware_sim.mcu.program import PREFIX

compiles = pytest.mark.skipif(shutil.which(f"{PREFIX}gcc") is None, reason=f"no {PREFIX}gcc")
KIB = 1024
#: By day one core and level in each arithmetic.
WAYS = [(core, level) for core in CORES for level in LEVELS]
BOUNDS = [(("learner", "int8", how), [("Cortex-M4F", "-Os")]) for how in ARITHMETIC]
BOUNDS += [pytest.param(case, WAYS, marks=pytest.mark.slow) for case in COSTS]  # type: ignore[misc]


def test_goals() -> None:
    """6 KiB for float64, whose features are doubles, 4 for others, whatever is learned."""
    for (_, dtype, _), cost in COSTS.items():
        assert cost.stack <= (6 if dtype == "float64" else 4) * KIB


@compiles
@pytest.mark.parametrize(("case", "ways"), BOUNDS)
@pytest.mark.spread(2)
def test_the_bound_that_is_printed_holds(
    case: tuple[str, str, str], ways: list[tuple[str, str]], tmp_path: Path
) -> None:
    """For the compiler that is here: no call goes deeper, code is as large as is said, without a
    warning."""
    kind, dtype, how = case
    ek.export_c(learner_of(kind, dtype), tmp_path)
    found = {
        (core, level): compiled(tmp_path, core, [level, "-Werror", *ARITHMETIC[how]])
        for core, level in ways
    }
    most = max(found.values())
    bound, _, (least, largest) = COSTS[case]
    assert most.stack <= bound, most.way
    assert most.stack > 0.7 * bound or ways != WAYS
    for (_, level), made in found.items():
        assert least <= made.code / KIB or level != "-Os"
        assert made.code / KIB <= largest or level == "-O3"


@compiles
@pytest.mark.parametrize(
    "options",
    [{"ram": 1400, "loss": "square", "history": True}, {"ram": 472, "loss": "novelty"},
     {"ram": 900, "loss": "square"}],
    ids=str,
)  # fmt: skip
def test_the_bound_holds_of_other_sizes(options: dict[str, Any], tmp_path: Path) -> None:
    learner = ek.Learner(n_features=4, **options)
    ek.export_c(learner, tmp_path)
    found = compiled(tmp_path, "Cortex-M0", ["-O3"])
    assert 0.8 * printed(learner)["library"] < found.stack <= printed(learner)["library"], found.way


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_in_the_header_and_the_readme(kind: str, tmp_path: Path) -> None:
    learner = learner_of(kind, "float32" if kind in ON_STACK else "int8")
    ek.export_c(learner, tmp_path)
    text, header = (tmp_path / "README.md").read_text(), (tmp_path / "model.h").read_text()
    for bytes_ in printed(learner).values():
        assert f"| {bytes_:,} |" in text
        assert f"#define EK_STACK_BYTES {bytes_}u" in header
