"""Logs as the world writes them: of each kind of oddity some, and what a replay makes of them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firmware_sim.cli import main
from firmware_sim.errors import StreamError
from firmware_sim.streams import open_stream, opening
from firmware_sim.streams.dialect import laid_out
from firmware_sim.streams.stdin import PipeSource

START = datetime(2024, 3, 1)
ROWS = 60
#: Temperature and humidity of each row.
READINGS = [
    (20.0 + (i * 37 % 50) / 10.0, 50.0 + (i * 53 % 90) / 10.0) for i in range(1_000)
]  # fmt: skip
Report = dict[str, Any]


def times(shape: str, n: int = ROWS, minutes: int = 10) -> list[str]:
    return [(START + timedelta(minutes=minutes * i)).strftime(shape) for i in range(n)]


def table(
    when: Sequence[str] | None = None,
    *,
    names: str = "time,temp,hum",
    cell: Callable[[float], str] = "{:.2f}".format,
    mark: str = ",",
    target: Callable[[float], str] | None = None,
) -> list[str]:
    """The lines of a log: times, temperature, humidity."""
    when = times("%Y-%m-%d %H:%M:%S") if when is None else when
    last = target or cell
    return [
        names,
        *(mark.join([at, cell(a), last(b)]) for at, (a, b) in zip(when, READINGS, strict=False)),
    ]


def replayed(path: Path, *words: str, code: int = 0) -> Report:
    """The report of a replay of a file by the command line."""
    out = path.parent / "out"
    fixed = ["--no-picture", "--quiet", "--ram", "2KiB", "--frozen-after", "0", "--out", str(out)]
    assert main(["replay", str(path), *words, *fixed]) == code
    report: Report = json.loads((out / "report.json").read_text()) if code == 0 else {}
    return report


def log(folder: Path, lines: Sequence[str] | bytes, name: str = "log.csv") -> Path:
    path = folder / name
    data = lines if isinstance(lines, bytes) else ("\n".join(lines) + "\n").encode()
    path.write_bytes(data)
    return path


HUM = ("--kind", "regression", "--target", "hum")


def with_line(at: int, line: str | bytes) -> bytes:
    lines: list[str | bytes] = [*table()]
    lines[at] = line
    return b"\n".join(x if isinstance(x, bytes) else x.encode() for x in lines) + b"\n"


# ---- 1: one damaged piece costs its own row ------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "2024-03-01 05:00:00,21.00,Err 5",
        "2024-03-01 05:00:00,21.00,",
        b"\0" * 40,
        b"2024-03-01 \0\0\0,21,50",
        b"\xfe\x80\x9c,\xff\xfe,\x81",
        b"\x01\x02\x7f\x1b[31m",
        "2024-03-01 0",
        '"2024-03-01 05:00:00,21.00,50.0',
        "2024-03-01 05:00:00,21.00,50.0,7,8",
        "1" * 3_000_000,
    ],
    ids=[
        "word",
        "empty",
        "power cut",
        "within",
        "noise",
        "control",
        "torn",
        "quote",
        "wide",
        "huge",
    ],
)
def test_a_damaged_piece_costs_its_row(tmp_path: Path, line: str | bytes) -> None:
    stream = replayed(log(tmp_path, with_line(31, line)), *HUM)["stream"]
    assert (stream["rows_read"], stream["rows_used"]) == (60, 59)
    assert stream["rows_damaged"] + stream["rows_missing"] == 1
    if stream["rows_damaged"]:
        (told,) = stream["damages"].values()
        assert told["rows"] == 1
        assert told["first"][0].startswith("row 31: ")


@pytest.mark.parametrize(
    ("labels", "odd", "more"),
    [
        (("on", "off"), "o#", ()),
        (("1", "0"), "7", ()),
        (("a", "b"), "c", ("--kind", "multiclass", "--classes", "a,b")),
        (("true", "false"), "maybe", ("--kind", "novelty")),
    ],
)
def test_an_odd_label_costs_its_row(
    tmp_path: Path, labels: tuple[str, str], odd: str, more: tuple[str, ...]
) -> None:
    lines = [
        f"{a},{b},{odd if i == 50 else labels[i % 2]}" for i, (a, b) in enumerate(READINGS[:60])
    ]
    stream = replayed(log(tmp_path, ["a,b,pump", *lines]), "--target", "pump", *more)["stream"]
    assert (stream["rows_used"], stream["rows_damaged"]) == (59, 1)
    assert "pump" in stream["first_damage"]


def test_labels_of_another_kind_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(
        tmp_path, ["a,b", *(f"{a},{'xyz'[i % 3]}" for i, (a, _) in enumerate(READINGS[:60]))]
    )
    replayed(path, "--target", "b", "--kind", "binary", code=2)
    assert "row 1, column 'b': label 'x' is neither" in capsys.readouterr().err
    replayed(path, "--target", "b", "--kind", "regression", code=2)
    assert "row 1, column 'b': 'x' is not a number" in capsys.readouterr().err


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
@pytest.mark.spread(2)
def test_a_packed_log_whose_end_is_missing_is_read_to_there(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    rng = np.random.default_rng(0)
    rows = "".join(f"{a:.9f},{b:.9f}\n" for a, b in rng.normal(size=(60_000, 2)))
    packed = pack(b"a,b\n" + rows.encode())
    stream = replayed(log(tmp_path, packed[: len(packed) * 3 // 4]), "--kind", "novelty")["stream"]
    assert stream["rows_used"] > 1_000
    assert "truncated or damaged" in " ".join(stream["damages"])


@pytest.mark.parametrize(
    "line", ["sensor.a,1,yesterday", "sensor.a,1", "\0\0\0\0", "sensor.a,1,2024-99-01T00:00:00Z"]
)
def test_a_damaged_line_of_a_history_is_one_row(tmp_path: Path, line: str) -> None:
    lines = [f"sensor.{'ab'[i % 2]},{i},2024-03-01T{i // 60:02}:{i % 60:02}:00Z" for i in range(80)]
    lines.insert(40, line)
    report = replayed(log(tmp_path, ["entity_id,state,last_changed", *lines]), "--kind", "novelty")
    assert report["stream"]["rows_read"] == 81
    assert report["stream"]["rows_damaged"] == 1


def test_a_damaged_object_is_one_row(tmp_path: Path) -> None:
    lines = [json.dumps({"temp": a, "hum": b}) for a, b in READINGS[:60]]
    lines[30] = '{"temp": 20.1, "hum'
    stream = replayed(log(tmp_path, lines, "log.jsonl"), *HUM)["stream"]
    assert (stream["rows_used"], stream["rows_damaged"]) == (59, 1)


# ---- 2, 4, 7: times ------------------------------------------------------------------------------

#: Beside those of test_dates.py.
NOTATIONS = [
    "%Y-%m-%d %H:%M:%S UTC", "%Y-%m-%dT%H:%M:%S+00", "%Y-%m-%dT%H:%M:%S.000000",
    "%d-%b-%Y %H:%M:%S", "%Y/%m/%d-%H:%M:%S", "%Y-%m-%d %H:%M:%S CET",
    "%a, %d %b %Y %H:%M:%S GMT", "%Y-%m-%dT%H:%M:%S+01:00[Europe/Berlin]",
]  # fmt: skip


@pytest.mark.parametrize("shape", NOTATIONS)
def test_times_in_many_notations(tmp_path: Path, shape: str) -> None:
    when = [f'"{at}"' for at in times(shape, 300)]
    path = log(tmp_path, table(when))
    stream = open_stream(str(path), target="hum")
    assert stream.features == ("temp",)
    found = np.concatenate([block.seconds for block in stream.blocks()])
    np.testing.assert_allclose(np.diff(found), 600.0, atol=1e-6)
    hours = (found[0] - datetime(2024, 3, 1).timestamp()) / 3600.0
    assert abs(hours) < 15  # that day, whatever the zone here and there


@pytest.mark.parametrize(
    "shape", ["%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d-%m-%Y", "%m-%d-%y %H:%M"]
)
@pytest.mark.parametrize("minutes", [60, 1440])
def test_the_day_is_told_from_the_month_by_all_rows(
    tmp_path: Path, shape: str, minutes: int
) -> None:
    """The first 200 rows are of days up to the 12th, or say it by their order alone."""
    if "%H" not in shape:
        minutes = 1440
    path = log(tmp_path, table(times(shape, 600, minutes)))
    stream = open_stream(str(path), target="hum")
    found = np.concatenate([block.seconds for block in stream.blocks()])
    np.testing.assert_allclose(np.diff(found), 60.0 * minutes)


def test_later_rows_tell_the_day_from_the_month(tmp_path: Path) -> None:
    """The first rows are all of one day, which may be in March or in May."""
    shape = "%d/%m/%Y %H:%M"
    first = [(START + timedelta(days=4, minutes=i)).strftime(shape) for i in range(300)]
    later = [(START + timedelta(days=20, minutes=i)).strftime(shape) for i in range(30)]
    stream = open_stream(str(log(tmp_path, table([*first, *later]))), target="hum")
    found = np.concatenate([block.seconds for block in stream.blocks()])
    assert found[-30] - found[0] == 16 * 86_400
    assert not any("--dayfirst" in note for note in stream.notes)


def test_one_day_does_not_tell_the_day_from_the_month(tmp_path: Path) -> None:
    path = log(tmp_path, table(times("%m/%d/%Y %H:%M")))  # all on 03/01/2024
    stream = open_stream(str(path), target="hum")
    assert any("--dayfirst" in note and "month" in note for note in stream.notes)
    first = next(stream.blocks()).seconds[0]
    other = next(open_stream(str(path), target="hum", dayfirst=True).blocks()).seconds[0]
    assert (first - other) / 86_400 == (datetime(2024, 3, 1) - datetime(2024, 1, 3)).days
    said = open_stream(str(path), target="hum", time_format="%d/%m/%Y %H:%M")
    assert next(said.blocks()).seconds[0] == other
    assert not any("--dayfirst" in note for note in said.notes)


@pytest.mark.parametrize(
    ("names", "shape"),
    [
        ("Date,Time", "%Y-%m-%d,%H:%M:%S"),
        ("Datum,Uhrzeit", "%d.%m.%Y,%H:%M"),
        ("date,clock", "%m/%d/%Y,%I:%M:%S %p"),
        ("Date,Time", "%Y%m%d,%H%M"),
        ("Date,Time", "%d/%m/%Y,%H.%M.%S"),
        ("year,month,day,hour,minute", "%Y,%m,%d,%H,%M"),
        ("Year,DOY,Hour,Min", "%Y,%j,%H,%M"),
    ],
)
def test_parts_of_a_time_in_several_columns(tmp_path: Path, names: str, shape: str) -> None:
    path = log(tmp_path, table(times(shape, 300), names=f"{names},temp,hum"))
    report = replayed(path, *HUM, "--device", "pico")
    assert report["stream"]["features"] == ["temp"]
    assert report["board"]["period_seconds"] == 600


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("timestamp", lambda i: 1_709_251_200 + 600 * i),
        ("ts_ms", lambda i: 1000 * (1_709_251_200 + 600 * i)),
        ("epoch", lambda i: 1_709_251_200.5 + 600 * i),
        ("Date", lambda i: f"{45_352 + i / 144:.6f}"),
        ("datenum", lambda i: f"{739_312 + i / 144:.8f}"),
        ("JD", lambda i: f"{2_460_370.5 + i / 144:.6f}"),
        ("time_ms", lambda i: 600_000 * i),
        ("Time (s)", lambda i: 600 * i),
        ("timestamp", lambda i: 1_709_251_200 - 600 * i),
        ("timestamp", lambda i: 1_709_251_200 + 600 * (i - 5 * (i == 30))),
    ],
    ids=["s", "ms", "fraction", "sheet", "matlab", "julian", "uptime", "unit", "newest", "late"],
)
def test_counted_times(tmp_path: Path, name: str, count: Callable[[int], Any]) -> None:
    path = log(tmp_path, table([str(count(i)) for i in range(ROWS)], names=f"{name},temp,hum"))
    report = replayed(path, *HUM, "--device", "pico")
    assert report["stream"]["features"] == ["temp"]
    assert report["board"]["period_seconds"] == pytest.approx(600, abs=0.2)


@pytest.mark.parametrize("name", ["time", "Zeit", "created_at"])
def test_a_column_called_a_time_that_is_none_is_told_of(tmp_path: Path, name: str) -> None:
    odd = [str(i * 7919 % 101) for i in range(ROWS)]
    notes = replayed(log(tmp_path, table(odd, names=f"{name},temp,hum")), *HUM)["stream"]["notes"]
    assert any(name in note and "--time-format" in note for note in notes)
    words = [f"day {i} at noon" for i in range(ROWS)]
    stream = replayed(log(tmp_path, table(words, names=f"{name},temp,hum")), *HUM)["stream"]
    assert stream["features"] == ["temp"]
    assert any(name in note and "--time-format" in note for note in stream["notes"])


@pytest.mark.parametrize("bad", ["clock not set", "Sum", "2024-13-45 99:00:00", "--:--:--"])
@pytest.mark.parametrize("at", [5, 55])
def test_a_time_that_cannot_be_read_is_told_of(tmp_path: Path, bad: str, at: int) -> None:
    lines = table()
    lines[at] = bad + lines[at][19:]
    stream = replayed(log(tmp_path, lines), *HUM)["stream"]
    assert stream["features"] == ["temp"]
    assert (stream["rows_used"], stream["rows_damaged"]) == (59, 1)
    assert f"'time': '{bad}' is not a time" in stream["first_damage"]


@pytest.mark.parametrize("step", [-1, 7, 31])
def test_rows_out_of_order_are_told_of(tmp_path: Path, step: int) -> None:
    lines = table()[1:]
    some = [lines[(i * step) % len(lines)] for i in range(len(lines))]
    warnings = replayed(log(tmp_path, ["time,temp,hum", *some]), *HUM)["warnings"]
    assert any("sort the rows by time" in one or "sort them by time" in one for one in warnings)


# ---- 5, 6, 10, 11, 14: how a file is made --------------------------------------------------------


def has_all(folder: Path, data: Sequence[str] | bytes, name: str = "log.csv", *more: str) -> Report:
    """A log with temperature and humidity, all of whose rows are read."""
    report = replayed(log(folder, data, name), *HUM, *more)
    stream: Report = report["stream"]
    assert stream["features"] == ["temp"]
    assert (stream["rows_read"], stream["rows_used"]) == (60, 60)
    return report


@pytest.mark.parametrize(
    "above",
    [
        ["sep=,"],
        ["# logger 4", "# every 10 min", ""],
        ["% station 7"],
        ["// build 12"],
        ["ets Jun  8 2016 00:22:57", "rst:0x1 (POWERON_RESET),boot:0x13", "", "SD card ok"],
        ["Station,Berlin,,", "Serial,1234,,"],
        ["Station;Berlin", "Serial;1234", "from 1.3.2024"],
        ['"TOA5","st","CR1000","1","OS","CPU:p","2","Met"'],
        ["Logger 4,,", "Exported 2024-03-02,,", ",,"],
    ],
    ids=["sep", "hash", "percent", "slashes", "boot", "pairs", "others", "toa5", "padded"],
)
@pytest.mark.parametrize("units", [[], ["ISO,°C,%"], ["TS,Deg C,%", ",Avg,Smp"]])
@pytest.mark.spread(2)
def test_names_that_are_not_in_the_first_line(
    tmp_path: Path, above: list[str], units: list[str]
) -> None:
    lines = table()
    has_all(tmp_path, [*above, lines[0], *units, *lines[1:]])


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (table()[1:], ["c2", "c3"]),
        ([line[20:] for line in table()[1:]], ["c1", "c2"]),
        ([f"{line},ok" for line in table()[1:]], ["c2", "c3"]),
        (
            [f"{1_700_000_000 + 60 * i},{a},{b}" for i, (a, b) in enumerate(READINGS[:60])],
            ["c2", "c3"],
        ),
        ([line.replace(",", "\t") for line in table()[1:]], ["c2", "c3"]),
    ],
)
def test_a_log_without_names_keeps_its_first_row(
    tmp_path: Path, lines: list[str], names: list[str]
) -> None:
    stream = replayed(log(tmp_path, lines), "--kind", "novelty")["stream"]
    assert stream["rows_read"] == 60
    assert stream["features"] == names
    assert any("no names" in note for note in stream["notes"])


@pytest.mark.parametrize(
    ("mark", "options"),
    [
        ("|", ()), (" | ", ()), ("; ", ()), (" , ", ()), ("\t", ()), ("  ", ()), (" \t ", ()),
        ("~", ("--sep", "~")), ("\t", ("--sep", "tab")), (";", ("--sep", ";")),
    ],
)  # fmt: skip
def test_what_separates_cells(tmp_path: Path, mark: str, options: tuple[str, ...]) -> None:
    lines = table(times("%Y-%m-%dT%H:%M:%S"), names=mark.join(("time", "temp", "hum")), mark=mark)
    has_all(tmp_path, lines, "log.csv", *options)


def test_separators_of_two_kinds(tmp_path: Path) -> None:
    lines = table()
    has_all(tmp_path, [line.replace(",", ";", 1) for line in lines])
    quoted = ['"' + line.replace(",", '", "') + '"' for line in lines]
    has_all(tmp_path, quoted)
    blanks = table(times("%Y-%m-%d %H:%M:%S"), names="time temp hum", mark=" ")
    assert has_all(tmp_path, blanks)["stream"]["notes"]  # date and time are parted, too


def zipped(*members: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return packed.getvalue()


TEXT = ("\n".join(table()) + "\n").encode()


@pytest.mark.parametrize(
    "data",
    [
        zipped(("a/log.csv", TEXT)),
        zipped(("README.txt", b"about"), ("__MACOSX/x", b"y"), ("log.txt", TEXT)),
        zipped(("log.csv", TEXT), ("picture.png", b"PNG")),
        bz2.compress(TEXT),
        TEXT.decode().encode("utf-16-le"),
        TEXT.replace(b"\n", b"\r"),
        TEXT.rstrip(),
    ],
    ids=["zip", "more", "picture", "bz2", "no mark", "cr", "no end"],
)
def test_packed_and_encoded_logs(tmp_path: Path, data: bytes) -> None:
    has_all(tmp_path, data)


def arff(rows: Sequence[str]) -> list[str]:
    return ["% a log", "@RELATION s", "", "@attribute temp real", "@ATTRIBUTE 'hum' NUMERIC",
            "@attribute class {no,yes}", "@DATA", *rows]  # fmt: skip


def test_arff(tmp_path: Path) -> None:
    rows = [f"{a},{b},{'yes' if b > 54 else 'no'}" for a, b in READINGS[:60]]
    stream = replayed(log(tmp_path, arff(rows), "s.arff"))["stream"]
    assert (stream["target"], stream["rows_used"]) == ("class", 60)
    assert stream["features"] == ["temp", "hum"]
    rows[7], rows[20:20] = "?,51,no", ["% a comment", ""]
    stream = replayed(log(tmp_path, arff(rows), "s.arff"))["stream"]
    assert (stream["rows_read"], stream["rows_used"]) == (60, 59)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped(("a.csv", TEXT), ("b.csv", TEXT)), "several files: a.csv, b.csv; unzip it"),
        (zipped(), "an empty ZIP"),
        (b"\x89HDF\r\n\x1a\n" + bytes(300), "an HDF5 file"),
        (b"SQLite format 3\0" + bytes(300), "an SQLite database"),
        (b"<!DOCTYPE html><html></html>", "a web page"),
        (b'<?xml version="1.0"?><a/>', "XML"),
        (b"1 | a:1 b:2\n-1 | a:2 b:3\n" * 30, "Vowpal Wabbit"),
        (b"weather,place=a temp=82,hum=3 1465839830100400200\n" * 30, "line protocol"),
        (bytes(range(256)) * 9, "binary"),
        (gzip.compress(b"\1\2\3" * 100, mtime=0), "binary"),
    ],
    ids=["several", "none", "hdf", "sqlite", "html", "xml", "vw", "influx", "binary", "packed"],
)
def test_what_is_no_log_is_said_in_a_sentence(
    tmp_path: Path, data: bytes, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    replayed(log(tmp_path, data), "--kind", "novelty", code=2)
    said = capsys.readouterr().err
    assert said.startswith("firmware_sim: cannot read")
    assert words in said
    assert said.count("\n") == 1


def objects() -> list[dict[str, float | str]]:
    when = times("%Y-%m-%dT%H:%M:%SZ")
    return [{"t": at, "temp": a, "hum": b} for at, (a, b) in zip(when, READINGS, strict=False)]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, objects())),
        json.dumps(objects()),
        json.dumps(objects(), indent=2),
        json.dumps({"channel": {"id": 1}, "feeds": objects()}),
        json.dumps(
            {"hourly": {name: [one[name] for one in objects()] for name in ("t", "temp", "hum")}}
        ),
        "[\n" + ",\n".join(map(json.dumps, objects())) + "\n]",
        "\n".join(f"home/a {json.dumps(one)}" for one in objects()),
        "\n".join(json.dumps(one, indent=1) for one in objects()),
    ],
    ids=["lines", "array", "pretty", "feeds", "columns", "a line each", "topic", "in a row"],
)
def test_json(tmp_path: Path, text: str) -> None:
    if text.startswith("home"):
        text = "\n".join(line.partition(" ")[2] for line in text.split("\n"))
    has_all(tmp_path, text.encode(), "log.json")


def test_influxdb_as_it_exports(tmp_path: Path) -> None:
    head = [
        "#group,false,false,true",
        "#datatype,string,long,dateTime:RFC3339",
        "#default,_result,,",
    ]
    names = ",result,table,_time,_value,_field"
    when = times("%Y-%m-%dT%H:%M:%SZ")
    rows = [
        f",,{i % 2},{when[i // 2]},{READINGS[i // 2][i % 2]},{('temp', 'hum')[i % 2]}"
        for i in range(120)
    ]
    has_all(tmp_path, [*head, names, *rows])
    one = [
        f",,0,{at},{b},hum"
        for at, (_, b) in zip(times("%Y-%m-%dT%H:%M:%SZ"), READINGS, strict=False)
    ]
    stream = replayed(log(tmp_path, [*head, names, *one]), "--target", "_value")["stream"]
    assert stream["rows_used"] == 60


# ---- 8: one bad cell among the first rows --------------------------------------------------------


@pytest.mark.parametrize("line", ["time,temp,hum", "restart,20.0,50.0", "????,??,??"])
@pytest.mark.parametrize("at", [3, 30])
def test_one_bad_cell_is_not_the_column(tmp_path: Path, line: str, at: int) -> None:
    lines = table()
    lines.insert(at, line)
    stream = replayed(log(tmp_path, lines), *HUM)["stream"]
    assert stream["features"] == ["temp"]
    assert (stream["rows_read"], stream["rows_used"]) == (61, 60)


# ---- 9, 12: what is left to learn from -----------------------------------------------------------


@pytest.mark.parametrize("names", ["time,value", "value", "t,value,empty"])
def test_a_series_alone_is_forecast(tmp_path: Path, names: str) -> None:
    when = times("%Y-%m-%d %H:%M:%S", 300)
    cells = {"time": lambda i: when[i], "t": lambda i: when[i], "empty": lambda i: ""}
    rows = [
        ",".join(
            cells.get(name, lambda i: f"{10 + 5 * np.sin(i / 9):.3f}")(i)
            for name in names.split(",")
        )
        for i in range(300)
    ]
    path = log(tmp_path, [names, *rows])
    report = replayed(path, "--target", "value")
    assert report["kind"] == "regression"
    assert report["stream"]["rows_used"] == 300
    assert any("own history" in note for note in report["stream"]["notes"])
    errors = report["metrics"]
    assert errors["learner"]["mae"] < 0.5 * errors["last_value"]["mae"]


@pytest.mark.parametrize("value", ["", "nan", "-"])
@pytest.mark.parametrize("filled", [0, 2])
def test_columns_that_are_empty_are_no_inputs(tmp_path: Path, value: str, filled: int) -> None:
    lines = [f"{line},{'1.5' if i in range(9, 9 + filled) else value},{value}"
             for i, line in enumerate(table()[1:])]  # fmt: skip
    report = has_all(tmp_path, ["time,temp,hum,lat,lon", *lines])
    assert any("'lat'" in note for note in report["stream"]["notes"])


# ---- 13, 17, 19: cells ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "factor"),
    [
        ("{:.1f} °C".format, 1), ("{:.0f}%".format, 1), ("{:.1f}V".format, 1),
        ("{:.2f} m/s".format, 1),
        ("${:.2f}".format, 1), ('"{:,.1f}"'.format, 100), ("\u2212{:.2f}".format, 1),
        (lambda x: f"{x:,.1f}".replace(",", "'"), 100),
        (lambda x: f"{x:,.1f}".replace(",", "\u00a0"), 100),
        (lambda x: '"' + f"{x:,.1f}".translate(str.maketrans(",.", ".,")) + '"', 100),
        ("{:+.2f}".format, 1), ("{:.3e}".format, 1), ("{:.1f} kWh".format, 1),
        ("{:.1f}°".format, 1),
        ("{:.2f} µg/m³".format, 1), ('"{:,.0f}"'.format, 1000),
    ],
)  # fmt: skip
def test_numbers_as_people_write_them(
    tmp_path: Path, cell: Callable[[float], str], factor: int
) -> None:
    lines = table(cell=lambda x: cell(factor * x))
    has_all(tmp_path, lines)
    stream = open_stream(str(tmp_path / "log.csv"), target="hum")
    found = np.concatenate([block.rows[:, 0] for block in stream.blocks()])
    np.testing.assert_allclose(np.abs(found), [factor * a for a, _ in READINGS[:60]], atol=0.51)


def test_units_that_differ_are_no_numbers(tmp_path: Path) -> None:
    lines = [f"{i}{('W', 'kW')[i % 2]},{a},{b}" for i, (a, b) in enumerate(READINGS[:60])]
    stream = replayed(log(tmp_path, ["power,temp,hum", *lines]), *HUM)["stream"]
    assert stream["features"] == ["temp"]


ABSENT = ["#N/A", "n.a.", "--", "?", "\\N", "#DIV/0!", "-", "NULL", "OFL", "<NA>", "#VALUE!"]


@pytest.mark.parametrize("word", ABSENT)
def test_words_for_nothing(tmp_path: Path, word: str) -> None:
    rows = [f"{word if i % 9 == 4 else a},{b},{word if i % 7 == 3 else ('busy', 'idle')[i % 2]}"
            for i, (a, b) in enumerate(READINGS[:63])]  # fmt: skip
    path = log(tmp_path, ["temp,hum,state", *rows])
    report = replayed(path, "--kind", "multiclass", "--target", "state")
    assert report["classes"]["names"] == ["busy", "idle"]
    stream = report["stream"]
    assert stream["rows_damaged"] == 0
    assert set(stream["missing_by_column"]) == {"temp", "state"}


@pytest.mark.parametrize("word", ["offline", "SENSOR FAULT", "Over", "***"])
def test_a_word_that_is_repeated_among_numbers_is_one_for_nothing(
    tmp_path: Path, word: str
) -> None:
    rows = [f"{word if i % 9 == 4 else a},{word if i % 7 == 3 else b}"
            for i, (a, b) in enumerate(READINGS[:63])]  # fmt: skip
    stream = replayed(log(tmp_path, ["temp,hum", *rows]), *HUM)["stream"]
    assert stream["rows_damaged"] == 0
    assert stream["rows_missing"] == 15 or stream["missing_by_column"] == {"temp": 7, "hum": 9}
    assert stream["missing_by_column"]["temp"] == 7


@pytest.mark.parametrize("code", [-999, -9999, 65535, 85, -127, 999.9, -273.15])
@pytest.mark.parametrize("column", ["temp", "hum"])
def test_numbers_for_a_failed_reading_are_told_of(tmp_path: Path, code: float, column: str) -> None:
    rows = [f"{code if i % 9 == 4 and column == 'temp' else a},"
            f"{code if i % 9 == 4 and column == 'hum' else b}"
            for i, (a, b) in enumerate(READINGS[:60])]  # fmt: skip
    path = log(tmp_path, ["temp,hum", *rows])
    (warning,) = replayed(path, *HUM)["warnings"]
    assert f"column {column!r} is {code:g} in 7 of 60 rows" in warning
    assert f"--missing-code={code:g}" in warning
    assert not replayed(path, *HUM, f"--missing-code={code:g}")["warnings"]


def test_readings_that_reach_a_code_are_no_codes(tmp_path: Path) -> None:
    rows = [f"{i % 100},{b}" for i, (_, b) in enumerate(READINGS[:400])]  # 85 and 99 among others
    assert not replayed(log(tmp_path, ["temp,hum", *rows]), *HUM)["warnings"]


# ---- 18: two columns of one name -----------------------------------------------------------------


@pytest.mark.parametrize("names", ["temp,temp,hum", "temp,temp,temp,hum", ",,hum", "hum,temp,hum"])
def test_columns_of_one_name(tmp_path: Path, names: str) -> None:
    many = names.count(",") + 1
    rows = [",".join(str(a + place) for place in range(many)) for a, _ in READINGS[:60]]
    stream = replayed(log(tmp_path, [names, *rows]), *HUM)["stream"]
    assert len(stream["features"]) == many - 1
    assert stream["rows_used"] == 60
    if names.startswith("temp"):
        assert stream["features"][:2] == ["temp", "temp.2"]
        replayed(tmp_path / "log.csv", *HUM, "--ignore", "temp.2")


# ---- what is assumed, looked at and kept ---------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "cells", "target", "kind"),
    [
        ("a,label", lambda i: "01"[i % 2], "label", "binary"),
        ("Class,a", lambda i: ("walk", "run", "sit")[i % 3], "Class", "multiclass"),
        ("a,TARGET", lambda i: f"{i * 7 % 50 / 7:.3f}", "TARGET", "regression"),
        ("a,y", lambda i: f"{i % 9}.5", "y", "regression"),
        ("a,pump", lambda i: ("on", "off")[i % 2], "pump", "binary"),
        ("a,b", lambda i: str(i % 5), "", "novelty"),
    ],
)
def test_no_option_is_needed_where_the_log_leaves_no_doubt(
    tmp_path: Path, names: str, cells: Callable[[int], str], target: str, kind: str
) -> None:
    place = names.split(",").index(target) if target else 1
    rows = [
        ",".join([cells(i), str(a)][:: 1 if place == 0 else -1])
        for i, (a, _) in enumerate(READINGS[:60])
    ]
    report = replayed(log(tmp_path, [names, *rows]))
    assert (report["stream"]["target"], report["kind"]) == (target, kind)
    notes = " ".join(report["stream"]["notes"])
    assert (target or "--target COLUMN --kind regression") in notes


def test_look_prints_the_page_and_a_command_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = table(
        names="Zeit;temp;label",
        mark=";",
        cell=lambda x: f"{x:.1f} °C".replace(".", ","),
        target=lambda x: str(int(x > 54)),
    )
    lines = ["sep=;", *rows]
    lines.insert(20, "Zeit;temp;label")
    lines[30] = "??;??"
    log(tmp_path, lines)
    before = sorted(tmp_path.iterdir())
    assert main(["look", "log.csv"]) == 0
    assert sorted(tmp_path.iterdir()) == before
    printed = capsys.readouterr()
    assert printed.err == ""
    for words in (
        "cells separated by ';', names in line 2, rows from line 3",
        "1 skipped: it repeats the header\n            row 19: Zeit;temp;label",
        "1 skipped: 2 cells where the header has 3\n            row 29: ??;??",
        "time      'Zeit' as %Y-%m-%d %H:%M:%S, no zone",
        "every 600 s",
        "target    'label': '0', '1'",
        "temp: number in °C, 20 to 24.8",
        "numbers have a decimal comma",
        "replay    python -m firmware_sim replay log.csv --target label",
    ):
        assert words in printed.out
    assert main(["look", "log.csv", "--toml"]) == 0
    assert capsys.readouterr().out.startswith("# How a log is read")


def test_what_was_understood_is_kept_and_given_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = table(times("%d/%m/%Y %H:%M", 400), cell=lambda x: f"{x:.1f} °C", target=str)
    path, record = log(tmp_path, lines), tmp_path / "log.toml"
    first = replayed(path, *HUM, "--understood", str(record))
    assert "%d/%m/%Y %H:%M:%S" in record.read_text(encoding="utf-8")
    again = replayed(path, *HUM, "--understood", str(record))
    assert again["metrics"] == first["metrics"]
    few = tmp_path / "few.csv"  # too few rows to find it out again
    few.write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    replayed(few, *HUM, "--understood", str(record))
    assert (
        next(open_stream(str(few), target="hum", understood=str(record)).blocks()).seconds[0]
        == (next(open_stream(str(path), target="hum").blocks()).seconds[0])
    )
    other = log(tmp_path, ["x,y,z", "1,2,3"], "other.csv")
    replayed(other, "--target", "z", "--understood", str(record), code=2)
    assert "is of another log" in capsys.readouterr().err
    for damaged in ("format = 2\n", "= 3", "", 'format = 1\nkind = "x"\ncolumn = 3\n'):
        record.write_text(damaged)
        with pytest.raises(StreamError, match=r"not a record of a log|is not TOML"):
            open_stream(str(path), target="hum", understood=str(record))


def test_the_page_is_in_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = log(tmp_path, with_line(31, "2024-03-01 05:00:00,x,y"))
    out = tmp_path / "out"
    assert (
        main(["replay", str(path), *HUM, "--no-picture", "--ram", "2KiB", "--out", str(out)]) == 0
    )
    printed = capsys.readouterr()
    page = [line for line in printed.err.splitlines() if line.startswith("log  ")]
    assert page
    for text in (printed.out, (out / "report.txt").read_text(), (out / "report.html").read_text()):
        assert "cells separated by" in text
        assert "row 31: 2024-03-01 05:00:00,x,y" in text
    assert json.loads((out / "report.json").read_text())["stream"]["understood"]


# ---- the shapes of real logs ---------------------------------------------------------------------


def seconds_of(path: Path, **options: Any) -> np.ndarray:
    stream = open_stream(str(path), labelled=False, **options)
    return np.concatenate([block.seconds for block in stream.blocks()])


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("day", "%G-W%V-%u"),
        ("day", "%GW%V%u"),
        ("when", "%G-W%V-%uT%H:%M"),
        ("day", "%Y-%j"),
        ("when", "%Y-%j %H:%M:%S"),
        ("YYYYMMDD", "%Y%m%d"),
        ("time(UTC)", "%Y%m%d:%H%M"),
        ("Timestamp", "%Y:%m:%d %H:%M:%S"),
        ("Observation period", "%Y-%m-%dT%H:%M:%S.0/2099-01-01T00:00:00.0"),
        ("Year,DOY,MST", "%Y,%j,%H%M"),
        ("Year,Month,Day,hhmm", "%Y,%m,%d,%H%M"),
    ],
)
def test_times_of_real_loggers(tmp_path: Path, name: str, shape: str) -> None:
    minutes = 10 if "H" in shape else 1440
    path = log(tmp_path, table(times(shape, 80, minutes), names=f"{name},temp,hum"))
    found = seconds_of(path)
    np.testing.assert_allclose(np.diff(found), 60.0 * minutes)
    assert found[0] == (START - datetime(1970, 1, 1)).total_seconds()
    assert open_stream(str(path), target="hum").features == ("temp",)


@pytest.mark.parametrize("shape", ["%Y%m%d%H%M", "%Y%m%d%H"])
def test_the_number_of_a_sensor_before_its_time(tmp_path: Path, shape: str) -> None:
    path = log(tmp_path, table([f"03{one}" for one in times(shape, 60, 60)])[1:])
    np.testing.assert_allclose(np.diff(seconds_of(path)), 3600.0)
    ids = [f"03{7_000_000_000 + i * 7919}" for i in range(60)]  # no dates
    path = log(tmp_path, table(ids, names="id,temp,hum"))
    assert open_stream(str(path), target="hum").features == ("id", "temp")


def test_a_carriage_return_within_a_line_does_not_end_it(tmp_path: Path) -> None:
    lines = [line.replace(",", "\r,", 1) for line in table()]
    has_all(tmp_path, lines)
    mixed = ("\r\n".join(table()[:30]) + "\n" + "\n".join(table()[30:])).encode()
    has_all(tmp_path, mixed)


def test_a_title_is_not_a_header(tmp_path: Path) -> None:
    above = ["---- made by a logger, firmware 2 ----", "Serial Number: 5", "Start 21:35"]
    above = [f'"{line}",,' for line in above]
    stream = replayed(log(tmp_path, [*above, *table()[1:]]), "--kind", "novelty")["stream"]
    assert (stream["rows_read"], stream["features"]) == (60, ["c2", "c3"])


def test_a_meters_data_file_is_refused_with_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    day = "300,20240301," + ",".join(["1.5"] * 48) + ",A,,,20240302,"
    lines = ["100,NEM12,202403020000,A,B", "200,N1,E1,,E1,,,kWh,30,", day, "900"]
    replayed(log(tmp_path, lines), "--kind", "novelty", code=2)
    assert "NEM12" in (said := capsys.readouterr().err)
    assert "nemreader" in said


# ---- what is skipped is shown as it stands -------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("2024-03-01 05:00:00;21.00;o#", "2024-03-01 05:00:00;21.00;o#"),
        ("2024-03-01 05:00:00;Err 5;on", "2024-03-01 05:00:00;Err 5;on"),
        ("never;21.00;on", "never;21.00;on"),
        ('"2024-03-01 05:00:00";"21.00";maybe', '"2024-03-01 05:00:00";"21.00";maybe'),
        (f"2024-03-01 05:00:00;21.00;{'x' * 300}", f"2024-03-01 05:00:00;21.00;{'x' * 91}..."),
        ("2024-03-01 05:00:00;\0\0;on", "2024-03-01 05:00:00;\0\0;on"),
    ],
    ids=["label", "reading", "time", "quoted", "long", "bytes"],
)
@pytest.mark.parametrize("in_a_pipe", [False, True])
def test_a_skipped_row_is_shown_as_it_stands(
    tmp_path: Path, line: str, shown: str, in_a_pipe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = table(mark=";", names="time;temp;pump", target=lambda x: "on" if x > 54 else "off")
    rows[31] = line
    path = log(tmp_path, rows)
    out = tmp_path / "out"
    words = ["--target", "pump", "--kind", "binary", "--quiet", "--ram", "2KiB", "--no-picture"]
    with path.open("rb") as file:
        if in_a_pipe:
            monkeypatch.setattr(opening, "open_source", lambda _: PipeSource(file.fileno()))
        assert main(["replay", str(path), *words, "--out", str(out)]) == 0
    (told,) = json.loads((out / "report.json").read_text())["stream"]["damages"].values()
    assert told["first"] == [f"row 31: {shown}"]


# ---- rules of the dialect ------------------------------------------------------------------------


def test_lines_of_a_preamble_are_not_rows() -> None:
    """A line above the header that is cut like a row is one only if it has a row's readings."""
    rows = [f"2024-03-01 00:{i:02},{20 + i / 10},{50 + i}" for i in range(20)]
    for above in (["Station,Berlin,4"], ["Serial,1234,", "Interval,10,"], [",,"], ["a,b,"]):
        found = laid_out([*above, "time,temp,hum", *rows])
        assert (found.header, found.data) == (len(above) + 1, len(above) + 2)
        assert found.names == ("time", "temp", "hum")
    # Rows that miss most readings still belong to the rows below them.
    found = laid_out(["time,temp,hum", "2024-03-01 00:00,,", *rows])
    assert (found.header, found.data) == (1, 2)


