"""Anomalies and forecasts as sensors of a home automation, over MQTT with discovery.

    python bridge.py zigbee2mqtt/cellar --channels temperature=°C,humidity=%,pressure=hPa
    python bridge.py zigbee2mqtt/cellar --channels temperature=°C --forecast temperature --ahead 12
    python bridge.py home.toml

Readings come in as JSON objects on topics. Out go, as Home Assistant and others discover them, a
binary sensor "unusual", the sensors "novelty" and "reason", the readings, and where wanted the
forecast of one of them with its interval; one device for each topic. A will message says when this
program is gone. Models survive restarts and power cuts in checkpoints. Needs edgeolk[mqtt], and
bridge_settings.py beside this file.

Exit codes: 0 stopped, all states written; 1 no broker there, or paho-mqtt is missing; 2 wrong
arguments or settings; 74 a state cannot be written, or another bridge writes it.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import socket
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge_settings import Settings, SettingsError, given_settings, matches

import edgeolk as ek

#: Rows before the first verdict (docs/novelty.md).
WARM_UP = 200
#: Exit code where arguments or settings are wrong.
USAGE = 2
#: ... and where a state cannot be written (EX_IOERR of sysexits.h).
UNWRITTEN = 74
#: Seconds before a state that could not be written is written again.
RETRY = 60.0
#: Messages on their way to the broker; of those behind them only the newest of each topic is kept.
IN_FLIGHT = 100
#: Where mosquitto counts the messages that it dropped, for all its clients.
DROPPED = "$SYS/broker/publish/messages/dropped"
#: Why a reading is unusual; {0} is its name, {1} what it is now.
REASONS = {
    "value": "{0}: {1} is outside everything seen so far",
    "change": "{0}: changed faster than ever, now {1}",
    "season": "{0}: {1} is unusual for this hour",
    "level": "{0}: away from its usual level, now {1}",
    "roughness": "{0}: rougher or smoother than usual, now {1}",
    "mean": "{0}: off its mean for a while, now {1}",
}
#: Words for a switch, and for a reading that is not there.
SWITCHES = {"on": 1.0, "true": 1.0, "yes": 1.0, "off": 0.0, "false": 0.0, "no": 0.0}
NO_READING = {"", "-", "--", "unavailable", "unknown", "none", "null", "nan"}
#: A number, perhaps followed by its unit.
NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*[^\d,;:]*")
#: Names of the state that readings cannot have.
TAKEN = (
    *("unusual", "novelty", "reason", "reason_message", "reason_time", "damaged"),
    *("forecast", "forecast_low", "forecast_high"),
)

#: topic, payload, whether the broker keeps it for those who subscribe later.
Publish = Callable[[str, str, bool], object]


def local_time() -> float:
    """Seconds since 1970 by the clocks of this place, so that hours of the day are those here."""
    now = time.time()
    return now + time.localtime(now).tm_gmtoff


def complain(words: str) -> None:
    """Print a line on standard error."""
    print(words, file=sys.stderr, flush=True)


def report(words: str) -> None:
    """Print a line on standard output."""
    print(words, flush=True)


def notify(words: str) -> None:
    """Tell systemd, where it listens."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.sendto(words.encode(), address.replace("@", "\0", 1))


class Forecast:
    """Forecasts one reading some messages ahead, from all readings of a topic.

    Parameters
    ----------
    key : str
        The reading.
    ahead : int
        Messages.
    n_features : int
        Readings of a message.
    learner : ek.Learner, optional
        From a checkpoint. Messages may have been missed since: it forgets which were the last.

    Attributes
    ----------
    values : dict
        The forecast and its bounds, None while there is no interval yet.
    """

    def __init__(
        self, key: str, ahead: int, n_features: int, learner: ek.Learner | None = None
    ) -> None:
        self.key, self.ahead = key, ahead
        self.learner = learner or ek.Learner(
            n_features=n_features, ram="4KiB", loss="square", history=True, horizon=ahead
        )
        self.learner.restart()
        for _ in range(ahead):  # the first messages were not forecast
            self.learner.ask_one([math.nan] * n_features)
        self.values: dict[str, float | None] = {}
        self._note(None)

    def _note(self, forecast: float | None) -> None:
        bounds = self.learner.interval
        known = forecast is not None and math.isfinite(bounds[0])
        numbers = (forecast, *bounds) if known else (None, None, None)
        self.values = {
            name: None if value is None else round(value, 4)
            for name, value in zip(TAKEN[-3:], numbers, strict=True)
        }

    def take(self, row: list[float], value: float) -> None:
        """Learn the present value, and forecast that of so many messages later."""
        self.learner.tell_one(None if math.isnan(value) else value)
        self._note(self.learner.ask_one(row))


