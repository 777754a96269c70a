"""Run by test_checkpointer: processes that learn and checkpoint are killed, and restored.

``python killed.py TIMES file|folder|mmap FOLDER`` prints a JSON record of what came out. Each
process goes on where the one before was killed, tells every checkpoint that was acknowledged
through a pipe, and is killed a random time after a random one.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import edgeolk as ek

D, EVERY = 3, 7
rows = np.random.default_rng(0).normal(size=(997, D))
labels = np.where(rows[:, 0] * rows[:, 1] > 0.0, 1.0, -1.0)


def fresh() -> ek.Learner:
    return ek.Learner("ahpatron", n_features=D, budget=12, seed=3)


def step(learner: ek.Learner) -> None:
    i = learner.steps % len(rows)
    learner.learn_one(rows[i], labels[i])


def digest(learner: ek.Learner) -> tuple[Any, ...]:
    state = learner.dual_coef_.tobytes(), learner.support_vectors_.tobytes()
    return learner.steps, learner.mistakes, learner.norm2, *state


def place_in(kind: str, folder: Path) -> Any:
    """Where the checkpoints are kept; every process opens it anew."""
    if kind == "folder":
        return folder
    if kind == "file":
        return folder / "kept"
    path = folder / "mapped"
    if not path.exists():
        path.write_bytes(bytes(32_768))
    with open(path, "r+b") as file:
        return mmap.mmap(file.fileno(), 0)


def live(place: Any, tell: int) -> None:
    """Learn and checkpoint until killed."""
    with ek.Checkpointer(place, every=EVERY) as checkpoints:
        learner = checkpoints.open() or fresh()
        while True:
            step(learner)
            if checkpoints.step(learner):
                os.write(tell, learner.steps.to_bytes(8, "little"))


def main(times: int, kind: str, folder: Path) -> dict[str, int]:
    rng = random.Random(kind)
    record = dict.fromkeys(("killed", "restored", "steps", "lost", "wrong"), 0)
    twin, acknowledged = fresh(), 0
    for _ in range(times):
        hear, tell = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(hear)
            live(place_in(kind, folder), tell)
        os.close(tell)
        for _ in range(rng.randrange(12)):
            acknowledged = int.from_bytes(os.read(hear, 8), "little") or acknowledged
        until = time.perf_counter() + rng.random() * 0.004
        while time.perf_counter() < until:
            pass
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        record["killed"] += 1
        while told := os.read(hear, 8):
            acknowledged = int.from_bytes(told, "little")
        os.close(hear)
        found = ek.Checkpointer.restore(place_in(kind, folder))
        if found is None:
            record["lost"] += acknowledged > 0
            continue
        record["restored"] += 1
        # The last one it was sure of, or the one it was writing.
        record["lost"] += found.steps not in (acknowledged, acknowledged + EVERY)
        acknowledged = found.steps
        while twin.steps < found.steps:
            step(twin)
        record["wrong"] += digest(found) != digest(twin)
        record["steps"] = found.steps
    return record


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))))
