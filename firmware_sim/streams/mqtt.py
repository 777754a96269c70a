"""Rows from an MQTT broker, one per message: a JSON object or CSV cells.

Design: the client thread puts messages into a queue of fixed size, the reader takes them out. If
the queue is full, the thread waits, and so does the broker; a message that does not fit within
`PATIENCE` is dropped and counted. The session survives a lost connection (MQTT 5, session expiry),
so at QoS 1 the broker resends unacknowledged messages. A resent message has the DUP flag and the
packet identifier and payload of a message from before the connection was lost; it is skipped. A
message that the publisher repeats looks like a new one to the broker: only a message number
(``id=``) identifies it.
"""

from __future__ import annotations

import csv
import logging
import math
import queue
import re
import secrets
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from ipaddress import IPv6Address
from itertools import chain
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from firmware_sim.errors import StreamError
from firmware_sim.plaintext import shortened
from firmware_sim.streams import cells
from firmware_sim.streams.block import Line
from firmware_sim.streams.live import Source, Wait
from firmware_sim.streams.objects import line_of, of_value, parsed

_log = logging.getLogger("firmware_sim")

#: Most messages in the queue.
QUEUE = 1_024
#: Most bytes in a message; the broker does not send longer ones.
_LONGEST = 1 << 16
#: Seconds to wait for space in the queue; well below the keep-alive.
PATIENCE = 15.0
_KEEP_ALIVE = 60
_LISTED = 12  # fields named in a note
_RECALLED = 1_024  # messages remembered to detect repeated ones
_SESSION = 3_600  # seconds the broker keeps the session after a lost connection
_TICK = 0.2
#: Seconds in which a second loss of the connection is counted, but not logged.
_QUIET = 60.0
#: Levels of a topic; + matches one level, # all that follow (MQTT 5, 4.7).
_TOPIC = re.compile(r"([^\0+#/]*|\+)(/([^\0+#/]*|\+))*(/#)?|#")
_FORM = (
    "mqtt://[USER:PASSWORD@]HOST[:PORT]/TOPIC[?qos=1][&columns=A,B,LABEL][&client=NAME][&id=FIELD]"
)


