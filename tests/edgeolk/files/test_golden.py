"""Files of every released format version: what is read from them, and how their learners go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden import (
    CASES,
    READERS,
    data_of,
    few_by_day,
    file_of,
    rows_of,
    told_of,
)

import edgeolk as ek
from edgeolk.configuration.header import REGIONS, VERSION, stored_values, unpack
from edgeolk.configuration.settings import Settings
from edgeolk.files import restore
from edgeolk.files.restore import Stored
from edgeolk.learner import Averaged

cases = pytest.mark.parametrize(("version", "stem"), CASES)
few_cases = pytest.mark.parametrize(("version", "stem"), few_by_day(CASES))


def config_of(stored: Stored) -> Settings:
    """Its configuration, as the package has one."""
    return restore.from_stored(stored)[0]


def stems(version: int) -> list[str]:
    return [stem for number, stem in CASES if number == version]


def test_there_are_files_of_every_version() -> None:
    """Formats 1 to 4 were never released."""
    assert set(READERS) == set(range(5, VERSION + 1))


def test_every_region_of_this_version_occurs() -> None:
    """Structs too; three are of a scaler alone."""
    heads = [unpack(data_of(VERSION, stem)) for stem in stems(VERSION)]
    absent = {"moments", "units", "frozen"}
    assert {name for made in heads for name in made.table} == set(REGIONS) - absent


def test_every_type_has_a_file_of_this_version() -> None:
    """Algorithms x storage types x types of coefficients, where there is such a learner."""
    for row in ek.algorithms():
        for dtype in ("float32", "float64", "float16", "int8"):
            for coefficients, mark in ((None, ""), ("float32", "-narrow")):
                stem = f"{row.name}-{dtype}{mark}"
                asked: dict[str, Any] = {"dtype": dtype, "coefficients": coefficients}
                try:
                    ek.plan(row.name, n_features=3, budget=6, **asked)
                except ValueError:
                    assert (VERSION, stem) not in CASES
                else:
                    stored = READERS[VERSION](data_of(VERSION, stem))
                    config = config_of(stored)
                    assert config.name == row.name
                    assert config.dtype.name.lower() == dtype
                    # krls_auto has one type for all its numbers.
                    wanted = ek.Config(row.name, n_features=3, budget=6, **asked).coefficients
                    assert config.coefficients == wanted


@cases
@pytest.mark.spread(12)
def test_going_on(version: int, stem: str, tmp_path: Path) -> None:
    """The learner goes on as the code of its time did: the same decisions, scores to rounding."""
    told = told_of(version, stem)
    learner = ek.load(file_of(version, stem, tmp_path))
    wide = (learner.dtype, learner.coefficients) == ("float64", "float64")
    close = 1e-9 if wide else 2e-4
    if learner.parts.get("policy") == ek.Policy.MERGE:
        close = max(close, 1e-6)  # the flat top of a search: half the digits
    x, y = rows_of(version, told, learner.is_regression)

    def agree(got: object, then: object) -> None:
        np.testing.assert_allclose(got, then, rtol=close, atol=close)

    for counter, value in told["saved"]["counters"].items():
        assert getattr(learner, counter) == value

    def decided(model: ek.Learner | Averaged) -> np.ndarray:
        return (model.scores if learner.n_classes > 2 else model.decision_function)(x[-4:])

    def as_told(then: dict[str, Any], same: Callable[[object, object], None]) -> None:
        """Its numbers; its answers always to rounding."""
        if "weights" in then:
            same(learner.weights_.ravel(), then["weights"])
        else:
            same(learner.dual_coef_, then["dual_coef"])
        if "support_vectors" in then:
            width = learner.support_vectors_.shape[1]
            vectors = np.array(then["support_vectors"]).reshape(-1, width)
            same(learner.support_vectors_, vectors)
        agree(decided(learner), then["decisions"])
        if "averaged" in then:
            agree(decided(learner.averaged), then["averaged"])

    def same(got: object, then: object) -> None:
        np.testing.assert_allclose(got, then, rtol=1e-14)

    as_told(told["saved"], same)
    has_clock = "clock" in told["options"]
    times = [{"time": 600.0 * t} if has_clock else {} for t in range(*told["rows"])]
    scores = [learner.learn_one(*row, **time) for *row, time in zip(x, y, times, strict=True)]
    agree(scores, told["scores"])
    after = told["after"]
    for counter, value in after["counters"].items():
        agree(getattr(learner, counter), value)
    as_told(after, agree)
    if after["norm2"] is not None:
        agree(learner.norm2, after["norm2"])


@few_cases
@pytest.mark.spread(3)
def test_what_is_saved_is_what_was_read(version: int, stem: str, tmp_path: Path) -> None:
    """Byte for byte, but for headers of before entries were short."""
    if version < VERSION:
        pytest.skip("written as a newer version")
    file = data_of(VERSION, stem)
    ek.load(file_of(VERSION, stem, tmp_path)).save(tmp_path / "model")
    saved = (tmp_path / "model").read_bytes()
    if "-short" in stem:
        assert saved == file
        return
    assert len(saved) <= len(file)
    before, after = READERS[VERSION](file), READERS[VERSION](saved)
    assert after.words == before.words
    assert after.regions == before.regions
    assert stored_values(after.config) == stored_values(before.config)
    head, old = unpack(saved), unpack(file)
    assert (head.parts, head.seed, head.columns) == (old.parts, old.seed, old.columns)
