"""Learning continues where it stopped, even after a power cut."""

import numpy as np

import edgeolk as ek

rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 3))
y = np.where((X**2).sum(axis=1) > 2.5, 1.0, -1.0)


def run(rows: range) -> ek.Learner:
    """What a board does from power-up to the next power cut."""
    with ek.Checkpointer("model.checkpoint", every=100) as checkpoints:
        learner = checkpoints.open() or ek.Learner(n_features=3, ram="4KiB")
        for t in rows[learner.steps :]:
            learner.learn_one(X[t], y[t])
            checkpoints.step(learner)
    return learner


run(range(1250))  # power cut, 50 rows after a checkpoint
resumed = run(range(3000))  # continues at row 1,200

straight = ek.Learner(n_features=3, ram="4KiB")
straight.learn_many(X, y)
same = (resumed.decision_function(X) == straight.decision_function(X)).all()
print(f"{resumed.steps} steps; identical to a run without a cut, bit for bit: {same}")
