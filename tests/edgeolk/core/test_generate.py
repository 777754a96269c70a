"""The generated Cython sources are up to date, and every part has its functions in the switches."""

from __future__ import annotations

import re
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from edgeolk.core import generate
from edgeolk.parts.losses import LOSSES
from edgeolk.parts.numbers import Loss, Policy, Update
from edgeolk.parts.policies import POLICIES
from edgeolk.parts.table import TRAITS


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
        ("update", Update.PA2, "coefficient"),
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


@pytest.mark.parametrize(
    ("policy", "region"),
    [
        (Policy.SIMPLE, "kernel_row"),
        (Policy.NEAREST, "column"),
        (Policy.MERGE, "work2"),
        (Policy.PROJECT, "inverse"),
        (Policy.FORGETRON, "forgetron"),
        (Policy.ANCHOR, "hints"),
    ],
)
def test_a_policy_that_would_read_a_region_it_lacks(
    policy: Policy, region: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = POLICIES[policy]
    left = tuple(name for name in row.regions if name != region)
    monkeypatch.setitem(POLICIES, policy, replace(row, regions=left))
    with pytest.raises(ValueError, match=rf"^Policy\.{policy.name} reads '{region}': its row must"):
        generate.check()


def test_a_policy_that_reads_a_region_with_several_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    row = POLICIES[Policy.SMALLEST]
    monkeypatch.setitem(POLICIES, Policy.SMALLEST, replace(row, columns=()))
    with pytest.raises(ValueError, match=r"^Policy\.SMALLEST reads 'work': its row must"):
        generate.check()


def test_every_loss_has_a_slope_of_its_own() -> None:
    slopes = body_of(generate.switches_pxd(generate.LOSS_ROLES), "loss_slope")
    assert set(re.findall(r"LOSS_(\w+)", slopes)) == {loss.name for loss in Loss}


def test_generated_sources_are_what_the_generator_writes() -> None:
    for path, text in generate.sources().items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path.name} is not what the rows of edgeolk/parts say: run"
            " python -m edgeolk.core.generate"
        )


def test_the_program_writes_every_source(monkeypatch: pytest.MonkeyPatch) -> None:
    written: dict[Path, str] = {}
    monkeypatch.setattr(Path, "write_text", lambda path, text, **_: written.setdefault(path, text))
    runpy.run_path(generate.__file__, run_name="__main__")
    assert written == generate.sources()


def test_a_role_that_no_part_has_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler needs a statement in a function without a result."""
    monkeypatch.setitem(generate.ROWS, "loss", {})
    nothing, number = ("loss", "void", "Ring ring", ""), ("loss", "int", "Ring ring", "0")
    text = generate.switches_pxd({"loss_slope": nothing, "loss_sign": number})
    assert "void loss_slope(Ring ring) noexcept nogil:\n    pass\n" in text
    assert "pass" not in body_of(text, "loss_sign")
