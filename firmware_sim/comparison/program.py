"""The lines of Python that do what a comparison says."""

from __future__ import annotations

from dataclasses import replace

from firmware_sim.comparison.run import Comparison
from firmware_sim.configuration.choices import RECOMMENDED

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


def program(found: Comparison, name: str, ram: int) -> list[str]:
    """Return a program that learns ``rows`` as a method did under a cap.

    found: what was found.
    name, ram: the method and the cap.
    """
    rows, config = found.rows, found.config
    budget = max(run.budget for run in found.cell(name, ram).runs)
    d, kind = len(rows.features), config.kind
    mine = replace(config, algorithm=name, stream="", dtype="")
    mine = mine.watching() if name == RECOMMENDED else mine
    own = mine.learner_params
    if name != RECOMMENDED:  # the others have no scaler by themselves
        own = {what: value for what, value in own.items() if what != "scale"}
    said = "".join(f", {what}={value!r}" for what, value in own.items())
    if config.dtype == "int8" and config.scale == "minmax":  # as `replay` plans it
        said += ", feature_range=(0.0, 1.0)"
    before, loop = [], ["    x = np.array(readings, dtype=float)"]
    if mine.scales_outside:
        before.append(f"scaler = ek.RunningScaler({d}, method={config.scale!r})")
        loop.append("    scaler.learn_transform_one(x, x)")
    if kind == "multiclass":
        before.append(f"classes = {list(config.classes)!r}")
    if kind == "regression":
        before.append("targets = ek.RunningScaler(1)")
        loop.append("    mean, spread = targets.mean_[0], targets.scale_[0] or 1.0")
        loop.append("    target = targets.learn_transform_one(np.array([label], dtype=float))")
    label, last, what = _LAST[kind]
    return [
        "import numpy as np",
        "import edgeolk as ek",
        "",
        *before,
        *([] if mine.watches else [f"kernel = ek.Gaussian({rows.width.gamma!r})"]),
        f"learner = ek.Learner({name!r}, n_features={d}, budget={budget},"
        f"{'' if mine.watches else ' kernel=kernel,'}"
        f" dtype={found.storage(name)!r}{said})",
        f"for readings, label in rows:  # label: {label}",
        *loop,
        f"    score = {last}  # {what}",
    ]
