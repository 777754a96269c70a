"""Labels that come 50 rows late: the rows wait in a ring of fixed memory."""

import numpy as np

import edgeolk as ek

DELAY = 50
rng = np.random.default_rng(0)
learner = ek.Learner(n_features=4, ram="8KiB")
waiting = np.zeros((DELAY, 4))
said = np.zeros(DELAY)
labels = np.zeros(DELAY)

wrong = rows = 0
for t in range(5000):
    x = rng.normal(size=4)
    truth = 1 if x[0] * x[1] + 0.3 * x[2] > 0.0 else -1
    place = t % DELAY
    if t >= DELAY:
        # The label of the row that waited longest has arrived.
        wrong += said[place] != labels[place]
        learner.learn_one(waiting[place], labels[place])
        rows += 1
    waiting[place], said[place], labels[place] = x, learner.predict_one(x), truth

error = wrong / rows
print(f"{100 * error:.1f} % wrong, each answer given {DELAY} rows before its label")
print(f"{learner.nbytes + waiting.nbytes + said.nbytes + labels.nbytes} bytes in all")
