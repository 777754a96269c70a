"""The command that repeats a replay, and the options that give a learner."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from firmware_sim.config import ReplayConfig
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.errors import SimulatorError
from firmware_sim.streams import Stream


def command(config: ReplayConfig) -> str:
    """Return the command line that gives this configuration; empty where a stream object does."""
    if isinstance(config.stream, Stream):
        return ""
    said = {
        name: value
        for name, one in OPTIONS.items()
        if (value := getattr(config, name)) != one.default or name == "ram"
    }
    words = ["python", "-m", "firmware_sim", "replay", config.stream]
    return shlex.join([*words, *_words(said)])


def options(config: ReplayConfig, names: Sequence[str]) -> str:
    """Return what must be said of some fields, beside the others, for this learner.

    What a default supplies depends on what else is said (a history on a width, the storage type on
    the algorithm): so all is said first, and then each is left out that gives the same without.
    """
    whole = config.pinned()
    said = {name: getattr(whole, name) for name in names}

    def gives(fewer: dict[str, Any]) -> bool:
        usual = {name: OPTIONS[name].default for name in names}
        try:
            return replace(config, **{**usual, **fewer}).pinned() == whole
        except SimulatorError:
            return False

    for name in names:
        fewer = {key: value for key, value in said.items() if key != name}
        said = fewer if gives(fewer) else said
    for name in said.get("params", ()):
        params = {key: value for key, value in said["params"].items() if key != name}
        said = {**said, "params": params} if gives({**said, "params": params}) else said
    return shlex.join(_words(said))


def _words(said: Mapping[str, Any]) -> list[str]:
    return [word for name, value in said.items() for word in OPTIONS[name].words(name, value)]
