"""Published compact models, trained offline in many passes, and ours after one and five."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from bench.bytes.grid import OURS, Job
from bench.bytes.runs import learner_of
from bench.bytes.sets import Rows, load
from bench.cache import Cache
from bench.table import Table

#: Compact models trained offline, in many passes: (model, set, bytes, accuracy in %).
OFFLINE: tuple[tuple[str, str, int, float], ...] = (
    ("Bonsai", "usps-2", 2048, 94.42),
    ("Bonsai", "usps-2", 16_384, 95.72),
    ("ProtoNN", "usps-10", 65_536, 94.92),
    ("ProtoNN", "letter-26", 64_512, 97.10),
)
PASSES = (1, 5)
SEEDS = (1, 2, 3)
#: Bytes of a number of the row that is asked.
FLOAT = 4
#: Set -> what is learned, and what is asked; where there is no such file, how many are learned.
PARTS: dict[str, tuple[str, str | int]] = {
    "usps-2": ("usps_train", "usps_test"),
    "usps-10": ("usps10_train", "usps10_test"),
    "letter-26": ("letter", 16_000),
}


def rows_of(name: str) -> tuple[str, tuple[Rows, Rows], tuple[Rows, Rows]]:
    """The file of a set, and its rows and labels to learn and to be asked."""
    train, test = PARTS[name]
    X, y = load(train, None)
    if isinstance(test, str):
        return train, (X, y), load(test, None)
    return train, (X[:test], y[:test]), (X[test:], y[test:])


def accuracies(name: str, nbytes: int, bare: bool) -> dict[str, Any]:
    """Of rows never learned: the share said right after each number of passes, in %, and bytes.

    ``bare`` leaves the row that is asked out of the count, as published sizes do.
    """
    data, (X, y), (rows, labels) = rows_of(name)
    more = FLOAT * X.shape[1] if bare else 0
    found: dict[int, list[float]] = {count: [] for count in PASSES}
    used = 0
    for seed in SEEDS:
        learner = learner_of(Job(data, OURS, nbytes + more, params={"seed": seed}), X)
        used = learner.nbytes - more
        for passed in range(1, max(PASSES) + 1):
            learner.learn_many(X, y)
            if passed in found:
                found[passed].append(100.0 * float(np.mean(learner.predict(rows) == labels)))
    return {"nbytes": used, **{str(count): float(np.mean(of)) for count, of in found.items()}}


def _key(name: str, nbytes: int, bare: bool) -> str:
    about = {"offline": name, "nbytes": nbytes, "bare": bare, "passes": PASSES, "seeds": SEEDS}
    return json.dumps(about, sort_keys=True)


def fill(cache: Cache) -> None:
    """Run what the cache does not have."""
    for _, name, nbytes, _ in OFFLINE:
        for bare in (False, True):
            key = _key(name, nbytes, bare)
            if cache.get(key) is None:
                made = accuracies(name, nbytes, bare)
                cache.add(key, {"offline": name, "given": nbytes, "bare": bare}, made)


def table(cache: Cache) -> Table | None:
    """Printed and ours, where ours have been run."""
    rows = []
    for model, name, nbytes, printed in OFFLINE:
        cells = []
        for bare in (False, True):
            made = cache.get(_key(name, nbytes, bare))
            if made is None:
                return None
            cells += [f"{made[str(count)]:.2f}" for count in PASSES]
        rows.append((name, model, f"{nbytes:,}", f"{printed:.2f}", *cells))
    passes = [f"{count} {'pass' if count == 1 else 'passes'}" for count in PASSES]
    return Table(
        "Compact models trained offline: accuracy in % on rows never learned",
        (
            *("set", "published", "bytes", "printed, many passes"),
            *(f"sorf, {each}" for each in passes),
            *(f"sorf, row not counted, {each}" for each in passes),
        ),
        rows,
        note="Printed figures as their authors give them, a kB taken for 1,024 bytes. sorf is"
        " untuned, the mean of three seeds, rows in the same order in every pass; its bytes are all"
        " that it holds, or all but the row that is asked, 4 bytes an input, which published sizes"
        " leave out. Digits: the usual parts of the set; letters: 16,000 of 20,000 rows learned,"
        " the rest asked, which is another split than theirs.",
        left=2,
    )
