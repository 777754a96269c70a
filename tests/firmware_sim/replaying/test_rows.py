"""The headline about rows that were left out."""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path

import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.cli.terminal import alarm
from firmware_sim.replaying.rows import RowCount, nothing_usable
from firmware_sim.report import to_text
from firmware_sim.streams import open_stream


def log(path: Path, spoilt: int, cell: str) -> str:
    """A log of 1,000 rows, of which the last ones hold a cell that is not a number."""
    rows = [f"{i % 7},{cell if i >= 1000 - spoilt else i % 5},{i % 2}" for i in range(1000)]
    path.write_text("a,b c,y\n" + "\n".join(rows) + "\n")
    return str(path)


@pytest.mark.parametrize("spoilt", [100, 101])
@pytest.mark.spread(2)
def test_more_than_a_tenth_left_out_is_the_headline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spoilt: int
) -> None:
    many = spoilt > 100
    words = [log(tmp_path / "log.csv", spoilt, "idle"), "--no-picture"]
    words += ["--ram", "1KiB", "--out", str(tmp_path / "out")]
    option = "leave the column out with --ignore 'b c'"
    for command in (
        ["replay", "--algorithm", "rbp"],
        ["compare", "--algorithms", "rbp"],
        ["tune", "--algorithm", "rbp", "--candidates", "2", "--tune-rows", "300"],
    ):
        assert main([command[0], *words, *command[1:]]) == 0
        out, err = capsys.readouterr()
        assert ("101 of 1,000 rows (10 %) were left out" in err) == many
        assert (option in err) == many
        assert (option in out) == many
        if command[0] == "replay":
            assert (option in out.splitlines()[0]) == many
            page = (tmp_path / "out/report.html").read_text()
            assert ("rows (10 %) were left out" in page) == many
        assert main([command[0], *words, *command[1:], "--strict", "--quiet"]) == (2 if many else 0)
        err = capsys.readouterr().err
        assert err.startswith("firmware_sim: --strict: 101 of 1,000 rows") == many
        shutil.rmtree(tmp_path / "out")


def test_a_model_of_a_strict_run_that_failed_is_not_written(tmp_path: Path) -> None:
    words = ["replay", log(tmp_path / "log.csv", 500, "idle"), "--no-picture", "--quiet"]
    words += ["--ram", "1KiB", "--out", str(tmp_path / "out")]
    words += ["--save-model", str(tmp_path / "m.zip")]
    assert main([*words, "--strict"]) == 2
    assert not (tmp_path / "m.zip").exists()
    assert main(words) == 0
    assert (tmp_path / "m.zip").exists()


def test_the_headline_names_the_option_of_missing_readings(tmp_path: Path) -> None:
    name = log(tmp_path / "log.csv", 300, "")
    result = fs.replay(fs.ReplayConfig(name, target="y", ram="2KiB", algorithm="rbp"))
    assert result.left_out == (
        "300 of 1,000 rows (30 %) were left out: 'b c' is missing in 300; fill in with "
        "--missing last, or leave the column out with --ignore 'b c'"
    )
    assert result.warnings[0] == result.left_out
    for change in ({"missing": "last"}, {"ignore": ("b c",)}):
        kept = fs.replay(fs.ReplayConfig(name, target="y", ram="2KiB", algorithm="rbp", **change))
        assert (kept.left_out, kept.rows.used) == ("", 1000)
        lacking = 300 if "missing" in change else 0
        assert (kept.rows.lacking, kept.rows.missing_words()) == (lacking, "")
        assert bool(re.search(r"\nrepaired +300 +last: b c 300\n", to_text(kept))) == (lacking > 0)


def test_rows_without_a_label_are_no_headline(tmp_path: Path) -> None:
    rows = [f"{i % 7},{i % 5},{i % 2 if i < 300 else ''}" for i in range(1000)]
    name = str(tmp_path / "log.csv")
    Path(name).write_text("a,b,y\n" + "\n".join(rows) + "\n")
    result = fs.replay(fs.ReplayConfig(name, target="y", ram="2KiB", algorithm="rbp"))
    assert (result.rows.used, result.left_out) == (300, "")


def test_the_headline_is_red_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for variable, red in ((None, True), ("1", False)):
        screen = Terminal()
        monkeypatch.setattr("sys.stderr", screen)
        if variable:
            monkeypatch.setenv("NO_COLOR", variable)
        else:
            monkeypatch.delenv("NO_COLOR", raising=False)
        alarm("left out \x1b[2J")
        text = "firmware_sim: left out \\x1b[2J"
        assert screen.getvalue() == (f"\x1b[31m{text}\x1b[0m\n" if red else f"{text}\n")


def test_rows_that_the_learner_refuses_are_the_headline(tmp_path: Path) -> None:
    name = log(tmp_path / "log.csv", 300, "1e39")
    result = fs.replay(fs.ReplayConfig(name, target="y", ram="2KiB", algorithm="rbp"))
    assert result.left_out == (
        "300 of 1,000 rows (30 %) were left out: the learner refuses them, the first is row 701: "
        "a reading of 1e+39 does not fit a row buffer of float32"
    )


def test_no_row_with_readings_from_before_is_an_error(tmp_path: Path) -> None:
    stream = open_stream(log(tmp_path / "log.csv", 0, ""), target="y")
    text = nothing_usable(stream, RowCount(read=5, missing_before=5, ahead=10))
    assert text == "log.csv: none of the 5 rows has readings from 10 rows before"
