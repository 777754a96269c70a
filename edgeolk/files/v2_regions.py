"""Which regions a block of versions 1 and 2 has, and how large each is, frozen.

The order is that of the block; sizes are in elements and without the padding to a boundary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from edgeolk.lean import dataclass

BOUNDARY = 64

# Numbers of the parts that sizes depend on.
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
