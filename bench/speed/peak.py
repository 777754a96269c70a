"""How much of a core's multiply-adds the scores of many rows reach: ``python -m bench.speed.peak``.

``decision_function`` over 10,000 normal rows, d = 123, a full ring of 1,350, float32, beside
multiply-adds in registers (``bench/roofs/peak.c``), in one process for each instruction set, the
two in turns, processor time. Only the d multiply-adds of each inner product are counted as work:
lengths, exponentials and the weighted sum are not. A share is the median of those in a round.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import edgeolk as ek
from bench.roofs.peak import Instructions, arithmetic_cases, compiled, in_vectors
from bench.speed.blocks import full, rows, seconds
from bench.table import Table
from bench.timing import Case, interleave

ROWS, FEATURES, BUDGET, ROUNDS = 10_000, 123, 1350, 15


def line(rounds: int) -> str:
    """One line of the table, of the instruction set of this process."""
    learner = full(FEATURES, BUDGET)
    X, _ = rows(ROWS, FEATURES)
    scoring = partial(learner.decision_function, X, out=np.empty(ROWS))
    instructions = Instructions.of(ek.simd())
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(instructions, "float32", Path(folder))
        peak = arithmetic_cases(instructions, "float32", library, 0.05)[0]
        case = Case("scores", "scores", ROWS, partial(seconds, scoring))
        peak_time, time = interleave([peak, case], range(rounds), lambda: None).values()
    work = ROWS * BUDGET * FEATURES / instructions.lanes("float32")
    shares = [
        (work / ours) / (peak.rows / theirs)
        for ours, theirs in zip(time.seconds, peak_time.seconds, strict=True)
    ]
    cells = (
        ek.simd(),
        f"{time.microseconds:.2f}",
        f"{statistics.median(shares):.0%}",
        f"{min(shares):.0%} to {max(shares):.0%}",
    )
    return " | ".join(cells)


def main() -> int:
    """Print the table, a process a line."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed.peak", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--line", action="store_true", help="one line, of this process's variant")
    asked = parser.parse_args()
    if asked.line:
        try:
            print(line(asked.rounds))
        except RuntimeError as error:  # no compiler, or a machine too busy to measure its peak
            print(f"error: {error}", file=sys.stderr)
            return 1
        return 0
    lines = []
    for variant in in_vectors(ek.available_simd()):
        again = [sys.executable, "-m", "bench.speed.peak", "--line"]
        command = [*again, "--rounds", str(asked.rounds)]
        env = {**os.environ, "EDGEOLK_SIMD": variant}
        ran = subprocess.run(command, env=env, check=False, stdout=subprocess.PIPE, text=True)
        if ran.returncode:
            return ran.returncode
        lines.append(ran.stdout.strip().split(" | "))
    header = ["variant", "us a row", "of the peak", "least to most"]
    print(Table("Scores of many rows against the core's multiply-adds", header, lines).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
