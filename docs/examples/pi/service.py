"""Watches a sensor on a Raspberry Pi: learns what is normal and reports what is not.

Reads every channel of an IIO device from sysfs, or with ``--simulate`` made-up readings. ``--json``
prints a JSON object per line; ``--metrics PORT`` serves metrics to Prometheus.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import edgeolk as ek

DEVICES = Path("/sys/bus/iio/devices")
#: Exit code where there were checkpoints and none can be used (EX_DATAERR of sysexits.h).
LOST = 65
#: ... and where the sensor cannot be read (EX_IOERR).
UNREAD = 74
#: Seconds between checkpoints.
SECONDS = 600


class LostError(Exception):
    """There were checkpoints, and none can be used."""


def channels(device: Path) -> list[Path]:
    """Files of a device that hold a reading, in a fixed order."""
    found = [path for kind in ("raw", "input") for path in device.glob(f"in_*_{kind}")]
    if not found:
        raise SystemExit(f"no channel in {device}: is the sensor's driver loaded?")
    return sorted(found)


def sensor(device: Path) -> Iterator[list[float]]:
    """Readings of a device, one row after the other."""
    files = channels(device)
    while True:
        yield [float(path.read_text()) for path in files]


def simulated(seed: int = 0) -> Iterator[list[float]]:
    """Temperature, humidity and pressure of a room; every 400th row is far from the others."""
    draw, row = random.Random(seed).gauss, 0
    while True:
        row += 1
        day = math.sin(row / 300.0)
        odd = 15.0 if row % 400 == 0 else 0.0
        yield [21 + 3 * day + draw(0, 0.2) + odd, 45 - 8 * day + draw(0, 0.5), 1013 + draw(0, 0.3)]


def notify(words: str) -> None:
    """Tell systemd, where it listens."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.sendto(words.encode(), address.replace("@", "\0", 1))


def opened(checkpoints: ek.Checkpointer, n_features: int) -> tuple[ek.RunningScaler, ek.Learner]:
    """Scaler and learner of the newest checkpoint; new ones only where there never was one."""
    pair = checkpoints.open()
    if pair is not None:
        scaler, learner = pair
        return scaler, learner
    found = checkpoints.opened
    if found is not None and set(found.refused.values()) != {"empty"}:
        raise LostError(str(found))
    scaler = ek.RunningScaler(n_features)
    learner = ek.Learner(
        n_features=n_features, ram="4KiB", loss="novelty", nu=0.01, scale=None, gamma=None
    )
    try:
        checkpoints.write((scaler, learner))  # what cannot be written is better known now
    except ValueError as error:  # the file holds something else
        raise LostError(str(error)) from None
    return scaler, learner


def set_aside(place: Path) -> Path:
    """Rename a file of damaged checkpoints, so that they can be looked at; returns its new name."""
    number = 1
    while (kept := place.with_name(f"{place.name}.damaged-{number}")).exists():
        number += 1
    return place.rename(kept)


class Metrics:
    """What Prometheus reads from ``http://HOST:PORT/metrics``; needs prometheus_client."""

    def __init__(self, port: int) -> None:
        try:
            from prometheus_client import Gauge, start_http_server
        except ImportError:
            raise SystemExit("--metrics needs: pip install prometheus-client") from None
        self.rows = Gauge("edgeolk_rows", "Rows learned since the first start")
        self.unusual = Gauge("edgeolk_unusual_rows", "Unusual rows since this start")
        self.threshold = Gauge("edgeolk_threshold", "Score below which a row is unusual")
        self.nbytes = Gauge("edgeolk_bytes", "Bytes of the learner")
        start_http_server(port)

    def __call__(self, learner: ek.Learner, unusual: int) -> None:
        """Set them after a row."""
        self.rows.set(learner.steps)
        self.unusual.set(unusual)
        self.threshold.set(learner.threshold)
        self.nbytes.set(learner.nbytes)


class StopError(Exception):
    """Somebody asks for an end."""