@dataclass
class Reason:
    """What is unusual in an event."""

    strength: float = 0.0
    score: float = -1.0  # of its most unusual message
    message: tuple[str, int | None, str | None] = "", None, None  # its words, number and time


class Bridge:
    """Learns the readings of one topic and publishes what is unusual about them.

    Parameters
    ----------
    publish : callable
        ``publish(topic, payload, retain)``.
    source : str
        The topic of the readings; names the device.
    channels : dict of str to str
        Keys of the readings in a fixed order, and their units ("" for none). A key ``a.b`` is key b
        of the object a.
    learner : ek.Learner
        Anomalies of a stream, with a feature for each channel.
    availability : str, optional
        The topic that says "online" or "offline"; by default one of this device.
    say : callable
        Gets a line about messages that cannot be used.
    forecast : Forecast, optional
        Of one of the readings.
    now : callable
        Returns the time of a message.
    tell : callable
        Gets a line where an event begins and ends.
    """

    def __init__(
        self,
        publish: Publish,
        source: str,
        channels: Mapping[str, str],
        learner: ek.Learner,
        availability: str | None = None,
        say: Callable[[str], object] = complain,
        forecast: Forecast | None = None,
        now: Callable[[], float] = local_time,
        tell: Callable[[str], object] = report,
    ) -> None:
        self.forecast, self._now, self._tell = forecast, now, tell
        self._has_clock = bool(learner.parameters["clock"])
        #: Reasons of the current event, by part and channel.
        self._reasons: dict[tuple[str, int], Reason] = {}
        self.unusual = 0  # messages since this start
        self.publish, self.source, self.learner = publish, source, learner
        self.channels = dict(channels)
        self.node = node_of(source)
        self.base = f"edgeolk/{self.node}"
        self.availability = availability or f"{self.base}/status"
        self.damaged = 0
        self._say = say
        self._names = names_of(self.channels)
        self._announced: set[tuple[str, bool]] = set()  # names, and whether of readings
        self._missed: set[str] = set()  # keys that the first messages lacked
        self._messages = 0
        self._last = [math.nan] * len(self.channels)
        self._unchanged = [0] * len(self.channels)

    @property
    def parts(self) -> Any:
        """What a checkpoint holds: the learner, and that of forecasts if there is one."""
        return (self.learner, self.forecast.learner) if self.forecast else self.learner

    def announce(self) -> None:
        """Publish again what was announced, after a connection; the broker keeps it."""
        again, self._announced = self._announced, set()
        for part, is_reading in sorted(again):
            self._announce(part, is_reading)
        self.publish(self.availability, "online", True)

    def _announce(self, part: str, is_reading: bool = False) -> None:
        """Publish the discovery message of a reading, by its key, or of another sensor."""
        if (part, is_reading) in self._announced:
            return
        self._announced.add((part, is_reading))
        kind, name = "sensor", part
        about: dict[str, Any] = {"name": part if is_reading else part.capitalize()}
        if part == "unusual" and not is_reading:
            kind, about["device_class"] = "binary_sensor", "problem"
        elif part != "reason" or is_reading:
            about["state_class"] = "measurement"
        if is_reading:
            name = self._names[part]
            if self.channels[part]:
                about["unit_of_measurement"] = self.channels[part]
        elif part.startswith("forecast") and self.forecast:
            key, bound = self.forecast.key, part.partition("_")[2]
            about["name"] = f"{key} in {self.forecast.ahead} messages" + f", {bound}" * bool(bound)
            if self.channels[key]:
                about["unit_of_measurement"] = self.channels[key]
        entry = re.sub(r"\W", "_", name, flags=re.ASCII)
        config = {
            **about,
            "unique_id": f"{self.node}_{entry}",
            "state_topic": f"{self.base}/state",
            "value_template": f"{{{{ value_json[{json.dumps(name)}] }}}}",
            "availability_topic": self.availability,
            "device": {"identifiers": [self.node], "name": f"Novelty of {self.source}"},
        }
        self.publish(f"homeassistant/{kind}/{self.node}/{entry}/config", json.dumps(config), True)

    def take(self, payload: bytes | str) -> bool:
        """Learn one message and publish the state; whether it was a row."""
        try:
            row, now = self._row(payload), self._now()
            if row is not None:
                self.learner.learn_one(row, time=now if self._has_clock else None)
        except ValueError as error:  # also one that is not JSON, or no text
            self.damaged += 1
            if self.damaged & (self.damaged - 1) == 0:  # the first, second, fourth, eighth, ...
                self._say(f"{self.source}: damaged message number {self.damaged}: {error}")
            return False
        if row is None:
            return False
        for at, (value, last) in enumerate(zip(row, self._last, strict=True)):
            same = self._messages > 0 and (value == last or math.isnan(value))
            self._unchanged[at] = self._unchanged[at] + 1 if same else 0
            self._last[at] = last if math.isnan(value) else value
        self._messages += 1
        self.unusual += self.learner.event
        for part in ("unusual", "novelty", "reason"):
            self._announce(part)
        state: dict[str, Any] = {
            "unusual": "ON" if self.learner.event else "OFF",
            "novelty": round(self.learner.anomaly, 4),
            **dict(zip(TAKEN[2:5], self._reason(row, now), strict=True)),
            "damaged": self.damaged,
        }
        if self.forecast:
            self.forecast.take(row, row[[*self.channels].index(self.forecast.key)])
            state.update(self.forecast.values)
            for part in self.forecast.values:
                self._announce(part)
        for key, value in zip(self.channels, row, strict=True):
            state[self._names[key]] = None if math.isnan(value) else value
            if not math.isnan(value):
                self._announce(key, True)
        self.publish(f"{self.base}/state", json.dumps(state), True)
        return True

    def _row(self, payload: bytes | str) -> list[float] | None:
        """The readings of a message; None if it has none of the keys.

        Raises ValueError: it cannot be read.
        """
        try:
            message = json.loads(payload)
        except ValueError:
            message = payload.decode() if isinstance(payload, bytes) else payload
        if not isinstance(message, dict) and len(self.channels) == 1 and message not in (None, ""):
            return [reading(message, next(iter(self.channels)))]  # a topic for each reading
        if not isinstance(message, dict):
            shown = message if isinstance(message, str) else json.dumps(message)
            raise ValueError(f"it is no JSON object: {shown[:60]!r}")
        found = {key: look_up(message, key) for key in self.channels}
        self._note_missing([key for key, held in found.items() if not held], message)
        if not any(found.values()):
            return None
        return [reading(*held, key) if held else math.nan for key, held in found.items()]

    def _note_missing(self, keys: list[str], message: dict[str, Any]) -> None:
        """Say once of each key that the first messages lack it."""
        if not self._messages:
            new = [key for key in keys if key not in self._missed]
            self._missed.update(new)
            if new:
                shown = [*paths_of(message)]
                there = ", ".join(shown[:8]) + (", ..." if len(shown) > 8 else "")
                missing = ", ".join(map(repr, new))
                self._say(f"{self.source}: no key {missing}; the message has {there or 'no keys'}")

    def _reason(self, row: list[float], now: float) -> tuple[str, int | None, str | None]:
        """Why there is an event, and the number and time of the message that shows it.

        The strongest reason of all messages of the event so far, by the sum of fifth powers of what
        their scores exceed 0.5, so that a high score outweighs many low ones; of its messages, the
        most unusual one. Empty without an event.
        """
        learner = self.learner
        if learner.steps < WARM_UP:
            return f"learning, {learner.steps} of {WARM_UP} messages", None, None
        if not learner.event:
            if self._reasons:
                self._tell(f"{self.source}: usual again from message {learner.steps} on")
                self._reasons.clear()
            return "", None, None
        begins = not self._reasons
        if begins or learner.novel:
            known = self._reasons.setdefault(learner.why, Reason())
            known.strength += max(learner.anomaly - 0.5, 0.0) ** 5
            if learner.anomaly > known.score:
                at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
                known.score, known.message = learner.anomaly, (self._words(row), learner.steps, at)
        strongest = max(self._reasons.values(), key=lambda known: known.strength).message
        if begins:
            self._tell(f"{self.source}: unusual from message {learner.steps} on, {strongest[0]}")
        return strongest

    def _words(self, row: list[float]) -> str:
        """What the last row is most unusual in."""
        part, channel = self.learner.why
        name = list(self.channels)[channel]
        form = ",.0f" if 1e3 <= abs(row[channel]) < 1e7 else ".4g"
        now = "no reading" if math.isnan(row[channel]) else f"{row[channel]:{form}}"
        if part == "pattern" and len(self.channels) == 1:
            return f"{name}: an unusual course over time, now {now}"
        if part == "pattern":
            return f"an unusual combination, {name} the furthest off"
        if part == "flat":
            silent, length, since = math.isnan(row[channel]), self._unchanged[channel], ""
            if length < self._messages - 1:
                length += not silent  # the message that the others repeat is part of the line
                since = f" for {length:,} message{'' if length == 1 else 's'}"
            return f"{name}: {'no reading' if silent else 'flat'}{since}"
        return REASONS[part].format(name, now)


