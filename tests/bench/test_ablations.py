"""Tries: what is chosen on one half is judged on the other, and small changes do what they say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.bytes.ablations import __main__ as program
from bench.bytes.ablations import experts, levels, storage, twins
from bench.bytes.ablations.tries import Try, halves, judged, measured, ratio, tolerant
from bench.papers.work import Cache

ERRORS = {"usual": 10.0, "good": 8.0, "bad": 9.0}


def error(data: str, size: int, setting: str) -> float:
    """The good setting is good on a and b, where it is chosen, and bad on d."""
    return 20.0 if (data, setting) == ("d", "good") else ERRORS[setting]


TRY = Try("a try", "About it.", tuple(ERRORS), (4096,), ("a", "b"), ("c", "d"), error)


def test_halves_share_no_set() -> None:
    assert halves("abc", "de") == (("a", "c", "d"), ("b", "e"))


def test_what_is_chosen_is_judged_by_the_others(tmp_path: Path) -> None:
    cache, ticks = Cache(tmp_path / "tries.jsonl"), []
    errors = measured(TRY, cache, lambda: ticks.append(1))
    assert len(ticks) == len(errors) == 12
    good, bad = judged(TRY, errors)
    assert (good.best, bad.best) == (True, False)
    assert good.chosen == pytest.approx(0.8)
    assert good.aside == pytest.approx((0.8 * 2.0) ** 0.5)
    assert (good.better, good.worse, good.pays) == (1, 1, False)
    assert (bad.better, bad.worse, bad.pays) == (2, 0, True)
    assert not judged(replace(TRY, bounds=("good",)), errors)[1].bound
    assert [each.best for each in judged(replace(TRY, bounds=("good",)), errors)] == [True, True]
    lines = program.summary([(TRY, [good, bad])]).rows
    assert lines == [("a try", "4 KiB", "good", "-20.0 %", "+26.5 %", "1 / 1", "no")]


def test_errors_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "tries.jsonl"
    errors = measured(TRY, Cache(path), lambda: None)
    assert len([json.loads(line) for line in path.read_text().splitlines()]) == 12

    def refuse(data: str, size: int, setting: str) -> float:
        raise AssertionError

    assert measured(replace(TRY, measure=refuse), Cache(path), lambda: None) == errors


def test_a_ratio_is_the_geometric_mean() -> None:
    assert ratio([(1.0, 2.0), (4.0, 2.0)]) == pytest.approx(1.0)


def test_a_setting_that_does_not_fit_is_the_usual() -> None:
    def measure(data: str, size: int, setting: str) -> float:
        if setting != "usual":
            raise ValueError("too few bytes")
        return 3.0

    assert tolerant(measure, "usual")("a", 1024, "2 groups") == 3.0


def test_shorter_vectors_are_more() -> None:
    assert storage.longer(100, 4, 4) == 150


@pytest.mark.parametrize("softmax", [False, True])
def test_an_expert_learns_its_row(softmax: bool) -> None:
    expert = experts.Expert(2, 3, softmax)
    x = np.array([1.0, -2.0, 1.0])
    for _ in range(50):
        expert.learn(x, 1, expert.scores(x))
    f = expert.scores(x)
    assert np.argmax(f) == 1
    assert np.sum(f) == pytest.approx(0.0)


def test_fewer_levels_leave_the_model_as_it_is_in_the_mean() -> None:
    class Learner:
        config = type("Config", (), {"kappa": 3.0})()
        parts = {name: np.full((2000, 1, 2), 101, np.int8) for name in "wa"}  # noqa: RUF012

    levels.shrink(Learner(), 0.5, np.random.default_rng(0))  # type: ignore[arg-type]
    assert Learner.config.kappa == 1.5
    assert set(np.unique(Learner.parts["w"])) == {50, 51}
    assert np.mean(Learner.parts["a"]) == pytest.approx(50.5, abs=0.05)


def test_a_block_is_drawn_anew_and_forgets() -> None:
    learner = twins.structured.Sorf(3, 128, 0.5, dtype="float32")
    learner.w.v[:] = 1.0
    learner.a.v[:] = 1.0
    learner.a.v[64:] = 0.5
    before = learner.phi.s2.copy()
    twins.replace_weakest(learner, np.random.default_rng(1))
    assert np.array_equal(learner.phi.s2[0], before[0])
    assert not np.array_equal(learner.phi.s2[1], before[1])
    assert np.all(learner.w.v[:64] == 1.0)
    assert not learner.w.v[64:].any()


@pytest.mark.parametrize("name", list(twins.PARAMS))
def test_beside_its_average_a_method_learns_as_alone(name: str) -> None:
    """What the method holds after some rows; the average follows it."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 3)), np.sign(rng.normal(size=80))
    size = {"D": 20} if name == "fogd" else {"budget": 10}

    def made() -> twins.Any:
        return twins.TWINS[name](twins.base.gaussian(0.5), seed=1, **size, **twins.PARAMS[name])

    alone, both = made(), twins.Both(made(), twins.BLEND)
    for x, label in zip(X, y, strict=True):
        alone.step(x, label)
        both.step(x, label)
    last = "w" if name == "fogd" else "alpha"
    assert np.array_equal(getattr(alone, last), getattr(both.method, last))
    assert both.mean.shape == getattr(alone, last).shape
    assert np.any(both.mean != 0.0)
