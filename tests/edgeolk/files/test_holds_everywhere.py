"""Every rule has a state that breaks it alone; what is no number is refused wherever it is read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from held import BESIDE, B, D, Held, X, Y, held
from scalers import block_of, place_of, resealed

import edgeolk as ek
from edgeolk.core.units import C_FOLDER
from edgeolk.files import live
from edgeolk.files.holds import problem_of
from edgeolk.files.sentences import SENTENCES

FORECASTER = {"loss": "square", "history": True, "season": 5, "D": 64}
#: Learners that have every region between them; rows are learned in turn with labels or targets.
EVERY: list[tuple[str | None, dict[str, Any]]] = [
    ("spa", {}), ("avp", {}), ("pegasos", {}), ("remove_oldest", {}), ("forgetron_greedy", {}),
    ("ahpatron", {}), ("nogd", {}), ("pomdr", {"U": 3.0, "b0": 4, "ald": 0.0}), ("fogd", {}),
    ("olk", {}), ("bpa_nn", {}), ("bpa_p", {}), ("bpa_s", {"kernel": ek.Polynomial(2, 0.5, 1.0)}),
    ("projectron", {}), ("rbp", {**BESIDE, "sparse": True}), ("rbp", {"dtype": "int8"}),
    ("rbp", {"scale": "standard", "kernel": ek.Linear()}), ("rbp", {"scale": "common"}),
    ("pomdr", {"kernel": ek.Linear()}), ("ogd", {"loss": "square", "coefficients": "float32"}),
    ("kapa", {}), ("krls", {}), ("sw_krls", {}), ("krls_t", {}),
    ("krls_t", {"coefficients": "float32"}), ("sogp", {"noise": 1e-5}),
    ("krls_auto", {}), ("krls_auto", {"dtype": "float64"}),
    ("krls_auto", {"lags": 2, "horizon": 3}),
    (None, {"update": "gradient", "loss": "novelty", "policy": "oldest", "kernel": ek.Gaussian(1)}),
    ("sorf", {"D": 16, "dtype": "float32", **BESIDE}),
    ("sorf", {"D": 16, "dtype": "float64", "linear": True, "relevance": True, "lapse": 5,
              "last_label": True, "scale": "standard"}),
    ("sorf", {"D": 64, "loss": "novelty"}),
    ("sorf", {"D": 64, "loss": "novelty", "history": True, "clock": True}),
    ("sorf", {"D": 16, "memory": 5, "dtype": "float32", "memory_narrow": True}),
    ("sorf", {"D": 16, "memory": 5, "n_classes": 3}), ("sorf", {"D": 16, "loss": "square"}),
    ("sorf", FORECASTER), ("sorf", {**FORECASTER, "horizon": 3}),
    ("sorf", {"D": 16, "delay": 7, "kept_answers": 3}),
    ("sorf", {"D": 16, "delay": 3, "n_classes": 3}),
    ("sorf", {"D": 16, "delay": 3, "loss": "square", "dtype": "float64"}),
    ("sorf", {"D": 16, "gaussian_process": 3, "loss": "square", "dtype": "float64"}),
    ("sorf", {"D": 16, "gaussian_process": 3, "loss": "square"}),
    ("sorf", {"D": 16, "dtype": "float32", "linear_group": True}),
    ("sorf", {"D": 16, "relevance": "shared"}),
    ("sorf", {"D": 16, "loss": "square", "last_label": True}),
]  # fmt: skip
REALS = (math.nan, math.inf, -math.inf, 0.0, -1.0, 0.5, 2.5, 7.0, 1e19, 3e38, -1e37, 1e200, -1e300)
WHOLES = (-5, -1, 0, 1, 2, 3, 4, 5, 7, 59, 61, 100, 1 << 20, 0xE0, 6, 3 << 16, 1 << 40, 1 << 62)


def learner_of(name: str | None, params: dict[str, Any]) -> ek.Learner:
    options = {"n_features": D, "seed": 5, **params}
    if name != "sorf":
        options = {"budget": B, "dtype": "float64", **options}
    return ek.Learner(name, **options)


def learn(learner: ek.Learner, params: dict[str, Any], rows: int) -> None:
    """Rows whose labels come late where the learner lets them wait."""
    labels = np.arange(rows) % 3 if "n_classes" in params else Y[:rows]
    for x, y in zip(X[:rows], labels, strict=True):
        if "delay" in params:
            learner.ask_one(x)
            if learner.n_waiting > 2:
                learner.learn_one(x, float(y))
        elif "horizon" in params:
            learner.ask_one(x)
            if learner._engine.pending() > 2:
                learner.tell_one(float(y))
        else:
            learner.learn_one(x, float(y))


def learned_every() -> Iterator[tuple[ek.Learner, dict[str, Any]]]:
    """Each learner after a few rows and after all, with its parameters."""
    for name, params in EVERY:
        for rows in (4, 60):
            learner = learner_of(name, params)
            learn(learner, params, rows)
            yield learner, params


def broken_alone(state: Held) -> set[str]:
    """Sentences about states in which one number is another."""
    found = set()

    def ask() -> None:
        found.add(problem_of(state.config, state.layout, state.block))

    for word, value in state.words.items():
        values: tuple[Any, ...] = WHOLES if isinstance(value, int) else REALS
        for other in values:
            if (word == "n_support" and not -(2**31) <= other < 2**31) or word == "rng":
                continue
            live.write_words({**state.words, word: other}, state.layout, state.block)
            ask()
    live.write_words(state.words, state.layout, state.block)
    for region in state.regions.values():
        values = REALS if region.format in "fd" else (0, 1, -1, 0x70, -128, 127, 9, 2, 61)
        for at in sorted({*range(min(24, len(region))), len(region) // 2, len(region) - 1}):
            before = region[at]
            for other in values:
                try:
                    region[at] = other
                except (ValueError, OverflowError):
                    continue
                ask()
            region[at] = before
    ask()
    return found


def unread(state: Held) -> list[tuple[str, int]]:
    """The regions and places where a state may hold what is no number."""
    found = []
    for name, region in state.regions.items():
        for at in range(len(region)) if region.format in "fd" else ():
            before, region[at] = region[at], math.nan
            if not problem_of(state.config, state.layout, state.block):
                found.append((name, at))
            region[at] = before
    return found


def test_what_is_no_number_is_refused_wherever_a_number_is_read() -> None:
    """Elsewhere, in places that hold nothing yet, it changes no answer, now or later."""
    for learner, params in learned_every():
        with_it = ek.Learner._from_block(learner._sealed())
        arena = memoryview(with_it._engine.arena)
        regions = {region.name: region for region in with_it.plan.regions}
        for name, at in unread(held(learner)):
            live.numbers(regions[name], arena)[at] = math.nan
        for _ in range(2):
            assert np.array_equal(with_it.scores(X[:9]), learner.scores(X[:9]))
            for each in (with_it, learner):
                learn(each, params, 30)


def of_a_scaler() -> str:
    """What is said of a scaler that is frozen twice over."""
    scaler = ek.RunningScaler(2)
    block = bytearray(block_of(scaler))
    at = place_of(scaler, "frozen")
    block[at : at + 8] = (2).to_bytes(8, "little")
    with pytest.raises(ValueError, match="inconsistent") as caught:
        ek.RunningScaler._from_block(resealed(block))
    return str(caught.value).partition("inconsistent: ")[2]


def name_of(sentence: str) -> str:
    """The name of the sentence that this was made from."""
    for name, form in SENTENCES:
        pattern = re.escape(form).replace(r"\{got\}", ".+").replace(r"\{where\}", ".+")
        if re.fullmatch(pattern, sentence):
            return name
    raise AssertionError(sentence)


def test_every_sentence_is_said_of_a_state_that_breaks_one_rule_alone() -> None:
    left = {name for name, _ in SENTENCES} - {name_of(of_a_scaler())}
    states = [held(learner) for learner, _ in learned_every()]
    for state in [*states[1::2], *states[::2]]:  # after all rows, then after a few
        state.check()
        if left:
            left -= {name_of(sentence) for sentence in broken_alone(state) if sentence}
    assert not left


def test_sentences_are_named_as_in_c() -> None:
    text = (C_FOLDER / "holds.h").read_text(encoding="utf-8")
    listed = text.split("OLK_HOLDS = 0,")[1].split("OLK_SENTENCES")[0]
    assert re.findall(r"OLK_(\w+)", listed) == [name for name, _ in SENTENCES]
