"""The table of algorithms, the numbers files hold, and every composition of parts."""

from __future__ import annotations

import functools
import itertools
import re
from typing import Any

import numpy as np
import pytest
from helpers import DONE, KERNELS, squared_norm
from twins.streams import random_stream

import edgeolk as ek
from edgeolk import config as cf
from edgeolk import parts as pt
from edgeolk.catalogue import PARAMETERS, USES, find, parameter_doc

#: Values as model files hold them. A line may be added; none may ever change.
FROZEN = {
    pt.Dtype: "FLOAT32 FLOAT64",
    pt.Loss: "HINGE RAMP LOGISTIC SQUARE",
    pt.Update: "PERCEPTRON AGGRESSIVE PA PA1 PA2 GRADIENT SPARSE_PA",
    pt.Sampling: "ALWAYS LOSS",
    pt.Policy: "STOP RAISE OLDEST SMALLEST RANDOM FORGETRON SIMPLE UNBIASED HALVE",
    pt.Projection: "NONE BALL COEFFICIENTS",
    pt.Schedule: "CONSTANT SQRT",
    pt.Averaging: "NONE MEAN",
    pt.KernelKind: "GAUSSIAN LAPLACIAN POLYNOMIAL LINEAR SIGMOID",
    pt.Algorithm: "PERCEPTRON STOPTRON RBP REMOVE_OLDEST FORGETRON PA1 BPA_S OLRD SPA AHPATRON"
    " SHIFTING_PERCEPTRON REMOVE_SMALLEST FORGETRON_BASIC FORGETRON_GREEDY PROJECTRON"
    " PROJECTRON_PLUS_PLUS AVP POMDR PA PA2 BPA_NN BPA_P PA_RAND OGD OLK OLRU BOGD"
    " BOGD_PLUS_PLUS OSKL KLR PEGASOS BSGD FOGD NOGD",
}
FROZEN_AXES = "dtype update loss sampling policy projection schedule averaging"
FROZEN_PARAMETERS = "C eta lam rate eps U alpha beta c ridge rescale allow_skip"


@pytest.mark.parametrize("kind", FROZEN, ids=lambda kind: kind.__name__)
def test_numbers_in_files(kind: Any) -> None:
    names = FROZEN[kind].split()
    assert [kind[name].value for name in names] == list(range(1, len(names) + 1))
    assert len({member.value for member in kind.__members__.values()}) == len(kind.__members__)


def test_order_in_files() -> None:
    assert list(pt.AXES)[: len(FROZEN_AXES.split())] == FROZEN_AXES.split()
    assert list(pt.STORED)[: len(FROZEN_PARAMETERS.split())] == FROZEN_PARAMETERS.split()
    assert pt.Algorithm.CUSTOM == 0


# ---- rows ----------------------------------------------------------------------------------------

rows = pytest.mark.parametrize("row", ek.algorithms(), ids=lambda row: row.name)


def test_each_algorithm_has_one_row() -> None:
    table = ek.algorithms()
    assert sorted(row.algorithm for row in table) == sorted(set(ek.Algorithm) - {0})
    assert len({row.name for row in table}) == len(table)


@rows
def test_a_row_says_what_it_is(row: Any) -> None:
    assert row.title
    assert row.source
    assert row.name == row.name.lower()
    if not row.done:
        with pytest.raises(ValueError, match=f"{re.escape(row.name)}' is planned.*perceptron"):
            ek.Learner(row.name, n_features=2, budget=3)
        with pytest.raises(ValueError, match="planned"):
            ek.plan(row.algorithm, n_features=2, budget=3)
        return
    by_name, by_member = (
        ek.Learner(key, n_features=2, budget=3) for key in (row.name, row.algorithm)
    )
    assert by_name.plan == by_member.plan
    assert by_name.algorithm == row.name
    assert ek.Learner(row.name.upper(), n_features=2, budget=3).algorithm == row.name


@rows
def test_a_row_documents_its_parameters(row: Any) -> None:
    documented = {name: (default, doc) for name, default, doc in parameter_doc(row)}
    assert all(default and doc for default, doc in documented.values())
    if not row.done:
        return
    learner = ek.Learner(row.name, n_features=2, budget=3)
    public = {stored: name for name, stored in row.renames.items()}
    in_force = {public.get(name, name) for name in learner.parameters}
    assert set(documented) == in_force | set(row.choices)
    for name, options in row.choices.items():
        for option in options:
            made = ek.Learner(row.name, n_features=2, budget=3, **{name: option})
            for axis, part in options[option].items():
                assert made.parts[axis] == part


