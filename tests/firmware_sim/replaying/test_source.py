"""Where the rows of a replay come from: opened once, with faults, and what they settle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.replaying.source import Source
from firmware_sim.streams import Stream, opening
from firmware_sim.streams.cached import HeldStream
from firmware_sim.streams.stdin import PipeSource


def log(folder: Path) -> str:
    path = folder / "log.csv"
    rows = [f"{1_700_000_000 + 3600 * t},{t},{'abc'[t % 3]},{t % 2}" for t in range(60)]
    path.write_text("\n".join(["time,x,word,bit", *rows, ""]))
    return str(path)


def readings(stream: Stream) -> np.ndarray:
    return np.concatenate([block.rows for block in stream.blocks()])[:, 0]


@pytest.mark.parametrize("cached", [False, True])
def test_faults_are_in_the_stream_and_not_in_the_clean_one(tmp_path: Path, cached: bool) -> None:
    config = fs.ReplayConfig(
        log(tmp_path), target="bit", ignore=("word",), faults=("stuck:column=x,from=10,to=20",)
    )
    source = Source(config, cached=cached)
    assert readings(source.clean).tolist() == [*range(60)]
    broken = readings(source.stream)
    assert len(np.unique(broken[9:20])) == 1
    Path(str(config.stream)).unlink()
    if cached:  # the rows are in memory
        assert readings(source.stream).tolist() == broken.tolist()
    source.close()


@pytest.mark.parametrize(
    ("options", "settled"),
    [
        ({"target": "word", "kind": "multiclass"}, {"classes": ("a", "b", "c")}),
        ({"forecast": "x", "horizon": "6h", "season": 24}, {"horizon": 6, "season": 24}),
        ({"forecast": "x", "horizon": 2, "season": "1d"}, {"horizon": 2, "season": 24}),
        ({"target": "bit"}, {"classes": (), "horizon": 1}),
    ],
)
def test_what_the_rows_settle(
    tmp_path: Path, options: dict[str, Any], settled: dict[str, Any]
) -> None:
    source = Source(fs.ReplayConfig(log(tmp_path), **options))
    config, _, _ = source.resolve(fs.ReplayConfig(log(tmp_path), **options))
    assert {name: getattr(config, name) for name in settled} == settled
    source.close()


def test_a_positive_label_that_never_occurs_is_an_error_of_a_whole_stream(tmp_path: Path) -> None:
    config = fs.ReplayConfig(log(tmp_path), target="word", positive="d")
    source = Source(config)
    with pytest.raises(fs.SimulatorError, match="'d'"):
        source.resolve(config)
    assert source.resolve(config, has_all_labels=False)[0] == config
    source.close()


def test_rows_that_are_held_keep_what_made_them(tmp_path: Path) -> None:
    config = fs.ReplayConfig(log(tmp_path), target="bit", ignore=("word",), window=32, hop=4)
    stream = Source(config).stream
    held = HeldStream(stream, list(stream.blocks()))
    assert held.windows == stream.windows is not None
    result = fs.replay(config.of_rows(held))
    assert result.rows.used == 8
    assert [part.name for part in result.layout.parts if part.name == "windows"] == ["windows"]


def test_a_stream_that_was_given_stays_open(tmp_path: Path) -> None:
    config = fs.ReplayConfig(log(tmp_path), target="bit", ignore=("word",), window=32, hop=4)
    stream = Source(config).stream
    held = HeldStream(stream, list(stream.blocks()))
    Source(config.of_rows(held)).close()
    assert held.count() == 8


@pytest.mark.parametrize("faults", [(), ("stuck:column=x,from=10,to=20",)])
def test_rows_that_were_read_for_their_classes_are_not_read_again(
    tmp_path: Path, faults: tuple[str, ...]
) -> None:
    config = fs.ReplayConfig(log(tmp_path), target="word", kind="multiclass", faults=faults)
    source = Source(config)
    expected = readings(source.stream).tolist()
    source.resolve(config)
    if not faults:  # the clean rows are held
        Path(str(config.stream)).unlink()
    assert readings(source.once).tolist() == expected
    source.close()
    assert source.once is source.stream


def test_what_a_pass_over_the_labels_cannot_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No label at all: the replay says so. The classes of a live stream: the user names them."""
    path = tmp_path / "empty.csv"
    path.write_text("x,word\n" + "1,\n2,\n" * 20)
    config = fs.ReplayConfig(str(path), target="word", positive="d", kind="binary")
    assert Source(config).resolve(config)[0] == config
    data = Path(log(tmp_path)).read_bytes()
    monkeypatch.setattr(opening, "open_source", lambda _: PipeSource(blocks=iter([data, b""])))
    config = fs.ReplayConfig("-", target="word", kind="multiclass", idle=0.1)
    with pytest.raises(fs.SimulatorError, match="name the classes with --classes A,B,C"):
        Source(config).resolve(config)


def test_windows_that_one_channel_does_not_have_are_refused(tmp_path: Path) -> None:
    config = fs.ReplayConfig(
        log(tmp_path), target="bit", ignore=("word",), window=32, features=("correlation",)
    )
    with pytest.raises(fs.SimulatorError, match=r"log.csv: .*correlation needs 2 channels, got 1"):
        Source(config)
