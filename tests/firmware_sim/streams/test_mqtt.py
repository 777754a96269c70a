"""Rows from an MQTT broker: a real mosquitto on the loopback, where the machine has one."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from broker import Line, Publisher, message

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.errors import StreamError
from firmware_sim.streams import live, mqtt
from firmware_sim.streams.columns import INSPECTED_ROWS
from firmware_sim.streams.live import LiveStream, record
from firmware_sim.streams.mqtt import MqttSource
from firmware_sim.streams.opening import open_stream
from firmware_sim.streams.reading import ReadingOptions

pytestmark = [
    pytest.mark.usefixtures("clients_of_mqtt"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

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


@pytest.fixture
def publisher(port: int) -> Iterator[Publisher]:
    made = Publisher(port)
    yield made
    made.close()


def taken(source: MqttSource, n: int) -> list[list[str]]:
    out: list[list[str]] = []
    for line in source.lines():
        if line is not None:
            out.append([*line.cells])
        if len(out) == n:
            break
    return out


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
        assert "3 messages are not rows" in source.notes()
        left_out = "fields missing from the first message are ignored: more, t2.deep"
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
        pytest.param(
            ("ON",),
            "messages are plain words, such as 'ON': '{url}?columns=value'",
            marks=pytest.mark.slow,
        ),
        (("1,2.5,0",), "messages are cells of CSV, such as '1,2.5,0': '{url}?columns=c1,c2,c3'"),
        (("[1, 2]",), "and not JSON objects with values in them"),
        pytest.param(("{}",), "and not JSON objects with values in them", marks=pytest.mark.slow),
        ((b"\xff\xd8\x00",), "messages are not text"),
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
def test_thousands_of_messages_and_a_forced_reconnect(
    line: Line, publisher: Publisher, tmp_path: Path
) -> None:
    """None lost at QoS 1, and the memory of the process that takes them stays small."""
    n = 4_000
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
        errors = recorder.stderr.read()
    assert recorder.returncode == 0
    assert re.search(r"\b1 reconnection(,|$)", said, re.MULTILINE)
    assert errors.splitlines() == [
        f"firmware_sim: {url}: the connection to the broker is lost; trying again",
        f"firmware_sim: {url}: connected to the broker again",
    ]
    rows = out.read_text(encoding="utf-8").splitlines()[1:]
    # What was in flight is sent again, and left out.
    assert [int(row.split(",")[0]) for row in rows] == list(range(n))
    assert int(said.split()[-1]) < 80_000  # KiB: an interpreter, numpy, the client


@needs_broker
def test_a_connection_that_flaps_is_told_once_in_a_minute(
    port: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    source = MqttSource(f"mqtt://127.0.0.1:{port}/flapping")
    clock = [0.0]
    monkeypatch.setattr(mqtt.time, "monotonic", lambda: clock[0])
    flags = SimpleNamespace(is_disconnect_packet_from_server=True, session_present=True)
    good = SimpleNamespace(is_failure=False)
    try:
        for clock[0] in (0.0, 1.0, 2.0, 61.0):
            source._on_disconnect(None, None, flags, "Session taken over", None)
            source._on_connect(None, None, flags, good, None)
        assert "4 reconnections" in source.notes()
    finally:
        source.close()
    source._on_disconnect(None, None, flags, "Normal disconnection", None)
    told = [record.getMessage().partition(": ")[2] for record in caplog.records]
    lost = "the connection to the broker is lost (Session taken over); trying again"
    assert told == [lost, "connected to the broker again"] * 2


@needs_broker
def test_full_queue_drops_and_counts(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = MqttSource(f"mqtt://127.0.0.1:{port}/full?columns=i", size=5)
    monkeypatch.setattr(mqtt, "PATIENCE", 0.015)  # asked twice
    monkeypatch.setattr(mqtt, "_TICK", 0.01)
    try:
        for i in range(7):
            source._on_message(None, None, message(i, i))
        assert (source.received, source.dropped) == (5, 2)
        assert "2 messages were dropped because the queue was full" in source.notes()
        assert taken(source, 5) == [["0"], ["1"], ["2"], ["3"], ["4"]]
    finally:
        source.close()
    source._on_message(None, None, message(8, 8))  # nobody reads it any more
    assert (source.received, source.dropped) == (5, 2)


@needs_broker
def test_an_id_that_messages_lack_is_told(port: int, publisher: Publisher) -> None:
    source = MqttSource(f"mqtt://127.0.0.1:{port}/lacking?id=seq")
    try:
        publisher.send("lacking", '{"a": 1, "y": 0}')
        with pytest.raises(StreamError, match="the id 'seq' is not one of the fields a, y"):
            source.header()
    finally:
        source.close()


@needs_broker
@pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")
def test_a_broker_that_speaks_no_tls_is_refused(port: int) -> None:
    with pytest.raises(StreamError, match=r"no broker at 127\.0\.0\.1"):
        MqttSource(f"mqtts://127.0.0.1:{port}/x")


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
        assert "2 messages arrived again, as QoS 1 allows, and were skipped" in source.notes()
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
    n = INSPECTED_ROWS  # enough to settle the columns without waiting for more
    rows = [{"seq": i, "a": i % 5, "y": i % 2} for i in range(n)]
    again = [row for row in rows for _ in range(1 + (row["seq"] % 7 == 0))]
    results = []
    for topic, sent in (("once", rows), ("again", again)):
        source = MqttSource(f"mqtt://127.0.0.1:{port}/{topic}?id=seq")
        publisher.send(topic, *(json.dumps(row) for row in sent))
        monkeypatch.setattr("firmware_sim.streams.opening.open_source", lambda _, s=source: s)
        config = fs.ReplayConfig("mqtt://", target="y", ram="4KiB", limit=n, algorithm="rbp")
        results.append(fs.replay(config))
    assert results[0].stream.features == ("a",)
    assert results[0].learner == results[1].learner
    assert results[0].metrics.summary() == results[1].metrics.summary()
    assert source.repeated == 29


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
