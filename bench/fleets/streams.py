"""A thousand streams: real ones cut into segments, and the same with faults."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

from bench import datasets

_SOURCES = {
    "elec2": "price_up",
    "occupancy": "occupied",
    "eeg_eye_state": "eye_closed",
    "weather_rain": "rain",
    "ad_shuttle": "anomaly",
    "ai4i_machine": "anomaly",
    "ad_mammography": "anomaly",
    "ad_satellite": "anomaly",
    "ad_annthyroid": "anomaly",
    "ad_smtp": "anomaly",
}
FAULTS = (
    "noise:sd=0.5",
    "dropout:p=0.05",
    "spike:p=0.02;burst:p=0.01,rows=5",
    "drift:offset=2",
)

CONFIGS = """
[recommended-4k]
ram = "4KiB"

[recommended-16k]
ram = "16KiB"

[ahpatron-4k]
algorithm = "ahpatron"
ram = "4KiB"

[ahpatron-16k]
algorithm = "ahpatron"
ram = "16KiB"

[rbp-4k]
algorithm = "rbp"
ram = "4KiB"

[ogd-4k]
algorithm = "ogd"
ram = "4KiB"
"""


def write(folder: Path, streams: int = 1_000, rows: int = 500) -> tuple[Path, Path]:
    """Write streams of so many rows, a manifest and configurations; return the last two."""
    (folder / "logs").mkdir(parents=True)
    whole = []
    for name, target in _SOURCES.items():
        with gzip.open(datasets.folder() / f"{name}.csv.gz", "rt") as file:
            lines = file.read().splitlines()
        cut = range(1, len(lines) - rows + 1, rows)
        whole += [
            (f"{name}-{i:03d}", target, lines[:1] + lines[at : at + rows])
            for i, at in enumerate(cut)
        ]
    whole = whole[:streams]
    boards = []
    for i in range(streams):
        name, target, lines = whole[i % len(whole)]
        again = i >= len(whole)
        stream = f"logs/{name}.csv"
        if not again:
            (folder / stream).write_text("\n".join(lines) + "\n")
        faults = FAULTS[i % len(FAULTS)] if again else ""
        boards.append((f"{name}-broken" if again else name, stream, target, faults, str(i)))
    manifest, configs = folder / "manifest.csv", folder / "configs.toml"
    with manifest.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("device", "stream", "target", "faults", "fault_seed"))
        table.writerows(boards)
    configs.write_text(CONFIGS)
    return manifest, configs
