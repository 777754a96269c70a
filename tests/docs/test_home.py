"""The recipe for home automation: discovery, states, damaged messages; a real broker, if any."""

from __future__ import annotations

import json
import math
import os
import runpy
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek

BRIDGE = Path(__file__).parents[2] / "docs/examples/home/bridge.py"
BROKER = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
CHANNELS = {"temperature": "°C", "humidity": "%", "battery low": ""}


class Sent(dict[str, Any]):
    """The last message of each topic."""

    def __call__(self, topic: str, payload: str, retain: bool) -> None:
        assert retain
        self[topic] = json.loads(payload) if payload.startswith("{") else payload


@pytest.fixture(scope="module")
def code() -> dict[str, Any]:
    return runpy.run_path(str(BRIDGE), run_name="bridge")


@pytest.fixture
def bridge(code: dict[str, Any]) -> Any:
    return code["Bridge"](Sent(), "zigbee2mqtt/cellar", CHANNELS, code["new_learner"](3))


def message(row: np.ndarray) -> str:
    return json.dumps(dict(zip(CHANNELS, row.tolist(), strict=True)))


def test_discovery(bridge: Any) -> None:
    bridge.announce()
    node = "homeassistant/{}/edgeolk_zigbee2mqtt_cellar/{}/config"
    sent = bridge.publish
    unusual = sent[node.format("binary_sensor", "unusual")]
    assert unusual["device_class"] == "problem"
    assert unusual["value_template"] == '{{ value_json["unusual"] }}'
    assert sent[node.format("sensor", "temperature")]["unit_of_measurement"] == "°C"
    battery = sent[node.format("sensor", "battery_low")]
    assert "unit_of_measurement" not in battery
    assert battery["value_template"] == '{{ value_json["battery low"] }}'
    configs = [about for topic, about in sent.items() if topic.endswith("/config")]
    assert len(configs) == 6
    assert len({about["unique_id"] for about in configs}) == 6
    assert len({json.dumps(about["device"]) for about in configs}) == 1
    assert {about["state_topic"] for about in configs} == {
        "edgeolk/edgeolk_zigbee2mqtt_cellar/state"
    }
    assert sent[unusual["availability_topic"]] == "online"


def test_a_fault_is_unusual(bridge: Any) -> None:
    draws = np.random.default_rng(0)
    calm = 0
    for t in range(3000):
        row = np.array([20 + math.sin(t / 50) + draws.normal(0, 0.1), 50 + draws.normal(), 0.0])
        assert bridge.take(message(row).encode())
        calm += bridge.publish[f"{bridge.base}/state"]["unusual"] == "ON"
    assert calm < 300
    found = []
    for _ in range(20):
        bridge.take(message(np.array([35 + draws.normal(0, 0.1), 50 + draws.normal(), 0.0])))
        found.append(bridge.publish[f"{bridge.base}/state"])
    assert any(state["unusual"] == "ON" for state in found)
    assert any(state["reason"].startswith("temperature") for state in found)
    assert found[-1]["temperature"] == pytest.approx(35, abs=1)


@pytest.mark.parametrize(
    "payload", [b"", b"not json", b"[1, 2]", b"7", b"null", b"{}", b'{"humidity": "wet"}', b"\xff"]
)
def test_damaged_messages_are_counted(bridge: Any, payload: bytes) -> None:
    assert not bridge.take(payload)
    assert bridge.damaged == 1
    assert bridge.learner.steps == 0
    assert not bridge.publish


def test_a_missing_reading_is_none(bridge: Any) -> None:
    assert bridge.take('{"temperature": 20, "humidity": "unavailable"}')
    state = bridge.publish[f"{bridge.base}/state"]
    assert (state["temperature"], state["humidity"]) == (20.0, None)


def test_the_first_rows_are_called_learning(bridge: Any) -> None:
    draws = np.random.default_rng(0)
    told = []
    for _ in range(120):
        bridge.take(message(draws.normal(size=3)))
        told.append(bridge.publish[f"{bridge.base}/state"])
    assert told[36]["reason"] == "learning, 37 of 110 messages"
    assert told[108]["reason"].startswith("learning")
    assert not told[109]["reason"].startswith("learning")
    assert "-0.0" not in json.dumps(told[0]["novelty"])


def started(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BRIDGE), *words], cwd=folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_pattern_of_topics_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("paho.mqtt.client")
    done = started(tmp_path, "cellar/#", "--channels", "a")
    assert done.returncode == 1
    assert done.stderr == "cellar/# is a pattern: start one bridge per topic\n"


def test_other_channels_need_another_checkpoint(tmp_path: Path, code: dict[str, Any]) -> None:
    pytest.importorskip("paho.mqtt.client")
    with ek.Checkpointer(tmp_path / "edgeolk_cellar.checkpoint") as checkpoints:
        checkpoints.write(code["new_learner"](3))
    done = started(tmp_path, "cellar", "--channels", "a,b,c,d")
    assert done.returncode == 1
    assert "holds a model of 3 channels, --channels names 4" in done.stderr


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def test_a_missing_broker_is_said_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("paho.mqtt.client")
    with socket.socket() as free:  # bound, but nobody listens
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
        words = ["cellar", "--channels", "a=V", "--host", "127.0.0.1", "--port", port]
        done = started(tmp_path, *words)
    assert done.returncode == 1
    assert done.stderr.startswith(f"no broker at 127.0.0.1:{port} (")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(BROKER is None or os.name == "nt", reason="no mosquitto here")
def test_with_a_broker(tmp_path: Path) -> None:
    mqtt = pytest.importorskip("paho.mqtt.client")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    broker = subprocess.Popen([str(BROKER), "-p", str(port)], stderr=subprocess.DEVNULL)
    program = None
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    seen: dict[str, str] = {}
    client.on_message = lambda _, __, one: seen.__setitem__(one.topic, one.payload.decode())
    try:
        until(lambda: listens(port))
        client.connect("127.0.0.1", port)
        client.loop_start()
        client.subscribe([("edgeolk/#", 1), ("homeassistant/#", 1)])
        arguments = ["cellar", "--channels", "a=V,b", "--port", str(port)]
        program = subprocess.Popen([sys.executable, str(BRIDGE), *arguments], cwd=tmp_path)
        until(lambda: seen.get("edgeolk/edgeolk_cellar/status") == "online")
        client.publish("cellar", '{"a": 1.5, "b": 2}', qos=1)
        until(lambda: "edgeolk/edgeolk_cellar/state" in seen)
        assert json.loads(seen["edgeolk/edgeolk_cellar/state"])["a"] == 1.5
        assert sum(topic.endswith("/config") for topic in seen) == 5
        program.terminate()
        assert program.wait(20) == 0
        assert ek.Checkpointer(tmp_path / "edgeolk_cellar.checkpoint").open().steps == 1
        until(lambda: seen.get("edgeolk/edgeolk_cellar/status") == "offline")
    finally:
        client.loop_stop()
        for process in (program, broker):
            if process is not None:
                process.kill()
                process.wait()
