"""Which of three states is the machine in? Two sensors, one pass, 8 KiB."""

import numpy as np

import edgeolk as ek

STATES = ["idle", "running", "worn"]
LEVELS = np.array([[20.0, 0.1], [55.0, 0.8], [70.0, 2.5]])  # temperature, vibration
NOISE = np.array([4.0, 0.25])

rng = np.random.default_rng(0)
learner = ek.Learner(n_features=2, n_classes=3, ram="8KiB")

right = 0
for _ in range(3000):
    state = rng.integers(3)
    reading = LEVELS[state] + rng.normal(0.0, NOISE)
    right += learner.predict_one(reading) == state
    margin = learner.learn_one(reading, state)  # above 0 if the row was predicted correctly

print(f"{right / 30:.1f} % right in one pass, in {learner.nbytes} bytes")
print("now:", STATES[learner.predict_one([68.0, 2.4])])
