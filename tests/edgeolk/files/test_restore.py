"""Model files that are damaged, foreign or hostile: a ValueError, or a learner that works."""

from __future__ import annotations

import faulthandler
import os
import struct
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import EVERY, LIVELY, USUAL
from synthetic import random_stream

import edgeolk as ek
from edgeolk.configuration.header import CRC_OFFSET, FIXED_BYTES, VERSION, length_of, unpack
from edgeolk.files.checksums import checksum
from edgeolk.files.live import WORDS

D = 3
X, Y = random_stream(6, 60, D)

BY_NAME = [(name, LIVELY.get(name, {})) for name in EVERY]
MORE: list[tuple[str | None, dict[str, Any]]] = [
    ("olrd", {"projection": "ball", "U": 2.0, "c": 0.5, "kernel": ek.Polynomial(3, 0.5, 1.0)}),
    ("ahpatron", {"kernel": ek.Sigmoid(0.4, 0.2), "rescale": False}),
    ("avp", {"U": 2.0, "lam": None, "eps": 0.9, "kernel": ek.Linear()}),
    ("bsgd", {"maintenance": "project", "lam": 0.1}),
    ("bsgd", {"maintenance": "remove", "lam": 0.1}),
    ("pomdr", {"U": 2.0, "M": 3}),
    ("bpa_nn", {"dtype": "int8"}),
    ("nogd", {"dtype": "float16"}),
    ("sorf", {"dtype": "int8", "linear": True, "last_label": True, "relevance": True}),
    ("sorf", {"loss": "square", "budget": 130, "groups": 2}),
    ("sorf", {"last_label": True, "lapse": 16}),
    ("sorf", {"loss": "novelty", "dtype": "int8"}),
    (None, {"update": "gradient", "lam": 0.3, "averaging": "mean", "projection": "ball", "U": 1.0}),
    (None, {"update": "gradient", "loss": "square", "policy": "smallest", "schedule": "sqrt"}),
]
of_little_endian = pytest.mark.skipif(
    sys.byteorder == "big", reason="a live block has the byte order of the machine, unlike a file"
)
#: A hostile count of readings beyond the levels may be one that learning leads to.
pytestmark = pytest.mark.filterwarnings("ignore:a reading lies outside")
subjects = pytest.mark.parametrize(
    ("name", "params"),
    [
        *(pytest.param(*one, marks=() if one[0] in USUAL else pytest.mark.slow) for one in BY_NAME),
        *MORE,
    ],
    ids=lambda v: str(v)[:40],
)