@pytest.mark.parametrize("first", [0, 1])
def test_numbered_columns_are_names_and_other_counts_are_readings(first: int) -> None:
    rows = [",".join(str(20 + i * k % 7) for k in range(4)) for i in range(20)]
    names = [str(first + k) for k in range(4)]
    found = laid_out([",".join(names), *rows])
    assert (found.header, found.names) == (1, tuple(names))
    for line in ("0,1,2", "2,3,4,5", "0,1,2,4", "1,2,3,3"):
        width = line.count(",") + 1
        found = laid_out([line, *(",".join(row.split(",")[:width]) for row in rows)])
        assert (found.header, found.data) == (0, 1)
    # Further down it is a row, whatever it counts.
    found = laid_out(["a,b,c,d", ",".join(names), *rows])
    assert (found.header, found.data) == (1, 2)


def test_an_empty_last_column_does_not_move_the_names(tmp_path: Path) -> None:
    """Each row ends with a separator, the header does not; its first columns are a date, a time."""
    rows = table(times("%d.%m.%Y;%H:%M"), names="Datum;von;temp;hum", mark=";")
    stream = open_stream(
        str(log(tmp_path, [rows[0], *(f"{row};" for row in rows[1:])])), target="hum"
    )
    assert stream.features == ("temp",)
    np.testing.assert_allclose(next(stream.blocks()).rows[:, 0], [a for a, _ in READINGS[:ROWS]])


