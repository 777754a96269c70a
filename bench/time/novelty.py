"""Novelty in the order of time beside section 6b, trivial answers and other detectors.

``--quick``: without the peers that take long; nothing is saved.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from bench.table import Report, Table
from bench.time.detectors import DETECTORS, PEERS
from bench.time.labelled import ANY_ORDER, ASIDE, DESIGN, Series, series
from bench.time.scores import area, at_equal_alarms, precision, volume

#: Rows of a series before scores are judged.
FIRST = 500
#: Areas that N of 4 KiB is held to by its specification (section 6), and how much worse one may
#: be.
PRINTED = {
    "nab_machine_temp": 0.888, "skab_pump": 0.546, "nab_ambient_temp": 0.771,
    "nab_cpu_asg": 0.860, "nab_nyc_taxi": 0.680, "ucr_bleeding": 0.979, "ecg_805": 0.982,
    "ai4i_machine": 0.759, "ad_shuttle": 0.995, "smap_telemetry": 0.888,
}  # fmt: skip
WORSE = 0.015


def judged(found: list[Series], detector: str) -> dict[str, float]:
    """What a detector makes of the series of a stream, each by a model of its own."""
    scores, truth, sizes, times = [], [], [], []
    for one in found:
        made = DETECTORS[detector](one.X)
        scores.append(made.scores[FIRST:])
        truth.append(one.anomaly[FIRST : len(made.scores)])
        sizes.append(made.nbytes)
        times.append(made.us)
    marks, all_scores = np.concatenate(truth), np.concatenate(scores)
    return {
        "auc": area(marks, all_scores),
        "ap": precision(marks, all_scores),
        "vus": volume(marks, all_scores),
        **at_equal_alarms(marks, all_scores),
        "bytes": max(sizes),
        "us": float(np.mean(times)),
    }


def _mean(data: dict[str, Any], names: tuple[str, ...], who: str, what: str) -> float:
    return float(np.mean([data[name][who][what] for name in names]))


def _areas(data: dict[str, Any], names: tuple[str, ...], title: str) -> Table:
    who = list(next(iter(data.values())))
    rows = [[name, *(f"{data[name][one]['auc']:.3f}" for one in who)] for name in names]
    rows.append(["mean", *(f"{_mean(data, names, one, 'auc'):.3f}" for one in who)])
    return Table(title, ["AUC", *who], rows)


def _summary(data: dict[str, Any], names: tuple[str, ...]) -> Table:
    rows = []
    for one in next(iter(data.values())):
        found = sum(data[name][one]["found"] for name in names)
        total = sum(data[name][one]["events"] for name in names)
        share = np.mean([data[n][one]["found"] / data[n][one]["events"] for n in names])
        rows.append([
            one,
            *(f"{_mean(data, names, one, what):.3f}" for what in ("auc", "ap", "vus")),
            f"{share:.3f}", f"{found:.0f} of {total:.0f}",
            f"{_mean(data, names, one, 'false'):.2f}",
            f"{np.nanmean([data[n][one]['delay'] for n in names]):.0f}",
            f"{max(data[n][one]['bytes'] for n in names):,}",
            f"{_mean(data, names, one, 'us'):.1f}",
        ])  # fmt: skip
    header = ["mean of the streams", "AUC", "average precision", "VUS-PR", "events found",
              "of all", "false a 1,000 rows", "delay in rows", "bytes", "us a row"]  # fmt: skip
    return Table("All measures; alarms are the 2 % of rows with the highest scores", header, rows)


def main() -> int:
    """Run the benchmark."""
    quick = "--quick" in sys.argv[1:]
    left_out = (*PEERS, "N, D = 256") if quick else ("N, D = 256",)
    who = [name for name in DETECTORS if name not in left_out]
    data: dict[str, Any] = {}
    for name in (*DESIGN, *ASIDE):
        found = series(name)
        data[name] = {one: judged(found, one) for one in who}
        print(name, {one: round(data[name][one]["auc"], 3) for one in who}, flush=True)
    plain = ("N, D = 256", "6b f", "distance")
    mixed = {
        name: {one: judged(series(name, shuffled=True), one) for one in plain} for name in ANY_ORDER
    }
    worse = [
        f"{name}: {data[name]['N 4 KiB']['auc']:.3f} for {printed}"
        for name, printed in PRINTED.items()
        if data[name]["N 4 KiB"]["auc"] < printed - WORSE
    ]
    notes = [
        f"Seed 1. Scores are judged from row {FIRST} of each series on; a model starts anew with"
        " each series.",
        "IsolationForest* has seen all rows before it scores one; Half-Space Trees see 40,000.",
        "N is held to the figures of its specification: "
        + ("; ".join(worse) if worse else f"no stream is more than {WORSE} worse."),
    ]
    report = Report(
        "Novelty in the order of time",
        " ".join(notes),
        [
            _areas(data, DESIGN, "The streams it was designed on"),
            _areas(data, ASIDE, "Kept aside"),
            _summary(data, DESIGN),
            _areas(mixed, ANY_ORDER, "Rows in random order"),
        ],
        {"in order": data, "in random order": mixed},
    )
    print(report.markdown())
    if not quick:
        report.save("novelty_in_time")
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
