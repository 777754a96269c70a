"""Extension modules; everything else is in pyproject.toml."""

import os
import runpy
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

HERE = Path(__file__).parent
CORE = Path("edgeolk/core")
HEADERS = [str(path) for path in sorted(CORE.glob("**/*.h")) + sorted(CORE.glob("**/*.pxd"))]

# -ffp-contract=off: whether a*b+c is one rounding is stated in loops/variants.h, not left open.
# -fno-math-errno, -fno-trapping-math: loops with sqrt and selections vectorise; no result changes.
# -fno-loop-unroll-and-jam: gcc's version of it makes the row loops twice as slow.
# -g0: Python's own flags ask for debugging information, four times the size of the code.
FLAGS = [
    "-O3",
    "-g0",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-loop-unroll-and-jam",
]


def accepted(flags):
    """Those of the flags that the C compiler knows."""
    if sys.platform == "win32":
        return ["/O2"]
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    probe = [*compiler, "-Werror", "-x", "c", "-c", "-o", os.devnull, "-"]

    def knows(flag):
        run = subprocess.run([*probe, flag], input=b"", capture_output=True, check=False)
        return run.returncode == 0

    return [flag for flag in flags if knows(flag)]


def write_parts_pxd():
    """The numbers of edgeolk/parts.py as C sees them: one home for both."""
    parts = runpy.run_path(str(HERE / "edgeolk/parts.py"))
    lines = ['"""Written by setup.py from edgeolk/parts.py; do not edit."""', ""]
    lines += ["from libc.stdint cimport int32_t", "", "cdef enum:"]
    for axis, kind in parts["AXES"].items():
        lines += [f"    {axis.upper()}_{member.name} = {member.value}" for member in kind]
    lines += ["", "cdef struct Choices:"]
    lines += [f"    int32_t {axis}" for axis in parts["AXES"]]
    lines += ["", "cdef struct Params:"]
    lines += [f"    double {name}" for name in parts["STORED"]]
    text = "\n".join(lines) + "\n"
    target = HERE / CORE / "parts.pxd"
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


def extension(name, flags):
    source = name.replace(".", "/") + ".pyx"
    return Extension(
        name,
        [source],
        depends=HEADERS,
        extra_compile_args=flags,
        include_dirs=[str(CORE / "loops"), numpy.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_22_API_VERSION")],
    )


write_parts_pxd()
flags = accepted(FLAGS)
setup(
    ext_modules=cythonize(
        [
            extension("edgeolk.core.arena", flags),
            extension("edgeolk.core.header", flags),
            extension("edgeolk.core.variants", flags),
            extension("edgeolk.core.engine", flags),
            extension("edgeolk.boundary", flags),
            extension("edgeolk.scaling", flags),
        ],
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "embedsignature": True,
        },
    ),
)