@pytest.mark.parametrize("name", DONE)
def test_unknown_parameters_are_named(name: str) -> None:
    with pytest.raises(TypeError, match=f"unknown parameter 'colour' for {name}"):
        ek.Learner(name, n_features=2, budget=3, colour=1)
    with pytest.raises(TypeError, match="unknown parameter 'update'"):
        ek.plan(name, n_features=2, budget=3, update=ek.Update.PA)


@pytest.mark.parametrize("name", DONE)
def test_parameters_out_of_range_are_named(name: str) -> None:
    row = find(name)
    public = {stored: shown for shown, stored in row.renames.items()}
    for stored in ek.Learner(name, n_features=2, budget=3).parameters:
        spec, shown = PARAMETERS[stored], public.get(stored, stored)
        bad: list[Any] = [float("nan"), "x", [1.0], 1j, -1.0, -np.inf, 10**400]
        bad += [] if spec.none is not None else [None, np.inf]
        if spec.flag:
            bad.append(2)
        elif spec.none is None:
            bad.append(spec.high)
        for value in bad:
            with pytest.raises((ValueError, TypeError), match=rf"\b{shown}\b"):
                ek.Learner(name, n_features=2, budget=3, **{shown: value})
    for choice in row.choices:
        for value in ("colour", None, 3, [], {}):
            with pytest.raises((ValueError, TypeError), match=rf"\b{choice}\b"):
                ek.Learner(name, n_features=2, budget=3, **{choice: value})


COMMON: list[tuple[dict[str, Any], str]] = [
    *(({"n_features": v}, "n_features") for v in (0, -1, 2.5, True, None, "3", 2**40)),
    *(({"budget": v}, "budget") for v in (0, -1, 2.5, True, "3", 2**40, np.array([3]), 1j)),
    *(({"seed": v}, "seed") for v in (-1, 2**64, 1.0, None, "1")),
    *(({"dtype": v}, "dtype") for v in ("float16", "int", None, 3, np.int8, complex)),
    *(({"algorithm": v}, "algorithm") for v in ("", "perceptrom", 3, 2.0, b"rbp", ek.Loss.HINGE)),
]


@pytest.mark.parametrize(("wrong", "name"), COMMON, ids=str)
def test_arguments_every_learner_has(wrong: dict[str, Any], name: str) -> None:
    options = {"algorithm": "rbp", "n_features": 2, "budget": 3, **wrong}
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
        ek.Learner(**options)


@pytest.mark.parametrize("dtype", ["float32", "FLOAT32", np.float32, np.dtype("f4"), pt.Dtype(1)])
def test_forms_of_a_dtype(dtype: Any) -> None:
    assert ek.Learner("rbp", n_features=2, budget=3, dtype=dtype).dtype == "float32"


# ---- compositions --------------------------------------------------------------------------------

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"loss": "logistic"}, "need Update.GRADIENT"),
    ({"loss": "square", "update": "pa1"}, "need Update.GRADIENT"),
    ({"sampling": "loss", "loss": "ramp"}, "needs Loss.HINGE"),
    ({"schedule": "sqrt"}, "schedule needs Update.GRADIENT"),
    ({"policy": "forgetron", "update": "pa"}, "Policy.FORGETRON needs Update.PERCEPTRON"),
    ({"averaging": "mean", "policy": "oldest"}, "averaging needs Policy.STOP"),
    ({"policy": "simple", "projection": "ball", "U": 1.0}, "cannot be combined"),
    ({"update": "gradient", "eta": 0.5, "lam": 2.0}, "eta \\* lam must be below 1"),
    ({"sampling": "loss", "alpha": 2.0, "beta": 1.0}, "beta must be at least alpha"),
    ({"update": "aggressive", "rate": 1.5, "eps": 0.5}, "eps must be at least half"),
    ({"update": "aggressive", "rate": None}, "needs a finite U"),
    ({"policy": "unbiased", "budget": 1}, "budget must be at least 2"),
    ({"policy": "halve", "budget": 1}, "budget must be at least 2"),
    ({"kernel": ek.Gaussian(1e-40)}, "gamma must lie between"),
]