class MqttSource(Source):
    """Messages of one topic, or of several with ``+`` and ``#``.

    url: ``mqtt://host/topic``, ``mqtts://`` for TLS. After ``?``: ``qos=0|1|2`` (1 by default),
        ``columns=a,b,label`` names the cells of CSV messages, or selects fields of JSON objects
        (without it messages are JSON objects and the first one names the columns; nested values
        have names such as ``a.b``), ``client=`` sets the client name (random by default),
        ``id=`` names a field that is unique to each message and not a reading.
    size: most messages in the queue.
    received, dropped, damaged, reconnects, repeated: messages received; dropped because the queue
        was full; not readable as a row; connections restored; messages that arrived twice and were
        skipped.
    Raises StreamError: the address is invalid, the client library is missing, or the broker is
        unreachable.
    """

    def __init__(self, url: str, *, size: int = QUEUE) -> None:
        parts, host, port = _address(url)
        asked = parse_qs(parts.query)
        topic = unquote(parts.path[1:]) + (f"#{parts.fragment}" if url.endswith("#") else "")
        qos = asked.get("qos", ["1"])[0]
        unknown = set(asked) - {"qos", "columns", "client", "id"}
        good = host and topic and _TOPIC.fullmatch(topic) and qos in ("0", "1", "2")
        if not good or unknown:
            raise StreamError(f"{_shown(url)} is not of the form {_FORM}")
        self.name = _shown(url)
        self._topic, self._qos = topic, int(qos)
        self._columns = asked["columns"][0].split(",") if "columns" in asked else None
        self._others: dict[str, None] = {}  # fields missing from the first message
        self._named = self._columns is not None
        self._unread: bytes | None = None  # the first message that is not a row
        self._host, self._port = host, port
        self._id = asked.get("id", [""])[0]
        if self._id and self._columns is not None and self._id not in self._columns:
            raise StreamError(f"{_shown(url)}: the id {self._id!r} is not one of the columns")
        self.ignored = (self._id,) if self._id else ()
        self._first = b""
        self._messages: queue.Queue[bytes] = queue.Queue(size)
        self._ending = threading.Event()
        self._subscribed = threading.Event()
        self._failure = ""
        self._is_lost, self._last_lost = False, -math.inf
        self._client_id = asked.get("client", [f"firmware-sim-{secrets.token_hex(6)}"])[0]
        self.received = self.dropped = self.damaged = self.connects = self.repeated = 0
        self._recent: OrderedDict[int, tuple[int, int]] = OrderedDict()
        self._ids: OrderedDict[str, None] = OrderedDict()
        self._connect(parts, host, port)

    @property
    def reconnects(self) -> int:
        """Connections after the first one."""
        return max(0, self.connects - 1)

    def _connect(self, parts: SplitResult, host: str, port: int) -> None:
        try:
            paho: Any = import_module("paho.mqtt.client")
            properties: Any = import_module("paho.mqtt.properties")
            packets: Any = import_module("paho.mqtt.packettypes")
        except ImportError:
            raise StreamError(
                "an MQTT stream needs paho-mqtt: pip install 'edgeolk[mqtt]'"
            ) from None
        client = paho.Client(
            paho.CallbackAPIVersion.VERSION2,
            client_id=self._client_id,
            protocol=paho.MQTTv5,
        )
        if parts.username:
            client.username_pw_set(unquote(parts.username), unquote(parts.password or ""))
        if parts.scheme == "mqtts":
            client.tls_set()
        session = properties.Properties(packets.PacketTypes.CONNECT)
        session.SessionExpiryInterval = _SESSION
        session.MaximumPacketSize = _LONGEST
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        client.reconnect_delay_set(min_delay=1, max_delay=30)
        try:
            client.connect(
                host,
                port,
                keepalive=_KEEP_ALIVE,
                clean_start=paho.MQTT_CLEAN_START_FIRST_ONLY,
                properties=session,
            )
        except (OSError, ValueError) as error:
            shown = f"[{host}]" if ":" in host else host
            raise StreamError(f"no broker at {shown}:{port}: {error}") from None
        self._client = client
        client.loop_start()
        answered = self._subscribed.wait(PATIENCE)
        if self._failure or not answered:
            self.close()
            raise StreamError(f"{self.name}: {self._failure or 'the broker does not answer'}")

    def _on_connect(self, client: Any, _: Any, flags: Any, reason: Any, __: Any) -> None:
        if reason.is_failure:
            self._failure = f"the broker refuses the connection: {reason}"
            self._subscribed.set()
            return
        self.connects += 1
        if self._is_lost:
            self._is_lost = False
            _log.warning("%s: connected to the broker again", self.name)
        if not flags.session_present:
            client.subscribe(self._topic, qos=self._qos)

    def _on_disconnect(self, _: Any, __: Any, flags: Any, reason: Any, ____: Any) -> None:
        """Say that the connection is lost, but not each time of one that flaps."""
        now = time.monotonic()
        if self._ending.is_set() or self._failure or not self.connects:
            return
        if self._is_lost or now - self._last_lost < _QUIET:
            return
        self._is_lost, self._last_lost = True, now
        why = f" ({reason})" if flags.is_disconnect_packet_from_server else ""
        _log.warning("%s: the connection to the broker is lost%s; trying again", self.name, why)

    def _on_subscribe(self, _: Any, __: Any, ___: Any, reasons: Any, ____: Any) -> None:
        refused = [str(reason) for reason in reasons if reason.is_failure]
        if refused:
            self._failure = f"the broker refuses topic {self._topic!r}: {refused[0]}"
        self._subscribed.set()

    def _on_message(self, _: Any, __: Any, message: Any) -> None:
        if not self._id and self._came_before(message):
            self.repeated += 1
            return
        waited = 0.0
        while not self._ending.is_set():
            try:
                self._messages.put(message.payload, timeout=_TICK)
                self.received += 1
                return
            except queue.Full:
                waited += _TICK
                if waited >= PATIENCE:
                    self.dropped += 1
                    return

    def _came_before(self, message: Any) -> bool:
        """Whether the broker resent this message after a lost connection."""
        mark = zlib.crc32(message.payload)
        connection, earlier = self._recent.pop(message.mid, (self.connects, -1))
        again = bool(message.dup) and connection < self.connects and earlier == mark
        _remember(self._recent, message.mid, (self.connects, mark))
        return again

    def _is_new(self, line: Line) -> bool:
        """Whether no recent message had this id; a message without an id is new."""
        assert self._columns is not None
        own = line.cells[self._columns.index(self._id)] if self.is_row(line) else ""
        if own in self._ids:
            self.repeated += 1
            return False
        if own:
            _remember(self._ids, own, None)
        return True

    def header(
        self, idle: float | None = None, should_stop: Callable[[], bool] | None = None
    ) -> list[str]:
        """Return the columns; the first JSON message names them.

        Raises StreamError: the wait ended without such a message; says what arrived instead.
        """
        wait = Wait(self, idle, should_stop)
        payloads = self._payloads()
        while self._columns is None:
            payload = next(payloads)
            values = _fields(payload) if payload else {}
            if values:
                if self._id and self._id not in values:
                    raise StreamError(
                        f"{self.name}: the id {self._id!r} is not one of the fields "
                        f"{', '.join(values)}"
                    )
                self._columns = list(values)
                self._first = payload or b""
                continue
            if payload is not None:
                self._count_damaged(payload)
            if wait.is_over():
                if should_stop is not None and should_stop():
                    return []
                raise StreamError(f"{self.wanting()}; ended after {idle:g} s (--idle)")
        return list(self._columns)

    def wanting(self) -> str:
        """Return what is missing, and the address that would read the messages received."""
        if self._unread is not None:
            where = f"{self.name}{'&' if '?' in self.name else '?'}columns="
            return f"{self.name}: {_described(self._unread, where, self._columns)}"
        port = "" if self._port == 1883 else f" -p {self._port}"
        return (
            f"{self.name}: nothing has come yet on {self._topic!r}; waiting (to see what is sent: "
            f"mosquitto_sub -h {self._host}{port} -t '#' -v; --idle SECONDS ends the wait)"
        )

    def is_row(self, line: Line) -> bool:
        """Whether a line has one cell per column."""
        return len(line.cells) == len(self._columns or ()) > 0

    def _count_damaged(self, payload: bytes) -> None:
        self.damaged += 1
        if self._unread is None:
            self._unread = payload

    def lines(self) -> Iterator[Line | None]:
        """Yield each message, and None while none arrives."""
        first = iter((self._first,) if self._first else ())
        for payload in chain(first, self._payloads()):
            if payload is None:
                yield None
                continue
            line = self._line(payload)
            if not self.is_row(line):
                self._count_damaged(payload)
            if not self._id or self._is_new(line):
                yield line

    def _payloads(self) -> Iterator[bytes | None]:
        while True:
            try:
                yield self._messages.get(timeout=_TICK)
            except queue.Empty:
                if self._failure:
                    raise StreamError(f"{self.name}: {self._failure}") from None
                yield None

    def _line(self, payload: bytes) -> Line:
        """Return the row in a message; one without cells if it is not a row."""
        columns, text = self._columns or [], payload.decode("utf-8", "replace")
        values = _fields(payload)
        if not values:
            return Line(_split(payload) if self._named else [], "", text)
        if not self._named and len(self._others) < _LISTED:
            self._others.update(dict.fromkeys(name for name in values if name not in columns))
        if not any(name in values for name in columns):
            return Line([], "", text)
        return line_of(values, columns, text)

    def notes(self) -> list[str]:
        """Return counts of the messages by outcome, one sentence each."""
        out = [f"{self.received:,} messages received at QoS {self._qos}"]
        again = self.reconnects
        counts = (
            (self.damaged, "messages are not rows"),
            (self.dropped, "messages were dropped because the queue was full"),
            (again, "reconnection" if again == 1 else "reconnections"),
            (self.repeated, "messages arrived again, as QoS 1 allows, and were skipped"),
        )
        out += [f"{count:,} {what}" for count, what in counts if count]
        if self._others:
            names = ", ".join([*self._others][:_LISTED])
            out.append(f"fields missing from the first message are ignored: {names}")
        return out

    def close(self) -> None:
        """Disconnect from the broker."""
        self._ending.set()
        self._client.disconnect()
        self._client.loop_stop()


