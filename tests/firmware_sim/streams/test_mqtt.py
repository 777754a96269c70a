"""Rows from an MQTT broker: a real mosquitto on the loopback, where the machine has one."""

from __future__ import annotations

import contextlib
import json
import queue
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.errors import StreamError
from firmware_sim.streams import live, mqtt
from firmware_sim.streams.live import LiveStream
from firmware_sim.streams.mqtt import MqttSource
from firmware_sim.streams.opening import open_stream
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.streams.recording import record

BROKER = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
needs_broker = pytest.mark.skipif(
    BROKER is None or find_spec("paho") is None,
    reason="no mosquitto here" if BROKER is None else "no paho-mqtt here",
)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number = int(probe.getsockname()[1])
    config = tmp_path_factory.mktemp("broker") / "mosquitto.conf"
    config.write_text(
        f"listener {number} 127.0.0.1\nallow_anonymous true\npersistence false\n"
        "max_queued_messages 0\nlog_dest stderr\nuser nobody\n"
    )
    with subprocess.Popen(
        [str(BROKER), "-c", str(config)], stderr=subprocess.PIPE, text=True
    ) as broker:
        assert broker.stderr is not None
        for line in broker.stderr:  # it says when it is ready
            if " running" in line:
                break
        # A full pipe would stop the broker.
        threading.Thread(target=broker.stderr.read, daemon=True).start()
        yield number
        broker.terminate()


def message(value: int, mid: int, dup: bool = False) -> SimpleNamespace:
    """A message as the client library hands it over."""
    return SimpleNamespace(payload=str(value).encode(), mid=mid, dup=dup)


class Publisher:
    """A client that publishes and waits for what it asks for."""

    def __init__(self, port: int) -> None:
        from paho.mqtt import client as paho

        self.client: Any = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        connected: queue.Queue[object] = queue.Queue()
        self.client.on_connect = lambda *arguments: connected.put(arguments)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        connected.get(timeout=30)

    def send(self, topic: str, *payloads: str | bytes) -> None:
        for message in [self.client.publish(topic, payload, qos=1) for payload in payloads]:
            message.wait_for_publish(timeout=60)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture
def publisher(port: int) -> Iterator[Publisher]:
    made = Publisher(port)
    yield made
    made.close()


def taken(source: MqttSource, n: int) -> list[list[str]]:
    out: list[list[str]] = []
    for cells in source.records():
        if cells is not None:
            out.append(cells)
        if len(out) == n:
            break
    return out


class Line:
    """A way to the broker that can be cut."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        self._ends: list[socket.socket] = []
        self._all: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._start(self._serve)

    def _start(self, work: Callable[..., None], *arguments: socket.socket) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                near, _ = self._server.accept()
                far = socket.create_connection(("127.0.0.1", self._port))
                self._ends += [near, far]
                self._all += [near, far]
                self._start(self._pass_on, near, far)
                self._start(self._pass_on, far, near)

    def _pass_on(self, a: socket.socket, b: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := a.recv(65_536):
                b.sendall(data)
        for end in (a, b):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Cut every connection; new ones can be made."""
        ends, self._ends = self._ends, []
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.cut()
        self._server.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(30)
        for end in (self._server, *self._all):
            end.close()


@pytest.fixture
def line(port: int) -> Iterator[Line]:
    made = Line(port)
    yield made
    made.close()


