"""Settings of bridge.py, which needs this file beside it, from a TOML file or the command line."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ABOUT = "Anomalies and forecasts as sensors of a home automation, over MQTT with discovery."


class SettingsError(Exception):
    """Arguments or settings are wrong."""


@dataclass
class Settings:
    """The broker and the devices."""

    devices: dict[str, dict[str, str]] = field(default_factory=dict)
    forecasts: dict[str, tuple[str, int]] = field(default_factory=dict)  # key, messages ahead
    host: str = "localhost"
    port: int = 1883
    user: str | None = None
    password_file: str | None = None
    tls: bool = False  # with the authorities of the system
    ca_file: str | None = None  # ... or with these: TLS too
    client_id: str | None = None  # the broker keeps messages for it while it is away
    qos: int = 1  # of the readings
    max_devices: int = 1000  # at most so many models, where topics are patterns
    checkpoints: str = "."
    status: str | None = None  # the topic that says "online" or "offline"
    save_messages: int = 1000  # between two checkpoints of a device, at most
    save_seconds: float = 600.0  # ... and seconds, if there was a message
    metrics: int | None = None  # the port for Prometheus
    json: bool = False  # whether lines are JSON objects


#: Their names in files.
SETTINGS = [name.replace("_", "-") for name in vars(Settings())][2:]


def channels_of(text: str) -> dict[str, str]:
    """Keys and units of ``key=unit,key,...``."""
    return dict((*part.strip().split("=", 1), "")[:2] for part in text.split(","))


def settings_of(path: Path) -> Settings:
    """The settings in a TOML file.

    Raises SettingsError: there is something wrong with it.
    """
    try:
        import tomllib
    except ImportError:  # Python 3.10
        import tomli as tomllib  # type: ignore[no-redef]
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}") from None
    devices, forecasts = found.pop("devices", None), found.pop("forecasts", {})
    options = {name.replace("-", "_"): value for name, value in found.items()}
    unknown = [name for name in options if name not in vars(Settings())]
    if unknown or not isinstance(devices, dict) or not devices:
        what = f"{unknown[0]} is no setting" if unknown else "no device"
        raise SettingsError(
            f"{path}: {what}; it has {', '.join(SETTINGS)}, "
            "and a table [devices] with lines such as "
            '"zigbee2mqtt/cellar" = "temperature=°C,humidity=%"'
        )
    chosen = Settings(**options)
    for topic, given in devices.items():
        if isinstance(given, str):
            given = channels_of(given)
        if not isinstance(given, dict) or not all(isinstance(unit, str) for unit in given.values()):
            raise SettingsError(
                f"{path}: device {topic!r} is {given!r}; it must be a text such as "
                '"temperature=°C,humidity=%", or a table of texts'
            )
        chosen.devices[topic] = dict(given)
    if not isinstance(forecasts, dict):
        raise SettingsError(f"{path}: forecasts is {forecasts!r}; it must be a table")
    for topic, text in forecasts.items():
        key, _, ahead = str(text).rpartition(",")
        chosen.forecasts[topic] = key.strip(), int(ahead) if ahead.strip().isdigit() else 0
    chosen.status = chosen.status or f"edgeolk/{path.stem}/status"
    return chosen


#: What a setting may be, by the type of its default or its name, and in words.
ALLOWED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "port": (lambda value: type(value) is int and 0 < value < 65536, "an integer from 1 to 65535"),
    "qos": (lambda value: type(value) is int and 0 <= value <= 2, "0, 1 or 2"),
    "save_seconds": (
        lambda value: type(value) in (int, float) and 0 < value < math.inf,
        "a number above 0",
    ),
    "int": (lambda value: type(value) is int and value > 0, "an integer of at least 1"),
    "bool": (lambda value: type(value) is bool, "true or false"),
    "str": (lambda value: isinstance(value, str), "a text"),
}
ALLOWED["metrics"] = ALLOWED["port"]


def matches(pattern: str, topic: str) -> bool:
    """Whether a topic is that of a device, or one of a pattern; never one of this program's own."""
    levels = re.escape(pattern).replace(r"\+", "[^/]*")
    return pattern == topic or bool(
        re.fullmatch(levels, topic) and not topic.startswith(("edgeolk/", "$"))
    )


