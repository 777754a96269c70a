"""The block of format versions 1 and 2, frozen: its header, and the one way to read it.

Both are a header of 520 bytes, then regions in a fixed order, each on a boundary of 64 bytes, whose
sizes follow from the header (``v2_regions.py``). The numbers and rules in these files are those the
models were written by; they change with nothing else in the package.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Mapping

from edgeolk.files.stored import Stored
from edgeolk.files.v2_regions import (
    BOUNDARY,
    FOURIER,
    GAUSSIAN,
    LAPLACIAN,
    LINEAR,
    POLICY_REGIONS,
    POLYNOMIAL,
    SIGMOID,
    SIZES,
    STATE,
    WIDTH,
    Shape,
    Size,
    needed,
)
from edgeolk.lean import NamedTuple

MAGIC = b"edgeolk\0"
#: magic, format version, CRC-32, then numbers of eight bytes and pairs of four.
HEADER = struct.Struct("<8sIIqqqqQ29dii3d12iQ12q6d")
CRC_AT = 12
MOST = 2**31 - 1

AXES = ("dtype", "update", "loss", "sampling", "policy", "projection", "schedule", "averaging",
        "basis", "rows")  # fmt: skip
#: The highest number of each axis; they count from 1.
HIGHEST = (4, 17, 4, 6, 19, 5, 3, 2, 3, 2)
ALGORITHMS = 34
PARAMETERS = (
    "C", "eta", "lam", "rate", "eps", "U", "alpha", "beta", "c", "ridge", "rescale", "allow_skip",
    "growth", "shift", "sparsity", "singular", "decay", "horizon", "G", "boost", "delta", "clip",
    "eta2", "rank", "iters", "window", "coe", "b0", "ald",
)  # fmt: skip
WORDS = (
    "rng", "n_support", "steps", "mistakes", "updates", "capacity_hits", "cursor", "removals",
    "labels_asked", "rank", "halvings", "seen", "anchored",
    "scale", "norm2", "mean_weight", "squared_error", "forgetron_q", "hint_error",
)  # fmt: skip

#: Axis -> number of a part -> the parameters it has.
USES: dict[str, dict[int, tuple[str, ...]]] = {
    "update": {
        2: ("rate", "eps"),
        4: ("C",),
        5: ("C",),
        6: ("eta", "lam"),
        7: ("eta",),
        8: ("shift",),
        10: ("U",),
        11: ("U",),
        12: ("lam",),
        13: ("eta",),
        14: ("eta", "boost"),
        15: ("eta", "boost"),
        16: ("eta", "delta"),
        17: ("U", "window", "coe"),
    },
    "sampling": {2: ("alpha", "beta"), 3: ("c", "decay", "horizon"), 4: ("G",)},
    "policy": {
        7: ("allow_skip",),
        8: ("growth",),
        9: ("ridge", "rescale", "U"),
        10: ("sparsity",),
        11: ("allow_skip", "singular"),
        12: ("allow_skip", "singular"),
        15: ("ridge",),
        16: ("iters",),
        17: ("U", "b0", "ald"),
        18: ("U",),
    },
    "projection": {2: ("U",), 3: ("U",), 4: ("clip",), 5: ("clip",)},
    "basis": {3: ("eta2", "rank")},
}


def numbers(kind: str, data: memoryview, count: int) -> tuple[float, ...]:
    """The first numbers of a region."""
    return struct.unpack_from(f"<{count}{kind}", data)


def _check_seal(data: bytes | bytearray | memoryview, version: int) -> None:
    if len(data) < HEADER.size:
        raise ValueError(f"not a model: {len(data)} bytes, a header alone has {HEADER.size}")
    if data[:8] != MAGIC:
        raise ValueError("not a model: the first 8 bytes are not the mark of an edgeolk block")
    found, said = struct.unpack_from("<II", data, 8)
    if found != version:
        raise ValueError(f"model format {found}; this reads format {version}")
    (nbytes,) = struct.unpack_from("<q", data, 16)
    if nbytes != len(data):
        raise ValueError(f"the model should have {nbytes} bytes, got {len(data)}")
    crc = zlib.crc32(bytes(4), zlib.crc32(memoryview(data)[:CRC_AT]))
    if said != zlib.crc32(memoryview(data)[CRC_AT + 4 :], crc):
        raise ValueError("the model is damaged: its CRC-32 does not match")


def _check_kernel(kernel: tuple[int, int, float, float, float]) -> None:
    kind, degree, gamma, scale, offset = kernel
    positive = {v: math.isfinite(v) and v > 0.0 for v in (gamma, scale)}
    if kind in (GAUSSIAN, LAPLACIAN):
        right = positive[gamma] and (degree, scale, offset) == (0, 0.0, 0.0)
    elif kind == POLYNOMIAL:
        right = 1 <= degree <= 32 and positive[scale] and 0.0 <= offset < math.inf and gamma == 0.0
    elif kind == LINEAR:
        right = (degree, gamma, scale, offset) == (0, 0.0, 0.0, 0.0)
    else:
        right = kind == SIGMOID and positive[scale] and math.isfinite(offset)
        right = right and (degree, gamma) == (0, 0.0)
    if not right:
        raise ValueError(f"the model's kernel is none: {kernel}")


def _used(choices: Mapping[str, int], values: tuple[float, ...]) -> dict[str, float]:
    """The parameters its parts have; the others must be 0, those that make sizes must be sizes."""
    wanted = {name for axis, part in choices.items() for name in USES.get(axis, {}).get(part, ())}
    made = {}
    for name, value in zip(PARAMETERS, values, strict=True):
        if math.isnan(value):
            raise ValueError(f"parameter {name} is not a number")
        if name in wanted:
            made[name] = value
        elif value != 0.0:
            raise ValueError(f"parameter {name} is set but not used by the stored composition")
    for name, least, most in (("window", 1, 10**6), ("rank", 1, MOST), ("b0", 0, math.inf)):
        value = made.get(name, 1.0)
        if not (least <= value <= most and math.isfinite(value) and value == math.floor(value)):
            raise ValueError(f"parameter {name} is no size: {value}")
    return made


def _check_words(words: Mapping[str, int | float], shape: Shape) -> None:
    n, budget = words["n_support"], shape.budget
    if not 0 <= n <= budget or not 0 <= words["cursor"] < budget:
        raise ValueError(f"the model is inconsistent: {n} support vectors of {budget}")
    if shape.choices["basis"] == FOURIER and n != budget:
        raise ValueError(f"the model is inconsistent: {n} frequencies of {budget}")
    most = shape.parameters.get("rank", 0.0) if n == budget else 0.0
    if not 0 <= words["rank"] <= most or words["seen"] < 0:
        raise ValueError(f"the model is inconsistent: rank {words['rank']}, seen {words['seen']}")


def _check_regions(regions: Mapping[str, tuple[str, int, memoryview]], n: int, d: int) -> None:
    if "nearest" in regions:
        for slot in numbers("q", regions["nearest"][2], n):
            if not -1 <= slot < n:
                raise ValueError("the model is inconsistent: a neighbour that is not held")
    for name, least in (("quantum_scale", 0.0), ("quantum_offset", -math.inf)):
        if name in regions:
            for level in numbers("f", regions[name][2], d):
                if not least < level < math.inf:
                    raise ValueError("the model is inconsistent: its int8 levels are no levels")


class _Fields(NamedTuple):
    """A header in the meaning of its version."""

    shape: Shape
    seed: int
    algorithm: int
    kernel: tuple[int, int, float, float, float]
    words: dict[str, int | float]


def _fields(data: bytes | bytearray | memoryview) -> _Fields:
    """The fields of a header, everything checked that a size follows from."""
    fields = HEADER.unpack_from(data)
    n_features, budget, stride, seed = fields[4:8]
    values = fields[8:37]
    kernel = (fields[37], fields[38], fields[39], fields[40], fields[41])
    algorithm, tracks_norm = fields[52:54]
    choices = dict(zip(AXES, fields[42:52], strict=True))
    words = dict(zip(WORDS, fields[54:], strict=True))
    for axis, most in zip(AXES, HIGHEST, strict=True):
        if not 1 <= choices[axis] <= most:
            raise ValueError(f"the model's {axis} is none: {choices[axis]}")
    if not 0 <= algorithm <= ALGORITHMS:
        raise ValueError(f"the model's algorithm is none: {algorithm}")
    if not (1 <= n_features <= MOST and 1 <= budget <= MOST):
        raise ValueError(f"the model has {n_features} features and a budget of {budget}")
    _check_kernel(kernel)
    parameters = _used(choices, values)
    shape = Shape(n_features, budget, stride, choices, parameters, kernel[0])
    if stride < shape.slots or bool(tracks_norm) != shape.tracks_norm:
        raise ValueError("the model's layout does not follow from its configuration")
    _check_words(words, shape)
    return _Fields(shape, seed, algorithm, kernel, words)


def _places(
    shape: Shape, sizes: Mapping[str, Size], policy_regions: Mapping[int, tuple[str, ...]]
) -> tuple[dict[str, tuple[str, int, int, int]], int]:
    """Region -> (element type, stride, offset, bytes), and where the last one ends."""
    names = needed(shape, policy_regions)
    places = {}
    offset = -(-HEADER.size // BOUNDARY) * BOUNDARY
    for name, size in sizes.items():
        if name in names:
            kind, row, count = size(shape)
            nbytes = count * WIDTH[kind]
            places[name] = (kind, row, offset, nbytes)
            offset += -(-nbytes // BOUNDARY) * BOUNDARY
    return places, offset


def length(
    data: bytes | bytearray,
    sizes: Mapping[str, Size] = SIZES,
    policy_regions: Mapping[int, tuple[str, ...]] = POLICY_REGIONS,
) -> int:
    """Bytes of the file that these bytes begin, by its fields; before the rest is read.

    Raises
    ------
    ValueError
        No whole header, or fields that contradict each other.
    """
    if len(data) < HEADER.size:
        raise ValueError(f"not a model: {len(data)} bytes, a header alone has {HEADER.size}")
    return _places(_fields(data).shape, sizes, policy_regions)[1]


def read(
    data: bytes | bytearray | memoryview,
    version: int,
    sizes: Mapping[str, Size] = SIZES,
    policy_regions: Mapping[int, tuple[str, ...]] = POLICY_REGIONS,
) -> Stored:
    """A sealed block, everything checked that a size or an index follows from.

    Raises
    ------
    ValueError
        Wrong mark, version, length, CRC-32, or fields that contradict each other.
    """
    _check_seal(data, version)
    shape, seed, algorithm, kernel, words = _fields(data)
    places, end = _places(shape, sizes, policy_regions)
    if end != len(data):
        raise ValueError(f"the model has {len(data)} bytes, its fields say {end}")
    regions = {
        name: (kind, row, memoryview(data)[offset : offset + nbytes])
        for name, (kind, row, offset, nbytes) in places.items()
        if name in STATE
    }
    _check_regions(regions, int(words["n_support"]), shape.d)
    return Stored(
        version,
        algorithm,
        shape.d,
        shape.budget,
        seed,
        dict(shape.choices),
        dict(shape.parameters),
        kernel,
        words,
        regions,
    )
