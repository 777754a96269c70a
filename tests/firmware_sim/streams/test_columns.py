"""What the columns of a table hold: numbers, times, text; decimal commas; a row of units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.errors import StreamError
from firmware_sim.kinds.classes import ClassNames
from firmware_sim.kinds.regression import Targets
from firmware_sim.kinds.two_classes import LabelMap
from firmware_sim.streams import CsvStream
from firmware_sim.streams.columns import is_time_name


def table(folder: Path, text: str, **options: object) -> CsvStream:
    path = folder / "s.csv"
    path.write_text(text, encoding="utf-8")
    return CsvStream(path, target="y", **options)  # type: ignore[arg-type]


def rows(stream: CsvStream) -> list[list[float]]:
    row = np.empty(len(stream.features))
    return [row.tolist() for _ in stream.samples(row)]


def test_units_row_is_left_out(tmp_path: Path) -> None:
    stream = table(tmp_path, "t,p,y\n°C,Pa,-\n20.5,101325,1\n21,101300,0\n")
    assert rows(stream) == [[20.5, 101325], [21, 101300]]
    assert stream.notes == ("the first row contains units and is skipped",)
    assert stream.count() == 2
    assert [s.number for s in stream.samples(np.empty(2))] == [1, 2]


def test_rows_that_are_no_units(tmp_path: Path) -> None:
    assert rows(table(tmp_path, "t,p,y\n,,1\n20,1,1\n"))[1] == [20, 1]  # absent, not units
    assert rows(table(tmp_path, "t,p,y\n1,error,1\n20,1,1\n"))[1] == [20, 1]  # half a row of them
    assert table(tmp_path, "t,p,y\n1,2,1\n").notes == ()


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_decimal_comma(tmp_path: Path, delimiter: str) -> None:
    text = "a|b|y\n1,5|-2,25e3|1\n2|7|0\n".replace("|", delimiter)
    stream = table(tmp_path, text)
    assert rows(stream) == [[1.5, -2250], [2, 7]]
    assert stream.notes == ("numbers have a decimal comma",)
    mixed = table(tmp_path, "a;b;y\n1,5;2.5;1\n3;4;1\n")  # each column has its own mark
    assert rows(mixed) == [[1.5, 2.5], [3, 4]]


@pytest.mark.parametrize(
    ("name", "first", "second", "gap"),
    [
        ("when", "2015-02-02 14:19:00", "2015-02-02T14:20:00Z", 60.0),
        ("when", "2015-02-02", "2015-02-03", 86400.0),
        ("time_ms", "0", "250", 0.25),
        ("time", "0.5", "1.75", 1.25),
    ],
)
def test_times_are_not_readings(
    tmp_path: Path, name: str, first: str, second: str, gap: float
) -> None:
    stream = table(tmp_path, f"{name},a,y\n{first},1,1\n{second},2,0\n")
    assert stream.features == ("a",)
    assert stream.ignored == (name,)
    assert stream.notes == (f"column {name!r} holds times and is not an input",)
    times = [sample.seconds for sample in stream.samples(np.empty(1))]
    assert math.isclose(times[1] - times[0], gap)


def test_clock_without_a_date_is_a_time_too(tmp_path: Path) -> None:
    assert table(tmp_path, "at,a,y\n10:00,1,1\n10:01:30,2,0\n").features == ("a",)


def test_numbers_that_are_no_times(tmp_path: Path) -> None:
    assert table(tmp_path, "time,a,y\n3,1,1\n2,2,0\n").features == ("time", "a")  # does not grow
    assert table(tmp_path, "a,b,y\n1423000000,1,1\n1423000060,2,0\n").features == ("a", "b")


def test_text_gets_the_remedy(tmp_path: Path) -> None:
    text = "wind,a,y\nNW,1,1\nN,2,0\n"
    with pytest.raises(StreamError, match=r"'wind' holds text, such as 'NW'; .*--ignore wind"):
        table(tmp_path, text, categories="refuse")
    stream = table(tmp_path, text)
    assert stream.features == ("a",)
    assert stream.notes == (
        "column 'wind' holds text, such as 'NW' and is not an input; to feed it: "
        "--categories onehot",
    )
    with pytest.raises(StreamError, match=r"'wind' holds text, such as 'NW'; .*--ignore wind"):
        table(tmp_path, "wind,y\nNW,1\nN,0\n")  # nothing else is left


@pytest.mark.parametrize(
    ("yes", "no"), [("true", "false"), ("on", "off"), ("Yes", "No"), ("ON", "0")]
)
def test_switches_are_one_and_nought(tmp_path: Path, yes: str, no: str) -> None:
    stream = table(tmp_path, f"door,a,y\n{yes},1,1\n{no},2,0\nunavailable,2,0\n,3,1\n")
    assert stream.features == ("door", "a")
    assert stream.notes == (f"column 'door' holds words such as '{yes}', read as 1 and 0",)
    np.testing.assert_array_equal([r[0] for r in rows(stream)], [1, 0, np.nan, np.nan])


def test_a_word_among_switches_is_damage(tmp_path: Path) -> None:
    switches = "on,1\noff,0\n" * 110
    stream = table(tmp_path, f"door,y\n{switches}ajar,1\n2,1\n")
    damage = [sample.damage for sample in stream.samples(np.empty(1))]
    assert damage[-2:] == [f"column 'door': '{cell}' is not a number" for cell in ("ajar", "2")]


def test_a_word_of_ones_own_is_a_gap(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,s,y\n" + "1,on,1\n2,off,0\nOffline,on,1\n3,ERR,0\n" * 8)
    config = fs.ReplayConfig(
        str(path), target="y", ram="2KiB", algorithm="rbp", missing_codes=("offline", "err", -9.0)
    )
    result = fs.replay(config)
    assert (result.rows.missing, result.rows.damaged) == (16, 0)
    assert result.rows.missing_by_column == {"a": 8, "s": 8}
    words = ["--missing-code", "offline", "--missing-code=ERR", "--ram", "2KiB", "--no-picture"]
    command = ["replay", str(path), "--target", "y", *words, "--out", str(tmp_path / "out")]
    assert main(command) == 0
    assert LabelMap(missing_codes=["err"]).value("ERR") is None
    assert ClassNames(["a", "b"], ["Err"]).value("ERR") is None
    assert Targets(["err"]).value("ERR") is None


def test_unknown_may_be_a_word_of_a_text_column(tmp_path: Path) -> None:
    text = "job,a,y\nunknown,1,1\nclerk,2,0\nclerk,1,0\n"
    assert table(tmp_path, text, categories="onehot").features == ("job=clerk", "job=unknown", "a")


def test_decimal_commas_in_quoted_cells(tmp_path: Path) -> None:
    stream = table(tmp_path, 'a,b,y\n"21,5",1,1\n"1,250",2,0\n')
    assert rows(stream) == [[21.5, 1.0], [1.25, 2.0]]
    assert "numbers have a decimal comma" in stream.notes


def test_commas_between_thousands_are_not_taken_for_decimal_ones(tmp_path: Path) -> None:
    stream = table(tmp_path, 'a,b,y\n"1,250",1,1\n"3,500",2,0\n')
    assert rows(stream) == [[1250, 1], [3500, 2]]
    assert stream.notes == ("column 'a' holds numbers with ',' between thousands",)


def test_all_columns_of_text_are_named_at_once_as_a_shell_takes_them(tmp_path: Path) -> None:
    words = r"columns 'Door open', 'b' hold text, such as 'ajar'; .*--ignore 'Door open,b'"
    with pytest.raises(StreamError, match=words):
        table(tmp_path, "Door open,b,a,y\najar,x,1,1\nshut,z,2,0\n", categories="refuse")


def test_columns_that_never_have_a_value_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("last seen,a,b,y\n,1,,1\n,2,,0\n")
    with pytest.raises(StreamError, match=r"leave out with --ignore 'last seen,b'"):
        fs.replay(fs.ReplayConfig(str(path), target="y", ram="2KiB"))


@pytest.mark.parametrize(
    ("name", "is_time"),
    [("EST", True), ("time_est", True), ("sun_est", False), ("pst_kPa", False)],
)
def test_a_zone_names_a_time_alone(name: str, is_time: bool) -> None:
    """In longer names "est" is east, and "pst" pressure."""
    assert is_time_name(name) == is_time


@pytest.mark.parametrize(
    ("names", "cells", "columns", "form", "seconds"),
    [
        # ten digits: hours of the day up to 23, or seconds since 1970
        ("time", [f"20240301{h:02}" for h in range(24)] + ["2024030200"], ("time",),
         "%Y%m%d%H", 3600.0),
        ("date,hour", [f"2024-03-01,{h}" for h in range(24)], ("date", "hour"),
         "%Y-%m-%d %H", 3600.0),
        # seconds without minutes say nothing
        ("year,month,day,second", [f"2024,3,{d},{d % 7}" for d in range(1, 20)],
         ("year", "month", "day"), "%Y %m %d", 86400.0),
    ],
)  # fmt: skip
def test_times_in_digits_and_in_parts(
    tmp_path: Path, names: str, cells: list[str], columns: tuple[str, ...], form: str,
    seconds: float,
) -> None:  # fmt: skip
    lines = [f"{cell},{at % 5},{at % 2}" for at, cell in enumerate(cells)]
    stream = table(tmp_path, "\n".join([f"{names},a,y", *lines, ""]))
    moments = stream.reading.understood.moments
    assert moments is not None
    assert (moments.columns, moments.format) == (columns, form)
    assert set(np.diff(next(stream.blocks()).seconds)) == {seconds}


def epochs(name: str, values: Sequence[float]) -> str:
    lines = [f"{value:.0f},{at % 5},{at % 2}" for at, value in enumerate(values)]
    return "\n".join([f"{name},a,y", *lines, ""])


@pytest.mark.parametrize("name", ["t", "T", "s", "sec", "secs", "seconds"])
@pytest.mark.parametrize("scale", [1, 1000])
def test_a_short_name_is_a_time_by_its_values(tmp_path: Path, name: str, scale: int) -> None:
    """Ties and a clock that was not set at first do not matter."""
    ends = [0, *(1767571800 + 600 * (at - (at == 9)) for at in range(30))]
    stream = table(tmp_path, epochs(name, [scale * end for end in ends]))
    assert stream.features == ("a",)
    assert next(stream.blocks()).seconds[1:3].tolist() == [1767571800.0, 1767572400.0]


@pytest.mark.parametrize(
    "values",
    [
        [20 + at % 7 for at in range(30)],  # temperatures
        [*range(30)],  # a counter
        [5e8 + 600 * at for at in range(30)],  # before 2000
        [1.7e9 + 1e6 * (at * 7 % 11) for at in range(30)],  # falls
        [1.7e9] * 30,
    ],
)
@pytest.mark.parametrize("name", ["t", "sec"])
def test_a_short_name_of_other_numbers_is_an_input(
    tmp_path: Path, name: str, values: list[float]
) -> None:
    stream = table(tmp_path, epochs(name, values))
    assert (stream.features, stream.notes) == ((name, "a"), ())


@pytest.mark.parametrize(
    ("scale", "unit"), [(1, "seconds"), (1e3, "milliseconds"), (1e6, "microseconds")]
)
def test_another_name_is_an_input_with_a_note(tmp_path: Path, scale: float, unit: str) -> None:
    log = epochs("my x", [scale * (1767571800 + 600 * at) for at in range(30)])
    stream = table(tmp_path, log)
    assert stream.features == ("my x", "a")
    assert stream.notes == (
        f"column 'my x' looks like {unit} since 1970 and is an input; if it holds the time of a "
        "row: --time 'my x'",
    )
    assert table(tmp_path, log, time="my x").features == ("a",)


@pytest.mark.parametrize(
    "values",
    [
        [1.7e9 + 600 * at * at for at in range(30)],  # a counter at another speed in each row
        [1.7e9 + 600 * at for at in range(9)],  # too few
        [1e6 + 600 * at for at in range(30)],
    ],
)
def test_counters_have_no_note(tmp_path: Path, values: list[float]) -> None:
    assert table(tmp_path, epochs("x", values)).notes == ()
    dated = [f"2024-03-01 {at // 60:02}:{at % 60:02},{line}" for at, line in
             enumerate(epochs("x", [1.7e9 + at for at in range(30)]).split()[1:])]  # fmt: skip
    assert not any(
        "1970" in one for one in table(tmp_path, "\n".join(["time,x,a,y", *dated, ""])).notes
    )


def test_ten_digits_that_count_seconds_are_no_dates(tmp_path: Path) -> None:
    """From 1412010100 on some read like days of 1412."""
    lines = [f"{1412010100 + at},{at % 5},{at % 2}" for at in range(24)]
    stream = table(tmp_path, "\n".join(["time,a,y", *lines, ""]))
    assert next(stream.blocks()).seconds[:2].tolist() == [1412010100.0, 1412010101.0]
