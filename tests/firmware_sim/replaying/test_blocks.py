"""A replay reports the same, bit for bit, whatever blocks its rows come in."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.replaying import blocks
from firmware_sim.replaying.loop import Replay
from firmware_sim.report import to_dict
from firmware_sim.streams import Sample, Stream, stream

HEAD = "when,a,b,word,c,label"


@pytest.fixture(autouse=True)
def several_of_each_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are read one by one come in several blocks too."""
    monkeypatch.setattr(stream, "ROWS", 128)


def lines(n: int = 330) -> list[str]:
    rng = np.random.default_rng(3)
    out = []
    for at, (a, b, c) in enumerate(rng.normal(size=(n, 3)).tolist()):
        when = f"2020-01-{1 + at // 144:02d} {at // 6 % 24:02d}:{at % 6}0:00"
        out.append(f"{when},{a!r},{b:.3e},{'xyz'[at % 3]},{c:.4f},{int(a + b > 0)}")
    return out


def table(rows: list[str], path: Path) -> str:
    path.write_text("\n".join([HEAD, *rows, ""]), encoding="utf-8")
    return str(path)


def told(config: fs.ReplayConfig, **options: Any) -> Any:
    """The report of a replay, without what the clock says; or what it raises."""
    try:
        result = Replay(config).run(**options)
    except fs.SimulatorError as error:
        return f"{type(error).__name__}: {error}"
    data = to_dict(result)
    del data["host"]
    return data


def both(monkeypatch: pytest.MonkeyPatch, make: Any, options: Any = dict) -> Any:
    """The reports of blocks of one row and of many, which are equal; return that."""
    many = told(make(), **options())
    with monkeypatch.context() as patch:
        in_blocks_of(1, patch)
        one = told(make(), **options())
    assert many == one
    return many


