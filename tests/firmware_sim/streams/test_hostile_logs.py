"""Logs that were damaged on purpose: they are read or refused in a sentence, soon and in bounds."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.errors import SimulatorError
from firmware_sim.streams import Stream, open_stream
from firmware_sim.streams.live import LiveStream
from firmware_sim.streams.page import inspect_rows, page
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.streams.stdin import PipeSource

N = 24
ROWS = [(20.0 + i % 7 / 2, 50.0 + i % 5, "on" if i % 3 else "off") for i in range(N)]


def lines(mark: str = ",", when: str = "2024-03-01 {:02}:00:00", head: str = "") -> bytes:
    rows = (mark.join([when.format(i), *map(str, row)]) for i, row in enumerate(ROWS))
    return (
        head + mark.join(("time", "temp", "hum", "state")) + "\n" + "\n".join(rows) + "\n"
    ).encode()


def zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("log.csv", data)
    return out.getvalue()


OBJECTS = [
    {"t": f"2024-03-01T{i:02}:00:00Z", "a": a, "n": {"b": b}} for i, (a, b, _) in enumerate(ROWS)
]
HISTORY = "entity_id,state,last_changed\n" + "".join(
    f"s.{'ab'[i % 2]},{a},2024-03-01T{i:02}:00:00Z\n" for i, (a, _, _) in enumerate(ROWS)
)
LOGS = [
    lines(),
    lines(";"),
    lines("\t"),
    lines(" | "),
    lines(when="{:02}/03/2024 10:00 PM"),
    lines(when='"Mar {}, 2024"', head="sep=,\n# a logger\n"),
    lines(when="2024030{:02}"),
    lines("  ", when="17000{:02}000"),
    lines()[21:],
    lines().replace(b".0", b",5").replace(b",", b";"),
    lines().replace(b"\n", b"\r\n"),
    lines().decode().encode("utf-16"),
    lines(head='"TOA5","x"\n').replace(b"time,", b'"TS","RN","",""\n"time",'),
    "\n".join(f"{a} °C,{b:,.1f} %,{c}" for a, b, c in ROWS).encode(),
    "\n".join(f"{a} °C;{b} %".replace(".", ",") for a, b, _ in ROWS).encode("cp1252"),
    "\n".join(map(json.dumps, OBJECTS)).encode(),
    json.dumps(OBJECTS, indent=1).encode(),
    json.dumps({"feeds": OBJECTS}).encode(),
    HISTORY.encode(),
    b"@relation s\n@attribute a real\n@attribute b real\n@attribute c {on,off}\n@data\n"
    + lines()[50:],
    b"".join(b"%d 1:%f 2:%f\n" % (i % 2, a, b) for i, (a, b, _) in enumerate(ROWS)),
    gzip.compress(lines(), mtime=0),
    bz2.compress(lines()),
    lzma.compress(lines()),
    zipped(lines()),
]
PIECES = [
    b'"',
    b'""',
    b"'",
    b"\0",
    b"\0" * 600,
    b"\xff\xfe",
    b"\x80",
    b"\n",
    b"\n" * 300,
    b"\r",
    b"\r\n\r\n",
    b",",
    b";" * 50,
    b"\t",
    b"|",
    b" " * 80,
    b"#",
    b"%",
    b"sep=|\n",
    b"-999",
    b"1e400",
    b"nan",
    b"--",
    b"99/99/9999",
    b"2024-02-30 25:61:61",
    b"31.12.99",
    b"12:00",
    b"+00:99",
    b"[Mars/Olympus]",
    b"%Y%m",
    "°C".encode(),
    "\u2212".encode(),
    "\u202e".encode(),
    "٣".encode(),
    b"1,234,567.8",
    b"1'000",
    b"0x1F",
    b"1_0",
    b"{",
    b"}",
    b"[",
    b'{"a":',
    b"[[[[[[[[",
    b"@data\n",
    b"@attribute x {",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"a" * 3_000,
    b"9" * 400,
    b"1:" * 99,
    b"time,temp,hum,state\n",
    b"\x1b[31m",
    b"\xed\xa0\x80",
    b"&&",
]


def damaged(rng: np.random.Generator) -> bytes:
    """One of the logs with some damage."""
    data = bytearray(LOGS[rng.integers(len(LOGS))])
    for _ in range(rng.integers(1, 6)):
        at, end = sorted(rng.integers(0, len(data) + 1, 2).tolist())
        what = rng.integers(10)
        if what < 4:
            data[at:at] = PIECES[rng.integers(len(PIECES))]
        elif what == 4 and data:
            data[min(at, len(data) - 1)] = int(rng.integers(256))
        elif what == 5:
            del data[at : min(end, at + 40)]
        elif what == 6:
            data[at:at] = data[at : min(end, at + 200)] * int(rng.integers(1, 4))
        elif what == 7:
            data[at : at + 1] = rng.bytes(int(rng.integers(1, 30)))
        elif what == 8:
            some = bytes(data).split(b"\n")
            rng.shuffle(some)  # type: ignore[arg-type]
            data = bytearray(b"\n".join(some))
        else:
            other = LOGS[rng.integers(len(LOGS))]
            data[at:] = other[len(other) // 2 :]
    pack = rng.integers(40)
    whole = bytes(data)
    return gzip.compress(whole, 1) if pack == 0 else zipped(whole) if pack == 1 else whole


def opened(path: Path, rng: np.random.Generator, data: bytes) -> Stream:
    """The stream of a damaged log, as a file or as a pipe, with options here and there."""
    options: dict[str, object] = {"labelled": False}
    if rng.integers(3) == 0:
        options |= {"target": ["hum", "state", "label", "c2", "a"][rng.integers(5)], "alone": True}
    if rng.integers(6) == 0:
        options |= [
            {"sep": ";"},
            {"sep": " "},
            {"header": 1},
            {"header": 3},
            {"header": 0},
            {"comment": "1"},
            {"time": "none"},
            {"time_format": "%d/%m/%Y %H:%M"},
            {"dayfirst": True},
            {"clock": True},
            {"categories": "onehot"},
            {"categories": "hash"},
            {"missing": "last"},
            {"time": "time"},
        ][rng.integers(14)]
    if rng.integers(4) == 0 and len(data) < 60_000:
        reader, writer = os.pipe()
        os.write(writer, data)
        os.close(writer)
        source = PipeSource(reader, "a pipe")
        source.asked = {
            name: options.pop(name) for name in ("header", "comment") if name in options
        }
        if "sep" in options:
            source.asked["separator"] = options.pop("sep")  # type: ignore[index]
        try:
            live = LiveStream(source, ReadingOptions(**options))  # type: ignore[arg-type]
            live.close = lambda: os.close(reader)  # type: ignore[method-assign]
            return live
        except BaseException:
            os.close(reader)
            raise
    path.write_bytes(data)
    return open_stream(str(path), **options)  # type: ignore[arg-type]


def read(path: Path, seed: int) -> None:
    """Damage a log and read it; whatever is raised but a refusal is the fault of the reader."""
    rng = np.random.default_rng(seed)
    data = damaged(rng)
    began = time.process_time()
    replays, refused = rng.integers(40) == 0, ""
    try:
        if replays:
            path.write_bytes(data)
            kind = (
                {"kind": "novelty"} if rng.integers(2) else {"kind": "regression", "target": "hum"}
            )
            fs.replay(fs.ReplayConfig(str(path), ram="2KiB", frozen_after=0, **kind))  # type: ignore[arg-type]
        else:
            stream = opened(path, rng, data)
            number, width = 0, len(stream.features)
            for block in stream.blocks():
                assert block.rows.shape == (len(block), width)
                assert len(block.labels.places) == len(block.seconds) == len(block)
                assert block.first == number + 1
                number += len(block)
            if stream.kept is None and rng.integers(3) == 0:
                assert stream.count() == number
                lines_ = page(stream, inspect_rows(stream, None, all_rows=True), all_rows=True)
                assert len("\n".join(lines_)) < 60_000
            stream.close()
    except SimulatorError as error:
        refused = str(error)
    assert len(refused) < 20_000
    assert time.process_time() - began < 20.0


@pytest.mark.parametrize("part", range(4))
def test_mutated_logs(tmp_path: Path, part: int) -> None:
    for seed in range(75):
        read(tmp_path / "log", 1_000 * part + seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_a_hundred_thousand_mutated_logs(tmp_path: Path, part: int) -> None:
    """One in ten with its memory traced, which takes three times as long."""
    for seed in range(5_000):
        if seed % 10:
            read(tmp_path / "log", 1_000_000 + 10_000 * part + seed)
            continue
        tracemalloc.start()
        try:
            read(tmp_path / "log", 1_000_000 + 10_000 * part + seed)
            # As for bombs: a LIBSVM row may have 2^20 readings.
            assert tracemalloc.get_traced_memory()[1] < 400 << 20
        finally:
            tracemalloc.stop()


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    "make",
    [
        lambda: gzip.compress(b"a,b\n1,2\n" + b"7" * (80 << 20)),
        lambda: zipped(b"a,b\n1,2\n" + b"\0" * (80 << 20)),
        lambda: bz2.compress(b"a,b\n1,2\n" + b"1,2" * (20 << 20)),
        lambda: zipped(zipped(b"0" * (80 << 20))),
        lambda: gzip.compress(gzip.compress(b"0" * (80 << 20))),
        lambda: b"[" * 5_000_000,
        lambda: b'{"a":' * 2_000_000,
        lambda: b'"' * 4_000_000,
        lambda: b"a,b\n" + b'"\n' * 900_000,
        lambda: b"," * 4_000_000,
        lambda: b"@attribute a real\n" * 300_000,
        lambda: b"1 1:1\n2 1048576:1\n",
        lambda: b"1 1:1\n2 1048576:1\n" * 30,
    ],
    ids=range(13),
)  # fmt: skip
def test_bombs(tmp_path: Path, make: Callable[[], bytes]) -> None:
    path = tmp_path / "log"
    path.write_bytes(make())
    began, refused = time.process_time(), ""
    tracemalloc.start()
    try:
        stream = open_stream(str(path), labelled=False)
        for _ in stream.blocks(20_000):
            pass
    except SimulatorError as error:
        refused = str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert len(refused) < 20_000
    assert peak < 400 << 20
    assert time.process_time() - began < 60.0
