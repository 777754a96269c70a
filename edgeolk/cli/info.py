"""``edgeolk info``: shows the content of a model file or a file of checkpoints."""

from __future__ import annotations

import argparse
from enum import IntEnum
from typing import Any

from edgeolk.checkpointer import Checkpointer
from edgeolk.files.slots import MAGIC
from edgeolk.learner import Learner, load
from edgeolk.scaling import RunningScaler
from edgeolk.scaling.inside import CommonScale


def loaded(path: str) -> Learner:
    """The learner in a file; error messages start with the path."""
    try:
        return load(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _shown(value: Any) -> str:
    if isinstance(value, IntEnum):
        return value.name.lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _preprocessing(learner: Learner) -> list[str]:
    """Lines about the preprocessing of rows."""
    preprocessing = learner._config.preprocessing
    lines = []
    if preprocessing.gamma_rows:
        known = learner.steps >= preprocessing.gamma_rows
        state = "computed from" if known else "provisional, to be computed from"
        lines.append(f"width            {state} the first {preprocessing.gamma_rows} rows")
    if preprocessing.follows:
        lines.append("width            follows the rows")
    common, scaler = learner.common_scale, learner.scaler
    if common is not None:
        why = "" if isinstance(scaler, CommonScale) else ", while readings have two values"
        text = f"mean {common.mean:g}, deviation {common.sd:g}{why}"
        lines.append(f"scaling          one scale for all inputs, {text}")
    if isinstance(scaler, RunningScaler):
        counts = scaler.n_clipped
        clipped = "" if counts is None else f", {int(counts.sum())} readings clipped"
        lines.append(f"scaling          {scaler.method}{clipped}")
    if preprocessing.clip_rows:
        lines.append(f"rows bounded     to {preprocessing.clip_rows:g}: {learner.n_shortened}")
    return lines


def _forecasting(learner: Learner) -> list[str]:
    """Lines about a forecaster."""
    if not learner._config.forecasts:
        return []
    values = learner._config.values
    kernel = "" if learner.budget else ", without a kernel"
    season = f", a season of {values['season']:g}" if values["season"] else ""
    return [
        f"forecasts        {values['lead']:g} rows ahead{season}{kernel};"
        f" {learner.n_waiting} pending rows"
    ]


def _checkpoint(path: str) -> list[Any]:
    """The objects of the newest checkpoint in a file; empty if it is not a file of checkpoints."""
    with open(path, "rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return []
    with Checkpointer(path) as checkpoints:
        content = checkpoints.open()
        if content is None:
            raise ValueError(f"{path}: {checkpoints.opened}")
        print(f"checkpoint       {checkpoints.opened}")
    return list(content) if isinstance(content, tuple) else [content]


def _run(options: argparse.Namespace) -> None:
    for content in _checkpoint(options.model) or [loaded(options.model)]:
        if isinstance(content, Learner):
            _show(content)
        else:
            print(f"scaler           {content.n_features} features, {content.n_seen} rows")


def _show(learner: Learner) -> None:
    parts = ", ".join(f"{axis} {part.name.lower()}" for axis, part in learner.parts.items())
    values = ", ".join(f"{name} = {_shown(value)}" for name, value in learner.parameters.items())
    print(f"algorithm        {learner.algorithm} ({parts})")
    print(f"parameters       {values or 'none'}")
    print(f"kernel           {learner.kernel}")
    print(f"features         {learner.n_features}, {learner.dtype}")
    if learner.n_classes > 2:
        print(f"classes          {learner.n_classes}")
    print(f"coefficients     {learner.coefficients}")
    for line in (*_preprocessing(learner), *_forecasting(learner)):
        print(line)
    print(f"support vectors  {learner.n_support} of {learner.budget}")
    if learner.parameters.get("memory"):
        rows = f"{learner.n_remembered} of {learner.parameters['memory']} rows"
        print(f"memory           {rows}, {learner.memory_share:.0%} of the next answer")
    print(f"steps            {learner.steps}, {learner.updates} updates")
    if learner.is_regression:
        print(f"squared error    {learner.squared_error:.6g}")
    elif learner._config.watches:
        print(f"novel rows       {learner.mistakes} in {learner.alarms} events")
        part, channel, what = learner.why
        novel = "novel" if learner.novel else "usual"
        print(f"last row         {novel}: {part}, channel {channel}, {what}")
        print(f"threshold        {learner.threshold:.4g} deviations")
    else:
        print(f"mistakes         {learner.mistakes}")
    if learner.parameters.get("drift"):
        print(f"alarms           {learner.alarms}")
    print(f"bytes            {learner.nbytes}")


def add_info(commands: Any) -> None:
    """Add the command to a parser's subparsers."""
    parser = commands.add_parser("info", help="show what is in a model file or a checkpoint")
    parser.add_argument("model", help="a file written by Learner.save or Checkpointer")
    parser.set_defaults(run=_run)
