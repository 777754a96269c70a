"""One instruction-set variant, in a process of its own: the choice is made at import.

As a program it times one pass of ``rbp`` over the rows of an .npz file and prints its seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.datasets import ROOT


def time_in_child(variant: str, rows: Path, budget: int, gamma: float) -> float:
    """Seconds of one pass with the variant forced."""
    command = [sys.executable, "-m", __name__, str(rows), str(budget), str(gamma)]
    done = subprocess.run(
        command,
        env={**os.environ, "EDGEOLK_SIMD": variant},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    answer = json.loads(done.stdout)
    if answer["variant"] != variant:
        raise RuntimeError(f"asked for variant {variant}, got {answer['variant']}")
    return float(answer["seconds"])


def main(arguments: Sequence[str]) -> None:
    """Time the pass and print it as JSON."""
    import numpy as np

    import edgeolk as ek
    from bench.datasets import Dataset
    from bench.speed.cases import learn_many_pass

    with np.load(arguments[0]) as stored:
        data = Dataset("rows", stored["X"], stored["y"])
    seconds = learn_many_pass("rbp", data, int(arguments[1]), float(arguments[2]))
    print(json.dumps({"variant": ek.simd(), "seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1:])
