"""A client that publishes to an MQTT broker, and a connection to the broker that can be cut."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any


def message(value: int, mid: int, dup: bool = False) -> SimpleNamespace:
    """A message as the client library delivers it."""
    return SimpleNamespace(payload=str(value).encode(), mid=mid, dup=dup)


class Publisher:
    """A client that publishes and waits for the replies."""

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


class Line:
    """A connection to the broker that can be cut."""

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
        """Cut every connection; new ones can be opened."""
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