@pytest.mark.parametrize("n", [12, 60])
def test_last_words_of_a_program_do_not_hide_the_times(tmp_path: Path, n: int) -> None:
    rows = table(times("%d.%m.%y;%H:%M", n), names="Datum;Zeit;temp;hum", mark=";")
    end = ["Made with love;;;", "https://example.org/app?x=1;;;", "Rate us;;;", "Thanks;;;"]
    found = replayed(log(tmp_path, [*rows, ";;;", *end]), "--kind", "novelty")["stream"]
    assert (found["rows_used"], found["features"]) == (n, ["temp", "hum"])
    reasons = {why: one["rows"] for why, one in found["damages"].items()}
    assert reasons == {"column 'Datum': a cell is not a time": 4, "all of its cells are empty": 1}


@pytest.mark.parametrize("torn", ["{}", "{},21.5"])
def test_a_damaged_first_row_does_not_hide_the_names(tmp_path: Path, torn: str) -> None:
    names, first, *rows = table()
    path = log(tmp_path, [names, torn.format(first.split(",")[0]), *rows])
    found = replayed(path, "--kind", "novelty")["stream"]
    assert (found["rows_used"], found["features"]) == (len(rows), ["temp", "hum"])


def test_names_differ_from_column_to_column(tmp_path: Path) -> None:
    """An inverter writes its own name and number above each column, then the names."""
    above = [",STP6,STP6,STP6", ",A 7,A 7,A 7", ",Power,Feed,Load", "dd hh,[W],[W],[W]"]
    rows = [f"{row},7.5" for row in table()[1:]]
    stream = open_stream(str(log(tmp_path, [*above, *rows])), labelled=False)
    assert stream.features == ("Power", "Feed", "Load")


