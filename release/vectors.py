"""What the compiler makes of the loops for boards: packed instructions of each hot function.

``python -m release.vectors`` compiles them as wheels do and reads the code (``llvm-objdump``); it
fails where a function that should compute in vectors does not. That needs no board and no emulator.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

from bench.table import Table
from edgeolk.core.units import HEADERS, LOOPS, NUMBERS, units
from release.targets import BOOKWORM, BUILD, TARGETS, Target
from release.wheels import compiler

#: Variant that computes in vectors, and what makes llvm-objdump read all of its instructions.
VARIANTS = {"aarch64": ("baseline", ()), "armv7l": ("neon", ("--mattr=+neon,+vfp4,+d32",))}
NAMES = {"aarch64": "AArch64", "armv7l": "armv7"}
#: Arithmetic on several floats or doubles at once.
PACKED = {
    "aarch64": re.compile(r"\tf(?:mla|mls|add|sub|mul|max)\tv\d+\.(?:4s|2d|2s)"),
    "armv7l": re.compile(r"\tv(?:mla|mls|fma|add|sub|mul|max)\.f32\t[qd]\d+"),
}
#: Functions that a step is made of, and the module that has them.
FUNCTIONS = {
    "variants": (
        *(f"olk_row_{stored}" for stored in ("f32", "f16", "i8", "f64")),
        *(f"olk_rows_{stored}" for stored in ("f32", "f16", "i8", "f64")),
        *("olk_sparse_f32", "olk_weigh_f32"),
    ),
    "structured": (
        *("olk_mix_single_int8", "olk_mix_int8", "olk_mix_float32"),
        *("olk_second_pass_int8", "olk_second_pass_float32"),
    ),
}
#: What is put behind the name of a function, by the part of the loops in its unit. Functions of a
#: storage type have their type in the name.
TYPES = {"_single": "_f32", "_double": "_f64"}
TYPED = re.compile(r"_(?:f16|f32|f64|i8)$")
#: Packed instructions that each of them has at least.
LEAST = 16
#: Not on armv7: its NEON has no doubles, and takes small numbers for zero, so that compilers leave
#: plain loops alone; only what is written in vectors is vectors.
ONE_BY_ONE = (
    *("_f64", "olk_weigh_f32", "olk_mix_int8"),
    *("olk_second_pass_int8", "olk_second_pass_float32"),
)


def packed(target: Target, module: str) -> Counter[str]:
    """Packed instructions of each function of a module's loops, compiled as in a wheel."""
    variant, words = VARIANTS[target.name]
    made_by = [str(compiler(target, BOOKWORM))]
    header = HEADERS[f"edgeolk.core.{module}"]
    every = units(made_by, header, BUILD / "vectors" / target.name)
    disassembler = ["llvm-objdump", "-d", "--no-show-raw-insn", *words]
    counts: Counter[str] = Counter()
    for unit in [unit for unit in every if unit.instructions.name == variant]:
        made = unit.source.with_suffix(".o")
        flags = ["-O3", "-g0", *NUMBERS, *unit.flags, f"-I{LOOPS}"]
        command = [*made_by, *flags, "-c", str(unit.source), "-o", str(made)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        run = subprocess.run([*disassembler, str(made)], capture_output=True, text=True, check=True)
        function = ""
        for line in run.stdout.splitlines():
            if found := re.match(r"[0-9a-f]+ <(olk_\w+)", line):
                ending = TYPES.get(unit.part, unit.part.removeprefix("_sorf"))
                function = found[1] if TYPED.search(found[1]) else found[1] + ending
            elif PACKED[target.name].search(line):
                counts[function] += 1
    return counts


def table() -> tuple[Table, list[str]]:
    """The counts, and the functions that have too few."""
    lines, few = [], []
    found = {
        (name, module): packed(TARGETS[name], module) for name in VARIANTS for module in FUNCTIONS
    }
    for module, functions in FUNCTIONS.items():
        for function in functions:
            counts = []
            for name in VARIANTS:
                count = found[name, module][function]
                alone = name == "armv7l" and function.endswith(ONE_BY_ONE)
                counts.append("one by one" if alone else str(count))
                if count < LEAST and not alone:
                    few.append(f"{function} on {NAMES[name]}: {count}")
            lines.append([function.removeprefix("olk_"), *counts])
    columns = [f"{NAMES[name]}, `{variant}`" for name, (variant, _) in VARIANTS.items()]
    note = "Arithmetic on several numbers at once, as it stands in the code (`release/vectors.py`)."
    return Table("Packed instructions", ["function", *columns], lines, note), few


def main() -> int:
    """Print them; 1 where a function has too few."""
    made, few = table()
    print(made.markdown(), *few, sep="\n")
    return int(bool(few))


if __name__ == "__main__":
    sys.exit(main())
