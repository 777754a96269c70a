"""States that learning does not lead to are refused; those that it leads to are not."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from held import BESIDE, B, D, Held, X, Y, held, refused, taught
from helpers import LIVELY, RINGS

import edgeolk as ek
from edgeolk.files.live import WORDS
from edgeolk.parts.methods import find

BAD_WORDS: list[tuple[str, str, Any]] = [
    ("spa", "steps", -5), ("spa", "steps", 2**62 + 1), ("spa", "updates", 61),
    ("spa", "mistakes", 61), ("spa", "capacity_hits", 61), ("spa", "labels_asked", -1),
    ("spa", "labels_asked", 2**63 - 1), ("spa", "n_support", -1), ("spa", "n_support", B + 1),
    ("spa", "updates", B - 1),
    ("spa", "mean_weight", math.nan), ("spa", "mean_weight", -1.0), ("avp", "scale", math.nan),
    ("avp", "scale", math.inf), ("avp", "scale", 0.0), ("avp", "scale", -1.0),
    ("avp", "scale", 0.9e-100), ("avp", "scale", 1.1e100), ("pegasos", "scale", 1.0),
    ("avp", "norm2", 1e303), ("avp", "norm2", -1.0), ("avp", "norm2", math.nan),
    ("avp", "norm2", math.inf), ("remove_oldest", "cursor", B), ("remove_oldest", "cursor", -1),
    ("forgetron", "forgetron_q", 1e9), ("forgetron", "forgetron_q", math.nan),
    ("forgetron_greedy", "forgetron_q", 1e9), ("forgetron_basic", "forgetron_q", math.inf),
    ("forgetron_basic", "forgetron_q", -1e303), ("forgetron_basic", "removals", -1),
    ("ahpatron", "halvings", 61), ("nogd", "rank", 0), ("nogd", "rank", -1), ("nogd", "rank", B),
    ("pomdr", "n_support", B), ("pomdr", "seen", 2**63 - 1), ("pomdr", "seen", 2**62),
    ("pomdr", "seen", -1), ("pomdr", "seen", 59), ("pomdr", "anchored", 2),
    ("pomdr", "anchored", 0), ("pomdr", "hint_error", -4.0), ("pomdr", "hint_error", math.nan),
    ("fogd", "n_support", B - 1),
    ("krls_t", "evidence_error", -1.0), ("krls_t", "evidence_weight", -1.0),
    ("krls_t", "posterior_scale", 1.5),
    ("krls_auto", "scale_sum", -1.0), ("krls_auto", "noise_in_use", 2.0),
    ("krls_auto", "noise_share", math.nan), ("krls_auto", "drift_turn", 0.5),
    ("krls_auto", "first_targets", 2.0), ("krls_auto", "inputs_seen", B - 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "word", "value"), BAD_WORDS, ids=str)
def test_bad_words(name: str, word: str, value: Any) -> None:
    state = taught(name, **LIVELY.get(name, {}))
    state.check()
    state.words[word] = value
    with pytest.raises(ValueError, match="the model is inconsistent"):
        state.check()


def test_rows_that_wait_have_answers_in_range() -> None:
    learner = ek.Learner("krls_auto", n_features=D, budget=B, lags=2, horizon=3)
    for x, y in zip(X[:20], Y[:20], strict=True):
        learner.ask_one(x)
        if learner._engine.pending() > 2:
            learner.tell_one(float(y))
    state = held(learner)
    answer_of_the_first = len(state.regions["pending_rows"]) // 3 - 2
    for value in (1e122, math.nan):
        state.regions["pending_rows"][answer_of_the_first] = value
        refused(state, "a waiting row has the number")


#: A process beside the features of a mixture.
MIXED: dict[str, Any] = {"D": 16, "loss": "square", "gaussian_process": B, "budget": None}


@pytest.mark.parametrize(("name", "params"), [("spa", {}), ("sorf", MIXED)], ids=str)
def test_more_vectors_than_the_budget_are_refused_first(name: str, params: dict[str, Any]) -> None:
    """Further rules would read them beyond their region."""
    state = taught(name, **params)
    state.words["n_support"] = B + 1
    refused(state, f"{B + 1} support vectors of {B}$")


def test_coefficients_of_a_process_are_numbers() -> None:
    state = taught("sorf", **MIXED)
    state.regions["process_coefficients"][0] = math.nan
    refused(state, "coefficient")


@pytest.mark.parametrize("word", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("value", [-1.0, math.nan])
def test_errors_are_not_negative(word: str, value: float) -> None:
    state = taught("ogd", loss="square")
    state.words[word] = math.inf  # they may overflow
    state.check()
    state.words[word] = value
    refused(state, word)


#: Learners that have every counter there is between them.
COUNTING: dict[str, dict[str, Any]] = {
    "rbp": BESIDE,
    "ahpatron": {},
    "pomdr": {},
    "nogd": {"on_bad_row": "skip"},
    "sorf": {**BESIDE, "dtype": "float32", "budget": 16},
    "SORF": {"loss": "novelty", "history": True, "budget": 64},
    "Sorf": {"memory": 5, "budget": 16, "dtype": "float32"},
}


def counters_of(state: Held) -> set[str]:
    """Words that hold whole numbers; the generator may be in any state, and the number of vectors
    is of 32 bits."""
    others = ("rng", "n_support")
    return {w for w, v in state.words.items() if isinstance(v, int) and w not in others}


@pytest.mark.parametrize("name", COUNTING)
def test_every_counter_has_a_bound(name: str) -> None:
    """Steps go on counting after any state that is accepted."""
    state = taught(name, **{**LIVELY.get(name, {}), **COUNTING[name]})
    state.check()
    for word in counters_of(state):
        for value in (-5, -1, 2**62 + 1, 2**63 - 1):
            with pytest.raises(ValueError, match="inconsistent"):
                state._replace(words={**state.words, word: value}).check()


def test_every_counter_is_tried() -> None:
    tried = {
        word
        for name, params in COUNTING.items()
        for word in counters_of(taught(name, **{**LIVELY.get(name, {}), **params}))
    }
    assert {name for words in WORDS.values() for name, kind in words if kind == "q"} < tried


def test_a_ring_that_is_not_full_has_no_oldest_slot() -> None:
    state = taught("remove_oldest", rows=2)
    assert state.words["n_support"] < B
    state.words["cursor"] = 1
    refused(state, "cursor")


BAD_NUMBERS: list[tuple[str, str, int, Any]] = [
    ("spa", "support_vectors", 0, math.nan), ("spa", "support_vectors", -1, math.inf),
    ("spa", "coefficients", 0, math.nan), ("spa", "coefficients", -1, 1.0),
    ("fogd", "coefficients", 62, 1.0), ("pegasos", "mean_start", 0, math.nan),
    ("olk", "mean_sum", 0, -math.inf), ("remove_smallest", "arrivals", 0, -1),
    ("remove_smallest", "arrivals", 1, 61), ("bsgd", "arrivals", 2, 2**62),
    ("bpa_nn", "nearest", 0, B), ("bpa_nn", "nearest", 0, -2), ("bpa_nn", "nearest", 3, 3),
    ("bpa_nn", "nearest_distance", 0, math.nan), ("bpa_nn", "nearest_distance", 0, -1.0),
    ("bpa_nn", "nearest_kernel", 0, math.nan), ("bpa_p", "inverse", 0, 0.0),
    ("bpa_p", "inverse", 2, 2e-314), ("projectron", "factor", 0, 0.0),
    ("projectron", "factor", 2, -1.0), ("projectron", "factor", 1, math.nan),
    ("bpa_p", "inverse", 0, math.inf), ("forgetron_greedy", "scores", 0, math.nan),
    ("nogd", "feature_map", 0, math.nan), ("avp", "coefficients", 0, 1e251),
    ("avp", "coefficients", 0, -1e151), ("olk", "mean_sum", 0, 1e303),
    ("bpa_nn", "nearest_kernel", 0, 1e61), ("projectron", "factor", 1, 1e61),
    ("bpa_p", "inverse", 1, -1e61), ("nogd", "feature_map", 0, 1e61),
    ("forgetron_greedy", "scores", 0, 1e251), ("pomdr", "window", 0, math.nan),
    ("pomdr", "window_labels", 0, 7.0), ("pomdr", "window_labels", 0, math.nan),
    ("pomdr", "window_labels", -1, 1.0), ("krls_auto", "whitening", 2, 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "region", "at", "value"), BAD_NUMBERS, ids=str)
def test_bad_numbers(name: str, region: str, at: int, value: Any) -> None:
    params = {**LIVELY.get(name, {}), **({"eta": 0.0} if name == "projectron" else {})}
    if at in (-1, 62):  # padding: there is some beside 31 slots, or 31 examples in a window
        params |= {"M": 31} if region == "window_labels" else {"budget": 31}
    state = taught(name, **params)
    state.check()
    state.regions[region][at] = value
    with pytest.raises(ValueError, match="the model is inconsistent"):
        state.check()


@pytest.mark.parametrize("value", [-1.0, 0.5, 6.0, 17.0, math.nan, math.inf, -math.inf])
def test_answers_are_counted_as_long_as_a_last_label_counts(value: float) -> None:
    learner = ek.Learner(n_features=D, D=64, last_label=True, lapse=5)
    learner.learn_many(X, Y)
    learner.decision_function(X)
    state = held(learner)
    state.check()
    for count in range(6):
        state.regions["last_label"][1] = count
        state.check()
    state.regions["last_label"][1] = value
    refused(state, f"{value:g} answers since the last label, which counts for 5")


def test_neighbours_are_counted_from_those_held() -> None:
    """A slot within the budget, but not in use."""
    state = taught("bpa_nn", rows=3)
    n = state.words["n_support"]
    assert 0 < n < B
    state.regions["nearest"][0] = n
    refused(state, "neighbour")


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("which", ["step", "offset"])
def test_levels(which: str, value: float) -> None:
    state = taught("rbp", dtype="int8")
    state.check()
    state.regions["levels"][1 if which == "step" else D + 1] = value
    if which == "offset" and math.isfinite(value):
        state.check()
    else:
        refused(state, "levels")


@pytest.mark.parametrize("bits", [0x7C00, 0xFC00, 0x7E01])
def test_float16(bits: int) -> None:
    state = taught("rbp", dtype="float16")
    state.check()
    state.regions["support_vectors"][0] = bits
    refused(state, "support_vectors")


def test_pivots_are_checked_while_they_are_used() -> None:
    """POMDR projects only while its ring is small."""
    params = {"U": 3.0, "b0": 4, "ald": 0.0}
    early, late = taught("pomdr", rows=4, **params), taught("pomdr", **params)
    assert (early.words["anchored"], late.words["anchored"]) == (0, 1)
    assert early.words["n_support"] > 0
    for state in (early, late):
        state.regions["factor"][0] = -1.0
    refused(early, "pivot")
    late.check()


@pytest.mark.parametrize(("value", "why"), [(-1.0, "negative"), (1e102, "out of range")])
def test_a_diagonal_that_no_kernel_has(value: float, why: str) -> None:
    state = taught("bpa_s", kernel=ek.Polynomial(2, 0.5, 1.0))
    state.check()
    state.regions["diagonal"][0] = value
    refused(state, why)


def test_float32_coefficients_leave_room() -> None:
    state = taught("rbp", coefficients="float32")
    state.check()
    state.regions["coefficients"][0] = 1e37
    refused(state, "a coefficient is out of range")


def test_a_norm_that_no_vector_has() -> None:
    state = taught("rbp", sparse=True)
    state.check()
    state.regions["norms"][0] = -1.0
    refused(state, "negative")


# ---- names ---------------------------------------------------------------------------------------


def renamed(state: Held, name: str | None) -> Held:
    member = ek.Algorithm.CUSTOM if name is None else find(name).algorithm
    return state._replace(config=replace(state.config, member=member))


def test_a_name_must_fit_the_parts() -> None:
    state = taught("bpa_s")
    renamed(state, None).config.check()
    for name in RINGS:
        if name != "bpa_s":
            with pytest.raises(ValueError, match=f"its parts are not those of {re.escape(name)}"):
                renamed(state, name).config.check()


#: Kernel and options -> the largest |x|^2 that docs/rows.md states.
LONGEST: list[tuple[ek.Kernel, dict[str, Any], float]] = [
    (ek.Linear(), {"dtype": "float64"}, 1e100),
    (ek.Linear(), {"dtype": "float64", "coefficients": "float32"}, 1e30),
    (ek.Linear(), {"dtype": "float32"}, 3.4e38),
    (ek.Polynomial(2, 4.0, 1.0), {"dtype": "float64"}, 2.5e49),
    (ek.Sigmoid(1e-30), {"dtype": "float64"}, 1e100),
    (ek.Sigmoid(1e-30), {"dtype": "float32"}, 1e36),
    (ek.Polynomial(25), {"dtype": "float16"}, 1e4),
]


def vector_of(kernel: ek.Kernel, x: list[float], **options: Any) -> Held:
    """A learner that has learned one row of zeros, with x in that row's place."""
    options = {"n_features": D, "budget": 4, "kernel": kernel, **options}
    learner = ek.Learner("rbp", **options)
    learner.learn_one([0.0] * len(x), 1)
    state = held(learner)
    numbers = state.regions["support_vectors"]
    stride = len(numbers) // len(x)
    for j, value in enumerate(x):
        half = options["dtype"] == "float16"
        numbers[j * stride] = int(np.float16(value).view(np.uint16)) if half else value
    return state


