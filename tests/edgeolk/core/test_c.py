"""The C mathematics by itself, under address and undefined-behaviour sanitizers: c/*.c.

A case has all subjects by sets of instructions that a compiler makes and this machine runs: one
program, for which other cases would wait. Arrays there end where the loops are documented to read
to, so a longer reach fails.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from bench.compiled import compiled, compiled_sets
from edgeolk.core.units import C_FOLDER, HEADERS, NUMBERS, PARTS
from edgeolk.core.variants import available_simd

SOURCES = sorted((Path(__file__).parent / "c").glob("*.c"))
SUBJECTS = [path.stem for path in SOURCES if path.stem not in ("main", "table")]
#: What a unit of each set is made of.
RINGS = "ring_unit.h"
LOOPS_OF_SETS = tuple(HEADERS.values())
COMPILERS = ("gcc", pytest.param("clang", marks=pytest.mark.slow))
FLAGS = ["-std=gnu11", *NUMBERS, "-Wall", "-Wextra", "-Werror", f"-I{C_FOLDER}"]
#: Sets of instructions and the sanitizers of their loops: by day the plainest, as vectors take a
#: minute to compile with sanitizers, and six seconds without.
BUILDS = [
    pytest.param({"scalar": "address"}, id="plainest"),
    pytest.param(dict.fromkeys(available_simd(), "address,undefined"), id="all",
                 marks=pytest.mark.slow),
]  # fmt: skip
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def run(command: list[str], text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


@cache
def lacking(compiler: str) -> str:
    """Why nothing can be made with a compiler and its sanitizers; empty if it can."""
    if shutil.which(compiler) is None:
        return f"no {compiler}"
    probe = [compiler, *SANITIZE, "-x", "c", "-o", os.devnull, "-"]
    ran = run(probe, "int main(void) { return 0; }\n")
    return f"{compiler} has no sanitizers: {ran.stderr[-200:]}" if ran.returncode else ""


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("sets", BUILDS)
def test_checks(sets: dict[str, str], compiler: str) -> None:
    if reason := lacking(compiler):
        pytest.skip(reason)
    # Without optimisation the instrumented loops compile three times as fast.
    command = [compiler, "-O0", "-g1", *FLAGS]
    loops = []
    for name, what in sets.items():
        sanitizers = [f"-fsanitize={what}", "-fno-sanitize-recover=all"] if what else []
        loops += compiled_sets([*command, *sanitizers], RINGS, {name})
    program = str(compiled([*command, *SANITIZE], SOURCES, "", [*loops, "-lm"]))
    variants = run([program]).stdout.split()
    assert set(variants) <= set(sets)
    assert len(variants) >= min(2, len(sets))
    for variant, subject in product(variants, SUBJECTS):
        ran = run([program, variant, subject])
        assert ran.returncode == 0, f"{variant}, {subject}: {ran.stderr}{ran.stdout}"
        assert re.fullmatch(r"[1-9]\d* checks, 0 failed\n", ran.stdout)


@pytest.mark.parametrize("header", LOOPS_OF_SETS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_numbers_one_by_one_are_plain_c11(compiler: str, header: str) -> None:
    """What a compiler without vector types gets."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    strict = ["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unused"]
    command = [compiler, *strict, "-DOLK_SCALAR_ONLY", f"-I{C_FOLDER}", "-x", "c", "-"]
    for part in PARTS[header]:
        ran = run([*command, "-fsyntax-only"], f'#define {part}\n#include "{header}"\n')
        assert ran.returncode == 0, ran.stderr


@pytest.mark.slow  # make lint does the same with the compiler of the build
@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_warnings_when_optimised(compiler: str) -> None:
    """Some warnings only come of what the optimiser sees."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    for header in LOOPS_OF_SETS:
        compiled_sets([compiler, "-O2", *FLAGS], header)