class Ending:
    """Signals that ask for an end: at once while a reading is waited for, else after its row.

    asked: the first of them, 0 before.
    """

    def __init__(self) -> None:
        self.asked = 0
        self._waits = False

    def __call__(self, number: int, frame: object) -> None:
        """Note a signal."""
        if not self.asked:
            self.asked = number
            if self._waits:
                raise StopError

    def catch(self) -> None:
        """Take the signals of terminals, of systemd and of its watchdog."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGABRT):
            signal.signal(number, self)

    def next(self, rows: Iterator[list[float]]) -> list[float]:
        """The next row; raises StopError where an end is asked for before it is there."""
        self._waits = True
        try:
            if self.asked:
                raise StopError
            return next(rows)
        finally:
            self._waits = False


def watch(
    rows: Iterator[list[float]],
    place: str,
    most: int | None,
    say: Callable[[str], None],
    tell: Callable[[str], None] = lambda words: None,
    ending: Ending | None = None,
    clock: Callable[[], float] = time.monotonic,
    record: Callable[[str, dict[str, Any]], None] = lambda event, values: None,
    measure: Callable[[ek.Learner, int], None] = lambda learner, unusual: None,
) -> int:
    """Learn each row; returns how many were unusual. Always writes a checkpoint before it ends.

    ``say`` reports unusual rows, ``tell`` the state, at the start and once a minute. ``record``
    gets the same as an event and its values; ``measure`` is called after each row.
    """
    ending = ending or Ending()
    unusual = told = 0
    with ek.Checkpointer(place, every=None, seconds=SECONDS, slots=8) as checkpoints:
        row = ending.next(rows)
        pair = scaler, learner = opened(checkpoints, len(row))
        state = f"goes on after row {learner.steps:,}" if learner.steps else "begins anew"
        tell(
            f"{state}: {len(row)} channels, a learner of {learner.nbytes:,} bytes, checkpoints "
            f"every {SECONDS} s and at the end in {place}"
        )
        record("start", {"row": learner.steps, "channels": len(row), "bytes": learner.nbytes})
        notify("READY=1")
        began, before = clock(), learner.steps
        try:
            while most is None or learner.steps < most:
                scaled = scaler.learn_transform_one(row)
                if learner.learn_one(scaled) < 0 and learner.steps > 300:
                    unusual += 1
                    say(f"row {learner.steps}: unusual {row}")
                    record("unusual", {"row": learner.steps, "readings": row})
                measure(learner, unusual)
                checkpoints.step(pair)
                notify("WATCHDOG=1")
                if clock() - began >= 60.0:
                    tell(
                        f"row {learner.steps:,}: {learner.steps - before:,} rows and "
                        f"{unusual - told:,} unusual ones in a minute, the last is {row}"
                    )
                    values = {"rows": learner.steps - before, "unusual": unusual - told}
                    record("minute", {"row": learner.steps, **values, "readings": row})
                    began, before, told = clock(), learner.steps, unusual
                row = ending.next(rows)
        finally:
            checkpoints.write(pair)
            tell(f"ends after row {learner.steps:,}: checkpoint written")
            record("end", {"row": learner.steps})
    return unusual


def main() -> None:
    """Run until stopped, or for so many rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", help="file of checkpoints, made where there is none")
    parser.add_argument("--device", type=Path, default=DEVICES / "iio:device0")
    parser.add_argument("--simulate", action="store_true", help="no sensor: readings are made up")
    parser.add_argument("--every", type=float, help="seconds between readings (1, simulated: 0)")
    parser.add_argument("--rows", type=int, help="stop after so many")
    parser.add_argument("--json", action="store_true", help="print JSON, one object per line")
    parser.add_argument("--metrics", type=int, metavar="PORT", help="serve metrics to Prometheus")
    asked = parser.parse_args()

    every = asked.every if asked.every is not None else 0.0 if asked.simulate else 1.0

    def paced(rows: Iterator[list[float]]) -> Iterator[list[float]]:
        for row in rows:
            yield row
            time.sleep(every)

    def show(words: str) -> None:
        if not asked.json:
            print(words, flush=True)

    def record(event: str, values: dict[str, Any]) -> None:
        if asked.json:
            print(json.dumps({"time": time.time(), "event": event, **values}), flush=True)

    def unmeasured(learner: ek.Learner, unusual: int) -> None:
        pass

    measure = unmeasured if asked.metrics is None else Metrics(asked.metrics)
    rows = paced(simulated() if asked.simulate else sensor(asked.device))
    ending = Ending()
    ending.catch()
    try:
        watch(
            rows, asked.checkpoint, asked.rows, show, show, ending, record=record, measure=measure
        )
    except StopError:
        show(f"stopped by {signal.Signals(ending.asked).name}")
    except OSError as error:  # a channel, or the card
        print(f"ends: {error}", file=sys.stderr)
        sys.exit(UNREAD)
    except LostError as error:
        kept = set_aside(Path(asked.checkpoint))
        print(
            f"no checkpoint in {asked.checkpoint} can be used ({error}): it is kept as {kept}, and "
            "the next start begins anew",
            file=sys.stderr,
        )
        sys.exit(LOST)


if __name__ == "__main__":
    main()