@needs_broker
def test_json_messages(port: int, publisher: Publisher) -> None:
    source = MqttSource(f"mqtt://127.0.0.1:{port}/json/room")
    try:
        sent = [{"t": 20.25, "on": True, "name": None}, {"t": 1e-7, "on": False, "more": 3}]
        publisher.send("json/room", "no json", *[json.dumps(values) for values in sent])
        publisher.send("json/room", "[1, 2]", '{"t2": {"deep": 1}}', '{"on": "x", "t": 1}')
        assert source.header() == ["t", "on", "name"]
        assert taken(source, 5) == [
            ["20.25", "true", ""],
            ["1e-07", "false", ""],
            [],
            [],
            ["1", "x", ""],
        ]
        assert source.damaged == 3
        assert "3 messages are no rows" in source.notes()
        left_out = "fields that the first message did not have are left out: more, t2.deep"
        assert left_out in source.notes()
    finally:
        source.close()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say at once what is waited for."""
    monkeypatch.setattr(live, "NOTICE", 0.0)
    monkeypatch.setattr(mqtt, "_TICK", 0.01)


NESTED = {
    "battery": 97,
    "color": {"x": 0.25, "y": 0.5},
    "occupancy": True,
    "state": "ON",
    "update": {"state": None, "steps": [1, {"deep": 2}], "none": {}},
}


@needs_broker
def test_nested_messages_are_read_flat(port: int, publisher: Publisher) -> None:
    """As zigbee2mqtt sends them."""
    source = MqttSource(f"mqtt://127.0.0.1:{port}/zigbee2mqtt/hall")
    try:
        publisher.send("zigbee2mqtt/hall", json.dumps(NESTED))
        names = "battery,color.x,color.y,occupancy,state,update.state,update.steps.0"
        assert source.header() == [*names.split(","), "update.steps.1.deep", "update.none"]
        assert taken(source, 1) == [["97", "0.25", "0.5", "true", "ON", "", "1", "2", ""]]
    finally:
        source.close()


@needs_broker
def test_columns_choose_fields_of_json(port: int, publisher: Publisher) -> None:
    source = MqttSource(f"mqtt://127.0.0.1:{port}/chosen?columns=occupancy,color.y")
    try:
        publisher.send("chosen", json.dumps(NESTED), "0,1.5", '{"else": 3}')
        assert source.header() == ["occupancy", "color.y"]
        assert taken(source, 3) == [["true", "0.5"], ["0", "1.5"], []]
        assert "none of the columns occupancy,color.y" in source.wanting()
    finally:
        source.close()


@needs_broker
@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ((), "nothing has come yet on 'what/{n}'; waiting (to see what is sent: mosquitto_sub -h"),
        (("21.5", "22"), "messages are plain numbers, such as '21.5': '{url}?columns=value'"),
        (("ON",), "messages are plain words, such as 'ON': '{url}?columns=value'"),
        (("1,2.5,0",), "messages are cells of CSV, such as '1,2.5,0': '{url}?columns=c1,c2,c3'"),
        (("[1, 2]",), "and not JSON objects with values in them"),
        (("{}",), "and not JSON objects with values in them"),
        ((b"\xff\xd8\x00",), "messages hold no text"),
    ],
)
def test_what_is_no_row_is_told_and_the_wait_ends(
    port: int,
    publisher: Publisher,
    hurried: None,
    capsys: pytest.CaptureFixture[str],
    sent: tuple[str | bytes, ...],
    words: str,
) -> None:
    """A line says what came, with the address that would read it; ``--idle`` counts at once."""
    number = abs(hash(sent))
    url = f"mqtt://127.0.0.1:{port}/what/{number}"
    if sent:
        publisher.client.publish(f"what/{number}", sent[0], qos=1, retain=True).wait_for_publish(60)
    assert main(["replay", url, "--target", "y", "--idle", "0.6"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert all(line.startswith("firmware_sim: mqtt://") for line in said)
    assert words.format(n=number, url=url) in said[-2]
    assert said[-1] == f"{said[-2]}; ended after 0.6 s (--idle)"


@needs_broker
def test_a_silent_topic_with_columns_is_told_of_too(
    port: int, hurried: None, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"mqtt://127.0.0.1:{port}/silent?columns=a,y"
    assert main(["replay", url, "--target", "y", "--idle", "0.3"]) == 2
    assert "nothing has come yet on 'silent'; waiting" in capsys.readouterr().err


@needs_broker
def test_a_recording_that_waits_can_be_stopped(port: int, hurried: None, tmp_path: Path) -> None:
    source = MqttSource(f"mqtt://127.0.0.1:{port}/quiet")
    done = record(source, tmp_path / "r.csv", should_stop=lambda: True)
    assert (done.rows, (tmp_path / "r.csv").exists()) == (0, False)


@needs_broker
def test_csv_messages_of_several_topics(port: int, publisher: Publisher) -> None:
    source = MqttSource(f"mqtt://127.0.0.1:{port}/csv/+?columns=a,b,y&qos=2")
    try:
        publisher.send("csv/one", "1,2,1")
        publisher.send("csv/two", "3,4,0\n", b"\xff\xfe")
        assert source.header() == ["a", "b", "y"]
        assert taken(source, 3) == [["1", "2", "1"], ["3", "4", "0"], []]
    finally:
        source.close()


@needs_broker
def test_ten_thousand_messages_and_a_forced_reconnect(
    line: Line, publisher: Publisher, tmp_path: Path
) -> None:
    """None lost at QoS 1, and the memory of the process that takes them stays small."""
    n = 10_000
    out = tmp_path / "many.csv"
    url = f"mqtt://127.0.0.1:{line.port}/many?columns=i,x"
    arguments = ["record", url, str(out), "--limit", str(n)]
    program = (  # the kernel's count for an ended child would have its parent's memory in it
        "import re\nfrom firmware_sim.cli import main\n"
        f"assert main({arguments!r}) == 0\n"
        "print(re.search(r'VmHWM:\\s*\\d+', open('/proc/self/status').read())[0])\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as recorder:
        assert recorder.stderr is not None
        assert recorder.stderr.readline() == f"recording {url}\n"  # it is subscribed
        publisher.send("many", *[f"{i},{i / 7:.6f}" for i in range(n // 2)])
        line.cut()
        publisher.send("many", *[f"{i},{i / 7:.6f}" for i in range(n // 2, n)])
        assert recorder.stdout is not None
        said = recorder.stdout.read()
    assert recorder.returncode == 0
    assert "1 reconnections" in said
    rows = out.read_text(encoding="utf-8").splitlines()[1:]
    # What was in flight is sent again, and left out.
    assert [int(row.split(",")[0]) for row in rows] == list(range(n))
    assert int(said.split()[-1]) < 80_000  # KiB: an interpreter, numpy, the client


@needs_broker
def test_full_queue_drops_and_counts(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = MqttSource(f"mqtt://127.0.0.1:{port}/full?columns=i", size=5)
    monkeypatch.setattr(mqtt, "PATIENCE", 0.0)
    monkeypatch.setattr(mqtt, "_TICK", 0.01)
    try:
        for i in range(7):
            source._on_message(None, None, message(i, i))
        assert (source.received, source.dropped) == (5, 2)
        assert "2 messages found no room in the queue and were dropped" in source.notes()
        assert taken(source, 5) == [["0"], ["1"], ["2"], ["3"], ["4"]]
    finally:
        source.close()


@needs_broker
def test_messages_that_are_sent_again_are_left_out(port: int) -> None:
    source = MqttSource(f"mqtt://127.0.0.1:{port}/twice?columns=i")
    try:
        for one in (
            message(1, 7),
            message(2, 8),
            message(3, 8),  # the number was free again
            message(4, 9, dup=True),  # lost the first time
            message(4, 9, dup=True),  # nothing is sent again on the same connection
        ):
            source._on_message(None, None, one)
        assert (source.received, source.repeated) == (5, 0)
        source.connects += 1  # the line was cut
        for one in (
            message(3, 8, dup=True),  # here already: the answer was lost, not the message
            message(2, 7, dup=True),  # the number was free again, and this one lost
            message(1, 7),
        ):
            source._on_message(None, None, one)
        assert (source.received, source.repeated) == (7, 1)
        source.connects += 1
        source._on_message(None, None, message(3, 8, dup=True))  # and once more
        assert (source.received, source.repeated) == (7, 2)
        assert "2 messages came again, as QoS 1 may send them, and were left out" in source.notes()
        assert taken(source, 7) == [[str(i)] for i in (1, 2, 3, 4, 4, 2, 1)]
    finally:
        source.close()


@needs_broker
def test_a_field_that_numbers_messages_tells_which_came_before(
    port: int, publisher: Publisher
) -> None:
    """What a publisher sends twice carries no mark: its own number does."""
    rows = [{"seq": i, "a": i % 3, "y": i % 2} for i in (1, 2, 1, 3, 3, 4)]
    url = f"mqtt://127.0.0.1:{port}/numbered?id=seq"
    source = MqttSource(url)
    try:
        publisher.send("numbered", *(json.dumps(row) for row in rows), '{"a": 9, "y": 1}')
        assert source.header() == ["seq", "a", "y"]
        assert [cells[0] for cells in taken(source, 5)] == ["1", "2", "3", "4", ""]
        assert source.repeated == 2
    finally:
        source.close()
    with pytest.raises(StreamError, match="the id 'n' is not one of the columns"):
        MqttSource(f"mqtt://127.0.0.1:{port}/numbered?columns=a,b&id=n")


@needs_broker
def test_a_message_sent_twice_is_learned_once(
    port: int, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"seq": i, "a": i % 5, "y": i % 2} for i in range(60)]
    again = [row for row in rows for _ in range(1 + (row["seq"] % 7 == 0))]
    results = []
    for topic, sent in (("once", rows), ("again", again)):
        source = MqttSource(f"mqtt://127.0.0.1:{port}/{topic}?id=seq")
        publisher.send(topic, *(json.dumps(row) for row in sent))
        monkeypatch.setattr("firmware_sim.streams.opening.open_source", lambda _, s=source: s)
        config = fs.ReplayConfig("mqtt://", target="y", ram="4KiB", limit=60, algorithm="rbp")
        results.append(fs.replay(config))
    assert results[0].stream.features == ("a",)
    assert results[0].learner == results[1].learner
    assert results[0].metrics.summary() == results[1].metrics.summary()
    assert source.repeated == 9


@needs_broker
def test_replay_and_record_of_a_live_stream(
    port: int, publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    values = [
        {"light": round(500 * (i // 20 % 2) + rng.normal(0, 50), 2), "y": i // 20 % 2}
        for i in range(300)
    ]
    payloads = [json.dumps(value) for value in values]
    path = tmp_path / "room.csv"
    path.write_text("light,y\n" + "".join(f"{v['light']},{v['y']}\n" for v in values))
    from_file = fs.replay(fs.ReplayConfig(str(path), target="y", ram="8KiB"))

    source = MqttSource(f"mqtt://127.0.0.1:{port}/room")
    publisher.send("room", *payloads)
    monkeypatch.setattr("firmware_sim.streams.opening.open_source", lambda _: source)
    result = fs.replay(fs.ReplayConfig("mqtt://", target="y", ram="8KiB", limit=300))
    assert result.metrics.summary() == from_file.metrics.summary()
    assert result.rows.used == 300
    assert "300 messages received at QoS 1" in result.stream.notes

    recorded = MqttSource(f"mqtt://127.0.0.1:{port}/room")
    publisher.send("room", *payloads)
    monkeypatch.setattr("firmware_sim.cli.record.open_source", lambda _: recorded)
    assert main(["record", "mqtt://", str(tmp_path / "r.csv"), "--limit", "300", "--quiet"]) == 0
    assert (tmp_path / "r.csv").read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


@needs_broker
def test_no_broker_and_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number = probe.getsockname()[1]
        with pytest.raises(StreamError, match=f"no broker at 127.0.0.1:{number}"):
            MqttSource(f"mqtt://127.0.0.1:{number}/t")
    with pytest.raises(StreamError, match="no broker at") as error:
        open_stream(f"mqtt://me:secret@127.0.0.1:{number}/t", target="y")
    assert "secret" not in str(error.value)


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
        "host:abc",
        "host:99999",
        "host:-1",
        "host:0",
        "fe80::1",
        "[::1",
        "::1]",
        "[::zz]x",
        "me:se/x@h",
    ],
)
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


@needs_broker
def test_a_replay_loses_no_message_of_a_burst(port: int, publisher: Publisher) -> None:
    """More of them than the queue holds, as fast as they can be sent."""
    n = 3_000
    source = MqttSource(f"mqtt://127.0.0.1:{port}/burst?columns=a,b,label")
    rows = [f"{at % 7},{at % 11},{int(at % 7 > 3)}" for at in range(n)]
    sending = threading.Thread(target=publisher.send, args=("burst", *rows))
    sending.start()
    stream = LiveStream(source, ReadingOptions(target="label"))
    result = fs.replay(fs.ReplayConfig(stream, ram="4KiB", gamma=0.5, limit=n))
    sending.join()
    assert (result.rows.read, result.rows.used) == (n, n)
    assert (source.received, source.dropped, source.damaged) == (n, 0, 0)


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
