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

HERE = Path(__file__).parent
D, SEED = 3, 7
AFTERWARDS, DECIDED = 12, 4
#: Rows that any case may learn: relevance begins after 200.
MOST_ROWS = 272

#: A name, options with the kernel's name and numbers, and rows that are learned before the file.
Case = tuple[str | None, dict[str, Any], int]

#: Cases of archives of their own, `vVERSION-NAME.zip`: what came after, so that nothing old is
#: written. Options say the kernel as ("Gaussian", 0.5); budget and dtype have defaults.
ADDED: dict[str, dict[str, Case]] = {
    "filters": {
        **{
            f"{name}-{dtype}{mark}": (name, {"dtype": dtype, "coefficients": coefficients}, 40)
            for name in (
                *("klms", "qklms", "knlms", "kapa", "krls", "sw_krls", "fb_krls", "krls_t", "sogp"),
            )
            for dtype in ("float32", "float64", "float16", "int8")
            for coefficients, mark in ((None, ""), ("float32", "-narrow"))
            if mark == "" or name in ("klms", "qklms", "krls_t", "sogp")
        },
        "klms-oldest": ("klms", {"full": "oldest"}, 40),
        "klms-random": ("klms", {"full": "random", "dtype": "float64"}, 40),
        "kapa-window-filling": ("kapa", {"p": 9, "dtype": "float64"}, 4),
        "krls-linear": ("krls", {"kernel": ("Linear",), "dtype": "float64"}, 40),
        "krls_t-forgetting": ("krls_t", {"lam": 0.98, "dtype": "float64"}, 40),
        "krls_t-whitened": ("krls_t", {"sn2": 1e-5, "dtype": "float64"}, 40),
        "krls_t-filling": ("krls_t", {"dtype": "float64"}, 4),
        "krls_t-scaled": ("krls_t", {"scale": "standard", "dtype": "float64"}, 40),
        "sogp-wide": ("sogp", {"budget": 33, "dtype": "float64"}, 90),
    },
    "krls_auto": {
        **{f"krls_auto-{dtype}": ("krls_auto", {"dtype": dtype}, 90)
           for dtype in ("float32", "float64")},
        "krls_auto-float32-narrow": ("krls_auto", {"coefficients": "float32"}, 40),
        "krls_auto-filling": ("krls_auto", {}, 6),
        "krls_auto-waiting": ("krls_auto", {}, 2),
        "krls_auto-lags": ("krls_auto", {"lags": 2}, 40),
        "krls_auto-lags-float64": ("krls_auto", {"lags": 2, "dtype": "float64"}, 40),
    },
    "late": {
        **{f"sorf-late-{dtype}": (
               "sorf", {"dtype": dtype, "budget": 70, "delay": 7, "kept_answers": 3,
                        "last_label": True}, 40)
           for dtype in ("int8", "float32", "float64")},
        "sorf-late-classes": (
            "sorf", {"dtype": "int8", "budget": 70, "n_classes": 3, "delay": 5, "memory": 5}, 40),
        "sorf-late-regression": ("sorf", {"dtype": "int8", "loss": "square", "delay": 5}, 40),
    },
    "mixture": {
        **{f"sorf-mixture-{dtype}": (
               "sorf", {"dtype": dtype, "loss": "square", "gaussian_process": 6}, 60)
           for dtype in ("int8", "float32", "float64")},
        "sorf-mixture-scaled": (
            "sorf", {"dtype": "int8", "loss": "square", "gaussian_process": 6,
                     "scale": "standard"}, 40),
        "sorf-mixture-waiting": (
            "sorf", {"dtype": "int8", "loss": "square", "gaussian_process": 6}, 2),
    },
    "rules": {
        **{f"sorf-constant-{dtype}": ("sorf", {"dtype": dtype, "budget": 70}, 40)
           for dtype in ("int8", "float32", "float64")},
        "sorf-constant-classes": ("sorf", {"dtype": "int8", "budget": 70, "n_classes": 3}, 40),
        "sorf-constant-regression": ("sorf", {"dtype": "int8", "loss": "square"}, 40),
        **{f"sorf-linear-group-{dtype}": (
               "sorf", {"dtype": dtype, "budget": 70, "linear_group": True, "n_classes": 3}, 40)
           for dtype in ("int8", "float64")},
        "sorf-linear-alone": ("sorf", {"dtype": "int8", "budget": 0, "linear_group": True}, 40),
        "sorf-linear-last": (
            "sorf", {"budget": 0, "linear_group": "last", "n_classes": 3, "scale": "standard",
                     "drift": False, "constant": False}, 40),
    },
    "watch": {
        f"sorf-watch-{dtype}{mark}": (
            "sorf", {"loss": "novelty", "history": True, "budget": 64, "dtype": dtype, **more}, 250
        )
        for dtype in ("int8", "float32", "float64")
        for mark, more in (("", {}), ("-clock", {"clock": True}))
    },
}


