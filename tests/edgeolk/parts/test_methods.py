"""The table of algorithms, the numbers files hold, and the parameters a caller gives."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from helpers import EVERY, LIVELY, NEEDS

import edgeolk as ek
from edgeolk import parts as pt
from edgeolk.cli.page import parameter_rows
from edgeolk.configuration.families import FAMILIES
from edgeolk.parts.descriptions import LISTS
from edgeolk.parts.methods import find
from edgeolk.parts.numbers import AXES
from edgeolk.parts.option import Option
from edgeolk.parts.table import TRAITS
from edgeolk.reference import LEARNERS
from edgeolk.ring.options import OPTIONS
from edgeolk.sorf.options import OPTIONS as SORF_OPTIONS

#: Values as model files hold them. A line may be added; none may ever change.
FROZEN = {
    pt.Family: "RING SORF",
    pt.Dtype: "FLOAT32 FLOAT64 FLOAT16 INT8",
    pt.Loss: "HINGE RAMP LOGISTIC SQUARE NOVELTY EPSILON",
    pt.Update: "PERCEPTRON AGGRESSIVE PA PA1 PA2 GRADIENT SPARSE_PA SHIFTING MARGIN"
    " PROJECTRON_JMLR PROJECTRON_ICML PEGASOS LOGISTIC LOGISTIC_SHIFT LOGISTIC_SCALE"
    " LOGISTIC_CUT OPTIMISTIC NORMALISED AFFINE RECURSIVE RIDGE POSTERIOR WHITENED"
    " UNTUNED",
    pt.Sampling: "ALWAYS LOSS DECAY DERIVATIVE MARGIN AUXILIARY",
    pt.Policy: "STOP RAISE OLDEST SMALLEST RANDOM FORGETRON SIMPLE UNBIASED HALVE SPAN NEAREST"
    " PROJECT UNBIASED_BY_SIZE LIGHTEST LIGHTEST_PROJECT MERGE ANCHOR FORGETRON_BASIC"
    " FORGETRON_GREEDY QUANTISED COHERENT DEPENDENT SLIDING LEAST_ERROR LEAST_CHANGE"
    " LEAST_DIVERGENCE",
    pt.Projection: "NONE BALL COEFFICIENTS CLIP SHRINK",
    pt.Schedule: "CONSTANT SQRT DECAY",
    pt.Averaging: "NONE MEAN",
    pt.Rows: "DENSE SPARSE EITHER",
    pt.Coefficients: "FLOAT32 FLOAT64",
    pt.Basis: "SUPPORT_VECTORS FOURIER NYSTROM STRUCTURED FOURIER_DRAWN",
    pt.KernelKind: "GAUSSIAN LAPLACIAN POLYNOMIAL LINEAR SIGMOID",
    pt.Algorithm: "PERCEPTRON STOPTRON RBP REMOVE_OLDEST FORGETRON PA1 BPA_S OLRD SPA AHPATRON"
    " SHIFTING_PERCEPTRON REMOVE_SMALLEST FORGETRON_BASIC FORGETRON_GREEDY PROJECTRON"
    " PROJECTRON_PLUS_PLUS AVP POMDR PA PA2 BPA_NN BPA_P PA_RAND OGD OLK OLRU BOGD"
    " BOGD_PLUS_PLUS OSKL KLR PEGASOS BSGD FOGD NOGD SORF KLMS QKLMS KNLMS KAPA KRLS SW_KRLS"
    " FB_KRLS KRLS_T SOGP KRLS_AUTO",
}
FROZEN_AXES = (
    "dtype update loss sampling policy projection schedule averaging basis rows coefficients"
)


@pytest.mark.parametrize("kind", FROZEN, ids=lambda kind: kind.__name__)
def test_numbers_in_files(kind: Any) -> None:
    names = FROZEN[kind].split()
    assert [kind[name].value for name in names] == list(range(1, len(names) + 1))
    assert set(kind.__members__) - {"CUSTOM"} == set(names)


def test_order_in_files() -> None:
    assert list(pt.AXES) == FROZEN_AXES.split()
    assert pt.Algorithm.CUSTOM == 0


# ---- rows ----------------------------------------------------------------------------------------

rows = pytest.mark.parametrize("row", ek.algorithms(), ids=lambda row: row.name)


@rows
def test_a_row_says_what_it_is(row: Any) -> None:
    assert row.title
    assert row.source
    assert row.name == row.name.lower()
    by_name, by_member = (
        ek.Learner(key, n_features=2, budget=3) for key in (row.name, row.algorithm)
    )
    assert by_name.plan == by_member.plan
    assert by_name.algorithm == row.name
    assert ek.Learner(row.name.upper(), n_features=2, budget=3).algorithm == row.name


@rows
def test_rows_that_freeze(row: Any) -> None:
    """A full ring ends learning where the row says so, and nowhere else."""
    learner = ek.Learner(row.name, n_features=2, budget=2, seed=1, **LIVELY.get(row.name, {}))
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(300, 2)), rng.choice([-1.0, 1.0], 300)
    learner.learn_many(X[:200], y[:200])
    updates = learner.updates
    learner.learn_many(X[200:], y[200:])
    assert row.freezes == (learner.updates == updates)
    assert row.freezes == (learner.capacity_hits > 0)


@pytest.mark.parametrize(
    ("given", "meant"), [("rpb", "'rbp'"), ("bpa-s", "'bpa_s'"), ("PROJECTRON+", "'projectron++'")]
)
def test_a_name_that_is_nearly_one(given: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"did you mean .*{re.escape(meant)}"):
        ek.plan(given, n_features=2, budget=3)


def test_a_parameter_that_is_nearly_one() -> None:
    with pytest.raises(TypeError, match=r"unknown parameter 'betta' for spa \(did you mean 'beta'"):
        ek.plan("spa", n_features=2, budget=3, betta=2.0)
    with pytest.raises(TypeError, match="did you mean 'policy'"):
        ek.plan(n_features=2, budget=3, polcy="random")
    with pytest.raises(TypeError) as told:
        ek.plan("spa", n_features=2, budget=3, colour=2.0)
    assert "did you mean" not in str(told.value)


@rows
def test_a_row_documents_its_parameters(row: Any) -> None:
    documented = {name: rest for name, *rest in parameter_rows(row)}
    assert all(default and allowed and doc for default, allowed, doc in documented.values())
    in_force: set[str] = set()
    for choice in [{}, *({name: value} for name in row.choices for value in row.choices[name])]:
        needed = NEEDS.get((row.name, *next(iter(choice.items()), ())), {})
        made = ek.Learner(row.name, n_features=2, budget=3, **choice, **needed)
        in_force |= set(made.parameters) - set(row.choices)
        for name, option in choice.items():
            for axis, part in row.choices[name][option].items():
                # U = None bounds nothing, whichever bound was asked for.
                radial = getattr(TRAITS[axis][part], "radial", False)
                free = radial and made.parts[axis] == ek.Projection.NONE
                assert not free or "U" not in made.parameters
                assert made.parameters[name] == option or free
                assert made.parts[axis] == (ek.Projection.NONE if free else part)
    assert in_force <= set(documented)
    assert set(documented) - in_force <= {*row.choices, *LISTS, "U"}


@pytest.mark.parametrize("projection", [ek.Projection.BALL, ek.Projection.COEFFICIENTS])
@pytest.mark.parametrize("U", [None, np.inf])
def test_a_bound_without_a_radius_is_none(projection: ek.Projection, U: Any) -> None:
    options = {"n_features": 2, "budget": 3, "update": "gradient"}
    bounded = ek.Learner(projection=projection, U=U, **options)
    assert bounded.parts["projection"] == ek.Projection.NONE
    assert bounded.plan == ek.Learner(**options).plan
    assert ek.Learner(projection=projection, U=2, **options).parts["projection"] == projection


@pytest.mark.parametrize("name", EVERY)
def test_unknown_parameters_are_named(name: str) -> None:
    with pytest.raises(TypeError, match=f"unknown parameter 'colour' for {re.escape(name)}"):
        ek.Learner(name, n_features=2, budget=3, colour=1)
    with pytest.raises(TypeError, match="unknown parameter 'update'"):
        ek.plan(name, n_features=2, budget=3, update=ek.Update.PA)


def out_of_range(spec: Option, default: Any) -> list[Any]:
    """Values to refuse; None stands for a default that is made from others."""
    bad: list[Any] = [float("nan"), "x", [1.0], 1j, -np.inf, 10**400, {}]
    if spec.none is None and not callable(spec.default):
        bad.append(None)
    if spec.none != math.inf:
        bad.append(np.inf)
    if spec.flag or spec.words:
        return [*bad, 2, -1, 0.5]
    for end, bracket, beyond in zip(spec.ends, (spec.span[0], spec.span[-1]), (-1, 1), strict=True):
        if math.isfinite(end):
            bad += [end + beyond, *([end] if bracket in "()" else [])]
    bad += [spec.ends[0] + 0.5] if spec.integer else []
    return [value for value in bad if value is None or value != spec.none]


@pytest.mark.parametrize("name", EVERY)
def test_parameters_out_of_range_are_named(name: str) -> None:
    row = find(name)
    for shown in set(ek.Learner(name, n_features=2, budget=3).parameters) - set(row.choices):
        spec = FAMILIES[row.family].settings.table[shown]
        for value in out_of_range(spec, row.defaults.get(shown, spec.default)):
            with pytest.raises((ValueError, TypeError), match=rf"\b{shown}\b"):
                ek.Learner(name, n_features=2, budget=3, **{shown: value})
    for choice in row.choices:
        for value in ("colour", None, 3, [], {}):
            with pytest.raises((ValueError, TypeError), match=rf"\b{choice}\b"):
                ek.Learner(name, n_features=2, budget=3, **{choice: value})


#: A composition that has each parameter.
BRINGS: dict[str, dict[str, Any]] = {
    stored: {axis: part}
    for axis, parts in TRAITS.items()
    for part, row in parts.items()
    for stored in row.parameters
}


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_of_a_part_is_checked(name: str) -> None:
    for value in out_of_range(OPTIONS[name], OPTIONS[name].default):
        with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b must be"):
            ek.plan(n_features=2, budget=3, **BRINGS[name], **{name: value})


#: What the papers call the options of an algorithm: name, letter, algorithm.
LETTERS = [
    (name, letter, row.name) for row in ek.algorithms() for letter, name in row.aliases.items()
]


#: Options of references that the library does not have, and the other way round.
ONLY_THERE = {"C", "D", "full", "rcond"}
ONLY_HERE = {("bogd", "c"), ("krls_auto", "horizon")}


@rows
def test_letters_of_papers_are_those_of_the_references(row: Any) -> None:
    """A reference takes the letters of its paper; the library takes plain words too."""
    letters = LEARNERS[row.name].options.keys() if row.name in LEARNERS else set()
    assert {letter for letter in row.aliases if (row.name, letter) not in ONLY_HERE} <= letters
    assert letters <= {name for name, *_ in parameter_rows(row)} | set(row.aliases) | ONLY_THERE


@pytest.mark.parametrize(("name", "letter", "algorithm"), LETTERS)
def test_a_letter_means_the_plain_word(name: str, letter: str, algorithm: str) -> None:
    options: dict[str, Any] = {"n_features": 3, "budget": 8}
    if algorithm == "krls_auto":
        options["lags"] = 1  # without which no target comes late
    else:
        options["kernel"] = ek.Gaussian(0.5)  # without which gamma may have been meant as its width
    spec = OPTIONS[name]
    value = 2 if spec.integer else 0.5 + (spec.ends[0] >= 1.0)
    config = ek.Config(algorithm, **options, **{name: value})
    assert config == ek.Config(algorithm, **options, **{letter: value})
    assert config.parameters[name] == value
    assert letter not in config.parameters
    assert f"{name}={value}" in repr(config)
    with pytest.raises(TypeError, match=f"give {name}= or {letter}=, not both"):
        ek.Config(algorithm, **options, **{name: value, letter: value})
    with pytest.raises((TypeError, ValueError), match=rf"\b{name}\b"):
        ek.Config(algorithm, **options, **{letter: "x"})


@pytest.mark.parametrize("algorithm", [name for _, letter, name in LETTERS if letter == "gamma"])
def test_a_letter_that_may_be_the_width_warns(algorithm: str) -> None:
    """At the line that gave it."""
    value = 1.5 if algorithm == "klr" else 0.5
    with pytest.warns(UserWarning, match=rf"kernel_gamma={value} is the width") as warned:
        ek.Learner(algorithm, n_features=3, budget=8, gamma=value)
    assert [each.filename for each in warned] == [__file__]
    ek.Learner(algorithm, n_features=3, budget=8, gamma=value, kernel_gamma=0.2)


def test_a_letter_is_of_no_other_algorithm() -> None:
    with pytest.raises(TypeError, match="unknown parameter 'R' for pa1"):
        ek.Config("pa1", n_features=3, budget=8, R=1.0)
    with pytest.raises(TypeError, match="unknown parameter 'T' for this composition"):
        ek.Config(n_features=3, budget=8, update="gradient", T=8)


@pytest.mark.parametrize("axis", [axis for axis in AXES if axis not in ("loss", "rows")])
def test_sorf_has_no_parts_of_a_ring(axis: str) -> None:
    """An axis is refused like any unknown name, with the options that there are."""
    given = {"dtype": "float16", "coefficients": "float32"}.get(axis, next(iter(AXES[axis])))
    error = ValueError if axis in ("dtype", "coefficients") else TypeError
    with pytest.raises(error, match="sorf") as told:
        ek.Config("sorf", n_features=3, budget=8, **{axis: given})
    if axis not in ("dtype", "coefficients"):
        assert f"unknown parameter {axis!r} for sorf" in str(told.value)
        assert all(name in str(told.value) for name in SORF_OPTIONS)


COMMON: list[tuple[dict[str, Any], str]] = [
    *(({"n_features": v}, "n_features") for v in (0, -1, 2.5, True, None, "3", 2**40)),
    *(({"budget": v}, "budget") for v in (0, -1, 2.5, True, "3", 2**40, np.array([3]), 1j)),
    *(({"seed": v}, "seed") for v in (-1, 2**64, 1.0, None, "1")),
    *(({"dtype": v}, "dtype") for v in ("float8", "int", 3, np.int16, complex)),
    *(({"algorithm": v}, "algorithm") for v in ("", "perceptrom", 3, 2.0, b"rbp", ek.Loss.HINGE)),
]


@pytest.mark.parametrize(("wrong", "name"), COMMON, ids=str)
def test_arguments_every_learner_has(wrong: dict[str, Any], name: str) -> None:
    options = {"algorithm": "rbp", "n_features": 2, "budget": 3, **wrong}
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
        ek.Learner(**options)


FORMS = {
    "float32": ["float32", "FLOAT32", np.float32, np.dtype("f4"), pt.Dtype.FLOAT32],
    "float64": ["float64", np.float64, np.dtype("f8"), pt.Dtype.FLOAT64],
    "float16": ["float16", "Float16", np.float16, np.dtype("f2"), pt.Dtype.FLOAT16],
    "int8": ["int8", np.int8, np.dtype("i1"), pt.Dtype.INT8],
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_a_dtype(name: str) -> None:
    for dtype in FORMS[name]:
        assert ek.Learner("rbp", n_features=2, budget=3, dtype=dtype).dtype == name
