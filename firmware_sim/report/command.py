"""The command that repeats a replay."""

from __future__ import annotations

import shlex
from typing import Any

from firmware_sim.config import ReplayConfig
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.errors import SimulatorError
from firmware_sim.streams import Stream


def command(config: ReplayConfig, *, usual: bool = False) -> str:
    """Return the command line that gives this configuration; empty where a stream object does.

    usual: whether the cap is left out where it is the usual one.
    """
    if isinstance(config.stream, Stream):
        return ""
    words = ["python", "-m", "firmware_sim", "replay", config.stream]
    for name, value in _said(config).items():
        if usual and name == "ram" and value == OPTIONS["ram"].default:
            continue
        words += OPTIONS[name].words(name, value)
    return shlex.join(words)


def _said(config: ReplayConfig) -> dict[str, Any]:
    """The fields that must be said: without one of them the configuration would be another.

    What a configuration has by itself depends on what else is said (the storage type on the
    algorithm, the kind of labels on the parameters): so each is left out and looked at.
    """
    said = {
        name: value
        for name, one in OPTIONS.items()
        if (value := getattr(config, name)) != one.default or name == "ram"
    }
    for name in [name for name in said if name != "ram"]:
        fewer = {key: value for key, value in said.items() if key != name}
        said = fewer if _gives(config, fewer) else said
    for name in config.params:
        fewer = {key: value for key, value in said.get("params", {}).items() if key != name}
        if _gives(config, {**said, "params": fewer}):
            said["params"] = fewer
    return said


def _gives(config: ReplayConfig, said: dict[str, Any]) -> bool:
    try:
        return ReplayConfig(config.stream, **said) == config
    except SimulatorError:
        return False
