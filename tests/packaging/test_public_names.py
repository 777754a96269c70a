"""The public names: a name may be added here, none may go (docs/stable.md)."""

from __future__ import annotations

import copy
import importlib
import pickle
import re
from pathlib import Path

import pytest

import edgeolk as ek

PAGE = (Path(__file__).parents[2] / "docs" / "stable.md").read_text(encoding="utf-8")
NAMES = {
    "edgeolk": """
        Algorithm Averaged Averaging BadRowError Basis BudgetError Checkpointer Config
        Gaussian Kernel Laplacian Learner Linear Loss Plan Policy Polynomial Projection Region
        RunningScaler Sampling ScalerPlan Schedule Scorer Sigmoid Update Windows WindowsPlan
        algorithms attach available_simd export_c gamma_from load parse_bytes plan simd
        windows_plan
""",
    "edgeolk.sklearn": "OnlineKernelClassifier OnlineKernelNovelty OnlineKernelRegressor",
    "edgeolk.river": "KernelClassifier KernelNovelty KernelRegressor",
    "firmware_sim": """
        BeyondCapError DoesNotFitError LearnerDiedError Replay ReplayConfig ReplayResult
        SimulatorError Stream StreamError compare replay save_model tune write_report
        write_script
""",
}
LEARNER = """
    absolute_error accept alarm alarms algorithm anomaly ask_label ask_one averaged budget
    capacity_hits coefficients common_scale config decision_function decision_one
    decision_one_sparse dtype dual_coef_ event explain_one familiarity_one halvings inputs interval
    interval_one is_regression kernel labels_asked learn_many learn_one learn_one_sparse mistakes
    n_classes memory_share n_features n_out_of_range n_remembered n_saturated n_shortened n_skipped
    n_support n_waiting nbytes norm2 novel
    parameters parts plan predict predict_one predict_one_sparse predict_proba_one rare restart
    save scaler scores scores_one seal seed shares squared_error steps support_vectors_
    tell_one threshold updates variance variance_one wants_label watch_many
    weights_ why
"""


@pytest.mark.parametrize("package", NAMES)
def test_public_names_are_frozen(package: str) -> None:
    there = importlib.import_module(package)
    frozen = NAMES[package].split()
    assert [name for name in frozen if not hasattr(there, name)] == []
    assert set(there.__all__) == set(frozen), "a new public name is added to the list and the page"


def test_what_a_learner_has_is_frozen() -> None:
    there = {name for name in dir(ek.Learner) if not name.startswith("_")}
    assert there == set(LEARNER.split())


def test_what_a_configuration_has_is_frozen() -> None:
    config = ek.Config(n_features=2, ram="2KiB")
    frozen = """budget call coefficients difference dtype feature_range kernel n_features name
        options parameters seed"""
    for holder in (ek.Config, config):
        assert {name for name in dir(holder) if not name.startswith("_")} == set(frozen.split())
    assert [name for name in frozen.split() if not hasattr(config, name)] == []
    assert all(f"`{name}`" in PAGE for name in frozen.split())


def test_a_configuration_cannot_be_changed() -> None:
    config = ek.Config(n_features=2, ram="2KiB")
    with pytest.raises(AttributeError, match="create a new one with seed="):
        config.seed = 3  # type: ignore[misc]
    with pytest.raises(AttributeError, match="seed cannot be deleted"):
        del config.seed  # type: ignore[misc]
    with pytest.raises(AttributeError, match="did you mean 'n_features'"):
        _ = config.n_feature  # type: ignore[attr-defined]
    assert config.seed == 0
    assert config == copy.deepcopy(config) == pickle.loads(pickle.dumps(config))


def test_the_page_names_them() -> None:
    said = set(re.findall(r"`(\w+)`", PAGE.split("## Public names")[1].split("\n## ")[0]))
    for package in ("edgeolk", "edgeolk.sklearn", "edgeolk.river"):
        assert set(NAMES[package].split()) <= said
    assert f"`edgeolk` ({len(ek.__all__)})" in PAGE


def test_a_misspelt_name_is_answered_by_a_near_one() -> None:
    with pytest.raises(AttributeError, match="did you mean 'Learner'"):
        _ = ek.Lerner  # type: ignore[attr-defined]
    assert not hasattr(ek, "__wrapped__")


def test_folders_of_public_names_are_there_when_asked_for() -> None:
    assert ek.parts.Policy is ek.Policy
    assert "rbp" in ek.reference.LEARNERS
