"""Power from wind speed; errors below 2 kW are not worth learning."""

import numpy as np

import edgeolk as ek

rng = np.random.default_rng(0)
wind = rng.uniform(0.0, 15.0, (5000, 1))
power = 50.0 / (1.0 + np.exp(7.0 - wind[:, 0])) + rng.normal(0.0, 1.0, 5000)

# A passive-aggressive step is bounded, whatever the targets; epsilon has their unit.
learner = ek.Learner(
    "bpa_s", n_features=1, ram="4KiB", loss="epsilon", epsilon=2.0, C=5.0, scale="standard"
)
learner.learn_many(wind, power)

error = learner.absolute_error / learner.steps
print(f"mean error {error:.2f} kW; {learner.updates} of {learner.steps} rows were learned")
print(f"at 7 m/s: {learner.predict_one([7.0]):.1f} kW")
