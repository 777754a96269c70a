"""What a broker refuses: who may connect, and what they may read; names and passwords."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from broker import message

from firmware_sim.errors import StreamError
from firmware_sim.streams.mqtt import MqttSource

PATHS = (None, "/usr/sbin:/usr/local/sbin")
BROKER, PASSWORDS = (
    next(filter(None, (shutil.which(name, path=path) for path in PATHS)), None)
    for name in ("mosquitto", "mosquitto_passwd")
)
pytestmark = [
    pytest.mark.skipif(
        not (BROKER and PASSWORDS and find_spec("paho")), reason="no mosquitto, or no paho-mqtt"
    ),
    pytest.mark.usefixtures("clients_of_mqtt"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A broker that knows one user, who may read the topics under open/."""
    folder = tmp_path_factory.mktemp("broker")
    folder.chmod(0o755)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number = int(probe.getsockname()[1])
    passwords, rights = folder / "passwords", folder / "rights"
    subprocess.run([str(PASSWORDS), "-b", "-c", str(passwords), "board", "p@ss/word"], check=True)
    rights.write_text("user board\ntopic readwrite open/#\n")
    for file in (passwords, rights):
        file.chmod(0o644)
    config = folder / "mosquitto.conf"
    config.write_text(
        f"listener {number} 127.0.0.1\nallow_anonymous false\npassword_file {passwords}\n"
        f"acl_file {rights}\npersistence false\nlog_dest stderr\nuser root\n"
    )
    with subprocess.Popen(
        [str(BROKER), "-c", str(config)], stderr=subprocess.PIPE, text=True
    ) as broker:
        assert broker.stderr is not None
        for line in broker.stderr:  # it says when it is ready
            if " running" in line:
                break
        threading.Thread(target=broker.stderr.read, daemon=True).start()
        yield number
        broker.terminate()


def test_a_user_with_a_password_reads(port: int) -> None:
    """Signs of an address are written as %xx in it."""
    source = MqttSource(f"mqtt://board:p%40ss%2Fword@127.0.0.1:{port}/open/t?columns=i")
    try:
        assert source.header() == ["i"]
        assert source.connects == 1
        assert "word" not in source.name
    finally:
        source.close()


@pytest.mark.parametrize("user", ["", "board:wrong@", "stranger:p%40ss%2Fword@"])
def test_a_stranger_is_refused(port: int, user: str) -> None:
    with pytest.raises(StreamError, match=r"the broker refuses the connection: .*uthor") as refused:
        MqttSource(f"mqtt://{user}127.0.0.1:{port}/open/t?columns=i")
    assert "wrong" not in str(refused.value)
    assert "word" not in str(refused.value)


def test_a_topic_may_be_refused(port: int) -> None:
    """Later too, when the connection was lost: the rows that have come are not lost with it."""
    source = MqttSource(f"mqtt://board:p%40ss%2Fword@127.0.0.1:{port}/open/t?columns=i")
    try:
        refusal = SimpleNamespace(is_failure=True, __str__=lambda: "Not authorized")
        source._on_message(None, None, message(7, 1))
        source._on_subscribe(None, None, None, [refusal], None)
        rows = source.lines()
        first = next(rows)
        assert first is not None
        assert first.cells == ["7"]
        with pytest.raises(StreamError, match="the broker refuses topic 'open/t'"):
            next(rows)
    finally:
        source.close()
