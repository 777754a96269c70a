"""The features of windows, a row each; the options of windows, checked; their block to the byte.

Every formula is in docs/windows.md, and in c/sample_windows.h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from edgeolk.checks import check_int, check_real
from edgeolk.configuration.layout import region_table
from edgeolk.configuration.regions import Region
from edgeolk.errors import suggest


@dataclass(frozen=True)
class Feature:
    """A feature of a window.

    Attributes
    ----------
    name : str
        As in ``features=``.
    unit : str
        Of its numbers, where x is the unit of samples.
    cost : str
        For int16: "updated" (a few additions per sample, no pass over the window), "pass", or
        "spectrum". For float32 "updated" is a pass too.
    nbytes : str
        Memory that it needs besides the samples and its place in the row.
    about : str
        What it is.
    """

    name: str
    unit: str
    cost: str
    nbytes: str
    about: str


_SPECTRUM = "size x 2 (int16) or x 4, once for all"
_SUMS = "24 a channel, once for all"
#: In the order of a row; the position is the bit in c/window_block.h.
FEATURES: dict[str, Feature] = {
    feature.name: feature
    for feature in (
        Feature("mean", "x", "updated", _SUMS, "mean"),
        Feature("sd", "x", "updated", _SUMS, "standard deviation (ddof 0)"),
        Feature("rms", "x", "updated", _SUMS, "root of the mean square"),
        Feature("peak_to_peak", "x", "pass", "0", "maximum minus minimum"),
        Feature("crest", "", "pass", "0", "largest distance from the mean / sd"),
        Feature("skewness", "", "pass", "0", "third standardised moment"),
        Feature("kurtosis", "", "pass", "0", "fourth standardised moment, 3 for normal noise"),
        Feature("zero_crossings", "", "pass", "0", "crossings of the mean"),
        Feature("mean_change", "x", "updated", _SUMS, "mean absolute difference of neighbours"),
        Feature("slope", "x/s", "updated", _SUMS, "of the least-squares line"),
        Feature("bands", "ln x^2", "spectrum", _SPECTRUM, "logarithm of the energy of each band"),
        Feature("dominant", "Hz", "spectrum", _SPECTRUM, "frequency of the largest power"),
        Feature("centroid", "Hz", "spectrum", _SPECTRUM, "mean frequency, weighted by power"),
        Feature("entropy", "", "spectrum", _SPECTRUM, "of the shares of power, 0 to 1"),
        Feature("correlation", "", "updated", "8 a pair", "of each pair of channels"),
    )
}
BITS = {name: 1 << bit for bit, name in enumerate(FEATURES)}
SPECTRUM = frozenset(name for name, one in FEATURES.items() if one.cost == "spectrum")
#: Name -> features, and the number of bands.
SETS: dict[str, tuple[tuple[str, ...], int]] = {
    "vibration": (("rms", "crest", "kurtosis", "bands"), 8),
    "motion": (
        ("mean", "sd", "skewness", "kurtosis", "mean_change", "bands", "correlation"),
        4,
    ),
    "level": (("mean", "sd", "slope"), 0),
}
#: Bands of features that are named one by one.
_BANDS = 8
MAX_BANDS = 32  # c/window_block.h
MAX_CHANNELS = 64
MIN_SIZE, MAX_SIZE = 32, 1024
DTYPES = {"int16": 2, "float32": 4}
ALIGNMENT = 8


@dataclass(frozen=True)
class WindowsPlan:
    """What windows are made of, and their memory to the byte.

    Page: docs/windows.md.

    Attributes
    ----------
    channels, size, hop : int
        Numbers in a sample, samples in a window, samples from one row to the next.
    features : tuple of str
        In the order of a row.
    rate : float
        Samples a second.
    dtype : str
        "int16" or "float32".
    edges : tuple of int
        Of the bands: band b has the powers edges[b] to edges[b + 1] - 1, power k is at
        k rate / size Hz.
    envelope : bool
        Whether the spectrum is that of the envelope.
    names : tuple of str
        Of the numbers in a row.
    regions : tuple of Region
        ``(name, offset, nbytes, purpose)``, offsets from the start of the block.
    nbytes : int
        Total, exactly the size of the windows.
    """

    channels: int
    size: int
    hop: int
    features: tuple[str, ...]
    rate: float
    dtype: str
    edges: tuple[int, ...]
    envelope: bool
    names: tuple[str, ...]
    regions: tuple[Region, ...]
    nbytes: int

    @property
    def n_features(self) -> int:
        """Numbers in a row, ``n_features`` of a learner."""
        return len(self.names)

    @property
    def boundary(self) -> int:
        """Alignment of the block, in bytes."""
        return ALIGNMENT

    @property
    def block_bytes(self) -> int:
        """Bytes of the block without the padding before it."""
        return self.nbytes - ALIGNMENT

    @property
    def bits(self) -> int:
        """The features as the bits of c/window_block.h."""
        return sum(BITS[name] for name in self.features)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of ``Windows`` that lead to this plan."""
        hertz = [edge * self.rate / self.size for edge in self.edges]
        # Halfway between two powers: found again whatever the rounding.
        half = self.rate / self.size / 2
        return {
            "channels": self.channels,
            "size": self.size,
            "hop": self.hop,
            "features": self.features,
            "rate": self.rate,
            "dtype": self.dtype,
            "bands": tuple(edge - half for edge in hertz) or None,
            "envelope": self.envelope,
        }

    def __str__(self) -> str:
        title = (
            f"windows of {self.size} samples, a row of {self.n_features} every {self.hop}:"
            f" channels = {self.channels}, {self.dtype}"
        )
        return region_table(title, self.regions, self.nbytes)