def node_of(source: str) -> str:
    """The name of a topic's device in topics of its own."""
    return "edgeolk_" + re.sub(r"\W+", "_", source)


def names_of(channels: Mapping[str, str]) -> dict[str, str]:
    """Names of the readings in the state: their keys, unless two sensors would have one name."""
    names: dict[str, str] = {}
    used = set(TAKEN)
    for key in channels:
        name, number = key, 2
        while (entry := re.sub(r"\W", "_", name, flags=re.ASCII)) in used:
            name, number = f"{key}_{number}", number + 1
        used.add(entry)
        names[key] = name
    return names


def look_up(message: Any, key: str) -> tuple[Any] | None:
    """The value of a key, or of b in the object a for ``a.b``; None if it is not there."""
    if not isinstance(message, dict):
        return None
    if key in message:
        return (message[key],)
    for at in (at for at, letter in enumerate(key) if letter == "."):
        found = look_up(message.get(key[:at]), key[at + 1 :])
        if found:
            return found
    return None


def paths_of(message: dict[str, Any], before: str = "") -> Iterator[str]:
    """The keys of a message, those of objects as ``a.b``."""
    for key, value in message.items():
        if isinstance(value, dict) and value:
            yield from paths_of(value, f"{before}{key}.")
        else:
            yield f"{before}{key}"


