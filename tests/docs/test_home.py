"""The recipe for home automation: discovery, states, damaged messages; a real broker, if any."""

from __future__ import annotations

import json
import math
import os
import re
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
needs_toml = pytest.mark.skipif(sys.version_info < (3, 11), reason="no tomllib")
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
def said() -> list[str]:
    return []


@pytest.fixture
def bridge(code: dict[str, Any], said: list[str]) -> Any:
    learner = code["new_learner"](3)
    return code["Bridge"](Sent(), "zigbee2mqtt/cellar", CHANNELS, learner, say=said.append)


def message(row: np.ndarray) -> str:
    return json.dumps(dict(zip(CHANNELS, row.tolist(), strict=True)))


def test_discovery(bridge: Any) -> None:
    """A sensor is announced with its first reading, and again after a connection."""
    bridge.announce()
    assert [*bridge.publish] == ["edgeolk/edgeolk_zigbee2mqtt_cellar/status"]
    bridge.take('{"temperature": 20, "battery low": false}')
    assert "homeassistant/sensor/edgeolk_zigbee2mqtt_cellar/humidity/config" not in bridge.publish
    bridge.take('{"humidity": 50}')
    bridge.publish.clear()
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
    assert unusual["name"] == "Unusual"
    assert {about["state_topic"] for about in configs} == {
        "edgeolk/edgeolk_zigbee2mqtt_cellar/state"
    }
    assert sent[unusual["availability_topic"]] == "online"


def test_a_fault_is_unusual(bridge: Any) -> None:
    draws = np.random.default_rng(0)
    calm = 0
    reasons = set()
    for t in range(3000):
        row = np.array([20 + math.sin(t / 50) + draws.normal(0, 0.1), 50 + draws.normal(), 0.0])
        assert bridge.take(message(row).encode())
        state = bridge.publish[f"{bridge.base}/state"]
        calm += state["unusual"] == "ON"
        if state["unusual"] == "OFF" and t > 200:
            reasons.add(state["reason"])
    assert calm < 300
    assert reasons == {""}
    found = []
    for _ in range(20):
        bridge.take(message(np.array([35 + draws.normal(0, 0.1), 50 + draws.normal(), 0.0])))
        found.append(bridge.publish[f"{bridge.base}/state"])
    assert any(state["unusual"] == "ON" for state in found)
    outside = r"temperature: (3.* is outside everything seen so far|changed faster than ever.*)"
    assert all(re.fullmatch(outside, state["reason"]) for state in found)
    assert {state["reason"] for state in found if state["unusual"] == "OFF"} <= {""}
    assert found[-1]["temperature"] == pytest.approx(35, abs=1)


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"", "it is no JSON object: ''"),
        (b"not json", "it is no JSON object: 'not json'"),
        (b"[1, 2]", "it is no JSON object: '[1, 2]'"),
        (b"7", "it is no JSON object: '7'"),
        (b"null", "it is no JSON object: 'null'"),
        (b'{"humidity": "wet"}', "humidity is 'wet', which is no number"),
        (b'{"humidity": "1,200.5 hPa"}', "humidity is '1,200.5 hPa', which is no number"),
        (b'{"humidity": [3]}', "humidity is [3], which is no number"),
        (b'{"humidity": 1' + b"0" * 400 + b"}", "humidity is beyond the range of a float"),
        (b"\xff", "'utf-8' codec can't decode"),
    ],
)
def test_damaged_messages_are_counted(
    bridge: Any, said: list[str], payload: bytes, reason: str
) -> None:
    for _ in range(9):
        assert not bridge.take(payload)
    assert bridge.damaged == 9
    assert bridge.learner.steps == 0
    assert not bridge.publish
    damaged = [line for line in said if "no key" not in line]
    assert [line.split(": ")[1] for line in damaged] == [
        f"damaged message number {number}" for number in (1, 2, 4, 8)
    ]
    assert all(line.startswith("zigbee2mqtt/cellar: ") and reason in line for line in damaged)