def is_short(state: Held) -> bool:
    try:
        state.check()
    except ValueError as error:
        assert "support_vectors: the norm of a vector is too large" in str(error)  # noqa: PT017
        return False
    return True


@pytest.mark.parametrize("along", ["one feature", "all features"])
@pytest.mark.parametrize(("kernel", "options", "longest"), LONGEST, ids=repr)
def test_as_long_as_rows_may_be(
    kernel: ek.Kernel, options: dict[str, Any], longest: float, along: str
) -> None:
    def row(square: float) -> list[float]:
        if along == "one feature":
            return [0.0, -math.sqrt(square), 0.0]
        return [math.sqrt(square / D)] * D

    assert is_short(vector_of(kernel, row(0.99 * longest), **options))
    if not (options["dtype"] == "float32" and longest > 1e38 and along == "one feature"):
        assert not is_short(vector_of(kernel, row(1.1 * longest), **options))


def test_distances_take_any_vector() -> None:
    assert is_short(vector_of(ek.Gaussian(1.0), [1.7e308] * D, dtype="float64"))


def test_slots_that_hold_nothing_are_not_looked_at() -> None:
    state = vector_of(ek.Linear(), [1.0] * D, dtype="float64")
    state.regions["support_vectors"][1] = 1e60
    assert is_short(state)
    state.words.update(n_support=2, steps=2, updates=2)
    assert not is_short(state)


