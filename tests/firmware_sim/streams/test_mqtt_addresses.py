"""Addresses of MQTT brokers and topics: what is said of those that are none."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware_sim.cli import main
from firmware_sim.errors import StreamError
from firmware_sim.streams import mqtt
from firmware_sim.streams.mqtt import MqttSource


@pytest.mark.parametrize(
    "url",
    ["mqtt://host", "mqtt:///topic", "mqtt://host/t?qos=3", "mqtt://host/t?colums=a", "mqtts://"],
)
def test_addresses_that_make_no_sense(url: str) -> None:
    with pytest.raises(StreamError, match=r"is not of the form mqtt://.*HOST\[:PORT\]/TOPIC"):
        MqttSource(url)


@pytest.mark.parametrize(
    "place",
    [
        "host:abc", "host:99999", "host:-1", "host:0", "fe80::1", "[::1", "::1]", "[::zz]x",
        "me:se/x@h",
    ],
)  # fmt: skip
def test_a_bad_port_or_address_is_a_sentence(
    place: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    url = f"mqtt://{place}/topic"
    assert main(["record", url, str(tmp_path / "r.csv")]) == 2
    said = capsys.readouterr().err
    assert "a port is a number from 1 to 65535" in said
    assert "as in mqtt://[::1]:1883/TOPIC" in said
    assert said.count("\n") == 1
    assert "'se'" not in said


@pytest.mark.parametrize(
    ("place", "host", "port"),
    [
        ("[::1]", "::1", 1883),
        ("[::1]:18", "::1", 18),
        ("me:word@[fe80::2%25eth0]:19", "fe80::2%eth0", 19),
        ("10.0.0.1:20", "10.0.0.1", 20),
        ("10.0.0.1:", "10.0.0.1", 1883),
    ],
)
def test_ipv6_in_brackets(
    monkeypatch: pytest.MonkeyPatch, place: str, host: str, port: int
) -> None:
    asked: list[tuple[str, int]] = []

    class Client:
        def __init__(self, *_: object, **__: object) -> None:
            self.username_pw_set = self.reconnect_delay_set = lambda *_, **__: None

        def connect(self, host: str, port: int, **_: object) -> None:
            asked.append((host, port))
            raise OSError("nobody is there")

    fake = SimpleNamespace(
        Client=Client,
        CallbackAPIVersion=SimpleNamespace(VERSION2=2),
        MQTTv5=5,
        MQTT_CLEAN_START_FIRST_ONLY=3,
        Properties=lambda _: SimpleNamespace(),
        PacketTypes=SimpleNamespace(CONNECT=1),
    )
    monkeypatch.setattr(mqtt, "import_module", lambda _: fake)
    shown = f"[{host}]" if ":" in host else host
    with pytest.raises(StreamError) as error:
        MqttSource(f"mqtt://{place}/t")
    assert str(error.value) == f"no broker at {shown}:{port}: nobody is there"
    assert asked == [(host, port)]


@pytest.mark.parametrize("topic", ["a%23b", "a/%23/b", "a+/b", "a%00b"])
def test_a_topic_that_is_none(topic: str) -> None:
    with pytest.raises(StreamError, match=r"is not of the form mqtt://"):
        MqttSource(f"mqtt://127.0.0.1:9/{topic}")


def test_without_the_client_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(mqtt, "import_module", missing)
    with pytest.raises(StreamError, match=r"pip install 'edgeolk\[mqtt\]'"):
        MqttSource("mqtt://127.0.0.1/t")


def test_a_message_of_another_number_of_cells_is_described() -> None:
    found = mqtt._described(b"1,2.5", "mqtt://host/topic?columns=", ["a", "b", "y"])
    assert found == "messages have 2 cells, such as '1,2.5', and there are 3 columns (a,b,y)"
