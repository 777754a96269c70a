"""The command that repeats a replay."""

from __future__ import annotations

import shlex
from dataclasses import MISSING, Field, fields
from typing import Any

from firmware_sim.config import ReplayConfig
from firmware_sim.errors import SimulatorError
from firmware_sim.plaintext import joined
from firmware_sim.streams import Stream

#: Options that are called otherwise than their field, or may be repeated.
_NAMES = {"faults": "fault", "missing_codes": "missing-code", "leak": "inject", "params": "param"}


def command(config: ReplayConfig, on: str = "") -> str:
    """Return the command line that gives this configuration; empty where a stream object does.

    Parameters
    ----------
    config : ReplayConfig
        What was replayed.
    on : str
        The emulated board that learned the same rows; empty for none.
    """
    if isinstance(config.stream, Stream):
        return ""
    words = ["python", "-m", "firmware_sim", "replay", config.stream]
    for name, value in _said(config).items():
        words += _option(name, value)
    return shlex.join([*words, *(["--on", on] if on else [])])


def _said(config: ReplayConfig) -> dict[str, Any]:
    """The fields that must be said: without one of them the configuration would be another.

    What a configuration has by itself depends on what else is said (the storage type on the
    algorithm, the kind of labels on the parameters): so each is left out and looked at.
    """
    said = {
        field.name: value
        for field in fields(ReplayConfig)
        if (value := getattr(config, field.name)) != _default(field) or field.name == "ram"
    }
    for name in ("algorithm", "dtype", "kind"):
        said = _without(config, said, name)
    for name in config.params:
        fewer = {key: value for key, value in said["params"].items() if key != name}
        if _gives(config, {**said, "params": fewer}):
            said["params"] = fewer
    del said["stream"]
    return said


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _without(config: ReplayConfig, said: dict[str, Any], name: str) -> dict[str, Any]:
    """The fields without one, where they give the same configuration."""
    fewer = {key: value for key, value in said.items() if key != name}
    return fewer if _gives(config, fewer) else said


def _gives(config: ReplayConfig, said: dict[str, Any]) -> bool:
    try:
        return ReplayConfig(**said) == config
    except SimulatorError:
        return False


def _option(name: str, value: Any) -> list[str]:
    option = "--" + _NAMES.get(name, name.replace("_", "-"))
    if name == "ask":
        return [option]
    if name == "leak":
        return [option, f"leak={value}"]
    if name in ("ignore", "classes"):
        value = joined(value)
    if name == "params":
        return [word for pair in value.items() for word in (option, f"{pair[0]}={_plain(pair[1])}")]
    if isinstance(value, tuple):
        # Joined by =, since a value may begin with a minus.
        return [f"{option}={_plain(one)}" for one in value]
    return [f"{option}={_plain(value)}"] if str(value).startswith("-") else [option, _plain(value)]


def _plain(value: Any) -> str:
    name = getattr(value, "name", None)  # a member of an enum
    return name.lower() if isinstance(name, str) else str(value)
