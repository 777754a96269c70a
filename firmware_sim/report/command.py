"""The command that repeats a replay."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Any

from firmware_sim.config import ReplayConfig
from firmware_sim.streams import Stream

#: Options that are called otherwise than their field, or may be repeated.
_NAMES = {"faults": "fault", "missing_codes": "missing-code", "leak": "inject", "params": "param"}


def command(config: ReplayConfig) -> str:
    """Return the command line that gives this configuration; empty where a stream object does.

    Parameters
    ----------
    config : ReplayConfig
        What was replayed.
    """
    if isinstance(config.stream, Stream):
        return ""
    words = ["python", "-m", "firmware_sim", "replay", config.stream]
    usual = ReplayConfig("")
    for field in fields(ReplayConfig):
        value = getattr(config, field.name)
        if field.name == "stream" or (value == getattr(usual, field.name) and field.name != "ram"):
            # Named, it is behind a scaler of the device; not named, it scales by itself.
            if field.name == "algorithm" and config.scales_outside:
                words += _option(field.name, value)
            continue
        words += _option(field.name, value)
    return shlex.join(words)


def _option(name: str, value: Any) -> list[str]:
    option = "--" + _NAMES.get(name, name.replace("_", "-"))
    if name == "ask":
        return [option]
    if name == "leak":
        return [option, f"leak={value}"]
    if name in ("ignore", "classes"):
        return [option, ",".join(value)]
    if name == "params":
        return [word for pair in value.items() for word in (option, f"{pair[0]}={_plain(pair[1])}")]
    if isinstance(value, tuple):
        # Joined by =, since a value may begin with a minus.
        return [f"{option}={_plain(one)}" for one in value]
    return [f"{option}={_plain(value)}"] if str(value).startswith("-") else [option, _plain(value)]


def _plain(value: Any) -> str:
    name = getattr(value, "name", None)  # a member of an enum
    return name.lower() if isinstance(name, str) else str(value)
