"""Every published algorithm against its plain numpy reference, decision by decision.

How far the runs got before a decision hung on rounding is counted and asserted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparison import Case, Outcome, case_id, compare
from helpers import KERNELS, LIVELY, NEEDS, RINGS, smallest_budget, takes_kernel
from synthetic import random_stream

import edgeolk as ek
from edgeolk.reference import LEARNERS

#: Parameter sets beyond the defaults and beyond each choice alone, which are always run.
SETS: dict[str, list[dict[str, Any]]] = {
    "remove_oldest": [{"step": "pa", "C": 0.3}],
    "remove_smallest": [{"C": 0.2}],
    "pa1": [{"C": 0.1}, {"C": 0.3, "loss": "ramp", "full": "random"}],
    "pa2": [{"C": 0.1}, {"C": 5.0, "loss": "ramp", "full": "random"}],
    "pa": [{"loss": "ramp", "full": "random"}],
    "pa_rand": [{"C": 0.2, "loss": "ramp"}],
    "bpa_s": [
        {"C": 0.1},
        {"allow_skip": False},
        {"C": 0.5, "loss": "ramp"},
        {"C": 0.3, "loss": "ramp", "allow_skip": False},
    ],
    "olrd": [
        {"eta": 1.0, "U": 12.0},
        {"eta": 0.5, "U": 10.0, "c": 0.5},
        {"eta": 0.5, "U": 2.0, "projection": "ball", "loss": "logistic"},
        {"eta": 0.5, "U": 1.0, "projection": "ball", "schedule": "sqrt", "c": 1.0},
        {"projection": "none", "c": 2.0},
        {"eta": 0.2, "U": 20.0, "loss": "square", "schedule": "sqrt"},
        {"eta": 0.3, "U": 3.0, "loss": "ramp"},
    ],
    "spa": [
        {"beta": 1.0},
        {"beta": 2.0, "eta": 0.01},
        {"alpha": 0.5, "beta": 0.5, "eta": 1.0},
        {"alpha": 3.0, "beta": 4.0, "eta": 5.0},
    ],
    "avp": [
        {"U": 2.0, "lam": 0.3},
        {"U": 1.0, "lam": None, "eps": 0.9},
        {"U": 0.2, "lam": 0.5, "eps": 0.25},
        {"U": None, "lam": 1.0},
    ],
    "ahpatron": [
        {"rescale": False},
        {"eta": 0.1, "eps": 0.8},
        {"U": 1.5, "lam": 0.5, "rescale": False},
        {"eta": 1e-6, "U": 4.0, "lam": 0.3},
    ],
    "shifting_perceptron": [{"lam": 5.0}, {"lam": 0.2}],
    "forgetron_basic": [{"U": 0.7}, {"U": 5.0}],
    "projectron": [{"eta": 0.5}, {"eta": 0.9}],
    "projectron++": [
        {"eta": 0.4},
        {"eta": 0.4, "U": 0.3},
        {"eta": 0.3, "rule": "icml"},
        {"eta": 0.4, "rule": "icml", "U": 0.5},
        {"eta": 0.5, "rule": "loose"},
    ],
    "pomdr": [
        {"U": 3.0},
        {"U": 3.0, "b0": 0},
        {"U": 2.0, "b0": 2, "ald": 0.3, "M": 4},
        {"U": 5.0, "coe": 0.7, "M": 1},
        {"U": 8.0, "coe": 1.5, "ald": 0.0},
    ],
    "bpa_nn": [
        {"C": 0.1},
        {"allow_skip": False},
        {"C": 0.5, "loss": "ramp"},
        {"C": 0.3, "eps": 0.2},
    ],
    "bpa_p": [
        {"C": 0.1},
        {"allow_skip": False},
        {"C": 0.5, "loss": "ramp"},
        {"C": 0.3, "eps": 0.2},
    ],
    "ogd": [
        {"lam": 0.1, "eta": 0.5},
        {"lam": 0.1, "eta": 0.4, "loss": "logistic"},
        {"lam": 0.2, "eta": 0.3, "full": "stop", "loss": "ramp"},
    ],
    "olk": [
        {"U": 1.0, "eta": 0.5},
        {"U": 0.5, "schedule": "sqrt", "eta": 1.0, "loss": "logistic"},
        {"U": 2.0, "eta": 0.3, "loss": "square"},
    ],
    "olru": [
        {"c": 3.0, "gamma": 0.5},
        {"schedule": "constant", "T": 200, "U": 0.5, "eta": 0.5},
        {"schedule": "constant", "T": 200, "gamma": 0.8, "c": 9.0, "loss": "logistic"},
        {"U": 1.0, "eta": 0.8, "loss": "ramp"},
    ],
    "bogd": [
        {"gamma": 1.5, "lam": 0.05, "eta": 0.5},
        {"gamma": 1.5, "projection": "scale", "eta": 0.5},
        {"gamma": 0.9, "lam": 0.1, "loss": "logistic"},
        {"gamma": 3.0, "eta": 0.02, "loss": "square"},
    ],
    "bogd++": [
        {"gamma": 2.0, "lam": 0.01, "eta": 0.5},
        {"gamma": 1.2, "projection": "scale", "lam": 0.2, "eta": 0.5},
        {"projection": "none", "lam": 0.3, "eta": 0.5, "loss": "logistic"},
        {"gamma": 3.0, "lam": 0.1, "eta": 0.02, "loss": "square"},
    ],
    "oskl": [{"G": 4.0, "R": 0.5}, {"G": 3.0, "loss": "hinge", "R": 1.0}, {"eta": 2.0}],
    "klr": [
        {"eta": 0.8, "R": 1.0},
        {"h": "scale", "gamma": 5.0, "eta": 0.5},
        {"h": "scale", "gamma": 1.0},
        {"h": "cut", "delta": -0.2, "eta": 0.5},
        {"method": "nc", "R": 0.7, "eta": 0.5},
        {"method": "margin", "eta": 1.5, "R": 2.0},
    ],
    "pegasos": [{"lam": 0.01}, {"lam": 0.5}],
    "bsgd": [
        {"lam": 0.01},
        {"lam": 0.1, "iters": 60},
        {"lam": 0.01, "maintenance": "remove"},
        {"lam": 0.1, "maintenance": "random"},
        {"lam": 0.01, "maintenance": "project"},
        {"lam": 0.1, "maintenance": "project", "ridge": 1e-3},
    ],
    "fogd": [{"eta": 0.5, "lam": 0.1}, {"eta": 0.5, "lam": 0.2, "loss": "logistic"}],
    "nogd": [{"eta": 0.5, "eta2": 0.05}, {"k": 1, "eta2": 0.2}, {"k": 2, "loss": "logistic"}],
    "klms": [{"eta": 0.2, "full": "random"}],
    "qklms": [{"eps": 0.6}, {"eps": 0.0}],
    "knlms": [{"mu0": 0.5, "eps": 0.1, "eta": 0.2}],
    "kapa": [{"p": 1}, {"p": 9, "eta": 0.1}],
    "krls": [{"nu": 0.1}],
    "sw_krls": [{"c": 2.0}],
    "fb_krls": [{"c": 2.0}],
    "krls_t": [{"lam": 0.98}, {"sn2": 0.5, "jitter": 1e-3}],
    "sogp": [{"sn2": 0.5}],
}


#: Options without a reference; a ring that raises is held against one that stops below.
TWIN_LACKS = {
    "shifting_perceptron": ("stop", "raise"),
    **dict.fromkeys(("fogd", "nogd"), ("novelty",)),
}


def parameter_sets(row: Any) -> list[dict[str, Any]]:
    sets: list[dict[str, Any]] = [{}]
    for name, options in row.choices.items():
        sets += [
            {name: option, **NEEDS.get((row.name, name, option), {})}
            for option in list(options)[1:]
            if option not in TWIN_LACKS.get(row.name, ("raise",))
        ]
    return sets + SETS.get(row.name, [])


def determined(name: str, params: dict[str, Any], kernel: str) -> dict[str, Any]:
    """Parameters with which rounding decides nothing: more vectors than a kernel has features make
    a Gram matrix singular but for the jitter."""
    singular = kernel != "gaussian" and "jitter" in LEARNERS[name].options
    return {**params, "jitter": 0.01} if singular else params


#: Without a feature space there is neither a norm nor a projection.
NEED_SPACE = ("avp", "ahpatron", "forgetron_basic", "projectron", "projectron++", "pomdr")
NEED_SPACE += ("bpa_nn", "bpa_p", "bsgd", "nogd", "bogd++")
#: `krls_auto` has tests of its own (ring/filters/test_untuned.py).
COMPARED = [name for name in RINGS if name != "krls_auto"]
CASES: list[Case] = [
    (row.name, determined(row.name, params, kernel), kernel)
    for row in ek.algorithms()
    if row.name in COMPARED  # structured features have tests of their own
    for kernel in ("gaussian", "polynomial")
    for params in parameter_sets(row)
    # How the frequencies of fogd come to be is held against its reference in test_features.
    if "frequencies" not in params and takes_kernel(row.name, kernel, **params)
]
#: Kernels with k(x, x) = 0 for the zero row, with other distances, and without a feature space.
CASES += [
    (name, determined(name, {}, kernel), kernel)
    for name in COMPARED
    for kernel in ("linear", "homogeneous", "laplacian", "sigmoid")
    if takes_kernel(name, kernel) and not (kernel == "sigmoid" and name in NEED_SPACE)
]


def outcomes(case: Case, large: bool) -> list[Outcome]:
    """Of a large ring, or of a small one and the smallest there is."""
    budgets = (40,) if large else (smallest_budget(case[0]), 7)
    return [compare(case, budget, "float64") for budget in budgets if case[1].get("k", 1) <= budget]


def marked(cases: list[Case], day: Callable[[Case], bool]) -> list[Any]:
    """Cases, those that are not for the day at night."""
    slow = pytest.mark.slow
    return [pytest.param(case, marks=() if day(case) else slow, id=case_id(case)) for case in cases]


OTHERS = ("polynomial", "linear", "homogeneous", "laplacian", "sigmoid")


def has_defaults(case: Case) -> bool:
    name, options, kernel = case
    return options == determined(name, {}, kernel)


def is_usual(case: Case) -> bool:
    """The Gaussian kernel, or of the defaults one of the others, each in its turn."""
    name, _, kernel = case
    if kernel == "gaussian" or not has_defaults(case):
        return kernel == "gaussian"
    taken = [other for other in OTHERS if (name, determined(name, {}, other), other) in CASES]
    return kernel == taken[RINGS.index(name) % len(taken)]


def agrees(case: Case, large: bool) -> None:
    found = outcomes(case, large)
    assert [o.complaint for o in found if o.complaint] == []
    compared, steps = sum(o.compared for o in found), sum(o.steps for o in found)
    assert compared > 40 if large else compared >= steps / 3
    REACHED[case_id(case), large] = found


@pytest.mark.parametrize("case", marked(CASES, is_usual))
@pytest.mark.spread(10)
def test_float64_decision_by_decision(case: Case) -> None:
    agrees(case, False)


#: Cases that alone take one of the ways through a reference.
ALONE: list[Case] = [
    ("olrd", {"eta": 1.0, "U": 3.0}, "gaussian"),
    ("bogd", {"gamma": 1.5, "projection": "scale", "eta": 0.5}, "gaussian"),
    ("pomdr", {"U": 3.0}, "gaussian"),
    ("bpa_s", {"C": 0.3, "loss": "ramp"}, "homogeneous"),
]


@pytest.mark.parametrize("case", ALONE, ids=case_id)
def test_what_no_other_case_does(case: Case) -> None:
    agrees(case, False)


#: A large ring with every option, or with another kernel.
LARGE = [case for case in CASES if case[2] == "gaussian" or has_defaults(case)]


@pytest.mark.parametrize("case", marked(LARGE, lambda case: is_usual(case) and has_defaults(case)))
@pytest.mark.spread(10)
def test_float64_with_a_large_ring(case: Case) -> None:
    agrees(case, True)


#: What the runs above came to; a test that is run alone makes its own.
REACHED: dict[tuple[str, bool], list[Outcome]] = {}


@pytest.mark.slow
def test_nearly_every_run_reaches_its_end() -> None:
    runs = [(case, large) for large in (False, True) for case in (LARGE if large else CASES)]
    found = [o for run in runs for o in REACHED.get((case_id(run[0]), run[1])) or outcomes(*run)]
    assert len(found) > 700
    assert np.mean([o.compared == o.steps for o in found]) >= 0.95
    assert sum(o.compared for o in found) >= 0.95 * sum(o.steps for o in found)


#: Kernel values of float32 do not determine a solution or an eigenfunction.
SOLVE = ("projectron", "projectron++", "pomdr", "bpa_nn", "bpa_p", "bsgd", "nogd")
#: Slots that hold the same vector cost 0 to the last digit: which of them is replaced, and so how
#: the weight is shared between them, is left to rounding.
DUPLICATES = ("bpa_s", {"loss": "epsilon"}, "polynomial")
FLOAT32_CASES = [
    case
    for case in CASES
    if case[2] in ("gaussian", "polynomial") and case[0] not in SOLVE and case != DUPLICATES
]


@pytest.mark.parametrize(
    "case", marked(FLOAT32_CASES, lambda case: is_usual(case) and has_defaults(case))
)
@pytest.mark.spread(5)
def test_float32_within_its_bound(case: Case) -> None:
    found = [compare(case, budget, "float32") for budget in (7, 40)]
    assert [o.complaint for o in found if o.complaint] == []
    assert sum(o.compared for o in found) >= sum(o.steps for o in found) / 3


def test_every_done_algorithm_has_a_reference() -> None:
    assert [name for name in COMPARED if name not in LEARNERS] == []


WITH_FULL = [row.name for row in ek.algorithms() if "raise" in row.choices.get("full", ())]


@pytest.mark.parametrize("name", WITH_FULL)
def test_full_raise_is_full_stop_until_the_ring_is_full(name: str) -> None:
    X, y = random_stream(9, 300, 3)
    options = {"n_features": 3, "budget": 9, "kernel": KERNELS["gaussian"][0], "dtype": "float64"}
    options |= LIVELY.get(name, {})
    stops, raises = (ek.Learner(name, full=full, **options) for full in ("stop", "raise"))
    refused = 0
    for a, b in zip(X, y, strict=True):
        hits, steps = stops.capacity_hits, raises.steps
        f = stops.learn_one(a, b)
        if stops.capacity_hits == hits:
            assert raises.learn_one(a, b) == f
            continue
        refused += 1
        with pytest.raises(ek.BudgetError, match="full"):
            raises.learn_one(a, b)
        assert raises.steps == steps
        if name == "pegasos":  # its scale follows the steps, and a refused one is none
            return
    assert refused > 10
    assert raises.capacity_hits == 0
    assert np.array_equal(stops.dual_coef_, raises.dual_coef_)
