"""`sorf` without one of its parts: ``python -m bench.without [--seeds N] [--rows N]``.

Each part is removed separately, and its bytes go to the weights (the learner is created with
``ram=``). Parts without an option in the library are removed from the numpy implementation
(`edgeolk.reference`), which runs fewer rows. Errors are relative to the complete learner on the
same rows: geometric means over the sets on which the design was chosen, and over others. Writes
``bench/results/without.md``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import edgeolk as ek
from bench.bytes.runs import learned
from bench.bytes.sets import Rows, load
from bench.table import Report, Table
from edgeolk.reference import Following, Sorf
from edgeolk.reference import sorf_features as reference

RAM = 4096
#: Sets that the design was chosen on, and sets that it was not (section 12 of its text).
CHOSEN_ON = (
    *("a9a_train", "ijcnn1_train", "phishing", "spambase", "covtype10k", "usps_train", "phoneme"),
    *("banana", "ring", "w8a", "elec2", "insects_gradual", "weather_rain", "wall_following"),
    *("eeg_eye_state", "letter", "satimage_train", "vowel_train"),
)
OTHER_SETS = (
    *("mushrooms", "twonorm", "svmguide3", "shuttle", "german", "segment", "usps10_train"),
    *("keystroke", "dna_train", "abalone_regression", "ccpp_regression"),
)
#: The removed part, and the arguments that remove it.
PARTS: Mapping[str, Mapping[str, Any]] = {
    "the scaler": {"scale": None, "gamma": "auto"},
    "the width that follows the rows: that of the first 100": {"gamma": "auto", "gamma_rows": 100},
    "the width that follows the rows: 1/(2 d)": {"gamma": None},
    "learned widths (7c, 7e)": {"relevance": False},
    "three widths: one": {"widths": (1.0,)},
    "weights in a byte: float32": {"dtype": "float32"},
    "the blend: its mean, always": {"sharp": 1e-9},
    "the blend's steps: w and a alone": {"blends": (0.0, 1.0)},
    "the window that shrinks": {"shrink": 1.0 - 1e-9},
    "the window that grows: 30 octets": {"cmin": 30.0, "cmax": 30.0},
    "the ridge: r = 0": {"r": 0.0},
    "the alarm (13)": {"drift": False},
    "the memory of rows (7f)": {"memory": False},
}
SLOW_SETS = {
    "chosen on": ("ijcnn1_train", "phoneme", "ring", "elec2", "insects_gradual", "eeg_eye_state"),
    "aside": ("mushrooms", "twonorm", "svmguide3", "shuttle", "german"),
}
SLOW_D = 512


def error_of(
    data: str, rows: int, seeds: Sequence[int], options: Mapping[str, Any]
) -> float | None:
    """The error of the library's learner in %; None if it does not fit."""
    try:
        found = [learned(data, rows, seed, **{"ram": RAM, **options})[1] for seed in seeds]
    except ValueError:
        return None
    return float(np.mean(found))


class Last(Sorf):
    """w answers alone."""

    def shares(self) -> tuple[Rows, Rows, list[float]]:
        """All of it."""
        return np.ones(1), np.ones(1), [0.0] * len(self.outside)


class Average(Sorf):
    """a answers alone."""

    def shares(self) -> tuple[Rows, Rows, list[float]]:
        """Nothing of w."""
        return np.ones(1), np.zeros(1), [0.0] * len(self.outside)


def nearest(levels: Rows, change: Rows, rounding: object) -> Rows:
    """Rounding to the nearest level."""
    return np.asarray(np.clip(np.rint(levels + change), -127, 127))


class Nearest(Sorf):
    """Weights are rounded to nearest."""

    def step(self, *row: Any, **more: Any) -> float:
        """A step with the other rounding."""
        original = reference.rounded
        reference.rounded = nearest
        try:
            return super().step(*row, **more)
        finally:
            reference.rounded = original


class Unclamped(Sorf):
    """Features see inputs as the scaler clips them."""

    @property
    def hold(self) -> float:
        """Nowhere."""
        return math.inf

    @hold.setter
    def hold(self, value: float) -> None:
        pass


#: Parts removed from the numpy implementation.
INNER: Mapping[str, type[Sorf]] = {
    "the average: w answers alone": Last,
    "w: the average answers alone": Average,
    "unbiased rounding: to nearest": Nearest,
    "inputs held to 2.5": Unclamped,
}


