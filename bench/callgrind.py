"""Instructions of chosen calls of a child process, counted by callgrind.

Collecting is switched on by entering a compiled function of the library and off by leaving it: the
interpreter's start, the imports and the loop around the calls are never in a count. The child
counts many cases in one process: ``Counter`` writes a part out after each, named by its case.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import edgeolk as ek
from bench.compiled import compiled, compiler
from bench.datasets import ROOT

MISSING = "valgrind is not installed: apt-get install valgrind"
_SOURCE = """#include <valgrind/callgrind.h>
void zero(void) { CALLGRIND_ZERO_STATS; }
void dump(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
"""
_LIBRARY = "EDGEOLK_COUNTER"
_KEPT = ("PATH", "LD_LIBRARY_PATH")
_NAMED = "desc: Trigger: Client Request: "


@dataclass(frozen=True)
class Count:
    """Instruction counts of the calls of one case.

    ``everything`` is all instructions between entry and return. ``own`` are those of the library's
    compiled modules, ``calls`` their calls to other libraries: neither depends on the interpreter,
    numpy or the C library, which select versions by processor.
    """

    everything: int
    own: int
    calls: int


def available() -> bool:
    """Whether valgrind can be run."""
    return shutil.which("valgrind") is not None


class Counter:
    """For the child: the count so far, set to zero or written out under a name."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(os.environ[_LIBRARY])

    def zero(self) -> None:
        """Reset the count."""
        self._library.zero()

    def dump(self, name: str) -> None:
        """Write the count since the last call as ``name``, and reset it."""
        self._library.dump(name.encode())


def count(
    module: str,
    arguments: Sequence[str],
    entry: str,
    variant: str = "baseline",
) -> dict[str, Count]:
    """Run ``python -m module arguments`` in callgrind; return the counts of its ``Counter``.

    ``entry`` is one pattern of C symbols: of several with a common prefix, callgrind uses the first
    only. No match may call another, which would switch collecting off. The child gets a fixed
    environment, so that settings of this process do not change the counts.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        out, source = folder / "out", folder / "counter.c"
        source.write_text(_SOURCE)
        library = compiled([*compiler(), "-shared", "-fPIC"], [source])
        subprocess.run(
            [
                *("valgrind", "--tool=callgrind", "--combine-dumps=yes", "--log-file=/dev/null"),
                *("--compress-strings=no", "--compress-pos=no", f"--callgrind-out-file={out}"),
                f"--toggle-collect={entry}",
                *(sys.executable, "-m", module, *arguments),
            ],
            env={
                **{name: os.environ[name] for name in _KEPT if name in os.environ},
                **{"EDGEOLK_SIMD": variant, "OPENBLAS_NUM_THREADS": "1"},
                **{"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", _LIBRARY: str(library)},
            },
            cwd=ROOT,
            check=True,
        )
        with out.open() as lines:
            return parse(lines, str(Path(ek.__file__).parent))


def parse(lines: Iterable[str], package: str) -> dict[str, Count]:
    """Counts of the named parts of callgrind's output; ``package``: the library's folder."""
    counts: dict[str, Count] = {}
    name, everything, own, calls = "", 0, 0, 0
    inside = callee_inside = called = False
    for line in lines:
        if line.startswith("desc: Trigger: "):
            # The last part is written when the child ends, and belongs to no case.
            name = line[len(_NAMED) :].rstrip("\n") if line.startswith(_NAMED) else ""
        elif line.startswith("ob="):
            inside = callee_inside = line[3:].startswith(package)
        elif line.startswith("fn="):
            callee_inside = inside
        elif line.startswith("cob="):
            callee_inside = line[4:].startswith(package)
        elif line.startswith("calls="):
            if inside and not callee_inside:
                calls += int(line[6:].split()[0])
            called, callee_inside = True, inside
        elif re.match(r"\d", line):
            # The line after calls= is the cost of the callee, which has its own lines.
            if not called:
                cost = int(line.split()[1])
                everything += cost
                own += cost if inside else 0
            called = False
        elif line.startswith("totals: "):
            if int(line.split()[1]) != everything:
                raise RuntimeError(f"{name}: callgrind's total is not the sum of its lines")
            if name:
                counts[name] = Count(everything, own, calls)
            everything = own = calls = 0
    return counts
