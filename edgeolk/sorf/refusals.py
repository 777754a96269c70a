"""Options of the sorf family that cannot be combined, each with a sentence that says why."""

from __future__ import annotations

from edgeolk.parts.bases import FREQUENCIES
from edgeolk.parts.numbers import Dtype, KernelKind, Loss
from edgeolk.parts.refusals import SHARED, refuse_by
from edgeolk.parts.storage import GAMMA_RANGE
from edgeolk.parts.traits import Condition, Facts, Refusals, both, has, lacks
from edgeolk.sorf.options import (
    FREQUENCY_BLOCK,
    KERNEL,
    MAX_LATE_CLASSES,
    MAX_REMEMBERED_CLASSES,
    MAX_WINDOW,
    MIN_FORECASTER_FREQUENCIES,
    STANDARD,
    without_kernel,
)

_forecasts = both(has(Loss.SQUARE), lambda c: c.values["history"] == 1.0)

_OF_FORECASTS: Refusals = {
    "a forecaster without a kernel (D=0) has no {linear}, {relevance}, {groups} or {scratch}": (
        lambda c: _forecasts(c) and c.budget == 0 and without_kernel(c.values) != c.values
    ),
    "{horizon} is for forecasts, which need loss='square' and history=True": (
        lambda c: not _forecasts(c) and c.values["horizon"] != 1.0
    ),
    "{season} needs loss='square' and history=True: only forecasts have seasons": (
        lambda c: not _forecasts(c) and c.values["season"] != 0.0
    ),
    "interval= needs history=True and loss='square': only forecasts have intervals": (
        lambda c: not _forecasts(c) and "interval" in c.lists
    ),
    "{season} must be 0 or at least {horizon}": (
        lambda c: 0.0 < c.values["season"] < c.values["horizon"]
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


def _watches(condition: Condition) -> Condition:
    return both(has(Loss.NOVELTY), lambda c: c.values["history"] > 0.0, condition)


_OF_STREAMS: Refusals = {
    "{clock} is for loss='novelty' with history=True: only anomalies have seasons of a day": (
        lambda c: (
            c.values["clock"] > 0.0 and (c.values["history"] == 0.0 or lacks(Loss.NOVELTY)(c))
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
    f"D must be a multiple of {FREQUENCY_BLOCK} for novelty with history=True": _watches(
        lambda c: c.budget % FREQUENCY_BLOCK > 0
    ),
    f"{{window}} must be at most {MAX_WINDOW} rows with history=True": _watches(
        lambda c: c.values["window"] > MAX_WINDOW
    ),
}


#: Rules of every learner of the family.
RULES: Refusals = {
    "'sorf' stores weights as int8, float32 or float64": has(Dtype.FLOAT16),
    "'sorf' needs the Gaussian kernel: its features are cosines and sines": (
        lambda c: c.kernel.kind != KernelKind.GAUSSIAN
    ),
    **FREQUENCIES,
    (
        "Loss.NOVELTY keeps one average: no {linear}, {last_label}, {constant}, {linear_group},"
        " {relevance}, {drift}, {leak} or {groups}"
    ): both(
        has(Loss.NOVELTY),
        lambda c: (
            any(
                c.values[name] > 0.0
                for name in (
                    *("linear", "last_label", "constant", "linear_group"),
                    *("relevance", "drift", "leak"),
                )
            )
            or c.values["groups"] > 1.0
        ),
    ),
    "history has no {drift}: its inputs contain the last rows": (
        lambda c: c.values["history"] > 0.0 and c.values["drift"] > 0.0
    ),
    "history has no {constant} and no {linear_group}: its experts are the last value and a linear"
    " model of the last values": (
        lambda c: (
            c.values["history"] > 0.0 and (c.values["constant"] + c.values["linear_group"] > 0.0)
        )
    ),
    (
        "without frequencies, D=0, there is only {linear_group}: no {relevance}, {memory} or"
        " {scratch}"
    ): (
        lambda c: (
            c.values["linear_group"] > 0.0
            and c.budget == 0
            and any(c.values[name] > 0.0 for name in ("relevance", "memory", "scratch"))
        )
    ),
    "{delay} is for labels and targets of rows in any order: novelty has none, forecasts have"
    " horizon=": (
        lambda c: (
            c.values["delay"] > 0.0
            and (c.parts["loss"] == Loss.NOVELTY or c.values["history"] > 0.0)
        )
    ),
    f"with {{delay}} an answer is a byte: at most {MAX_LATE_CLASSES} classes": (
        lambda c: c.columns > MAX_LATE_CLASSES and c.values["delay"] > 0.0
    ),
    "{kept_answers} must be from 1 to {delay} + 1 with a delay, and 0 without one": (
        lambda c: (
            not (c.values["delay"] > 0.0) <= c.values["kept_answers"]
            <= (c.values["delay"] + 1.0) * (c.values["delay"] > 0.0)
        )
    ),
    "{gaussian_process} is for real targets: loss='square'": both(
        lacks(Loss.SQUARE), lambda c: c.values["gaussian_process"] > 0.0
    ),
    "history has no {gaussian_process}: its experts are the last value and a linear model of the"
    " last values; krls_auto with lags= is one in time": (
        lambda c: c.values["history"] > 0.0 and c.values["gaussian_process"] > 0.0
    ),
    "{gaussian_process} learns a row with its target: no {delay}": (
        lambda c: c.values["gaussian_process"] > 0.0 and c.values["delay"] > 0.0
    ),
    "{lapse} is for {last_label}=True: it says how long a label counts": (
        lambda c: c.values["lapse"] > 0.0 and c.values["last_label"] == 0.0
    ),
    "{leak} is for classification: it reacts to wrong answers": both(
        has(Loss.SQUARE), lambda c: c.values["leak"] > 0.0
    ),
    "{memory} is for classification: it stores labels": both(
        lacks(Loss.HINGE), lambda c: c.values["memory"] > 0.0
    ),
    "{memory_narrow} is for a memory of rows: {memory}= says how many": (
        lambda c: c.values["memory_narrow"] > 0.0 and c.values["memory"] == 0.0
    ),
    f"{{memory}} rows have a byte for a label each: at most {MAX_REMEMBERED_CLASSES} classes": (
        lambda c: c.columns > MAX_REMEMBERED_CLASSES and c.values["memory"] > 0.0
    ),
    "Loss.NOVELTY recomputes only every eighth block: scratch='row' is useless": both(
        has(Loss.NOVELTY), lambda c: c.values["scratch"] > 0.0
    ),
    **_OF_FORECASTS,
    **_OF_STREAMS,
    "{cmin} must be at most {cmax}": lambda c: c.values["cmin"] > c.values["cmax"],
    "{groups} must be at most the blocks of 64 frequencies": (
        lambda c: c.budget > 0 and c.values["groups"] > -(-c.budget // 64)
    ),
    "several classes need Loss.HINGE: targets and novelty have none": both(
        lacks(Loss.HINGE), lambda c: c.columns > 1
    ),
    "{linear} is for two classes and for regression only": both(
        lambda c: c.columns > 1, lambda c: c.values["linear"] == 1.0
    ),
    "a width that follows the rows needs scale=, and none from the first rows": (
        lambda c: (
            c.preprocessing.follows
            and not (c.preprocessing.method and not c.preprocessing.gamma_rows)
        )
    ),
    **SHARED,
}


def refuse(config: Facts) -> None:
    """Raise ValueError with one sentence if the configuration is invalid."""
    if config.parts["dtype"] != Dtype.FLOAT64:
        refuse_by(config, GAMMA_RANGE)
    refuse_by(config, RULES)


def sentences() -> set[str]:
    """All sentences, with the names of options in braces where they have values."""
    return {*GAMMA_RANGE, *RULES}