def _features(features: Any) -> tuple[tuple[str, ...], int]:
    """The names of features in order, and their number of bands."""
    if isinstance(features, str) and features in SETS:
        return SETS[features]
    if isinstance(features, str):
        hint = suggest(features, (*SETS, *FEATURES))
        raise ValueError(
            f"features must be one of {', '.join(map(repr, SETS))} or a sequence of names of"
            f" features, got {features!r}{hint}"
        )
    if not isinstance(features, Sequence) or not all(isinstance(name, str) for name in features):
        raise TypeError(
            "features must be the name of a set or a sequence of names, got"
            f" {type(features).__name__}"
        )
    if len(features) == 1 and features[0] in SETS:
        return SETS[features[0]]
    for name in features:
        if name in SETS:
            raise ValueError(
                f"features must be a set alone or names of features, got the set {name!r} among"
                f" others; its features are {', '.join(SETS[name][0])}"
            )
        if name == "envelope":
            raise ValueError(
                "features must be names of features, got 'envelope', which is an option:"
                " envelope=True (--envelope) is for spectra"
            )
        if name not in FEATURES:
            raise ValueError(
                f"features must be among {', '.join(FEATURES)}, got {name!r}"
                f"{suggest(name, (*SETS, *FEATURES))}"
            )
    if not features or len(set(features)) < len(features):
        raise ValueError(f"features must be one or more names that differ, got {features!r}")
    return tuple(name for name in FEATURES if name in features), _BANDS


