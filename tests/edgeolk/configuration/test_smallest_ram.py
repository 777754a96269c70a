"""The smallest ``ram=``: the number that a refusal names fits, and one byte less does not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import configurations

import edgeolk as ek

modest = settings(max_examples=40, deadline=None, database=None)

#: Options of the recommended learner that change its bytes, or how they are spent.
OPTIONS: dict[str, Any] = {
    "loss": st.sampled_from(["hinge", "square", "novelty"]),
    "n_classes": st.integers(2, 40),
    "history": st.sampled_from([True, "auto"]),
    "dtype": st.sampled_from(["int8", "float32", "float64"]),
    "relevance": st.sampled_from([True, False, "shared"]),
    "memory": st.sampled_from([False, 20, 150]),
    "memory_narrow": st.booleans(),
    "groups": st.integers(1, 3),
    "linear": st.booleans(),
    "last_label": st.booleans(),
    "lapse": st.integers(0, 5),
    "drift": st.booleans(),
    "robust": st.booleans(),
    "season": st.integers(0, 9),
    "horizon": st.integers(1, 9),
    "interval": st.just((0.5, 0.9)),
    "gamma": st.sampled_from([None, 0.5, "auto"]),
    "gamma_rows": st.integers(2, 200),
    "scale": st.sampled_from([None, "standard", "minmax", "common"]),
    "clip_rows": st.just(2.0),
    "scratch": st.sampled_from(["block", "row"]),
    "on_bad_row": st.just("skip"),
    "checksums": st.booleans(),
    "sparse": st.booleans(),
}


@st.composite
def recommended(draw: Any) -> dict[str, Any]:
    """Options of the recommended learner, those left out that do not go with the others."""
    options = draw(st.fixed_dictionaries({"n_features": st.integers(1, 80)}, optional=OPTIONS))
    if not options.get("memory"):  # refused where no memory of rows is on by itself
        options.pop("memory_narrow", None)
    while True:
        try:
            ek.Config(ram="64MiB", **options)
        except (TypeError, ValueError) as error:
            free = [name for name in options if name != "n_features"]
            del options[next((name for name in free if f"{name}=" in str(error)), free[-1])]
        else:
            return dict(options)


every = st.one_of(recommended(), configurations())
few_inputs = {"n_features": 2}


def named(options: dict[str, Any], ram: int) -> int:
    """The bytes that a refusal asks for."""
    with pytest.raises(ValueError, match=r"ram must be at least \d+ bytes") as error:
        ek.plan(**options, ram=ram)
    return int(re.findall(r"at least (\d+)", str(error.value))[0])


@modest
@given(options=every, share=st.floats(0.0, 1.0))
def test_the_number_named_fits_and_one_byte_less_does_not(
    options: dict[str, Any], share: float
) -> None:
    least = named(options, 0)
    assert ek.Learner(**options, ram=least).nbytes == least
    for ram in (least - 1, int(share * (least - 1))):
        assert named(options, ram) == least


@modest
@given(options=every, more=st.lists(st.integers(0, 40_000), min_size=3, max_size=6))
def test_more_bytes_are_not_refused(options: dict[str, Any], more: list[int]) -> None:
    least = named(options, 0)
    for ram in {least + one for one in (0, 8, 24, *more)}:
        assert ek.plan(**options, ram=ram).nbytes <= ram


@pytest.mark.parametrize(
    "options",
    [
        few_inputs,
        {**few_inputs, "n_classes": 4},
        {**few_inputs, "gamma": None, "loss": "square"},
        {**few_inputs, "gamma_rows": 100, "n_classes": 4},
        {"n_features": 5, "groups": 2},
        {"n_features": 5, "memory": 150, "n_classes": 7},
        {"n_features": 5, "loss": "square", "history": True},
        {"n_features": 1, "loss": "novelty", "history": True},
        {"n_features": 8, "loss": "novelty", "history": True, "dtype": "float64"},
        {"algorithm": "nogd", "n_features": 3, "k": 50},
    ],
    ids=str,
)
def test_every_number_of_bytes_below_and_above(options: dict[str, Any]) -> None:
    """Where defaults follow the bytes, and where only a budget of some size is accepted."""
    least = named(options, 0)
    assert {named(options, ram) for ram in range(least % 8, least, 8)} == {least}
    assert all(ek.plan(**options, ram=ram).nbytes <= ram for ram in range(least, 2 * least, 8))
