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
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek

pytestmark = [
    pytest.mark.usefixtures("clients_of_mqtt"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

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
    if str(BRIDGE.parent) not in sys.path:  # where a program has the files beside it
        sys.path.insert(0, str(BRIDGE.parent))
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
            code["SettingsError"], match=r"it needs a device of that topic, one of its readings"
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
        with pytest.raises(code["SettingsError"], match="it needs a device of that topic"):
            code["given_settings"]([str(other)])


def started(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BRIDGE), *words], cwd=folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_pattern_of_topics_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("paho.mqtt.client")
    done = started(tmp_path, "cellar/#", "--channels", "a")
    assert done.returncode == 2
    sentence = "cellar/#: a pattern has + in place of whole levels, and no #"
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
        ('[devices]\n"a" = 5\n', "device 'a' is 5; it must be a text such as"),
        ("[devices.a]\nt = 5\n", "device 'a' is .*; it must be a text such as"),
        ('[devices]\n"a" = ""\n', "a: a reading has no name"),
        ('forecasts = 3\n[devices]\n"a" = "t"\n', "forecasts is 3; it must be a table"),
        ('port = "1883"\n[devices]\n"a" = "t"\n', "port is '1883'; it must be an integer from 1"),
        ('host = 5\n[devices]\n"a" = "t"\n', "host is 5; it must be a text"),
        ('save-seconds = 0\n[devices]\n"a" = "t"\n', "save-seconds is 0; it must be a number"),
        ('save-messages = 1.5\n[devices]\n"a" = "t"\n', "save-messages is 1.5; it must be an int"),
        ('qos = 3\n[devices]\n"a" = "t"\n', "qos is 3; it must be 0, 1 or 2"),
        ('tls = 1\n[devices]\n"a" = "t"\n', "tls is 1; it must be true or false"),
        ('[devices]\n"a/+" = "t"\n"a/b" = "t"\n', r"a/b is a topic of a/\+ too"),
        ('json = "yes"\n[devices]\n"a" = "t"\n', "json is 'yes'; it must be true or false"),
    ):
        other.write_text(text)
        with pytest.raises(code["SettingsError"], match=sentence):
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


