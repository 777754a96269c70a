"""The counted passes: every algorithm in bulk; rbp with each storage, kernel and way to call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from bench.rows import Csr, random_learner, random_rows

ROWS, FEATURES, BUDGET = 1000, 16, 64
LARGER = 200
#: Share of the numbers that are not zero where rows are sparse; below a half, where zeros pay.
DENSITY = 0.25
#: Compiled entries of the library between which is counted: its methods, none of which, of those
#: that the passes call, calls another.
ENTRY = "__pyx_pw_7edgeolk_4rows_*"

Matrix = NDArray[np.float32]
Labels = NDArray[np.float64]


def rows(density: float = 1.0) -> tuple[Matrix, Labels]:
    """Rows with labels by chance; with a density below 1 the other numbers are zeros."""
    X, y = random_rows(FEATURES, ROWS)
    if density < 1.0:
        X = X * (np.random.default_rng(6).random(X.shape) < density)
    return X.astype(np.float32), y


def many(learner: ek.Learner, X: Any, y: Labels) -> None:
    """One call for all the rows."""
    learner.learn_many(X, y, out=np.zeros(len(y)))


def one(learner: ek.Learner, X: Matrix, y: Labels) -> None:
    """A call a row."""
    for x, label in zip(X, y.tolist(), strict=True):
        learner.learn_one(x, label)


def one_sparse(learner: ek.Learner, X: Csr, y: Labels) -> None:
    """A call a row, given by its non-zeros."""
    for i, label in enumerate(y.tolist()):
        chosen = slice(X.indptr[i], X.indptr[i + 1])
        learner.learn_one_sparse(X.indices[chosen], X.data[chosen], label)


def decide_many(learner: ek.Learner, X: Matrix, y: Labels) -> None:
    """One call for the scores of all the rows."""
    learner.decision_function(X, out=np.zeros(len(y)))


def decide_one(learner: ek.Learner, X: Matrix, y: Labels) -> None:
    """A call for the score of each row."""
    for x in X:
        learner.decision_one(x)


@dataclass(frozen=True)
class Case:
    """One pass over the rows: ``run`` is counted, after ``learned`` rows that are not."""

    algorithm: str
    what: str = ""
    run: Callable[[ek.Learner, Any, Labels], None] = many
    settings: dict[str, Any] = field(default_factory=dict)
    density: float = 1.0
    csr: bool = False
    learned: int = 0
    budget: int = BUDGET
    variant: str = "baseline"

    @property
    def name(self) -> str:
        """The algorithm, and in words what is not as in its first case."""
        variant = "" if self.variant == "baseline" else self.variant
        return ", ".join(part for part in (self.algorithm, self.what, variant) if part)

    def prepared(self) -> Callable[[], None]:
        """The pass, with all that is made before it made."""
        learner = random_learner(self.algorithm, FEATURES, self.budget, **self.settings)
        X, y = rows(self.density)
        if self.learned:
            learner.learn_many(X[: self.learned], y[: self.learned])
        given: Any = X.astype(np.float64) if self.settings.get("dtype") == "float64" else X
        if self.csr:
            given = Csr.of(X)
        return lambda: self.run(learner, given, y)


#: Widest vectors that valgrind knows. Only code compiled separately for them is counted again.
WIDE = "v3"
STORAGE = [
    Case("rbp", dtype, settings={"dtype": dtype}) for dtype in ("float64", "float16", "int8")
]
KERNELS = [
    Case("rbp", title, settings={"kernel": kernel})
    for title, kernel in (
        ("Laplacian", ek.Laplacian(1.0 / FEATURES)),
        ("polynomial", ek.Polynomial(3, 1.0 / FEATURES, 1.0)),
        ("linear", ek.Linear()),
        ("sigmoid", ek.Sigmoid(1.0 / FEATURES, 0.0)),
    )
]
SPARSE = [Case("rbp", "sparse", settings={"sparse": True}, density=DENSITY)]
CALLS = [
    Case("rbp", "sparse, CSR", many, {"sparse": True}, DENSITY, csr=True),
    Case("rbp", "CSR", many, {}, DENSITY, csr=True),
    Case("rbp", "sparse, learn_one_sparse", one_sparse, {"sparse": True}, DENSITY, csr=True),
    Case("rbp", "learn_one", one),
    Case("rbp", "decision_one", decide_one, learned=ROWS // 2),
    Case("rbp", "decision_function", decide_many, learned=ROWS // 2),
]
#: With a ring that pays to be read for several rows at once.
BLOCKS = [
    Case("rbp", "lookahead", settings={"lookahead": 6}, budget=LARGER),
    Case("stoptron", "lookahead", settings={"lookahead": 6}, budget=LARGER),
    Case("rbp", "decision_function, in blocks", decide_many, learned=ROWS, budget=LARGER),
    Case("nogd", "lookahead", settings={"lookahead": 6}, learned=ROWS),
]


#: What one learned width for all inputs costs, the default of the plain case.
WIDTHS = [Case("sorf", "no relevance", settings={"relevance": False})]


def cases() -> list[Case]:
    """All of them, every algorithm of the catalogue first."""
    plain = [Case(method.name) for method in ek.algorithms()]
    again = [Case("rbp"), *STORAGE, *KERNELS, *SPARSE, *BLOCKS, Case("sorf"), *WIDTHS]
    wide = [replace(case, variant=WIDE) for case in again]
    return [*plain, *STORAGE, *KERNELS, *SPARSE, *CALLS, *BLOCKS, *WIDTHS, *wide]
