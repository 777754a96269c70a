"""The vectorization of the loops for boards: packed instructions of each hot function.

``python -m release.vectors`` compiles them as for wheels and disassembles them (``llvm-objdump``);
it fails if a function that should use vectors does not. Needs neither board nor emulator.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

from bench.table import Table
from edgeolk.core.units import C_FOLDER, HEADERS, NUMBERS, units
from release.targets import BOOKWORM, BUILD, TARGETS, Target
from release.wheels import compiler

#: The vectorized variant, and the options with which llvm-objdump reads all of its instructions.
VARIANTS = {"aarch64": ("baseline", ()), "armv7l": ("neon", ("--mattr=+neon,+vfp4,+d32",))}
NAMES = {"aarch64": "AArch64", "armv7l": "armv7"}
#: Arithmetic on several floats or doubles at once.
PACKED = {
    "aarch64": re.compile(r"\tf(?:mla|mls|add|sub|mul|max)\tv\d+\.(?:4s|2d|2s)"),
    "armv7l": re.compile(r"\tv(?:mla|mls|fma|add|sub|mul|max)\.f32\t[qd]\d+"),
}
#: The hot functions of a step, by module.
FUNCTIONS = {
    "edgeolk.core.variants": (
        *(f"olk_row_{stored}" for stored in ("f32", "f16", "i8", "f64")),
        *(f"olk_rows_{stored}" for stored in ("f32", "f16", "i8", "f64")),
        *("olk_sparse_f32", "olk_weigh_f32"),
    ),
    "edgeolk.sorf.tables": (
        *("olk_hadamard_single_int8", "olk_hadamard_int8", "olk_hadamard_float32"),
        *("olk_second_pass_int8", "olk_second_pass_float32"),
    ),
}
#: Suffix of a function's name by the part of the loops in its unit. Functions of a storage type
#: have their type in the name.
TYPES = {"_single": "_f32", "_double": "_f64"}
TYPED = re.compile(r"_(?:f16|f32|f64|i8)$")
#: Minimum number of packed instructions of each.
MIN_PACKED = 16
#: Not vectorized on armv7: its NEON has no doubles and flushes small numbers to zero, so that
#: compilers do not vectorize plain loops, only explicit vector code.
SCALAR_FUNCTIONS = (
    *("_f64", "olk_weigh_f32", "olk_hadamard_int8"),
    *("olk_second_pass_int8", "olk_second_pass_float32"),
)


def packed(target: Target, module: str) -> Counter[str]:
    """Count packed instructions of each function of a module's loops, compiled as in a wheel."""
    variant, words = VARIANTS[target.name]
    compiler_command = [str(compiler(target, BOOKWORM))]
    all_units = units(compiler_command, HEADERS[module], BUILD / "vectors" / target.name)
    disassembler = ["llvm-objdump", "-d", "--no-show-raw-insn", *words]
    counts: Counter[str] = Counter()
    for unit in [unit for unit in all_units if unit.instructions.name == variant]:
        output = unit.source.with_suffix(".o")
        flags = ["-O3", "-g0", *NUMBERS, *unit.flags, f"-I{C_FOLDER}"]
        command = [*compiler_command, *flags, "-c", str(unit.source), "-o", str(output)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        run = subprocess.run(
            [*disassembler, str(output)], capture_output=True, text=True, check=True
        )
        function = ""
        for line in run.stdout.splitlines():
            if found := re.match(r"[0-9a-f]+ <(olk_\w+)", line):
                ending = TYPES.get(unit.part, unit.part.removeprefix("_sorf"))
                function = found[1] if TYPED.search(found[1]) else found[1] + ending
            elif PACKED[target.name].search(line):
                counts[function] += 1
    return counts


def table() -> tuple[Table, list[str]]:
    """Return the table of counts, and the functions that have too few."""
    lines, few = [], []
    found = {
        (name, module): packed(TARGETS[name], module) for name in VARIANTS for module in FUNCTIONS
    }
    for module, functions in FUNCTIONS.items():
        for function in functions:
            counts = []
            for name in VARIANTS:
                count = found[name, module][function]
                is_scalar = name == "armv7l" and function.endswith(SCALAR_FUNCTIONS)
                counts.append("one by one" if is_scalar else str(count))
                if count < MIN_PACKED and not is_scalar:
                    few.append(f"{function} on {NAMES[name]}: {count}")
            lines.append([function.removeprefix("olk_"), *counts])
    columns = [f"{NAMES[name]}, `{variant}`" for name, (variant, _) in VARIANTS.items()]
    note = "Arithmetic on several numbers at once, in the machine code (`release/vectors.py`)."
    return Table("Packed instructions", ["function", *columns], lines, note), few


def main() -> int:
    """Print the counts; return 1 if a function has too few."""
    output, few = table()
    print(output.markdown(), *few, sep="\n")
    return int(bool(few))


if __name__ == "__main__":
    sys.exit(main())