def test_a_message_without_the_keys_is_no_reading(bridge: Any, said: list[str]) -> None:
    assert not bridge.take('{"Time": "2026-01-01", "BME280": {"Temperature": 20}, "wifi": {}}')
    assert (bridge.damaged, bridge.learner.steps) == (0, 0)
    assert said == [
        "zigbee2mqtt/cellar: no key 'temperature', 'humidity', 'battery low'; the message has "
        "Time, BME280.Temperature, wifi"
    ]
    assert not bridge.take("{}")
    assert bridge.take('{"temperature": 20, "humidity": 50}')
    assert len(said) == 1  # once for each key


def test_nested_objects(code: dict[str, Any]) -> None:
    """As Tasmota sends them; a key with a point of its own is that key."""
    channels = {"BME280.Temperature": "°C", "a.b.c": "", "x.y": ""}
    bridge = code["Bridge"](Sent(), "tele/attic", channels, code["new_learner"](3))
    message = {"BME280": {"Temperature": 21.5}, "a": {"b.c": 2}, "x.y": 3, "TempUnit": "C"}
    assert bridge.take(json.dumps(message))
    state = bridge.publish["edgeolk/edgeolk_tele_attic/state"]
    assert [state[key] for key in channels] == [21.5, 2.0, 3.0]
    about = bridge.publish["homeassistant/sensor/edgeolk_tele_attic/BME280_Temperature/config"]
    assert about["value_template"] == '{{ value_json["BME280.Temperature"] }}'


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("21.6 °C", 21.6), ("45%", 45.0), ("-3.5e1 µg/m³", -35.0), ("ON", 1.0), ("off", 0.0),
        (True, 1.0), ("7", 7.0), ("", None), ("unavailable", None), ("nan", None), (None, None),
    ],
)  # fmt: skip
def test_readings_as_devices_write_them(bridge: Any, value: Any, number: float | None) -> None:
    assert bridge.take(json.dumps({"temperature": value, "humidity": 1}))
    assert bridge.publish[f"{bridge.base}/state"]["temperature"] == number


@pytest.mark.parametrize("payload", [b"21.6", b"21.6 \xc2\xb0C", b'"21.6"'])
def test_a_topic_for_each_reading(code: dict[str, Any], payload: bytes) -> None:
    """As ESPHome sends them."""
    bridge = code["Bridge"](Sent(), "esp/flow", {"flow": "°C"}, code["new_learner"](1))
    assert bridge.take(payload)
    assert bridge.publish["edgeolk/edgeolk_esp_flow/state"]["flow"] == 21.6


def test_names_that_the_state_has_already(code: dict[str, Any]) -> None:
    channels = {"reason": "", "a.b": "", "a b": ""}
    bridge = code["Bridge"](Sent(), "odd", channels, code["new_learner"](3))
    assert bridge.take('{"reason": 1, "a": {"b": 2}, "a b": 3}')
    state = bridge.publish["edgeolk/edgeolk_odd/state"]
    assert [state["reason_2"], state["a.b"], state["a b_2"]] == [1.0, 2.0, 3.0]
    assert state["reason"].startswith("learning")
    configs = [about for topic, about in bridge.publish.items() if topic.endswith("/config")]
    assert len({about["unique_id"] for about in configs}) == 6


def test_a_flat_line_is_told_with_its_length(code: dict[str, Any]) -> None:
    bridge = code["Bridge"](Sent(), "cellar", {"a": ""}, code["new_learner"](1))
    draws = np.random.default_rng(3)
    for t in range(1000):
        bridge.take(json.dumps({"a": round(20 + math.sin(t / 20) + draws.normal() / 10, 2)}))
    lengths: dict[int, int] = {}  # by the message that said so first: the reason stays
    for messages in range(1, 401):
        bridge.take('{"a": 20.5}')
        reason = bridge.publish[f"{bridge.base}/state"]["reason"]
        if found := re.fullmatch(r"a: flat for (\d+) messages", reason):
            lengths.setdefault(int(found[1]), messages)
    assert lengths
    assert all(length == messages for length, messages in lengths.items())


def test_a_missing_reading_is_none(bridge: Any) -> None:
    assert bridge.take('{"temperature": 20, "humidity": "unavailable"}')
    state = bridge.publish[f"{bridge.base}/state"]
    assert (state["temperature"], state["humidity"]) == (20.0, None)