# ---- several tables in one file ------------------------------------------------------------------


def second(names: str, cells: int = 2) -> list[str]:
    """The lines of another table, whose readings are 1,000 higher."""
    when = times("%Y-%m-%d %H:%M:%S")
    return [names, *(",".join([at, *["1020.5"] * cells]) for at in when)]


@pytest.mark.parametrize("n", [160, 400])
@pytest.mark.parametrize(
    ("names", "cells"), [("time,co2,lux", 2), ("time,power", 1), ("time,a,b,c", 3)]
)
@pytest.mark.parametrize("quoted", [False, True])
def test_another_table_is_not_read_as_this_one(
    tmp_path: Path, n: int, names: str, cells: int, quoted: bool
) -> None:
    own = table(times("%Y-%m-%d %H:%M:%S", n))
    own[1] = own[1].replace("2024-03-01 00:00:00", '"2024-03-01 00:00:00"') if quoted else own[1]
    path = log(tmp_path, [*own, "", *second(names, cells), own[0], *own[2:7]])
    stream = replayed(path, "--kind", "novelty")["stream"]
    assert stream["rows_used"] == n + 5  # the first table goes on where its names come again
    first = f"line {n + 3} ({', '.join(names.split(','))})"
    reason = f"it belongs to another table, which begins in {first}: read it with --header {n + 3}"
    assert stream["damages"][reason]["rows"] == ROWS + 1
    other = open_stream(str(path), labelled=False, header=n + 3)
    assert other.features == tuple(names.split(",")[1:])
    rows = np.concatenate([block.rows for block in other.blocks(ROWS)])
    np.testing.assert_array_equal(rows, np.full((ROWS, cells), 1020.5))