def _edges(bands: Any, usual: int, size: int, rate: float) -> tuple[int, ...]:
    """The first power of each band, and the one behind the last."""
    powers = size // 2
    if bands is None:
        bands = min(usual, powers)
    if hasattr(bands, "__index__"):
        count = check_int("bands", bands, 1, min(MAX_BANDS, powers))
        return (*(1 + band * powers // count for band in range(count)), powers + 1)
    if isinstance(bands, str) or not isinstance(bands, Sequence):
        raise TypeError(
            "bands must be a number of bands or a sequence of their edges in Hz, got"
            f" {type(bands).__name__}"
        )
    hertz = [check_real(f"bands[{i}]", edge) for i, edge in enumerate(bands)]
    if not 2 <= len(hertz) <= MAX_BANDS + 1:
        raise ValueError(f"bands must have 2 to {MAX_BANDS + 1} edges, got {len(hertz)}")
    if not all(math.isfinite(edge) for edge in hertz) or any(
        low >= high for low, high in pairwise(hertz)
    ):
        raise ValueError(f"bands must be finite edges that rise, in Hz, got {list(hertz)}")
    edges = [min(max(math.ceil(edge * size / rate), 1), powers + 1) for edge in hertz]
    if hertz[-1] * size / rate == powers:  # the last band includes its upper edge
        edges[-1] = powers + 1
    for (low, high), (first, last) in zip(pairwise(hertz), pairwise(edges), strict=True):
        if first >= last:
            raise ValueError(
                f"bands must each have a frequency, a multiple of rate / size ="
                f" {rate / size:g} Hz up to {rate / 2:g} Hz, got one from {low:g} to {high:g} Hz"
            )
    return tuple(edges)


def _names(
    channels: int, features: Sequence[str], edges: Sequence[int], step: float
) -> tuple[str, ...]:
    """The names of the numbers in a row; step: Hz from one power to the next."""
    each: list[str] = []
    for name in features:
        if name == "bands":
            each += [
                f"band_{low * step:g}_{(high - 1) * step:g}Hz" for low, high in pairwise(edges)
            ]
        elif name != "correlation":
            each.append(name)
    names = [f"c{channel}_{name}" for channel in range(channels) for name in each]
    if "correlation" in features:
        names += [f"c{i}_c{j}_correlation" for i in range(channels) for j in range(i + 1, channels)]
    return tuple(names)


def _regions(
    channels: int, size: int, features: Sequence[str], dtype: str, columns: int
) -> tuple[Region, ...]:
    """The parts of the block, as olk_windows_attach() finds them; alignment slack last."""
    width, exact = DTYPES[dtype], dtype == "int16"
    pairs = channels * (channels - 1) // 2 if "correlation" in features else 0
    works = not exact or SPECTRUM.intersection(features)
    parts = (
        ("state", 16, "where the ring begins, samples in it, samples to the next row"),
        ("sums", 24 * channels * exact, "exact sums of each channel"),
        ("products", 8 * pairs * exact, "exact sums of products of each pair of channels"),
        ("centres", 0 if exact or not pairs else 12 * channels, "mean and sd of each channel"),
        ("row", 4 * columns, "the last row"),
        ("ring", size * channels * width, "the samples of a window"),
        ("work", size * width if works else 0, "one channel, and its spectrum"),
    )
    regions, offset = [], 0
    for name, nbytes, purpose in parts:
        taken = -(-nbytes // ALIGNMENT) * ALIGNMENT
        if taken:
            regions.append(Region(name, offset, taken, purpose))
        offset += taken
    slack = "padding: the buffer may start at any address"
    return (*regions, Region("alignment", offset, ALIGNMENT, slack))


def windows_plan(
    channels: int,
    size: int = 256,
    hop: int | None = None,
    features: str | Sequence[str] = "vibration",
    rate: float = 400.0,
    dtype: str = "int16",
    *,
    bands: int | Sequence[float] | None = None,
    envelope: bool = False,
) -> WindowsPlan:
    """Plan windows without building them: every region with its bytes.

    Page: docs/windows.md.

    Parameters
    ----------
    channels, size, hop, features, rate, dtype, bands, envelope
        As for ``Windows``.

    Returns
    -------
    WindowsPlan
        ``plan.nbytes`` is exactly ``Windows(...).nbytes``.

    Raises
    ------
    TypeError, ValueError
        As ``Windows`` would.

    Examples
    --------
    >>> import edgeolk as ek
    >>> plan = ek.windows_plan(3, size=256, hop=128, features="vibration", rate=400)
    >>> plan.n_features, plan.nbytes
    (33, 2280)
    """
    count = check_int("channels", channels, 1, MAX_CHANNELS)
    samples = check_int("size", size, MIN_SIZE, MAX_SIZE)
    if samples & (samples - 1):
        raise ValueError(f"size must be a power of two from {MIN_SIZE} to {MAX_SIZE}, got {size}")
    step = samples // 2 if hop is None else check_int("hop", hop, 1, samples)
    chosen, usual = _features(features)
    hertz = check_real("rate", rate)
    if not 1e-6 <= hertz <= 1e9:
        raise ValueError(f"rate must be from 1e-06 to 1e+09 samples a second, got {rate!r}")
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(map(repr, DTYPES))}, got {dtype!r}")
    if not isinstance(envelope, bool):
        raise TypeError(f"envelope must be True or False, got {type(envelope).__name__}")
    if bands is not None and "bands" not in chosen:
        raise ValueError(f"bands are for the feature 'bands', got features {features!r}")
    if envelope and not SPECTRUM.intersection(chosen):
        raise ValueError(
            "envelope is for features of the spectrum (bands, dominant, centroid, entropy), got"
            f" features {features!r}"
        )
    edges = _edges(bands, usual, samples, hertz) if "bands" in chosen else ()
    names = _names(count, chosen, edges, hertz / samples)
    if not names:
        raise ValueError("features must give a number; correlation needs 2 channels, got 1")
    regions = _regions(count, samples, chosen, dtype, len(names))
    nbytes = regions[-1].offset + ALIGNMENT
    return WindowsPlan(
        *(count, samples, step, chosen, hertz, dtype, edges, envelope, names, regions, nbytes)
    )
