"""scikit-learn's own checks of an estimator, all of them; no failure is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from edgeolk.sklearn import OnlineKernelClassifier, OnlineKernelNovelty, OnlineKernelRegressor

ESTIMATORS = [OnlineKernelClassifier(), OnlineKernelRegressor(), OnlineKernelNovelty()]


@parametrize_with_checks(ESTIMATORS)
def test_a_check_of_scikit_learn(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
