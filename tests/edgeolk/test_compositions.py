"""Every composition of parts: it runs and keeps its promises, or a sentence says why it cannot."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers import ACTIVE, KERNELS, squared_norm
from synthetic import random_stream

import edgeolk as ek
from edgeolk import parts as pt
from edgeolk.configuration.settings import Settings
from edgeolk.parts.policies import POLICIES
from edgeolk.parts.table import DEFAULT_PARTS
from edgeolk.ring.options import uses
from edgeolk.ring.refusals import refuse, sentences
from edgeolk.ring.settings import RingSettings
from edgeolk.sorf import refusals as of_sorf

SENTENCES = sentences() | of_sorf.sentences()
#: Each with any names for the parameters in braces.
PATTERNS = {
    sentence: re.compile(r"\w+".join(map(re.escape, re.split(r"\{\w+\}", sentence))))
    for sentence in SENTENCES
}

#: Without a scaler or a width that follows the rows, which many options exclude.
SORF: dict[str, Any] = {"algorithm": "sorf", "scale": None, "gamma": None}

#: A kernel adaptive filter.
RIDGE: dict[str, Any] = {"update": "ridge", "policy": "sliding", "loss": "square"}

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"update": "pa", "sparse": True, "dtype": "int8"}, "sparse rows cannot be stored as int8"),
    ({"sparse": True, "basis": "fourier"}, "sparse rows are for support vectors"),
    (
        {"update": "optimistic", "policy": "anchor", "projection": "ball", "U": None},
        "needs a finite U",
    ),
    ({"loss": "square", "update": "pa1"}, "Loss.SQUARE needs Update.GRADIENT"),
    ({"loss": "logistic"}, "Loss.LOGISTIC needs Update.GRADIENT, LOGISTIC,"),
    ({"update": "logistic"}, "Loss.HINGE needs Update.PERCEPTRON, AGGRESSIVE,"),
    ({"update": "ridge", "loss": "ramp"}, "Loss.RAMP needs Update.PERCEPTRON, AGGRESSIVE,"),
    *(
        ({"update": update, "loss": "square"}, f"filters need {policies} for this update")
        for update, policies in (
            ("normalised", "Policy.COHERENT"),
            ("affine", "Policy.COHERENT"),
            ("recursive", "Policy.DEPENDENT"),
            ("ridge", "Policy.SLIDING or LEAST_ERROR"),
            ("posterior", "Policy.LEAST_CHANGE or LEAST_DIVERGENCE"),
            ("whitened", "Policy.LEAST_CHANGE or LEAST_DIVERGENCE"),
        )
    ),
    *(
        ({"policy": policy}, f"this policy needs Update.{updates}")
        for policy, updates in (
            ("coherent", "NORMALISED or AFFINE"),
            ("dependent", "RECURSIVE"),
            ("sliding", "RIDGE"),
            ("least_error", "RIDGE"),
            ("least_change", "POSTERIOR, WHITENED or UNTUNED"),
            ("least_divergence", "POSTERIOR or WHITENED"),
        )
    ),
    *(
        ({**RIDGE, **parts}, why)
        for parts, why in (
            ({"sampling": "derivative"}, "no sampling, schedule, averaging or projection"),
            ({"schedule": "sqrt"}, "no sampling, schedule, averaging or projection"),
            ({"averaging": "mean"}, "no sampling, schedule, averaging or projection"),
            ({"projection": "ball", "U": 1.0}, "no sampling, schedule, averaging or projection"),
            ({"basis": "fourier"}, "filters need a ring of support vectors"),
            ({"coefficients": "float32"}, "must be float64 for a kernel adaptive filter"),
        )
    ),
    (
        {"algorithm": "krls", "dtype": "float32", "dependence": 0.005},
        "dependence must be at least 0.01 unless dtype is 'float64'",
    ),
    (
        {"algorithm": "krls_t", "coefficients": "float32", "jitter": 1e-6},
        "jitter must be at least 1e-5 unless coefficients are float64",
    ),
    (
        {"update": "untuned", "loss": "square", "policy": "oldest"},
        "filters need Policy.LEAST_CHANGE for this update",
    ),
    *(
        ({"algorithm": "krls_auto", **parts}, why)
        for parts, why in (
            ({"kernel": ek.Linear()}, "krls_auto needs a Gaussian kernel"),
            ({"scale": "standard"}, "krls_auto scales and clips inputs itself"),
            ({"dtype": "float64", "coefficients": "float32"}, "krls_auto needs dtype='float32'"),
            ({"sparse": True}, "krls_auto reads every number of a row"),
            ({"horizon": 3}, "horizon= is for lags="),
        )
    ),
    ({"sampling": "loss", "loss": "ramp"}, "Sampling.LOSS needs Loss.HINGE"),
    ({"sampling": "derivative"}, "Sampling.DERIVATIVE needs Update.GRADIENT"),
    ({"sampling": "derivative", "update": "gradient", "loss": "square"}, "bounded derivative"),
    ({"sampling": "margin"}, "Sampling.MARGIN needs Update.LOGISTIC"),
    ({"sampling": "auxiliary"}, "Sampling.AUXILIARY needs Update.LOGISTIC_SHIFT or"),
    ({"sampling": "decay"}, "Sampling.DECAY needs Update.GRADIENT"),
    ({"sampling": "decay", "update": "gradient"}, "needs the number of examples, T"),
    ({"schedule": "decay", "update": "gradient"}, "Schedule.DECAY needs Sampling.DECAY"),
    ({"schedule": "sqrt"}, "schedule needs Update.GRADIENT"),
    ({"policy": "forgetron", "update": "pa"}, "Forgetron policies need Update.PERCEPTRON"),
    ({"policy": "forgetron_basic", "update": "margin"}, "Forgetron policies need"),
    ({"policy": "forgetron_greedy", "update": "pa2"}, "Forgetron policies need"),
    ({"update": "projectron_jmlr"}, "need Policy.SPAN"),
    ({"update": "projectron_icml"}, "need Policy.SPAN"),
    ({"policy": "anchor"}, "Policy.ANCHOR and Update.OPTIMISTIC need each other"),
    ({"update": "optimistic"}, "Policy.ANCHOR and Update.OPTIMISTIC need each other"),
    ({"policy": "anchor", "update": "optimistic", "U": 1.0}, "needs Projection.BALL"),
    ({"policy": "merge", "kernel": ek.Linear()}, "Policy.MERGE needs the Gaussian kernel"),
    ({"update": "pegasos", "lam": 0.0}, "Update.PEGASOS sets the common scale itself"),
    ({"update": "pegasos", "lam": 0.1, "policy": "halve"}, "Update.PEGASOS sets"),
    ({"update": "pegasos", "lam": 0.1, "projection": "ball", "U": 1.0}, "Update.PEGASOS sets"),
    ({"averaging": "mean", "policy": "oldest"}, "averaging needs a policy that never removes"),
    ({"averaging": "mean", "projection": "clip", "clip_coefficients": 1.0}, "moves single"),
    ({"averaging": "mean", "basis": "nystrom", "update": "gradient"}, "basis changes meanwhile"),
    ({"projection": "clip", "clip_coefficients": 1.0}, "need Update.GRADIENT: the bound is"),
    ({"projection": "shrink", "clip_coefficients": 1.0}, "need Update.GRADIENT: the bound is"),
    ({"basis": "fourier", "policy": "oldest"}, "a feature basis needs Policy.STOP"),
    ({"basis": "fourier", "kernel": ek.Laplacian(1.0)}, "needs the Gaussian kernel"),
    ({"basis": "fourier", "projection": "coefficients", "U": 1.0}, "no coefficients of support"),
    (
        {"basis": "nystrom", "update": "gradient", "projection": "ball", "U": 1.0},
        "Basis.NYSTROM cannot be combined with Projection.BALL",
    ),
    ({"basis": "nystrom"}, "Basis.NYSTROM needs Update.GRADIENT"),
    ({"basis": "fourier", "dtype": "int8"}, "cannot be stored as int8"),
    (
        {"basis": "nystrom", "update": "gradient", "sampling": "decay", "schedule": "decay"},
        "Basis.NYSTROM cannot be combined with Schedule.DECAY",
    ),
    ({"basis": "fourier", "update": "shifting"}, "a feature basis cannot be"),
    ({"basis": "fourier", "update": "pegasos", "lam": 0.1}, "a feature basis cannot be"),
    *(
        ({"policy": policy, "budget": 1}, "budget must be at least 2")
        for policy in ("unbiased", "unbiased_by_size", "halve")
    ),
    (
        {"policy": "anchor", "update": "optimistic", "projection": "ball", "U": 1.0, "budget": 1},
        "budget must be at least 2",
    ),
    ({"basis": "nystrom", "update": "gradient", "rank": 6}, "rank must be at most the budget"),
    ({"update": "gradient", "eta": 0.5, "lam": 2.0}, "eta \\* lam must be below 1"),
    ({"sampling": "loss", "alpha": 2.0, "beta": 1.0}, "beta must be at least alpha"),
    (
        {"update": "logistic", "loss": "logistic", "sampling": "margin", "eta": 2.0},
        "eta must be below 2",
    ),
    ({"update": "aggressive", "rate": 1.5, "eps": 0.5}, "eps must be at least half"),
    ({"update": "aggressive", "rate": None}, "needs a finite U"),
    ({"kernel": ek.Gaussian(1e-40)}, "gamma must be between"),
    ({"coefficients": "float32", "policy": "span"}, "it solves linear systems with them"),
    (
        {"coefficients": "float32", "policy": "forgetron_greedy"},
        "it keeps f of every support vector",
    ),
    (
        {"coefficients": "float32", "basis": "nystrom", "update": "gradient"},
        "its map to features outweighs them",
    ),
    ({"update": "pa", "loss": "novelty"}, "Loss.NOVELTY needs Update.GRADIENT: "),
    *(
        ({"loss": "novelty", "update": "gradient", "policy": "oldest", **parts}, "no sampling,")
        for parts in (
            {"sampling": "derivative"},
            {"schedule": "sqrt"},
            {"averaging": "mean", "policy": "stop"},
            {"projection": "ball", "U": 1.0},
        )
    ),
    ({"loss": "novelty", "update": "gradient"}, "a frozen ring cannot follow"),
    ({"loss": "novelty", "update": "gradient", "policy": "simple"}, "Loss.NOVELTY needs"),
    ({"update": "perceptron", "loss": "epsilon"}, "Loss.EPSILON needs Update.PA, PA1, PA2 or"),
    ({"loss": "epsilon", "update": "sparse_pa"}, "Loss.EPSILON needs"),
    *(
        ({"n_classes": 3, **parts}, "the other updates support two classes")
        for parts in (
            {"update": "aggressive"},
            {"update": "shifting"},
            {"update": "pegasos", "lam": 0.1},
            {"update": "logistic_shift", "loss": "logistic"},
        )
    ),
    ({"n_classes": 3, "update": "gradient", "loss": "square"}, "several classes need Loss.HINGE"),
    ({"n_classes": 3, "update": "pa1", "loss": "epsilon"}, "several classes need Loss.HINGE"),
    (
        {"n_classes": 3, "update": "gradient", "loss": "novelty", "policy": "oldest"},
        "several classes need Loss.HINGE",
    ),
    ({"n_classes": 3, "update": "pa", "basis": "fourier"}, "several classes need a ring"),
    *(
        ({"n_classes": 3, **parts}, "the other policies use one coefficient per slot")
        for parts in (
            {"update": "perceptron", "policy": "forgetron"},
            {"update": "perceptron", "policy": "span"},
            {"update": "gradient", "policy": "unbiased_by_size"},
            {"update": "gradient", "policy": "merge"},
        )
    ),
    ({"update": "pa", "gamma": "auto", "kernel": ek.Linear()}, "needs a kernel with a width"),
    ({"update": "pa", "scale": "standard", "sparse": True}, "scaled rows have no zeros"),
    ({"update": "pa", "clip_rows": 1e5, "dtype": "float16"}, "float16 holds numbers up to"),
    ({"basis": "structured", "dtype": "int8"}, "stores weights as float32 or float64"),
    ({"basis": "structured", "kernel": ek.Linear()}, "STRUCTURED needs the Gaussian kernel"),
    ({"basis": "structured", "sparse": True}, "this learner stores no rows"),
    (
        {"basis": "fourier", "dtype": "float16", "kernel": ek.Gaussian(1e9)},
        "gamma must be smaller for features",
    ),
    ({"basis": "fourier_drawn", "kernel": ek.Linear()}, "FOURIER_DRAWN needs the Gaussian kernel"),
    ({"basis": "fourier_drawn", "dtype": "float16"}, "stores no frequencies"),
    *(
        ({**SORF, **parts}, why)
        for parts, why in (
            ({"loss": "novelty", "linear": True}, "Loss.NOVELTY keeps one average"),
            ({"loss": "square", "n_classes": 3}, "several classes need Loss.HINGE"),
            ({"lapse": 16}, "lapse is for last_label=True"),
            ({"loss": "novelty", "delay": 2}, "delay is for labels and targets of rows"),
            ({"n_classes": 256, "delay": 2}, "an answer is a byte: at most 255 classes"),
            ({"delay": 2, "kept_answers": 4}, "kept_answers must be from 1 to"),
            ({"gaussian_process": 5}, "gaussian_process is for real targets"),
            (
                {"loss": "square", "gaussian_process": 5, "delay": 2},
                "gaussian_process learns a row with its target",
            ),
            (
                {"loss": "square", "gaussian_process": 5, "history": True},
                "history has no gaussian_process",
            ),
            ({"clock": True}, "clock is for loss='novelty' with history=True"),
            ({"loss": "novelty", "clock": True}, "clock is for loss='novelty' with history=True"),
            ({"loss": "square", "leak": 0.01}, "leak is for classification"),
            ({"loss": "square", "memory": 5}, "memory is for classification"),
            ({"n_classes": 257, "memory": 5}, "at most 256 classes"),
            ({"memory_narrow": True}, "memory_narrow is for a memory of rows"),
            ({"loss": "square", "history": True, "drift": True}, "history has no drift"),
            ({"loss": "square", "history": True, "constant": True}, "history has no constant"),
            ({"budget": 0, "linear_group": True, "memory": 5}, "without frequencies"),
            ({"loss": "novelty", "scratch": "row"}, "scratch='row' is useless"),
            ({"cmin": 50.0, "cmax": 40.0}, "cmin must be at most cmax"),
            ({"groups": 2}, "groups must be at most the blocks"),
            ({"n_classes": 3, "linear": True}, "linear is for two classes"),
            ({"kernel": ek.Linear()}, "its features are cosines and sines"),
            ({"dtype": "float16"}, "stores weights as int8, float32 or float64"),
            ({"history": True}, "history=True needs Loss.NOVELTY"),
            *(
                ({"loss": "novelty", "history": True, "budget": 64, **parts}, why)
                for parts, why in (
                    ({"scale": "standard"}, "keeps the scale of each channel itself"),
                    ({"kernel": ek.Gaussian(1.0)}, "has a fixed kernel"),
                    ({"budget": 63}, "D must be a multiple of 64"),
                    ({"window": 65536}, "window must be at most 65535"),
                )
            ),
            ({"horizon": 3}, "horizon is for forecasts, which need loss='square' and history=True"),
            ({"season": 3}, "season needs loss='square' and history=True: only forecasts have"),
            ({"interval": 0.5}, "only forecasts have intervals"),
            *(
                ({"loss": "square", "history": True, "budget": 64, **parts}, why)
                for parts, why in (
                    ({"scale": "minmax"}, "needs rows scaled by scale='standard'"),
                    ({"scale": "standard", "budget": 31}, "at least 32, from where a kernel pays"),
                    ({"scale": "standard", "last_label": True}, "no last_label"),
                    ({"scale": "standard", "horizon": 3, "season": 2}, "at least horizon"),
                )
            ),
        )
    ),
]


def prepared(config: Settings, **changes: Any) -> Settings:
    """The configuration with other preprocessing."""
    return replace(config, preprocessing=replace(config.preprocessing, **changes))


#: Changed fields of a learner, as only a forged file has them, and what is said of them.
SCALED = {**SORF, "scale": "standard", "budget": 64}
FORGED: list[tuple[dict[str, Any], Callable[[Settings], Settings], str]] = [
    (
        SCALED,
        lambda c: replace(c, parts={**c.parts, "dtype": pt.Dtype.FLOAT64}),
        "float64 rows need statistics in float64",
    ),
    (
        {"update": "pa", "scale": "standard"},
        lambda c: prepared(c, follows=True),
        "only the width of 'sorf' follows the rows",
    ),
    (
        SCALED,
        lambda c: prepared(c, follows=True, gamma_rows=100),
        "needs scale=, and none from the first rows",
    ),
    (
        {**SCALED, "loss": "square", "history": True},
        lambda c: prepared(c, gamma_rows=100),
        "the kernel would restart among them",
    ),
    (
        {"algorithm": "sorf", "budget": 0, "loss": "square", "history": True},
        lambda c: replace(c, values={**c.values, "linear": 1.0}),
        "without a kernel",
    ),
]


def sentence(error: BaseException) -> str:
    """What is refused, without the names and numbers that were got; other messages as they are."""
    said = str(error).partition("; got ")[0]
    return next((one for one in SENTENCES if PATTERNS[one].fullmatch(said)), said)


def first_refusal(parts: dict[str, Any]) -> str:
    with pytest.raises(ValueError, match=r"\w") as caught:
        ek.Learner(**{"n_features": 2, "budget": 5, **parts})
    return sentence(caught.value)


def refusal_of_forged(
    options: dict[str, Any], change: Callable[[Settings], Settings], why: str
) -> str:
    config = ek.Config(**{"n_features": 2, "budget": 5, **options})._settings
    with pytest.raises(ValueError, match=why) as caught:
        change(config).check()
    return sentence(caught.value)


def test_a_refusal_of_numbers_says_which_were_got() -> None:
    with pytest.raises(ValueError, match=r"beta must be at least alpha.*; got beta=1, alpha=5"):
        ek.Learner("spa", n_features=2, budget=5, alpha=5.0, beta=1.0)


@pytest.mark.parametrize(("parts", "why"), REFUSED, ids=lambda v: str(v)[:60])
def test_refusals_say_why(parts: dict[str, Any], why: str) -> None:
    options = {"n_features": 2, "budget": 5, **parts}
    for make in (ek.Learner, ek.plan):
        with pytest.raises(ValueError, match=why):
            make(**options)


def test_a_part_that_needs_a_positive_definite_kernel() -> None:
    options: dict[str, Any] = {"n_features": 2, "budget": 5, **RIDGE}
    with pytest.raises(ValueError, match=r"^Update.RIDGE needs a positive definite kernel"):
        ek.Config(**options, kernel=ek.Sigmoid())
    ek.Config(**options, kernel=ek.Polynomial())


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_a_norm_that_is_recomputed_has_the_regions_for_it(
    policy: pt.Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its row names: a policy that removes nothing may change coefficients, too."""
    row = replace(POLICIES[policy], removes=False, follows_norm=False, regions=(), refuses={})
    monkeypatch.setitem(POLICIES, policy, row)
    config = ek.Config(
        n_features=2, budget=5, policy=policy, projection="ball", U=1.0, kernel=ek.Linear()
    )
    names = {region.name for region in ek.plan(config).regions}
    assert {"column", "diagonal"} <= names


