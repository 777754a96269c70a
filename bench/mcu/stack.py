"""The most stack that exported C can need: frames as the compiler gives them, down the calls."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from edgeolk.export.costs import OF_OTHERS
from firmware_sim.mcu.program import PREFIX

_NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
_BYTES = re.compile(r"(\d+) bytes \((\w+)")


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