def check_settings(chosen: Settings) -> None:
    """Raise SettingsError for a setting that is not allowed."""
    for name, default in vars(Settings()).items():
        value, kind = getattr(chosen, name), "str" if default is None else type(default).__name__
        allows, words = ALLOWED.get(name) or ALLOWED.get(kind, (lambda _: True, ""))
        if value != default and not allows(value):
            raise SettingsError(f"{name.replace('_', '-')} is {value!r}; it must be {words}")
    for topic, channels in chosen.devices.items():
        if "#" in topic or any("+" in level != "+" for level in topic.split("/")):
            raise SettingsError(f"{topic}: a pattern has + in place of whole levels, and no #")
        if twice := [other for other in chosen.devices if other != topic and matches(topic, other)]:
            raise SettingsError(f"{twice[0]} is a topic of {topic} too: its messages came twice")
        if not channels or "" in channels:
            raise SettingsError(f"{topic}: a reading has no name, in {', '.join(channels)!r}")
    for topic, (key, ahead) in chosen.forecasts.items():
        keys = chosen.devices.get(topic, {})
        if key not in keys or ahead < 1:
            raise SettingsError(
                f"forecast of {topic}: {key!r}, {ahead} messages ahead; it needs a device of that "
                f"topic, one of its readings ({', '.join(keys) or 'it has no line in devices'}), "
                'and at least 1 message, as in "temperature, 12"'
            )


def given_settings(words: list[str] | None = None) -> Settings:
    """The settings of the command line; raises SettingsError if they are wrong."""
    reader = argparse.ArgumentParser(description=ABOUT)
    reader.add_argument("source", help="topic of the readings, or a TOML file with several")
    reader.add_argument("--channels", help="key=unit,key=unit,...; a unit may be absent")
    reader.add_argument("--forecast", metavar="KEY", help="forecast this reading too")
    reader.add_argument("--ahead", type=int, default=12, help="... so many messages ahead: 12")
    for name, kind, about in (
        ("host", str, "of the broker; default localhost"),
        ("port", int, "of the broker; default 1883; with TLS mostly 8883"),
        ("user", str, "at the broker"),
        ("password-file", str, "with nothing but the password"),
        ("ca-file", str, "TLS with the authorities in this file (PEM)"),
        ("client-id", str, "the broker keeps messages for it while it is away"),
        ("qos", int, "of the readings: 0, 1 or 2; default 1"),
        ("max-devices", int, "at most so many models of a pattern's topics; default 1000"),
        ("checkpoints", str, "folder of the models; default the current one"),
        ("save-messages", int, "write a model after so many messages; default 1000"),
        ("save-seconds", float, "... and so many seconds after the last time; default 600"),
        ("metrics", int, "serve metrics to Prometheus at this port"),
    ):
        reader.add_argument(f"--{name}", type=kind, help=about)
    reader.add_argument("--tls", action="store_const", const=True, help="authorities of the system")
    reader.add_argument("--json", action="store_const", const=True, help="print JSON objects")
    given = reader.parse_args(words)
    if given.source.endswith(".toml"):
        if given.channels or given.forecast:
            reader.error(f"{given.source} names channels and forecasts: leave these options out")
        chosen = settings_of(Path(given.source))
    elif not given.channels:
        reader.error("name the readings, as in --channels temperature=°C,humidity=%")
    else:
        chosen = Settings({given.source: channels_of(given.channels)})
        if given.forecast:
            chosen.forecasts[given.source] = given.forecast, given.ahead
    for name, value in vars(given).items():
        if value is not None and name not in ("source", "channels", "forecast", "ahead"):
            setattr(chosen, name, value)
    check_settings(chosen)
    return chosen
