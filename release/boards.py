"""Flash and stack of an exported learner on every emulated board, beside those of the last run.

``python -m release.boards FILE``: exports ``sorf`` in 4 KiB, or a small linear model for boards with
less RAM, learns 200 rows on each board under QEMU or simavr, and prints bytes of flash and stack with
the differences from FILE (JSON), which it then replaces. A board whose final state differs from the
library's is an error; boards without an emulator here are named.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import edgeolk as ek
from edgeolk.hosting import to_bytes
from firmware_sim.mcu import BOARDS, lacking
from firmware_sim.mcu.counting import learn_on, packed

ROWS = 200
SMALL: dict[str, Any] = {
    "n_features": 4, "ram": 640, "relevance": False, "drift": False, "constant": False,
    "gamma": 0.125,
}  # fmt: skip
LARGE: dict[str, Any] = {"n_features": 5, "ram": "4KiB"}


def measured(name: str) -> dict[str, int]:
    """Flash and stack of a board; RuntimeError if its learner differs from the library's."""
    board = BOARDS[name]
    learner = ek.Learner(**(LARGE if board.ram[1] >= 16 * 1024 else SMALL))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, learner.n_features)).astype(np.float32)
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * X[:, 2] > 0.0, 1.0, -1.0)
    program, run = learn_on(board, learner, packed(X, y))
    learner.learn_many(X, y)
    if run.state != to_bytes(learner):
        raise RuntimeError(f"{name}: its state differs from the library's")
    return {"flash": program.flash, "stack": run.stack}


def line(name: str, now: dict[str, int], before: dict[str, int]) -> str:
    """A line of the table; differences only from a board that was measured before."""
    cells = [f"{name:16}"]
    for what, number in now.items():
        change = f"{number - before[what]:+,}" if what in before else "new"
        cells.append(f"{what} {number:>9,} {change:>8}")
    return "  ".join(cells)


def main(path: Path) -> int:
    """Measure and compare; return 1 if no board can be emulated."""
    before = json.loads(path.read_text()) if path.exists() else {}
    now = {}
    for name, board in BOARDS.items():
        if reason := lacking(board):
            print(f"{name:16}  {reason}")
            continue
        now[name] = measured(name)
        print(line(name, now[name], before.get(name, {})), flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**before, **now}, indent=1))
    return int(not now)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