def _remember(held: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    """Add an item, and drop the oldest one if there are too many."""
    held[key] = value
    if len(held) > _RECALLED:
        held.popitem(last=False)


def _address(url: str) -> tuple[SplitResult, str, int]:
    """Return the parts of an address, its host (or "") and its port.

    Raises StreamError: the host or the port is invalid.
    """
    try:
        parts = urlsplit(url)
        host, port = unquote(parts.hostname or ""), parts.port
        if port is None:
            port = 8883 if parts.scheme == "mqtts" else 1883
        if ":" in host:
            IPv6Address(host)
        if not port:
            raise ValueError("port 0")
    except ValueError:  # its message may contain a part of the password
        raise StreamError(
            f"{_shown(url)} is not of the form {_FORM}: a port is a number from 1 to 65535, and an "
            "IPv6 address is written in brackets, as in mqtt://[::1]:1883/TOPIC"
        ) from None
    return parts, host, port


def _shown(url: str) -> str:
    """Return the address without a password."""
    head, at, tail = url.rpartition("@")
    scheme = head.partition("://")[0]
    return f"{scheme}://...@{tail}" if at else url


def _fields(payload: bytes) -> dict[str, Any]:
    """Return the values of a JSON object, see `flat`; {} if it is not one."""
    value = parsed(payload)
    return of_value(value) if isinstance(value, dict) else {}


def _split(payload: bytes) -> list[str]:
    """Return the cells of a CSV message; an empty list if it is not text."""
    try:
        return next(csv.reader([payload.decode().strip("\r\n")]), [])
    except (UnicodeDecodeError, csv.Error):
        return []


def _described(payload: bytes, address: str, columns: Sequence[str] | None) -> str:
    """Return what a message that is not a row holds, and the address that would read it.

    payload: the message.
    address: the URL of the topic, up to the names of columns.
    columns: the columns; None if messages must be JSON objects.
    """
    found = _split(payload)
    if not found or any(ord(letter) < 32 for cell in found for letter in cell.strip()):
        return "messages are not text; a row is a JSON object or CSV cells"
    shown = shortened(",".join(found))
    values = _fields(payload)
    if values and columns is not None:
        return (
            f"messages have the fields {shortened(', '.join(values), 200)} and none of the columns "
            f"{','.join(columns)}"
        )
    if payload.lstrip()[:1] in (b"{", b"["):
        what = f"messages are {shown}, and not JSON objects with values in them"
        return f'{what}: a row is {{"temperature": 21.5, "light": 430}}'
    if columns is not None:
        return (
            f"messages have {len(found)} cells, such as {shown}, and there are {len(columns)} "
            f"columns ({','.join(columns)})"
        )
    if len(found) == 1:
        what = "numbers" if cells.is_number(found[0]) else "words"
        return (
            f"messages are plain {what}, such as {shown}: '{address}value' reads them as one "
            "column; to learn from several sensors, publish their readings as one JSON object"
        )
    names = ",".join(f"c{place}" for place in range(1, len(found) + 1))
    return (
        f"messages are cells of CSV, such as {shown}: '{address}{names}' reads them, with your own "
        "names, the label's among them"
    )
