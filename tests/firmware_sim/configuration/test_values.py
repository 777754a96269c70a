"""Values of options: lists of names, numbers that are written as words."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.comparison import compare
from firmware_sim.configuration import values
from firmware_sim.configuration.values import canonical
from firmware_sim.device.planning import make_kernel
from firmware_sim.plaintext import joined
from firmware_sim.report import to_dict, to_text


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


def test_names_are_those_of_the_library() -> None:
    assert canonical("RBP") == canonical("rbp") == "rbp"
    assert canonical("Unheard") == "Unheard"  # as given, for the message that refuses it


def test_kernels_have_the_defaults_of_the_library() -> None:
    kernels: dict[str, ek.Polynomial | ek.Sigmoid] = {
        "polynomial": ek.Polynomial(scale=0.5),
        "sigmoid": ek.Sigmoid(scale=0.5),
    }
    for name, expected in kernels.items():
        plain = fs.ReplayConfig("occupancy", algorithm="rbp", kernel=name, gamma=0.5, limit=50)
        assert make_kernel(plain, 5, list)[0] == expected
        other = fs.ReplayConfig(
            "occupancy", algorithm="rbp", kernel=name, gamma=0.5, offset=0.25, limit=50
        )
        assert make_kernel(other, 5, list)[0].offset == 0.25
        for config, offset in ((plain, expected.offset), (other, 0.25)):
            assert to_dict(fs.replay(config))["learner"]["offset"] == offset


def test_replay_and_comparison_take_names_alike(tmp_path: Path) -> None:
    mine = fs.ReplayConfig("occupancy", algorithm="RBP", ram="4KiB", limit=200)
    result = fs.replay(mine)
    assert to_dict(result)["learner"]["algorithm"] == "rbp"
    assert "learner   rbp:" in to_text(result)
    found = compare(mine, ["4KiB"], ["RBP", "rbp", "Bpa_S"], folder=tmp_path, workers=1, seeds=1)
    assert sorted(found.algorithms) == ["bpa_s", "default", "rbp"]
    assert len(found.outcomes) == 3
    with pytest.raises(fs.SimulatorError, match="algorithm 'RPB' is not one of"):
        compare(mine, ["4KiB"], ["RPB"], folder=tmp_path, workers=1)
