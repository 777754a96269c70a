"""The figures of the specification again: ours, printed, and whether they agree.

``python -m bench.bytes.figures [table novelty whole relevant groups usps]``; all without a name.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from bench.bytes.printed import GROUPS, NOVELTY, RELEVANT, TABLE, WHOLE
from bench.bytes.sets import Rows, gamma_of, load
from bench.bytes.shim import Sorf

SEEDS = (1, 2, 3)
KIB = 1024
ONE = ((0.3, 1.0, 3.0),)
TWO = ((0.3, 1.0, 3.0), (3.0, 5.5, 10.0))


def frequencies(ram: int, extra: int = 0) -> int:
    """D of so many bytes, int8: header and counters 128, a block of scratch 256."""
    return (ram - 384 - extra) // 4


def error(
    X: Rows,
    y: Rows,
    ram: int,
    *,
    relevance: bool = False,
    groups: tuple[tuple[float, ...], ...] = ONE,
    passes: int = 1,
) -> float:
    """Prequential error in %, mean of the passes and the seeds."""
    d, gamma, found = X.shape[1], gamma_of(X), []
    D = frequencies(ram, 16 * d if relevance else 0)
    for seed in SEEDS:
        learner = Sorf(d, D, gamma, seed=seed, relevance=relevance, groups=groups, row=True)
        for _ in range(passes):
            found.append(100.0 * float(np.mean(y * learner.steps(X, y) <= 0.0)))
    return float(np.mean(found))


def close(ours: float, printed: float) -> bool:
    """Within .15 points or 3 %, whichever is larger."""
    return abs(ours - printed) <= max(0.15, 0.03 * printed) + 5e-3


def verdict(ours: float, printed: float) -> str:
    """One figure beside the printed one."""
    word = "ok" if close(ours, printed) else ("better" if ours < printed else "WORSE")
    return f"{ours:6.2f} ({printed:5.2f}) {word:6}"


def table() -> Iterator[str]:
    """Section 12."""
    yield "error %, first 10,000 rows: ours (printed), at 1, 4, 16 KiB"
    for name, printed in TABLE.items():
        X, y = load(name)
        cells = [
            verdict(error(X, y, ram * KIB), p) for ram, p in zip((1, 4, 16), printed, strict=True)
        ]
        yield f"{name:16} " + "  ".join(cells)


def whole() -> Iterator[str]:
    """Section 7c, whole sets."""
    yield "error %, whole sets, 4 KiB: without and with relevance"
    for name, (without, with_it) in WHOLE.items():
        X, y = load(name, None)
        plain = verdict(error(X, y, 4 * KIB), without)
        yield f"{name:16} {plain}  {verdict(error(X, y, 4 * KIB, relevance=True), with_it)}"
    X, y = load("ijcnn1_train", None)
    runs = [error(X, y, 4 * KIB, relevance=on, passes=8) for on in (False, True)]
    yield f"{'ijcnn1, 8 passes':16} {verdict(runs[0], 3.13)}  {verdict(runs[1], 1.92)}"


def relevant() -> Iterator[str]:
    """Section 7c, first rows."""
    yield "error %, first 10,000 rows, with relevance"
    for name, sizes in RELEVANT.items():
        X, y = load(name)
        cells = [
            f"{ram:2} KiB {verdict(error(X, y, ram * KIB, relevance=True), p)}"
            for ram, p in sizes.items()
        ]
        yield f"{name:16} " + "  ".join(cells)


def groups() -> Iterator[str]:
    """Section 7d."""
    yield "error %, first 10,000 rows, 64 KiB: one group, and two groups with relevance"
    for name, (one, two) in GROUPS.items():
        X, y = load(name)
        plain = verdict(error(X, y, 64 * KIB), one)
        both = verdict(error(X, y, 64 * KIB, relevance=True, groups=TWO), two)
        yield f"{name:16} {plain}  {both}"


def area(score: Rows, positive: NDArray[np.bool_]) -> float:
    """Area under the curve: the share of pairs in the right order, ties half."""
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[inverse]
    some = int(positive.sum())
    total = float(ranks[positive].sum()) - some * (some + 1) / 2.0
    return total / (some * (len(score) - some))


def novelty() -> Iterator[str]:
    """Section 6b."""
    yield "novelty, D = 480: area under the curve (printed); novel of the first 500, after 2,000"
    for name, printed in NOVELTY.items():
        X, y = load(name, 20_000, 8 if name == "nab_machine_temp" else 0)
        learner = Sorf(X.shape[1], 480, gamma_of(X), task="novelty", seed=1)
        f, rho = np.empty(len(X)), np.empty(len(X))
        for i, x in enumerate(X):
            rho[i] = learner.novelty[0]
            f[i] = learner.step(x) + rho[i]
        found = area(-f[500:], y[500:] > 0)
        word = "ok" if abs(found - printed) <= 0.015 else "DIFFERS"
        novel = 100.0 * (f < rho)
        later = f"{novel[2000:].mean():.1f} %" if len(X) > 2000 else "-"
        yield f"{name:18} {found:.3f} ({printed:.3f}) {word:8} {novel[:500].mean():.1f} %, {later}"


def usps() -> Iterator[str]:
    """Accuracy on usps_test after one pass over usps_train."""
    X, y = load("usps_train", None)
    test, labels = load("usps_test", None)
    for ram, least in ((2, 91.0), (16, 94.2), (64, 94.7)):
        found = []
        for seed in SEEDS:
            D = frequencies(ram * KIB)
            learner = Sorf(256, D, gamma_of(X), seed=seed, groups=TWO if D >= 8000 else ONE)
            learner.steps(X, y)
            found.append(100.0 * float(np.mean(labels * learner.scores(test)[:, 0] > 0.0)))
        word = "ok" if np.mean(found) >= least else "LESS"
        yield f"usps_test, one pass, {ram:2} KiB: {np.mean(found):.2f} % (at least {least}) {word}"


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "table": table,
    "usps": usps,
    "novelty": novelty,
    "relevant": relevant,
    "whole": whole,
    "groups": groups,
}


def main(arguments: list[str] | None = None) -> int:
    """Prints the parts asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.bytes.figures", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="parts to run")
    for name in parser.parse_args(arguments).parts or PARTS:
        for line in PARTS[name]():
            print(line, flush=True)
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