def in_blocks_of(size: int, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(blocks, "_FIRST", size)
    patch.setattr(blocks, "_MAX", size)


#: Little memory, which is soon full.
OPTIONS = {"categories": "onehot", "ram": "4KiB", "target": "label"}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"algorithm": "ogd", "scale": "minmax"},
        {"algorithm": "pa1", "gamma": 0.5, "dtype": "int8"},
        {"kind": "multiclass"},
        {"kind": "multiclass", "target": "word", "algorithm": "pa1", "gamma": 0.5},
        {"kind": "regression", "target": "c", "params": {"history": False}},
        {"kind": "regression", "target": "c", "algorithm": "ogd", "gamma": 0.5},
        {"kind": "novelty"},
        {"kind": "novelty", "target": None},
        {"missing": "last"},
        {"missing": "mean"},
        {"missing_codes": (-9.0,)},
        {"limit": 233},
        {"missing": "stop"},
        {"positive": "0"},
        {"positive": "7"},
        {"categories": "hash"},
        {"row": "int16"},
        {"row": "float64", "algorithm": "ogd", "gamma": 0.5},
        {"row": "int16", "algorithm": "ogd", "gamma": 0.5, "scale": "none"},
        {"scale": "common"},
        {"dtype": "float64"},
        {"damaged": "stop"},
        {"label_delay": "5"},
        {"label_delay": "3600s", "time": "when", "power_cut": "every=90", "checkpoint_every": 40},
        {"power_cut": "random=0.02", "checkpoint_every": 17},
        {"ask": True, "algorithm": "pa1", "gamma": 0.5},
        {"kind": "regression", "target": "c", "params": {"horizon": 3}},
        {"kind": "regression", "target": "c", "params": {"horizon": 3}, "label_delay": "5"},
    ],
    ids=str,
)
@pytest.mark.parametrize("broken", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.spread(12)
def test_reports_are_equal(
    changes: dict[str, Any], broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = lines()
    if broken:
        # Absent readings and labels, codes, cells that are no numbers, lines that are no rows.
        for at, change in (
            (3, ("", "1")), (150, ("NaN", "")), (151, ("-9", "1")), (152, ("-9.0", "none")),
            (220, ("1_0", "1")), (221, ("warm", "0")), (260, ("inf", "1")), (320, (" n/a ", "1")),
        ):  # fmt: skip
            cells = rows[at].split(",")
            cells[1], cells[-1] = change
            rows[at] = ",".join(cells)
        rows[200] += ",9"
        rows[290] = "2020,1"
        rows.insert(310, "")
    path = table(rows, tmp_path / "a.csv")
    options = {**OPTIONS, **changes}
    report = both(monkeypatch, lambda: fs.ReplayConfig(path, **options))
    assert isinstance(report, str) == (changes.get("positive") == "7")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"params": {"history": True, "interval": (0.8, 0.95)}},
        {"params": {"season": 24}},
        {"missing": "last"},
        {"dtype": "float64"},
        {"row": "int16"},
        {"gap": 600.0},
        {"gap": 600.0, "label_delay": "3"},
        {"label_delay": "1"},
        {"label_delay": "7"},
        {"label_delay": "7", "label_queue": 4, "label_missing": 0.2},
        {"label_delay": "3600s", "time": "when"},
        {"label_delay": "3600s", "time": "when", "label_queue": 3},
        {"label_missing": 0.3},
        {"limit": 233, "label_delay": "7"},
    ],
    ids=str,
)
@pytest.mark.parametrize("broken", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.spread(18)
def test_reports_of_forecasters_are_equal(
    changes: dict[str, Any], broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = lines()
    if broken:
        # Absent readings and targets, readings beyond the row buffer, targets beyond the learner.
        for at, place, cell in (
            (3, 1, ""), (4, 4, "none"), (150, 1, "1e39"), (200, 4, "1e20"), (220, 4, "nan"),
            (221, 1, "warm"), (222, 4, "-1e120"), (223, 2, "1e300"), (290, 4, "3e15"),
        ):  # fmt: skip
            cells = rows[at].split(",")
            cells[place] = cell
            rows[at] = ",".join(cells)
    path = table(rows, tmp_path / "a.csv")
    options = {**OPTIONS, "kind": "regression", "target": "c", **changes}
    both(monkeypatch, lambda: fs.ReplayConfig(path, **options))


@pytest.mark.parametrize("size", [7, 64])
@pytest.mark.parametrize("kind", ["regression", "novelty"])
@pytest.mark.spread(4)
def test_stops_in_time_wherever_blocks_end(
    kind: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = lines(200 if kind == "regression" else 500)  # anomalies are judged from row 200 on
    for year, at in enumerate((4, 64, 65, 66, 128, len(rows) - 100), 2021):
        rows[at - 2] = "," + rows[at - 2].partition(",")[2]  # nobody knows when
        rows[at:] = [f"{year}{row[4:]}" if row[0] == "2" else row for row in rows[at:]]
    path = table(rows, tmp_path / "a.csv")
    options = {**OPTIONS, "target": "c" if kind == "regression" else "label", "time": "when"}
    config = fs.ReplayConfig(path, **options, kind=kind, gap=3000.0)
    in_blocks_of(size, monkeypatch)
    report = both(monkeypatch, lambda: config)
    assert report["metrics"] != told(replace(config, gap=None))["metrics"]


@pytest.mark.parametrize(
    "content",
    [
        '"2020-01-01 00:00:00",1,2,x,3,1',
        '2020-01-01 00:00:00,1,2,"x\ny",3,1',
        '2020-01-01 00:00:00,1,2,"x,3,1',
        "2020-01-01 00:00:00,1,2,x,3,maybe",
        "2020-01-01 00:00:00,1,2,\N{LATIN SMALL LETTER U WITH DIAERESIS},3,1",
        "2020-01-01 00:00:00,1e400,-.5e-3,x, 3 ,1.0",
        "2020-01-01 00:00:00,\N{ARABIC-INDIC DIGIT THREE},2,x,3,1",
        "2020-01-01 00:00:00,1,2,x,3,1\r",
        "no time,1,2,x,3,1",
        "2020-01-01 00:00:00,1_0,2,x,3,1",
    ],
    ids=ascii,
)
@pytest.mark.spread(6)
def test_lines_that_a_fast_reader_refuses(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = lines()
    rows[290] = content
    path = table(rows, tmp_path / "a.csv")
    both(monkeypatch, lambda: fs.ReplayConfig(path, **OPTIONS))


@pytest.mark.parametrize("damage", [b"\xff", b"\0"])
@pytest.mark.parametrize("limit", [None, 400])
@pytest.mark.spread(6)
def test_a_file_that_ends_in_rubbish(
    damage: bytes, limit: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(table(lines(1500), tmp_path / "a.csv"))
    data = path.read_bytes()
    path.write_bytes(data[:-20] + damage + data[-20:])
    report = both(monkeypatch, lambda: fs.ReplayConfig(str(path), limit=limit, **OPTIONS))
    assert isinstance(report, dict)
    assert report["stream"]["rows_damaged"] == (limit is None)


@pytest.mark.parametrize("rows", [0, 1, 63, 64, 300])
def test_who_stops_it_and_when(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def options() -> dict[str, Any]:
        asked = itertools.count()
        return {"should_stop": lambda: next(asked) == rows}

    config = fs.ReplayConfig("occupancy", ram="4KiB")
    report = both(monkeypatch, lambda: config, options)
    assert report["stream"]["rows_read"] == rows


def test_labels_behind_the_last_row_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words that may be a class or none: only those of rows that were read are doubted."""
    rows = [
        row.rpartition(",")[0] + f",{'on' if at % 2 else 'off'}" for at, row in enumerate(lines())
    ]
    rows[150:] = [row.rpartition(",")[0] + ",none" for row in rows[150:]]
    path = table(rows, tmp_path / "a.csv")

    def options() -> dict[str, Any]:
        asked = itertools.count()
        return {"should_stop": lambda: next(asked) == 140}

    config = fs.ReplayConfig(path, **{**OPTIONS, "positive": "on"})
    assert both(monkeypatch, lambda: config, options)["stream"]["rows_read"] == 140
    assert "none" in str(both(monkeypatch, lambda: config))


@pytest.mark.parametrize(
    "faults",
    [
        ("dropout:column=a,p=0.1", "stuck:column=b,from=100,to=200"),
        ("spike:p=0.05", "drift:column=a,gain=2", "duplicate:p=0.1"),
        ("duplicate:p=0.2", "burst:p=0.05,rows=7"),
        ("gap:p=0.02,rows=20", "noise:sd=0.5"),
        ("flip:p=0.2", "without:label=1,p=0.5"),
    ],
    ids=str,
)
@pytest.mark.parametrize("stops", [None, 257])
@pytest.mark.spread(12)
def test_reports_of_broken_sensors_are_equal(
    faults: tuple[str, ...], stops: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many rows each fault befell among them, also where somebody stops it."""

    def options() -> dict[str, Any]:
        asked = itertools.count()
        return {"should_stop": lambda: next(asked) == stops}

    path = table(lines(), tmp_path / "a.csv")
    config = fs.ReplayConfig(path, faults=faults, missing="last", **OPTIONS)
    report = both(monkeypatch, lambda: config, options)
    assert any(fault["rows"] for fault in report["faults"]["faults"])


def test_a_broken_sensor_that_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(lines(), tmp_path / "a.csv")
    faults = ("dropout:column=a,p=0.01", "noise:sd=0.1")
    config = fs.ReplayConfig(path, faults=faults, missing="stop", **OPTIONS)
    assert both(monkeypatch, lambda: config)["status"] == "stopped"


@pytest.mark.parametrize("missing", ["skip", "last"])
@pytest.mark.parametrize(
    "changes",
    [
        {"power_cut": "at=100000"},
        {"power_cut": "at=100000", "checkpoint_every": 50},
        {"damaged": "stop"},
    ],
    ids=str,
)
def test_what_may_happen_between_rows_changes_nothing_where_it_does_not(
    changes: dict[str, Any], missing: str, tmp_path: Path
) -> None:
    """A cut that never comes, checkpoints that nobody needs, damage that is not there."""
    rows = lines(300)
    for at in (3, 150):
        cells = rows[at].split(",")
        cells[1] = ""
        rows[at] = ",".join(cells)
    path = table(rows, tmp_path / "a.csv")
    plain = fs.ReplayConfig(path, missing=missing, **OPTIONS)
    fast, slow = told(plain), told(replace(plain, **changes))
    for part in ("metrics", "curve", "learner", "inputs", "row"):
        assert slow[part] == fast[part], part
    for count in ("rows_read", "rows_used", "rows_refused"):
        assert slow["stream"][count] == fast["stream"][count]


def test_rows_that_the_learner_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = lines()
    for at in (100, 101, 300):
        rows[at] = "2020-01-01 00:00:00,1e300,1,x,1,1"
    path = table(rows, tmp_path / "a.csv")
    options = {**OPTIONS, "scale": "none", "gamma": 0.5, "algorithm": "pa1"}
    report = both(monkeypatch, lambda: fs.ReplayConfig(path, **options))
    assert report["stream"]["rows_refused"] == 3


@pytest.mark.parametrize("row", ["float32", "int16"])
@pytest.mark.parametrize("algorithm", ["sorf", "pa1"])
def test_readings_that_do_not_fit_the_row_buffer(
    algorithm: str, row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = lines()
    for at, reading in ((2, "1e39"), (65, "-4e38"), (66, "1e39"), (250, "40000"), (329, "3e38")):
        rows[at] = f"2020-01-01 00:00:00,{reading},1,x,1,1"
    path = table(rows, tmp_path / "a.csv")
    options = {**OPTIONS, "algorithm": algorithm, "row": row}
    report = both(monkeypatch, lambda: fs.ReplayConfig(path, **options))
    assert report["stream"]["rows_refused"] == (3 if row == "float32" else 5)
    assert report["row"]["type"] == row
    assert (report["row"]["unlike"] > 0) is (row == "int16")


def test_blocks_do_not_depend_on_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    config = fs.ReplayConfig("occupancy", ram="4KiB", limit=1000)
    whole = told(config)
    for size in (7, 1000):
        in_blocks_of(size, monkeypatch)
        assert told(config) == whole


@pytest.mark.parametrize(
    ("seconds", "sizes"), [(1.0, [256, 128, 64, 32, 16, 8, 4, 2, 1, 1]), (0.0, [256, 512])], ids=str
)
def test_blocks_take_as_long_as_an_interrupt_may_wait(
    seconds: float, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count(0.0, seconds)
    monkeypatch.setattr(blocks, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    rows: list[int] = []
    Replay(fs.ReplayConfig("occupancy", limit=800)).run(on_rows=rows.append)
    assert rows[: len(sizes)] == sizes


def test_the_next_block_is_read_while_one_is_learned() -> None:
    second = threading.Event()

    def read() -> Iterator[Any]:
        yield "first"
        second.set()
        yield "second"
        raise ValueError("the third is damaged")

    found = blocks.ahead(read())
    assert next(found) == "first"
    assert second.wait(10.0)
    assert next(found) == "second"
    with pytest.raises(ValueError, match="the third"):
        next(found)


class Live(Stream):
    """Rows that come once."""

    name, target, features, kept = "live", "label", ("a",), 0

    def __init__(self) -> None:
        self.n_read = 0

    def samples(self, row: Any) -> Iterator[Sample]:
        for number in range(1, 1001):
            self.n_read, row[0] = number, number % 7
            yield Sample(number, str(number % 2))


def test_of_a_live_stream_no_row_is_read_before_it_is_needed() -> None:
    live, given, ahead = Live(), 0, []

    def count(n: int) -> None:
        nonlocal given
        given += n
        ahead.append(live.n_read - given)

    Replay(fs.ReplayConfig(live, ram="4KiB")).run(on_rows=count)
    assert given == 1000
    assert set(ahead) == {0}
