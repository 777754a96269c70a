"""Frozen readers and files that lie: a ValueError, or something whose sizes are right."""

from __future__ import annotations

import random
import struct
import tracemalloc
import zlib

import pytest
from golden import CASES, data_of

from edgeolk.files import v1, v2
from edgeolk.files.stored import Stored
from edgeolk.files.v2_block import CRC_AT, HEADER
from edgeolk.files.v2_regions import WIDTH

#: The versions whose file is a block of fixed header; test_v3.py has the next one.
READERS = {1: v1.read, 2: v2.read}
WORDS = [0, 1, 2, 6, 7, 2**16, 2**31 - 1, 2**31, 2**40, 2**62, 2**63, 2**64 - 1]
WORDS += [
    int.from_bytes(struct.pack("<d", x), "little")
    for x in (0.5, 1.0, 3.0, -1.0, 1e9, 1e300, 5e-324, float("inf"), float("-inf"), float("nan"))
]


def sealed(made: bytearray, nbytes: bool = True) -> bytes:
    """With a right CRC-32 and, unless told otherwise, a right length: as an attacker would."""
    if nbytes and len(made) >= 24:
        made[16:24] = len(made).to_bytes(8, "little")
    made[CRC_AT : CRC_AT + 4] = bytes(4)
    made[CRC_AT : CRC_AT + 4] = zlib.crc32(made).to_bytes(4, "little")
    return bytes(made)


def use(version: int, data: bytes) -> bool:
    """Whether it is read; if so, what is given must be of the sizes it says."""
    try:
        stored = READERS[version](data)
    except ValueError:
        return False
    assert isinstance(stored, Stored)
    for kind, stride, held in stored.regions.values():
        assert len(held) % WIDTH[kind] == 0
        assert not stride or len(held) % (stride * WIDTH[kind]) == 0
        assert len(held) <= len(data)
    assert 0 <= stored.words["n_support"] <= stored.budget
    return True


@pytest.mark.parametrize("version", READERS)
def test_mutations(version: int) -> None:
    """Words of the header, bits, numbers of the regions, pieces missing or doubled."""
    chance = random.Random(version)
    files = [data_of(number, stem) for number, stem in CASES if number == version]
    files = [data for data in files if len(data) < 8000]
    taken = 0
    for _ in range(4000):
        made = bytearray(chance.choice(files))
        for _ in range(chance.randint(1, 3)):
            what = chance.random()
            at = 8 * chance.randrange(2, (HEADER.size if what < 0.5 else len(made)) // 8)
            if what < 0.7:
                made[at : at + 8] = chance.choice(WORDS).to_bytes(8, "little")
            elif what < 0.8:
                made[at : at + 4] = chance.randrange(25).to_bytes(4, "little")
            elif what < 0.9:
                made[at + chance.randrange(8)] ^= 1 << chance.randrange(8)
            elif what < 0.95:
                del made[at : at + 64]
            else:
                made[at:at] = made[at : at + 64]
        taken += use(version, sealed(made, chance.random() < 0.9))
    assert 400 < taken < 3600


@pytest.mark.parametrize("version", READERS)
@pytest.mark.parametrize("stem", ["bpa_p-filling", "forgetron_greedy-int8", "pomdr-sparse"])
def test_every_byte_of_the_header(version: int, stem: str) -> None:
    data = data_of(version, stem)
    taken = 0
    for at in range(HEADER.size):
        for flip in (0x01, 0x10, 0x80, 0xFF):
            made = bytearray(data)
            made[at] ^= flip
            taken += use(version, sealed(made))
    assert 0 < taken < 4 * HEADER.size


@pytest.mark.parametrize("version", READERS)
def test_every_length(version: int) -> None:
    data = data_of(version, "rbp-float32")
    for length in range(len(data)):
        with pytest.raises(ValueError, match="model"):
            READERS[version](data[:length])
        if length >= 24:
            with pytest.raises(ValueError, match="model"):
                READERS[version](sealed(bytearray(data[:length])))
    assert use(version, data)


@pytest.mark.parametrize("version", READERS)
def test_a_damaged_bit_is_found(version: int) -> None:
    data = data_of(version, "bpa_nn-int8")
    for at in range(len(data)):
        made = bytearray(data)
        made[at] ^= 1 << (at % 8)
        with pytest.raises(ValueError, match="model"):
            READERS[version](bytes(made))


def test_each_reader_reads_its_own_version() -> None:
    for version, read in READERS.items():
        for other in READERS:
            if other != version:
                with pytest.raises(ValueError, match=f"format {other}"):
                    read(data_of(other, "rbp-float32"))


@pytest.mark.parametrize(("field", "value"), [(24, 2**31 - 1), (32, 2**31 - 1), (40, 2**40)])
@pytest.mark.parametrize("version", READERS)
def test_a_size_that_is_said_takes_no_memory(version: int, field: int, value: int) -> None:
    """n_features, budget and stride."""
    made = bytearray(data_of(version, "projectron-float32"))
    made[field : field + 8] = value.to_bytes(8, "little")
    data = sealed(made)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="model"):
            READERS[version](data)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
