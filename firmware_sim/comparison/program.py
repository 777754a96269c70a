"""The Python lines that carry out a comparison's recommendation."""

from __future__ import annotations

from dataclasses import replace

from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.work import DEFAULT, default_of
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
    kind, d = config.kind, len(rows.features)
    before, loop = [], []
    if name == DEFAULT:
        own = "" if config.dtype == "float32" else config.dtype
        mine = default_of(replace(config, ram=ram, stream=""), own)
        said = learner_settings(mine, None, plan_device(mine, d, None)[1])
        del said["algorithm"], said["kernel"]  # its width is "auto"
        row = buffer_type(mine)
    else:
        mine = replace(config, algorithm=name, stream="", dtype="")
        said = {"dtype": found.storage(name), **mine.learner_params}
        if name != RECOMMENDED:  # the others have no scaler by themselves
            said.pop("scale", None)
        if config.dtype == "int8" and config.scale == "minmax":  # as `replay` plans it
            said["feature_range"] = (0.0, 1.0)
        row = buffer_type(config)
        if mine.scales_outside:
            before.append(f"scaler = ek.RunningScaler({d}, method={config.scale!r})")
            loop.append("    scaler.learn_transform_one(x, x)")
    label, told, what = _LABELS[kind]
    score = f"learner.learn_one({told})"
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
    if name != DEFAULT:
        before.append(f"kernel = ek.Gaussian({rows.width.gamma!r})")
        budget = max(run.budget for run in found.cell(name, ram).runs)
        size = f", budget={budget}, kernel=kernel"
    options = "".join(f", {option}={value!r}" for option, value in said.items())
    return [
        "import numpy as np",
        "import edgeolk as ek",
        "",
        *before,
        f"learner = ek.Learner({mine.algorithm!r}, n_features={d}{size}{options})",
        f"for readings, label in rows:  # label: {label}",
        f"    x = np.array(readings, dtype=np.{row})",
        *loop,
        f"    score = {score}  # {what}",
    ]
