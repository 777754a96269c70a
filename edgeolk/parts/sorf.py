"""Sizes of sorf's forecaster and of its novelty in time, and what cannot be combined with sorf.

docs/forecast.md and docs/novelty.md; ``updates.py`` has the row of its update, which names these
rules.
"""

from __future__ import annotations

from edgeolk.parts.kernels import Gaussian
from edgeolk.parts.numbers import (
    Averaging,
    Basis,
    Coefficients,
    Loss,
    Policy,
    Projection,
    Sampling,
    by_axis,
)
from edgeolk.parts.parameters import without_kernel
from edgeolk.parts.traits import Condition, Refusals, both, has, lacks

#: Inputs of the kernel in addition to those of the row (c/sorf_types.h).
HISTORY_INPUTS = 4
#: Numbers of the scalers by mean and deviation (c/scaler.h).
STANDARD = (1, 9)
#: With fewer frequencies a kernel does not pay, and there is none.
MIN_FORECASTER_FREQUENCIES = 32


_forecasts = both(has(Loss.SQUARE), lambda c: c.values["history"] == 1.0)

_OF_FORECASTS: Refusals = {
    "a forecaster without a kernel (D=0) has no {linear}, {relevance}, {groups} or {scratch}": (
        lambda c: c.budget == 0 and without_kernel(c.values) != c.values
    ),
    "{lead} is for forecasts, which need loss='square' and history=True": (
        lambda c: not _forecasts(c) and c.values["lead"] != 1.0
    ),
    "{season} needs loss='square' and history=True: only forecasts have seasons": (
        lambda c: not _forecasts(c) and c.values["season"] != 0.0
    ),
    "interval= needs history=True and loss='square': only forecasts have intervals": (
        lambda c: not _forecasts(c) and "interval" in c.lists
    ),
    "{season} must be 0 or at least {lead}": (
        lambda c: 0.0 < c.values["season"] < c.values["lead"]
    ),
    "history=True already uses the last value: no last_label": both(
        _forecasts, lambda c: c.values["last_label"] == 1.0
    ),
    "history=True needs rows scaled by scale='standard', and no clip_rows": both(
        _forecasts,
        lambda c: c.preprocessing.clip_rows > 0.0 or c.preprocessing.method not in STANDARD,
    ),
    "history=True takes no width from the first rows: the kernel would restart among them": both(
        _forecasts, lambda c: c.preprocessing.gamma_rows > 0
    ),
    (
        f"with history=True D must be 0 or at least {MIN_FORECASTER_FREQUENCIES}, from where a"
        " kernel pays"
    ): both(_forecasts, lambda c: 0 < c.budget < MIN_FORECASTER_FREQUENCIES),
}


#: Minimum and default number of frequencies: more cost time and do not detect more.
MIN_NOVELTY_FREQUENCIES, DEFAULT_FREQUENCIES = 64, 256
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


_OF_NOVELTY_IN_TIME: Refusals = {
    "{robust} is for loss='novelty' with history=True: nothing else has channels": (
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
    f"D must be at least {MIN_NOVELTY_FREQUENCIES} for novelty with history=True": _watches(
        lambda c: c.budget < MIN_NOVELTY_FREQUENCIES
    ),
    f"{{forget}} must be at most {MAX_WINDOW} rows with history=True": _watches(
        lambda c: c.values["forget"] > MAX_WINDOW
    ),
}


#: The maximum number of classes with a memory of rows.
MAX_REMEMBERED_CLASSES = 256

#: What `Update.BLENDED` cannot be combined with.
SORF_REFUSES: Refusals = {
    "Update.BLENDED needs Basis.STRUCTURED: it is the learner of these features": lacks(
        Basis.STRUCTURED
    ),
    "Update.BLENDED follows Loss.HINGE, Loss.SQUARE or Loss.NOVELTY": lacks(
        Loss.HINGE, Loss.SQUARE, Loss.NOVELTY
    ),
    (
        "Loss.NOVELTY keeps one average: no {linear}, {last_label}, {relevance}, {drift},"
        " {leak} or {groups}"
    ): both(
        has(Loss.NOVELTY),
        lambda c: (
            any(
                c.values[name] > 0.0
                for name in ("linear", "last_label", "relevance", "drift", "leak")
            )
            or c.values["groups"] > 1.0
        ),
    ),
    "history has no {drift}: its inputs contain the last rows": (
        lambda c: c.values["history"] > 0.0 and c.values["drift"] > 0.0
    ),
    "{lapse} is for {last_label}=True: it says how long a label counts": (
        lambda c: c.values["lapse"] > 0.0 and c.values["last_label"] == 0.0
    ),
    "{leak} is for classification: it reacts to wrong answers": both(
        has(Loss.SQUARE), lambda c: c.values["leak"] > 0.0
    ),
    "{row_memory} is for classification: it stores labels": both(
        lacks(Loss.HINGE), lambda c: c.values["row_memory"] > 0.0
    ),
    "{memory_narrow} is for a memory of rows: {row_memory}= says how many": (
        lambda c: c.values["memory_narrow"] > 0.0 and c.values["row_memory"] == 0.0
    ),
    f"{{row_memory}} rows have a byte for a label each: at most {MAX_REMEMBERED_CLASSES} classes": (
        lambda c: c.columns > MAX_REMEMBERED_CLASSES and c.values["row_memory"] > 0.0
    ),
    "Loss.NOVELTY recomputes only every eighth block: scratch='row' is useless": both(
        has(Loss.NOVELTY), lambda c: c.values["scratch"] > 0.0
    ),
    **_OF_FORECASTS,
    **_OF_NOVELTY_IN_TIME,
    "{cmin} must be at most {cmax}": lambda c: c.values["cmin"] > c.values["cmax"],
    "{groups} must be at most the blocks of 64 frequencies": (
        lambda c: c.budget > 0 and c.values["groups"] > -(-c.budget // 64)
    ),
    "{linear} is for two classes and for regression only": both(
        lambda c: c.columns > 1, lambda c: c.values["linear"] == 1.0
    ),
    **{
        f"Basis.STRUCTURED with Update.BLENDED is a complete learner without {axis}": lacks(
            member
        )
        for axis, member in by_axis(
            Policy.STOP, Projection.NONE, Sampling.ALWAYS, Averaging.NONE
        ).items()
    },
    "coefficients= is for support vectors: dtype= says how weights are stored": lacks(
        Coefficients.FLOAT64
    ),
}
