"""One schema: what is said of an option beside its field holds wherever it may be said."""

from __future__ import annotations

import math
import runpy
from dataclasses import MISSING, fields, make_dataclass

import pytest
from helpers import ROOT

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.cli.program import parser
from firmware_sim.configuration import values
from firmware_sim.configuration.config import freezes
from firmware_sim.configuration.fields import OPTIONS, page
from firmware_sim.configuration.option import NAMES, NUMBER, Option, Value, documented
from firmware_sim.errors import SimulatorError

PAGE = ROOT / "docs" / "options.md"
COMMANDS = ("replay", "compare", "tune", "record", "fleet")


def test_every_field_but_the_stream_is_an_option_with_the_same_default() -> None:
    known = {one.name: one for one in fields(fs.ReplayConfig)}
    found = {"baseline_season", "grid"}  # from the rows
    assert set(known) - set(OPTIONS) - found == {"stream"}
    for name, one in OPTIONS.items():
        assert one.default == known[name].default or known[name].default_factory is not MISSING
        assert one.help in (fs.ReplayConfig.__doc__ or "")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_takes_the_options_that_say_so(command: str) -> None:
    (commands,) = (one for one in parser()._actions if isinstance(one.choices, dict))
    known = {flag for one in commands.choices[command]._actions for flag in one.option_strings}
    for name, one in OPTIONS.items():
        said = (name == "ram" and command == "compare") or command in one.where
        assert (set(one.flags(name)) <= known) == said, name


@pytest.mark.parametrize("command", ["compare", "tune", "fleet"])
def test_workers_are_jobs_too(command: str) -> None:
    own = {"compare": ["--caps", "1KiB,2KiB"], "fleet": ["--configs", "configs.toml"]}
    more = own.get(command, [])
    chosen = parser().parse_args([command, "occupancy", "--jobs", "2", *more])
    assert chosen.workers == 2
    if command == "compare":
        assert chosen.ram == ["1KiB", "2KiB"]


def test_values_go_to_words_and_back() -> None:
    assert Option("", NUMBER, again=True).words("missing_code", (-200.0, 1.5)) == [
        "--missing-code=-200.0",
        "--missing-code=1.5",
    ]
    assert Option("", NAMES).words("classes", ("a", "b, c")) == ["--classes", 'a,"b, c"']
    assert Option("").words("ask", True) == ["--ask"]
    assert Option("").words("target", "-odd") == ["--target=-odd"]
    pair = Value(read=values.parameter, write=values.written)
    assert Option("", pair, flag="param").words("params", {"C": 2}) == ["--param", "C=2"]


def test_a_value_out_of_range_is_refused_by_command_and_record(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SimulatorError, match="limit is 0, it must be at least 1"):
        fs.ReplayConfig("occupancy", limit=0)
    assert main(["replay", "occupancy", "--limit", "0"]) == 2
    assert "limit is 0, it must be at least 1" in capsys.readouterr().err
    for words in (
        ["compare", "occupancy", "--seeds", "0"],
        ["record", "-", "x.csv", "--limit", "0"],
    ):
        with pytest.raises(SystemExit):
            parser().parse_args(words)
        assert "0 is out of range, it must be at least 1" in capsys.readouterr().err


def test_the_page_is_that_of_the_options() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_the_program_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    import firmware_sim.configuration.fields as module

    runpy.run_path(module.__file__, run_name="__main__")
    assert capsys.readouterr().out == page()


def test_text_is_no_list_of_names() -> None:
    with pytest.raises(SimulatorError, match="ignore is 'time', it must be a list"):
        fs.ReplayConfig("occupancy", ignore="time")  # type: ignore[arg-type]


def test_a_period_is_finite() -> None:
    with pytest.raises(SimulatorError, match="period is inf, it must be finite"):
        fs.ReplayConfig("occupancy", period=math.inf)


def test_a_word_is_no_number() -> None:
    with pytest.raises(SimulatorError, match="gap is '1h', it must be more than 0 seconds"):
        fs.ReplayConfig("occupancy", gap="1h")  # type: ignore[arg-type]


def test_an_option_of_windows_is_idle_without_them() -> None:
    hop = OPTIONS["hop"]
    assert hop.idle is not None
    assert hop.idle(fs.ReplayConfig("occupancy", hop=8)) == "it is for --window"
    assert hop.idle(fs.ReplayConfig("occupancy", hop=8, window=64)) == ""


def test_whether_a_learner_freezes_is_known_of_those_there_are() -> None:
    """A learner that is refused is told where it is planned."""
    told = {"perceptron": True, "rbp": False}
    for algorithm, freezes_when_full in told.items():
        assert freezes(fs.ReplayConfig("occupancy", algorithm=algorithm)) is freezes_when_full
    assert not freezes(fs.ReplayConfig("occupancy", algorithm="perceptron", params={"no": 1}))


def test_a_record_without_text_gets_none() -> None:
    record = make_dataclass("Record", [("limit", int)])
    record.__doc__ = None
    assert documented(record).__doc__ is None
