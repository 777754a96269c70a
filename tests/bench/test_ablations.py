"""Tries: what is chosen on one half is judged on the other, and small changes do what they say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench.bytes.ablations import __main__ as program
from bench.bytes.ablations import storage
from bench.bytes.ablations.tries import Try, halves, judged, measured, ratio, tolerant
from bench.cache import Cache

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
