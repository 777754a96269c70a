"""Watches a sensor on a Raspberry Pi: learns what is normal and reports what is not.

Reads every channel of an IIO device from sysfs, or with ``--simulate`` made-up readings. ``--json``
prints a JSON object per line; ``--metrics PORT`` serves metrics to Prometheus.

Exit codes: 0 stopped, or ``--rows`` reached; 1 no sensor, or prometheus-client is missing; 2 wrong
arguments; 65 the state cannot be used: it was renamed, and the next start begins again; 74 the
sensor or the state cannot be read or written, or another process writes it.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import edgeolk as ek

DEVICES = Path("/sys/bus/iio/devices")
#: Exit code where there were checkpoints and none can be used (EX_DATAERR of sysexits.h).
LOST = 65
#: ... and where the sensor or the state cannot be read or written (EX_IOERR).
UNREAD = 74
#: Seconds between checkpoints.
SECONDS = 600
#: Seconds before a state that could not be written is written again.
RETRY = 60.0
#: Names of the made-up readings.
SIMULATED = ("temperature", "humidity", "pressure")
#: Rows before which nothing is called unusual.
WARM_UP = 200
#: What a row is unusual in, by ``learner.why``.
WORDS = {
    "value": "beyond all readings so far",
    "change": "changed faster than ever",
    "flat": "does not change",
    "pattern": "unusual together with the other readings",
    "level": "away from its usual level for a while",
    "roughness": "noisier or calmer than usual",
    "mean": "its mean of 64 readings moved",
}


class LostError(Exception):
    """There were checkpoints, and none can be used; ``what`` they are: damaged, or newer."""

    def __init__(self, why: str, what: str = "damaged") -> None:
        super().__init__(why)
        self.what = what


def channels(device: Path) -> list[Path]:
    """Files of a device that hold a reading, in a fixed order."""
    found = [path for kind in ("raw", "input") for path in device.glob(f"in_*_{kind}")]
    if not found:
        raise SystemExit(f"no channel in {device}: is the sensor's driver loaded?")
    return sorted(found)


def names_of(device: Path) -> list[str]:
    """Names of the channels, such as ``temp`` of ``in_temp_input``."""
    return [path.name.removeprefix("in_").rpartition("_")[0] for path in channels(device)]


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


def checkpointer(place: str) -> ek.Checkpointer:
    """The checkpoints of a file: in eight slots if it is new, else in those that it has."""
    path = Path(place)
    is_there = path.is_dir() or (path.exists() and path.stat().st_size > 0)
    return ek.Checkpointer(place, every=None, seconds=SECONDS, slots=None if is_there else 8)


def opened(
    checkpoints: ek.Checkpointer, n_features: int, tell: Callable[[str], None] = lambda words: None
) -> ek.Learner:
    """The learner of the newest checkpoint; a new one only where there never was one."""
    try:
        checkpoints.lock()  # another process that writes is better known now
        learner, found = checkpoints.open(), checkpoints.opened
    except ValueError as error:  # of different numbers of slots
        raise LostError(str(error)) from None
    assert found is not None
    bad = {slot: why for slot, why in found.refused.items() if why != "empty"}
    if found.newer and (learner is None or checkpoints.slots - len(found.newer) < 2):
        raise LostError(str(found), "newer")
    if learner is not None:
        if bad:
            tell(f"not all checkpoints can be used: {found}")
        return learner
    if bad:
        raise LostError(str(found))
    # With history=True it finds sensors that are stuck too, and readings that move too fast.
    learner = ek.Learner(n_features=n_features, ram="4KiB", loss="novelty", history=True)
    try:
        checkpoints.write(learner)  # what cannot be written is better known now
    except ValueError as error:  # the file holds something else
        raise LostError(str(error)) from None
    return learner


def set_aside(place: Path, what: str) -> Path:
    """Rename a file of checkpoints, so that they can be looked at; returns its new name."""
    number = 1
    while (kept := place.with_name(f"{place.name}.{what}-{number}")).exists():
        number += 1
    return place.rename(kept)


#: Metrics; those that only grow end in ``_total``.
METRICS = {
    "edgeolk_rows_total": "Rows learned since the first start",
    "edgeolk_unusual_rows_total": "Unusual rows since this start",
    "edgeolk_alarms_total": "Alarms since this start, one for each event",
    "edgeolk_failed_writes_total": "Checkpoints that could not be written since this start",
    "edgeolk_anomaly": "Score of the last row, from 0 to 1; from 0.5 on it is unusual",
    "edgeolk_bytes": "Bytes of the learner",
    "edgeolk_checkpoint_age_seconds": "Since the last checkpoint was written",
}


class Metrics:
    """What Prometheus reads from ``http://HOST:PORT/metrics``; needs prometheus_client.

    Another thread reads them: figures are copied here after each row.
    """

    def __init__(self, port: int, place: Path) -> None:
        try:
            import prometheus_client as prometheus
        except ImportError:
            raise SystemExit("--metrics needs: pip install prometheus-client") from None
        self._metric, self._place = prometheus.Metric, place
        self._figures: dict[str, float] = {}
        registry = prometheus.CollectorRegistry()
        registry.register(self)
        prometheus.start_http_server(port, registry=registry)

    def __call__(self, learner: ek.Learner, counts: dict[str, float]) -> None:
        """Set them after a row."""
        self._figures = {
            "edgeolk_rows_total": learner.steps,
            "edgeolk_anomaly": learner.anomaly,
            "edgeolk_bytes": learner.nbytes,
            **{f"edgeolk_{name}_total": count for name, count in counts.items()},
        }

    def collect(self) -> Iterator[Any]:
        """All metrics, as the registry asks for them."""
        figures = dict(self._figures)
        with suppress(OSError):  # not written yet
            figures["edgeolk_checkpoint_age_seconds"] = time.time() - self._place.stat().st_mtime
        for name, value in figures.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            metric = self._metric(name.removesuffix("_total"), METRICS[name], kind)
            metric.add_sample(name, {}, value)
            yield metric


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
    measure: Callable[[ek.Learner, dict[str, float]], None] = lambda learner, counts: None,
    names: Sequence[str] = SIMULATED,
) -> int:
    """Learn each row; returns how many were unusual. Always writes a checkpoint before it ends.

    ``most`` is the number of rows after which it ends. ``say`` reports the first unusual row of
    each event, ``tell`` the state, at the start and once a minute. ``record`` gets the same as an
    event and its values; ``measure`` is called after each row.
    """
    ending = ending or Ending()
    counts = {"unusual_rows": 0, "alarms": 0, "failed_writes": 0}
    reported, retry = 0, -math.inf
    with checkpointer(place) as checkpoints:
        row = ending.next(rows)
        learner = opened(checkpoints, len(row), tell)
        state = f"goes on after row {learner.steps:,}" if learner.steps else "begins again"
        tell(
            f"{state}: {len(row)} channels, a learner of {learner.nbytes:,} bytes, checkpoints "
            f"every {SECONDS} s and at the end in {place}"
        )
        about = {"channels": len(row), "names": list(names), "bytes": learner.nbytes}
        record("start", {"row": learner.steps, **about})
        notify("READY=1")
        began, before = clock(), learner.steps
        last = math.inf if most is None else learner.steps + most
        try:
            while learner.steps < last:
                learner.learn_one(row)
                is_judged = learner.steps > WARM_UP
                counts["unusual_rows"] += is_judged and learner.novel
                if is_judged and learner.alarm:
                    counts["alarms"] += 1
                    reason = reason_of(learner.why, row, names)
                    say(f"row {learner.steps}: unusual {row}: {reason}")
                    readings = dict(zip(names, row, strict=True))
                    anomaly = round(learner.anomaly, 6)
                    values = {"readings": readings, "reason": reason, "anomaly": anomaly}
                    record("unusual", {"row": learner.steps, **values})
                now = clock()
                if now >= retry:
                    try:
                        checkpoints.step(learner)
                    except OSError as error:
                        counts["failed_writes"] += 1
                        retry = now + RETRY
                        tell(f"row {learner.steps:,}: no checkpoint was written: {error}")
                        record("not written", {"row": learner.steps, "error": str(error)})
                measure(learner, counts)
                notify("WATCHDOG=1")
                if now - began >= 60.0:
                    rows_since, odd = learner.steps - before, counts["unusual_rows"] - reported
                    tell(
                        f"row {learner.steps:,}: {rows_since:,} rows and {odd:,} unusual ones in a "
                        f"minute, the last is {row}"
                    )
                    readings = dict(zip(names, row, strict=True))
                    values = {"rows": rows_since, "unusual": odd, "readings": readings}
                    record("minute", {"row": learner.steps, **values})
                    began, before, reported = now, learner.steps, counts["unusual_rows"]
                if learner.steps < last:
                    row = ending.next(rows)
        finally:
            checkpoints.write(learner)
            tell(f"ends after row {learner.steps:,}: checkpoint written")
            record("end", {"row": learner.steps})
    return counts["unusual_rows"]


def reason_of(why: tuple[str, int], row: Sequence[float], names: Sequence[str]) -> str:
    """What a row is unusual in, in words, with the reading."""
    part, channel = why
    return f"{names[channel]}: {WORDS[part]}, now {row[channel]:.6g}"


def main() -> None:
    """Run until stopped, or for so many rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", help="file of checkpoints, made where there is none")
    parser.add_argument("--device", type=Path, default=DEVICES / "iio:device0")
    parser.add_argument("--simulate", action="store_true", help="no sensor: readings are made up")
    parser.add_argument("--every", type=float, help="seconds between readings (1, simulated: 0)")
    parser.add_argument("--rows", type=int, help="learn so many and stop")
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

    def unmeasured(learner: ek.Learner, counts: dict[str, float]) -> None:
        pass

    place = Path(asked.checkpoint)
    measure = unmeasured if asked.metrics is None else Metrics(asked.metrics, place)
    names = SIMULATED if asked.simulate else names_of(asked.device)
    rows = paced(simulated() if asked.simulate else sensor(asked.device))
    ending = Ending()
    ending.catch()
    try:
        watch(
            rows, asked.checkpoint, asked.rows, show, show, ending,
            record=record, measure=measure, names=names,
        )  # fmt: skip
    except StopError:
        show(f"stopped by {signal.Signals(ending.asked).name}")
    except OSError as error:  # a channel, or the card
        print(f"ends: {error}", file=sys.stderr)
        sys.exit(UNREAD)
    except LostError as error:
        kept = set_aside(place, error.what)
        print(
            f"no checkpoint in {asked.checkpoint} can be used ({error}): it is kept as {kept}, and "
            "the next start begins again",
            file=sys.stderr,
        )
        sys.exit(LOST)


if __name__ == "__main__":
    main()
