"""The statistics without Python: a module of C types alone gives what the class gives."""

import importlib.util
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from scalers import FORMS, noise, scaler_of

import edgeolk as ek

pytestmark = pytest.mark.slow  # builds an extension module

ALONE = """
from libc.stdint cimport int8_t, int64_t
from libc.stdlib cimport calloc, free

from libc.string cimport memset

from edgeolk.core.scaler cimport (
    Head, Scaler, learn_rows, point_to_statistics, transform_rows,
)


cdef int64_t run(const double* x, float* z, int64_t n, Head head) noexcept nogil:
    cdef Scaler s
    cdef int64_t i, bad
    cdef int64_t d = head.n_features
    cdef double* block = <double*>calloc(8 * d, sizeof(double))
    memset(&s, 0, sizeof s)
    s.head = &head
    point_to_statistics(&s, <char*>(block + 2 * d))
    s.kept.least = block
    s.kept.most = block + d
    s.moments.mean = block + 2 * d
    s.moments.low = block + 3 * d
    s.moments.m2 = block + 4 * d
    s.moments.level = <int8_t*>(block + 5 * d)
    for i in range(n):
        learn_rows(&s, x + i * d, 1)
        bad = transform_rows(&s, x + i * d, z + i * d, 1)
        if bad >= 0:
            break
    free(block)
    return bad


def scaled(const double[:, ::1] x, float[:, ::1] z, int method, double clip, int window):
    cdef Head head
    head.n_features = x.shape[1]
    head.n_seen = head.freeze_after = head.frozen = 0
    head.method = method
    head.clip = clip
    head.window = window
    return run(&x[0, 0], &z[0, 0], x.shape[0], head)
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    pytest.importorskip("Cython")
    folder = tmp_path_factory.mktemp("alone")
    source = folder / "alone.pyx"
    source.write_text(ALONE)
    target = folder / f"alone{sysconfig.get_config_var('EXT_SUFFIX')}"
    root = str(Path(ek.__file__).parents[1])
    cython = [sys.executable, "-m", "cython", "-3", "-X", "cdivision=True", "-I", root, str(source)]
    subprocess.run(cython, check=True, capture_output=True)
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")
    include = f"-I{sysconfig.get_paths()['include']}"
    loops = f"-I{Path(ek.__file__).parent / 'core/loops'}"
    flags = ["-O1", "-ffp-contract=off", "-shared", "-fPIC", include, loops]
    output = ["-o", str(target), str(source.with_suffix(".c")), "-lm"]
    subprocess.run([*compiler, *flags, *output], check=True, capture_output=True)
    spec = importlib.util.spec_from_file_location("alone", target)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("form", FORMS)
def test_without_python_it_is_the_same(alone, form):
    X = 1013 + noise(300, 70)
    X[40, 3] = X[41, 69] = 1e6
    X[:, 5] = 4.0
    got = np.empty(X.shape, np.float32)
    method, clip = form
    window = 0 if clip is None else 10_000
    assert alone.scaled(X, got, 1 + (method == "minmax"), clip or 0.0, window) == -1
    scaler = scaler_of(form, 70)
    want = np.empty(70, np.float32)
    for row, z in zip(X, got, strict=True):
        np.testing.assert_array_equal(z, scaler.learn_transform_one(row, want))
