"""What the build refuses: a part that a compiled switch would not know."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from edgeolk.core import generate
from edgeolk.parts.losses import LOSSES
from edgeolk.parts.numbers import Loss, Policy, Update
from edgeolk.parts.parameters import PARAMETERS
from edgeolk.parts.table import TRAITS
from edgeolk.parts.updates import UPDATES


def body_of(text: str, function: str) -> str:
    """The lines of one function of a generated file."""
    return text.split(f" {function}(", 1)[1].split("\n\n\n", maxsplit=1)[0]


@pytest.mark.parametrize(
    ("axis", "member"),
    [("loss", Loss.EPSILON), ("update", Update.PA2), ("policy", Policy.MERGE)],
    ids=str,
)
def test_a_part_without_a_row(axis: str, member: Loss, monkeypatch: pytest.MonkeyPatch) -> None:
    # A copy: a row that is put back would stand last.
    left = {other: row for other, row in TRAITS[axis].items() if other != member}
    monkeypatch.setitem(TRAITS, axis, left)
    with pytest.raises(ValueError, match=rf"{type(member).__name__}\.{member.name} has no row"):
        generate.check()


@pytest.mark.parametrize(
    ("axis", "member", "function"),
    [
        ("loss", Loss.RAMP, "slope"),
        ("policy", Policy.MERGE, "admit"),
        ("update", Update.PA2, "asks"),
        ("update", Update.BLENDED, "decide"),
    ],
)
def test_a_row_that_would_fall_through(
    axis: str, member: Loss, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row: Any = TRAITS[axis][member]
    monkeypatch.setitem(TRAITS, axis, {**TRAITS[axis], member: replace(row, **{function: ""})})
    with pytest.raises(ValueError, match=rf"{type(member).__name__}\.{member.name} has no"):
        generate.check()


@pytest.mark.parametrize("missing", ["residual", "sign"])
def test_a_loss_that_an_update_could_not_mend(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LOSSES, Loss.EPSILON, replace(LOSSES[Loss.EPSILON], **{missing: ""}))
    with pytest.raises(ValueError, match=r"Loss\.EPSILON needs a residual for Update\.PA"):
        generate.check()


def test_every_loss_has_a_slope_of_its_own() -> None:
    slopes = body_of(generate.switches_pxd(generate.LOSS_ROLES), "loss_slope")
    assert set(re.findall(r"LOSS_(\w+)", slopes)) == {loss.name for loss in Loss}


#: Parameters of the forecaster over it.
_FORECASTERS = ("lead", "season")


def test_a_struct_takes_the_parameters_of_its_members() -> None:
    lines = generate.parameters_of("olk_sorf", "sorf_types.h")
    taken = set(re.findall(r"p\.(\w+) = (?:<\w+>)?v\.\1$", "\n".join(lines), re.MULTILINE))
    # The others are read where the configuration is decoded, and by the planner.
    assert taken == set(UPDATES[Update.BLENDED].parameters) - {
        *("unit", "scratch", "lapse"),
        *_FORECASTERS,
    }


def test_a_member_that_nothing_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    # A copy: a row that is put back would stand last, and the order is what files count by.
    left = {name: row for name, row in PARAMETERS.items() if name != "leak"}
    monkeypatch.setattr(generate, "PARAMETERS", left)
    with pytest.raises(ValueError, match=r"olk_sorf\.leak .* is set by no parameter"):
        generate.parameters_of("olk_sorf", "sorf_types.h")
