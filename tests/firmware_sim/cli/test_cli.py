"""The command line, from its arguments to its files, exit codes and messages."""

from __future__ import annotations

import argparse
import errno
import gzip
import json
import os
import runpy
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fleets import write_fleet

import firmware_sim as fs
from firmware_sim.cli import main, program, replay
from firmware_sim.cli.program import parser
from firmware_sim.cli.shared import assumed_of
from firmware_sim.cli.terminal import ProgressLines
from firmware_sim.configuration import values
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.assumed import Assumed

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    labels = np.repeat(rng.choice([0, 1], 40), 10)
    lines = ["time,pressure_Pa,gas_ppm,alarm"]
    for i, label in enumerate(labels):
        pressure = "" if i % 50 == 7 else f"{101_000 + 300 * label + rng.normal(0, 90):.1f}"
        gas = -200 if i % 40 == 3 else f"{400 + 80 * label + rng.normal(0, 30):.1f}"
        lines.append(f"t{i},{pressure},{gas},{label}")
    path = tmp_path / "sensors.csv.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


def arguments(stream: Path, out: Path, *more: str) -> list[str]:
    usual = {"--target": "alarm", "--ignore": "time", "--ram": "8KiB", "--out": str(out)}
    given = [word for pair in usual.items() if pair[0] not in more for word in pair]
    return ["replay", str(stream), *given, *more]


def strict(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)