def test_the_first_rows_are_called_learning(bridge: Any) -> None:
    draws = np.random.default_rng(0)
    told = []
    for _ in range(210):
        bridge.take(message(draws.normal(size=3)))
        told.append(bridge.publish[f"{bridge.base}/state"])
    assert told[36]["reason"] == "learning, 37 of 200 messages"
    assert told[198]["reason"].startswith("learning")
    assert not told[199]["reason"].startswith("learning")
    assert told[0]["novelty"] == 0.25


def test_hours_are_those_of_the_clock_here(code: dict[str, Any]) -> None:
    wide, narrow = code["new_learner"](12), code["new_learner"](13)
    assert wide.parameters["clock"]
    assert not narrow.parameters["clock"]
    times = iter(3600.0 * np.arange(24 * 20))
    bridge = code["Bridge"](Sent(), "cellar", {"a": ""}, code["new_learner"](1), now=times.__next__)
    draws = np.random.default_rng(1)
    for t in range(24 * 20 - 1):
        night = 15 * (t % 24 < 6)
        bridge.take(json.dumps({"a": round(20 - night + draws.normal() / 10, 2)}))
    assert bridge.publish[f"{bridge.base}/state"]["unusual"] == "OFF"
    rows = np.asarray(bridge.learner._engine.view("clock_bytes"))[0, 2:]
    assert rows.min() >= 19
    behind = code["local_time"]() - time.time()
    assert behind == pytest.approx(time.localtime().tm_gmtoff, abs=1)


def forecasting(code: dict[str, Any], learner: Any = None) -> Any:
    forecast = code["Forecast"]("temperature", 3, 3, learner)
    novelty = code["new_learner"](3)
    return code["Bridge"](Sent(), "cellar", CHANNELS, novelty, forecast=forecast)


def test_a_forecast_is_that_of_a_learner_which_knows_the_messages_so_far(
    code: dict[str, Any],
) -> None:
    bridge = forecasting(code)
    rows = np.cumsum(np.random.default_rng(0).normal(size=(80, 3)), axis=0)
    learner = ek.Learner(n_features=3, ram="4KiB", loss="square", history=True, horizon=3)
    for _ in range(3):
        learner.ask_one(np.full(3, np.nan))
    for row in rows:
        bridge.take(message(row))
        learner.tell_one(row[0])
        expected = learner.ask_one(row)
        state = bridge.publish["edgeolk/edgeolk_cellar/state"]
        if learner.interval == (-np.inf, np.inf):
            assert state["forecast"] is state["forecast_low"] is state["forecast_high"] is None
        else:
            low, high = learner.interval
            assert state["forecast"] == round(expected, 4)
            assert (state["forecast_low"], state["forecast_high"]) == (
                round(low, 4),
                round(high, 4),
            )
    assert state["forecast_low"] < state["forecast"] < state["forecast_high"]
    entity = "homeassistant/sensor/edgeolk_cellar/{}/config"
    about = bridge.publish[entity.format("forecast")]
    assert about["name"] == "temperature in 3 messages"
    assert about["unit_of_measurement"] == "°C"
    assert about["value_template"] == '{{ value_json["forecast"] }}'
    assert bridge.publish[entity.format("forecast_low")]["name"] == "temperature in 3 messages, low"


def test_a_forecast_goes_on_without_a_reading_and_after_a_restart(
    tmp_path: Path, code: dict[str, Any]
) -> None:
    bridge = forecasting(code)
    rows = np.cumsum(np.random.default_rng(1).normal(size=(60, 3)), axis=0)
    for row in rows:
        bridge.take(message(row))
    bridge.take('{"humidity": 50}')  # its temperature is not known, others go on
    assert bridge.publish["edgeolk/edgeolk_cellar/state"]["forecast"] is not None
    kept = ek.Checkpointer(tmp_path / "kept.checkpoint", every=1)
    kept.open()
    kept.write(bridge.parts)
    kept.close()
    again = ek.Checkpointer(tmp_path / "kept.checkpoint", every=1)
    _, learner = again.open()
    steps = learner.steps
    assert steps > 50
    resumed = forecasting(code, learner)
    assert learner.n_waiting == 3  # they hold no message: which were last is not known
    for row in rows[:4]:
        resumed.take(message(row))
    assert resumed.publish["edgeolk/edgeolk_cellar/state"]["forecast"] is not None
    assert learner.steps > steps


