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
    options = {
        name: value
        for name, one in OPTIONS.items()
        if (value := getattr(config, name)) != one.default or name == "ram"
    }
    words = ["python", "-m", "firmware_sim", "replay", config.stream]
    return shlex.join([*words, *_words(options)])


def options(config: ReplayConfig, names: Sequence[str]) -> str:
    """Return what must be said of some fields, beside the others, for this learner.

    What a default supplies depends on what else is said (a history on a width, the storage type on
    the algorithm): so all is said first, and then each is left out that gives the same without.
    """
    whole = config.pinned()
    options = {name: getattr(whole, name) for name in names}

    def gives(reduced: dict[str, Any]) -> bool:
        usual = {name: OPTIONS[name].default for name in names}
        try:
            return replace(config, **{**usual, **reduced}).pinned() == whole
        except SimulatorError:
            return False

    for name in names:
        reduced = {key: value for key, value in options.items() if key != name}
        options = reduced if gives(reduced) else options
    for name in options.get("params", ()):
        params = {key: value for key, value in options["params"].items() if key != name}
        options = {**options, "params": params} if gives({**options, "params": params}) else options
    return shlex.join(_words(options))


def _words(options: Mapping[str, Any]) -> list[str]:
    return [word for name, value in options.items() for word in OPTIONS[name].words(name, value)]
