"""Novelty of rows in the order of time (docs/novelty.md): its parts and requirements."""

from __future__ import annotations

from edgeolk.parts.kernels import Gaussian
from edgeolk.parts.numbers import Loss
from edgeolk.parts.traits import Condition, Refusals, both, has, lacks

#: Frequencies, at least and where nothing is said: more cost time, and find no more.
LEAST_FREQUENCIES, USUAL_FREQUENCIES = 64, 256
#: Share of rows to be called novel where nothing is said.
NU = 0.02
#: The longest memory that counts of 16 bits reach.
MOST_WINDOW = 65535
#: Numbers that a channel gives to the features: its value, its roughness, its mean of late.
INPUTS = 3
#: The width of the kernel, for inputs in a unit that the first rows give.
KERNEL = Gaussian(0.5)
#: What a verdict is on, and what of a channel, by their numbers in ``core/loops``.
PARTS = ("pattern", "level", "channel")
WHATS = ("value", "roughness", "mean", "flat")


def _watches(condition: Condition) -> Condition:
    return both(has(Loss.NOVELTY), lambda c: c.values["history"] > 0.0, condition)


WATCHING_REFUSES: Refusals = {
    "robust is for loss='novelty' with history=True: nothing else has channels": (
        lambda c: (
            c.values["robust"] > 0.0 and (c.values["history"] == 0.0 or lacks(Loss.NOVELTY)(c))
        )
    ),
    (
        "history=True goes with Loss.NOVELTY or Loss.SQUARE; last_label=True is for classes whose"
        " labels stay"
    ): both(lacks(Loss.NOVELTY, Loss.SQUARE), lambda c: c.values["history"] > 0.0),
    (
        "history=True keeps the scale of each channel itself: no scale=, clip_rows= or gamma='auto'"
    ): _watches(lambda c: c.preprocessing.reshapes or c.preprocessing.gamma_rows > 0),
    "history=True with Loss.NOVELTY has a width of its own: no kernel= or gamma=": _watches(
        lambda c: c.kernel != KERNEL
    ),
    f"D must be at least {LEAST_FREQUENCIES} for novelty with history=True": _watches(
        lambda c: c.budget < LEAST_FREQUENCIES
    ),
    f"window must be at most {MOST_WINDOW} rows with history=True": _watches(
        lambda c: c.values["forget"] > MOST_WINDOW
    ),
}