def reading(value: Any, key: str) -> float:
    """A number; NaN, which the learner takes as no reading, for what is absent or unavailable.

    Raises ValueError: it is neither.
    """
    if isinstance(value, str):
        word = value.strip().lower()
        number = NUMBER.fullmatch(value.strip())
        if word in NO_READING:
            return math.nan
        if number is None and word not in SWITCHES:
            raise ValueError(f"{key} is {value[:60]!r}, which is no number")
        value = SWITCHES[word] if number is None else number[1]
    elif value is None:
        return math.nan
    elif not isinstance(value, (int, float)):
        raise ValueError(f"{key} is {json.dumps(value)[:60]}, which is no number")
    try:
        found = float(value)
    except OverflowError:
        raise ValueError(f"{key} is beyond the range of a float") from None
    return found if math.isfinite(found) else math.nan


def new_learner(n_features: int) -> ek.Learner:
    """Anomalies of a stream in 4 KiB, with the season of a day if it fits."""
    options = {"n_features": n_features, "ram": "4KiB", "loss": "novelty", "history": True}
    try:
        return ek.Learner(**options, clock=True)
    except ValueError:  # too many channels
        return ek.Learner(**options)


def place_of(
    folder: str,
    topic: str,
    channels: Mapping[str, str],
    forecast: tuple[str, int] | None = None,
) -> Path:
    """The checkpoint of a device; other channels, or another forecast, have a file of their own."""
    about = [*channels, *forecast] if forecast else list(channels)
    mark = zlib.crc32(json.dumps(about).encode())
    return Path(folder) / f"{node_of(topic)}-{mark:08x}.checkpoint"