@pytest.mark.parametrize("level", [0, 127, -128])
def test_int8_is_as_long_as_its_levels_make_it(level: int) -> None:
    state = vector_of(ek.Polynomial(2), [level], n_features=1, dtype="int8", feature_range=(-1, 1))
    assert is_short(state)
    state.regions["levels"][0], state.regions["levels"][1] = 1e24, 0.0
    assert is_short(state) is (level == 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_file_with_a_longer_one_is_refused(dtype: str) -> None:
    learner = ek.Learner("rbp", n_features=D, budget=4, kernel=ek.Polynomial(3), dtype=dtype)
    learner.learn_one([1.0] * D, 1)
    learner._engine.view("support_vectors")[0, 0] = 1e25
    with pytest.raises(ValueError, match="support_vectors: the norm of a vector is too large"):
        ek.Learner._from_block(bytes(learner._sealed()))


def test_a_forecaster_without_a_kernel_knows_no_row_of_it() -> None:
    learner = ek.Learner("sorf", n_features=D, D=0, loss="square", history=True, dtype="float64")
    learner.learn_many(X[:20], Y[:20])
    state = held(learner)
    marks = state.regions["history"]
    marks[max(i for i, mark in enumerate(marks) if mark == 1.0)] = 3.0
    refused(state, "mark")


def test_ends_of_no_rows_are_0() -> None:
    state = taught("rbp", rows=0, scale="minmax")
    state.regions["scaler_range"][0] = state.regions["scaler_range"][D] = 1.0
    refused(state, "feature 0")
