"""``python -m bench.drift``: ours with and without the alarm on long streams; beside river on short
ones; and whether the alarm costs anything where nothing changes."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import edgeolk as ek
from bench import machine
from bench.bytes.sets import SPECS, load
from bench.drift.streams import STREAMS, Drifting
from bench.table import Report, Table
from firmware_sim.metrics.recovery import recovery

SIZES = (1, 4, 16)
#: Rows of ours alone, and of all models.
LONG, SHORT = 100_000, 10_000
#: Sets in which nothing changes (section 12 of docs/sorf.md).
STILL = (
    *("a9a_train", "ijcnn1_train", "phishing", "spambase", "covtype10k", "usps_train", "phoneme"),
    *("banana", "ring", "w8a", "elec2", "insects_gradual", "weather_rain", "wall_following"),
    *("occupancy", "eeg_eye_state", "arem_activity", "fan_vibration", "skab_pump", "mushrooms"),
    *("twonorm", "svmguide3"),
)


def ours(X: Any, y: Any, kib: int, seeds: int = 1, **options: Any) -> tuple[Any, float, int]:
    """Which rows were answered wrongly, microseconds of a row, alarms; in the mean of the seeds.
    NaN where so few bytes hold no learner."""
    try:
        ek.plan(n_features=X.shape[1], ram=f"{kib}KiB", **options)
    except ValueError:
        return np.full(len(y), np.nan), float("nan"), 0
    wrong, seconds, alarms = np.zeros(len(y)), 0.0, 0
    for seed in range(1, seeds + 1):
        learner = ek.Learner(n_features=X.shape[1], ram=f"{kib}KiB", seed=seed, **options)
        began = time.process_time()
        said = np.asarray(learner.learn_many(X, y))
        seconds += time.process_time() - began
        wrong += said * y <= 0.0
        alarms += learner.alarms
    return wrong / seeds, 1e6 * seconds / seeds / len(y), alarms


def back(stream: Drifting, wrong: Any) -> str:
    """Rows until recovery, the mean over the changes; "-" where there is none."""
    if not stream.changes or np.isnan(wrong).any():
        return ""
    found = [recovery(wrong, *part) for part in pairwise((*stream.changes, len(wrong)))]
    known = [rows for rows in found if rows is not None]
    return f"{np.mean(known):,.0f}" if len(known) == len(found) else "-"


def _percent(wrong: Any) -> str:
    mean = float(np.mean(wrong))
    return "" if np.isnan(mean) else f"{100.0 * mean:.2f}"


def long_tables(names: Iterable[str], rows: int) -> list[Table]:
    """Ours on long streams, with and without the alarm."""
    errors, recovered, ratios = [], [], []
    for name in names:
        stream = STREAMS[name](rows)
        cells, late = [], []
        for kib in SIZES:
            with_it, _, alarms = ours(stream.X, stream.y, kib)
            without, _, _ = ours(stream.X, stream.y, kib, drift=False)
            cells += [_percent(without), _percent(with_it), str(alarms)]
            late += [back(stream, without), back(stream, with_it)]
            if kib == 4 and not np.isnan(without).any():  # it fits
                ratios.append(float(with_it.mean() / max(without.mean(), 1e-9)))
        errors.append([name, f"{len(stream.y):,}", *cells])
        recovered.append([name, *late])
    head = [f"{kib} KiB {what}" for kib in SIZES for what in ("without", "with", "alarms")]
    mean = float(np.exp(np.mean(np.log(ratios)))) if ratios else 1.0
    return [
        Table(
            "Ours, wrong answers in %, without the alarm and with it",
            ["stream", "rows", *head],
            errors,
            f"Geometric mean of with / without at 4 KiB over all of them: {mean:.3f}.",
        ),
        Table(
            "Ours, rows until recovery",
            ["stream", *(f"{kib} KiB {w}" for kib in SIZES for w in ("without", "with"))],
            recovered,
            "Until the error over 200 rows is within 2 points of its later level, in the mean of"
            " the changes; - where it never is.",
        ),
    ]


def short_tables(names: Sequence[str], rows: int) -> list[Table]:
    """Ours beside river's."""
    from bench.drift.peers import MODELS, ask

    errors, recovered, costs = [], [], []
    columns = [*(f"ours, {kib} KiB" for kib in SIZES), *MODELS]
    for name in names:
        stream = STREAMS[name](rows)
        found = []
        for kib in SIZES:
            wrong, microseconds, _ = ours(stream.X, stream.y, kib)
            found.append((wrong, kib * 1024, microseconds))
        for model in MODELS:
            said = ask(model, stream.X, stream.y)
            found.append((said.wrong, said.nbytes, said.microseconds))
        errors.append([name, *(_percent(wrong) for wrong, _, _ in found)])
        recovered.append([name, *(back(stream, wrong) for wrong, _, _ in found)])
        costs.append([(nbytes, microseconds) for _, nbytes, microseconds in found])
        print(errors[-1], recovered[-1], flush=True)
    packed = [f"{np.mean([row[i][0] for row in costs]):,.0f}" for i in range(len(columns))]
    times = [f"{np.nanmean([row[i][1] for row in costs]):,.0f}" for i in range(len(columns))]
    return [
        Table("Beside river: wrong answers in %", ["stream", *columns], errors,
              f"The first {rows:,} rows."),
        Table("Beside river: rows until recovery", ["stream", *columns], recovered),
        Table(
            "Beside river: what they take", ["", *columns],
            [["bytes at the end, in the mean", *packed], ["microseconds a row", *times]],
            "Of river's the bytes of the pickled model; ours everything. Processor time.",
        ),
    ]  # fmt: skip


