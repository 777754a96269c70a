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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from edgeolk.core import variants

MODULE = Path(variants.__file__)
X86 = platform.machine() in ("x86_64", "AMD64")
ARM = platform.machine() in ("aarch64", "arm64")
#: Bytes of the vectors a variant computes in.
WIDTHS = {"baseline": 16, "v3": 32, "v4": 64} if X86 else {"baseline": 16}
#: Packed multiply-adds a function has at least: products, tails and exponentials together.
LEAST = 36
#: In the hot loop, a vector of support vectors each.
LEAST_IN_LOOP = 8
FUNCTIONS = [f"row_{s}" for s in ("f32", "f64", "f16", "i8")]
FUNCTIONS += [f"sparse_{s}" for s in ("f32", "f64", "f16")]

X86_ARITHMETIC = re.compile(r"v?(fn?m(?:add|sub)\d+|add|sub|mul)([ps])([sd])")
ARM_PACKED = re.compile(r"v\d+\.(4s|2d|2s)")
ARM_NAMES = {"fmla": "fma", "fmls": "fma", "fadd": "add", "fsub": "sub", "fmul": "mul"}
ARM_SCALARS = {**ARM_NAMES, **dict.fromkeys(("fmadd", "fmsub", "fnmadd", "fnmsub"), "fma")}


@dataclass(frozen=True)
class Instruction:
    """One line of a disassembly; ``target`` is where a jump goes."""

    address: int
    name: str
    operands: str
    target: int | None

    @property
    def arithmetic(self) -> tuple[str, int] | None:
        """What floating-point arithmetic it is and on how many bytes, 0 for a single number."""
        if found := X86_ARITHMETIC.fullmatch(self.name):
            kind = "fma" if found[1].startswith("f") else found[1]
            return kind, self.vector_bytes if found[2] == "p" else 0
        if found := ARM_PACKED.match(self.operands):
            kind = ARM_NAMES.get(self.name)
            return (kind, 8 if found[1] == "2s" else 16) if kind else None
        if re.match(r"[sd]\d+,", self.operands) and self.name in ARM_SCALARS:
            return ARM_SCALARS[self.name], 0
        return None

    @property
    def vector_bytes(self) -> int:
        """Bytes of the widest x86 vector register it names, 0 without one."""
        widths = {"x": 16, "y": 32, "z": 64}
        found = re.findall(r"%([xyz])mm\d", self.operands)
        return max((widths[letter] for letter in found), default=0)


def parse(listing: str) -> dict[tuple[int, str], list[Instruction]]:
    """Functions of a listing by ``objdump -d``, by address and name."""
    functions: dict[tuple[int, str], list[Instruction]] = {}
    for line in listing.splitlines():
        if found := re.match(r"([0-9a-f]+) <([\w.]+)>:", line):
            body = functions.setdefault((int(found[1], 16), found[2]), [])
        elif found := re.match(r"\s*([0-9a-f]+):\s+(\S+)(?:\s+(.*))?", line):
            address, name, operands = int(found[1], 16), found[2], found[3] or ""
            jumps = re.fullmatch(r"j\w+|b|b\.\w+|cbn?z|tbn?z", name)
            to = re.search(r"(?:^|[\s,])([0-9a-f]+) <", operands) if jumps else None
            body.append(Instruction(address, name, operands, int(to[1], 16) if to else None))
    return functions


def inner_loops(body: Sequence[Instruction]) -> list[list[Instruction]]:
    """What lies between a jump back and its target, where no shorter such stretch lies within."""
    first = body[0].address
    ends = {
        (i.target, i.address)
        for i in body
        if i.target is not None and first <= i.target < i.address
    }
    inner = [
        (start, end)
        for start, end in ends
        if not any((s, e) != (start, end) and start <= s and e <= end for s, e in ends)
    ]
    return [[i for i in body if start <= i.address <= end] for start, end in sorted(inner)]


