"""One process learns, a second one reads the same model, without copies or messages."""

import mmap
import subprocess
import sys

import numpy as np

import edgeolk as ek

READER = """
import mmap
import edgeolk as ek

with open("model.shared", "r+b") as file:
    memory = mmap.mmap(file.fileno(), 0)
learner = ek.attach(memory)
print(learner.steps, learner.decision_one([0.5, 0.5]))
"""

plan = ek.plan("bpa_s", n_features=2, ram="8KiB", scale="standard")
with open("model.shared", "w+b") as file:  # under /dev/shm it never touches a disk
    file.truncate(plan.nbytes)
    memory = mmap.mmap(file.fileno(), plan.nbytes)
learner = ek.Learner("bpa_s", n_features=2, budget=plan.budget, scale="standard", buffer=memory)

rng = np.random.default_rng(0)
for _ in range(1000):
    x = rng.normal(size=2)
    learner.learn_one(x, 1 if x[0] * x[1] > 0.0 else -1)

# Between two steps of the writer, the reader may attach to the same bytes.
ran = subprocess.run([sys.executable, "-c", READER], capture_output=True, text=True, check=True)
steps, score = ran.stdout.split()
print(f"the reader sees {steps} steps and a score of {score}")
assert float(score) == learner.decision_one([0.5, 0.5])
