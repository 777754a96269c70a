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
    dual_coef,
    few_by_day,
    file_of,
    rows_of,
    support_vectors,
    told_of,
    weights,
)

import edgeolk as ek
from edgeolk.configuration.header import IMPLIED, OMITTED, REGIONS, VERSION, stored_values, unpack
from edgeolk.configuration.settings import Settings
from edgeolk.files import restore
from edgeolk.files.v3 import Stored
from edgeolk.learner import Averaged

COUNTERS = ("n_support", "steps", "mistakes", "updates", "capacity_hits", "labels_asked",
            "halvings", "squared_error")  # fmt: skip
cases = pytest.mark.parametrize(("version", "stem"), CASES)
few_cases = pytest.mark.parametrize(("version", "stem"), few_by_day(CASES))
_RING = {
    "support_vectors", "coefficients", "levels", "diagonal", "arrivals",
    "norms", "mean_start", "mean_sum", "nearest", "nearest_distance", "nearest_kernel", "factor",
    "inverse", "scores", "feature_map", "window", "window_labels",
}  # fmt: skip
_ROWS = {
    "scaler", "scaler_counts", "scaler_range", "statistics", "width_mean", "width_follows",
    "common",
}  # fmt: skip
_STRUCTURED = {
    "weights", "mean_weights", "blend", "target", "last_label", "linear", "relevance", "turns",
    "novelty", "shared_relevance", "drift", "channels", "channel_counts", "deviations",
    "row_memory", "memory_narrow",
}  # fmt: skip
_FORECASTER = {"history", "forecaster", "head", "guard", "waiting", "season", "kernel_rows"}
#: Regions that are no structs, by version.
EVERY_REGION = {
    3: _RING | _ROWS | _STRUCTURED | _FORECASTER | {"checksums"},
}


def config_of(stored: Stored) -> Settings:
    """Its configuration, as the package has one."""
    return restore.from_stored(stored)[0]


def stems(version: int) -> list[str]:
    return [stem for number, stem in CASES if number == version]


def test_there_are_files_of_every_version() -> None:
    """Formats 1 and 2 were never released."""
    assert set(READERS) == set(range(3, VERSION + 1))


@pytest.mark.parametrize("version", READERS)
def test_every_region_kind_occurs(version: int) -> None:
    names = stems(version)
    found = {name for stem in names for name in READERS[version](data_of(version, stem)).regions}
    assert found == EVERY_REGION[version]
    told = {str(told_of(version, stem)["algorithm"]) for stem in names}
    assert {row.name for row in ek.algorithms()} >= told - {"None"}
    assert len(names) > 100


def test_every_region_of_this_version_occurs() -> None:
    """Structs too; no update of today keeps numbers of its own."""
    heads = [unpack(data_of(VERSION, stem)) for stem in stems(VERSION)]
    assert {name for made in heads for name in made.table} == set(REGIONS) - {"own"}


def test_every_type_has_a_file_of_this_version() -> None:
    """Algorithms x storage types x types of coefficients, where there is such a learner."""
    for row in ek.algorithms():
        for dtype in ("float32", "float64", "float16", "int8"):
            for coefficients, mark in (("float64", ""), ("float32", "-narrow")):
                stem = f"{row.name}-{dtype}{mark}"
                try:
                    ek.plan(row.name, n_features=3, budget=6, dtype=dtype,
                            coefficients=coefficients)  # fmt: skip
                except ValueError:
                    assert (VERSION, stem) not in CASES
                else:
                    stored = READERS[VERSION](data_of(VERSION, stem))
                    config = config_of(stored)
                    assert config.name == row.name
                    assert config.dtype.name.lower() == dtype
                    assert config.coefficients.name.lower() == coefficients


@few_cases
def test_what_is_read(version: int, stem: str) -> None:
    """Configuration, counters, support vectors and coefficients are those of their time."""
    told = told_of(version, stem)
    stored = READERS[version](data_of(version, stem))
    assert told["version"] == version
    name = "custom" if told["algorithm"] is None else told["algorithm"]
    config = config_of(stored)
    assert config.name == name
    assert (config.n_features, config.seed) == (told["n_features"], told["seed"])
    assert config.budget == told["options"]["budget"]
    assert config.dtype.name.lower() == told["options"]["dtype"]
    assert config.coefficients.name.lower() == told["options"].get("coefficients", "float64")
    assert config.kernel == getattr(ek, told["kernel"][0])(*told["kernel"][1:])
    head = unpack(data_of(version, stem))
    implied = dict(said for region, said in IMPLIED.items() if region in head.table)
    written = implied | head.values
    assert stored_values(config) == written
    assert {name: config.values[name] for name in OMITTED.keys() & config.values.keys()} == {
        name: written.get(name, value) for name, value in OMITTED.items() if name in config.values
    }
    # Where the width was made of the first rows, the counts before it are kept apart.
    for counter in COUNTERS[:1] if config.preprocessing.gamma_rows else COUNTERS:
        assert stored.words.get(counter, 0) == told["saved"]["counters"][counter], counter
    if told["saved"]["norm2"] is not None:
        assert stored.words["norm2"] == told["saved"]["norm2"]
    if "weights" in told["saved"]:
        np.testing.assert_array_equal(weights(stored), told["saved"]["weights"])
        return
    if "support_vectors" in told["saved"]:
        held = np.array(told["saved"]["support_vectors"]).reshape(-1, config.n_features)
        np.testing.assert_array_equal(support_vectors(stored), held)
    np.testing.assert_allclose(dual_coef(stored), told["saved"]["dual_coef"], rtol=1e-14)


@cases
def test_going_on(version: int, stem: str, tmp_path: Path) -> None:
    """The learner goes on as the code of its time did: the same decisions, scores to rounding."""
    told = told_of(version, stem)
    learner = ek.load(file_of(version, stem, tmp_path))
    wide = (learner.dtype, learner.coefficients) == ("float64", "float64")
    close = 1e-9 if wide else 2e-4
    if learner.parts["policy"] == ek.Policy.MERGE:
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
            vectors = np.array(then["support_vectors"]).reshape(-1, x.shape[1])
            same(learner.support_vectors_, vectors)
        agree(decided(learner), then["decisions"])
        if "averaged" in then:
            agree(decided(learner.averaged), then["averaged"])

    def same(got: object, then: object) -> None:
        np.testing.assert_allclose(got, then, rtol=1e-14)

    as_told(told["saved"], same)
    agree([learner.learn_one(row, label) for row, label in zip(x, y, strict=True)], told["scores"])
    after = told["after"]
    for counter, value in after["counters"].items():
        agree(getattr(learner, counter), value)
    as_told(after, agree)
    if after["norm2"] is not None:
        agree(learner.norm2, after["norm2"])


@few_cases
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
