"""The longest step is told for every composition, and is of the order it says."""

from __future__ import annotations

import re

import pytest

import edgeolk as ek
from edgeolk.cli import main
from edgeolk.parts.bases import BASES
from edgeolk.parts.descriptions import DESCRIPTIONS
from edgeolk.parts.methods import METHODS
from edgeolk.parts.policies import POLICIES

TERM = re.compile(r"B\^3|B\^2 d|B\^2")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_no_longer_than_the_page_says(method) -> None:
    plan = ek.plan(method.name, n_features=5, budget=40)
    assert re.search(r"O\([^)]* d[^)]*\)", plan.longest_step)
    assert plan.longest_step in str(plan)
    # Every term beyond a kernel row stands in the description too.
    assert set(TERM.findall(plan.longest_step)) <= set(TERM.findall(DESCRIPTIONS[method.name].cost))


def test_options_and_parameters_change_it() -> None:
    def step(**options) -> str:
        return ek.plan(n_features=5, budget=40, **options).longest_step

    assert "B^3" in step(algorithm="bsgd", maintenance="project")
    assert "2 7 B exponentials" in step(algorithm="bsgd", iters=7)
    assert "9 B d" in step(algorithm="pomdr", M=9)
    assert step(algorithm="bogd") == "O(B d), every step"
    assert "norm is recomputed" in step(algorithm="olrd", projection="ball", U=3.0)
    assert "norm is recomputed" in step(algorithm="forgetron_basic")
    for row in (*POLICIES.values(), *BASES.values()):
        assert "{" not in row.longest_step.format(iters=1, hint_rows=1)
    assert all(row.longest_step for row in POLICIES.values())
    assert step(update="PA1", policy="RANDOM") == "O(B d), every step"


def test_the_command_line_shows_it(capsys) -> None:
    assert main(["plan", "--budget", "40", "--features", "5"]) == 0
    assert re.search(
        r"^ahpatron .*O\(B\^2 d \+ B\^3\), at a halving$", capsys.readouterr().out, re.M
    )
    assert main(["plan", "--budget", "40", "--features", "5", "--algorithm", "rbp"]) == 0
    assert "longest step" in capsys.readouterr().out
