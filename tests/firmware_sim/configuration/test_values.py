"""Values of options: lists of names, numbers that are written as words."""

from __future__ import annotations

import argparse
import math

import pytest

from firmware_sim.configuration import values
from firmware_sim.plaintext import joined


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a, b ,c", ("a", "b", "c")),
        ("a,,b,", ("a", "b")),
        ("", ()),
        ('"idle, yes",no', ("idle, yes", "no")),
        ('no, "idle, yes"', ("no", "idle, yes")),
        ('5" pipe,"a ""b"" c"', ('5" pipe', 'a "b" c')),
    ],
)
def test_names_in_quotes_may_hold_commas(text: str, names: tuple[str, ...]) -> None:
    assert values.words(text) == names
    assert values.words(joined(names)) == names


@pytest.mark.parametrize("text", ['"a,b', '"a"b,c'])
def test_quotations_are_whole(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not a list of names, as in"):
        values.words(text)


def test_numbers_that_are_words() -> None:
    assert values.parameter("C=-inf") == ("C", -math.inf)
    name, value = values.parameter("C=nan")
    assert name == "C"
    assert math.isnan(value)
