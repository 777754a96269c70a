"""``python -m bench.live``: latency and losses of messages from a broker through a replay.

A publisher in a separate process sends messages at a given rate to a local mosquitto; each contains
its time of sending. The latency ends when the row was learned and recorded.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import firmware_sim as fs
from bench.table import Report, Table

_SHARES = ("median", "90 %", "99 %", "most")
_PUBLISHER = """
import json, random, sys, time
from paho.mqtt import client as paho
port, n, rate = map(int, sys.argv[1:])
client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
client.max_inflight_messages_set(1000)
client.connect("127.0.0.1", port)
client.loop_start()
sys.stdin.readline()
began = time.monotonic()
sent = []
for at in range(n):
    time.sleep(max(0.0, began + at / rate - time.monotonic()))
    row = {f"s{k}": random.random() for k in range(8)}
    row |= {"sent": time.monotonic(), "label": int(row["s0"] > 0.5)}
    sent.append(client.publish("rows", json.dumps(row), qos=1))
for one in sent:
    one.wait_for_publish(60)
client.disconnect()
"""


@contextlib.contextmanager
def broker() -> Iterator[int]:
    """Run a mosquitto; yield its port."""
    found = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    if found is None:
        raise SystemExit("bench.live needs mosquitto")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "mosquitto.conf"
        config.write_text(
            f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n"
            "max_queued_messages 0\nset_tcp_nodelay true\n"
        )
        with subprocess.Popen([found, "-c", str(config)], stderr=subprocess.DEVNULL) as process:
            for _ in range(100):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.05)
            yield port
            process.terminate()


def measured(port: int, n: int, rate: int) -> tuple[np.ndarray, np.ndarray, float, int]:
    """Return latencies in seconds since sending and since receiving.

    Also the total seconds, and the rows learned.
    """
    from firmware_sim.streams.live import LiveStream
    from firmware_sim.streams.mqtt import MqttSource
    from firmware_sim.streams.reading import ReadingOptions

    source = MqttSource(f"mqtt://127.0.0.1:{port}/rows?qos=1")
    words = [sys.executable, "-c", _PUBLISHER, str(port), str(n), str(rate)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, text=True) as publisher:
        assert publisher.stdin is not None
        publisher.stdin.write("go\n")
        publisher.stdin.flush()
        options = ReadingOptions(target="label", ignore=("sent",), time="none")
        stream = LiveStream(source, options, idle=2.0)
        sent, received = _record_times(source)
        learned: list[float] = []
        config = fs.ReplayConfig(stream, ram="4KiB", gamma=1.0, limit=n)
        started = time.monotonic()
        result = fs.Replay(config).run(on_row=lambda: learned.append(time.monotonic()))
        seconds = time.monotonic() - started
        publisher.wait()
    # The first rows are buffered until the types of the columns are known.
    n_common = min(len(sent), len(learned), len(received))
    done = np.array(learned[-n_common:])
    return done - sent[-n_common:], done - received[-n_common:], seconds, result.rows.used


def _record_times(source: Any) -> tuple[list[float], list[float]]:
    """Record when messages were sent, and when they were received."""
    sent: list[float] = []
    received: list[float] = []
    line, take = source._line, source._client.on_message

    def recording(payload: bytes) -> Any:
        sent.append(json.loads(payload)["sent"])
        return line(payload)

    def arrived(*message: Any) -> None:
        received.append(time.monotonic())
        take(*message)

    source._line, source._client.on_message = recording, arrived
    return sent, received


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.live", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rate", type=int, default=1_000, help="messages a second")
    parser.add_argument("--save", action="store_true", help="write the page of results")
    chosen = parser.parse_args()
    with broker() as port:
        latencies, delays, seconds, used = measured(port, chosen.rows, chosen.rate)
    lines = []
    for what, times in (
        ("sent to received", latencies - delays),
        ("received to learned", delays),
        ("sent to learned", latencies),
    ):
        later = 1e3 * times[len(times) // 10 :]
        shares = np.percentile(later, (50, 90, 99, 100))
        lines.append([what, *(f"{one:.2f}" for one in shares), f"{100 * np.mean(later <= 1):.1f}"])
    load = f"{os.getloadavg()[0]:.1f}"
    priority = f"nice {os.getpriority(os.PRIO_PROCESS, 0)}"
    if hasattr(os, "sched_getscheduler") and os.sched_getscheduler(0) != os.SCHED_OTHER:
        priority = f"chrt {os.sched_getparam(0).sched_priority}"
    report = Report(
        "A reading on its way through a replay",
        f"{used:,} of {chosen.rows:,} messages learned in {seconds:.1f} s, {chosen.rate:,} sent a"
        f" second, with `{priority}` on {os.cpu_count()} processors"
        f" with {load} processes that wanted one. The first tenth is left out: there the columns"
        " are settled.",
        [Table("Milliseconds", ("from", *_SHARES, "% within 1 ms"), lines)],
    )
    report.publish("live", chosen.save)


if __name__ == "__main__":
    main()
