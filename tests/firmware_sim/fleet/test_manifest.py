"""Manifests and configurations: what is read, and what is refused with its remedy."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from types import SimpleNamespace

import pytest
from fleets import write_fleet, write_stream

from firmware_sim.cli import main
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.errors import SimulatorError
from firmware_sim.fleet import Configuration, configurations, read_configurations, read_manifest
from firmware_sim.fleet.configurations import FIELDS
from firmware_sim.fleet.manifest import COLUMNS


def test_a_table_gives_boards_with_their_options(tmp_path):
    manifest, _ = write_fleet(tmp_path, boards=3)
    boards = read_manifest(str(manifest), {"target": "other", "positive": "1"})
    assert [board.device for board in boards] == ["board0", "board1", "board2"]
    assert boards[0].stream == "logs/log0.csv"
    assert boards[0].path == str(tmp_path / "logs" / "log0.csv")
    assert boards[0].options == {"target": "label", "positive": "1"}  # the manifest's own wins
    assert boards[1].options["missing"] == "last"
    assert boards[2].options["faults"] == (
        "noise:column=a,sd=0.5",
        "dropout:column=b,p=0.1",
    )


def test_the_clock_is_said_for_all_boards_or_for_some(tmp_path):
    lines = [f"2024-03-04 {i % 24:02}:00,{i % 5},{int(i % 24 < 9)}" for i in range(240)]
    (tmp_path / "a.csv").write_text("\n".join(["at,x,label", *lines]) + "\n")
    path = tmp_path / "manifest.csv"
    path.write_text("stream,device,clock\na.csv,one,yes\na.csv,two,\na.csv,three,no\n")
    boards = read_manifest(str(path), {"target": "label"})
    assert [board.options.get("clock") for board in boards] == [True, None, False]
    path.write_text("stream,clock\na.csv,noon\n")
    with pytest.raises(SimulatorError, match="'noon' is neither true nor false"):
        read_manifest(str(path))
    words = ["fleet", str(tmp_path / "*.csv"), "--target", "label", "--quiet", "--no-progress"]
    (tmp_path / "c.toml").write_text('[a]\nram = "4KiB"\n')
    words += ["--configs", str(tmp_path / "c.toml"), "--workers", "1"]
    path.unlink()
    wrong = {}
    for more in ((), ("--clock",)):
        assert main([*words, "--out", str(tmp_path / "-".join(["o", *more])), *more]) == 0
        records = (
            (tmp_path / "-".join(["o", *more]) / "records.jsonl")
            .read_text(encoding="utf-8")
            .splitlines()
        )
        (only,) = map(json.loads, records)
        wrong[bool(more)] = only["wrong"]
    assert wrong[True] < 0.5 * wrong[False]


def test_a_pattern_gives_a_board_a_file(tmp_path):
    write_fleet(tmp_path, boards=3)
    boards = read_manifest(str(tmp_path / "logs" / "*.csv"), {"target": "label"})
    assert [board.device for board in boards] == ["log0", "log1", "log2"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("path\nx.csv\n", "needs 'stream'"),
        ("stream,colour\nx.csv,red\n", "colour"),
        ("stream\n", "no board"),
        ("stream,limit\nx.csv,many\n", "row 1"),
        ("stream,limit\nx.csv\n", "row 1: 1 cells where the header has 2"),
        ("stream,device\na.csv,one\nb.csv,one\n", "two boards are called 'one'"),
        ("stream,device\na.csv,../one\n", "cannot be the name of a board"),
        ("stream,device\n,one\n", "no stream"),
    ],
)
def test_a_manifest_that_is_none_is_refused(tmp_path, text, why):
    path = tmp_path / "manifest.csv"
    path.write_text(text)
    with pytest.raises(SimulatorError, match=why):
        read_manifest(str(path))


def test_a_pattern_without_files_is_refused(tmp_path):
    with pytest.raises(SimulatorError, match="no file is called"):
        read_manifest(str(tmp_path / "*.csv"))


def test_configurations_are_read_from_toml_and_json(tmp_path):
    toml, json = tmp_path / "c.toml", tmp_path / "c.json"
    toml.write_text('[a]\nalgorithm = "ogd"\nram = "4KiB"\nparams = {eta = 0.5}\n')
    json.write_text('{"a": {"algorithm": "ogd", "ram": "4KiB", "params": {"eta": 0.5}}}')
    assert read_configurations(toml) == read_configurations(json)
    (one,) = read_configurations(toml)
    write_stream(tmp_path / "x.csv", 0)
    config = one.on(str(tmp_path / "x.csv"), {"target": "label"})
    assert (config.algorithm, config.cap_bytes, config.params["eta"]) == ("ogd", 4096, 0.5)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no configuration"),
        ("ram = 4096\n", "not a table"),
        ("[a]\nspeed = 3\n", "has speed"),
        ('[a]\nram = "much"\n', "much"),
        ('[a]\nscale = "cubic"\n', "scale"),
        ("[a\n", "configs.toml"),
        ("[a]\nclasses = 3\n", "configuration 'a': classes is 3, it must be a list of labels"),
        ('[a]\nclasses = "abc"\n', "classes is 'abc', it must be a list of labels"),
        ("[a]\nalgorithm = 3\n", "configuration 'a': algorithm is 3, it must be text"),
        ("[a]\npower_cut = 5\n", "power_cut is 5, it must be text"),
        ("[a]\nparams = 5\n", "params is 5, it must be a table"),
        ('[a]\nseed = "x"\n', "seed is 'x', it must be a whole number"),
        ("[a]\nseed = true\n", "seed is True, it must be a whole number"),
        ('[a]\ngamma = "x"\n', "gamma is 'x', it must be a number"),
        ("[a]\nask = 1\n", "ask is 1, it must be true or false"),
        ("[a]\nram = 3.5\n", "ram is 3.5, it must be a whole number or text"),
        ('[a]\nkind = "numbers"\n', "must be one of: binary, multiclass, regression, novelty"),
    ],
)
def test_a_file_of_configurations_that_is_none_is_refused(tmp_path, text, why):
    path = tmp_path / "configs.toml"
    path.write_text(text)
    with pytest.raises(SimulatorError, match=why):
        read_configurations(path)


def test_what_manifest_and_configurations_may_say_is_what_a_replay_has():
    known = {one.name for one in fields(ReplayConfig)}
    assert set(COLUMNS) <= known
    assert set(FIELDS) <= known


def test_other_files_of_configurations(tmp_path, monkeypatch):
    with pytest.raises(SimulatorError, match=r"cannot read .*none.toml: No such file"):
        read_configurations(tmp_path / "none.toml")
    path = tmp_path / "c.json"
    path.write_text('[{"ram": "4KiB"}]')
    with pytest.raises(SimulatorError, match="not a table of configurations"):
        read_configurations(path)
    one = Configuration("a", {"classes": ["x", "y"], "kind": "multiclass"})
    assert one.on("x.csv", {"target": "label"}).classes == ("x", "y")
    with pytest.raises(SimulatorError, match=r"configuration 'a': .*speed"):
        Configuration("a", {"speed": 3}).on("x.csv", {})


@pytest.mark.parametrize("there", [True, False])
def test_before_python_3_11_toml_needs_a_package(tmp_path, monkeypatch, there):
    tomllib = pytest.importorskip("tomllib")
    monkeypatch.setattr(configurations, "sys", SimpleNamespace(version_info=(3, 10)))
    monkeypatch.setitem(sys.modules, "tomli", tomllib if there else None)
    path = tmp_path / "c.toml"
    path.write_text('[a]\nram = "4KiB"\n')
    if there:
        assert [one.name for one in read_configurations(path)] == ["a"]
    else:
        with pytest.raises(SimulatorError, match=r"TOML needs Python 3\.11 or pip install tomli"):
            read_configurations(path)
