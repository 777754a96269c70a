"""A sensor watched on a Raspberry Pi: what is usual is learned, what is not is said.

Reads every channel of an IIO device from sysfs; ``--simulate`` makes readings up instead.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import edgeolk as ek

DEVICES = Path("/sys/bus/iio/devices")
#: Exit code where there were checkpoints and none can be used (EX_DATAERR of sysexits.h).
LOST = 65


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


def watch(
    rows: Iterator[list[float]], place: str, most: int | None, say: Callable[[str], None]
) -> int:
    """Learn each row; returns how many were unusual."""
    row, unusual = next(rows), 0
    with ek.Checkpointer(place, every=None, seconds=600, slots=8) as checkpoints:
        pair = scaler, learner = opened(checkpoints, len(row))
        notify("READY=1")
        while most is None or learner.steps < most:
            scaled = scaler.learn_transform_one(row)
            if learner.learn_one(scaled) < 0 and learner.steps > 300:
                unusual += 1
                say(f"row {learner.steps}: unusual {row}")
            checkpoints.step(pair)
            notify("WATCHDOG=1")
            row = next(rows)
        checkpoints.write(pair)
    return unusual


def main() -> None:
    """Run until stopped, or for so many rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", help="file of checkpoints, made where there is none")
    parser.add_argument("--device", type=Path, default=DEVICES / "iio:device0")
    parser.add_argument("--simulate", action="store_true", help="no sensor: readings are made up")
    parser.add_argument("--every", type=float, default=1.0, help="seconds between readings")
    parser.add_argument("--rows", type=int, help="stop after so many")
    asked = parser.parse_args()

    def paced(rows: Iterator[list[float]]) -> Iterator[list[float]]:
        for row in rows:
            yield row
            time.sleep(asked.every)

    rows = simulated() if asked.simulate else paced(sensor(asked.device))
    try:
        watch(rows, asked.checkpoint, asked.rows, lambda words: print(words, flush=True))
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
