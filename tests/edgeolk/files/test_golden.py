"""Files of every format version: what is read from them, and how their learners go on."""

from __future__ import annotations

import numpy as np
import pytest
from golden import CASES, READERS, data_of, dual_coef, numbers, rows_of, support_vectors, told_of
from packing import config_of, packed

import edgeolk as ek

COUNTERS = ("n_support", "steps", "mistakes", "updates", "capacity_hits", "labels_asked",
            "halvings", "squared_error")  # fmt: skip
cases = pytest.mark.parametrize(("version", "stem"), CASES)


def test_every_region_kind_occurs() -> None:
    for version, read in READERS.items():
        names = [stem for number, stem in CASES if number == version]
        found = {name for stem in names for name in read(data_of(version, stem)).regions}
        assert found == {
            "support_vectors", "coefficients", "quantum_scale", "quantum_offset", "diagonal",
            "arrivals", "norms", "mean_start", "mean_sum", "nearest", "nearest_distance",
            "nearest_kernel", "factor", "inverse", "scores", "feature_map", "window",
            "window_labels",
        }  # fmt: skip
        algorithms = {row.name for row in ek.algorithms()}
        assert algorithms >= {str(told_of(version, stem)["algorithm"]) for stem in names} - {"None"}
        assert len(names) > 100


@cases
def test_what_is_read(version: int, stem: str) -> None:
    """Configuration, counters, support vectors and coefficients are those of their time."""
    told = told_of(version, stem)
    stored = READERS[version](data_of(version, stem))
    assert stored.version == told["version"] == version
    name = "custom" if told["algorithm"] is None else told["algorithm"]
    config = config_of(stored)
    assert config.name == name
    assert (stored.n_features, stored.seed) == (told["n_features"], told["seed"])
    assert stored.budget == told["options"]["budget"]
    assert config.dtype.name.lower() == told["options"]["dtype"]
    assert config.kernel == getattr(ek, told["kernel"][0])(*told["kernel"][1:])
    assert dict(config.values) == stored.parameters
    for counter in COUNTERS:
        assert stored.words[counter] == told["saved"]["counters"][counter], counter
    if told["saved"]["norm2"] is not None:
        assert stored.words["norm2"] == told["saved"]["norm2"]
    held = np.array(told["saved"]["support_vectors"]).reshape(-1, stored.n_features)
    np.testing.assert_array_equal(support_vectors(stored), held)
    np.testing.assert_allclose(dual_coef(stored), told["saved"]["dual_coef"], rtol=1e-14)


@cases
def test_going_on(version: int, stem: str) -> None:
    """The learner goes on as the code of its time did: the same decisions, scores to rounding."""
    told = told_of(version, stem)
    stored = READERS[version](data_of(version, stem))
    learner = ek.Learner._from_block(packed(stored))
    close = 1e-9 if learner.dtype == "float64" else 2e-4
    if learner.parts["policy"] == ek.Policy.MERGE:
        close = max(close, 1e-6)  # the flat top of a search: half the digits
    x, y = rows_of(version, told, learner.is_regression)

    def agree(got: object, then: object) -> None:
        np.testing.assert_allclose(got, then, rtol=close, atol=close)

    agree([learner.decision_one(row) for row in x[-4:]], told["saved"]["decisions"])
    if "averaged" in told["saved"]:
        agree(learner.averaged.decision_function(x[-4:]), told["saved"]["averaged"])
    agree([learner.learn_one(row, label) for row, label in zip(x, y, strict=True)], told["scores"])
    after = told["after"]
    for counter in COUNTERS:
        agree(getattr(learner, counter), after["counters"][counter])
    agree(learner.support_vectors_, np.array(after["support_vectors"]).reshape(-1, x.shape[1]))
    agree(learner.dual_coef_, after["dual_coef"])
    agree(learner.decision_function(x[-4:]), after["decisions"])
    if "averaged" in after:
        agree(learner.averaged.decision_function(x[-4:]), after["averaged"])
    if after["norm2"] is not None:
        agree(learner.norm2, after["norm2"])


@pytest.mark.parametrize("stem", [stem for version, stem in CASES if version == 2])
def test_version_2_keeps_its_regions(stem: str) -> None:
    """A block read and written again is the block, scratch aside."""
    data = data_of(2, stem)
    again = packed(READERS[2](data))
    assert len(again) == len(data)
    first, second = READERS[2](data), READERS[2](again)
    assert first.words == second.words
    for name, (kind, stride, held) in first.regions.items():
        assert second.regions[name][:2] == (kind, stride)
        assert second.regions[name][2] == held


@pytest.mark.parametrize("stem", [s for v, s in CASES if v == 1 and s.startswith("projectron")])
def test_version_1_factors_are_inverted(stem: str) -> None:
    """M = L^-1: M K M' = 1, K the Gram matrix that the kept factor was one of."""
    told = told_of(1, stem)
    stored = READERS[1](data_of(1, stem))
    n = int(stored.words["n_support"])
    made = np.zeros((n, n))
    made[np.tril_indices(n)] = numbers(stored, "factor")[: n * (n + 1) // 2]
    s = support_vectors(stored)
    kind, *fields = told["kernel"]
    inner = s @ s.T
    if kind == "Gaussian":
        squared = np.add.outer(np.diag(inner), np.diag(inner)) - 2.0 * inner
        gram = np.exp(-fields[0] * squared)
    elif kind == "Laplacian":
        gram = np.exp(-fields[0] * np.abs(s[:, None] - s[None]).sum(2))
    else:
        gram = (fields[1] * inner + fields[2]) ** fields[0]
    np.testing.assert_allclose(made @ gram @ made.T, np.eye(n), atol=1e-5)
