"""Novelty detection as sensors of a home automation, over MQTT with discovery.

    python bridge.py zigbee2mqtt/cellar --channels temperature=°C,humidity=%,pressure=hPa

Readings come in as JSON objects on a topic. Out go, as Home Assistant and others discover them, a
binary sensor "unusual", the sensors "novelty" and "reason", and the readings, all of one device. A
will message says when this program is gone. The model survives restarts and power cuts in a
checkpoint, NODE.checkpoint in the current folder unless --checkpoint names another one.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import edgeolk as ek

#: Rows before the first verdict (docs/novelty.md).
WARM_UP = 110

#: topic, payload, whether the broker keeps it for those who subscribe later.
Publish = Callable[[str, str, bool], object]


class Bridge:
    """Learns readings and publishes what it thinks of them.

    Parameters
    ----------
    publish : callable
        ``publish(topic, payload, retain)``.
    source : str
        The topic of the readings; names the device.
    channels : dict of str to str
        Keys of the readings in a fixed order, and their units ("" for none).
    learner : ek.Learner
        Novelty in time with a feature for each channel.
    """

    def __init__(
        self, publish: Publish, source: str, channels: dict[str, str], learner: ek.Learner
    ) -> None:
        self.publish, self.source, self.channels, self.learner = publish, source, channels, learner
        self.node = node_of(source)
        self.base = f"edgeolk/{self.node}"
        self.damaged = 0

    @property
    def availability(self) -> str:
        """The topic that says "online" or "offline"."""
        return f"{self.base}/status"

    def announce(self) -> None:
        """Discovery messages, kept by the broker; again after each connection."""
        device = {"identifiers": [self.node], "name": f"Novelty of {self.source}"}
        parts: dict[str, dict[str, Any]] = {
            "binary_sensor/unusual": {"device_class": "problem", "name": "Unusual"},
            "sensor/novelty": {"name": "Novelty", "state_class": "measurement"},
            "sensor/reason": {"name": "Reason"},
        }
        for key, unit in self.channels.items():
            about: dict[str, Any] = {"name": key, "state_class": "measurement"}
            if unit:
                about["unit_of_measurement"] = unit
            parts[f"sensor/{re.sub(r'[^A-Za-z0-9_]', '_', key)}"] = about
        for part, about in parts.items():
            kind, name = part.split("/")
            key = about["name"] if about["name"] in self.channels else name
            config = {
                **about,
                "unique_id": f"{self.node}_{name}",
                "state_topic": f"{self.base}/state",
                "value_template": f"{{{{ value_json[{json.dumps(key)}] }}}}",
                "availability_topic": self.availability,
                "device": device,
            }
            topic = f"homeassistant/{kind}/{self.node}/{name}/config"
            self.publish(topic, json.dumps(config), True)
        self.publish(self.availability, "online", True)

    def take(self, payload: bytes | str) -> bool:
        """Learn one message and publish the state; whether it was a row."""
        try:
            said = json.loads(payload)
            row = [_reading(said.get(key)) for key in self.channels]
        except (ValueError, TypeError, AttributeError):
            self.damaged += 1
            return False
        if all(math.isnan(value) for value in row):
            self.damaged += 1
            return False
        score = self.learner.learn_one(row)
        why = self.learner.why
        reason = "" if why is None else f"{list(self.channels)[why[1]]}: {why[2]}"
        if self.learner.steps < WARM_UP:
            reason = f"learning, {self.learner.steps} of {WARM_UP} messages"
        state: dict[str, Any] = {
            "unusual": "ON" if self.learner.novel else "OFF",
            "novelty": round(-score, 4) + 0.0,  # no -0.0
            "reason": reason,
            "damaged": self.damaged,
        }
        readings = zip(self.channels, row, strict=True)
        state |= {key: None if math.isnan(value) else value for key, value in readings}
        self.publish(f"{self.base}/state", json.dumps(state), True)
        return True


def node_of(source: str) -> str:
    """The name of a topic's device in topics of its own."""
    return "edgeolk_" + re.sub(r"\W+", "_", source)


def _reading(value: Any) -> float:
    """A number; what is absent or unavailable is NaN, which the learner takes as no reading."""
    if value in (None, "", "unavailable", "unknown"):
        return math.nan
    number = float(value)
    return number if math.isfinite(number) else math.nan


def new_learner(n_features: int) -> ek.Learner:
    """Novelty in the order of time, in 4 KiB."""
    return ek.Learner(n_features=n_features, ram="4KiB", loss="novelty", history=True)


def main() -> None:
    """Connect and stay."""
    import paho.mqtt.client as mqtt  # pip install "edgeolk[mqtt]"

    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("source", help="topic of the readings")
    reader.add_argument(
        "--channels", required=True, help="key=unit,key=unit,...; a unit may be absent"
    )
    reader.add_argument("--host", default="localhost")
    reader.add_argument("--port", type=int, default=1883)
    reader.add_argument("--user")
    reader.add_argument("--password-file", type=Path)
    reader.add_argument("--checkpoint", help="file of the model; default NODE.checkpoint")
    given = reader.parse_args()
    if set(given.source) & set("#+"):
        raise SystemExit(f"{given.source} is a pattern: start one bridge per topic")
    channels = dict((*part.split("=", 1), "")[:2] for part in given.channels.split(","))
    place = given.checkpoint or f"{node_of(given.source)}.checkpoint"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with ek.Checkpointer(place, every=1000, seconds=600) as checkpoints:
        learner = checkpoints.open() or new_learner(len(channels))
        if learner.n_features != len(channels):
            raise SystemExit(
                f"{place} holds a model of {learner.n_features} channels, --channels names "
                f"{len(channels)}: name another --checkpoint"
            )
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        bridge = Bridge(
            lambda topic, words, keep: client.publish(topic, words, qos=1, retain=keep),
            given.source, channels, learner,
        )  # fmt: skip
        where = f"{given.host}:{given.port}"

        def connected(*_: Any) -> None:
            client.subscribe(given.source, qos=1)
            bridge.announce()
            print(f"connected to {where}, listening to {given.source}", flush=True)

        def came(_: Any, __: Any, message: Any) -> None:
            if bridge.take(message.payload):
                checkpoints.step(learner)
            else:
                print(f"damaged message number {bridge.damaged}", file=sys.stderr, flush=True)

        client.on_connect, client.on_message = connected, came
        client.will_set(bridge.availability, "offline", qos=1, retain=True)
        if given.user:
            secret = given.password_file.read_text().strip() if given.password_file else None
            client.username_pw_set(given.user, secret)
        try:
            client.connect(given.host, given.port)
        except OSError as error:
            raise SystemExit(f"no broker at {where} ({error}): set --host and --port") from None
        try:
            client.loop_forever()
        except KeyboardInterrupt:
            pass
        finally:
            client.publish(bridge.availability, "offline", qos=1, retain=True)
            client.disconnect()
            checkpoints.write(learner)


if __name__ == "__main__":
    main()
