"""A replay by blocks reports what one does that takes each row by itself, bit for bit."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.replaying import blocks, loop
from firmware_sim.replaying.loop import Replay
from firmware_sim.report import to_dict

HEAD = "when,a,b,word,c,label"


def lines(n: int = 700) -> list[str]:
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


def both(
    monkeypatch: pytest.MonkeyPatch, make: Any, options: Any = dict, *, by_blocks: bool = True
) -> Any:
    """The reports of both loops, which are equal; return that."""
    seen: list[int] = []
    taken = loop.Accounting.take_block
    with monkeypatch.context() as patch:
        patch.setattr(
            loop.Accounting,
            "take_block",
            lambda self, block: (seen.append(len(block)), taken(self, block))[1],
        )
        fast = told(make(), **options())
    assert bool(seen) is by_blocks
    with monkeypatch.context() as patch:
        patch.setattr(loop, "goes_by_blocks", lambda *_: False)
        slow = told(make(), **options())
    assert fast == slow
    return fast


OPTIONS = {"categories": "onehot", "ram": "8KiB", "target": "label"}


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
        {"limit": 333},
        {"missing": "stop"},
        {"positive": "0"},
        {"positive": "7"},
        {"categories": "hash"},
        {"row": "int16"},
        {"row": "float64", "algorithm": "ogd", "gamma": 0.5},
        {"row": "int16", "algorithm": "ogd", "gamma": 0.5, "scale": "none"},
        {"scale": "common"},
        {"dtype": "float64"},
    ],
    ids=str,
)
@pytest.mark.parametrize("broken", [False, True])
def test_reports_are_equal(
    changes: dict[str, Any], broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = lines()
    if broken:
        # Absent readings and labels, codes, cells that are no numbers, lines that are no rows.
        for at, change in (
            (3, ("", "1")), (150, ("NaN", "")), (151, ("-9", "1")), (152, ("-9.0", "none")),
            (300, ("1_0", "1")), (301, ("warm", "0")), (420, ("inf", "1")), (640, (" n/a ", "1")),
        ):  # fmt: skip
            cells = rows[at].split(",")
            cells[1], cells[-1] = change
            rows[at] = ",".join(cells)
        rows[200] += ",9"
        rows[500] = "2020,1"
        rows.insert(600, "")
    path = table(rows, tmp_path / "a.csv")
    chosen = {**OPTIONS, **changes}
    never = changes.get("positive") == "7"
    report = both(monkeypatch, lambda: fs.ReplayConfig(path, **chosen), by_blocks=not never)
    assert isinstance(report, str) == never


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
    ],
    ids=ascii,
)
def test_lines_that_a_fast_reader_refuses(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = lines()
    rows[550] = content
    path = table(rows, tmp_path / "a.csv")
    both(monkeypatch, lambda: fs.ReplayConfig(path, **OPTIONS))


@pytest.mark.parametrize("damage", [b"\xff", b"\0"])
@pytest.mark.parametrize("limit", [None, 400])
def test_a_file_that_ends_in_rubbish(
    damage: bytes, limit: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(table(lines(9000), tmp_path / "a.csv"))
    data = path.read_bytes()
    path.write_bytes(data[:-20] + damage + data[-20:])
    report = both(monkeypatch, lambda: fs.ReplayConfig(str(path), limit=limit, **OPTIONS))
    assert isinstance(report, str) == (limit is None)


@pytest.mark.parametrize("rows", [0, 1, 63, 64, 300])
def test_who_stops_it_and_when(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def options() -> dict[str, Any]:
        asked = itertools.count()
        return {"should_stop": lambda: next(asked) == rows}

    config = fs.ReplayConfig("occupancy", ram="4KiB")
    report = both(monkeypatch, lambda: config, options, by_blocks=rows > 0)
    assert report["stream"]["rows_read"] == rows


@pytest.mark.parametrize(
    "changes",
    [
        {"label_delay": "5"},
        {"power_cut": "at=100"},
        {"faults": ("dropout:column=a,p=0.1",)},
        {"damaged": "stop"},
    ],
    ids=str,
)
def test_what_happens_between_rows_is_done_row_by_row(
    changes: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table(lines(200), tmp_path / "a.csv")
    config = fs.ReplayConfig(path, **OPTIONS, **changes)
    # The clean stream beside the faults goes by blocks.
    both(monkeypatch, lambda: config, by_blocks="faults" in changes)


@pytest.mark.parametrize("missing", ["skip", "last"])
@pytest.mark.parametrize(
    "changes",
    [
        {"power_cut": "at=100000"},
        {"power_cut": "at=100000", "checkpoint_every": 50},
        {"faults": ("dropout:column=a,p=1e-12",)},
        {"damaged": "stop"},
    ],
    ids=str,
)
def test_row_by_row_is_by_blocks_where_nothing_happens(
    changes: dict[str, Any], missing: str, tmp_path: Path
) -> None:
    """A cut that never comes, checkpoints that nobody needs, faults without effect."""
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
    for at in (100, 101, 400):
        rows[at] = "2020-01-01 00:00:00,1e300,1,x,1,1"
    path = table(rows, tmp_path / "a.csv")
    chosen = {**OPTIONS, "scale": "none", "gamma": 0.5, "algorithm": "pa1"}
    report = both(monkeypatch, lambda: fs.ReplayConfig(path, **chosen))
    assert report["stream"]["rows_refused"] == 3


@pytest.mark.parametrize("row", ["float32", "int16"])
@pytest.mark.parametrize("algorithm", ["sorf", "pa1"])
def test_readings_that_do_not_fit_the_row_buffer(
    algorithm: str, row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = lines()
    for at, reading in ((2, "1e39"), (65, "-4e38"), (66, "1e39"), (400, "40000"), (699, "3e38")):
        rows[at] = f"2020-01-01 00:00:00,{reading},1,x,1,1"
    path = table(rows, tmp_path / "a.csv")
    chosen = {**OPTIONS, "algorithm": algorithm, "row": row}
    report = both(monkeypatch, lambda: fs.ReplayConfig(path, **chosen))
    assert report["stream"]["rows_refused"] == (3 if row == "float32" else 5)
    assert report["row"]["type"] == row
    assert (report["row"]["unlike"] > 0) is (row == "int16")


def test_blocks_do_not_depend_on_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    config = fs.ReplayConfig("occupancy", ram="4KiB", limit=1000)
    whole = told(config)
    for size in (1, 7, 1000):
        monkeypatch.setattr(blocks, "_FIRST", size)
        monkeypatch.setattr(blocks.BlockFeed, "_resize", lambda *_: None)
        assert told(config) == whole
