"""The Python lines that carry out a comparison's recommendation."""

from __future__ import annotations

from dataclasses import replace

import edgeolk as ek
from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.work import DEFAULT, Run, config_of
from firmware_sim.configuration.choices import RECOMMENDED
from firmware_sim.device.planning import learner_settings, plan_device
from firmware_sim.device.row import buffer_type

#: What a label is, what the learner is told of it, and what it gives, by kind of labels.
_LABELS = {
    "binary": ("-1 or +1", "x, label", "from before the update"),
    "multiclass": ("one of classes", "x, classes.index(label)", "margin before the update"),
    "regression": ("a number", "x, label", "from before the update"),
    "novelty": ("not told", "x", "below 0: novel"),
}


def program(found: Comparison, name: str, ram: int) -> list[str]:
    """Return a program that learns ``rows`` as a method did under a cap.

    found: what was found.
    name, ram: the method and the cap.
    """
    rows, config = found.rows, found.config
    kind, d = config.resolved.kind, len(rows.features)
    before, loop = [], []
    mine = config_of(Run(name, ram, 0), replace(config, stream=""), rows.width.gamma)
    kernel = None if name == DEFAULT else ek.Gaussian(rows.width.gamma)
    arguments = learner_settings(mine, kernel, plan_device(mine, d, kernel)[1])
    del arguments["algorithm"], arguments["kernel"]
    if name not in (DEFAULT, RECOMMENDED):  # the others have no scaler by themselves
        del arguments["scale"]
    if mine.scales_outside:
        frozen = "" if config.freeze_after is None else f", freeze_after={config.freeze_after}"
        before.append(f"scaler = ek.RunningScaler({d}, method={config.scale!r}{frozen})")
        loop.append("    scaler.learn_transform_one(x, x)")
    label, argument, what = _LABELS[kind]
    score = f"learner.learn_one({argument})"
    if kind == "multiclass":
        before.append(f"classes = {list(config.classes)!r}")
    if mine.scales_targets:
        before.append("targets = ek.RunningScaler(1)")
        loop += [
            "    mean, spread = targets.mean_[0], targets.scale_[0] or 1.0",
            "    target = targets.learn_transform_one(np.array([label], dtype=float))",
        ]
        score = "mean + spread * learner.learn_one(x, target[0])"
    size = ""
    if kernel is not None:
        before.append(f"kernel = ek.Gaussian({rows.width.gamma!r})")
        size = ", kernel=kernel"
    options = "".join(f", {option}={value!r}" for option, value in arguments.items())
    return [
        "import numpy as np",
        "import edgeolk as ek",
        "",
        *before,
        f"learner = ek.Learner({mine.resolved.algorithm!r}, n_features={d}{size}{options})",
        f"for readings, label in rows:  # label: {label}",
        f"    x = np.array(readings, dtype=np.{buffer_type(mine)})",
        *loop,
        f"    score = {score}  # {what}",
    ]