def test_a_bridge_without_forecasts_publishes_none(bridge: Any) -> None:
    bridge.take(message(np.ones(3)))
    assert not any("forecast" in topic for topic in bridge.publish)
    assert not any(
        "forecast" in key for key in bridge.publish["edgeolk/edgeolk_zigbee2mqtt_cellar/state"]
    )


def test_settings_of_forecasts(tmp_path: Path, code: dict[str, Any]) -> None:
    words = ["cellar", "--channels", "t=°C,h", "--forecast", "h", "--ahead", "5"]
    assert code["given_settings"](words).forecasts == {"cellar": ("h", 5)}
    places = {
        code["place_of"](".", "cellar", {"t": "", "h": ""}, one)
        for one in (None, ("h", 5), ("h", 6))
    }
    assert len(places) == 3
    for wrong in (["--forecast", "x"], ["--forecast", "h", "--ahead", "0"]):
        with pytest.raises(
            SystemExit, match=r"it needs a device of that topic, one of its readings"
        ):
            code["given_settings"](["cellar", "--channels", "t=°C,h", *wrong])


@needs_toml
def test_forecasts_of_a_file(tmp_path: Path, code: dict[str, Any]) -> None:
    found = code["given_settings"]([str(BRIDGE.with_name("home.toml"))])
    assert found.forecasts == {"zigbee2mqtt/cellar": ("temperature", 12)}
    other = tmp_path / "other.toml"
    devices = '[devices]\ncellar = "t=°C,h"\n[forecasts]\n'
    for line in ('attic = "t, 3"', 'cellar = "t"', 'cellar = "t, many"', 'cellar = "x, 3"'):
        other.write_text(devices + line + "\n", encoding="utf-8")
        with pytest.raises(SystemExit, match="it needs a device of that topic"):
            code["given_settings"]([str(other)])


def started(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BRIDGE), *words], cwd=folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_pattern_of_topics_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("paho.mqtt.client")
    done = started(tmp_path, "cellar/#", "--channels", "a")
    assert done.returncode == 1
    sentence = "cellar/# is a pattern: name each topic, several in a TOML file"
    assert done.stderr == f"{sentence}\n"


def test_other_channels_have_another_checkpoint(code: dict[str, Any]) -> None:
    channels = [{"a": "", "b": ""}, {"b": "", "a": ""}, {"a": ""}, {"a": "°C", "b": "%"}]
    first, *others, same = [code["place_of"](".", "cellar", one).name for one in channels]
    assert first == same
    assert first not in others


@needs_toml
def test_settings_of_a_file(tmp_path: Path, code: dict[str, Any]) -> None:
    """The example file; an option of the command line precedes the file."""
    name = str(BRIDGE.with_name("home.toml"))
    found = code["given_settings"]([name, "--port", "1884", "--checkpoints", "kept"])
    assert found.devices["tele/attic/SENSOR"] == {
        "BME280.Temperature": "°C",
        "BME280.Humidity": "%",
    }
    assert (found.host, found.port, found.checkpoints) == ("localhost", 1884, "kept")
    assert found.status == "edgeolk/home/status"
    other = tmp_path / "other.toml"
    other.write_text('password-file = "p"\n[devices.cellar]\nt = "°C"\n', encoding="utf-8")
    found = code["given_settings"]([str(other)])
    assert (found.devices, found.password_file) == ({"cellar": {"t": "°C"}}, "p")
    for text, sentence in (
        ('hots = "a"\n', "hots is no setting; it has host, port, "),
        ("port = 1\n", "no device; it has"),
        ("a = \n", "Invalid value"),
    ):
        other.write_text(text)
        with pytest.raises(SystemExit, match=sentence):
            code["given_settings"]([str(other)])