class Clock:
    """Seconds, set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def settings(code: dict[str, Any], folder: Path, **more: Any) -> Any:
    devices = {"cellar": {"a": "V", "b": ""}, "attic": {"t": ""}}
    return code["Settings"](devices, checkpoints=str(folder), **more)


def device(code: dict[str, Any], chosen: Any, said: list[str], clock: Clock | None = None) -> Any:
    return code["Device"](chosen, "cellar", Sent(), said.append, lambda _: None, clock or Clock())


def fed(one: Any, count: int) -> None:
    for t in range(count):
        one.bridge.take(json.dumps({"a": t % 7, "b": t % 5}))
        assert one.keep()


def restored(one: Any) -> int:
    steps: int = ek.Checkpointer.restore(one.place).steps
    return steps


def flip(data: bytes, *places: int) -> bytes:
    changed = bytearray(data)
    for place in places:
        changed[place] ^= 1
    return bytes(changed)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda data: bytes(8192), "does not hold checkpoints"),
        (lambda data: np.random.default_rng(0).bytes(8192), "its header is not that of"),
        (lambda data: b"something else\n", "does not hold checkpoints"),
        (lambda data: flip(data, 3, len(data) // 2 + 3), "its header is not that of a checkpoint"),
        (lambda data: flip(data, 99, len(data) // 2 + 99), "no checkpoint; slot"),
    ],
    ids=["zeros", "random", "other", "headers", "payloads"],
)
def test_a_state_that_cannot_be_used_is_said_and_kept(
    code: dict[str, Any], tmp_path: Path, said: list[str], damage: Any, why: str
) -> None:
    chosen = settings(code, tmp_path)
    one = device(code, chosen, said)
    fed(one, 30)
    for _ in range(2):
        assert one.keep(now=True)
    one.close()
    assert said == []
    for number in (1, 2):
        data = damage(one.place.read_bytes())
        one.place.write_bytes(data)
        one = device(code, chosen, said)
        kept = one.place.with_name(f"{one.place.name}.damaged-{number}")
        assert kept.read_bytes() == data
        (line,) = said
        assert line.startswith(f"cellar: {one.place} cannot be used (")
        assert why in line
        assert line.endswith(f"kept as {kept}, begins again")
        assert (one.bridge.learner.steps, restored(one)) == (0, 0)
        fed(one, 5)
        for _ in range(2):
            assert one.keep(now=True)
        assert restored(one) == 5
        one.close()
        said.clear()


def test_an_empty_state_and_one_damaged_slot_are_said(
    code: dict[str, Any], tmp_path: Path, said: list[str]
) -> None:
    chosen = settings(code, tmp_path)
    one = device(code, chosen, said)
    fed(one, 30)
    one.keep(now=True)
    one.close()
    data = one.place.read_bytes()
    one.place.write_bytes(flip(data, 20))  # the first checkpoint, of no message
    one = device(code, chosen, said)
    assert one.bridge.learner.steps == 30
    (line,) = said
    assert "slot 0: its header is damaged" in line
    assert line.endswith("goes on from slot 1")
    one.close()
    one.place.write_bytes(b"")
    one = device(code, chosen, said)
    assert one.bridge.learner.steps == 0
    assert said[1:] == [f"cellar: {one.place} is empty: begins again"]
    assert one.figures()["edgeolk_lost_states_total"] == 1
    one.close()


@pytest.mark.parametrize("both", [False, True])
def test_a_state_of_a_newer_version_is_kept(
    code: dict[str, Any], tmp_path: Path, said: list[str], both: bool
) -> None:
    """With one slot that can be opened the device goes on from there."""
    chosen = settings(code, tmp_path)
    one = device(code, chosen, said)
    fed(one, 30)
    one.keep(now=True)
    one.close()
    data = bytearray(one.place.read_bytes())
    for at in (0, len(data) // 2)[: 2 if both else 1]:
        data[at + 8] = 2
        data[at + 28 : at + 32] = zlib.crc32(data[at : at + 28]).to_bytes(4, "little")
    one.place.write_bytes(data)
    one = device(code, chosen, said)
    kept = one.place.with_name(f"{one.place.name}.newer-1")
    assert kept.read_bytes() == data
    assert "checkpoint format 2; this version reads 1" in said[0]
    goes_on = "begins again" if both else "goes on from the last one that can be used"
    assert said[0].endswith(f"kept as {kept}, {goes_on}")
    assert (one.bridge.learner.steps, restored(one)) == ((0, 0) if both else (30, 30))
    one.close()


def test_a_device_that_cannot_be_written_harms_no_other(
    code: dict[str, Any], tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    one = device(code, settings(code, tmp_path), said, clock)
    fed(one, 10)
    monkeypatch.setattr(one, "_kept", Full())
    for _ in range(3):
        assert not one.keep(now=True)
    assert one.failed == 3
    assert said[0] == "cellar: not written, attempt 1: [Errno 28] No space left on device"
    assert not one.keep()  # not tried again at once
    assert one.failed == 3
    clock.now = 61.0
    assert not one.keep()
    assert one.failed == 4


class Full:
    """A checkpointer of a full disk."""

    def write(self, _: Any) -> int:
        raise OSError(28, "No space left on device")

    step = write


def test_the_first_checkpoint_comes_with_the_warm_up_and_then_as_often_as_wanted(
    code: dict[str, Any], tmp_path: Path, said: list[str]
) -> None:
    clock = Clock()
    one = device(code, settings(code, tmp_path, save_messages=300, save_seconds=60.0), said, clock)
    fed(one, 199)
    assert restored(one) == 0
    fed(one, 2)
    assert restored(one) == 200
    fed(one, 299)
    assert restored(one) == 500
    fed(one, 10)
    assert restored(one) == 500
    clock.now = 60.0
    assert one.keep()  # also without a message
    assert restored(one) == 510
    one.close()


def test_other_readings_begin_in_a_file_of_their_own_which_is_said(
    code: dict[str, Any], tmp_path: Path, said: list[str]
) -> None:
    chosen = settings(code, tmp_path)
    old = device(code, chosen, said)
    chosen.devices["cellar"] = {"a": "V"}
    new = device(code, chosen, said)
    assert said == [
        f"cellar: begins in {new.place.name}; there are states of other readings or another "
        f"forecast: {old.place.name}"
    ]


def test_a_second_bridge_is_refused_at_its_start(
    code: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = settings(code, tmp_path)
    first = code["opened_devices"](chosen, Sent(), print, print)
    with pytest.raises(SystemExit, match=str(code["UNWRITTEN"])):
        code["opened_devices"](chosen, Sent(), print, print)
    told = capsys.readouterr()
    assert told.err == f"another bridge writes to {tmp_path}: it has the model of cellar\n"
    for one in first.values():
        one.close()


def test_a_folder_that_cannot_be_written_is_said_in_one_line(
    code: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=str(code["UNWRITTEN"])):
        code["opened_devices"](settings(code, tmp_path / "file"), Sent(), print, print)
    told = capsys.readouterr()
    assert "cannot be written" in told.err
    assert told.err.count("\n") == 1


def test_metrics(
    code: dict[str, Any], tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    prometheus = pytest.importorskip("prometheus_client")
    served: list[Any] = []
    monkeypatch.setattr(
        prometheus, "start_http_server", lambda port, registry: served.append((port, registry))
    )
    one = device(code, settings(code, tmp_path), said)
    metrics = code["Metrics"](9100)
    fed(one, 7)
    one.bridge.take("damaged")
    metrics.note(one)
    ((port, registry),) = served
    assert port == 9100
    text = prometheus.generate_latest(registry).decode()
    assert 'edgeolk_rows_total{device="cellar"} 7.0\n' in text
    assert "# TYPE edgeolk_rows_total counter\n" in text
    assert 'edgeolk_damaged_messages_total{device="cellar"} 1.0\n' in text
    for name in ("alarms_total", "failed_writes_total", "unusual_rows_total", "unusual"):
        assert f'edgeolk_{name}{{device="cellar"}} 0.0\n' in text
    (age,) = re.findall(r'edgeolk_checkpoint_age_seconds{device="cellar"} (.*)', text)
    assert float(age) < 60
    (age,) = re.findall(r'edgeolk_message_age_seconds{device="cellar"} (.*)', text)
    assert 0 <= float(age) < 60
    assert 'edgeolk_lost_states_total{device="cellar"} 0.0\n' in text
    assert "edgeolk_broker_dropped_messages_total 0.0\n" in text
    assert text.count("# TYPE") == len(code["METRICS"]) + len(code["TOTALS"])
    one.close()


def test_a_restart_is_no_change(code: dict[str, Any], tmp_path: Path, said: list[str]) -> None:
    """The first message after a stop, however far from the last one, alarms nobody."""
    chosen = settings(code, tmp_path)
    one = device(code, chosen, said)
    rows = [json.dumps({"a": round(20 + 5 * math.sin(t / 100), 3)}) for t in range(1300)]
    for row in rows[:1000]:
        one.bridge.take(row)
    one.keep(now=True)
    one.close()
    one = device(code, chosen, said)
    before = one.bridge.learner.alarms
    for row in rows[1150:]:
        one.bridge.take(row)
    assert one.bridge.learner.alarms == before
    one.close()


def test_a_burst_fills_no_memory_and_the_last_state_arrives(code: dict[str, Any]) -> None:
    sent: list[tuple[str, str]] = []
    outbox = code["Outbox"](lambda topic, words, _: sent.append((topic, words)))
    for number in range(1000):
        outbox.publish(f"t{number % 2}", str(number), True)
    assert len(sent) == code["IN_FLIGHT"]
    assert outbox.replaced == 1000 - len(sent) - 2
    for _ in range(1000):
        outbox.delivered()
    assert sent[-2:] == [("t0", "998"), ("t1", "999")]
    assert len(sent) == code["IN_FLIGHT"] + 2
    for number in range(1000):  # as many as before fit again
        outbox.publish(f"t{number}", "", True)
    assert len(sent) == 2 * code["IN_FLIGHT"] + 2


def test_losses_are_counted_and_said(code: dict[str, Any], said: list[str]) -> None:
    lost = code["Losses"](code["Outbox"](lambda *_: None), said.append)
    lost.hear(b"50")  # before this start
    lost.note()
    assert not said
    for count in (b"53", b"54", b"57", b"no number"):
        lost.hear(count)
        lost.note()
    assert [line.split()[0] for line in said] == ["3", "7"]
    for _ in range(3):
        lost.refuse("why")
    assert said[2:] == [f"refused message number {number}, why" for number in (1, 2)]
    assert [*lost.totals().values()] == [0, 3, 7]


def test_patterns_match_whole_levels_and_nothing_of_the_bridge(code: dict[str, Any]) -> None:
    matches = code["matches"]
    assert matches("home/+/state", "home/a.b/state")
    assert not matches("home/+/state", "home/a/b/state")
    assert not matches("home/+/state", "home/a/states")
    assert not matches("+/+/state", "edgeolk/edgeolk_cellar/state")


def test_an_event_keeps_its_strongest_reason(code: dict[str, Any]) -> None:
    """One impossible message; ordinary ones after it are not blamed."""
    told: list[str] = []
    bridge = code["Bridge"](
        Sent(), "cellar", {"t": ""}, code["new_learner"](1),
        now=lambda: 86400.0, tell=told.append,
    )  # fmt: skip
    draws = np.random.default_rng(3)
    for number in range(1, 1101):
        value = 95.0 if number == 600 else 20 + 0.3 * draws.normal()
        bridge.take(json.dumps({"t": value}))
        state = bridge.publish["edgeolk/edgeolk_cellar/state"]
        if state["unusual"] == "ON":
            assert number >= 600
            assert state["reason"] == "t: 95 is outside everything seen so far"
            assert state["reason_message"] == 600
            assert state["reason_time"] == "1970-01-02T00:00:00"
        else:
            assert state["reason_message"] is state["reason_time"] is None
    assert bridge.unusual >= 64
    assert told[0] == (
        "cellar: unusual from message 600 on, t: 95 is outside everything seen so far"
    )
    assert re.fullmatch(r"cellar: usual again from message 6\d\d on", told[1])


def test_lines_of_json(code: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    code["said_as_json"]("note")("cellar: the first message has come")
    code["said_as_json"]("problem")("no more")
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first.pop("time") > 0
    assert first == {"event": "note", "device": "cellar", "words": "the first message has come"}
    assert (second["event"], second["words"]) == ("problem", "no more")


def test_few_of_many_topics_are_listed(code: dict[str, Any]) -> None:
    assert code["listed"](["a", "b", "c", "d"]) == "a, b, c, d"
    assert code["listed"]([f"t{n}" for n in range(200)]) == "t0, t1, t2 and 197 more"


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
        devices = '[devices]\ncellar = "a=V,b"\nattic = "t.c=°C"\n"room/+" = "a"\n'
        home.write_text(f"port = {port}\nmax-devices = 3\n{devices}", "utf-8")
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
        for room in ("one", "two"):  # the second is one model too many
            client.publish(f"room/{room}", "7", qos=1)
        until(lambda: "edgeolk/edgeolk_room_one/state" in seen)
        program.terminate()
        assert program.wait(20) == 0
        assert (tmp_path / "out").read_text("utf-8").splitlines() == [
            "opening 2 models",
            f"connected to localhost:{port}, listening to cellar, attic, room/+",
            "attic: the first message has come",
            "cellar: the first message has come",
            "room/one: the first message has come",
        ]
        kept = sorted((tmp_path / "kept").glob("*.checkpoint"))
        assert [path.name[:-20] for path in kept] == [
            *("edgeolk_attic", "edgeolk_cellar", "edgeolk_room_one"),
        ]
        assert [ek.Checkpointer.restore(path).steps for path in kept] == [1, 1, 1]
        until(lambda: seen.get("edgeolk/home/status") == "offline")
    finally:
        client.loop_stop()
        for process in (program, broker):
            if process is not None:
                process.kill()
                process.wait()
