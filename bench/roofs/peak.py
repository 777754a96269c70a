"""Peaks of this core: arithmetic in registers and reading from each level of memory (peak.c)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.compiled import compiled, compiler
from bench.machine import architecture
from bench.timing import Case, timed

PLACE = Path("/sys/devices/system/cpu/cpu0/cache")
LEVELS = ("L1", "L2", "beyond")
DTYPES = ("float32", "float64")
X86_FLAGS = {
    "baseline": ("-march=x86-64",),
    "v3": ("-march=x86-64-v3",),
    "v4": ("-march=x86-64-v4", "-mprefer-vector-width=512"),
}
X86_BYTES = {"baseline": 16, "v3": 32, "v4": 64}
#: Granularity of a read: 8 of the widest vectors.
GRAIN = 512


def in_vectors(variants: Iterable[str]) -> list[str]:
    """Without the variant that takes one number at a time: it has no peak of its own."""
    return [variant for variant in variants if variant != "scalar"]


@dataclass(frozen=True)
class Instructions:
    """What must be known of a variant to count its instructions."""

    variant: str
    vector_bytes: int
    fused: bool

    @classmethod
    def of(cls, variant: str) -> Instructions:
        """Of a variant of the library."""
        if architecture() == "x86-64":
            return cls(variant, X86_BYTES[variant], variant != "baseline")
        return cls(variant, 16, architecture() == "AArch64")

    def lanes(self, dtype: str) -> int:
        """Numbers in a vector."""
        return self.vector_bytes // np.dtype(dtype).itemsize


def loaded_for(instructions: Instructions, dtype: str) -> ctypes.CDLL:
    """peak.c for one instruction set and type; raises what `compiled` does."""
    flags = X86_FLAGS[instructions.variant] if architecture() == "x86-64" else ()
    number = {"float32": "float", "float64": "double"}[dtype]
    command = [
        *(*compiler(), "-O3", "-ffp-contract=fast", *flags, "-shared", "-fPIC"),
        *(f"-DNUMBER={number}", f"-DBYTES={instructions.vector_bytes}"),
    ]
    loaded = ctypes.CDLL(str(compiled(command, [Path(__file__).with_name("peak.c")])))
    c_number = {"float32": ctypes.c_float, "float64": ctypes.c_double}[dtype]
    c_numbers = ctypes.POINTER(c_number)
    loaded.peak_multiply_add.argtypes = [ctypes.c_long, c_numbers, c_number, c_number]
    loaded.peak_multiply_add.restype = ctypes.c_double
    loaded.peak_squares.argtypes = [ctypes.c_long, c_numbers, c_number]
    loaded.peak_squares.restype = ctypes.c_double
    loaded.peak_read.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long]
    loaded.peak_read.restype = ctypes.c_uint64
    return loaded


def _expect(what: str, got: float, wanted: float) -> None:
    if got != wanted:
        raise RuntimeError(f"{what}: the loop gave {got}, not {wanted}: it did not do its work")


def _numbers(values: NDArray[Any]) -> ctypes.Array[Any]:
    c_type: Any = {"float32": ctypes.c_float, "float64": ctypes.c_double}[values.dtype.name]
    numbers: ctypes.Array[Any] = (c_type * len(values))(*values.tolist())
    return numbers


def chains(library: ctypes.CDLL, loop: str) -> int:
    """Operations in a sweep of a loop: ``sums`` or ``terms``."""
    return ctypes.c_int.in_dll(library, f"peak_{loop}").value


def multiply_add(library: ctypes.CDLL, dtype: str, lanes: int, sweeps: int) -> float:
    """Seconds of so many sweeps of multiply-adds."""
    n = chains(library, "sums")
    # Every sum goes to 1, the fixed point of s / 2 + 1 / 2.
    start = _numbers(np.linspace(0.5, 1.5, n, dtype=dtype))
    total, seconds = timed(lambda: library.peak_multiply_add(sweeps, start, 0.5, 0.5))
    _expect("multiply-add", total, n * lanes)
    return seconds


def squares(library: ctypes.CDLL, dtype: str, lanes: int, sweeps: int) -> float:
    """Seconds of so many sweeps of terms of a squared distance."""
    n = chains(library, "terms")
    start = _numbers(np.ones(n, dtype))
    total, seconds = timed(lambda: library.peak_squares(sweeps, start, 0.0))
    # Ones are added until the sum is so large that one more is rounded away.
    most = 2 ** (1 + np.finfo(dtype).nmant)
    _expect("squares", total, n * lanes * min(sweeps, most))
    return seconds


class Reader:
    """Reads a buffer of its own over and over."""

    def __init__(self, library: ctypes.CDLL, nbytes: int) -> None:
        words = nbytes // GRAIN * GRAIN // 8
        held = np.random.default_rng(0).integers(0, 2**63, words + 512, dtype=np.uint64)
        skip = -held.ctypes.data % 4096 // 8
        self.words = held[skip : skip + words]
        self.wanted = int(np.bitwise_xor.reduce(self.words))
        self.library = library

    def seconds(self, passes: int) -> float:
        """Seconds of so many passes; the count is made odd."""
        passes |= 1
        at, nbytes = self.words.ctypes.data, self.words.nbytes
        seen, seconds = timed(lambda: self.library.peak_read(at, nbytes, passes))
        _expect("read", seen, self.wanted)
        return seconds


def calibrated(run: Callable[[int], float], seconds: float) -> int:
    """How often to repeat so that it takes about so long; twice as often must take longer.

    Raises
    ------
    RuntimeError
        The work does not grow with the count.
    """
    count = 129
    while run(count) < seconds / 4:
        count = 2 * count + 1
    once, twice = (min(run(n) for _ in range(3)) for n in (count, 2 * count + 1))
    if twice < 1.5 * once:
        raise RuntimeError(f"twice the work takes {twice / once:.2f} times as long: left out?")
    return max(round(count * seconds / once), 129) | 1


def arithmetic_cases(
    instructions: Instructions, dtype: str, library: ctypes.CDLL, seconds: float
) -> list[Case]:
    """Multiply-adds and terms of a distance; ``rows`` are vector operations."""
    lanes, name = instructions.lanes(dtype), f"{instructions.variant} {dtype}"
    cases = []
    for key, loop, counted in (("madd", multiply_add, "sums"), ("squares", squares, "terms")):
        run = partial(loop, library, dtype, lanes)
        count = calibrated(run, seconds)
        operations = count * chains(library, counted)
        cases.append(Case(f"{key} {name}", name, operations, partial(run, count)))
    return cases


def reading_cases(
    instructions: Instructions, library: ctypes.CDLL, caches: Caches, seconds: float
) -> list[Case]:
    """Reading from each level; ``rows`` are bytes."""
    cases = []
    for level, nbytes in caches.buffers().items():
        reader = Reader(library, nbytes)
        count = calibrated(reader.seconds, seconds)
        run, total = partial(reader.seconds, count), count * reader.words.nbytes
        cases.append(Case(f"{level} {instructions.variant}", instructions.variant, total, run))
    return cases


@dataclass(frozen=True)
class Caches:
    """Bytes of the first two levels, for data."""

    l1: int
    l2: int

    def level(self, nbytes: int) -> str:
        """Return the smallest level that holds so many bytes.

        All of it counts as free, so that the roof is never below what the machine can do.
        """
        return "L1" if nbytes <= self.l1 else "L2" if nbytes <= self.l2 else "beyond"

    def buffers(self) -> dict[str, int]:
        """Bytes to read so that they come from each level."""
        return {"L1": self.l1 // 2, "L2": self.l2 // 2, "beyond": 4 * self.l2}


def caches(l1: int | None = None, l2: int | None = None) -> Caches:
    """Of this machine, or as given in KiB.

    Raises
    ------
    RuntimeError
        The system does not say and nothing was given.
    """
    sizes = [1024 * size if size else found(level) for level, size in ((1, l1), (2, l2))]
    if not all(sizes):
        raise RuntimeError("the system does not say how large the caches are: give --l1 and --l2")
    return Caches(*sizes)


def found(level: int) -> int:
    """Bytes of a level's cache for data as the system tells them, 0 where it does not."""
    for index in sorted(PLACE.glob("index*")):
        try:
            read = [(index / name).read_text().strip() for name in ("level", "type", "size")]
        except OSError:
            continue
        if read[0] == str(level) and read[1] in ("Data", "Unified"):
            return 1024 * int(read[2].removesuffix("K"))
    name = {1: "SC_LEVEL1_DCACHE_SIZE", 2: "SC_LEVEL2_CACHE_SIZE"}[level]
    return max(os.sysconf(name), 0) if name in os.sysconf_names else 0
