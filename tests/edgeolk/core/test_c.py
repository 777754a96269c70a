"""The C mathematics by itself, under address and undefined-behaviour sanitizers: c/*.c.

A case is one subject by every instruction-set variant that a compiler makes and this machine runs.
Arrays there end where the loops are documented to read to, so a longer reach fails.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from edgeolk.core.units import HEADERS, LOOPS, NUMBERS, PARTS, objects

SOURCES = sorted((Path(__file__).parent / "c").glob("*.c"))
SUBJECTS = [path.stem for path in SOURCES if path.stem not in ("main", "table")]
#: What a unit of each set is made of.
RINGS = "rings.h"
LOOPS_OF_SETS = tuple(HEADERS.values())
COMPILERS = ("gcc", "clang")
FLAGS = ["-std=gnu11", *NUMBERS, "-Wall", "-Wextra", "-Werror", f"-I{LOOPS}"]
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


@pytest.fixture(scope="module", params=COMPILERS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = str(request.param)
    if reason := lacking(compiler):
        pytest.skip(reason)
    made = str(tmp_path_factory.mktemp(compiler) / "checks")
    # Without optimisation the instrumented loops compile three times as fast.
    command = [compiler, "-O0", "-g1", *FLAGS, *SANITIZE]
    loops = objects(command, RINGS, Path(made).parent)
    ran = run([*command, *map(str, SOURCES), *loops, "-o", made, "-lm"])
    assert ran.returncode == 0, ran.stderr
    return made


@pytest.mark.parametrize("subject", SUBJECTS)
def test_checks(subject: str, program: str) -> None:
    variants = run([program]).stdout.split()
    assert "baseline" in variants
    for variant in variants:
        ran = run([program, variant, subject])
        assert ran.returncode == 0, f"{variant}: {ran.stderr}{ran.stdout}"
        assert re.fullmatch(r"[1-9]\d* checks, 0 failed\n", ran.stdout)


@pytest.mark.parametrize("header", LOOPS_OF_SETS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_numbers_one_by_one_are_plain_c11(compiler: str, header: str) -> None:
    """What a compiler without vector types gets."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    strict = ["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unused"]
    command = [compiler, "-O2", *strict, "-DOLK_SCALAR_ONLY", f"-I{LOOPS}", "-x", "c", "-c", "-"]
    for part in PARTS[header]:
        ran = run([*command, "-o", os.devnull], f'#define {part}\n#include "{header}"\n')
        assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_warnings_when_optimised(compiler: str, tmp_path: Path) -> None:
    """Some warnings only come of what the optimiser sees."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    for header in LOOPS_OF_SETS:
        objects([compiler, "-O2", *FLAGS], header, tmp_path)
