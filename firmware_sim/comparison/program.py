"""The recommendation of a comparison as a Python program."""

from __future__ import annotations

from dataclasses import replace

import edgeolk as ek
from firmware_sim.comparison.rows import Rows
from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.work import DEFAULT, Run, config_of
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.values import RECOMMENDED
from firmware_sim.device.intake import buffer_type
from firmware_sim.device.planning import learner_settings, plan_device
from firmware_sim.errors import DoesNotFitError
from firmware_sim.kinds.base import WITHOUT_KERNEL
from firmware_sim.plaintext import counted
from firmware_sim.replaying.forecast import resolved

_UNIT = "    mean, spread = targets.mean_[0], targets.scale_[0] or 1.0"
_LEARN = "    score = learner.learn_one(x, label)  # the answer to x before it is learned"
_TARGET = "targets.learn_transform_one(np.array([label], dtype=float))"


def program(found: Comparison, name: str, ram: int) -> list[str]:
    """Return a program that learns ``rows`` as a method did under a cap.

    Of windows, it learns ``samples``; a forecast is that of each row's readings.

    found: the result of the comparison.
    name, ram: the method and the cap; the forecaster without a kernel has none.
    """
    if name == WITHOUT_KERNEL:
        return _plain(found)
    rows, config = found.rows, found.config
    d = len(rows.features)
    mine = config_of(Run(name, ram, 0), replace(config, stream=""), rows.width.gamma)
    kernel = None if name == DEFAULT else ek.Gaussian(rows.width.gamma)
    if mine.forecast is not None:  # the season that this cap has room for
        mine, _, _ = resolved(mine, rows.stream)
    mine, has_clock = _with_clock(mine, rows, d)
    arguments = learner_settings(mine, kernel, plan_device(mine, d, kernel)[1])
    del arguments["algorithm"], arguments["kernel"]
    if name not in (DEFAULT, RECOMMENDED):  # the others have no scaler of their own
        del arguments["scale"]
    before, loop = [], []
    if mine.scales_outside:
        frozen = "" if config.freeze_after is None else f", freeze_after={config.freeze_after}"
        before.append(f"scaler = ek.RunningScaler({d}, method={config.scale!r}{frozen})")
        loop.append("    scaler.learn_transform_one(x, x)")
    before += config.label_kind.python_head()
    if mine.label_kind.scales_targets:
        before.append("targets = ek.RunningScaler(1)")
    size = ""
    if kernel is not None:
        before.append(f"kernel = ek.Gaussian({rows.width.gamma!r})")
        size = ", kernel=kernel"
    options = "".join(f", {option}={value!r}" for option, value in arguments.items())
    before.append(
        f"learner = ek.Learner({mine.resolved.algorithm!r}, n_features={d}{size}{options})"
    )
    if mine.rows_ahead:
        begin, step = _forecast(mine, d)
    else:
        begin, step = [], _step(mine, has_clock)
    imports = ["from collections import deque"] if any("deque" in line for line in begin) else []
    return [
        *(*imports, "import numpy as np", "import edgeolk as ek", ""),
        *(*before, *begin, *_row(rows, mine, has_clock), *loop, *step),
    ]


def _plain(found: Comparison) -> list[str]:
    """Return the program of the forecaster without a kernel, which scales what it learns."""
    rows, d = found.rows, len(found.rows.features)
    run, config = Run(DEFAULT, found.rams[-1], 0), replace(rows.config, stream="")
    mine = config_of(run, config, rows.width.gamma)
    options = f"n_features={d}, D=0, loss='square', history=True, horizon={mine.rows_ahead or 1}"
    begin, step = _forecast(mine, d) if mine.rows_ahead else ([], [_LEARN])
    return [
        *("import numpy as np", "import edgeolk as ek", ""),
        f"learner = ek.Learner({options}, season={rows.season})",
        *(*begin, *_row(rows, mine, has_clock=False), *step),
    ]


def _row(rows: Rows, config: ReplayConfig, has_clock: bool) -> list[str]:
    """Return the lines that make a row ``x`` of what comes."""
    label, _, _ = config.label_kind.in_python
    taken = "readings, label, seconds" if has_clock else "readings, label"
    kind = buffer_type(config)
    if rows.windows is None:
        return [
            f"for {taken} in rows:  # label: {label}",
            f"    x = np.array(readings, dtype=np.{kind})",
        ]
    shown = {**rows.windows.options, "features": [*rows.windows.features]}
    if ek.windows_plan(**{**shown, "bands": None}).edges == rows.windows.edges:
        del shown["bands"]
    given = ", ".join(f"{name}={value!r}" for name, value in shown.items() if value)
    return [
        f"windows = ek.Windows({given})",
        f"for {taken} in samples:  # label: {label}, of the window that ends here",
        f"    row = windows.feed_one(np.array(readings, dtype=np.{rows.windows.dtype}))",
        "    if row is None:",
        "        continue",
        f"    x = np.array(row, dtype=np.{kind})",
    ]


def _step(config: ReplayConfig, has_clock: bool) -> list[str]:
    """Return the lines that answer a row and learn it."""
    _, argument, what = config.label_kind.in_python
    if has_clock:
        argument = f"{argument}, time=seconds"
    if not config.label_kind.scales_targets:
        return [f"    score = learner.learn_one({argument})  # {what}"]
    return [
        _UNIT,
        f"    target = {_TARGET}",
        f"    score = mean + spread * learner.learn_one(x, target[0])  # {what}",
    ]


def _forecast(config: ReplayConfig, d: int) -> tuple[list[str], list[str]]:
    """Return the lines before the loop and in it: learn the target of earlier rows, forecast."""
    ahead, kind = config.rows_ahead, config.label_kind
    rows = counted(ahead, "row")
    what = f"# the target {rows} ahead"
    if kind.keeps_rows:
        begin = [
            f"for _ in range({ahead}):  # the first targets have no forecast",
            f"    learner.ask_one(np.full({d}, np.nan))",
        ]
        known = f"    learner.tell_one(label)  # forecast {rows} ago"
        return begin, [known, f"    score = learner.ask_one(x)  {what}"]
    target, unit, answer = "label", [], "learner.decision_one(x)"
    if kind.scales_targets:
        target, unit, answer = f"{_TARGET}[0]", [_UNIT], f"mean + spread * {answer}"
    return ["waiting = deque()"], [
        f"    if len(waiting) == {ahead}:  # the target of an earlier row is known",
        f"        learner.learn_one(waiting.popleft(), {target})",
        *unit,
        "    waiting.append(x)",
        f"    score = {answer}  {what}",
    ]


def _with_clock(config: ReplayConfig, rows: Rows, d: int) -> tuple[ReplayConfig, bool]:
    """Return the configuration with the hour of the day as a replay has it, and whether it does."""
    more = config.label_kind.timed_params()
    if config.algorithm or not rows.is_dated or not more:
        return config, False
    timed = replace(config, params={**config.params, **more})
    try:
        plan_device(timed, d, None)
    except DoesNotFitError:
        return config, False
    return timed, True
