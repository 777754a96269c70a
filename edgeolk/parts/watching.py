"""Novelty in time series (docs/novelty.md): its sizes and requirements."""

from __future__ import annotations

from edgeolk.parts.kernels import Gaussian
from edgeolk.parts.numbers import Loss
from edgeolk.parts.traits import Condition, Refusals, both, has, lacks

#: Minimum and default number of frequencies: more cost time and do not detect more.
MIN_FREQUENCIES, DEFAULT_FREQUENCIES = 64, 256
#: Default share of rows to be called novel.
NU = 0.02
#: The longest memory, limited by 16-bit counters.
MAX_WINDOW = 65535
#: Inputs of the features per channel: its value, its roughness, its recent mean.
INPUTS = 3
#: The kernel, for inputs in a unit that the first rows determine.
KERNEL = Gaussian(0.5)
#: The scores that may decide, and the properties of a channel, by their numbers in ``edgeolk/c``.
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
        "history=True needs Loss.NOVELTY or Loss.SQUARE; last_label=True is for classes whose"
        " labels persist"
    ): both(lacks(Loss.NOVELTY, Loss.SQUARE), lambda c: c.values["history"] > 0.0),
    (
        "history=True keeps the scale of each channel itself: no scale=, clip_rows= or gamma='auto'"
    ): _watches(lambda c: c.preprocessing.reshapes or c.preprocessing.gamma_rows > 0),
    "history=True with Loss.NOVELTY has a fixed kernel: no kernel= or gamma=": _watches(
        lambda c: c.kernel != KERNEL
    ),
    f"D must be at least {MIN_FREQUENCIES} for novelty with history=True": _watches(
        lambda c: c.budget < MIN_FREQUENCIES
    ),
    f"window must be at most {MAX_WINDOW} rows with history=True": _watches(
        lambda c: c.values["forget"] > MAX_WINDOW
    ),
}
