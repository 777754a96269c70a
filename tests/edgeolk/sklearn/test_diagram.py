"""The diagram of scikit-learn shows the estimators; names of features reach them in pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn")

from sklearn.compose import make_column_transformer  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: E402

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


def test_names_of_features_reach_the_estimator() -> None:
    X, y = table()
    columns = make_column_transformer(
        (StandardScaler(), ["light"]), (OneHotEncoder(sparse_output=False), ["room"])
    ).set_output(transform="pandas")
    model = make_pipeline(columns, OnlineKernelClassifier(ram="2KiB", random_state=0)).fit(X, y)
    names = model[:-1].get_feature_names_out()
    assert list(names) == list(model[-1].feature_names_in_)
    assert list(names) == [
        "standardscaler__light", "onehotencoder__room_attic", "onehotencoder__room_hall",
    ]  # fmt: skip
