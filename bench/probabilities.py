"""``python -m bench.probabilities``: probabilities and decisions of two classes, before and after.

Each row is answered before it is learned. Before: the calibration of the score alone, and the sign
of the score. After: probabilities from all four scores behind an answer and the shares of the
classes, as the estimators give them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from bench.bytes.sets import SPECS, load, read_csv
from bench.datasets import find, read_libsvm
from bench.table import Report, Table
from edgeolk.calibration import Calibration
from edgeolk.probabilities import Probabilities

#: Sets with a rare class: columns that are no inputs, or the number of inputs of a LIBSVM file.
RARE: dict[str, tuple[str, ...] | int] = {
    "ai4i_machine": (),
    "ozone8h": ("date",),
    **{
        f"ad_{name}": ()
        for name in (
            *("annthyroid", "cardio", "mammography", "optdigits", "satimage2"),
            *("shuttle", "smtp", "thyroid", "vowels"),
        )
    },
    "smap_telemetry": ("channel",),
    "w8a": 300,
}
BALANCED = [
    name
    for name, spec in SPECS.items()
    if spec.task == "two"
    and not name.startswith(("ad_", "nab_"))
    and name not in (*RARE, "shuttle")
]
#: Sets whose labels are permuted; whose rare class gets weights.
NOISE = ("a9a_train", "ijcnn1_train", "phoneme", "spambase", "elec2", "gas_drift")
WEIGHED = ("ai4i_machine", "ad_mammography", "ozone8h", "ad_vowels", "ad_cardio")
Rows = NDArray[np.float64]


def rows_of(name: str, rows: int, order: int | None) -> tuple[Rows, Rows]:
    """Inputs and labels -1 and +1.

    A set with a rare class is whole, as in its file or permuted by a seed. Of another one these are
    the first rows; a seed permutes its labels alone, which makes them noise.
    """
    if name not in RARE and order is not None:
        X, y = load(name, rows, raw=True)
        return X, np.random.default_rng(order).permutation(y)
    if name not in RARE:
        return load(name, rows, raw=True)
    about = RARE[name]
    if isinstance(about, int):
        single, y = read_libsvm(find(f"{name}.libsvm.gz"), about)
        X = single.astype(float)
    else:
        X, y = read_csv(name, about)
    if order is not None:
        chosen = np.random.default_rng(order).permutation(len(y))
        X, y = X[chosen], y[chosen]
    return X, np.where(y > 0.0, 1.0, -1.0)


def answered(X: Rows, y: Rows, ram: str) -> dict[str, Any]:
    """The answers to rows, each before it was learned."""
    learner = ek.Learner(n_features=X.shape[1], ram=ram, seed=1)
    parts = np.empty((len(y), 3))
    f = learner._learn_many(X, y, parts=parts)
    alone, all_scores = Calibration(), Probabilities(has_parts=True)
    p = np.empty((3, len(y)))
    margins = np.empty(len(y))
    for i, (scores, second) in enumerate(
        zip(np.column_stack((f, parts)), (y > 0.0).astype(int).tolist(), strict=True)
    ):
        p[0, i] = alone.probabilities_of_two(f[i])[1]
        margins[i] = all_scores.margins(scores[None], balanced=True)[0]
        share = all_scores.shares[1]
        p[1, i] = 1.0 / (1.0 + np.exp(-margins[i]) * (1.0 - share) / share)
        p[2, i] = all_scores.probabilities_one(scores)[1]
        alone.learn_one(f[i], bool(second))
        all_scores.learn_one(scores, second)
    return {"f": f, "p": p, "balanced": margins > 0.0}


def log_loss(p: Rows, second: Any) -> float:
    held = np.clip(p, 1e-6, 1.0 - 1e-6)
    return float(-np.mean(np.log(np.where(second, held, 1.0 - held))))


def average_precision(scores: Rows, second: Any) -> float:
    """Precision at each threshold, weighted by the recall that it adds."""
    order = np.argsort(-scores, kind="stable")
    hits, ends = np.cumsum(second[order]), np.r_[np.diff(scores[order]) != 0.0, True]
    recalls, counts = hits[ends] / hits[-1], np.arange(1, len(second) + 1)[ends]
    return float(np.sum(np.diff(recalls, prepend=0.0) * hits[ends] / counts))


def balanced_accuracy(answers: Any, second: Any) -> float:
    return float((answers[second].mean() + (~answers[~second]).mean()) / 2.0)


def figures(found: dict[str, Any], y: Rows) -> dict[str, float]:
    """Figures of one pass, before (0), without the shares (1) and after (2)."""
    second, made = y > 0.0, {}
    counts = np.concatenate(([0.0], np.cumsum(second)[:-1])) + 0.5
    made["log loss prior"] = log_loss(counts / np.arange(1, len(y) + 1), second)
    for k in range(3):
        p = found["p"][k]
        made[f"log loss {k}"] = log_loss(p, second)
        made[f"Brier {k}"] = float(np.mean((p - second) ** 2))
        made[f"AP {k}"] = average_precision(p, second)
        made[f"mistakes {k}"] = float(np.mean((p > 0.5) != second))
    made["AP f"] = average_precision(found["f"], second)
    made["mistakes f"] = float(np.mean((found["f"] >= 0.0) != second))
    made["balanced accuracy f"] = balanced_accuracy(found["f"] >= 0.0, second)
    made["balanced accuracy"] = balanced_accuracy(found["balanced"], second)
    made["wrong, balanced"] = float(np.mean(found["balanced"] != second))
    return made


def measured(names: Sequence[str], rams: Sequence[str], orders: Any, rows: int) -> dict[Any, Any]:
    """Figures by set, bytes and order."""
    cells = {}
    for name in names:
        for order in orders:
            X, y = rows_of(name, rows, order)
            for ram in rams:
                try:
                    cells[name, ram, order] = figures(answered(X, y, ram), y)
                except ValueError as error:  # too few bytes
                    print(name, ram, error, flush=True)
        print(name, flush=True)
    return cells


def _mean(cells: Sequence[dict[str, float]], name: str) -> float:
    return float(np.mean([cell[name] for cell in cells]))


def _ratio(cells: Sequence[dict[str, float]], name: str, to: int = 2) -> float:
    ratios = [(cell[f"{name} {to}"] + 1e-9) / (cell[f"{name} 0"] + 1e-9) for cell in cells]
    return float(np.exp(np.mean(np.log(ratios))))


def rare_table(cells: dict[Any, Any], title: str) -> Table:
    """A line a set, the mean of its passes; then ratios and counts over all."""
    header = (
        *("set", "log loss", "after", "Brier", "after", "AP", "after"),
        *("balanced accuracy", "after", "wrong, after"),
    )
    lines = []
    for name in dict.fromkeys(key[0] for key in cells):
        some = [cell for key, cell in cells.items() if key[0] == name]
        columns = [
            *(f"{_mean(some, f'log loss {k}'):.4f}" for k in (0, 2)),
            *(f"{_mean(some, f'Brier {k}'):.4f}" for k in (0, 2)),
            *(f"{_mean(some, f'AP {k}'):.3f}" for k in (0, 2)),
            f"{_mean(some, 'balanced accuracy f'):.3f}",
            f"{_mean(some, 'balanced accuracy'):.3f}",
            f"{100.0 * _mean(some, 'wrong, balanced'):.1f} %",
        ]
        lines.append((name, *columns))
    return Table(title, header, lines, _note(list(cells.values())))


def _note(cells: Sequence[dict[str, float]]) -> str:
    losses = [cell["log loss 2"] / cell["log loss 0"] for cell in cells]
    gains = [cell["AP 2"] - cell["AP 0"] for cell in cells]
    better, worse = sum(x < 1.0 for x in losses), sum(x > 1.002 for x in losses)
    return (
        f"{len(cells)} passes. Geometric means of after over before: log loss"
        f" {_ratio(cells, 'log loss'):.3f} (better in {better}, worse by more than .2 % in {worse},"
        f" the worst {max(losses):.3f}; without the shares {_ratio(cells, 'log loss', 1):.3f}),"
        f" Brier score {_ratio(cells, 'Brier'):.3f}. Average precision"
        f" {_mean(cells, 'AP 0'):.4f} -> {_mean(cells, 'AP 2'):.4f} (better in"
        f" {sum(x > 5e-4 for x in gains)}, worse in {sum(x < -5e-4 for x in gains)}; of the score"
        f" {_mean(cells, 'AP f'):.4f}). Wrong by the score"
        f" {100.0 * _mean(cells, 'mistakes f'):.2f} %, by p > 1/2"
        f" {100.0 * _mean(cells, 'mistakes 2'):.2f} %. Balanced accuracy of the score"
        f" {_mean(cells, 'balanced accuracy f'):.3f}, of balanced decisions"
        f" {_mean(cells, 'balanced accuracy'):.3f}."
    )


def noise_table(cells: dict[Any, Any]) -> Table:
    """Log loss where labels are noise, over that of the running share."""
    lines = []
    for (name, ram, _), cell in cells.items():
        ratios = [cell[f"log loss {k}"] / cell["log loss prior"] for k in range(3)]
        lines.append((name, ram, *(f"{ratio:.4f}" for ratio in ratios)))
    header = ("set", "bytes", "calibration", "all scores", "with the shares")
    note = "Log loss over that of the running share of the class alone, labels permuted."
    return Table("Labels that are noise", header, lines, note, left=2)


def weights_table(names: Sequence[str]) -> Table:
    """What weights of the rare class do to the score."""
    lines = []
    for name in names:
        X, y = rows_of(name, 0, 0)
        second = y > 0.0
        weight = np.where(second, float(np.mean(~second) / np.mean(second)), 1.0)
        cells = []
        for given in ((None, None), (weight, None), (weight, np.ones(len(y)))):
            learner = ek.Learner(n_features=X.shape[1], ram="16KiB", seed=1)
            f = learner._learn_many(X, y, *given)
            cells.append((average_precision(f, second), balanced_accuracy(f >= 0.0, second)))
        columns = [f"{cell[k]:.3f}" for k in range(2) for cell in cells]
        lines.append((name, *columns))
    header = (
        *("set", "AP, no weights", "counted", "steps alone"),
        *("balanced accuracy, no weights", "counted", "steps alone"),
    )
    note = (
        "16 KiB, permuted. Rows of the rare class weigh as much as all others together; figures of"
        " the score and its sign. Counted: the weight enters the counts of mistakes too."
    )
    return Table("Weights of classes", header, lines, note)


def report(
    rare: dict[Any, Any], balanced: dict[Any, Any], noise: dict[Any, Any], rows: int
) -> Report:
    """What was measured, as tables."""
    introduction = (
        "`python -m bench.probabilities`. `ek.Learner(n_features=d, ram=...)` learns a set once,"
        f" of sets without a rare class the first {rows:,} rows; each row is answered before it is"
        " learned. Before: the calibration of the score alone, decisions by its sign. After:"
        " probabilities from all four scores and the shares of the classes, balanced decisions by"
        " these shares ([rare classes](../../docs/rare-classes.md)). A line is the mean of 4 and 16"
        " KiB and, with a rare class, of the file's order and one permutation."
    )
    tables = [
        rare_table(rare, "Sets with a rare class"),
        rare_table(balanced, "Other sets"),
        noise_table(noise),
        weights_table(WEIGHED),
    ]
    return Report("Probabilities of two classes", introduction, tables)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    reader = argparse.ArgumentParser(prog="python -m bench.probabilities", description=__doc__)
    reader.add_argument("--rows", type=int, default=10_000, help="of the other sets (10,000)")
    reader.add_argument("--only", nargs="*", default=None, help="sets")
    given = reader.parse_args(arguments)
    chosen = [*RARE, *BALANCED] if given.only is None else given.only
    rams = ("4KiB", "16KiB")
    rare = measured([name for name in chosen if name in RARE], rams, (None, 0), given.rows)
    balanced = measured([name for name in chosen if name in BALANCED], rams, (None,), given.rows)
    noise = measured([name for name in chosen if name in NOISE], rams, (0,), given.rows)
    report(rare, balanced, noise, given.rows).publish("probabilities")


if __name__ == "__main__":
    main()
