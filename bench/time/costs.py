"""Instructions of a row in the order of time and of plain `sorf`, counted by callgrind."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np

import edgeolk as ek
from bench import callgrind
from bench.instructions.cases import ENTRY
from bench.table import Table

ROWS, LEARNED, D = 1000, 500, 8
#: The widest vectors that valgrind knows.
VARIANT = "v3"
SIZE = {"n_features": D, "ram": "4KiB", "seed": 1}
PLAIN = "`sorf`, targets"
#: The first is what the others are held to, as the machine's 2 us.
CASES: dict[str, dict[str, Any]] = {
    PLAIN: {"loss": "square", "gaussian_process": False},
    "`sorf`, targets, with a process": {"loss": "square"},
    "`sorf`, two classes": {},
    "forecaster": {"loss": "square", "history": True},
    "forecaster, no kernel": {"loss": "square", "history": True, "ram": None, "D": 0},
    "novelty in time": {"loss": "novelty", "history": True},
    "`krls_auto`": {"algorithm": "krls_auto"},
    "`krls_auto`, 3 lags": {"algorithm": "krls_auto", "lags": 3},
}
MICROSECONDS = 2.0


def run(names: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The table and the numbers behind it; none where valgrind is not installed."""
    if not callgrind.available():
        raise SystemExit(callgrind.MISSING)
    wanted = [name for name in CASES if not names or name in names or name == PLAIN]
    found = callgrind.count("bench.time.costs", wanted, ENTRY, VARIANT)
    each = {name: found[name].everything / ROWS for name in wanted}
    lines = [
        [
            name,
            f"{count:,.0f}",
            f"{count / each[PLAIN]:.2f}",
            f"{MICROSECONDS * count / each[PLAIN]:.2f}",
        ]
        for name, count in each.items()
    ]
    header = ["", "instructions a row", "of the first", f"us, where that takes {MICROSECONDS:g}"]
    note = (
        f"{D} inputs, 4 KiB, int8, by `learn_many` in rows {LEARNED} to {LEARNED + ROWS} of random"
        f" walks, variant {VARIANT}. The last column supposes that all instructions take as long."
    )
    return [Table("What a row costs", header, lines, note)], {"instructions": each}


def main(names: list[str]) -> None:
    """What runs in callgrind: each case with the count set to zero before it."""
    gc.disable()
    counter = callgrind.Counter()
    r = np.random.default_rng(0)
    X = np.cumsum(r.normal(size=(LEARNED + ROWS, D)), axis=0).astype(np.float32)
    y = np.cumsum(r.normal(size=LEARNED + ROWS)) + X[:, 0]
    for name in names:
        options = {k: v for k, v in {**SIZE, **CASES[name]}.items() if v is not None}
        learner = ek.Learner(**options)
        kind = "square" if learner.is_regression else options.get("loss", "")
        labels = {"novelty": None, "square": y}.get(kind, np.sign(y))
        for part in (slice(0, LEARNED), slice(LEARNED, None)):
            counter.zero()
            learner.learn_many(X[part], None if labels is None else labels[part])
        counter.dump(name)


if __name__ == "__main__":
    main(sys.argv[1:])
