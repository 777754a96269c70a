"""Instructions per step on emulated boards, by a plugin of qemu: bench/results/boards.md.

``python -m release.instructions``. The counts are valid for the boards, but times under emulation
are not: the rates of a Raspberry Pi Zero 2 W are estimates.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.table import Report, Table
from firmware_sim.boards import board_of
from release.emulated import prepare
from release.steps import FEATURES, RAM, ROWS
from release.targets import BOOKWORM, BUILD, TARGETS, Target
from release.vectors import table

COUNTED = ("aarch64", "armv7l")
NAMES = {"aarch64": "AArch64", "armv7l": "armv7"}
#: The board of the estimates, which runs both instruction sets.
BOARD = "pi-zero-2w"

Count = dict[str, Any]


def plugin() -> Path:
    """Compile release/counter.c."""
    library = BUILD / "counter.so"
    source = Path(__file__).with_name("counter.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def count(target: Target) -> list[Count]:
    """Run release/steps.py on a target; return each pass with its instructions per step.

    The emulator that loads plugins is linked dynamically: it stays outside of the target's root
    file system and looks there for what the program opens.
    """
    system = prepare(target, BOOKWORM, target.processors[0])
    folders = ("opt/site", "opt/project", "usr/lib/python3/dist-packages")
    variables = {
        "PYTHONPATH": ":".join(str(system / folder) for folder in folders),
        "PYTHONHOME": str(system / "usr"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    words = [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
    run = subprocess.run(
        [
            *(f"qemu-{target.emulator}", "-L", str(system), "-cpu", target.processors[0]),
            *("-plugin", f"file={plugin()}", *words),
            *(str(system / "usr/bin" / f"python{BOOKWORM.python}"), "-m", "release.steps"),
        ],
        cwd=system / "opt/project",  # where python -m looks first
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise SystemExit(run.stderr)
    passes = [json.loads(line) for line in run.stdout.splitlines()]
    counts = [int(line.split()[1]) for line in run.stderr.splitlines() if line[:8] == "counted "]
    if len(counts) != 2 * len(passes):
        raise SystemExit(f"{len(counts)} counts of {len(passes)} passes:\n{run.stderr}")
    return [
        {**one, "instructions": round(each / ROWS)}
        for one, each in zip(passes, counts[1::2], strict=True)
    ]


def rate(instructions: int) -> str:
    """Return the rows per second that the board would learn, to two digits."""
    return f"{float(f'{board_of(BOARD).per_second / instructions:.2g}'):,.0f}"


def tables(found: dict[str, list[Count]]) -> list[Table]:
    """Return a table of algorithms, one of shapes, and one of packed instructions."""
    names = [NAMES[target] for target in found]
    passes = list(zip(*found.values(), strict=True))
    algorithms, shapes = [], []
    for row in passes:
        first = row[0]
        counts = [f"{one['instructions']:,}" for one in row]
        size = [str(first["budget"]), f"{first['bytes']:,}"]
        if first["features"] == FEATURES and first["bytes"] <= 16 * 1024:
            rates = [rate(one["instructions"]) for one in row]
            algorithms.append([first["algorithm"], *size, *counts, *rates])
        else:
            shape = [first["dtype"], size[0], str(first["features"]), size[1]]
            shapes.append([*shape, *counts])
    of_a_step = [f"instructions, {name}" for name in names]
    rates = [f"rows/s, {name}" for name in names]
    chosen = board_of(BOARD)
    estimate = (
        f"{ROWS} rows with labels by chance, so that every second one is a mistake, after the ring"
        f" is full. Rows a second are an estimate: {chosen.clock / 1e9:.1f} GHz and"
        f" {chosen.per_cycle} instructions a cycle of one core of a {chosen.title}."
    )
    return [
        Table(
            f"A step, d = {FEATURES}, {RAM}",
            ["algorithm", "B", "bytes", *of_a_step, *rates],
            algorithms,
            estimate,
        ),
        Table("A step of rbp", ["type", "B", "d", "bytes", *of_a_step], shapes),
        table()[0],
    ]


def main() -> int:
    """Count, print and save."""
    argparse.ArgumentParser(prog="python -m release.instructions", description=__doc__).parse_args()
    found = {name: count(TARGETS[name]) for name in COUNTED}
    report = Report(
        "Steps on a Raspberry Pi",
        "`python -m release.instructions`: instructions counted under emulation, Cortex-A53 and"
        " Cortex-A7, wheels of this tree.",
        tables(found),
        {"boards": found},
    )
    report.publish("boards")
    return 0


if __name__ == "__main__":
    sys.exit(main())