def test_every_refusal_is_tested() -> None:
    said = {first_refusal(parts) for parts, _ in REFUSED}
    assert said | {refusal_of_forged(*case) for case in FORGED} == SENTENCES


@pytest.mark.parametrize("U", [None, np.inf])
def test_optimistic_without_a_radius(U: Any) -> None:
    """Without one Projection.BALL is none, and that is what is said."""
    with pytest.raises(ValueError, match=r"Update.OPTIMISTIC needs"):
        ek.plan("pomdr", n_features=2, budget=5, U=U)


@pytest.mark.parametrize(
    "axis", [axis for axis in pt.AXES if axis not in ("dtype", "rows", "coefficients")]
)
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


# ---- the whole product ---------------------------------------------------------------------------

#: A value for every parameter there is, whether a composition uses it or not.
VALUES = {
    **{"alpha": 1.0, "rate": 0.25, "eps": 0.5, "ridge": 5e-4, "nu": 0.05, "lags": 0, "delay": 0},
    **ACTIVE,
}
AXES = {axis: list(type(default)) for axis, default in DEFAULT_PARTS.items()}
D, B, ROWS = 3, 5, 500


@functools.cache
def stream() -> tuple[np.ndarray, np.ndarray]:
    return random_stream(8, ROWS, D, zeros=0.05)


