"""The loops as C units: one per instruction set, each with its own flags.

Used by ``setup.py``, which runs it as a file, by the release and by tests.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

LOOPS = Path(__file__).parent / "loops"
# -ffp-contract=off: whether a*b+c is one rounding is stated by each set, not left open.
# -fno-math-errno, -fno-trapping-math: loops with sqrt and selections vectorise; no result changes.
NUMBERS = ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
#: What GCC and Clang make vectors of x86-64 and their choice at run time with.
_X86 = "defined(__x86_64__) && (__clang_major__ >= 18 || (!defined(__clang__) && __GNUC__ >= 12))"


@dataclass(frozen=True)
class InstructionSet:
    """A row: the set's name, which compilers make it, and what they are told."""

    #: What ``EDGEOLK_SIMD`` calls it.
    name: str
    #: A condition of the preprocessor, true for compilers and targets that have it.
    made_by: str
    #: Spellings of the flags; the first that the compiler takes is used.
    flags: tuple[tuple[str, ...], ...] = ((),)
    #: Whether code is made small: of a set that is seldom run where there is another.
    small: bool = False

    @property
    def macro(self) -> str:
        """Defined where this set is compiled."""
        return f"OLK_SET_{self.name.upper()}"

    @property
    def built(self) -> str:
        """Defined for the unit that chooses, where this set is there to be chosen."""
        return f"OLK_HAS_{self.name.upper()}"


#: Headers that units are made of, by the module that has them.
HEADERS = {"edgeolk.core.variants": "rings.h", "edgeolk.core.structured": "structured_unit.h"}
#: Macros, one of which is defined in each unit of a set, for headers of which a unit holds a part.
PARTS = {
    "rings.h": ("OLK_SINGLE", "OLK_DOUBLE"),
    "structured_unit.h": ("OLK_SORF_INT8", "OLK_SORF_FLOAT32", "OLK_SORF_FLOAT64"),
}


def _feature(name: str) -> tuple[str, ...]:
    """A feature of the processor for Clang, also where its driver names a processor without it."""
    return ("-Xclang", "-target-feature", "-Xclang", name)


def _wide(level: int, *more: str) -> tuple[tuple[str, ...], ...]:
    """A level of x86-64 as GCC and Clang spell it, and as zig does."""
    return (f"-march=x86-64-v{level}", *more), (f"-march=x86_64_v{level}", *more)


#: Plainest first. NEON of 32-bit ARM takes small numbers for zero, for which reason GCC makes no
#: such instruction from vector types; Clang does.
SETS = (
    InstructionSet("scalar", "1", small=True),
    InstructionSet("baseline", "defined(__GNUC__)"),
    InstructionSet(
        "neon",
        "defined(__arm__) && defined(__linux__) && defined(__clang__)",
        ((*_feature("+neon"), *_feature("+d32")),),
    ),
    InstructionSet("v3", _X86, _wide(3)),
    InstructionSet("v4", _X86, _wide(4, "-mprefer-vector-width=512")),
)


def chosen_flags(
    compiler: Sequence[str] | None, instructions: InstructionSet
) -> tuple[str, ...] | None:
    """Return the flags of a set as a compiler spells them; None where it does not make the set.

    Microsoft's has no vector types, and is not asked: it is given as None.
    """
    if compiler is None:
        return () if instructions.made_by == "1" else None
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder) / "probe.c"
        probe.write_text(f"#if !({instructions.made_by})\n#error\n#endif\n", encoding="utf-8")
        for flags in instructions.flags:
            command = [*compiler, "-Werror", *flags, "-c", "-o", f"{probe}.o", str(probe)]
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                return flags
    return None


@dataclass(frozen=True)
class Unit:
    """A source to compile: loops, for a set of instructions, with the flags of this."""

    source: Path
    instructions: InstructionSet
    flags: tuple[str, ...]
    part: str = ""
    #: Of the architectures that are compiled for at once, those that have the set; none for all.
    only: tuple[str, ...] = ()


def _flags_and_architectures(
    compiler: Sequence[str] | None, instructions: InstructionSet, architectures: Sequence[str]
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """The flags of a set, and which architectures have it where not all have."""
    if compiler is None or not architectures:
        return chosen_flags(compiler, instructions), ()
    found = {name: chosen_flags([*compiler, "-arch", name], instructions) for name in architectures}
    those = {name: flags for name, flags in found.items() if flags is not None}
    if len(those) == len(architectures) and len(set(those.values())) == 1:
        return those[architectures[0]], ()
    words = [word for name, flags in those.items() for f in flags for word in (f"-Xarch_{name}", f)]
    return (tuple(words) if those else None), tuple(those)


def units(
    compiler: Sequence[str] | None, loops: str, folder: Path, architectures: Sequence[str] = ()
) -> list[Unit]:
    """Write a source for every set that the compiler makes, and for every part of the loops.

    Its name, which debuggers and profilers show beside a function's, says what it holds.
    ``compiler`` is followed by its arguments; None is Microsoft's, which makes the plainest set
    alone. ``loops`` is the header of ``core/loops`` that is compiled; a source that is in the
    ``folder`` already and the same is left alone. ``architectures`` are those that a compiler of
    macOS makes one object for, as ``-arch`` names them; none: its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for instructions in SETS:
        flags, only = _flags_and_architectures(compiler, instructions, architectures)
        for part in PARTS.get(loops, ("",)) if flags is not None else ():
            ending = f"_{part.removeprefix('OLK_').lower()}" if part else ""
            source = folder / f"{Path(loops).stem}_{instructions.name}{ending}.c"
            lines = [f"#define {macro}\n" for macro in (instructions.macro, part) if macro]
            text = "".join(lines) + f'#include "{loops}"\n'
            if only:
                text = f"#if {instructions.made_by}\n{text}#endif\n"
            if not source.exists() or source.read_text(encoding="utf-8") != text:
                source.write_text(text, encoding="utf-8", newline="\n")
            made.append(Unit(source, instructions, flags or (), ending, only))
    return made


def objects(command: Sequence[str], loops: str, folder: Path) -> list[str]:
    """Compile the units of a header without setuptools.

    ``command`` is the compiler with the flags of all units. Returns what is linked: the objects,
    and the macros that say which sets there are.
    """
    made = []
    for unit in units(command, loops, folder):
        target = str(unit.source.with_suffix(".o"))
        flags = [*unit.flags, *(["-Os"] if unit.instructions.small else [])]
        subprocess.run([*command, *flags, "-c", "-o", target, str(unit.source)], check=True)
        made += [target, f"-D{unit.instructions.built}"]
    return made


def main() -> None:
    """Compile all units with the compiler and the flags given, for its warnings."""
    command = [*sys.argv[1:], *NUMBERS, f"-I{LOOPS}"]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        list(pool.map(lambda header: objects(command, header, Path(folder)), HEADERS.values()))


if __name__ == "__main__":
    main()
