"""States with right checksums that no learning leads to: C takes those that the library takes.

What is taken is learned on with, compiled so that undefined behaviour ends the process.
"""

from __future__ import annotations

import ctypes
import json
import math
import random
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled, signs, stream
from helpers import python
from mutations import REALS, WHOLE
from watched import watch

import edgeolk as ek

#: Every region of state that C looks for occurs in one of them.
CASES: dict[str, dict[str, Any]] = {
    "recommended": {"ram": "3KiB", "on_bad_row": "skip"},
    "all candidates": {"algorithm": "sorf", "D": 70, "linear": True, "last_label": True,
                       "relevance": True, "gamma": "auto", "gamma_rows": 40, "scale": "minmax",
                       "freeze_after": 60},
    "one scale": {"algorithm": "sorf", "D": 70, "scale": "common"},
    "one scale, wide": {"algorithm": "sorf", "D": 70, "scale": "common", "dtype": "float64",
                        "relevance": True},
    "first rows": {"algorithm": "sorf", "D": 70, "gamma": "auto", "gamma_rows": 40,
                   "scale": "standard"},
    "width not known": {"algorithm": "sorf", "D": 70, "gamma": "auto", "gamma_rows": 4000,
                        "clip_rows": 300.0},
    "float32": {"algorithm": "sorf", "D": 70, "dtype": "float32", "relevance": True,
                "scale": "standard"},
    "float64": {"algorithm": "sorf", "D": 70, "dtype": "float64", "linear": True,
                "kernel": ek.Gaussian(1e-3)},
    "classes": {"algorithm": "sorf", "D": 130, "n_classes": 3, "groups": 2, "last_label": True},
    "answers counted": {"algorithm": "sorf", "D": 70, "last_label": True, "lapse": 16},
    "memory": {"algorithm": "sorf", "D": 70, "memory": 40},
    "memory, classes": {"algorithm": "sorf", "D": 70, "n_classes": 3, "memory": 200},
    "memory, narrow": {"algorithm": "sorf", "D": 70, "memory": 40, "memory_narrow": True},
    "regression": {"algorithm": "sorf", "D": 70, "loss": "square", "last_label": True,
                   "scale": "standard", "gamma": "auto"},
    "process beside": {"algorithm": "sorf", "D": 70, "loss": "square", "gaussian_process": 5},
    "novelty": {"algorithm": "sorf", "D": 70, "loss": "novelty", "gamma": "auto",
                "scale": "standard"},
    "in time": {"D": 64, "loss": "novelty", "history": True, "clock": True},
    "forecasts": {"D": 64, "loss": "square", "history": True, "season": 5},
}  # fmt: skip
#: Offsets and bytes of the counters in the header.
HEADER = ((52, 4), (56, 8), (64, 8), (72, 8), (80, 8))
#: Undefined behaviour, numbers beyond the integers that they become included, ends the process.
TRAPS = (
    "-O0",
    "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all",
    "-fsanitize-undefined-trap-on-error",
)  # fmt: skip
LEARNED = 150


def learned(key: str) -> tuple[ek.Learner, np.ndarray, np.ndarray]:
    X, y = stream("occupancy", LEARNED + 3)
    options = dict(CASES[key])
    learner = ek.Learner(options.pop("algorithm", None), n_features=X.shape[1], **options)
    labels = y if options.get("loss") else np.arange(len(y)) % 3 if "n_classes" in options else None
    labels = signs(y) if labels is None else labels.astype(float)
    learner.learn_many(X[:LEARNED], labels[:LEARNED])
    return learner, X, labels


def sealed(data: bytearray) -> bytes:
    """With the checksum of what is there now."""
    data[8:12] = bytes(4)
    data[8:12] = zlib.crc32(data).to_bytes(4, "little")
    return bytes(data)


def numbers_of(element: str) -> list[bytes]:
    """What a number of that type is replaced by."""
    if element == "b":
        return [bytes([v]) for v in (0, 1, 127, 128, 129, 255)]
    whole = [struct.pack("<Q", v) for v in WHOLE]
    reals = [struct.pack("<d", v) for v in (*REALS, 1.0, 1e16, 709.0, 1e250, 3.0, 4e6)]
    if element == "w":
        return whole + reals
    if element in "qQ":
        return whole
    if element in "iI":
        return [struct.pack("<I", v % 2**32) for v in WHOLE]
    if element == "f":
        return [struct.pack("<f", v) for v in (*REALS[:6], 1e30, -3e38, 0.5, 2.5, 1e16, 3.0)]
    return reals


def forged(learner: ek.Learner, file: bytes, seed: int, places: int) -> Iterator[bytes]:
    """The file with a number replaced, everywhere that numbers of state lie: the first and the
    last of each region and so many between."""
    rng = random.Random(seed)
    yield file
    for at, nbytes in HEADER:
        for value in WHOLE:
            data = bytearray(file)
            data[at : at + nbytes] = (value % 2 ** (8 * nbytes)).to_bytes(nbytes, "little")
            yield sealed(data)
    for region in learner.plan.regions:
        if not region.element or region.offset + region.nbytes > len(file):
            continue
        values = numbers_of(region.element)
        count = region.shape[0] * region.shape[1]
        size = len(values[0])
        for place in sorted({0, count - 1, *(rng.randrange(count) for _ in range(places))}):
            for value in values:
                data = bytearray(file)
                at = region.offset + size * place
                data[at : at + size] = value
                yield sealed(data)


