"""Run by test_torn: processes killed while they learn in a shared mapping, which is then attached.

``python torn.py TIMES ALGORITHM FOLDER`` prints a JSON record: kills, how many cut a step, how many
of these were repaired and how many refused, and what must be 0: ``wrong``, a block found whole
that is not bit for bit that of an uninterrupted run; ``broken``, a repaired one whose norm is not
its own.
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

D, B, ROWS = 6, 24, 20_000
OPTIONS: dict[str, dict[str, Any]] = {
    "pomdr": {"U": 3.0},
    "nogd": {"eta": 0.4, "k": 5},
    "sorf": {
        "linear": True,
        "last_label": True,
        "relevance": True,
        "scale": None,
        "gamma": None,
        "memory": 9,
    },
}
rng = np.random.default_rng(0)
X = rng.normal(size=(ROWS, D))
Y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=ROWS) > 0.0, 1.0, -1.0)


def options(name: str) -> dict[str, Any]:
    return {"n_features": D, "budget": B, "dtype": "float64", **OPTIONS.get(name, {})}


def state_of(learner: ek.Learner) -> bytes:
    """The bytes of its file."""
    return bytes(learner._sealed())


def squared_norm(learner: ek.Learner) -> float:
    """||f||^2 from the vectors, for the Gaussian kernel."""
    s, a = learner.support_vectors_, learner.dual_coef_
    gamma = learner.config.kernel.fields()[2]
    gram = np.exp(-gamma * ((s[:, None] - s[None]) ** 2).sum(2))
    return float(a @ gram @ a)


def main(times: int, name: str, folder: Path) -> dict[str, int]:
    chance = random.Random(name)
    record = dict.fromkeys(("killed", "torn", "repaired", "refused", "wrong", "broken"), 0)
    nbytes = ek.plan(name, **options(name)).nbytes
    path = folder / "mapped"
    path.write_bytes(bytes(nbytes))
    with open(path, "r+b") as file:
        memory = mmap.mmap(file.fileno(), nbytes)
    ek.Learner(name, seed=3, buffer=memory, **options(name))
    twin = ek.Learner(name, seed=3, **options(name))
    for _ in range(times):
        before = bytes(memory)
        hear, tell = os.pipe()
        child = os.fork()
        if child == 0:
            learner = ek.attach(memory)
            os.write(tell, b"!")
            while True:
                learner.learn_many(X[learner.steps % ROWS :], Y[learner.steps % ROWS :])
        os.read(hear, 1)
        until = time.perf_counter() + chance.random() * 0.003
        while time.perf_counter() < until:
            pass
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(hear)
        os.close(tell)
        record["killed"] += 1
        try:
            learner = ek.attach(memory)
        except ValueError as error:
            if "last step was interrupted" not in str(error):
                raise
            record["torn"] += 1
            try:
                learner = ek.attach(memory, torn="repair")
            except ValueError:
                record["refused"] += 1
            else:
                record["repaired"] += 1
                if learner.norm2 is not None and name not in ("fogd", "nogd"):
                    true = squared_norm(learner)
                    record["broken"] += abs(learner.norm2 - true) > 1e-9 * (1.0 + true)
                learner.learn_many(X[:200], Y[:200])
                again = ek.Learner._from_block(state_of(learner))
                record["broken"] += state_of(again) != state_of(learner)
                del learner
            # Back to a state whose future is known.
            memory[:] = before
            continue
        while twin.steps < learner.steps:
            first = twin.steps % ROWS
            end = min(ROWS, first + learner.steps - twin.steps)
            twin.learn_many(X[first:end], Y[first:end])
        record["wrong"] += state_of(learner) != state_of(twin)
        del learner
    return record


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))))
