"""What made the compiled modules, as they themselves say: not what would make them today."""

from __future__ import annotations

import re
from pathlib import Path

import edgeolk as ek
from bench.machine import facts

#: Compilers sign the modules they make (section .comment). A release changes counts, a patch does
#: not. Clang's modules carry gcc's signature too, from the C library's start-up code.
_COMPILERS = {
    "gcc": re.compile(rb"GCC: \([^)]*\) (\d+)\."),
    "clang": re.compile(rb"clang version (\d+)\."),
}
_CYTHON = re.compile(rb"_cython_(\d+)_(\d+)_\w+\0")


def signatures(modules: list[bytes]) -> str:
    """The compilers of modules, such as "gcc 12"."""
    found = {
        f"{name} {int(release)}"
        for name, pattern in _COMPILERS.items()
        for module in modules
        for release in pattern.findall(module)
    }
    return " and ".join(sorted(found)) or "an unknown compiler"


def cython(modules: list[bytes]) -> str:
    """The versions of Cython that wrote the modules."""
    found = {b".".join(v).decode() for module in modules for v in _CYTHON.findall(module)}
    return " and ".join(sorted(found)) or "unknown"


def build() -> dict[str, str]:
    """Of this library: architecture and compiler, which decide; the rest explains a change."""
    package = Path(ek.__file__).parent
    modules = [path.read_bytes() for path in sorted(package.rglob("*.so"))]
    here = facts()
    return {
        "architecture": here["architecture"],
        "compiler": signatures(modules),
        "cython": cython(modules),
        "python": here["python"],
        "numpy": here["numpy"],
    }
