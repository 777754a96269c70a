"""What exported learners have in place of the C library, against it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import zlib

import numpy as np
import pytest

from edgeolk.export.folder import BOARD, C_FOLDER

SHIM = """
#include "mathf.h"
#include "crc.h"
double root(double x); double root(double x) { return olk_square_root(x); }
void turn(double x, double *out); void turn(double x, double *out) { olk_cos_sin(x, out, out + 1); }
uint32_t crc(uint32_t c, const void *d, size_t n);
uint32_t crc(uint32_t c, const void *d, size_t n) { return ek_crc32(c, d, n); }
"""


@pytest.fixture(scope="module")
def c(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    if shutil.which("cc") is None:
        pytest.skip("no cc")
    folder = tmp_path_factory.mktemp("shim")
    made = folder / "shim.so"
    shutil.copytree(C_FOLDER, folder / "edgeolk")  # as in an exported folder
    flags = [
        "-std=c99", "-O2", "-shared", "-fPIC", f"-I{C_FOLDER}", f"-I{folder}", f"-I{BOARD}", "-x",
        "c", "-",
    ]  # fmt: skip
    subprocess.run(["cc", *flags, "-o", str(made)], input=SHIM, text=True, check=True)
    library = ctypes.CDLL(str(made))
    library.root.restype = ctypes.c_double
    library.crc.restype = ctypes.c_uint32
    return library


def test_square_roots_are_rounded_once(c: ctypes.CDLL) -> None:
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 0x7FF0 << 48, 20_000, np.int64)
    bits[::7] &= (1 << 52) - 1  # subnormal
    bits[::11] &= 0x7FF << 52
    near_one = 1.0 + np.arange(-3, 4) * 2.0**-52
    numbers = [*bits.view(np.float64), *near_one, 0.0, np.inf, 2.0, 4.0, 5e-324]
    found = np.array([c.root(ctypes.c_double(x)) for x in numbers])
    assert np.array_equal(found, np.sqrt(numbers))


def test_turns_of_any_angle(c: ctypes.CDLL) -> None:
    rng = np.random.default_rng(2)
    angles = np.exp2(rng.uniform(-60, 1023.9, 20_000)) * rng.choice([-1.0, 1.0], 20_000)
    out = (ctypes.c_double * 2)()
    worst = 0.0
    for angle in [*angles, 0.0, 1.7976931348623157e308, 511.9999, 512.0, -512.0, np.pi / 4]:
        c.turn(ctypes.c_double(angle), out)
        worst = max(worst, abs(out[0] - np.cos(angle)), abs(out[1] - np.sin(angle)))
    assert worst < 3e-16


def test_checksums_are_those_of_zlib(c: ctypes.CDLL) -> None:
    data = np.random.default_rng(3).bytes(1000)
    assert c.crc(0, data, ctypes.c_size_t(0)) == 0
    for cut in (0, 1, 13, 999):
        first = c.crc(0, data, ctypes.c_size_t(cut))
        assert c.crc(first, data[cut:], ctypes.c_size_t(1000 - cut)) == zlib.crc32(data)
