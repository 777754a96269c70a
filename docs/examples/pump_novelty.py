"""A pump without a history of faults: which rows differ from everything seen?"""

import numpy as np

import edgeolk as ek

rng = np.random.default_rng(0)
t = np.arange(6000)
flow = 30.0 + 5.0 * np.sin(t / 200.0) + rng.normal(0.0, 0.5, len(t))
pressure = 2.0 + 0.05 * flow + rng.normal(0.0, 0.05, len(t))
current = 4.0 + 0.1 * flow + rng.normal(0.0, 0.1, len(t))
pressure[5000:5100] -= 1.0  # cavitation: each value is usual, their combination is not
rows = np.column_stack((flow, pressure, current))

learner = ek.Learner(n_features=3, ram="2KiB", loss="novelty", nu=0.01)
alarms = np.array([learner.learn_one(row) < 0.0 for row in rows])  # no labels

before = alarms[1000:5000].mean()
during = alarms[5000:5100].mean()
print(f"alarms: {before:.1%} of the rows before the fault, {during:.0%} during it")
print(f"{learner.nbytes} bytes, including the scaler")
