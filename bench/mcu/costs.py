"""Stack and code of exported models, for `edgeolk/export/costs.py`: prints its table.

The bound of the stack adds the frames that the compiler reports, down the calls.
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import edgeolk as ek
from edgeolk.export.costs import OF_OTHERS, Cost
from firmware_sim.mcu import BOARDS
from firmware_sim.mcu.program import ARM, PREFIX

_NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
_BYTES = re.compile(r"(\d+) bytes \((\w+)")
#: Of each kind the options that ask for most.
ALL: dict[str, Any] = {
    "algorithm": "sorf", "D": 200, "linear": True, "last_label": True, "groups": 2,
    "gamma": "auto", "gamma_rows": 64, "scale": "minmax", "relevance": True, "clip_rows": 2.0,
    "on_bad_row": "skip",
}  # fmt: skip
#: Of a Gaussian process.
FILTER: dict[str, Any] = {"budget": 9, "gamma": "auto", "gamma_rows": 64, "scale": "minmax",
                          "clip_rows": 2.0, "on_bad_row": "skip"}  # fmt: skip
#: Kinds whose scratch cannot be in the arena, which have no other arithmetic.
ON_STACK = ("ring", "process", "whitened", "tracker")
KINDS: dict[str, dict[str, Any]] = {
    "learner": ALL,
    "remembering": {**ALL, "memory": 64},
    "novelty": {"algorithm": "sorf", "D": 200, "loss": "novelty", "gamma": "auto", "gamma_rows": 64,
                "scale": "minmax", "clip_rows": 2.0},
    "watching": {"D": 192, "loss": "novelty", "history": True, "clock": True},
    "forecaster": {"D": 200, "loss": "square", "history": True, "relevance": True},
    "mixing": {**{name: ALL[name] for name in ALL if name != "last_label"}, "loss": "square",
               "gaussian_process": 9},
    "ring": {"algorithm": "ogd", "budget": 9, "scale": "minmax", "n_classes": 3,
             "clip_rows": 2.0, "loss": "logistic"},
    "process": {"algorithm": "krls_t", **FILTER},
    "tracker": {"algorithm": "krls_auto", "budget": 9, "on_bad_row": "skip"},
    "whitened": {"algorithm": "sogp", **FILTER, "coefficients": "float32"},
}  # fmt: skip
#: Further learners of a kind, whose calls may go deeper.
OTHERS: dict[str, tuple[dict[str, Any], ...]] = {
    "learner": ({**{name: ALL[name] for name in ALL if name != "last_label"}, "loss": "square"},),
}
ARITHMETIC: dict[str, tuple[str, ...]] = {"library": (), "whole": ("-DEK_FIXED",)}
#: A board for each kind of core: stack frames on an M3, M7 and M33 are between these.
CORES = {"Cortex-M0": "microbit", "Cortex-M4F": "mps2-an386"}
LEVELS = ("-Os", "-O2", "-O3")
#: The standard that gcc takes without a flag. Frames of C99 are smaller by up to 350 bytes: there a
#: returned structure does not live until the end of its expression.
STANDARD = "-std=gnu17"
#: Functions of edgeolk.h.
CALLED = tuple(
    f"ek_{name}"
    for name in ("learn", "learn_weighted", "scores", "predict", "probability", "load", "file",
                 "start", "count", "ask", "tell", "look", "restart", "watch", "accept", "variance")
)  # fmt: skip


def learner_of(
    kind: str, dtype: str, n_features: int = 3, given: Mapping[str, Any] | None = None
) -> ek.Learner:
    """An empty one of a kind, or with other options than are listed for it."""
    options = dict(KINDS[kind] if given is None else given)
    return ek.Learner(options.pop("algorithm", None), n_features=n_features, dtype=dtype, **options)


class Compiled(NamedTuple):
    """The most stack of any call, the way down, and bytes of code and constants of edgeolk.c."""

    stack: int
    way: tuple[str, ...]
    code: int


def compiled(folder: Path, core: str, flags: Sequence[str]) -> Compiled:
    """Compile the learner in a folder for a core; return stack and code size."""
    made, calls = calls_of(folder, [*ARM.flags, STANDARD, *BOARDS[CORES[core]].flags, *flags])
    command = [f"{PREFIX}size", str(made)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Compiled(*bound(calls, CALLED), int(output.splitlines()[1].split()[0]))


def _dtypes(kind: str) -> list[tuple[str, str]]:
    """Types of numbers, and arithmetic."""
    if kind in ON_STACK:
        return [("float32", "library"), ("float64", "library")]
    return [*(("int8", how) for how in ARITHMETIC), ("float32", "library"), ("float64", "library")]


def _found(kind: str, dtype: str, how: str, scratch: str) -> dict[str, list[Compiled]]:
    """The compiled programs of each core and form of learner, by level."""
    found: dict[str, list[Compiled]] = {level: [] for level in LEVELS}
    for given in (KINDS[kind], *OTHERS.get(kind, ())):
        with tempfile.TemporaryDirectory() as made:
            ek.export_c(learner_of(kind, dtype, given=given), made, scratch=scratch)
            for level, core in itertools.product(LEVELS, CORES):
                found[level].append(compiled(Path(made), core, [level, *ARITHMETIC[how]]))
    return found


def _row(case: tuple[str, str, str]) -> tuple[str, str]:
    """A row of the table, and the deepest way down."""
    kind, dtype, how = case
    usual = _found(kind, dtype, how, "stack")
    most, arena_stack = max(itertools.chain(*usual.values())), None
    if kind not in ON_STACK:
        arena_stack = max(itertools.chain(*_found(kind, dtype, how, "arena").values())).stack
    sizes = [each.code / 1024 for level in ("-Os", "-O2") for each in usual[level]]
    cost = Cost(most.stack, arena_stack, (math.floor(min(sizes)), math.ceil(max(sizes))))
    return f'    ("{kind}", "{dtype}", "{how}"): Cost{tuple(cost)},', " ".join(most.way)


def costs() -> None:
    """Print the table of stacks, and of code."""
    cases = [(kind, dtype, how) for kind in KINDS for dtype, how in _dtypes(kind)]
    with ProcessPoolExecutor() as processes:
        for row, way in processes.map(_row, cases):
            print(row, flush=True)
            print(f"#   {way}", file=sys.stderr, flush=True)


@dataclass
class Calls:
    """Functions, what each takes of the stack, and whom it calls."""

    frames: dict[str, int] = field(default_factory=dict)
    called: dict[str, set[str]] = field(default_factory=dict)

    def read(self, text: str) -> None:
        """Take in what ``-fcallgraph-info=su`` has written of a file.

        Raises ValueError: a frame that grows while it runs, which has no bound.
        """
        for title, label in _NODE.findall(text):
            if found := _BYTES.search(label):
                if found[2] != "static":
                    raise ValueError(f"{title}: a frame that is {found[2]}")
                self.frames[_name(title)] = int(found[1])
        for source, target in _EDGE.findall(text):
            self.called.setdefault(_name(source), set()).add(_name(target))

    def deepest(self, name: str, above: tuple[str, ...] = ()) -> tuple[int, tuple[str, ...]]:
        """Bytes of the deepest way down from a function, and the way.

        Raises ValueError: a function calls itself.
        """
        if name in above:
            raise ValueError(f"{name} calls itself")
        below = [self.deepest(each, (*above, name)) for each in self.called.get(name, ())]
        most, way = max(below, default=(0, ()))
        return self.frames.get(name, OF_OTHERS) + most, (name, *way)


def _name(title: str) -> str:
    return title.rsplit(":", 1)[-1]


def calls_of(
    folder: Path, flags: Sequence[str], compiler: str = f"{PREFIX}gcc"
) -> tuple[Path, Calls]:
    """Compile the learner in a folder; return objects and the compiler's messages."""
    made = folder / "stack.o"
    command = [compiler, "-std=c99", *flags, "-fcallgraph-info=su", "-c"]
    subprocess.run([*command, str(folder / "edgeolk.c"), "-o", str(made)], check=True)
    calls = Calls()
    calls.read(made.with_suffix(".ci").read_text(encoding="utf-8"))
    return made, calls


def bound(calls: Calls, names: Iterable[str]) -> tuple[int, tuple[str, ...]]:
    """The deepest of those of these functions that are there."""
    return max(calls.deepest(name) for name in names if name in calls.frames)


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m bench.mcu.costs", description=__doc__).parse_args()
    costs()