@pytest.mark.parametrize(
    "lines",
    [
        ["wifi,lost,again"],  # no name of this table
        ["boot,ok"],  # the next row does not fit it
        ["time,lost,again", "one,more,word"],  # no reading follows
        ["retry,now", "retry,12"],  # rows of the table are those with its width
        ["time,time,hum"],
    ],
)
def test_words_among_the_rows_are_not_names_of_another_table(
    tmp_path: Path, lines: list[str]
) -> None:
    own = table()
    path = log(tmp_path, [*own[:31], *lines, *own[31:]])
    assert replayed(path, "--kind", "novelty")["stream"]["rows_used"] == ROWS


def test_rows_of_words_alone_are_one_table(tmp_path: Path) -> None:
    words = ["shape,colour", *(f"{'abc'[i % 3]},{'de'[i % 2]}" for i in range(40)), "shape,12"]
    stream = open_stream(str(log(tmp_path, words)), target="shape", categories="onehot")
    assert not any(block.damage for block in stream.blocks())


def test_a_header_past_the_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="no line contains the column names"):
        open_stream(str(log(tmp_path, table())), labelled=False, header=10**15)


# ---- advice fits what the column holds -----------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "why", "is_text"),
    [
        (("16.09 °C", "61.2 °F"), r"numbers with different units: '°C', '°F'|'°F', '°C'", False),
        (("16.09 °C at 5", "16.1 °C at 7"), r"numbers with further text, such as '16.1", False),
        (("12A", "7B"), r"text, such as '7B'", True),
        (("on stair 5", "off"), r"text, such as 'off'", True),
    ],
)
def test_words_are_made_of_text_and_not_of_measurements(
    tmp_path: Path, cells: tuple[str, str], why: str, is_text: bool
) -> None:
    names, *rows = table()
    path = log(
        tmp_path, [f"{names},power", *(f"{row},{cells[i % 2 - 1]}" for i, row in enumerate(rows))]
    )
    (note,) = (one for one in open_stream(str(path), target="hum").notes if "'power'" in one)
    with pytest.raises(StreamError) as refused:
        open_stream(str(path), target="hum", categories="refuse")
    for message in (note, str(refused.value)):
        assert re.search(why, message)
        assert ("--categories onehot" in message) == is_text