@pytest.fixture(autouse=True)
def watch() -> Iterator[None]:
    """A loop without end in compiled code cannot be interrupted: say where, and stop the run."""
    faulthandler.dump_traceback_later(60, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def block_of(name: str | None, params: dict[str, Any], rows: int = 60, budget: int = 6) -> bytes:
    options = {"n_features": D, "budget": budget, "dtype": "float64", "seed": 5, **params}
    learner = ek.Learner(name, **options)
    learner.learn_many(X[:rows], Y[:rows])
    return bytes(learner._sealed())


def resealed(block: bytes | bytearray) -> bytes:
    """The block with a right CRC-32, as an attacker would give it."""
    made = bytearray(block)
    made[CRC_OFFSET : CRC_OFFSET + 4] = checksum(made, CRC_OFFSET).to_bytes(4, "little")
    return bytes(made)


@pytest.mark.parametrize("lags", [float("inf"), float("nan"), -1.0, 1e300])
def test_a_number_of_lags_that_no_file_holds(lags: float) -> None:
    """It counts the inputs of a vector before the configuration is judged."""
    data = bytearray(ek.Learner("krls_auto", n_features=2, budget=6, lags=2)._sealed())
    head = unpack(data)
    data[: length_of(data)] = replace(head, values={**head.values, "lags": lags}).pack()
    data[CRC_OFFSET : CRC_OFFSET + 4] = bytes(4)
    data[CRC_OFFSET : CRC_OFFSET + 4] = checksum(data, CRC_OFFSET).to_bytes(4, "little")
    with pytest.raises(ValueError, match="lags is"):
        ek.Learner._from_block(bytes(data))


def test_a_file_that_does_not_count_answers_is_refused() -> None:
    """Of a last label that lapses, a file has the label and the answers since."""
    learner = ek.Learner(n_features=D, D=64, last_label=True, lapse=5)
    learner.learn_many(X, Y)
    file = learner._sealed()
    head = unpack(file)
    element, offset, count = head.table["last_label"]
    assert count == 2
    packed = replace(head, table={**head.table, "last_label": (element, offset, 1)}).pack()
    file[: len(packed)] = packed
    with pytest.raises(ValueError, match="last_label of 1 numbers a row"):
        ek.Learner._from_block(resealed(file))


@pytest.mark.parametrize("count", [-1.0, 0.5, 6.0, np.nan, np.inf])
def test_answers_that_no_one_gave(count: float) -> None:
    learner = ek.Learner(n_features=D, D=64, last_label=True, lapse=5)
    learner.learn_many(X, Y)
    file = learner._sealed()
    struct.pack_into("<f", file, unpack(file).table["last_label"][1] + 4, count)
    with pytest.raises(ValueError, match=f"{count:g} answers since the last label, which"):
        ek.Learner._from_block(resealed(file))


def use(block: bytes) -> bool:
    """Whether the block is taken; if so, everything a learner does must end in an orderly way."""
    try:
        learner = ek.Learner._from_block(block)
    except ValueError:
        return False
    for step in (
        lambda: learner.decision_function(X[:3]),
        lambda: learner.averaged.decision_one(X[0]),
        lambda: learner.learn_many(X[:20], Y[:20]),
        lambda: learner.decision_one(X[5]),
        lambda: (learner.support_vectors_, learner.dual_coef_, learner.norm2, repr(learner)),
        lambda: ek.Learner._from_block(learner._sealed()),
    ):
        try:
            with np.errstate(all="ignore"):
                step()
        except (ValueError, AttributeError, ek.BudgetError):
            pass
    return True


@subjects
@pytest.mark.spread(6)
def test_every_byte_of_the_header_may_be_hostile(name: str | None, params: dict[str, Any]) -> None:
    block = block_of(name, params)
    taken = 0
    for at in range(length_of(block)):
        if CRC_OFFSET <= at < CRC_OFFSET + 4:
            continue
        for flip in ((0x01, 0xFF), (0x10, 0x80))[at % 2]:
            hostile = bytearray(block)
            hostile[at] ^= flip
            taken += use(resealed(hostile))
    assert 0 < taken < 2 * length_of(block)


@pytest.mark.parametrize(("name", "params"), [("spa", {}), ("ahpatron", {})])
def test_a_bit_anywhere_is_found(name: str | None, params: dict[str, Any], tmp_path: Path) -> None:
    block = block_of(name, params)
    path = tmp_path / "model"
    rng = np.random.default_rng(1)
    places = {*range(0, length_of(block), 5), *rng.integers(len(block), size=60).tolist()}
    for at in places:
        damaged = bytearray(block)
        damaged[at] ^= 1 << (at % 8)
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="model"):
            ek.load(path)
    path.write_bytes(block)
    assert ek.load(path).steps == 60


def test_truncated_and_foreign_files(tmp_path: Path) -> None:
    block = block_of("rbp", {})
    path = tmp_path / "model"
    lengths = (0, 1, 3, 4, 7, FIXED_BYTES - 1, FIXED_BYTES, length_of(block), len(block) - 1)
    others = [block[:n] for n in lengths]
    others += [block + b"\0", block * 2, bytes(len(block)), b"\xff" * len(block)]
    others += [b"PK\x03\x04" + block[4:], b"\x80\x04" + block, os.urandom(len(block))]
    for content in others:
        path.write_bytes(content)
        with pytest.raises(ValueError, match="model"):
            ek.load(path)
    with pytest.raises(FileNotFoundError):
        ek.load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        ek.load(tmp_path)


def test_another_version_is_said(tmp_path: Path) -> None:
    block = bytearray(block_of("rbp", {}))
    block[4] = VERSION + 1
    path = tmp_path / "model"
    path.write_bytes(resealed(block))
    why = rf"of format {VERSION + 1}; this version reads format {VERSION}$"
    with pytest.raises(ValueError, match=why):
        ek.load(path)


@pytest.mark.parametrize("version", [1, 2])
def test_formats_that_were_never_released_are_refused(version: int, tmp_path: Path) -> None:
    """Their header had a mark of its own."""
    old = b"edgeolk\0" + version.to_bytes(4, "little") + bytes(600)
    path = tmp_path / "model"
    path.write_bytes(old)
    for way in (lambda: ek.load(path), lambda: ek.Learner._from_block(old)):
        with pytest.raises(ValueError, match=rf"of format {version}, which was never released"):
            way()


#: Words of the header itself: where, and how ``struct`` spells them.
IN_HEAD = {"n_support": (52, "<i"), "steps": (64, "<q"), "nbytes": (12, "<I")}