def test_end_to_end(stream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a" / "b"
    code = main(
        arguments(stream, out, "--missing-code", "-200", "--algorithm", "pa1", "--param", "C=0.5")
    )
    printed = capsys.readouterr()
    assert code == 0
    assert "400 rows read, 382 used, 18 left out for missing values" in printed.out
    assert "pressure_Pa 8, gas_ppm 10" in printed.out or "gas_ppm 10" in printed.out
    for word in ("kappa vs no-change", "F1", "majority class", "no-change", "support_vectors"):
        assert word in printed.out
    assert "pa1, C=0.5" in printed.out
    assert "usable rows" in printed.err  # the width, and from what it was chosen
    assert (out / "report.txt").read_text(encoding="utf-8") in printed.out
    assert (out / "report.png").read_bytes().startswith(PNG)
    data = strict(out / "report.json")
    assert set(data) == {
        *("format", "status", "detail", "warnings", "command", "stream", "learner", "scaling"),
        *("memory", "metrics", "curve", "host", "faults", "labels", "kind", "board", "power"),
        *("classes", "windows", "emulated", "row", "inputs", "alarms", "anomalies", "frozen"),
        *("forecasts", "held_out", "threshold", "outlook", "events", "days", "channels"),
    }
    assert data["status"] == "complete"
    assert data["stream"]["missing_by_column"] == {"pressure_Pa": 8, "gas_ppm": 10}
    assert data["learner"]["parameters"] == {"C": 0.5}
    for figures in data["metrics"].values():
        assert set(figures) >= {"error", "kappa", "kappa_no_change", "f1"}
    assert data["metrics"]["learner"]["error"] < data["metrics"]["majority"]["error"]


def test_a_reader_who_leaves(stream: Path, tmp_path: Path) -> None:
    more = arguments(stream, tmp_path, "--limit", "50", "--no-picture")
    command = [sys.executable, "-m", "firmware_sim", *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
    assert process.returncode == 0
    assert (tmp_path / "report.json").exists()


def test_quiet(stream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(stream, tmp_path, "--quiet", "--no-picture")) == 0
    assert capsys.readouterr() == ("", "")
    assert (tmp_path / "report.json").exists()


def test_progress_bar_on_a_terminal_only(
    stream: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main(arguments(stream, tmp_path, "--no-picture")) == 0
    assert "%|" not in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(arguments(stream, tmp_path, "--limit", "120", "--no-picture")) == 0
    assert "120/120" in capsys.readouterr().err
    assert main(arguments(stream, tmp_path, "--no-progress", "--no-picture")) == 0
    assert "%|" not in capsys.readouterr().err


def refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], *words: str, code: int = 2
) -> str:
    """One clear line on standard error, no traceback, nothing on standard output."""
    try:
        got = main(arguments)
    except SystemExit as leave:  # argparse's own refusals print the usage first
        got = int(leave.code or 0)
    printed = capsys.readouterr()
    assert got == code
    assert printed.out == ""
    assert "Traceback" not in printed.err
    last = printed.err.strip().splitlines()[-1]
    assert last.startswith("firmware_sim")
    for word in words:
        assert word in last
    return last


def test_messages(stream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def base(*more: str) -> list[str]:
        return arguments(stream, tmp_path / "out", *more)

    refused(capsys, ["replay", "nothing.csv"], "nothing.csv", "occupancy")
    refused(capsys, base("--target", "alram"), "alram", "time, pressure_Pa, gas_ppm, alarm")
    columns = "time, pressure_Pa, gas_ppm, alarm"
    refused(capsys, base("--ignore", "time,gas"), "'gas'", columns)
    refused(capsys, base("--ram", "lots"), "lots", "64KiB")
    refused(capsys, base("--algorithm", "ahpatrone"), "ahpatrone", "ahpatron", "rbp")
    refused(capsys, base("--param", "zeta=3"), "zeta")
    refused(capsys, base("--param", "zeta"), "NAME=VALUE")
    refused(capsys, base("--gamma", "wide"), "auto")
    refused(capsys, base("--gamma", "-1"), "gamma")
    refused(capsys, base("--budget", "0"), "budget")
    refused(capsys, base("--scale", "log"), "standard")
    assert not (tmp_path / "out").exists()  # nothing was written before the refusal
    refused(capsys, base("--target", "gas_ppm", "--kind", "binary"), "row 1", "--positive")
    blocked = tmp_path / "file"
    blocked.touch()
    refused(capsys, base("--out", str(blocked)), "cannot write")


def test_stop_policy(stream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(stream, tmp_path, "--missing", "stop", "--no-picture")) == 2
    printed = capsys.readouterr()
    assert printed.out.startswith("STOPPED: row 8 has no value for 'pressure_Pa'")
    assert "row 8" in printed.err.splitlines()[-1]
    assert strict(tmp_path / "report.json")["status"] == "stopped"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.spread(2)
def test_interrupt(
    number: signal.Signals,
    stream: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The signal comes from within, at a known row, so the test waits for nothing."""

    class Pressing(replay.Replay):
        def run(self, **options: object) -> object:  # type: ignore[override]
            rows = iter(range(1, 10_000))
            is_pressed: Any = options["should_stop"]

            def stops() -> bool:
                if next(rows) == 51:
                    signal.raise_signal(number)
                return bool(is_pressed())

            return super().run(should_stop=stops)

    monkeypatch.setattr(replay, "Replay", Pressing)
    before = signal.getsignal(number)
    assert main(arguments(stream, tmp_path)) == 128 + number
    assert signal.getsignal(number) is before
    printed = capsys.readouterr()
    assert printed.out.startswith("INTERRUPTED: interrupted before row 51. This is the report so")
    data = strict(tmp_path / "report.json")
    assert data["status"] == "interrupted"
    assert data["stream"]["rows_read"] == 50
    assert (tmp_path / "report.png").read_bytes().startswith(PNG)


def test_interrupt_before_the_first_row(
    stream: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def pressed(config: object, live: object = None) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(replay, "Replay", pressed)
    refused(capsys, arguments(stream, tmp_path), "interrupted", code=130)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("C=1", ("C", 1)),
        ("eta=1e-3", ("eta", 1e-3)),
        ("U=none", ("U", None)),
        ("U=inf", ("U", float("inf"))),
        ("rescale=False", ("rescale", False)),
        ("loss=ramp", ("loss", "ramp")),
        ("loss='ramp'", ("loss", "ramp")),
    ],
)
def test_parameters(text: str, value: object) -> None:
    assert values.parameter(text) == value


def test_help_names_everything(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        main(["replay", "--help"])
    assert leave.value.code == 0
    text = capsys.readouterr().out
    for option in ("--target", "--ram", "--missing-code", "--freeze-after", "occupancy"):
        assert option in text
    with pytest.raises(SystemExit):
        main([])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("words", [["streams"], ["replay", "occupancy"]])
@pytest.mark.spread(2)
def test_a_full_disk_behind_standard_output(words: list[str], tmp_path: Path) -> None:
    more = ["--limit", "50", "--no-picture", "--out", str(tmp_path)] if len(words) > 1 else []
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "firmware_sim", *words, *more],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last == "firmware_sim: cannot write to standard output: No space left on device"
    assert "Traceback" not in done.stderr


def test_interrupt_while_it_is_imported() -> None:
    """Before there is a program that could say anything."""
    code = (
        "import runpy, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # not in a shell's background
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'numpy':\n"
        "            try:\n"
        "                signal.raise_signal(signal.SIGINT)\n"
        "            except KeyboardInterrupt:\n"
        "                raise ImportError('numpy is badly installed') from None\n"
        "sys.meta_path.insert(0, Finder())\n"
        "runpy.run_module('firmware_sim', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full", "2>&- >&-"])
@pytest.mark.spread(3)
def test_standard_error_that_takes_nothing_changes_nothing(tmp_path: Path, stream: str) -> None:
    words = ["replay", "occupancy", "--ram", "8KiB", "--limit", "300", "--no-picture"]
    command = shlex.join([sys.executable, "-m", "firmware_sim", *words, "--out", str(tmp_path)])
    done = subprocess.run(f"{command} {stream}", shell=True, stdout=subprocess.PIPE, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith(b"sorf does not beat no-change") is (">&-" not in stream[4:])
    assert (tmp_path / "report.json").exists()


@pytest.mark.parametrize("command", [["replay", "-", "--target", "y"], ["record", "-", "r.csv"]])
@pytest.mark.spread(2)
def test_standard_input_that_is_closed_is_a_sentence(tmp_path: Path, command: list[str]) -> None:
    line = shlex.join([sys.executable, "-m", "firmware_sim", *command])
    place = {"PYTHONPATH": str(Path(fs.__file__).parents[1]), **os.environ}
    done = subprocess.run(
        f"{line} <&-",
        shell=True,
        cwd=tmp_path,
        env=place,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last == "firmware_sim: cannot read standard input: Bad file descriptor"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "replay s.csv --targt y",
            "firmware_sim replay: no option --targt (did you mean '--target'",
        ),
        ("look s.csv --forecast y", "an option of replay, compare, tune, fleet, and not of look"),
        ("tune s.csv --power-cut every=9", "firmware_sim tune: --power-cut is an option of replay"),
        ("record - out.csv --ram 4KiB", "--ram is an option of replay, compare, tune"),
        ("replay s.csv more", "firmware_sim replay: 'more' is one word too many"),
        ("reply s.csv", "no command 'reply' (did you mean 'replay'?); there are replay, look"),
        ("replay s.csv --kind magic", "argument --kind: invalid choice: 'magic'"),
        ("compare", "the following arguments are required: STREAM"),
    ],
)
def test_a_misspelt_option_is_two_lines(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    assert ended.value.code == 2
    second, first = capsys.readouterr().err.splitlines()
    assert said in first
    assert "did you mean" not in first or "did you mean" in said
    assert second.startswith("usage: firmware_sim")
    assert second.endswith("--help lists all")


@pytest.mark.parametrize("command", ["replay", "compare", "tune"])
def test_options_have_the_same_names_everywhere(command: str) -> None:
    words = "--ram 4KiB --algorithm bpa_s --limit 99 --out o --quiet --no-progress --no-picture"
    chosen = parser().parse_args([command, "s.csv", "--target", "y", *words.split()])
    assert chosen.out == "o"
    if command != "replay":
        chosen = parser().parse_args([command, "s.csv", "--jobs", "2"])
        assert chosen.workers == 2


def paced(
    steps: list[float], shown: bool, capsys: pytest.CaptureFixture[str], rows: int = 1
) -> list[str]:
    """What is said of a replay of a hundred rows, of which some together take so long."""
    clock = [0.0]
    progress_lines = ProgressLines(
        100, enabled=True, shown=shown, ram="1GB", clock=lambda: clock[0]
    )
    for seconds in steps:
        clock[0] += seconds
        progress_lines.move(rows)
    return capsys.readouterr().err.splitlines()


def test_a_slow_replay_says_so_and_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert paced([0.9] * 50, False, capsys) == []
    warning = "firmware_sim: warning: a step takes 4.0 s in 1GB, and 100 rows may take 7 minutes"
    said = paced([4.0] * 6, False, capsys)
    assert said[0].startswith(warning)
    lines = ["row 3 of 100 after 12 s", "row 6 of 100 after 24 s"]
    assert said[1:] == [f"firmware_sim: {line}" for line in lines]
    assert len(paced([4.0] * 6, True, capsys)) == 1
    assert paced([4.0] * 6, False, capsys, rows=5) == []
    slow = paced([8.0] * 2, False, capsys, rows=5)
    assert slow[0].startswith("firmware_sim: warning: a step takes 1.6 s")


def said(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> str:
    base = ["replay", "occupancy", "--limit", "50", "--quiet", "--no-picture"]
    assert main([*base, "--out", str(folder), *words]) == 0
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "used"),
    [
        ("--prefix 20", "--algorithm rbp"),
        ("--degree 2", "--algorithm rbp --kernel polynomial"),
        ("--offset 2", "--algorithm rbp --kernel sigmoid"),
        ("--category-slots 4", "--categories onehot"),
        ("--checkpoint-every 9", "--power-cut every=20"),
        ("--fault-seed 3", "--fault stuck:column=light_lux,from=10,to=20"),
    ],
)
@pytest.mark.spread(6)
def test_an_option_that_changes_nothing(
    words: str, used: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    option = words.split(maxsplit=1)[0]
    assert f"{option} changes nothing: " in said(capsys, tmp_path, *words.split())
    assert option not in said(capsys, tmp_path, *words.split(), *used.split())


def test_a_linear_kernel_has_no_width(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--algorithm", "rbp", "--kernel", "linear", "--gamma", "2"]
    told = said(capsys, tmp_path, *words)
    assert "--gamma changes nothing: the linear kernel has none" in told


def test_a_parameter_is_given_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--algorithm", "pa1", "--param", "C=1", "--param", "C=2", "--out", str(tmp_path)]
    assert main(["replay", "occupancy", *words]) == 2
    assert "--param C: given twice, as 1 and 2" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_no_trouble_of_the_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only a full or broken standard output has a sentence here."""

    def main_with(error: OSError) -> int:
        def run(chosen: Any) -> int:
            raise error

        chosen = argparse.Namespace(run=run)
        given = argparse.Namespace(parse_args=lambda *_: chosen)
        monkeypatch.setattr(program, "parser", lambda: given)
        return main([])

    for error in (PermissionError(errno.EACCES, "no"), OSError(errno.ENOSPC, "full", "a.csv")):
        with pytest.raises(OSError, match=r"no|full"):
            main_with(error)
    monkeypatch.setattr(program, "forget_output", lambda: None)
    assert main_with(OSError(errno.ENOSPC, "full")) == 2


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_the_package_runs_as_a_program(
    handler: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the handler of interrupts that there was."""
    monkeypatch.setattr(sys, "argv", ["firmware_sim", "streams"])
    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(SystemExit) as ended:
            runpy.run_module("firmware_sim", run_name="__main__")
        assert signal.getsignal(signal.SIGINT) == handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.value.code == 0
    assert "occupancy" in capsys.readouterr().out
    assert "main" not in runpy.run_module("firmware_sim.__main__", run_name="__mp_main__")


def test_what_was_understood_cannot_be_written(
    stream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = tmp_path / "none" / "log.toml"
    more = ("--understood", str(name), "--limit", "50", "--no-picture")
    assert main(arguments(stream, tmp_path, *more)) == 2
    assert f"cannot write to {name}: No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize("stream", ["-", "mqtt://host/topic"])
def test_a_stream_that_comes_once_is_not_looked_at_first(stream: str) -> None:
    assert assumed_of(argparse.Namespace(stream=stream), live=False) == Assumed()


@pytest.mark.parametrize("words", [[], ["--quiet"]])
def test_the_page_of_the_cluster_is_named(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def run_fleet(*_: object, on_cluster: Any, **__: object) -> None:
        on_cluster("http://here:8787")
        on_cluster("")
        raise SimulatorError("that was all")

    monkeypatch.setattr("firmware_sim.fleet.run.run_fleet", run_fleet)
    manifest, configs = write_fleet(tmp_path, boards=2)
    more = ["--configs", str(configs), "--out", str(tmp_path / "out")]
    assert main(["fleet", str(manifest), *more, *words]) == 2
    said = capsys.readouterr().err
    assert said.count("Dask's own page: http://here:8787\n") == (not words)
    assert "that was all" in said
