"""Every variant is what its name says, counted in the machine code of the built module.

A compiler that ignores a target, or a loop it no longer vectorises, gives right answers slowly: the
other tests pass and a variant is silently the baseline. Counts are of instructions in the code, not
of instructions executed; the bounds are about half of what gcc 12 emits.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from edgeolk.core import variants

MODULE = Path(variants.__file__)
#: Bytes of the vectors a variant computes in.
WIDTHS = {"baseline": 16, "v3": 32, "v4": 64}
#: Packed multiply-adds a function has at least: products, tails and exponentials together.
LEAST = 36
FUNCTIONS = [f"row_{s}" for s in ("f32", "f64", "f16", "i8")]
FUNCTIONS += [f"sparse_{s}" for s in ("f32", "f64", "f16")]

ARITHMETIC = re.compile(r"v?(fn?m(?:add|sub)\d+|add|sub|mul)([ps])[sd]")
pytestmark = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="counts instructions of x86-64"
)


def vector_bytes(operands: str) -> int:
    """Bytes of the widest vector register named, 0 without one."""
    found = re.findall(r"%([xyz])mm\d", operands)
    return max(({"x": 16, "y": 32, "z": 64}[letter] for letter in found), default=0)


def parse(listing: str) -> dict[tuple[int, str], list[tuple[str, str]]]:
    """Names and operands by the address and name of a function, of ``objdump -d``."""
    functions: dict[tuple[int, str], list[tuple[str, str]]] = {}
    for line in listing.splitlines():
        if found := re.match(r"([0-9a-f]+) <([\w.]+)>:", line):
            body = functions.setdefault((int(found[1], 16), found[2]), [])
        elif found := re.match(r"\s*[0-9a-f]+:\s+(\S+)(?:\s+(.*))?", line):
            body.append((found[1], found[2] or ""))
    return functions


def counts(body: list[tuple[str, str]]) -> Counter[tuple[str, int]]:
    """How often each floating-point arithmetic occurs on how many bytes, 0 for one number."""
    made: Counter[tuple[str, int]] = Counter()
    for name, operands in body:
        if found := ARITHMETIC.fullmatch(name):
            kind = "fma" if found[1].startswith("f") else found[1]
            made[kind, vector_bytes(operands) if found[2] == "p" else 0] += 1
    return made


def units(symbols: str) -> dict[int, str]:
    """The unit, "" for none, that each function of ``objdump -t`` is of, by its address.

    A file's own symbols come after its name; so a function of several units can be told apart.
    """
    found, unit = {}, ""
    for line in symbols.splitlines():
        words = line.split()
        if " df " in line:
            unit = Path(words[-1]).stem if words[-1].endswith(".c") else ""
        elif " F " in line:
            found[int(words[0], 16)] = unit
    return found


@cache
def functions() -> dict[str, list[tuple[str, str]]]:
    """Functions of the loops as ``unit/name`` without ``olk_``; skips where there is no telling."""
    if shutil.which("objdump") is None:
        pytest.skip("no objdump (binutils)")

    def objdump(*words: str) -> str:
        command = ["objdump", *words, str(MODULE)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    of_unit = units(objdump("-t"))
    kept = {
        f"{of_unit[at]}/{name.removeprefix('olk_')}": body
        for (at, name), body in parse(objdump("-d", "--no-show-raw-insn")).items()
        if of_unit.get(at, "").startswith("ring_unit_")
    }
    if not kept:
        pytest.skip(f"{MODULE.name} is stripped: no symbol says where a function begins")
    return kept


def built_by_gcc_12() -> bool:
    """Whether the compiler that signed the module is one that units.py has wide sets for."""
    data = MODULE.read_bytes()
    majors = [int(major) for major in re.findall(rb"GCC: \([^)]*\) (\d+)\.", data)]
    return b"clang version" not in data and min(majors, default=0) >= 12


@pytest.mark.parametrize("variant", WIDTHS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_variant_computes_in_its_own_vectors(function: str, variant: str) -> None:
    double = function.endswith("f64")
    unit = f"ring_unit_{variant}_{'double' if double else 'single'}"
    body, width = functions().get(f"{unit}/{function}"), WIDTHS[variant]
    if body is None and variant != "baseline" and not built_by_gcc_12():
        pytest.skip("built by a compiler that only the baseline is compiled with")
    assert body, f"no olk_{function} of {variant} in {MODULE.name}"
    found = counts(body)
    # SSE2 has no fused multiply-add.
    assert found["mul" if variant == "baseline" else "fma", width] >= LEAST, found
    assert max(vector_bytes(operands) for _, operands in body) == width
    if variant == "baseline":
        encoded = {name for name, operands in body if vector_bytes(operands) and name[0] == "v"}
        assert not encoded, f"AVX instructions in the baseline: {encoded}"
    whole = sum(n * at // (8 if double else 4) for (_, at), n in found.items() if at == width)
    others = sum(
        n * max(1, at // (8 if double else 4)) for (_, at), n in found.items() if at != width
    )
    assert whole > others, "more numbers one by one than in whole vectors"