def set_aside(place: Path, why: str) -> Path:
    """Rename a file, so that it can be looked at; returns its new name."""
    number = 1
    while (kept := place.with_name(f"{place.name}.{why}-{number}")).exists():
        number += 1
    return place.rename(kept)


class Device:
    """The bridge of one topic and its checkpoint: opened, written when due, never in others' way.

    A file that cannot be used is kept under another name, with a message, and this device begins
    again.

    Parameters
    ----------
    chosen : Settings
        All of them.
    topic : str
        Of this device.
    publish, say, tell : callable
        As for ``Bridge``.
    clock : callable
        Returns seconds that never decrease.

    Raises
    ------
    OSError
        The state cannot be written, or another process writes it.
    """

    def __init__(
        self,
        chosen: Settings,
        topic: str,
        publish: Publish,
        say: Callable[[str], object] = complain,
        tell: Callable[[str], object] = report,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        channels, wanted = chosen.devices[topic], chosen.forecasts.get(topic)
        self.place = place_of(chosen.checkpoints, topic, channels, wanted)
        self.topic, self._say, self._clock = topic, say, clock
        self._how = {"every": chosen.save_messages, "seconds": chosen.save_seconds, "clock": clock}
        self.failed = self.lost = 0  # writes, and states that were there, since this start
        self.came = time.time()  # the last message, or this start
        self._retry = -math.inf
        self._kept = self._checkpointer()
        found = self._opened()
        if found is None:
            self._note_others()
        parts = found if isinstance(found, tuple) else (found or new_learner(len(channels)),)
        learner, *more = parts
        learner.restart()  # messages may have been missed: the next one has no predecessor
        forecast = Forecast(*wanted, len(channels), *more) if wanted else None
        self.bridge = Bridge(
            publish, topic, channels, learner, chosen.status, say, forecast, tell=tell
        )
        self._is_warm = learner.steps >= WARM_UP
        if found is None or self._kept.opened is None:
            self._begin()

    def _checkpointer(self) -> ek.Checkpointer:
        return ek.Checkpointer(self.place, **self._how)

    def _opened(self) -> Any:
        """What the checkpoint holds, None where the device begins; locks out other processes."""
        try:
            is_empty = self.place.exists() and not self.place.stat().st_size
            self._kept.lock()
            found, opened = self._kept.open(), self._kept.opened
        except ValueError as error:  # it does not hold checkpoints of one kind
            self._set_aside(str(error), "damaged")
            return None
        assert opened is not None
        bad = {slot: why for slot, why in opened.refused.items() if why != "empty"}
        if opened.newer:
            self._set_aside(str(opened), "newer", found)
        elif found is None and bad:
            self._set_aside(str(opened), "damaged")
        elif bad:
            self._say(f"{self.topic}: {self.place}, {opened}: goes on from slot {opened.slot}")
        elif is_empty:
            self.lost += 1
            self._say(f"{self.topic}: {self.place} is empty: begins again")
        return found

    def _note_others(self) -> None:
        """Say which states this topic has already, of other channels or another forecast."""
        pattern = f"{node_of(self.topic)}-????????.checkpoint"
        others = sorted(path.name for path in self.place.parent.glob(pattern))
        others = [name for name in others if name != self.place.name]
        if others:
            which = f"of other readings or another forecast: {', '.join(others)}"
            self._say(f"{self.topic}: begins in {self.place.name}; there are states {which}")

    def _set_aside(self, why: str, what: str, found: Any = None) -> None:
        self._kept.close()
        kept = set_aside(self.place, what)
        self.lost += found is None
        goes_on = "begins again" if found is None else "goes on from the last one that can be used"
        self._say(f"{self.topic}: {self.place} cannot be used ({why}): kept as {kept}, {goes_on}")
        self._kept = self._checkpointer()

    def _begin(self) -> None:
        """Write the first checkpoint: what cannot be written is better known now."""
        try:
            self._kept.write(self.bridge.parts)
        except ValueError as error:  # blank, or of something else
            self._set_aside(str(error), "damaged")
            self._kept.write(self.bridge.parts)

    def keep(self, *, now: bool = False) -> bool:
        """Write a checkpoint if one is due, or ``now``; whether nothing failed.

        The first one is due once the device is warm.
        """
        warm = self.bridge.learner.steps >= WARM_UP
        if self._clock() < self._retry and not now:
            return False
        try:
            if now or (warm and not self._is_warm):
                self._kept.write(self.bridge.parts)
            else:
                self._kept.step(self.bridge.parts)
        except (OSError, ValueError, MemoryError) as error:
            self.failed += 1
            self._retry = self._clock() + RETRY
            self._say(f"{self.topic}: not written, attempt {self.failed}: {error}")
            return False
        self._is_warm = warm
        return True

    def close(self) -> None:
        """Let go of the file."""
        self._kept.close()

    def figures(self) -> dict[str, float]:
        """What ``METRICS`` says."""
        learner, forecast = self.bridge.learner, self.bridge.forecast
        return {
            "edgeolk_rows_total": learner.steps,
            "edgeolk_unusual_rows_total": self.bridge.unusual,
            "edgeolk_alarms_total": learner.alarms,
            "edgeolk_damaged_messages_total": self.bridge.damaged,
            "edgeolk_failed_writes_total": self.failed,
            "edgeolk_lost_states_total": self.lost,
            "edgeolk_message_age_seconds": self.came,  # its time, until it is read
            "edgeolk_unusual": float(learner.event),
            "edgeolk_novelty": learner.anomaly,
            "edgeolk_bytes": learner.nbytes + (forecast.learner.nbytes if forecast else 0),
        }


#: Metrics of a device; those that only grow end in ``_total``.
METRICS = {
    "edgeolk_rows_total": "Messages learned since the first start",
    "edgeolk_unusual_rows_total": "Messages during events since this start",
    "edgeolk_alarms_total": "Alarms since the first start",
    "edgeolk_damaged_messages_total": "Messages that could not be read since this start",
    "edgeolk_failed_writes_total": "Checkpoints that could not be written since this start",
    "edgeolk_lost_states_total": "States that could not be used since this start: begun again",
    "edgeolk_unusual": "1 during an event",
    "edgeolk_novelty": "Score of the last message, from 0 to 1",
    "edgeolk_bytes": "Bytes of the learner, and of that of forecasts",
    "edgeolk_message_age_seconds": "Since the last message, or since this start",
    "edgeolk_checkpoint_age_seconds": "Since the last checkpoint was written",
}
#: ... and of the bridge.
TOTALS = {
    "edgeolk_replaced_messages_total": "Messages replaced by newer ones before they were sent",
    "edgeolk_refused_topics_total": "Messages of a pattern's topics that have no model",
    "edgeolk_broker_dropped_messages_total": "Messages the broker dropped, of all its clients",
}


class Metrics:
    """What Prometheus reads from ``http://HOST:PORT/metrics``; needs prometheus_client.

    Another thread reads them: figures are copied here after each message.
    """

    def __init__(self, port: int) -> None:
        try:
            import prometheus_client as prometheus
        except ImportError:
            raise SystemExit("--metrics needs: pip install prometheus-client") from None
        self._metric = prometheus.Metric
        self._of: dict[str, tuple[Path, dict[str, float]]] = {}
        self.totals = dict.fromkeys(TOTALS, 0)
        registry = prometheus.CollectorRegistry()
        registry.register(self)
        try:
            prometheus.start_http_server(port, registry=registry)
        except OSError as error:
            raise SettingsError(f"metrics cannot use port {port}: {error}") from None

    def note(self, device: Device) -> None:
        """Copy the figures of a device."""
        self._of[device.topic] = device.place, device.figures()

    def collect(self) -> Iterator[Any]:
        """All metrics, as the registry asks for them."""
        of = [*self._of.items()]
        for name, about in METRICS.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            metric = self._metric(name.removesuffix("_total"), about, kind)
            for topic, (place, figures) in of:
                value = figures.get(name, math.nan)
                if name == "edgeolk_checkpoint_age_seconds":
                    value = -math.inf
                    with suppress(OSError):  # it is gone
                        value = place.stat().st_mtime
                if name.endswith("_age_seconds"):
                    value = time.time() - value
                metric.add_sample(name, {"device": topic}, value)
            yield metric
        for name, about in TOTALS.items():
            metric = self._metric(name.removesuffix("_total"), about, "counter")
            metric.add_sample(name, {}, self.totals[name])
            yield metric


def said_as_json(event: str) -> Callable[[str], None]:
    """Prints lines as JSON objects: time, event, device where there is one, words."""

    def say(words: str) -> None:
        device, colon, rest = words.partition(": ")
        about = {"device": device, "words": rest} if colon else {"words": words}
        report(json.dumps({"time": time.time(), "event": event, **about}))

    return say


def listed(topics: list[str]) -> str:
    """The first topics, and how many more there are."""
    more = f" and {len(topics) - 3:,} more" if len(topics) > 4 else ""
    return ", ".join(topics[:3] if more else topics) + more


class Outbox:
    """Messages to the broker: a few on their way, behind them the newest of each topic.

    So memory is bounded however fast readings come, and the last state of a device always arrives.
    """

    def __init__(self, send: Publish) -> None:
        self._send = send
        self._waiting: dict[str, tuple[str, bool]] = {}  # by topic
        self._in_flight = 0
        self.replaced = 0  # messages, by newer ones of their topics

    def publish(self, topic: str, words: str, keep: bool) -> None:
        """Send a message now, or once the broker has taken enough of those before."""
        self.replaced += self._waiting.pop(topic, None) is not None
        self._waiting[topic] = words, keep
        self._flush()

    def delivered(self) -> None:
        """The broker has taken a message."""
        self._in_flight = max(self._in_flight - 1, 0)
        self._flush()

    def _flush(self) -> None:
        while self._waiting and self._in_flight < IN_FLIGHT:
            topic = next(iter(self._waiting))
            self._in_flight += 1
            self._send(topic, *self._waiting.pop(topic))


class Losses:
    """Counts of messages that did not arrive, with a line as they reach 1, 2, 4, 8, ..."""

    def __init__(self, outbox: Outbox, say: Callable[[str], object]) -> None:
        self._outbox, self._say = outbox, say
        self._refused = self._dropped = 0
        self._before: int | None = None  # dropped by the broker before this start
        self._said = {"replaced": 0, "dropped": 0}

    def refuse(self, why: str) -> None:
        """Count a message that no model takes."""
        self._refused += 1
        if self._refused & (self._refused - 1) == 0:
            self._say(f"refused message number {self._refused:,}, {why}")

    def hear(self, payload: bytes) -> None:
        """The broker says how many messages it has dropped since its own start."""
        with suppress(ValueError):
            count = int(payload)
            if self._before is None or count < self._before:  # it began again
                self._before = count
            self._dropped = max(self._dropped, count - self._before)

    def note(self) -> None:
        """Say what has doubled since it was said."""
        now = {"replaced": self._outbox.replaced, "dropped": self._dropped}
        words = {
            "replaced": "messages were replaced by newer ones before they were sent",
            "dropped": "messages were dropped by the broker, of all its clients",
        }
        for name, count in now.items():
            if count and count >= 2 * self._said[name]:
                self._said[name] = count
                self._say(f"{count:,} {words[name]}")

    def totals(self) -> dict[str, int]:
        """What ``TOTALS`` says."""
        return dict(zip(TOTALS, (self._outbox.replaced, self._refused, self._dropped), strict=True))


def opened_devices(chosen: Settings, publish: Publish, say: Any, tell: Any) -> dict[str, Device]:
    """All devices by topic; exits if a state cannot be written, or another bridge writes it."""
    devices: dict[str, Device] = {}
    try:
        Path(chosen.checkpoints).mkdir(parents=True, exist_ok=True)
        topics = [topic for topic in chosen.devices if "+" not in topic]
        tell(f"opening {len(topics):,} model{'' if len(topics) == 1 else 's'}")
        for topic in topics:
            devices[topic] = Device(chosen, topic, publish, say, tell)
    except BlockingIOError:
        complain(f"another bridge writes to {chosen.checkpoints}: it has the model of {topic}")
        sys.exit(UNWRITTEN)
    except OSError as error:
        complain(f"a state in {chosen.checkpoints} cannot be written: {error}")
        sys.exit(UNWRITTEN)
    return devices


def main() -> None:
    """Connect and stay."""
    try:
        serve(given_settings())
    except SettingsError as error:
        complain(str(error))
        sys.exit(USAGE)


def serve(chosen: Settings) -> None:
    """Connect and stay."""
    try:
        import paho.mqtt.client as mqtt
    except ImportError:
        raise SystemExit('the bridge needs paho-mqtt: pip install "edgeolk[mqtt]"') from None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    client = mqtt.Client(
        mqtt.CallbackAPIVersion.VERSION2, chosen.client_id, clean_session=not chosen.client_id
    )
    where = f"{chosen.host}:{chosen.port}"
    say = said_as_json("problem") if chosen.json else complain
    tell = said_as_json("note") if chosen.json else report
    chosen.status = chosen.status or f"edgeolk/{node_of(next(iter(chosen.devices)))}/status"
    outbox = Outbox(lambda topic, words, keep: client.publish(topic, words, 1, keep))
    client.on_publish = lambda *_: outbox.delivered()
    devices = opened_devices(chosen, outbox.publish, say, tell)
    silent = set(devices)
    patterns = [topic for topic in chosen.devices if "+" in topic]
    lost = Losses(outbox, say)
    metrics = None if chosen.metrics is None else Metrics(chosen.metrics)
    for device in devices.values() if metrics else ():
        metrics.note(device)

    def connected(_: Any, __: Any, ___: Any, reason: Any, *____: Any) -> None:
        if reason.is_failure:
            say(f"{where} refuses the connection: {reason}")
            return
        client.subscribe([(topic, chosen.qos) for topic in chosen.devices] + [(DROPPED, 0)])
        client.publish(chosen.status, "online", 1, True)
        for device in devices.values():
            device.bridge.announce()
        tell(f"connected to {where}, listening to {listed([*chosen.devices])}")

    def opened(topic: str) -> Device | None:
        """The device of a pattern's topic, at its first message."""
        pattern = next((one for one in patterns if matches(one, topic)), None)
        if pattern is None or len(devices) >= chosen.max_devices:
            lost.refuse(f"a message of {topic} has no model: there are {len(devices):,}")
            return None
        names = Settings(**vars(chosen))
        names.devices = {topic: chosen.devices[pattern]}
        wanted = chosen.forecasts.get(pattern)
        names.forecasts = {topic: wanted} if wanted else {}
        try:
            devices[topic] = Device(names, topic, outbox.publish, say, tell)
        except OSError as error:
            lost.refuse(f"a message of {topic} has no model: {error}")
            return None
        silent.add(topic)
        return devices[topic]

    def came(_: Any, __: Any, message: Any) -> None:
        if message.topic == DROPPED:
            lost.hear(message.payload)
            return
        device = devices.get(message.topic) or opened(message.topic)
        if device is None:
            return
        device.came = time.time()
        if message.topic in silent:
            silent.remove(message.topic)
            tell(f"{message.topic}: the first message has come")
        if device.bridge.take(message.payload):
            device.keep()
        if metrics:
            metrics.note(device)

    client.on_connect, client.on_message = connected, came
    client.will_set(chosen.status, "offline", qos=1, retain=True)
    if chosen.user:
        secret = chosen.password_file and Path(chosen.password_file).read_text().strip()
        client.username_pw_set(chosen.user, secret or None)
    if chosen.tls or chosen.ca_file:
        try:
            client.tls_set(chosen.ca_file)
        except OSError as error:  # also of ssl: it is no certificate
            raise SettingsError(f"ca-file {chosen.ca_file}: {error}") from None
    try:
        client.connect(chosen.host, chosen.port)
    except OSError as error:
        raise SystemExit(f"no broker at {where} ({error}): set --host and --port") from None
    notify("READY=1")
    looked = time.monotonic()
    try:
        while True:
            if client.loop(1.0) != mqtt.MQTT_ERR_SUCCESS:
                time.sleep(1.0)
                with suppress(OSError):  # until it is there again
                    client.reconnect()
            if time.monotonic() - looked >= 1.0:
                looked = time.monotonic()
                for device in devices.values():  # also of those that are silent
                    device.keep()
                lost.note()
                if metrics:
                    metrics.totals = lost.totals()
                notify("WATCHDOG=1")
    except KeyboardInterrupt:
        pass
    finally:
        failed = [topic for topic, device in devices.items() if not device.keep(now=True)]
        client.publish(chosen.status, "offline", qos=1, retain=True)
        client.disconnect()
        if failed:
            sys.exit(UNWRITTEN)


if __name__ == "__main__":
    main()
