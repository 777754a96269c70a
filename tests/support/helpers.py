"""Helpers that several test files of the learner share."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
from collections.abc import Container, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.parts.bases import BASES
from edgeolk.parts.methods import find, losses_of
from edgeolk.parts.numbers import Family
from edgeolk.reference import base as tb

ROOT = Path(__file__).resolve().parent.parent.parent
#: Larger data sets, where somebody has put them.
SHARED = Path(os.environ.get("EDGEOLK_DATA") or ROOT.parent / "shared" / "data")


def assert_agrees(found: Any, expected: Any, dtype: str, near: float = 1e-9) -> None:
    """Check numbers of `sorf` against its reference, for weights of this type.

    Those of int8 and float32 are defined to the bit (docs/sorf.md, section 17); those of float64
    are sums in any order, equal within ``near``.
    """
    if dtype == "float64":
        np.testing.assert_allclose(found, expected, rtol=near, atol=near)
    else:
        np.testing.assert_array_equal(found, expected)


#: The same function twice: the library's record and the references' plain numpy.
KERNELS: dict[str, tuple[ek.Kernel, tb.Kernel]] = {
    "gaussian": (ek.Gaussian(0.5), tb.gaussian(0.5)),
    "polynomial": (ek.Polynomial(2, 0.5, 1.0), tb.polynomial(2, 0.5, 1.0)),
    "homogeneous": (ek.Polynomial(3, 0.3, 0.0), tb.polynomial(3, 0.3, 0.0)),
    "linear": (ek.Linear(), tb.linear()),
    "laplacian": (ek.Laplacian(0.4), tb.laplacian(0.4)),
    "sigmoid": (ek.Sigmoid(0.4, 0.2), tb.sigmoid(0.4, 0.2)),
}

#: From here on a block holds only scratch, which no result depends on.
FIRST_SCRATCH = ("query", "inputs")

#: Parameters a published algorithm needs on the short streams of the tests to show what it does.
LIVELY: dict[str, dict[str, Any]] = {
    "spa": {"beta": 2.0},
    "avp": {"U": 3.0, "lam": 0.4},
    "olrd": {"U": 8.0},
    "pomdr": {"U": 3.0},
    "projectron++": {"eta": 0.3},
    "olk": {"U": 2.0, "eta": 0.5},
    "olru": {"U": 2.0, "eta": 0.5},
    "bogd": {"clip_coefficients": 1.5, "lam": 0.05, "eta": 0.5},
    "bogd++": {"clip_coefficients": 2.0, "lam": 0.05, "eta": 0.5},
    "oskl": {"R": 1.0, "eta": 0.8},
    "klr": {"R": 1.0, "eta": 0.8},
    "pegasos": {"lam": 0.02},
    "bsgd": {"lam": 0.02},
    "nogd": {"eta": 0.4},
    "sorf": {"scale": None, "gamma": None},  # rows as they come, and no beginning anew
}
#: What else must be said where an option of a choice is taken.
NEEDS: dict[tuple[str, ...], dict[str, Any]] = {
    ("olru", "schedule", "constant"): {"T": 200},
}
#: Parameters that make every part do something on a short stream.
ACTIVE: dict[str, float] = {
    "U": 2.0, "lam": 0.05, "eta": 0.5, "beta": 2.0, "growth": 1.0, "C": 0.7, "c": 3.0,
    "clip_coefficients": 1.5, "horizon": 200.0, "sparsity": 0.2, "hint_rows": 4, "ald": 0.2,
    "b0": 2, "coe": 0.5,
    "G": 1.5, "delta": 0.3, "boost": 3.0, "rank": 3, "eta2": 0.3, "shift": 2.0,
}  # fmt: skip

#: Every algorithm, and those that hold vectors: a ring, or the frequencies of `fogd`.
EVERY = [row.name for row in ek.algorithms()]
RINGS = [
    row.name
    for row in ek.algorithms()
    if row.family == Family.RING
    and BASES[row.parts.get("basis", ek.Basis.SUPPORT_VECTORS)].keeps_vectors
]


def few_first(cases: Iterable[Any], day: Container[Any]) -> list[Any]:
    """Cases for ``parametrize``; those beyond the quick ones run only at night."""
    slow = pytest.mark.slow
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else [case]), marks=() if case in day else slow
        )
        for case in cases
    ]


#: By day one algorithm of each kind of step: removal, neighbours, simplex, projection, merging,
#: landmarks, features; at night every one.
USUAL = ("rbp", "bpa_nn", "pomdr", "projectron", "bsgd", "nogd", "fogd", "sorf")
BY_DAY = few_first(EVERY, USUAL)


def saved(learner: ek.Learner, folder: Path) -> ek.Learner:
    """A learner that was saved and loaded."""
    learner.save(folder / "model")
    return ek.load(folder / "model")


def attached(learner: ek.Learner, folder: Path) -> ek.Learner:
    """A learner that continues in memory to which its block was copied."""
    data = memoryview(learner._engine.arena)
    memory = bytearray(learner.nbytes)
    memory[: len(data)] = data
    return ek.attach(memory)


def pickled(learner: ek.Learner, folder: Path) -> ek.Learner:
    """A learner that was pickled."""
    again: ek.Learner = pickle.loads(pickle.dumps(learner))
    return again


#: Ways for a learner to come back.
WAYS = (saved, attached, pickled)


def by_pairs(*axes: Iterable[Any]) -> list[Any]:
    """The product of the axes for ``parametrize``: by day a pairwise cover, at night the other
    cases too. Marked members of an axis run only at night."""
    cases = list(itertools.product(*(list(axis) for axis in axes)))
    met: set[Any] = set()
    day = set()
    for least in range(len(axes) * (len(axes) - 1) // 2, 0, -1):
        for number, case in enumerate(cases):
            pairs = set(itertools.combinations(enumerate(map(repr, case)), 2))
            if len(pairs - met) >= least and not any(getattr(one, "marks", ()) for one in case):
                day.add(number)
                met |= pairs
    plain = [[one.values[0] if hasattr(one, "marks") else one for one in case] for case in cases]
    return [
        pytest.param(*case, marks=() if number in day else pytest.mark.slow)
        for number, case in enumerate(plain)
    ]


def in_turn(first: Iterable[Any], *others: Iterable[Any]) -> list[Any]:
    """The product of the axes for ``parametrize``: by day each member of the first axis with one
    combination of the others, in turn, at night with all."""
    beside = list(itertools.product(*(list(axis) for axis in others)))
    return [
        pytest.param(one, *more, marks=() if at == number % len(beside) else pytest.mark.slow)
        for number, one in enumerate(first)
        for at, more in enumerate(beside)
    ]


def takes_classes(name: str | None) -> bool:
    """Whether an algorithm, or else the default composition, learns classes by default."""
    return name is None or bool(losses_of(find(name), "classes"))


def targets_of(name: str | None, labels: np.ndarray) -> np.ndarray:
    """The labels -1 and 1 if the algorithm takes classes, else real numbers of their signs."""
    if takes_classes(name):
        return labels
    return np.asarray(labels * (1.0 + 0.5 * np.sin(np.arange(len(labels)))))


def is_mistake(name: str | None, label: float, score: float) -> bool:
    """Whether an answer counts as a mistake: of classes; real numbers have none."""
    return takes_classes(name) and not label * score > 0.0


def every_choice(name: str) -> list[dict[str, Any]]:
    """Every combination of the options of a row, with the other options that each needs."""
    choices = find(name).choices
    made = []
    for chosen in itertools.product(*(list(options) for options in choices.values())):
        options: dict[str, Any] = dict(zip(choices, chosen, strict=True))
        for choice in list(options.items()):
            options |= NEEDS.get((name, *choice), {})
        made.append(options)
    return made


@cache
def takes_kernel(name: str | None, kernel: str, **options: Any) -> bool:
    """Whether an algorithm takes a kernel: some need a width, others a definite one."""
    try:
        ek.plan(name, n_features=1, budget=2, kernel=KERNELS[kernel][0], **options)
    except ValueError as error:
        if "kernel" not in str(error):
            raise
        return False
    return True


def fitting(name: str | None, kernel: str) -> str:
    """That kernel, or the Gaussian one if the algorithm refuses it."""
    return kernel if takes_kernel(name, kernel) else "gaussian"


def shrinks(learner: ek.Learner) -> bool:
    """Whether every step scales f, whatever the example."""
    pegasos = learner.parts.get("update") == ek.Update.PEGASOS
    return pegasos or learner.parameters.get("lam", 0.0) > 0.0


def smallest_budget(name: str | None, **params: Any) -> int:
    """1, or 2 if 1 is rejected."""
    try:
        ek.plan(name, n_features=1, budget=1, **params)
    except ValueError:
        return 2
    return 1


class Owned:
    """A learner in memory that the test owns, so that its bytes can be inspected."""

    def __init__(self, name: str | None, **options: Any) -> None:
        sizing = {key: value for key, value in options.items() if key != "seed"}
        self.plan = ek.plan(name, **sizing)
        self.buffer = bytearray(self.plan.nbytes)
        self.learner = ek.Learner(name, buffer=self.buffer, **options)

    def bytes(self) -> bytes:
        return bytes(self.buffer)

    def state(self) -> bytes:
        """The block without its scratch."""
        scratch = next(r.offset for r in self.plan.regions if r.name in FIRST_SCRATCH)
        return bytes(memoryview(self.learner._engine.arena)[:scratch])


class Csr:
    """The attributes of a scipy CSR matrix that the library reads."""

    format = "csr"

    def __init__(self, dense: np.ndarray, index_type: Any = np.int32) -> None:
        self.shape = dense.shape
        rows, columns = np.nonzero(dense)
        self.indices = columns.astype(index_type)
        self.data = dense[rows, columns]
        self.indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(dense)))])


def whole_end(plan: ek.Plan) -> int:
    """End of the regions of a plan; asserts that every byte before it belongs to a region."""
    end = 0
    for region in sorted(plan.regions, key=lambda region: region.offset):
        assert region.offset <= end
        assert region.nbytes > 0
        end = max(end, region.offset + region.nbytes)
    assert plan.regions[-1].name == "alignment"
    assert plan.regions[-1].offset + plan.regions[-1].nbytes == end
    return end


def gram(learner: ek.Learner, kernel: tb.Kernel) -> np.ndarray:
    """K of the support vectors, in float64."""
    S = learner.support_vectors_.astype(np.float64)
    return np.array([kernel(S, s) for s in S]).reshape(len(S), len(S))


def squared_norm(learner: ek.Learner, kernel: tb.Kernel) -> float:
    return float(learner.dual_coef_ @ gram(learner, kernel) @ learner.dual_coef_)


def python(
    code: str, *arguments: str, timeout: float = 600, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a program with the library under test, installed or not."""
    where = str(Path(ek.__file__).resolve().parent.parent)
    env = {**os.environ, "PYTHONPATH": where, **environment}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=env,
        cwd=where,  # -c looks there first
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@cache
def by_variant(test: str, variant: str, folder: Path) -> dict[str, np.ndarray]:
    """The output of ``in_child`` of a test file, run with one instruction-set variant."""
    code = (
        "import importlib, sys; sys.path += sys.argv[1:4];"
        "importlib.import_module(sys.argv[4]).in_child(sys.argv[5])"
    )
    target = folder / f"{variant}.npz"
    support = Path(__file__).parent
    paths = str(Path(test).parent), str(support), str(support.parents[1])
    ran = python(code, *paths, Path(test).stem, str(target), EDGEOLK_SIMD=variant)
    assert ran.returncode == 0, ran.stderr
    with np.load(target) as stored:
        return dict(stored)