FIXED = {"rows": pt.Rows.DENSE, "coefficients": pt.Coefficients.FLOAT64}


def says(parts: dict[str, Any], kernel: ek.Kernel, columns: int = 1) -> str:
    """The refusal of a composition, "" for none; built without what a caller's words cost."""
    parts = {**FIXED, **parts}
    try:
        refuse(RingSettings(
            member=pt.Algorithm.CUSTOM, n_features=D, budget=B, seed=0, kernel=kernel, parts=parts,
            values=VALUES, columns=columns,
        ))  # fmt: skip
    except ValueError as error:
        return sentence(error)
    return ""


def options_of(parts: dict[str, Any]) -> dict[str, Any]:
    return {**parts, **{name: ACTIVE[name] for name in uses(parts) if name in ACTIVE}}


def learn(learner: ek.Learner) -> np.ndarray | None:
    """The whole stream; the sum of the models that scored it where a mean is kept."""
    X, y = stream()
    raises = learner.parts.get("policy") == ek.Policy.RAISE
    if learner.parts.get("averaging", ek.Averaging.NONE) == ek.Averaging.NONE and not raises:
        assert np.isfinite(learner.learn_many(X, y)).all()
        return None
    total = np.zeros(2 * B)
    for a, b in zip(X, y, strict=True):
        coef = learner.dual_coef_
        try:
            assert np.isfinite(learner.learn_one(a, b))
        except ek.BudgetError:
            assert raises
            assert learner.n_support == B
        else:
            total[: len(coef)] += coef
    return total