def counts(body: Iterable[Instruction]) -> Counter[tuple[str, int]]:
    """How often each arithmetic occurs at each width."""
    return Counter(i.arithmetic for i in body if i.arithmetic is not None)


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
def functions() -> dict[str, list[Instruction]]:
    """Functions of the loops as ``unit/name`` without ``olk_``; skips where there is no telling."""
    if not (X86 or ARM):
        pytest.skip("neither x86-64 nor AArch64")
    if shutil.which("objdump") is None:
        pytest.skip("no objdump (binutils)")

    def objdump(*words: str) -> str:
        command = ["objdump", *words, str(MODULE)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    of_unit = units(objdump("-t"))
    kept = {
        f"{of_unit[at]}/{name.removeprefix('olk_')}": body
        for (at, name), body in parse(objdump("-d", "--no-show-raw-insn")).items()
        if of_unit.get(at, "").startswith("rings_")
    }
    if not kept:
        pytest.skip(f"{MODULE.name} is stripped: no symbol says where a function begins")
    return kept


def built_by_gcc_12() -> bool:
    """Whether the compiler that signed the module is one that units.py has wide sets for."""
    data = MODULE.read_bytes()
    majors = [int(major) for major in re.findall(rb"GCC: \([^)]*\) (\d+)\.", data)]
    return b"clang version" not in data and min(majors, default=0) >= 12


def body_of(function: str, variant: str) -> list[Instruction]:
    part = "double" if function.endswith("f64") else "single"
    body = functions().get(f"rings_{variant}_{part}/{function}")
    if body is None and variant != "baseline" and not built_by_gcc_12():
        pytest.skip("built by a compiler that only the baseline is compiled with")
    assert body, f"no olk_{function} of {variant} in {MODULE.name}"
    return body


def multiply_adds(variant: str) -> str:
    """The instruction to count: SSE2 has no fused one."""
    return "mul" if X86 and variant == "baseline" else "fma"


def number_bytes(function: str) -> int:
    """Bytes of a number computed in."""
    return 8 if function.endswith("f64") else 4


@pytest.mark.parametrize("variant", WIDTHS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_variant_computes_in_its_own_vectors(function: str, variant: str) -> None:
    body, width = body_of(function, variant), WIDTHS[variant]
    found = counts(body)
    assert found[multiply_adds(variant), width] >= LEAST, found
    if X86:
        assert max(i.vector_bytes for i in body) == width
        if variant == "baseline":
            encoded = {i.name for i in body if i.vector_bytes and i.name.startswith("v")}
            assert not encoded, f"AVX instructions in the baseline: {encoded}"
    numbers = {
        packed: sum(
            n * (at // number_bytes(function) if at else 1)
            for (_, at), n in found.items()
            if (at == width) == packed
        )
        for packed in (True, False)
    }
    assert numbers[True] > numbers[False], "more numbers one by one than in whole vectors"


@pytest.mark.parametrize("variant", WIDTHS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_hot_loop_is_packed(function: str, variant: str) -> None:
    """A distance's loop subtracts and multiplies; an inner product's (sparse) only multiplies."""
    body, width, madd = body_of(function, variant), WIDTHS[variant], multiply_adds(variant)
    found = [counts(loop) for loop in inner_loops(body)]
    wanted = (madd, "sub") if function.startswith("row") else (madd,)
    hot = [c for c in found if all(c[kind, width] >= LEAST_IN_LOOP for kind in wanted)]
    assert hot, f"no loop of whole vectors among {found}"
    shares = [sum(n for (_, at), n in c.items() if at == width) / c.total() for c in hot]
    assert max(shares) >= 0.9, hot


@pytest.mark.parametrize(
    ("line", "arithmetic"),
    [
        ("  10:\tvfmadd231ps 0x40(%rax,%rcx,4),%zmm1,%zmm2{%k1}", ("fma", 64)),
        ("  10:\tvfnmadd132pd %ymm0,%ymm1,%ymm2", ("fma", 32)),
        ("  10:\tmulps  %xmm0,%xmm1", ("mul", 16)),
        ("  10:\tvsubss %xmm0,%xmm1,%xmm2", ("sub", 0)),
        ("  10:\tvpaddd %zmm0,%zmm1,%zmm2", None),
        ("  10:\tfmla\tv0.4s, v1.4s, v2.s[1]", ("fma", 16)),
        ("  10:\tfsub\tv0.2d, v1.2d, v2.2d", ("sub", 16)),
        ("  10:\tfmul\tv0.2s, v1.2s, v2.2s", ("mul", 8)),
        ("  10:\tfmadd\ts0, s1, s2, s3", ("fma", 0)),
        ("  10:\tfmov\ts0, #1.0", None),
    ],
)
def test_reading_of_a_listing(line: str, arithmetic: tuple[str, int] | None) -> None:
    jumps = "  14:\tb.ne\t10 <f>  // b.any\n  18:\tjne    10 <f>\n  1c:\tcall   10 <f>\n"
    body = parse(f"0000000000000010 <f>:\n{line}\n{jumps}")[16, "f"]
    assert body[0].arithmetic == arithmetic
    assert [i.target for i in body] == [None, 16, 16, None]
    assert [len(loop) for loop in inner_loops(body)] == [2]
