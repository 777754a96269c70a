"""Mutations of the learners' C, which tests of their behaviour must detect: see `mutating.py`.

The package is copied. Of the sets of instructions its copy has plain C and ``baseline``; a mutation
is compiled for the latter, without optimisation: only the units that include its header, and the
modules of its row, which call its functions. Seconds per mutation, minutes if only slow cases
notice it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import mutants_forecasts
import mutants_ring
import mutants_rows
import mutants_sorf
import numpy as np
from mutating import CASES, ROOT, Mutation, Trials, applied, failures

C_FOLDER, SET = "edgeolk/c", "baseline"
FLAGS = ("-O0", "-w", "-g0", "-fPIC", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")

HEADERS = [
    header
    for module in (mutants_sorf, mutants_forecasts, mutants_ring, mutants_rows)
    for header in module.HEADERS
]
MUTATIONS = [mutation for header in HEADERS for mutation in header.mutations]
#: The modules that call the functions of a header, beside those that the units are linked to.
CALLERS = {mutation.file: header.callers for header in HEADERS for mutation in header.mutations}
TYPES = {mutation.file: header.types for header in HEADERS for mutation in header.mutations}
#: The types of numbers by the part of a unit.
OF_PARTS = {
    "_single": ("int8", "float32"), "_double": ("float64",),
    "_sorf_int8": ("int8",), "_sorf_float32": ("float32",), "_sorf_float64": ("float64",),
}  # fmt: skip


def failed(folder: Path, tests: Iterable[str], cases: Sequence[str] = CASES) -> str:
    """What pytest prints if one of the tests fails: cases that are named, then others."""
    named = [test for test in tests if "[" in test]
    others = [test for test in tests if "[" not in test]
    output = failures(folder, named, ("not mcu",)) if named else ""
    return output or (failures(folder, others, cases) if others else "")


class Object(NamedTuple):
    """A source of a module: what is compiled, how, and its object for the code as it is."""

    source: Path
    flags: tuple[str, ...]
    target: Path
    headers: frozenset[str]
    types: tuple[str, ...]


def types_of(mutation: Mutation) -> set[str]:
    """The types of numbers in the names of cases; those of its header if there are none."""
    words = {word for test in mutation.tests for word in re.split(r"[\[\]-]", test)}
    cases = all("[" in test for test in mutation.tests)
    found = words & {"int8", "float32", "float64"} if cases else set()
    return found or set(TYPES[mutation.file]) or {"int8", "float32", "float64"}


def included(header: str) -> frozenset[str]:
    """A header of the C folder, and all that it includes."""
    found: set[str] = set()
    remaining = [header]
    while remaining:
        name = remaining.pop()
        if name not in found:
            found.add(name)
            text = (ROOT / C_FOLDER / name).read_text()
            remaining += re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)
    return frozenset(found)


class Copy:
    """A copy of the package whose modules are compiled again for a mutation."""

    def __init__(self, folder: Path) -> None:
        from edgeolk.core.units import HEADERS as OF_UNITS
        from edgeolk.core.units import units

        self.folder, self.objects = folder, folder / "objects"
        for part in ("edgeolk", "tests", "bench", "firmware_sim"):
            shutil.copytree(ROOT / part, folder / part)
        shutil.copy(ROOT / "pyproject.toml", folder)
        self.objects.mkdir()
        include = (f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}")
        self.command = ["cc", *FLAGS, *include, f"-I{folder / C_FOLDER}"]
        #: The units of each module, linked to it: those of ``SET`` are compiled again.
        self.units: dict[str, list[Object]] = {}
        for module, header in OF_UNITS.items():
            made = [
                unit
                for unit in units(("cc",), header, folder / "units")
                if unit.instructions.name in ("scalar", SET)
            ]
            built = {f"-D{unit.instructions.built}" for unit in made if not unit.only}
            main = folder / f"{module.replace('.', '/')}.c"
            self.units[module] = [self._object(main, (*sorted(built),), frozenset(), ())]
            for unit in made:
                mutable = unit.instructions.name == SET
                headers = included(header) if mutable else frozenset()
                types = OF_PARTS[unit.part]
                self.units[module].append(self._object(unit.source, unit.flags, headers, types))
            for compiled in self.units[module]:
                self._compile(compiled.source, compiled.flags, compiled.target)
            self._link([unit.target for unit in self.units[module]], module)

    def _object(
        self,
        source: Path,
        flags: tuple[str, ...],
        headers: frozenset[str],
        types: tuple[str, ...],
    ) -> Object:
        return Object(source, flags, self.objects / f"{source.stem}.o", headers, types)

    def _run(self, command: Iterable[str]) -> None:
        ran = subprocess.run([*command], capture_output=True, text=True, check=False)
        if ran.returncode:
            raise SystemExit(f"{ran.stderr}\nthe compiler ended with {ran.returncode}")

    def _compile(self, source: Path, flags: Iterable[str], target: Path) -> None:
        self._run([*self.command, *flags, "-c", str(source), "-o", str(target)])

    def _link(self, objects: Iterable[Path], module: str) -> None:
        self._run(["cc", "-shared", *map(str, objects), "-o", str(self.library(module)), "-lm"])

    def library(self, module: str) -> Path:
        """The file of a module."""
        return self.folder / f"{module.replace('.', '/')}{SUFFIX}"

    def compile(self, mutation: Mutation) -> list[str]:
        """Compile and link what a mutated header is part of; the modules, to be restored."""
        name, types = Path(mutation.file).name, types_of(mutation)
        changed: list[str] = []
        for module, units in self.units.items():
            objects = []
            for unit in units:
                target = unit.target
                if name in unit.headers and types.intersection(unit.types):
                    target = target.with_suffix(".mutated.o")
                    self._compile(unit.source, unit.flags, target)
                objects.append(target)
            if objects != [unit.target for unit in units]:
                changed.append(module)
                self._keep(module)
                self._link(objects, module)
        for module in CALLERS[mutation.file]:
            changed.append(module)
            self._keep(module)
            target = self.objects / f"{module}.mutated.o"
            self._compile(self.folder / f"{module.replace('.', '/')}.c", (), target)
            self._link([target], module)
        return changed

    def _keep(self, module: str) -> None:
        """Move the library of a module away: other processes may still use it."""
        self.library(module).rename(self.objects / f"{module}.kept")

    def restore(self, modules: Iterable[str]) -> None:
        """The libraries of the code as it is."""
        for module in modules:
            (self.objects / f"{module}.kept").replace(self.library(module))

    def notice(self, mutation: Mutation) -> bool:
        """Whether the tests fail with a mutation."""
        with applied(mutation, self.folder / mutation.file):
            changed = self.compile(mutation)
            try:
                return bool(failed(self.folder, mutation.tests))
            finally:
                self.restore(changed)


def lived(wanted: list[Mutation], folder: Path, trials: Trials) -> list[Mutation]:
    """The mutations that no test detects."""
    copy = Copy(folder)
    tests = dict.fromkeys(test for mutation in wanted for test in mutation.tests)
    if output := failed(folder, tests, CASES[:1]):
        raise SystemExit(f"the learners are red without any mutation:\n{output}")
    return trials.survivors(wanted, copy.notice)