def behaves(parts: dict[str, Any], kernel: str) -> None:
    """What holds for any composition that is taken, on one stream."""
    learner = ek.Learner(
        n_features=D, budget=B, kernel=KERNELS[kernel][0], dtype="float64", **options_of(parts)
    )
    total = learn(learner)
    coef = learner.dual_coef_
    assert 0 < learner.n_support <= B
    assert np.isfinite(coef).all()
    assert learner.norm2 is None or np.isfinite(learner.norm2)
    # What cancels in ||f||^2 is of the order of (sum |alpha| |s|)^2.
    slack = 1e-13 * np.abs(coef).sum() ** 2
    if learner.norm2 is not None:
        ring = parts["basis"] == ek.Basis.SUPPORT_VECTORS
        true = squared_norm(learner, KERNELS[kernel][1]) if ring else coef @ coef
        if kernel != "gaussian":
            slack *= max(1.0, np.max(learner.support_vectors_**2) * D)
        assert learner.norm2 == pytest.approx(true, rel=1e-8, abs=slack)
        bound = ACTIVE["U"] ** 2
        assert parts["projection"] != ek.Projection.BALL or true <= bound * (1 + 1e-8) + slack
    if parts["projection"] in (ek.Projection.CLIP, ek.Projection.SHRINK):
        assert np.abs(coef).max() <= ACTIVE["clip_coefficients"] * ACTIVE["eta"] * (1 + 1e-12)
    if parts["averaging"] == ek.Averaging.MEAN:
        mean = total[: len(coef)] / learner.steps
        size = np.abs(coef).max()
        assert learner.averaged.dual_coef_ == pytest.approx(mean, rel=1e-9, abs=1e-12 * size)