def is_taken(data: bytes) -> bool:
    try:
        ek.Learner._from_block(data)
    except ValueError:
        return False
    return True


def exercise(board: Compiled, x: np.ndarray, label: float) -> None:
    """Every call that there is; ValueError: a row was refused."""
    assert np.isfinite(board.scores(x)).all()
    assert np.isfinite(board.learn(x, label))
    board.predict(x)
    board.counts()
    row, room = np.ascontiguousarray(x, board.dtype), np.zeros(64)
    at, out = (ctypes.c_void_p(each.ctypes.data) for each in (row, room))
    if hasattr(board.c, "ek_ask"):
        board.c.ek_look(board.arena, at, out)
        board.c.ek_ask(board.arena, at, out)
        board.c.ek_tell(board.arena, ctypes.c_double(label))
        assert np.isfinite(room[0])  # the answer; an interval may be infinite
        assert not np.isnan(room).any()
    if hasattr(board.c, "ek_watch"):
        for seconds in (label, 1e300, -1e9, math.nan):
            assert 0.0 <= watch(board, x, seconds).score <= 1.0
        board.c.ek_accept(board.arena)
    if hasattr(board.c, "ek_restart"):
        board.c.ek_restart(board.arena)


def agrees(key: str, folder: Path, places: int, flags: Sequence[str] = ()) -> tuple[int, int]:
    """How many states were taken and refused, by C and the library alike."""
    learner, X, y = learned(key)
    file = learner.__reduce__()[1][0]
    ek.export_c(learner, folder)
    board = Compiled(folder, learner, flags=(*TRAPS, *flags))
    counts = [0, 0]
    for data in forged(learner, file, 5, places):
        before = board.file(len(file))
        taken = board.load(data) == 0
        assert taken == is_taken(data), differing(learner, file, data)
        counts[not taken] += 1
        if not taken:
            assert board.file(len(file)) == before
            continue
        for x, label in zip(X[LEARNED:], y[LEARNED:], strict=True):
            try:
                exercise(board, x, label)
            except ValueError:  # refused
                continue
            except AssertionError as error:
                raise AssertionError(differing(learner, file, data)) from error
    assert board.untouched()
    return counts[0], counts[1]


def differing(learner: ek.Learner, file: bytes, data: bytes) -> str:
    """Where two files differ, in words."""
    at = [i for i in range(12, len(file)) if file[i] != data[i]] or [0]
    inside = [r for r in learner.plan.regions if r.offset <= at[0] < r.offset + r.nbytes]
    start = inside[0].offset + (at[0] - inside[0].offset) // 8 * 8
    value = struct.unpack_from("<d", data, start)[0]
    return f"{inside[0].name}, byte {at[0] - inside[0].offset}: {data[start : start + 8]!r} {value}"


def told(keys: Sequence[str], folder: Path, places: int, *flags: str) -> dict[str, list[int]]:
    """What ``agrees`` counts in a process of its own, which undefined behaviour ends."""
    code = (
        "import importlib, json, sys; from pathlib import Path; sys.path += sys.argv[1:3]\n"
        "forged = importlib.import_module('test_forged')\n"
        "for key in json.loads(sys.argv[3]):\n"
        "    counts = forged.agrees(key, Path(sys.argv[4]) / key, int(sys.argv[5]), sys.argv[6:])\n"
        "    print(json.dumps([key, counts]), flush=True)"
    )
    here = Path(__file__)
    paths = str(here.parent), str(here.parent.parent.parent / "support")
    ran = python(code, *paths, json.dumps(keys), str(folder), str(places), *flags)
    if "FileNotFoundError: cc" in ran.stderr:
        pytest.skip("no cc")
    assert ran.returncode == 0, (ran.returncode, ran.stdout, ran.stderr[-800:])
    return dict(map(json.loads, ran.stdout.splitlines()))


#: By day forged states of several classes, and of numbers in time.
DAY = ("memory, classes", "forecasts")


@pytest.mark.parametrize(
    ("keys", "flag", "places"),
    [
        (list(DAY), "", 0),
        *(
            pytest.param([key], flag, 9, marks=pytest.mark.slow)
            for key in CASES
            for flag in ("", "-DEK_FIXED")
            if not flag or CASES[key].get("dtype", "int8") == "int8"
        ),
    ],
)
def test_c_takes_what_the_library_takes(
    keys: list[str], flag: str, places: int, tmp_path: Path
) -> None:
    found = told(keys, tmp_path, places, *filter(None, [flag]))
    assert list(found) == keys
    assert min(min(counts) for counts in found.values()) > 50
