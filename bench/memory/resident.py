"""Resident memory over a long replay, sampled from outside by memory-profiler."""

from __future__ import annotations

import subprocess
import sys
from array import array
from pathlib import Path
from typing import Any

from bench.drawing import COLOURS, figure_of, save

SECONDS = 8.0
KINDS = {"numpy": "edgeolk with numpy", "bare": "edgeolk.bare"}


def draw(path: Path) -> str:
    """Replay in two processes, draw their memory; a sentence on the outcome."""
    from memory_profiler import memory_usage

    samples, steps = {}, {}
    for kind in KINDS:
        command = [sys.executable, "-m", "bench.memory.resident", kind]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            samples[kind] = memory_usage(child, interval=0.05, timestamps=True)
            assert child.stdout is not None
            steps[kind] = int(child.stdout.read())
    figure, (axes,) = figure_of(1, 1, (9.0, 4.2))
    words = []
    for kind, name in KINDS.items():
        start = samples[kind][0][1]
        points = [(t - start, mib) for mib, t in samples[kind] if mib > 0][:-2]
        settled = [mib for t, mib in points if t > 1.5]
        axes.plot(*zip(*points, strict=True), color=COLOURS[kind], lw=2)
        axes.annotate(
            f"{name}: {steps[kind] / 1e6:.1f} million steps, {max(settled) - min(settled):.2f} MiB"
            " of change",
            (0.3 * SECONDS, settled[len(settled) // 2]),
            textcoords="offset points",
            xytext=(0, 7),
            color=COLOURS[kind],
            fontweight="bold",
        )
        words.append(
            f"{name}: {max(settled):.1f} MiB, changing by {max(settled) - min(settled):.2f} MiB"
            f" over {steps[kind]:,} steps"
        )
    axes.set_ylim(0, 1.2 * axes.get_ylim()[1])
    axes.set_xlabel("seconds; it begins with Python starting")
    axes.set_ylabel("resident MiB")
    axes.set_title("Resident memory over a long replay: bpa_s in 64 KiB")
    save(figure, path)
    return "; ".join(words)


def run(kind: str) -> int:
    """The measured process: learn rows made beforehand, again and again."""
    import math
    import time

    size: dict[str, Any] = {"n_features": 5, "ram": "64KiB"}
    rows = [array("d", [math.sin(7.1 * i + 3.3 * j * j) for j in range(5)]) for i in range(997)]
    labels = [1.0 if math.sin(0.13 * i) + row[0] > 0 else -1.0 for i, row in enumerate(rows)]
    if kind == "bare":
        from edgeolk.bare import BareLearner

        learn = BareLearner("bpa_s", **size).learn_one
        inputs: list[object] = list(rows)
    else:
        import numpy as np

        import edgeolk as ek

        learn = ek.Learner("bpa_s", **size).learn_one
        inputs = [np.array(row) for row in rows]
    steps, end = 0, time.monotonic() + SECONDS
    while time.monotonic() < end:
        for x, y in zip(inputs, labels, strict=True):
            learn(x, y)
        steps += len(inputs)
    return steps


if __name__ == "__main__":
    print(run(sys.argv[1]))
