"""Processes that learn and checkpoint are killed by a parent that needs no fork: on Windows too."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers import ROOT

import edgeolk as ek

D, EVERY = 3, 7
rows = np.random.default_rng(0).normal(size=(997, D))
labels = np.where(rows[:, 0] * rows[:, 1] > 0.0, 1.0, -1.0)

#: Goes on where the one before was killed; tells every checkpoint that is acknowledged.
CODE = """
import mmap, sys
import numpy as np
import edgeolk as ek
D, EVERY, kind, place = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
if kind == "mmap":
    with open(place, "r+b") as file:
        place = mmap.mmap(file.fileno(), 0)
rows = np.random.default_rng(0).normal(size=(997, D))
labels = np.where(rows[:, 0] * rows[:, 1] > 0.0, 1.0, -1.0)
with ek.Checkpointer(place, every=EVERY) as checkpoints:
    learner = checkpoints.open() or ek.Learner("ahpatron", n_features=D, budget=12, seed=3)
    while True:
        i = learner.steps % len(rows)
        learner.learn_one(rows[i], labels[i])
        if checkpoints.step(learner):
            print(learner.steps, flush=True)
"""


@pytest.mark.parametrize("rounds", [4, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["file", "folder", "mmap"])
@pytest.mark.spread(3)
def test_every_acknowledged_checkpoint_outlives_its_process(
    kind: str, rounds: int, tmp_path: Path
) -> None:
    place = tmp_path / "kept"
    if kind == "folder":
        place.mkdir()
    if kind == "mmap":
        place.write_bytes(bytes(32_768))
    chance = random.Random(kind)
    reference = ek.Learner("ahpatron", n_features=D, budget=12, seed=3)
    last = 0
    for _ in range(rounds):
        command = [sys.executable, "-c", CODE, str(D), str(EVERY), kind, str(place)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as learning:
            assert learning.stdout is not None
            for _ in range(chance.randrange(1, 12)):
                last = int(learning.stdout.readline())
            learning.kill()
            for line in learning.stdout.read().splitlines():
                last = int(line)
        found = ek.Checkpointer.restore(place)
        # The last one may have reached its slot and not been told.
        assert last <= found.steps <= last + EVERY
        for i in range(reference.steps, found.steps):
            reference.learn_one(rows[i % len(rows)], labels[i % len(rows)])
        assert found.mistakes == reference.mistakes
        assert found.dual_coef_.tobytes() == reference.dual_coef_.tobytes()
        assert found.support_vectors_.tobytes() == reference.support_vectors_.tobytes()
