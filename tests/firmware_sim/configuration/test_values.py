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


# ---- every notation: what it means, and what it refuses ------------------------------------------

TAKEN = [
    ("count", "12", 12),
    ("flag", "Yes", True),
    ("flag", "0", False),
    ("failures", "any", "any"),
    ("failures", "3", 3),
    ("duration", "2.5", 2.5),
    ("span", "10min", 600.0),
    ("span", "1.5 H", 5_400.0),
    ("span", "90", 90.0),
    ("span", ".5d", 43_200.0),
    ("period", " 5min ", "5min"),
    ("rows_or_time", " 20 ", 20),
    ("rows_or_time", "6h", "6h"),
    ("season", "auto", "auto"),
    ("season", "24", 24),
    ("separator", "\\t", "\t"),
    ("separator", "Semicolon", ";"),
    ("separator", "| ", "| "),
    ("code", "-200", -200.0),
    ("code", " Missing ", "missing"),
    ("gamma", "auto", None),
    ("gamma", "0.5", 0.5),
    ("leak", "leak=64B", 64),
    ("parameter", "eta=0.1", ("eta", 0.1)),
    ("parameter", "relevance=True", ("relevance", True)),
    ("parameter", "scale=None", ("scale", None)),
    ("parameter", "widths=(1, 2)", ("widths", (1, 2))),
    ("parameter", "scale=min max", ("scale", "min max")),
    ("caps", "1KiB,,4KiB,", ["1KiB", "4KiB"]),
    ("counts", "128, 256", [128, 256]),
    ("label_delay", 20, (20.0, False)),
    ("label_delay", " 90s", (90.0, True)),
    ("label_delay", "0.5s", (0.5, True)),
    ("power_cut", "every=5000", ("every", 5000.0)),
    ("power_cut", "random=0.01", ("random", 0.01)),
    ("included", "stack", None),
    ("zone", "Europe/Berlin", None),
    ("time_format", "%d.%m.%Y %H:%M", None),
    ("storage_of", "no such algorithm", "float32"),
]
REFUSED = [
    ("count", "0", "'0' is not a whole number of at least 1"),
    ("count", "1.5", "is not a whole number"),
    ("flag", "maybe", "'maybe' is neither true nor false"),
    ("failures", "some", "nor never, any or all"),
    ("duration", "soon", "'soon' is not a number of seconds above 0"),
    ("duration", "inf", "is not a number of seconds above 0"),
    ("span", "0s", "is not a time above 0, as in 10min"),
    ("span", "ten minutes", "is not a time above 0"),
    ("period", "daily", "is not a time above 0"),
    ("rows_or_time", "1.5", "neither a number of rows nor a time"),
    ("rows_or_time", "-6h", "neither a number of rows nor a time"),
    ("rows_or_time", "soon", "is not a time above 0"),
    ("separator", "", "cannot separate cells"),
    ("separator", '"', "cannot separate cells"),
    ("gamma", "wide", "'wide' is neither 'auto' nor a number"),
    ("leak", "drip=64", "is not leak=SIZE"),
    ("leak", "leak=much", "is not leak=SIZE"),
    ("leak", "leak=0", "is not leak=SIZE"),
    ("parameter", "eta", "is not NAME=VALUE"),
    ("parameter", "1st=2", "is not NAME=VALUE"),
    ("caps", "", "is not a list of sizes"),
    ("caps", "1KiB,much", "is not a list of sizes"),
    ("counts", "128,x", "'x' is not a whole number"),
    ("label_delay", "soon", "must be a number of rows, as in 20, or of seconds"),
    ("label_delay", "1.5", "must be a number of rows"),
    ("label_delay", "-3s", "must be a number of rows"),
    ("power_cut", "every=0.5", "power-cut is 'every=0.5'"),
    ("power_cut", "random=1", "power-cut is 'random=1'"),
    ("power_cut", "at=noon", "power-cut is 'at=noon'"),
    ("included", "heap", "it must be one of: stack, buffers"),
    ("zone", "Europe/Atlantis", "clock-zone: "),
    ("time_format", "%Q", "time-format is "),
]


@pytest.mark.parametrize(("kind", "text", "value"), TAKEN)
def test_a_notation_is_read(kind: str, text: object, value: object) -> None:
    assert getattr(values, kind)(text) == value


@pytest.mark.parametrize(("kind", "text", "why"), REFUSED)
def test_a_notation_that_is_none_is_named(kind: str, text: str, why: str) -> None:
    """In one line, which the command shows as it is."""
    with pytest.raises((argparse.ArgumentTypeError, fs.SimulatorError)) as refused:
        getattr(values, kind)(text)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_times_become_rows() -> None:
    assert values.in_rows(7, None, "season") == 7
    assert values.in_rows("6h", 600.0, "season") == 36
    for value, period, why in (
        ("6h", None, "season is 6h, and the time between rows is unknown"),
        ("6h", 1e6, "less than the 1e\\+06 s from one row to the next"),
        ("six", 600.0, "season: 'six' is not a time"),
    ):
        with pytest.raises(fs.SimulatorError, match=why):
            values.in_rows(value, period, "season")
    assert values.seconds_of(90, "gap") == values.seconds_of("1.5min", "gap") == 90.0
    with pytest.raises(fs.SimulatorError, match="gap: 'never' is not a time above 0"):
        values.seconds_of("never", "gap")


def test_an_offset_is_given_or_that_of_the_kernel() -> None:
    assert values.offset_of("gaussian", 2.0) is None
    usual = values.offset_of("polynomial", None)
    assert usual is not None
    assert values.offset_of("polynomial", usual + 1.0) == usual + 1.0
