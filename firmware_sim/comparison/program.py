"""The Python lines that carry out a comparison's recommendation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.work import DEFAULT, default_of
from firmware_sim.configuration.choices import RECOMMENDED
from firmware_sim.device.planning import learner_settings, plan_device
from firmware_sim.device.row import buffer_type

#: What a label is, the loop's last line, and what it gives, by kind of labels.
_LAST = {
    "binary": ("-1 or +1", "learner.learn_one(x, label)", "from before the update"),
    "multiclass": (
        "one of classes",
        "learner.learn_one(x, classes.index(label))",
        "margin before the update",
    ),
    "regression": (
        "a number",
        "mean + spread * learner.learn_one(x, target[0])",
        "from before the update",
    ),
    "novelty": ("not told", "learner.learn_one(x)", "below 0: novel"),
}


def _default(found: Comparison, ram: int) -> list[str]:
    """Return the program of what `replay` runs where no algorithm is named."""
    d, kind = len(found.rows.features), found.config.kind
    own = "" if found.config.dtype == "float32" else found.config.dtype
    mine = default_of(replace(found.config, ram=ram, stream=""), own)
    _, plan = plan_device(mine, d, None)
    settings = learner_settings(mine, None, plan)
    del settings["kernel"]  # its width is "auto"
    said = "".join(f", {what}={value!r}" for what, value in settings.items() if what != "algorithm")
    before, loop = _targets(kind, found.config.classes)
    label, last, what = _LAST[kind]
    if mine.forecasts:  # it takes targets as they come
        before, loop, last = [], [], "learner.learn_one(x, label)"
    return [
        "import numpy as np",
        "import edgeolk as ek",
        "",
        *before,
        f"learner = ek.Learner({mine.algorithm!r}, n_features={d}{said})",
        f"for readings, label in rows:  # label: {label}",
        f"    x = np.array(readings, dtype=np.{buffer_type(mine)})",
        *loop,
        f"    score = {last}  # {what}",
    ]


def _targets(kind: str, classes: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines that labels take, before the loop and in it."""
    if kind == "multiclass":
        return [f"classes = {list(classes)!r}"], []
    if kind != "regression":
        return [], []
    return ["targets = ek.RunningScaler(1)"], [
        "    mean, spread = targets.mean_[0], targets.scale_[0] or 1.0",
        "    target = targets.learn_transform_one(np.array([label], dtype=float))",
    ]


def program(found: Comparison, name: str, ram: int) -> list[str]:
    """Return a program that learns ``rows`` as a method did under a cap.

    found: what was found.
    name, ram: the method and the cap.
    """
    if name == DEFAULT:
        return _default(found, ram)
    rows, config = found.rows, found.config
    budget = max(run.budget for run in found.cell(name, ram).runs)
    d, kind = len(rows.features), config.kind
    mine = replace(config, algorithm=name, stream="", dtype="")
    own = mine.learner_params
    if name != RECOMMENDED:  # the others have no scaler by themselves
        own = {what: value for what, value in own.items() if what != "scale"}
    said = "".join(f", {what}={value!r}" for what, value in own.items())
    if config.dtype == "int8" and config.scale == "minmax":  # as `replay` plans it
        said += ", feature_range=(0.0, 1.0)"
    before, loop = [], [f"    x = np.array(readings, dtype=np.{buffer_type(config)})"]
    if mine.scales_outside:
        before.append(f"scaler = ek.RunningScaler({d}, method={config.scale!r})")
        loop.append("    scaler.learn_transform_one(x, x)")
    for lines, more in zip((before, loop), _targets(kind, config.classes), strict=True):
        lines += more
    label, last, what = _LAST[kind]
    return [
        "import numpy as np",
        "import edgeolk as ek",
        "",
        *before,
        f"kernel = ek.Gaussian({rows.width.gamma!r})",
        f"learner = ek.Learner({name!r}, n_features={d}, budget={budget}, kernel=kernel,"
        f" dtype={found.storage(name)!r}{said})",
        f"for readings, label in rows:  # label: {label}",
        *loop,
        f"    score = {last}  # {what}",
    ]
