"""What the bytes are worth if only these are given (docs/sorf.md, sections 7f and 7i).

The size of the memory of rows, and where a linear model is worth more than features.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from math import isqrt
from typing import Any

from edgeolk.configuration.arguments import Choice
from edgeolk.configuration.settings import Settings
from edgeolk.scaling.record import Preprocessing
from edgeolk.sorf.options import MAX_REMEMBERED_CLASSES

#: Below these numbers of rows, or of frequencies left, a memory does not pay.
MIN_ROWS = 150
MIN_OF_CLASSES, MIN_OF_TWO = 8, 256
#: With two classes and long rows, this few rows still pay next to this many frequencies.
FEW_ROWS, MIN_WITH_FEW_ROWS = 64, 1024
#: In smaller blocks, with several classes and long rows, features need a larger share.
SMALL = 32 * 1024
#: From this size on, the memory of two classes grows more slowly than the block.
ENOUGH = 12 * 1024


def default_memory_rows(nbytes: int, n_features: int, classes: int) -> int:
    """The number of rows to remember in a block of this size; 0 for no memory.

    ``classes`` is 1 for two classes, which share a column. The more classes there are, the more a
    frequency costs, and the larger is the memory's share.
    """
    row = (n_features + 1) // 2 + (3 if classes > 1 else 1)
    min_rows = MIN_ROWS
    if classes >= 3:
        small = row >= 4 * classes and nbytes < SMALL
        sixteenths = 10 if row <= 2 * classes else 5 if small else 6
        rows = sixteenths * nbytes // 16 // row
    else:
        rows = max(nbytes // 4, min(3 * nbytes // 8, ENOUGH)) // row
        if rows < MIN_ROWS:
            rows, min_rows = nbytes // 4 // row, FEW_ROWS
    return rows if rows >= min_rows and classes <= MAX_REMEMBERED_CLASSES else 0


def min_frequencies(classes: int, rows: int) -> int:
    """The minimum number of frequencies next to such a memory."""
    if classes >= 3:
        return MIN_OF_CLASSES
    return MIN_OF_TWO if rows >= MIN_ROWS else MIN_WITH_FEW_ROWS


def min_memory_rows(classes: int) -> tuple[int, ...]:
    """The smallest memories that pay, each with its own ``min_frequencies``."""
    return (MIN_ROWS,) if classes >= 3 else (MIN_ROWS, FEW_ROWS)


#: A Gaussian process takes this share of the bytes, where it then has at least so many vectors, and
#: the features at least so many frequencies.
PROCESS_SHARE, MIN_VECTORS, MIN_WITH_PROCESS = 0.5, 3, 32
#: Smaller blocks have none unless it is asked for: with one or two vectors it does not pay, and
#: boards of 8 bits, whose learners are as small, have no double.
LEAST_WITH_PROCESS = 4 * 1024
#: In larger blocks it has no more vectors: its longest step grows with their cube.
MOST_VECTORS = 128


def process_bytes(n_vectors: int, n_features: int, item: int) -> int:
    """Bytes of a Gaussian process with so many vectors; ``item``: bytes of one of its numbers."""
    t, d, row = 2 + n_features + n_vectors, n_features, n_vectors + 1
    state = row * (row + 1) // 2 + t * (t + 1) // 2 + t + 8 * d + (d + 1) * n_vectors
    return item * (state + 3 * t + 2 * d + n_vectors) + 8 * (15 + 7 + 2 * d)


def default_vectors(nbytes: int, n_features: int, item: int) -> int:
    """The number of vectors of a Gaussian process in a block of this size; 0 for no process."""
    most = int(PROCESS_SHARE * nbytes)
    fits = bisect_right(
        range(1, isqrt(nbytes) + 2), most, key=lambda n: process_bytes(n, n_features, item)
    )
    return min(fits, MOST_VECTORS) if fits >= MIN_VECTORS else 0


#: The minimum number of frequencies next to a linear group; with several classes, that of features
#: that are worth more than a linear group, if there are more inputs.
MIN_WITH_LINEAR, MIN_OF_FEATURES = 8, 32
#: Values of ``linear_group``.
AVERAGED, LAST = 1.0, 2.0


def fewest_frequencies(n_features: int, columns: int) -> int:
    """With fewer frequencies a linear group alone is worth more."""
    if columns < 3:
        return -(-n_features // 3)
    return max(-(-n_features // 2), min(n_features, MIN_OF_FEATURES))


def with_linear_group(
    fitted: Settings | None,
    configured: Callable[..., Settings],
    n_features: int,
    columns: int,
    scalings: Sequence[Preprocessing],
) -> list[Choice]:
    """Models that are worth more than the features that fit, the best first.

    ``fitted`` are the settings with features alone, None if not one frequency fits; ``scalings``
    are ways to scale, the one of the default first. Where bytes are shortest the drift alarm goes,
    then the commonest label.
    """
    frequencies = fitted.budget if fitted else 0
    if frequencies >= n_features or (
        fitted and (fitted.values["memory"] or fitted.values["gaussian_process"])
    ):
        return []
    choices: list[Choice] = []
    if frequencies < fewest_frequencies(n_features, columns):
        for scaling in scalings:
            for group, bare in ((AVERAGED, 0), (LAST, 0), (LAST, 1), (LAST, 2)):
                alone: Any = partial(configured, linear=group, bare=bare, scaling=scaling)
                choices.append((alone, range(1)))
    elif columns >= 3:
        both: Any = partial(configured, linear=AVERAGED)
        choices.append((both, range(MIN_WITH_LINEAR, n_features)))
    return choices
