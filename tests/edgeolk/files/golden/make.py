"""Write the golden files of one format version, with the code of its time.

Run by hand, once a version (README.md says how); the tests only read what it wrote. It uses nothing
but what every release has had: ``Learner``, ``plan``, kernels, properties and ``save``.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import edgeolk as ek

D, BUDGET, SEED = 3, 6, 7
LEARNED, AFTERWARDS, DECIDED = 60, 12, 4
#: Rows that any case may learn: relevance begins after 200.
MOST_ROWS = 272

Case = tuple[str | None, dict[str, Any]]

#: Parameters by which an algorithm does everything it can within 60 rows.
LIVELY: dict[str, dict[str, Any]] = {
    "spa": {"beta": 2.0},
    "avp": {"U": 3.0, "lam": 0.4},
    "olrd": {"U": 8.0},
    "pomdr": {"U": 3.0, "M": 4},
    "projectron++": {"eta": 0.3},
    "olk": {"U": 2.0, "eta": 0.5},
    "olru": {"U": 2.0, "eta": 0.5},
    "bogd": {"gamma": 1.5, "lam": 0.05, "eta": 0.5},
    "bogd++": {"gamma": 2.0, "lam": 0.05, "eta": 0.5},
    "oskl": {"R": 1.0, "eta": 0.8},
    "klr": {"R": 1.0, "eta": 0.8},
    "pegasos": {"lam": 0.02},
    "bsgd": {"lam": 0.02},
    "nogd": {"eta": 0.4, "k": 3},
    "sorf": {"scale": None},
}
POLYNOMIAL = ("Polynomial", 2, 0.5, 1.0)
LAPLACIAN = ("Laplacian", 0.4)
SIGMOID = ("Sigmoid", 0.4, 0.2)

#: Beyond every algorithm in every type: other storage, rows, kernels, choices, budgets.
MORE: dict[str, Case] = {
    "rbp-float16": ("rbp", {"dtype": "float16"}),
    "forgetron_greedy-float16": ("forgetron_greedy", {"dtype": "float16"}),
    "projectron-float16": ("projectron", {"dtype": "float16"}),
    "nogd-float16": ("nogd", {"dtype": "float16"}),
    "fogd-float16": ("fogd", {"dtype": "float16"}),
    "pomdr-float16": ("pomdr", {"dtype": "float16"}),
    "rbp-int8": ("rbp", {"dtype": "int8"}),
    "bpa_nn-int8": ("bpa_nn", {"dtype": "int8"}),
    "bpa_p-int8": ("bpa_p", {"dtype": "int8", "feature_range": (-2.0, 2.5)}),
    "bsgd-int8": ("bsgd", {"dtype": "int8"}),
    "pomdr-int8": ("pomdr", {"dtype": "int8"}),
    "spa-int8": ("spa", {"dtype": "int8"}),
    "forgetron_greedy-int8": ("forgetron_greedy", {"dtype": "int8", "kernel": LAPLACIAN}),
    "rbp-sparse": ("rbp", {"sparse": True}),
    "spa-sparse": ("spa", {"sparse": True, "dtype": "float64", "kernel": LAPLACIAN}),
    "bpa_nn-sparse": ("bpa_nn", {"sparse": True, "kernel": POLYNOMIAL}),
    "bsgd-sparse": ("bsgd", {"sparse": True}),
    "pomdr-sparse": ("pomdr", {"sparse": True, "dtype": "float16"}),
    "forgetron_greedy-sparse": ("forgetron_greedy", {"sparse": True}),
    "bpa_s-polynomial": ("bpa_s", {"kernel": POLYNOMIAL}),
    "bpa_p-polynomial": ("bpa_p", {"kernel": POLYNOMIAL, "dtype": "float64"}),
    "olrd-polynomial": ("olrd", {"kernel": POLYNOMIAL}),
    "bogd++-polynomial": ("bogd++", {"kernel": POLYNOMIAL}),
    "forgetron_basic-polynomial": ("forgetron_basic", {"kernel": POLYNOMIAL}),
    "forgetron_greedy-polynomial": (
        "forgetron_greedy", {"kernel": POLYNOMIAL, "dtype": "float64"},
    ),
    "projectron-polynomial": ("projectron", {"kernel": POLYNOMIAL}),
    "projectron-laplacian": ("projectron", {"kernel": LAPLACIAN, "eta": 0.4}),
    "ahpatron-linear": ("ahpatron", {"kernel": ("Linear",)}),
    "bpa_nn-sigmoid": ("bpa_nn", {"kernel": SIGMOID}),
    "forgetron_greedy-sigmoid": ("forgetron_greedy", {"kernel": SIGMOID}),
    "bsgd-project": ("bsgd", {"maintenance": "project", "lam": 0.1}),
    "bsgd-project-linear": (
        "bsgd", {"maintenance": "project", "lam": 0.1, "kernel": ("Linear",)},
    ),
    "bsgd-remove": ("bsgd", {"maintenance": "remove", "lam": 0.1, "kernel": POLYNOMIAL}),
    "projectron++-icml": ("projectron++", {"rule": "icml"}),
    "projectron++-loose": ("projectron++", {"rule": "loose", "dtype": "float64"}),
    "klr-margin": ("klr", {"method": "margin"}),
    "klr-cut": ("klr", {"h": "cut"}),
    "ogd-square": ("ogd", {"loss": "square"}),
    "ogd-logistic": ("ogd", {"loss": "logistic", "lam": 0.05}),
    "bpa_s-ramp": ("bpa_s", {"loss": "ramp"}),
    "bogd-scale": ("bogd", {"projection": "scale", "kernel": POLYNOMIAL}),
    "shifting_perceptron-stop": ("shifting_perceptron", {"full": "stop"}),
    "custom-mean": (
        None, {"update": "gradient", "lam": 0.3, "averaging": "mean", "projection": "ball",
               "U": 1.0},
    ),
    "custom-smallest": (
        None, {"update": "gradient", "loss": "square", "policy": "smallest", "schedule": "sqrt"},
    ),
    "rbp-none": ("rbp", {"rows": 0}),
    "projectron-filling": ("projectron", {"rows": 8, "budget": 9}),
    "bpa_p-filling": ("bpa_p", {"rows": 6, "budget": 9}),
    "bpa_nn-filling": ("bpa_nn", {"rows": 6, "budget": 9}),
    "forgetron_greedy-filling": ("forgetron_greedy", {"rows": 6, "budget": 9}),
    "nogd-filling": ("nogd", {"rows": 5, "budget": 9}),
    "pomdr-filling": ("pomdr", {"rows": 5, "budget": 9}),
    "pa1-padded": ("pa1", {"budget": 31, "full": "random"}),
    "pomdr-padded": ("pomdr", {"budget": 30, "dtype": "float64", "M": 8}),
    "bsgd-padded": ("bsgd", {"budget": 31, "maintenance": "project"}),
    "olk-padded": ("olk", {"budget": 31}),
    "rbp-page": ("rbp", {"budget": 512, "dtype": "float64"}),
}  # fmt: skip


#: Structured features: tasks, options, lists, parameters that are not plain.
STRUCTURED: dict[str, Case] = {
    "sorf-classes": ("sorf", {"dtype": "int8", "n_classes": 3, "budget": 70}),
    "sorf-classes-float64": ("sorf", {"dtype": "float64", "n_classes": 3}),
    "sorf-regression": ("sorf", {"dtype": "int8", "loss": "square"}),
    "sorf-regression-linear": (
        "sorf", {"dtype": "float64", "loss": "square", "linear": True, "last_label": True},
    ),
    "sorf-novelty": ("sorf", {"dtype": "int8", "loss": "novelty", "budget": 70}),
    "sorf-novelty-float64": (
        "sorf", {"dtype": "float64", "loss": "novelty", "nu": 0.2, "window": 16.0},
    ),
    "sorf-linear": ("sorf", {"dtype": "int8", "linear": True}),
    "sorf-last_label": ("sorf", {"dtype": "int8", "last_label": True}),
    "sorf-relevance": ("sorf", {"dtype": "int8", "relevance": True, "rows": 260}),
    "sorf-relevance-float64": ("sorf", {"dtype": "float64", "relevance": True, "rows": 260}),
    "sorf-no-relevance": ("sorf", {"dtype": "int8", "relevance": False, "budget": 130}),
    "sorf-groups": ("sorf", {"dtype": "int8", "groups": 2, "budget": 130}),
    "sorf-widths": (
        "sorf", {"dtype": "int8", "budget": 130, "widths": [[0.5, 2.0], [1.0, 4.0, 8.0]]},
    ),
    "sorf-blends": ("sorf", {"dtype": "float32", "widths": [0.7], "blends": [0.0, 0.4, 1.0]}),
    "sorf-parameters": (
        "sorf", {"dtype": "int8", "r": 0.1, "unit": 2.0, "sharp": 0.5, "delta": 0.99, "cmin": 4.0,
                 "cmax": 64.0, "shrink": 0.8},
    ),
    "sorf-none": ("sorf", {"dtype": "int8", "rows": 0}),
}  # fmt: skip


#: Everything inside one block: scaler, width, long rows.
INSIDE = {"scale": "standard", "gamma": "auto", "gamma_rows": 20, "clip_rows": 1.5}
FORECAST = {"loss": "square", "history": True, "scale": "standard"}
NOVELTY = {"update": "gradient", "loss": "novelty", "nu": 0.2}

#: Classes, novelty, tolerance, what is done with rows on their way in, frequencies drawn again.
LATER: dict[str, Case] = {
    "rbp-classes": ("rbp", {"n_classes": 3}),
    "pa1-classes-narrow": ("pa1", {"n_classes": 3, "coefficients": "float32", "full": "random"}),
    "bpa_s-classes": ("bpa_s", {"n_classes": 3, "dtype": "int8"}),
    "oskl-classes": ("oskl", {"n_classes": 3, "R": 1.0, "eta": 0.8}),
    "custom-novelty": (None, {**NOVELTY, "policy": "random"}),
    "ogd-epsilon": ("ogd", {"loss": "epsilon"}),
    "rbp-inside": ("rbp", INSIDE),
    "projectron-inside": ("projectron", INSIDE),
    "bpa_s-minmax": ("bpa_s", {"scale": "minmax", "scale_clip": 2.0, "scale_window": 40}),
    "rbp-classes-inside": ("rbp", {**INSIDE, "n_classes": 3}),
    "custom-novelty-inside": (None, {**INSIDE, **NOVELTY, "policy": "oldest"}),
    "sorf-inside": ("sorf", {**INSIDE, "dtype": "int8"}),
    "sorf-classes-inside": ("sorf", {**INSIDE, "dtype": "int8", "n_classes": 3}),
    "rbp-skipping": ("rbp", {"on_bad_row": "skip"}),
    "ogd-checksums": ("ogd", {"checksums": True}),
    "fogd-drawn": ("fogd", {"frequencies": "drawn"}),
    "fogd-structured": ("fogd", {"frequencies": "structured", "budget": 64}),
    "sorf-row": ("sorf", {"dtype": "int8", "scratch": "row"}),
}  # fmt: skip


#: Cases of archives of their own, `v3-NAME.zip`: what came after, so that nothing old is written.
ADDED: dict[str, dict[str, Case]] = {
    "in_time": {
        f"sorf-novelty-in-time-{dtype}": (
            "sorf", {"dtype": dtype, "loss": "novelty", "history": True, "budget": 70, "rows": 250},
        )
        for dtype in ("int8", "float32", "float64")
    },
    "robust": {
        "sorf-novelty-robust": (
            "sorf", {"loss": "novelty", "history": True, "robust": True, "dtype": "int8",
                     "budget": 70, "rows": 250},
        ),
    },
    "following": {
        "sorf-follows": ("sorf", {"scale": "standard", "gamma": "auto", "dtype": "int8"}),
        "sorf-follows-regression": (
            "sorf", {"scale": "standard", "gamma": "auto", "dtype": "float64", "loss": "square"},
        ),
        "sorf-common": (
            "sorf", {"scale": "common", "gamma": "auto", "dtype": "int8", "n_classes": 3},
        ),
    },
    "memory": {
        "sorf-memory": ("sorf", {"scale": "standard", "dtype": "int8", "memory": 9}),
        "sorf-memory-classes": ("sorf", {"dtype": "float64", "n_classes": 3, "memory": 7}),
    },
    "narrow": {
        "sorf-memory-narrow": (
            "sorf", {"scale": "standard", "dtype": "int8", "memory": 9, "memory_narrow": True},
        ),
        "sorf-memory-narrow-classes": (
            "sorf", {"dtype": "float64", "n_classes": 3, "memory": 7, "memory_narrow": True},
        ),
    },
    "drift": {
        "sorf-drift": (
            "sorf", {"scale": "standard", "dtype": "int8", "drift": True, "relevance": "shared",
                     "leak": 0.016, "rows": 260},
        ),
        "sorf-drift-regression": (
            "sorf", {"dtype": "float64", "loss": "square", "drift": True, "relevance": "shared",
                     "rows": 260},
        ),
    },
    "forecast": {
        "forecast-follows": ("sorf", {**FORECAST, "gamma": "auto", "dtype": "int8", "budget": 70}),
        "forecast-named": (
            "sorf", {**FORECAST, "dtype": "float64", "budget": 40, "season": 12,
                     "interval": (0.5, 0.9)},
        ),
        "forecast-no-kernel": ("sorf", {**FORECAST, "dtype": "float32", "budget": 0}),
    },
    "compact": {
        "pa1-compact": ("pa1", {"scale": "standard", "full": "random"}),
        "bpa_s-compact-int8": (
            "bpa_s", {"scale": "standard", "dtype": "int8", "scale_window": 40},
        ),
    },
    "short": {
        "rbp-short": ("rbp", {}),
        "sorf-short-each": (
            "sorf", {"scale": "standard", "gamma": "auto", "dtype": "int8", "drift": True,
                     "relevance": True, "rows": 260},
        ),
        "sorf-short-shared": (
            "sorf", {"scale": "standard", "gamma": "auto", "dtype": "int8", "drift": True,
                     "relevance": "shared", "n_classes": 3, "rows": 260},
        ),
        "sorf-short-common": (
            "sorf", {"scale": "common", "gamma": "auto", "dtype": "float64", "loss": "square"},
        ),
    },
}  # fmt: skip


def allowed(name: str, **options: Any) -> bool:
    """Whether there is such a learner."""
    try:
        ek.plan(name, n_features=D, budget=BUDGET, kernel=ek.Gaussian(0.5), **options)
    except ValueError:
        return False
    return True


def every_type() -> dict[str, Case]:
    """Every algorithm with every type of support vectors and of coefficients it takes."""
    made: dict[str, Case] = {}
    for row in ek.algorithms():
        for dtype in ("float32", "float64", "float16", "int8"):
            if allowed(row.name, dtype=dtype):
                made[f"{row.name}-{dtype}"] = (row.name, {"dtype": dtype})
            options = {"dtype": dtype, "coefficients": "float32"}
            if allowed(row.name, **options):
                made[f"{row.name}-{dtype}-narrow"] = (row.name, options)
    return made


def cases() -> dict[str, Case]:
    """Every case by the name of its files."""
    return {**every_type(), **MORE, **STRUCTURED, **LATER}


def rows(count: int) -> list[list[int]]:
    """Rows in 64ths, -2 to 2, some of them 0, by a linear congruential generator."""
    u, made = 12345, []
    for _ in range(count):
        row = []
        for _ in range(D):
            u = (1103515245 * u + 12345) % 2**31
            number = (u >> 16) % 256 - 128
            row.append(number if (u >> 24) % 4 else 0)
        made.append(row)
    return made


def label(row: list[int], regression: bool) -> float:
    """Of a curved boundary, or of a curved surface; exact in binary."""
    a, b, c = (number / 64 for number in row)
    value = a * b + c / 2 + 0.125
    return value if regression else (1.0 if value > 0.0 else -1.0)


def classed(row: list[int], answer: float) -> float:
    """One of three classes that follows from a row and its label."""
    return 0.0 if answer < 0.0 else 1.0 + (row[1] > 0)


def state(learner: Any, asked: list[list[float]]) -> dict[str, Any]:
    """What a learner says of itself."""
    made = {
        "counters": {
            name: getattr(learner, name)
            for name in ("n_support", "steps", "mistakes", "updates", "capacity_hits",
                         "labels_asked", "halvings", "squared_error", "absolute_error")
            if hasattr(learner, name)
        },
        "norm2": learner.norm2,
    }  # fmt: skip
    if hasattr(learner, "support_vectors_"):
        made["support_vectors"] = [[float(v) for v in row] for row in learner.support_vectors_]
    if hasattr(learner, "dual_coef_"):
        made["dual_coef"] = learner.dual_coef_.tolist()
    else:
        made["weights"] = learner.weights_.ravel().tolist()
    several = getattr(learner, "n_classes", 2) > 2

    def decided(model: Any) -> list[Any]:
        return [
            model.scores_one(row).tolist() if several else model.decision_one(row) for row in asked
        ]

    made["decisions"] = decided(learner)
    if learner.parts["averaging"] == ek.Averaging.MEAN:
        made["averaged"] = decided(learner.averaged)
    return made


def write(folder: Path, version: int, stem: str, name: str | None, options: dict[str, Any]) -> None:
    """One model file, and beside it what its learner said then and after more rows."""
    options = {"budget": BUDGET, "dtype": "float32", **LIVELY.get(str(name), {}), **options}
    learned = options.pop("rows", LEARNED)
    kernel = options.pop("kernel", ("Gaussian", 0.5))
    made = getattr(ek, kernel[0])(*kernel[1:])
    learner = ek.Learner(name, n_features=D, seed=SEED, kernel=made, **options)
    stream = rows(learned + AFTERWARDS)
    xs = [[number / 64 for number in row] for row in stream]
    ys = [label(row, learner.is_regression) for row in stream]
    if "n_classes" in options:
        ys = [classed(row, y) for row, y in zip(stream, ys, strict=True)]
    for x, y in zip(xs[:learned], ys[:learned], strict=True):
        if learner.steps % 7 == 3 and "n_classes" not in options:
            learner.ask_label(x)
        learner.learn_one(x, y)
    if options.get("on_bad_row") == "skip":
        learner.learn_one([float("nan")] * D, 1.0)
    learner.save(folder / f"{stem}.olk")
    asked = xs[-DECIDED:]
    told = {
        "version": version,
        "algorithm": name,
        "n_features": D,
        "seed": SEED,
        "kernel": kernel,
        "options": options,
        "saved": state(learner, asked),
        "rows": [learned, learned + AFTERWARDS],
        "scores": [learner.learn_one(x, y)
                   for x, y in zip(xs[learned:], ys[learned:], strict=True)],
        "after": state(learner, asked),
    }  # fmt: skip
    text = json.dumps(told, separators=(",", ":"), allow_nan=False)
    (folder / f"{stem}.json").write_text(text + "\n")


def main(version: int, added: str = "") -> None:
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if added:
            for stem, (name, options) in ADDED[added].items():
                write(folder, version, stem, name, options)
        else:
            fill(folder, version)
        ending = f"-{added}" if added else ""
        with zipfile.ZipFile(here / f"v{version}{ending}.zip", "w") as archive:
            for path in sorted(folder.iterdir()):
                entry = zipfile.ZipInfo(path.name, (1980, 1, 1, 0, 0, 0))
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)


def fill(folder: Path, version: int) -> None:
    """Write all cases of a version into a folder."""
    stream = rows(MOST_ROWS)
    lines = [
        f"[{row}, {label(row, False):.0f}, {label(row, True)}]".replace(" ", "") for row in stream
    ]
    (folder / "rows.json").write_text("[" + ",\n".join(lines) + "]\n")
    for stem, (name, options) in cases().items():
        write(folder, version, stem, name, options)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