def first_refusal(parts: dict[str, Any]) -> str:
    with pytest.raises(ValueError, match=r"\w") as caught:
        ek.Learner(**{"n_features": 2, "budget": 5, **parts})
    return str(caught.value)


@pytest.mark.parametrize(("parts", "why"), REFUSED, ids=lambda v: str(v)[:40])
def test_refusals_say_why(parts: dict[str, Any], why: str) -> None:
    options = {"n_features": 2, "budget": 5, **parts}
    for make in (ek.Learner, ek.plan):
        with pytest.raises(ValueError, match=why):
            make(**options)


def test_every_refusal_is_tested() -> None:
    said = {first_refusal(parts) for parts, _ in REFUSED}
    assert {sentence for _, sentence in cf.REFUSALS} == said


@pytest.mark.parametrize("axis", [axis for axis in pt.AXES if axis != "dtype"])
def test_parts_by_member_or_by_name(axis: str) -> None:
    kind = pt.AXES[axis]
    for value in (0, 99, None, "colour", [], object()):
        with pytest.raises((ValueError, TypeError), match=axis):
            ek.Learner(n_features=2, budget=3, **{axis: value})
    for member in kind:
        made = []
        for value in (member, member.name.lower()):
            try:
                made.append(ek.Learner(n_features=2, budget=3, **{axis: value}).plan)
            except ValueError as error:
                made.append(str(error))
        assert made[0] == made[1]


#: Parameters that make every part do something on a short stream.
ACTIVE = {"U": 2.0, "lam": 0.05, "eta": 0.5, "beta": 2.0, "c": 1.0, "C": 0.7}


def composition(parts: dict[str, Any]) -> dict[str, Any]:
    wanted = {name for axis, part in parts.items() for name in USES.get(axis, {}).get(part, ())}
    return {name: value for name, value in ACTIVE.items() if name in wanted}


@functools.cache
def stream() -> tuple[np.ndarray, np.ndarray]:
    return random_stream(8, 200, 3, zeros=0.05)


def walk(parts: dict[str, Any], kernel: str) -> bool:
    """Whether the composition is taken; if so, it must behave."""
    options = {"n_features": 3, "budget": 5, "kernel": KERNELS[kernel][0], "dtype": "float64"}
    try:
        learner = ek.Learner(**options, **parts, **composition(parts))
    except ValueError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert refusal in {sentence for _, sentence in cf.REFUSALS}
        return False
    total = np.zeros(5)
    means = parts["averaging"] == ek.Averaging.MEAN
    for i, (a, b) in enumerate(zip(*stream(), strict=True)):
        if means:
            total[: learner.n_support] += learner.dual_coef_
        try:
            assert np.isfinite(learner.learn_one(a, b))
        except ek.BudgetError:
            assert parts["policy"] == ek.Policy.RAISE
            if means:
                total[: learner.n_support] -= learner.dual_coef_
        assert learner.n_support <= 5
        if i % 50 == 49 and learner.norm2 is not None:
            true = squared_norm(learner, KERNELS[kernel][1])
            # What cancels in ||f||^2 is of the order of (sum |alpha|)^2.
            slack = 1e-13 * np.abs(learner.dual_coef_).sum() ** 2
            assert learner.norm2 == pytest.approx(true, rel=1e-8, abs=slack)
            assert parts["projection"] != ek.Projection.BALL or true <= 4.0 * (1 + 1e-8) + slack
    assert learner.n_support > 0
    if means:
        mean = total[: learner.n_support] / learner.steps
        assert learner.averaged.dual_coef_ == pytest.approx(mean, rel=1e-9, abs=1e-12)
    return True


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
@pytest.mark.parametrize("policy", list(ek.Policy), ids=lambda p: p.name)
@pytest.mark.parametrize("update", list(ek.Update), ids=lambda u: u.name)
def test_every_composition_runs_or_says_why(
    update: ek.Update, policy: ek.Policy, kernel: str
) -> None:
    axes = (ek.Loss, ek.Sampling, ek.Projection, ek.Schedule, ek.Averaging)
    names = ("loss", "sampling", "projection", "schedule", "averaging")
    taken = 0
    for values in itertools.product(*axes):
        parts = {"update": update, "policy": policy, **dict(zip(names, values, strict=True))}
        taken += walk(parts, kernel)
    assert taken or (policy == ek.Policy.FORGETRON and update != ek.Update.PERCEPTRON)
