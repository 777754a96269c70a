"""The effect of the row memory: ``python -m bench.bytes.remembered``.

The learner that a user makes of R bytes, untuned, without a memory and with the one that the rule
of section 7f of docs/sorf.md gives it. Wrong answers in %, each row scored before it is learned,
and the time of a row. The rule is chosen on the sets of `DESIGN` alone; those of `ASIDE` say how it
does elsewhere.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import edgeolk as ek
from bench.bytes.grid import SETS
from bench.bytes.runs import learned
from bench.bytes.sets import SPECS, load
from bench.table import Report, Table

SIZES = (4096, 16_384, 65_536, 262_144)
#: What the text asks for: set, bytes, rows, the largest error.
ASKED = (
    ("vowel_train", 16_384, 4000, 23.5),
    ("letter", 16_384, 4000, 23.0),
    ("letter", 65_536, 4000, 19.0),
    ("letter", 65_536, 20_000, 8.0),
    ("segment", 16_384, 4000, 7.6),
    ("phoneme", 16_384, 4000, 15.9),
    ("keystroke", 4096, 4000, 5.0),
    ("usps10_train", 262_144, 4000, 6.6),
)
#: What the shares, the least rows and the least frequencies are chosen on.
DESIGN = (
    *("a9a_train", "ijcnn1_train", "covtype10k", "phoneme", "banana", "ring", "german", "twonorm"),
    *("elec2", "wall_following", "occupancy", "eeg_eye_state", "arem_activity", "gas_drift"),
    *("letter", "satimage_train", "vowel_train", "keystroke", "wisdm_activity", "outdoor"),
    "wall_moves",
)
#: What nothing is chosen on; six of several classes.
ASIDE = (
    *("phishing", "spambase", "usps_train", "w8a", "mushrooms", "svmguide3", "insects_gradual"),
    *("weather_rain", "shuttle", "segment", "usps10_train", "dna_train", "mnist_t10k"),
    *("insect_classes", "gases"),
)
#: A set that loses more than this is run again, with more seeds.
LOSS, MORE_SEEDS = 1.02, (1, 2, 3, 4, 5, 6, 7, 8)
#: Sets with real targets, which have no memory: they count 1 in a mean over all.
ALIKE = sum(SPECS[name].task == "regression" for name in SETS)


class Found(NamedTuple):
    """Error in %, frequencies, rows held, share of the memory, microseconds a row."""

    error: float
    D: int
    rows: int
    share: float
    time: float


def measured(name: str, nbytes: int, rows: int, seeds: Sequence[int], memory: int | None) -> Found:
    """The mean over seeds; ``memory`` None: by the rule."""
    found = []
    for seed in seeds:
        learner, error, seconds = learned(name, rows, seed, ram=nbytes, memory=memory)
        each = 1e6 * seconds / learner.steps
        found.append(Found(error, learner.budget, learner.n_remembered, learner.memory_share, each))
    return Found(*(np.mean(numbers) for numbers in zip(*found, strict=True)))


def has_memory(name: str, nbytes: int) -> bool:
    """Whether the rule gives it one."""
    d, spec = load(name, 100, raw=True)[0].shape[1], SPECS[name]
    classes: dict[str, Any] = {"n_classes": spec.classes} if spec.task == "classes" else {}
    plan = ek.plan(n_features=d, ram=nbytes, **classes)
    return any(region.name == "row_memory" for region in plan.regions)


def both(name: str, nbytes: int, rows: int, seeds: Sequence[int]) -> tuple[Found, Found | None]:
    """Without and with a memory; None where the rule gives none."""
    without = measured(name, nbytes, rows, seeds, 0)
    if not has_memory(name, nbytes):
        return without, None
    return without, measured(name, nbytes, rows, seeds, None)


def ratio_of(without: Found, found: Found | None) -> float:
    """The error with a memory over that without."""
    return found.error / without.error if found and without.error else 1.0


def asked(seeds: Sequence[int]) -> Table:
    """What the text asks for."""
    lines = []
    for name, nbytes, rows, most in ASKED:
        without, found = both(name, nbytes, rows, seeds)
        assert found is not None
        lines.append(
            (
                f"{name}, {rows:,} rows", f"{nbytes // 1024} KiB", f"{without.error:.2f}",
                f"{found.error:.2f}", f"{most:g}", f"{found.rows:.0f}", f"{found.share:.2f}",
                f"{without.time:.1f}", f"{found.time:.1f}",
            )
        )  # fmt: skip
        print(*lines[-1], flush=True)
    head = ("set", "bytes", "without", "with", "at most", "rows held", "share at the end")
    return Table("What the text asks for", (*head, "µs a row without", "with"), lines, "")


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.bytes.remembered", description=__doc__)
    chosen = (*DESIGN, *ASIDE)
    parser.add_argument("--sets", nargs="*", default=list(chosen), choices=chosen)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), help="bytes")
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--print", action="store_true", help="print, and write no page")
    given = parser.parse_args(arguments)
    first = asked(given.seeds)
    lines: list[list[str]] = []
    ratios: dict[str, dict[int, list[float]]] = {
        name: {size: [] for size in given.sizes} for name in ("31", "design", "aside")
    }
    for size in given.sizes:
        ratios["31"][size] += [0.0] * ALIKE
    for name in given.sets:
        line = [name]
        for size in given.sizes:
            try:
                without, found = both(name, size, given.rows, given.seeds)
            except ValueError:  # so few bytes hold no such learner
                line.append("-")
                continue
            ratio, seeds = ratio_of(without, found), ""
            if ratio > LOSS and len(given.seeds) < len(MORE_SEEDS):
                without, found = both(name, size, given.rows, MORE_SEEDS)
                ratio, seeds = ratio_of(without, found), "*"
            for group in ("design" if name in DESIGN else "aside", *["31"] * (name in SETS)):
                ratios[group][size].append(math.log(ratio))
            line.append(
                f"{without.error:.2f} → {found.error:.2f} ({ratio:.3f}{seeds})"
                if found
                else f"{without.error:.2f} none"
            )
        print(*line, sep=" | ", flush=True)
        lines.append(line)
    for group, title in (
        ("design", "geometric mean of the sets of the design"),
        ("aside", "geometric mean of those kept aside"),
        ("31", f"geometric mean of the 31 of bytes.md, {ALIKE} of real targets counting 1"),
    ):
        found_of = ratios[group].values()
        lines.append([title, *(f"{math.exp(np.mean(of)):.3f}" if of else "-" for of in found_of)])
        print(*lines[-1], sep=" | ")
    sizes = [f"{size // 1024} KiB" for size in given.sizes]
    text = (
        f"Wrong answers in %, the first {given.rows:,} rows, one pass, mean of seeds"
        f" {', '.join(map(str, given.seeds))}, `ek.Learner(n_features=d, ram=R)` without and with"
        " the memory of section 7f of [the algorithm's page](../../docs/sorf.md), rows of it by its"
        " rule, so that its narrower kernel answers alone too; none: the rule gives none."
        " (.. *): mean of eight seeds, where three lost more than 2 %."
        f" The rule is chosen on the first {len(DESIGN)} sets; the others, from"
        f" {ASIDE[0]} on, are kept aside."
    )
    second = Table("Every set", ("set", *sizes), lines, "")
    made = Report("A memory of rows beside the features", text, [first, second])
    if given.print:
        return 0
    print(*made.save("remembered"), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