def still_table(names: Iterable[str], rows: int, seeds: int) -> Table:
    """What the alarm costs where nothing changes."""
    lines, ratios = [], []
    for name in names:
        X, y = load(name, rows, raw=True)
        line = [name]
        for kib in (4, 16):
            with_it, _, alarms = ours(X, y, kib, seeds)
            without, _, _ = ours(X, y, kib, seeds, drift=False)
            line += [_percent(without), _percent(with_it), str(alarms)]
            if kib == 4 and not np.isnan(without).any():  # it fits
                ratios.append(float(with_it.mean() / max(without.mean(), 1e-9)))
        lines.append(line)
        print(line, flush=True)
    head = [f"{kib} KiB {what}" for kib in (4, 16) for what in ("without", "with", "alarms")]
    mean = float(np.exp(np.mean(np.log(ratios))))
    return Table(
        "Where nothing changes: wrong answers in %, without the alarm and with it",
        ["set", *head],
        lines,
        f"First {rows:,} rows, mean of {seeds} seeds; alarms of all seeds. Geometric mean of with /"
        f" without at 4 KiB: {mean:.4f}, at most {max(ratios):.3f}.",
    )


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.drift", description=__doc__)
    parser.add_argument("--only", choices=("long", "river", "still"), help="one part")
    parser.add_argument("--streams", nargs="*", default=list(STREAMS), choices=list(STREAMS))
    parser.add_argument("--sets", nargs="*", default=list(STILL), choices=list(SPECS))
    parser.add_argument("--rows", type=int, default=LONG, help="of ours alone")
    parser.add_argument("--short", type=int, default=SHORT, help="of all models")
    parser.add_argument("--seeds", type=int, default=3, help="where nothing changes")
    parser.add_argument("--dry", action="store_true", help="print, and write no page")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    parts: dict[str, tuple[str, Callable[[], list[Table]]]] = {
        "long": (
            "Streams that change: the alarm of drift",
            lambda: long_tables(asked.streams, asked.rows),
        ),
        "still": (
            "The alarm of drift where nothing changes",
            lambda: [still_table(asked.sets, 10_000, asked.seeds)],
        ),
        "river": (
            "Streams that change: ours beside river",
            lambda: short_tables(asked.streams, asked.short),
        ),
    }
    for part, (title, run) in parts.items():
        if asked.only not in (None, part):
            continue
        made = Report(
            title,
            f"`python -m bench.drift --only {part}`. {machine.sentence()}. Every row is answered"
            " before it is learned; inputs come as they are. Times are of the processor, one"
            " thread, on a machine that had other work.",
            run(),
        )
        print(made.markdown(), flush=True)
        if not asked.dry:
            made.save(f"drift_{part}")


if __name__ == "__main__":
    main()
