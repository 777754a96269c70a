"""Random configurations and streams, each a function of its seed alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from helpers import EVERY

import edgeolk as ek

#: Around the lengths of vectors, blocks and pages of the loops.
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 200,
           256, 257, 300)  # fmt: skip
BUDGETS = (*range(1, 9), 12, 13, 16, 17, 24, 25, 31, 32, 33, 48, 63, 64, 65, 96, 100, 127, 128,
           129, 160, 191, 192, 193, 200, 255, 257)  # fmt: skip
CLASSES = (2, 3, 4, 5, 7, 8, 9, 12, 16, 25, 33, 100)
AHEAD = (0, 1, 2, 3, 5, 6, 7, 12, 13, 24, 25, 48, 64)
DTYPES = ("float32", "float64", "float16", "int8")
#: Options of rings and their features: taken now and then, left out where they do not fit.
CHOICES: dict[str, tuple[Any, ...]] = {
    "loss": ("hinge", "logistic", "square", "ramp", "epsilon", "novelty"),
    "full": ("stop", "raise", "oldest", "random"),
    "schedule": ("constant", "sqrt", "dynamic"),
    "projection": ("none", "ball", "clip", "scale", "inf"),
    "rule": ("jmlr", "icml", "loose"),
    "step": ("pa", "unit"),
    "policy": ("merge", "project", "remove", "random"),
}
NUMBERS = ("eta", "C", "U", "lam", "beta", "alpha")
#: The same for structured features.
STRUCTURED: dict[str, tuple[Any, ...]] = {
    "loss": ("hinge", "square", "novelty"),
    "relevance": (True, False, "shared"),
    "widths": ((0.5, 2.0), ((0.3, 1.0, 3.0), (3.0, 5.5))),
    "blends": ((0.0, 0.4, 1.0),),
    "leak": (0.016, 0.05),
    "groups": (1, 2, 3, 4),
    "linear": (True, False),
    "last_label": (True, False),
    "nu": (0.01, 0.05, 0.3),
    "r": (0.001, 0.03, 1.0),
    "delta": (0.9, 0.999),
    "unit": (1.0, 3.0),
    "memory": (1, 20, 300),
    "memory_narrow": (True, False),
    "drift": (True, False),
}
#: What a configuration is never tried without.
KEPT = ("n_features", "budget", "D", "seed", "ram")


class Case(NamedTuple):
    """A configuration and the stream that it learns."""

    config: ek.Config
    X: np.ndarray
    y: np.ndarray | None
    weight: np.ndarray | None


def one_of(rng: np.random.Generator, values: Any) -> Any:
    """One of the values, with its type unchanged."""
    return values[int(rng.integers(len(values)))]


def rows_of(rng: np.random.Generator, n: int, d: int, dtype: str) -> np.ndarray:
    """Rows of one kind: near, far, tiny, mostly zeros, repeated, or all of these in turn."""
    X = rng.normal(size=(n, d))
    kind = one_of(rng, ("near", "sparse", "far", "tiny", "subnormal", "mixed", "equal", "twice"))
    if kind == "sparse":
        X[rng.random((n, d)) < 0.9] = 0.0
    elif kind == "far":
        X[rng.random(n) < 0.3] *= 1e4 if dtype == "float16" else 10.0 ** rng.integers(1, 20)
    elif kind == "tiny":
        X *= 10.0 ** -float(rng.integers(1, 30))
    elif kind == "subnormal":
        X *= 1e-310 if dtype == "float64" else 1e-40
    elif kind == "equal":
        X[:] = X[0]
    elif kind == "twice":
        for i in np.flatnonzero(rng.random(n) < 0.4)[1:]:
            X[i] = X[rng.integers(0, i)]
    elif kind == "mixed":
        X *= 10.0 ** rng.choice([0.0, 0.0, -9.0, -200.0, 2.0], (n, 1))
        X[rng.random((n, d)) < 0.3] = 0.0
        X[rng.random(n) < 0.1] = 0.0
    if rng.random() < 0.15:
        X = np.round(X)
    if rng.random() < 0.4:
        X = np.clip(X, -3e38, 3e38).astype(np.float32).astype(float)
    return X + 0.0  # by its non-zeros a row has no -0.0


def kernel_of(rng: np.random.Generator, d: int) -> ek.Kernel:
    kind = rng.choice(5, p=[0.5, 0.2, 0.15, 0.1, 0.05])
    if kind == 0:
        return ek.Gaussian(10.0 ** rng.uniform(-4, 2) / d)
    if kind == 1:
        return ek.Laplacian(10.0 ** rng.uniform(-4, 1) / d)
    if kind == 2:
        degree, offset = int(rng.integers(1, 5)), one_of(rng, (0.0, 1.0, 0.5))
        return ek.Polynomial(degree, 10.0 ** rng.uniform(-3, 1), offset)
    return ek.Linear() if kind == 3 else ek.Sigmoid(0.3, 0.1)


def intake_of(rng: np.random.Generator, name: str | None) -> dict[str, Any]:
    """Options of input preprocessing."""
    said: dict[str, Any] = {}
    if rng.random() < 0.2:
        said["kernel_gamma" if name in ("bogd", "bogd++", "olru") else "gamma"] = "auto"
        said["gamma_rows"] = one_of(rng, (2, 5, 20, 50, 100))
    if rng.random() < 0.2:
        said["scale"] = one_of(rng, ("standard", "minmax"))
        if rng.random() < 0.4:
            said["freeze_after"] = one_of(rng, (1, 2, 10, 50))
    if rng.random() < 0.2:
        said["clip_rows"] = 10.0 ** rng.uniform(-2, 4)
    return said


def options_of(rng: np.random.Generator, name: str | None) -> dict[str, Any]:
    """Options that are mostly compatible."""
    d = one_of(rng, LENGTHS) if rng.random() < 0.7 else int(rng.integers(1, 301))
    budget = one_of(rng, BUDGETS)
    said: dict[str, Any] = {"n_features": d, "seed": int(rng.integers(0, 2**32))}
    if name is None:
        said["ram"] = int(rng.integers(1500, 60_000))
    else:
        said["D" if name in ("sorf", "fogd") else "budget"] = budget
    said.update(intake_of(rng, name))
    if "gamma_rows" not in said and rng.random() < 0.5:
        said["kernel"] = kernel_of(rng, d)
    for key, share, values in (
        ("dtype", 0.7, DTYPES),
        ("coefficients", 0.5, ("float64", "float32")),
        ("sparse", 0.4, (True, False)),
        ("n_classes", 0.3, CLASSES),
        ("on_bad_row", 0.3, ("skip",)),
        ("checksums", 0.2, (True,)),
        ("lookahead", 0.6, AHEAD),
        *((key, 0.3, values) for key, values in STRUCTURED.items() if name in ("sorf", None)),
        *((key, 0.15, values) for key, values in CHOICES.items() if name not in ("sorf", None)),
    ):
        if rng.random() < share:
            said[key] = one_of(rng, values)
    if name in ("sorf", None) and rng.random() < 0.3:  # rows in the order of time
        said.update(history=True, loss=one_of(rng, ("square", "novelty")))
        said.update(one_of(rng, ({}, {"season": 12}, {"interval": (0.5, 0.9)}, {"clock": True})))
    if name not in ("sorf", None):
        said.update({k: 10.0 ** rng.uniform(-3, 1.5) for k in NUMBERS if rng.random() < 0.2})
    if said.get("dtype") == "int8" and rng.random() < 0.5:
        said["feature_range"] = (-3.0, 3.0)
    return said


def config_of(rng: np.random.Generator, name: str | None) -> ek.Config | None:
    """The configuration that remains without the rejected options; None if there is none."""
    said = options_of(rng, name)
    for _ in range(20):
        try:
            return ek.Config(name, **said)
        except (ValueError, TypeError) as error:
            free = [key for key in said if key not in KEPT]
            named = [key for key in free if key in str(error)] or free
            if not named:
                return None
            del said[one_of(rng, named)]
    return None


def case(seed: int) -> Case | None:
    """The case of a seed; None if no configuration was found."""
    rng = np.random.default_rng(seed)
    name = one_of(rng, EVERY) if rng.random() < 0.75 else one_of(rng, ("sorf", "sorf", None))
    config = config_of(rng, name)
    if config is None:
        return None
    n = one_of(rng, (30, 60, 120, 150))
    X = rows_of(rng, n, config.n_features, config.dtype.name.lower())
    if config._settings.columns > 1:
        y = rng.integers(0, config._settings.columns, n).astype(float)
    elif config._settings.is_regression or not config._settings.needs_labels:
        y = rng.normal(size=n) * 10.0 ** float(rng.integers(-3, 4))
    else:
        y = rng.choice([-1.0, 1.0], n)
    weight = None
    if not config._settings.no_weights and rng.random() < 0.3:
        weight = rng.choice([0.5, 1.0, 2.0, 3.7, 1e6], n)
    return Case(config, X, y if config._settings.needs_labels else None, weight)