def cases(version: int) -> dict[str, Case]:
    """Every case of the archives of a version, by the name of its files."""
    made: dict[str, Case] = {}
    for path in sorted(HERE.glob(f"v{version}*.zip")):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".json") and name != "rows.json":
                    told = json.loads(archive.read(name))
                    options = {**told["options"], "kernel": told["kernel"]}
                    case = told["algorithm"], options, told["rows"][0]
                    made[name.removesuffix(".json")] = case
    return made


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
    if learner.parts.get("averaging") == ek.Averaging.MEAN:
        made["averaged"] = decided(learner.averaged)
    return made


def write(folder: Path, version: int, stem: str, case: Case) -> None:
    """One model file, and beside it what its learner said then and after more rows."""
    name, options, learned = case
    options = {"budget": 6, "dtype": "float32", **options}
    kernel = options.pop("kernel", ("Gaussian", 0.5))
    made = getattr(ek, kernel[0])(*kernel[1:])
    learner = ek.Learner(name, n_features=D, seed=SEED, kernel=made, **options)
    stream = rows(learned + AFTERWARDS)
    xs = [[number / 64 for number in row] for row in stream]
    ys = [label(row, learner.is_regression) for row in stream]
    if "n_classes" in options:
        ys = [classed(row, y) for row, y in zip(stream, ys, strict=True)]

    def learn(start: int, end: int) -> list[float]:
        return [
            learner.learn_one(xs[t], ys[t], **({"time": 600.0 * t} if "clock" in options else {}))
            for t in range(start, end)
        ]

    delay = options.get("delay", 0) if name == "sorf" else 0
    for t in range(delay):
        learner.ask_one(xs[t])
    for t in range(learned):
        if delay:
            learner.ask_one(xs[t + delay])
        if learner.steps % 7 == 3 and "n_classes" not in options:
            learner.ask_label(xs[t])
        learn(t, t + 1)
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
        "scores": learn(learned, learned + AFTERWARDS),
        "after": state(learner, asked),
    }  # fmt: skip
    text = json.dumps(told, separators=(",", ":"), allow_nan=False)
    (folder / f"{stem}.json").write_text(text + "\n")


def main(version: int, added: str = "") -> None:
    """The cases of the version before, or those of an archive of their own."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for stem, case in (ADDED[added] if added else cases(version - 1)).items():
            write(folder, version, stem, case)
        if not added:
            lines = [
                f"[{row}, {label(row, False):.0f}, {label(row, True)}]".replace(" ", "")
                for row in rows(MOST_ROWS)
            ]
            (folder / "rows.json").write_text("[" + ",\n".join(lines) + "]\n")
        ending = f"-{added}" if added else ""
        with zipfile.ZipFile(HERE / f"v{version}{ending}.zip", "w") as archive:
            for path in sorted(folder.iterdir()):
                entry = zipfile.ZipInfo(path.name, (1980, 1, 1, 0, 0, 0))
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
