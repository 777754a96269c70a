"""The C mathematics by itself, under address and undefined-behaviour sanitizers: c/*.c.

A case is one subject by every instruction-set variant that a compiler makes and this machine runs;
without the nightly ones, by the plain variant and the widest. Arrays there end where the loops are
documented to read to, so a longer reach fails.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

import edgeolk.core
from bench.compiled import compiled

SOURCES = sorted((Path(__file__).parent / "c").glob("*.c"))
SUBJECTS = [path.stem for path in SOURCES if path.stem not in ("main", "table")]
LOOPS = Path(edgeolk.core.__file__).parent / "loops"
COMPILERS = ("gcc", "clang")
#: As setup.py has them: what decides the numbers.
FLAGS = ["-std=gnu11", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
FLAGS += ["-Wall", "-Wextra", "-Werror", f"-I{LOOPS}"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
#: Variants, and how the loops are compiled for them.
BUILDS = [
    pytest.param(("scalar", "native"), ["-DCHECK_NATIVE", "-march=native"], id="native"),
    pytest.param(("scalar", "baseline"), [], id="all", marks=pytest.mark.slow),
]


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


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(("known", "flags"), BUILDS)
def test_checks(known: tuple[str, ...], flags: list[str], compiler: str, subject: str) -> None:
    if reason := lacking(compiler):
        pytest.skip(reason)
    # Without optimisation the instrumented loops compile three times as fast.
    command = [compiler, "-O0", "-g1", *FLAGS, *SANITIZE, *flags, "-lm"]
    program = str(compiled(command, SOURCES, suffix=""))
    variants = run([program]).stdout.split()
    assert set(known) <= set(variants)
    for variant in variants:
        ran = run([program, variant, subject])
        assert ran.returncode == 0, f"{variant}: {ran.stderr}{ran.stdout}"
        assert re.fullmatch(r"[1-9]\d* checks, 0 failed\n", ran.stdout)


@pytest.mark.parametrize("header", ["variants.h", "structured.h"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_numbers_one_by_one_are_plain_c11(compiler: str, header: str) -> None:
    """What a compiler without vector types gets."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    strict = ["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unused"]
    command = [compiler, "-O2", *strict, "-DOLK_SCALAR_ONLY", f"-I{LOOPS}", "-x", "c", "-c", "-"]
    ran = run([*command, "-o", os.devnull], f'#include "{header}"\n')
    assert ran.returncode == 0, ran.stderr


@pytest.mark.slow  # make lint does the same with the compiler of the build
@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_warnings_when_optimised(compiler: str) -> None:
    """Some warnings only come of what the optimiser sees."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    table = str(Path(__file__).parent / "c/table.c")
    ran = run([compiler, "-O2", *FLAGS, "-c", table, "-o", os.devnull])
    assert ran.returncode == 0, ran.stderr
