"""The units of ``edgeolk/c``: one per instruction set, each with its own flags.

Used by ``setup.py``, which runs it as a file, by the release and by tests.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

#: The headers that are compiled.
C_FOLDER = Path(__file__).parents[1] / "c"
# -ffp-contract=off: whether a*b+c is one rounding is stated by each set, not left open.
# -fno-math-errno, -fno-trapping-math: loops with sqrt and selections vectorise; no result changes.
NUMBERS = ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
#: Versions of GCC and Clang with vector types and run-time selection on x86-64.
_X86 = "defined(__x86_64__) && (__clang_major__ >= 18 || (!defined(__clang__) && __GNUC__ >= 12))"


@dataclass(frozen=True)
class InstructionSet:
    """An instruction set: its name, the compilers that support it, and their flags."""

    #: Its name in ``EDGEOLK_SIMD``.
    name: str
    #: A preprocessor condition, true for compilers and targets that support it.
    made_by: str
    #: Alternative spellings of the flags; the first that the compiler accepts is used.
    flags: tuple[tuple[str, ...], ...] = ((),)
    #: Whether to optimise for size, for a set that is rarely used if others exist.
    small: bool = False

    @property
    def macro(self) -> str:
        """Macro defined when this set is compiled."""
        return f"OLK_SET_{self.name.upper()}"

    @property
    def built(self) -> str:
        """Macro defined for the unit that selects a set, if this set was compiled."""
        return f"OLK_HAS_{self.name.upper()}"


#: Headers compiled as units, by module.
HEADERS = {"edgeolk.core.variants": "ring_unit.h", "edgeolk.sorf.tables": "sorf_unit.h"}
#: For headers that are compiled in parts: macros, one of which is defined in each unit.
PARTS = {
    "ring_unit.h": ("OLK_SINGLE", "OLK_DOUBLE"),
    "sorf_unit.h": ("OLK_SORF_INT8", "OLK_SORF_FLOAT32", "OLK_SORF_FLOAT64"),
}


def _feature(name: str) -> tuple[str, ...]:
    """Enable a processor feature in Clang, even if its driver names a processor without it."""
    return ("-Xclang", "-target-feature", "-Xclang", name)


def _wide(level: int, *more: str) -> tuple[tuple[str, ...], ...]:
    """Flags for a level of x86-64, as spelled by GCC and Clang, and by zig."""
    return (f"-march=x86-64-v{level}", *more), (f"-march=x86_64_v{level}", *more)


#: In order of preference, lowest first. NEON of 32-bit ARM flushes subnormals to zero, so GCC does
#: not generate it from vector types; Clang does.
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
    """Return the flags of a set for a compiler; None if it does not support the set.

    Microsoft's compiler, without vector types, is given as None and not run.
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
    """A source to compile for an instruction set, with its flags."""

    source: Path
    instructions: InstructionSet
    flags: tuple[str, ...]
    part: str = ""
    #: For universal binaries, the architectures that support the set; empty for all.
    only: tuple[str, ...] = ()


def _flags_and_architectures(
    compiler: Sequence[str] | None, instructions: InstructionSet, architectures: Sequence[str]
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """The flags of a set, and the architectures that support it unless all do."""
    if compiler is None or not architectures:
        return chosen_flags(compiler, instructions), ()
    found = {name: chosen_flags([*compiler, "-arch", name], instructions) for name in architectures}
    supported = {name: flags for name, flags in found.items() if flags is not None}
    if len(supported) == len(architectures) and len(set(supported.values())) == 1:
        return supported[architectures[0]], ()
    words = [
        word
        for name, flags in supported.items()
        for flag in flags
        for word in (f"-Xarch_{name}", flag)
    ]
    return (tuple(words) if supported else None), tuple(supported)


def units(
    compiler: Sequence[str] | None, header: str, folder: Path, architectures: Sequence[str] = ()
) -> list[Unit]:
    """Write a source for every set that the compiler supports, and for every part of the header.

    Its name, which debuggers and profilers show next to that of a function, says what it contains.
    ``compiler`` includes its arguments; None is Microsoft's, which supports the scalar set only.
    ``header`` is that of ``edgeolk/c`` to compile; a source in ``folder`` that would not
    change is not rewritten. ``architectures`` are those of a universal binary of macOS, as given to
    ``-arch``; empty: the native one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for instructions in SETS:
        flags, only = _flags_and_architectures(compiler, instructions, architectures)
        for part in PARTS.get(header, ("",)) if flags is not None else ():
            ending = f"_{part.removeprefix('OLK_').lower()}" if part else ""
            source = folder / f"{Path(header).stem}_{instructions.name}{ending}.c"
            lines = [f"#define {macro}\n" for macro in (instructions.macro, part) if macro]
            text = "".join(lines) + f'#include "{header}"\n'
            if only:
                text = f"#if {instructions.made_by}\n{text}#endif\n"
            if not source.exists() or source.read_text(encoding="utf-8") != text:
                source.write_text(text, encoding="utf-8", newline="\n")
            made.append(Unit(source, instructions, flags or (), ending, only))
    return made