#: By day one composition in so many, so that every two members of two axes meet; at night
#: all, and of those with the linear kernel one in four learns.
@pytest.mark.parametrize(
    ("kernel", "step", "one_in"),
    [
        ("gaussian", 37, 1),
        ("linear", 97, 1),
        pytest.param("gaussian", 1, 1, marks=pytest.mark.slow),
        pytest.param("linear", 1, 4, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("update", AXES["update"], ids=lambda u: u.name)
def test_every_composition_runs_or_says_why(
    update: ek.Update, kernel: str, step: int, one_in: int
) -> None:
    axes = {axis: members for axis, members in AXES.items() if axis != "update"}
    refused: dict[str, dict[str, Any]] = {}
    fixed = {"dtype": pt.Dtype.FLOAT64, "update": update}
    taken = 0
    for values in itertools.islice(itertools.product(*axes.values()), update % step, None, step):
        parts = {**fixed, **dict(zip(axes, values, strict=True))}
        why = says(parts, KERNELS[kernel][0])
        if why:
            refused.setdefault(why, parts)
            continue
        taken += 1
        if taken % one_in:
            continue
        try:
            behaves({axis: part for axis, part in parts.items() if axis != "dtype"}, kernel)
        except AssertionError as error:
            named = ", ".join(part.name for part in parts.values())
            raise AssertionError(f"{named}: {error}") from error
    # krls_auto has no other kernel than the Gaussian.
    assert taken or step > 1 or (update, kernel) == (ek.Update.UNTUNED, "linear")
    for why, parts in refused.items():
        # The way a caller meets the same refusal, once for each sentence.
        assert why in SENTENCES
        said = {axis: part for axis, part in parts.items() if axis != "dtype"}
        with pytest.raises(ValueError, match=r"\w") as caught:
            ek.plan(n_features=D, budget=B, kernel=KERNELS[kernel][0], **options_of(said))
        assert sentence(caught.value) == why
