"""Labels that arrive 50 rows late: pending rows are kept in a ring of fixed memory."""

import numpy as np

import edgeolk as ek

DELAY = 50
rng = np.random.default_rng(0)
learner = ek.Learner(n_features=4, ram="8KiB")
pending = np.zeros((DELAY, 4))
predicted = np.zeros(DELAY)
labels = np.zeros(DELAY)

wrong = rows = 0
for t in range(5000):
    x = rng.normal(size=4)
    truth = 1 if x[0] * x[1] + 0.3 * x[2] > 0.0 else -1
    slot = t % DELAY
    if t >= DELAY:
        # The label of the oldest pending row has arrived.
        wrong += predicted[slot] != labels[slot]
        learner.learn_one(pending[slot], labels[slot])
        rows += 1
    pending[slot], predicted[slot], labels[slot] = x, learner.predict_one(x), truth

error = wrong / rows
print(f"{100 * error:.1f} % wrong, each row predicted {DELAY} rows before its label arrived")
print(f"{learner.nbytes + pending.nbytes + predicted.nbytes + labels.nbytes} bytes in total")
