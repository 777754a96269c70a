"""The units of the loops, and what compilers are told: also for two processors at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edgeolk.core.units import SETS, units

#: Takes -arch as macOS's does: only one of the two processors has the levels of x86-64.
COMPILER = """#!/bin/sh
for last; do :; done
case "$*" in
    *"-arch arm64"*) ! grep -q "__x86_64__\\|__arm__" "$last" ;;
    *) ! grep -q "__arm__" "$last" ;;
esac
"""
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the compiler here is a shell script")


@pytest.fixture
def compiler(tmp_path: Path) -> list[str]:
    path = tmp_path / "cc"
    path.write_text(COMPILER)
    path.chmod(0o755)
    return [str(path)]


def made(compiler: list[str] | None, folder: Path, *architectures: str) -> dict[str, tuple]:
    """Flags and processors of each set that is made."""
    found = units(compiler, "sorf_unit.h", folder / "units", architectures)
    return {unit.instructions.name: (unit.flags, unit.only) for unit in found}


def test_one_processor_at_a_time(compiler: list[str], tmp_path: Path) -> None:
    intel = made(compiler, tmp_path, "x86_64")
    assert list(intel) == ["scalar", "baseline", "v3", "v4"]
    assert intel["v3"] == (("-march=x86-64-v3",), ())
    assert made(compiler, tmp_path) == intel
    assert list(made(compiler, tmp_path, "arm64")) == ["scalar", "baseline"]


def test_a_universal_build_has_the_sets_of_each(compiler: list[str], tmp_path: Path) -> None:
    """Flags go to the processor that has them; a unit is empty for the other."""
    both = made(compiler, tmp_path, "arm64", "x86_64")
    assert list(both) == ["scalar", "baseline", "v3", "v4"]
    assert both["scalar"] == both["baseline"] == ((), ())
    assert both["v3"] == (("-Xarch_x86_64", "-march=x86-64-v3"), ("x86_64",))
    flags = ("-march=x86-64-v4", "-mprefer-vector-width=512")
    assert both["v4"][0] == tuple(word for flag in flags for word in ("-Xarch_x86_64", flag))
    [source] = (tmp_path / "units").glob("*_v3_sorf_int8.c")
    condition = next(row.made_by for row in SETS if row.name == "v3")
    text = source.read_text()
    assert text.startswith(f"#if {condition}\n")
    assert text.endswith("#endif\n")


def test_microsofts_compiler_makes_the_plain_one(tmp_path: Path) -> None:
    assert list(made(None, tmp_path)) == ["scalar"]