def test_the_pages_and_the_units_name_the_same_places() -> None:
    docs = BRIDGE.parents[2]
    places = set()
    for name in ("home.md", "raspberry-pi.md", "examples/home/edgeolk-home.service"):
        places |= set(re.findall(r"/opt/\w+", (docs / name).read_text("utf-8")))
    places |= set(re.findall(r"/opt/\w+", (docs / "examples/pi/edgeolk.service").read_text()))
    assert places == {"/opt/edgeolk"}
    unit = BRIDGE.with_name("edgeolk-home.service").read_text("utf-8")
    assert "bridge.py /etc/edgeolk/home.toml" in unit
    assert "cp docs/examples/home/home.toml /etc/edgeolk" in (docs / "home.md").read_text("utf-8")


def test_the_page_shows_what_the_bridge_says(code: dict[str, Any]) -> None:
    """The message of the page, the state after it, and the alarm that a reader is to send."""
    page = (BRIDGE.parents[2] / "home.md").read_text("utf-8")
    device, broken = re.findall(r"zigbee2mqtt/cellar (?:-m ')?({[^}]*})", page)
    channels = {"temperature": "°C", "humidity": "%", "pressure": "hPa"}
    bridge = code["Bridge"](Sent(), "zigbee2mqtt/cellar", channels, code["new_learner"](3))
    assert bridge.take(device)
    state = bridge.publish[f"edgeolk/{bridge.node}/state"]
    assert json.dumps(state) in page
    assert f"`{bridge.node}`" in page
    r = np.random.default_rng(3)
    for row in np.array([12.4, 71.0, 1009.2]) + r.normal(size=(400, 3)):
        bridge.take(json.dumps(dict(zip(channels, row.tolist(), strict=True))))
    assert bridge.publish[f"edgeolk/{bridge.node}/state"]["unusual"] == "OFF"
    bridge.take(broken)
    assert bridge.publish[f"edgeolk/{bridge.node}/state"]["unusual"] == "ON"
    for row in np.array([12.4, 71.0, 1009.2]) + r.normal(size=(70, 3)):
        bridge.take(json.dumps(dict(zip(channels, row.tolist(), strict=True))))
    assert bridge.publish[f"edgeolk/{bridge.node}/state"]["unusual"] == "OFF"


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


@needs_toml
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
        home = tmp_path / "home.toml"
        home.write_text(f'port = {port}\n[devices]\ncellar = "a=V,b"\nattic = "t.c=°C"\n', "utf-8")
        arguments = [str(home), "--checkpoints", "kept"]
        with (tmp_path / "out").open("w") as out:
            program = subprocess.Popen(
                [sys.executable, str(BRIDGE), *arguments], cwd=tmp_path, stdout=out
            )
        until(lambda: seen.get("edgeolk/home/status") == "online")
        client.publish("attic", '{"t": {"c": "8 °C"}}', qos=1)
        until(lambda: "edgeolk/edgeolk_attic/state" in seen)
        assert json.loads(seen["edgeolk/edgeolk_attic/state"])["t.c"] == 8.0
        client.publish("cellar", '{"a": 1.5, "b": 2}', qos=1)
        until(lambda: "edgeolk/edgeolk_cellar/state" in seen)
        assert json.loads(seen["edgeolk/edgeolk_cellar/state"])["a"] == 1.5
        assert sum(topic.endswith("/config") for topic in seen) == 5 + 4
        program.terminate()
        assert program.wait(20) == 0
        assert (tmp_path / "out").read_text("utf-8").splitlines() == [
            f"connected to localhost:{port}, listening to cellar, attic",
            "attic: the first message has come",
            "cellar: the first message has come",
        ]
        kept = sorted((tmp_path / "kept").glob("*.checkpoint"))
        assert [path.name[:-20] for path in kept] == ["edgeolk_attic", "edgeolk_cellar"]
        assert [ek.Checkpointer(path).open().steps for path in kept] == [1, 1]
        until(lambda: seen.get("edgeolk/home/status") == "offline")
    finally:
        client.loop_stop()
        for process in (program, broker):
            if process is not None:
                process.kill()
                process.wait()
