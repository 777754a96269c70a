"""Format 5 as others may have written it: another padding, another order, another machine."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from golden import CASES, DAY, data_of, rows_of, told_of
from helpers import few_first

import edgeolk as ek
from edgeolk.configuration import header as head
from edgeolk.configuration.header import CRC_OFFSET, Head, length_of, unpack
from edgeolk.configuration.layout import layout
from edgeolk.configuration.regions import ELEMENT_BYTES, Region
from edgeolk.files import live, restore
from edgeolk.files.checksums import checksum
from edgeolk.parts.numbers import Family
from edgeolk.parts.updates import UPDATES

STEMS = [stem for version, stem in CASES if version == 5]
DAYS = [stem for version, stem in DAY if version == 5]
slow = pytest.mark.slow
stems = pytest.mark.parametrize("stem", few_first(STEMS, DAYS))
#: Numbers more in a row, bytes between regions, whether these stand in the other order.
LAYOUTS = [
    (5, 8, True), (0, 0, False), (0, 0, True), (5, 8, False), (16, 64, False), (16, 64, True),
]  # fmt: skip


def sealed(made: bytearray) -> bytes:
    made[CRC_OFFSET : CRC_OFFSET + 4] = checksum(made, CRC_OFFSET).to_bytes(4, "little")
    return bytes(made)


def row_lengths(made: Head) -> dict[str, tuple[int, int]]:
    """Region whose rows may be padded: (rows, numbers a row that must be there)."""
    config = live.config_from(made)
    shapes = {region.name: region.shape for region in layout(config)}
    if config.family == Family.SORF:
        names = ("blend", "novelty", "watch_scores")
        return {name: shapes[name] for name in names if name in shapes}
    d, slots = config.n_features, config.slots
    window = config.window_rows
    coefficients = (max(1, config.columns), slots * config.basis.per_member)
    can = {
        "support_vectors": (config.n_inputs, slots),
        "norms": (1, slots),
        "window": (d, window),
        "window_labels": (1, window),
        **dict.fromkeys(("coefficients", "mean_start", "mean_sum"), coefficients),
        "per_update": (config.update.per_update, coefficients[1]),
    }
    if not config.keeps_vectors and "novelty" in shapes:
        can["novelty"] = shapes["novelty"]
    return {name: shape for name, shape in can.items() if name in shapes}


def laid_out(data: bytes, stride: Callable[[int], int], gap: int, backwards: bool) -> bytes:
    """The same model, its rows ``stride(numbers needed)`` apart, regions ``gap`` bytes apart."""
    made = unpack(data)
    can = row_lengths(made)
    names = list(made.table)
    start = at = length_of(data)
    table, pieces = {}, []
    for name in reversed(names) if backwards else names:
        element, offset, count = made.table[name]
        width = ELEMENT_BYTES[element]
        raw = data[offset : offset + width * count]
        if name in can:
            rows, needed = can[name]
            each = width * (count // rows)
            wanted = width * stride(needed)
            lines = [raw[i * each :][: min(width * needed, wanted)] for i in range(rows)]
            raw = b"".join(line.ljust(wanted, b"\0") for line in lines)
        at += gap
        table[name] = (element, at, len(raw) // width)
        raw = raw.ljust(-(-len(raw) // 8) * 8, b"\0")
        pieces += [bytes(gap), raw]
        at += len(raw)
    # Its header may be shorter than that of the file: regions lie by so much earlier.
    packed = replace(made, nbytes=at, table=table).pack()
    less = start - len(packed)
    table = {name: (e, offset - less, n) for name, (e, offset, n) in table.items()}
    packed = replace(made, nbytes=at - less, table=table).pack()
    assert len(packed) == start - less
    return sealed(bytearray(packed + b"".join(pieces)))


@pytest.mark.parametrize(
    ("stem", "more", "gap", "backwards"),
    [
        pytest.param(stem, *layout, marks=() if stem in DAYS and layout == LAYOUTS[0] else slow)
        for stem in STEMS
        for layout in LAYOUTS
    ],
)
@pytest.mark.spread(6)
def test_another_padding_is_read(
    stem: str, more: int, gap: int, backwards: bool, tmp_path: Path
) -> None:
    """The learner is the same, byte for byte, and goes on the same."""
    file = data_of(5, stem)
    data = ek.Learner._from_block(file)._sealed()
    other = laid_out(file, lambda needed: needed + more, gap, backwards)
    assert other != data or not more
    path = tmp_path / "model"
    path.write_bytes(other)
    from_file, from_bytes = ek.load(path), ek.Learner._from_block(other)
    assert from_file._sealed() == from_bytes._sealed() == data
    learner = ek.Learner._from_block(data)
    x, y = rows_of(5, told_of(5, stem), learner.is_regression)
    assert from_file.learn_many(x, y).tobytes() == learner.learn_many(x, y).tobytes()
    assert from_file._sealed() == learner._sealed()


@stems
@pytest.mark.spread(4)
def test_a_row_that_is_too_short_is_refused(stem: str) -> None:
    data = ek.Learner._from_block(data_of(5, stem))._sealed()
    other = laid_out(data, lambda needed: needed - 1, 0, False)
    if other == data:  # such as a forecaster without a kernel
        pytest.skip("a learner without rows of its own")
    with pytest.raises(ValueError, match=r"inconsistent: .* numbers a row"):
        ek.Learner._from_block(other)


@pytest.mark.parametrize("more", [-1, 0, 5])
def test_an_update_with_numbers_of_its_own(more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are padded with the coefficients that they stand beside."""
    row = replace(UPDATES[ek.Update.PERCEPTRON], per_update=2)
    monkeypatch.setitem(UPDATES, ek.Update.PERCEPTRON, row)
    budget = 250
    learner = ek.Learner("rbp", n_features=2, budget=budget)
    fresh = learner._sealed()
    made = bytearray(fresh)
    _, offset, count = unpack(fresh).table["per_update"]
    assert count > 2 * budget  # a block pads the rows too
    numbers = np.zeros((2, count // 2))
    numbers[:, :budget] = np.random.default_rng(1).normal(size=(2, budget))
    made[offset : offset + 8 * count] = numbers.tobytes()
    data = sealed(made)
    other = laid_out(data, lambda needed: needed + more, 8, False)
    if more < 0:
        with pytest.raises(ValueError, match="numbers a row"):
            ek.Learner._from_block(other)
        return
    assert ek.Learner._from_block(other)._sealed() == data


@pytest.mark.parametrize("columns", [0, 2, 65535])
def test_columns_that_are_not_there(columns: int, tmp_path: Path) -> None:
    data = data_of(5, "spa-float32")
    made = bytearray(data)
    struct.pack_into("<H", made, 46, columns)
    hostile = sealed(made)
    (tmp_path / "model").write_bytes(hostile)
    lying = bytearray(hostile + bytes(4096))
    for way in (
        lambda: ek.load(tmp_path / "model"),
        lambda: ek.Learner._from_block(hostile),
        lambda: ek.attach(lying),
    ):
        with pytest.raises(ValueError, match=r"column|several classes|coefficients of|laid out"):
            way()


# ---- the other byte order ------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["b", "e", "h", "f", "i", "d", "q"])
def test_swapped(code: str) -> None:
    """As numpy swaps; twice is not at all."""
    numbers = np.random.default_rng(0).integers(-128, 127, 96, np.int8)
    width = np.dtype(code).itemsize
    turned = restore.swapped(memoryview(numbers.tobytes()), width)
    assert bytes(turned) == numbers.view(f"V{width}").view(f"u{width}").byteswap().tobytes()
    assert bytes(restore.swapped(memoryview(turned), width)) == numbers.tobytes()
    assert restore.swapped(memoryview(b""), width) == b""


def turned(data: bytes) -> bytes:
    """A little-endian block as a big-endian machine holds it."""
    made = unpack(data)
    block = bytearray(data)
    block[: length_of(data)] = made.pack(">")
    for element, offset, count in made.table.values():
        end = offset + ELEMENT_BYTES[element] * count
        for at in range(offset, end, ELEMENT_BYTES[element]):
            part = slice(at, at + ELEMENT_BYTES[element])
            block[part] = block[part][::-1]
    return bytes(block)


@pytest.fixture
def big_endian(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the package think that this machine is one."""
    for module in (head, live, restore):
        if hasattr(module, "NATIVE"):
            monkeypatch.setattr(module, "NATIVE", ">")
    monkeypatch.setattr(restore, "_SWAP", True)


@pytest.mark.usefixtures("big_endian")
@stems
@pytest.mark.spread(4)
def test_a_big_endian_machine_writes_the_same_file(stem: str) -> None:
    data = laid_out(data_of(5, stem), int, 0, False)  # a header of today
    assert restore.written(bytearray(turned(data))) == data


@pytest.mark.usefixtures("big_endian")
@stems
@pytest.mark.spread(4)
def test_a_big_endian_machine_holds_what_is_read_its_own_way(stem: str) -> None:
    """Header and regions; the words of the structs go through the machine's own types."""
    data = laid_out(data_of(5, stem), int, 0, False)  # a header of today
    stored = restore.read(data)
    made = unpack(data)
    block = bytearray(len(data))
    live.write_head(memoryview(block), made)
    for name, (element, offset, count) in made.table.items():
        size = ELEMENT_BYTES[element] * count
        if element == "w":
            words = memoryview(data)[offset : offset + size]
            block[offset : offset + size] = restore.swapped(words, 8)
            continue
        rows = row_lengths(made).get(name, (1, 0))[0]
        region = Region(name, offset, size, "", element, (rows, count // rows))
        restore._copy(region, stored, memoryview(block))
    expected = bytearray(turned(data))
    end = max(o + ELEMENT_BYTES[e] * c for e, o, c in made.table.values())
    assert block[:end] == expected[:end]
    # So it is never read where it is to stay: its numbers have to be turned.
    config = live.config_from(made)
    assert not restore._has_current_layout(config, layout(config), made, length_of(data))