def with_word(block: bytes, name: str, value: Any) -> bytes:
    """The block with one word of its state changed, wherever that lies; a right CRC-32."""
    made = bytearray(block)
    if name in IN_HEAD:
        at, form = IN_HEAD[name]
    else:
        table = unpack(block).table
        (at, form), = [
            (table[region][1] + 8 * place, "<" + kind)
            for region, words in WORDS.items() if region in table
            for place, (word, kind) in enumerate(words) if word == name
        ]  # fmt: skip
    struct.pack_into(form, made, at, value)
    return resealed(made)


@pytest.mark.parametrize("way", ["load", "attach", "pickle"])
@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("nogd", "rank", 0),
        ("pomdr", "n_support", 6),
        ("pomdr", "seen", 2**63 - 1),
        ("spa", "steps", -5),
        ("avp", "scale", 0.0),
        ("avp", "scale", float("nan")),
        ("avp", "norm2", -1.0),
    ],
)
def test_no_way_in_for_a_state_that_writes_where_it_must_not(
    way: str, name: str, word: str, value: Any, tmp_path: Path
) -> None:
    options = {"n_features": D, "budget": 6, "dtype": "float64", **LIVELY.get(name, {})}
    learner = ek.Learner(name, seed=5, **options)
    learner.learn_many(X, Y)
    hostile = with_word(bytes(learner._sealed()), word, value)
    path = tmp_path / "model"
    path.write_bytes(hostile)
    # The file is the beginning of the block: scratch follows.
    lying = hostile + bytes(learner.nbytes - len(hostile))
    buffer = bytearray(lying)
    ways = {
        "load": lambda: ek.load(path),
        "attach": lambda: ek.attach(buffer),
        "pickle": lambda: ek.Learner._from_block(hostile),
    }
    with pytest.raises(ValueError, match="inconsistent"):
        ways[way]()
    assert buffer == lying
    buffer.append(0)  # nobody holds it


def traced(call: Callable[[], Any]) -> int:
    """Bytes of memory at the peak of a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def sparse(path: Path, start: bytes, size: int) -> None:
    """A file that begins so and has no more on the disk."""
    with open(path, "wb") as file:
        file.write(start)
        try:
            file.truncate(size)
        except OSError as error:
            pytest.skip(f"no sparse file here: {error}")


@pytest.mark.parametrize("region", [None, "support_vectors", "coefficients"])
def test_a_sparse_file_with_a_good_beginning_is_not_read(
    region: str | None, tmp_path: Path
) -> None:
    """It has the size it says, but no configuration gives that size."""
    size = 30 * 2**30
    path = tmp_path / "model"
    block = bytearray(block_of("rbp", {}))
    head = unpack(block)
    # An entry of so many elements is longer: room for it.
    table = {name: (element, offset + 16, n) for name, (element, offset, n) in head.table.items()}
    if region is not None:  # the last one, its rows padded without measure
        element, _, count = table[region]
        table[region] = (element, head.nbytes + 16, count * (2**29 // count))
    block[: length_of(block)] = replace(head, nbytes=size, table=table).pack()
    sparse(path, block, size)

    def load() -> None:
        with pytest.raises(ValueError, match="its plan says"):
            ek.load(path)

    load()
    assert traced(load) < 65536


@of_little_endian
def test_loading_takes_the_model_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "model"
    learner = ek.Learner("bpa_p", n_features=100, budget=500)
    learner.save(path)
    held = []
    ek.load(path)
    assert traced(lambda: held.append(ek.load(path))) < os.path.getsize(path) + 65536
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(damaged)

    def load() -> None:
        with pytest.raises(ValueError, match="CRC"):
            ek.load(path)

    assert traced(load) < os.path.getsize(path) + 65536


@of_little_endian
def test_the_block_is_the_file(tmp_path: Path) -> None:
    """Its state and nothing else; saving changes nothing."""
    learner = ek.Learner("spa", n_features=D, budget=6, beta=1.0)
    learner.learn_many(X, Y)
    before = bytes(memoryview(learner._engine.arena))
    path = tmp_path / "model"
    learner.save(path)
    assert bytes(memoryview(learner._engine.arena)) == before
    stored = path.read_bytes()
    scratch = [r for r in learner.plan.regions if r.purpose.startswith("scratch")]
    assert len(stored) == min(region.offset for region in scratch) < learner.nbytes
    assert stored[:CRC_OFFSET] == before[:CRC_OFFSET]
    assert stored[CRC_OFFSET + 4 :] == before[CRC_OFFSET + 4 : len(stored)]
    learner.save(path)
    assert path.read_bytes() == stored
