"""The block of format versions 1 and 2, frozen: tables of their time, and the one way to read it.

Both are a header of 520 bytes, then regions in a fixed order, each on a boundary of 64 bytes, whose
sizes follow from the header. The numbers and rules here are those the files were written by; they
change with nothing else in the package.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from edgeolk.files.stored import Stored

MAGIC = b"edgeolk\0"
#: magic, format version, CRC-32, then numbers of eight bytes and pairs of four.
HEADER = struct.Struct("<8sIIqqqqQ29dii3d12iQ12q6d")
CRC_AT = 12
BOUNDARY = 64
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

F32, F64, F16, INT8 = 1, 2, 3, 4
SHIFTING = 8
STOP, RAISE, FORGETRON, SIMPLE, HALVE, SPAN, NEAREST, PROJECT = 1, 2, 6, 7, 9, 10, 11, 12
SMALLEST, UNBIASED_BY_SIZE, LIGHTEST, LIGHTEST_PROJECT, MERGE, ANCHOR = 4, 13, 14, 15, 16, 17
FORGETRON_BASIC, FORGETRON_GREEDY = 18, 19
BALL, COEFFICIENTS = 2, 3
MEAN = 2
RING, FOURIER, NYSTROM = 1, 2, 3
SPARSE = 2
GAUSSIAN, LAPLACIAN, POLYNOMIAL, LINEAR, SIGMOID = 1, 2, 3, 4, 5

ITEM = {F32: ("f", 4), F64: ("d", 8), F16: ("e", 2), INT8: ("b", 1)}
WIDTH = {"d": 8, "f": 4, "e": 2, "b": 1, "q": 8, "i": 4}


@dataclass(frozen=True)
class Shape:
    """What the sizes of the regions follow from."""

    d: int
    budget: int
    stride: int
    choices: Mapping[str, int]
    parameters: Mapping[str, float]
    kernel: int

    @property
    def item(self) -> str:
        """Type of a stored number."""
        return ITEM[self.choices["dtype"]][0]

    @property
    def query(self) -> str:
        """Type rows are computed in."""
        return "d" if self.choices["dtype"] == F64 else "f"

    @property
    def slots(self) -> int:
        return self.budget + (self.choices["policy"] in (LIGHTEST, LIGHTEST_PROJECT, MERGE))

    @property
    def window_stride(self) -> int:
        n = int(self.parameters.get("window", 0.0))
        lanes = BOUNDARY // WIDTH[self.query]
        padded = -(-n // lanes) * lanes
        return padded if (padded - n) * 16 <= n else n

    @property
    def coefficients(self) -> int:
        return 2 * self.stride if self.choices["basis"] == FOURIER else self.stride

    @property
    def factor_rows(self) -> int:
        if self.choices["policy"] == ANCHOR:
            return min(self.budget, int(self.parameters["b0"]))
        return self.slots

    @property
    def tracks_norm(self) -> bool:
        ball = self.choices["projection"] == BALL
        return ball or self.choices["policy"] in (HALVE, ANCHOR, FORGETRON_BASIC)

    @property
    def rescales(self) -> bool:
        return (
            self.choices["projection"] != 1
            or self.choices["policy"] == SPAN
            or self.choices["basis"] != RING
            or self.choices["update"] == SHIFTING
            or self.parameters.get("lam", 0.0) > 0.0
        )

    @property
    def removes(self) -> bool:
        return self.choices["policy"] not in (STOP, RAISE, SPAN)


def triangle(n: int) -> int:
    """Entries of a packed triangle."""
    return n * (n + 1) // 2


#: Region -> (element type, stride of its rows, elements).
Size = Callable[[Shape], tuple[str, int, int]]

#: Regions in the order they lie in, as version 2 has them.
SIZES: dict[str, Size] = {
    "support_vectors": lambda s: (s.item, s.stride, s.d * s.stride),
    "coefficients": lambda s: ("d", 0, s.coefficients),
    "quantum_scale": lambda s: ("f", 0, s.d),
    "quantum_offset": lambda s: ("f", 0, s.d),
    "diagonal": lambda s: ("d", 0, s.slots),
    "arrivals": lambda s: ("q", 0, s.slots),
    "norms": lambda s: (s.query, 0, s.stride),
    "mean_start": lambda s: ("d", 0, s.coefficients),
    "mean_sum": lambda s: ("d", 0, s.coefficients),
    "nearest": lambda s: ("q", 0, s.budget),
    "nearest_distance": lambda s: ("d", 0, s.budget),
    "nearest_kernel": lambda s: ("d", 0, s.budget),
    "factor": lambda s: ("d", 0, triangle(s.factor_rows)),
    "inverse": lambda s: ("d", 0, triangle(s.budget)),
    "scores": lambda s: ("d", 0, s.slots),
    "feature_map": lambda s: ("d", s.budget, s.budget**2),
    "window": lambda s: (s.item, s.window_stride, s.d * s.window_stride),
    "window_labels": lambda s: ("d", 0, s.window_stride),
    # From here on scratch.
    "query": lambda s: (s.query, 0, s.d),
    "nonzero_index": lambda s: ("i", 0, s.d),
    "nonzero_value": lambda s: (s.query, 0, s.d),
    "column": lambda s: (s.query, 0, s.d),
    "kernel_row": lambda s: ("d", 0, s.coefficients),
    "distance_row": lambda s: ("d", 0, s.stride),
    "mean_coefficients": lambda s: ("d", 0, s.coefficients),
    "gram": lambda s: (
        "d", 0, triangle(s.budget // 2 if s.choices["policy"] == HALVE else s.budget)
    ),
    "work": lambda s: ("d", 0, s.slots),
    "work2": lambda s: ("d", 0, s.slots),
    "order": lambda s: ("i", 0, s.budget),
}  # fmt: skip
STATE = tuple(SIZES)[: tuple(SIZES).index("query")]

#: What each policy has beside ring, coefficients and example, in version 2.
POLICY_REGIONS: dict[int, tuple[str, ...]] = {
    SMALLEST: ("arrivals",),
    FORGETRON: ("column",),
    SIMPLE: ("kernel_row", "diagonal"),
    HALVE: ("kernel_row", "column", "gram", "work", "order"),
    SPAN: ("kernel_row", "factor", "work"),
    NEAREST: (
        *("kernel_row", "distance_row", "column", "diagonal"),
        *("nearest", "nearest_distance", "nearest_kernel"),
    ),
    PROJECT: ("kernel_row", "inverse", "work", "work2", "column"),
    UNBIASED_BY_SIZE: ("work", "diagonal"),
    LIGHTEST: ("arrivals", "diagonal"),
    LIGHTEST_PROJECT: (
        *("kernel_row", "factor", "gram", "work", "column"),
        *("arrivals", "diagonal"),
    ),
    MERGE: ("distance_row", "column", "arrivals", "work", "work2"),
    ANCHOR: ("kernel_row", "column", "factor", "work", "window", "window_labels"),
    FORGETRON_BASIC: ("column", "diagonal"),
    FORGETRON_GREEDY: ("kernel_row", "column", "arrivals", "scores", "work"),
}


def needed(shape: Shape, policy_regions: Mapping[int, tuple[str, ...]]) -> set[str]:
    """Names of the regions a block has."""
    choices = shape.choices
    names = {"support_vectors", "coefficients", "query"}
    names.update(policy_regions.get(choices["policy"], ()))
    if choices["rows"] == SPARSE:
        names.update(("norms", "nonzero_index", "nonzero_value"))
    if choices["dtype"] == INT8:
        names.update(("quantum_scale", "quantum_offset"))
    if choices["basis"] == FOURIER:
        names.add("kernel_row")
    if choices["basis"] == NYSTROM:
        names.update(("kernel_row", "column", "feature_map", "work", "work2"))
    if shape.tracks_norm and shape.removes:
        names.update(("column", "diagonal"))
    if choices["projection"] == COEFFICIENTS:
        names.add("diagonal")
    if choices["averaging"] == MEAN:
        names.update(("mean_start", "mean_coefficients"))
        if shape.rescales:
            names.add("mean_sum")
    if shape.factor_rows == 0:
        names.discard("factor")
    if shape.kernel in (GAUSSIAN, LAPLACIAN):
        names.discard("diagonal")
    return names


def numbers(kind: str, data: memoryview, count: int) -> tuple[float, ...]:
    """The first numbers of a region."""
    return struct.unpack_from(f"<{count}{kind}", data)


def _check_seal(data: bytes, version: int) -> None:
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


def read(
    data: bytes,
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
        raise ValueError("the stored layout does not follow from the stored configuration")
    _check_words(words, shape)
    regions = {}
    names = needed(shape, policy_regions)
    offset = -(-HEADER.size // BOUNDARY) * BOUNDARY
    for name, size in sizes.items():
        if name not in names:
            continue
        kind, row, count = size(shape)
        nbytes = count * WIDTH[kind]
        if name in STATE:
            regions[name] = (kind, row, memoryview(data)[offset : offset + nbytes])
        offset += -(-nbytes // BOUNDARY) * BOUNDARY
    if offset != len(data):
        raise ValueError(f"the model has {len(data)} bytes, its fields say {offset}")
    _check_regions(regions, words["n_support"], n_features)
    return Stored(
        version, algorithm, n_features, budget, seed, choices, parameters, kernel, words, regions
    )