def stepped(data: str, rows: int, kind: type[Sorf]) -> float:
    """The error of the numpy implementation in %, weights in a byte."""
    X, y = load(data, rows, raw=True)
    d = X.shape[1]
    scaler = ek.RunningScaler(d)
    model = Following(kind(d, SLOW_D, 0.5, dtype="int8", seed=1, relevance="shared"))
    wrong = 0
    for x, label in zip(X, y, strict=True):
        scaler.learn_one(x)
        z = np.asarray(scaler.transform_one(x))
        wrong += label * model.step(x, z, label, deviates=np.ones(d, bool), follows=False) <= 0.0
    return 100.0 * wrong / len(y)


def ratio(pairs: Sequence[tuple[float, float]]) -> str:
    """The geometric mean of first over second, as a change in %."""
    logs = [math.log(max(new, 0.02) / max(old, 0.02)) for new, old in pairs]
    return f"{100.0 * (math.exp(sum(logs) / len(logs)) - 1.0):+.1f} %" if logs else "-"


def line(
    part: str, groups: Sequence[Sequence[str]], errors: Mapping[tuple[str, str], float | None]
) -> list[str]:
    """A part: its mean cost on each group of sets, how many got worse, and where most."""
    cells, every = [part], []
    for sets in groups:
        pairs = [
            (data, new, old)
            for data in sets
            if (new := errors[data, part]) is not None and (old := errors[data, ""]) is not None
        ]
        cells.append(ratio([(new, old) for _, new, old in pairs]))
        every += pairs
    worse = sum(new > old for _, new, old in every)
    data, new, old = max(every, key=lambda one: max(one[1], 0.02) / max(one[2], 0.02))
    return [*cells, f"{worse} of {len(every)}", f"{data} {old:.2f} → {new:.2f}"]


#: Errors in % by set and part; "" is the whole learner.
Errors = dict[tuple[str, str], float | None]


def measured(rows: int, seeds: Sequence[int]) -> Errors:
    """The errors of the library without each part."""
    errors: Errors = {}
    for data in (*CHOSEN_ON, *OTHER_SETS):
        for part, options in {"": {}, **PARTS}.items():
            errors[data, part] = error_of(data, rows, seeds, options)
        print(data, flush=True)
    return errors


def measured_inside(rows: int) -> Errors:
    """The errors of the numpy implementation without each part."""
    errors: Errors = {}
    for data in (*SLOW_SETS["chosen on"], *SLOW_SETS["aside"]):
        kinds: dict[str, type[Sorf]] = {"": Sorf, **INNER}
        for part, kind in kinds.items():
            errors[data, part] = stepped(data, rows, kind)
        print(data, flush=True)
    return errors


def report(errors: Errors, slow: Errors, rows: int, slow_rows: int, seeds: int) -> Report:
    """What was measured, as tables."""
    header = ("without", "sets chosen on", "other sets", "worse on", "where it costs most")
    tables = [
        Table(
            "Parts that an argument removes",
            header,
            [line(part, (CHOSEN_ON, OTHER_SETS), errors) for part in PARTS],
            f"`ek.Learner(n_features=d, ram=4096)`, everything in the bytes, the first {rows:,}"
            f" rows, mean of {seeds} seeds. Chosen on: {', '.join(CHOSEN_ON)}. Others:"
            f" {', '.join(OTHER_SETS)}. Sets that do not fit without the part are left out. Without"
            " a scaler nothing is held, and the width is that of the first 100 rows.",
        ),
        Table(
            "Parts inside the step",
            header,
            [line(part, tuple(SLOW_SETS.values()), slow) for part in INNER],
            f"`edgeolk.reference`, D = {SLOW_D}, one learned width, weights in a byte, the first"
            f" {slow_rows:,} rows, one seed. Chosen on: {', '.join(SLOW_SETS['chosen on'])}."
            f" Others: {', '.join(SLOW_SETS['aside'])}.",
        ),
    ]
    introduction = (
        "`python -m bench.without`. The change in error when one part is removed and all else"
        " stays: + means that the part helps. Geometric means; an error below 0.02 % counts as"
        " 0.02 %. The alarm is for streams that change, of which these sets have few:"
        " [its page](../../docs/drift.md) measures those."
    )
    return Report("sorf without one of its parts", introduction, tables)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    reader = argparse.ArgumentParser(prog="python -m bench.without", description=__doc__)
    reader.add_argument("--rows", type=int, default=4000, help="of each set (4000)")
    reader.add_argument("--slow-rows", type=int, default=2000, help="in numpy (2000)")
    reader.add_argument("--seeds", type=int, default=2, help="how many (2)")
    given = reader.parse_args(arguments)
    errors = measured(given.rows, range(1, given.seeds + 1))
    slow = measured_inside(given.slow_rows)
    report(errors, slow, given.rows, given.slow_rows, given.seeds).publish("without")


if __name__ == "__main__":
    main()
