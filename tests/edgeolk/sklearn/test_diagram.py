"""The diagram of scikit-learn shows the estimators; names of features reach them in pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn")

from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

from edgeolk.sklearn import (  # noqa: E402
    OnlineKernelClassifier,
    OnlineKernelNovelty,
    OnlineKernelRegressor,
)

KINDS = (OnlineKernelClassifier, OnlineKernelRegressor, OnlineKernelNovelty)


def table(n: int = 60) -> tuple[Any, np.ndarray]:
    r = np.random.default_rng(0)
    X = pd.DataFrame({"light": r.normal(size=n), "room": r.choice(["hall", "attic"], n)})
    return X, r.integers(0, 2, n)


@pytest.mark.parametrize("kind", KINDS)
def test_the_diagram(kind: Any) -> None:
    X, y = table()
    model = kind(ram="2KiB")
    assert kind.__name__ in model._repr_html_()
    assert "2KiB" in model._repr_html_()
    model.fit(X[["light"]], y)
    pipeline = make_pipeline(StandardScaler(), model)
    shown = pipeline._repr_html_()
    assert kind.__name__ in shown
    assert "StandardScaler" in shown
