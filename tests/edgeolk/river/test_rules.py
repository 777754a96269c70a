"""What is a label, a number and a key for the models of dict rows; what a refused row leaves."""

from __future__ import annotations

import datetime
import math
import pickle
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import compose, evaluate, metrics, preprocessing

from edgeolk.river import KernelClassifier, KernelNovelty, KernelRegressor
from edgeolk.river.base import GROWTH_ROWS
from edgeolk.river.columns import Columns


def as_it_was(model: Any, before: bytes) -> bool:
    """Whether a model has the columns, the classes and the learner of its pickle."""
    was = pickle.loads(before)
    same = model.columns == was.columns and pickle.dumps(model.learner) == pickle.dumps(was.learner)
    return same and getattr(model, "classes", None) == getattr(was, "classes", None)


# ---- labels -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (math.nan, ValueError, "y must be a label, got nan"),
        (np.float32("nan"), ValueError, "y must be a label, got"),
        (Decimal("nan"), ValueError, "y must be a label, got Decimal"),
        (None, ValueError, "y must be a label, got None"),
        ([1], TypeError, "y must be a hashable label, got list"),
        (np.array([1]), TypeError, "y must be a hashable label, got ndarray"),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_is_no_label(y: Any, error: type[Exception], message: str, n_classes: int) -> None:
    model = KernelClassifier(n_classes=n_classes)
    for _ in range(2):
        before = pickle.dumps(model)
        with pytest.raises(error, match=message):
            model.learn_one({"a": 1.0}, y)
        assert as_it_was(model, before)
        model.learn_one({"a": 1.0}, "idle")


def test_labels_that_are_equal_are_one() -> None:
    model = KernelClassifier(n_classes=3)
    for label in (1, True, 1.0, np.int8(1), "1", b"1"):
        model.learn_one({"a": 1.0}, label)
    assert model.classes == [1, "1", b"1"]


# ---- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["1", "x", "", b" 5 ", bytearray(b"1"), np.str_("1")])
def test_text_is_no_number_whatever_it_says(text: Any) -> None:
    model = KernelClassifier()
    with pytest.raises(TypeError, match=r"feature 'b' must be a number, got (np\.)?\w*"):
        model.learn_one({"a": 1.0, "b": text}, 1)
    assert (model.columns, model.classes, model.learner) == ([], [], None)
    model.learn_one({"a": 1.0, "b": 2.0}, 1)
    with pytest.raises(TypeError, match="feature 'b' must be a number"):
        model.predict_one({"a": 1.0, "b": text})


def test_numbers_of_any_type_are_numbers() -> None:
    model, plain = KernelRegressor(), KernelRegressor()
    for two in (2, 2.0, np.float32(2), np.int64(2), Decimal(2), Fraction(2), True + True):
        model.learn_one({"a": two, "b": True}, 1.0)
        plain.learn_one({"a": 2.0, "b": 1.0}, 1.0)
    assert pickle.dumps(model.learner) == pickle.dumps(plain.learner)


# ---- keys ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("features", [None, 4])
def test_keys_of_one_text_have_one_order(features: Any) -> None:
    rows = [{1: 1.0, "1": 2.0, (1,): 3.0, "(1,)": 4.0}]
    rows.append(dict(reversed(rows[0].items())))
    made = []
    for row in rows:
        model = KernelRegressor(features=features)
        model.learn_one(row, 1.0)
        made.append((model.columns, pickle.dumps(model.learner)))
    assert made[0] == made[1]
    assert made[0][0] == ["(1,)", (1,), 1, "1"]


def coloured(n: int = 1200) -> Any:
    random = np.random.default_rng(1)
    for _ in range(n):
        colour = str(random.choice(["blue", "green", "red", "white", "yellow"]))
        yield {"colour": colour, "x": float(random.normal())}, colour in ("blue", "red")


def encoded(model: Any) -> float:
    """Accuracy behind river's encoder, which gives a key for each word as it comes."""
    words = compose.SelectType(str) | preprocessing.OneHotEncoder()
    pipeline = (words + compose.SelectType(float)) | model
    return evaluate.progressive_val_score(coloured(), pipeline, metrics.Accuracy()).get()


def test_the_model_makes_room_for_keys_that_come_later() -> None:
    """In the same bytes, and as well as one that was told their number."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KernelClassifier(ram="4KiB")
        assert encoded(model) > 0.95
        assert len(model.columns) == 6
        assert model.learner is not None
        assert model.learner.nbytes <= 4096
        several = KernelClassifier(n_classes=3, ram="4KiB")
        assert encoded(several) > 0.9
        number = KernelRegressor(ram="4KiB")
        for x, y in ({"a": 1.0}, 2.0), ({"a": 2.0, "b": 1.0}, 3.0), ({"b": 2.0, "c": 1.0}, 1.0):
            number.predict_one(x)
            number.learn_one(x, y)
        assert number.columns == ["a", "b", "c"]
        assert number.learner is not None
        assert number.learner.n_features == 4


def test_new_keys_start_again_only_among_the_first_rows() -> None:
    model = KernelClassifier(ram="4KiB")
    for row in range(GROWTH_ROWS + 1):
        model.learn_one({"a": float(row % 7)}, row % 2)
    with pytest.warns(UserWarning, match="feature 'b' has no column"):
        model.learn_one({"a": 1.0, "b": 1.0}, 1)
    assert model.columns == ["a"]
    assert model.learner is not None
    assert model.learner.steps == GROWTH_ROWS + 2


def test_a_row_that_is_refused_makes_no_room() -> None:
    model = KernelClassifier(ram="4KiB")
    model.learn_one({"a": 1.0}, True)
    before = pickle.dumps(model)
    for x in ({"a": math.inf, "b": 1.0}, {"b": "word"}):
        with pytest.raises((TypeError, ValueError)):
            model.learn_one(x, True)
        assert pickle.dumps(model) == before


def test_keys_for_which_there_is_no_room_are_told_of_once() -> None:
    """Twice the columns do not fit into the bytes."""
    model = KernelClassifier(ram="1KiB")
    model.learn_one({f"k{i}": 1.0 for i in range(30)}, True)
    with pytest.warns(UserWarning, match=r"feature 'k30' has no column.*features=120"):
        model.learn_one({f"k{i}": 1.0 for i in range(31)}, False)
    assert model.learner is not None
    assert (model.learner.steps, model.learner.n_features) == (2, 30)


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ("warm", "; river's OneHotEncoder encodes text as numbers"),
        (datetime.datetime(2026, 1, 1), "; take numbers from a time, such as its hour"),
        (datetime.date(2026, 1, 1), "; take numbers from a time"),
        (datetime.timedelta(1), "; take numbers from a time"),
        (pd.Timestamp("2026-01-01"), "; take numbers from a time"),
        ([1.0], "list$"),
    ],
)
def test_advice_fits_the_value(value: Any, advice: str) -> None:
    with pytest.raises(TypeError, match=f"feature 'at' must be a number, got .*{advice}"):
        KernelClassifier().learn_one({"at": value}, True)


def test_keys_without_a_column_may_be_ignored() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert encoded(KernelClassifier(features=8)) > 0.95
        encoded(KernelClassifier(unseen="ignore"))
        KernelClassifier(features=["a"]).learn_one({"a": 1.0, "b": 2.0}, 1)  # named one by one


@pytest.mark.parametrize("features", [None, 3, ["a", "b"]])
def test_none_is_a_missing_key(features: Any) -> None:
    models = [KernelRegressor(features=features) for _ in range(2)]
    for model, gap in zip(models, ({"b": None}, {}), strict=True):
        model.learn_one({"a": 1.0, "b": 2.0}, 1.0)
        model.learn_one({"a": 1.5, **gap}, 2.0)
        assert model.columns == ["a", "b"]
    assert pickle.dumps(models[0].learner) == pickle.dumps(models[1].learner)


# ---- what a refused row leaves ------------------------------------------------------------------


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize(
    ("x", "w", "message"),
    [
        ({"a": math.inf, "b": 1.0}, 1.0, "feature 'a' must be finite"),
        ({"a": -math.inf, "b": 1.0}, 1.0, "feature 'a' must be finite"),
        ({"a": 10**5000, "b": 1.0}, 1.0, "'a' must be finite, got int beyond the range"),
        ({"a": 1.0, "b": "x"}, 1.0, "feature 'b' must be a number, got str"),
        ({"a": 1.0, "b": 1.0}, -1.0, "weight must be"),
        ({"a": 1.0, "b": 1.0}, math.nan, "weight must be"),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_refused_row_registers_no_class_and_takes_no_column(
    x: dict[str, Any], w: float, message: str, n_classes: int, fresh: bool
) -> None:
    model = KernelClassifier(n_classes=n_classes, features=3)
    if not fresh:
        model.learn_one({"a": 1.0}, "idle")
    before = pickle.dumps(model)
    with pytest.raises((TypeError, ValueError), match=message):
        model.learn_one(x, "worn", w)
    assert as_it_was(model, before)
    assert "worn" not in model.classes
    assert "b" not in model.columns
    model.learn_one({"a": 1.0, "c": 2.0}, "running")
    assert model.columns == ["a", "c"]
    assert "worn" not in model.predict_proba_one({"a": 1.0})


# ---- parameters ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (KernelClassifier(params={"loss": "novelty"}), 1, "tells classes apart, got loss='nov"),
        (KernelClassifier(params={"loss": "square"}), 1, "tells classes apart, got loss='square'"),
        (KernelRegressor(loss="hinge"), 1.0, "fits real targets, got loss='hinge'"),
        (KernelRegressor(loss="novelty"), 1.0, "fits real targets, got loss='novelty'"),
        (KernelNovelty(params={"loss": "hinge"}), None, "detects novelty, got loss='hinge'"),
    ],
)
def test_a_loss_of_another_task_is_refused(model: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"loss must be one that {message}"):
        model.learn_one({"a": 1.0}, *([] if y is None else [y]))
    assert (model.columns, model.learner) == ([], None)


def test_params_are_the_other_arguments() -> None:
    for params, message in ((["loss"], "be a dict or None"), ({"ram": 9}, "not hold 'ram'")):
        with pytest.raises(TypeError, match=f"params must {message}"):
            KernelClassifier(params=params).learn_one({"a": 1.0}, 1)


@pytest.mark.parametrize("gamma", ["median", "0.5", -1.0, 0.0, math.inf, True])
def test_a_width_that_is_none_is_refused_by_name(gamma: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="gamma must be"):
        KernelClassifier(gamma=gamma).learn_one({"a": 1.0}, 1)


def test_a_width_is_a_number_or_auto() -> None:
    for gamma in (0.5, 1, np.float32(0.5)):
        model = KernelClassifier(gamma=gamma)
        model.learn_one({"a": 1.0}, 1)
        assert model.to_learner().kernel.gamma == gamma
        assert model.to_learner()._config.preprocessing.gamma_rows == 0
        assert not model.to_learner()._config.preprocessing.follows
    made = KernelClassifier()
    made.learn_one({"a": 1.0}, 1)
    assert made.to_learner()._config.preprocessing.follows
    ring = KernelClassifier("bpa_s")
    ring.learn_one({"a": 1.0}, 1)
    assert ring.to_learner()._config.preprocessing.gamma_rows == 100


def test_a_gaussian_process_beside_the_features() -> None:
    """It takes rows in any order, so the model does not forecast."""
    model = KernelRegressor(ram="8KiB", gaussian_process=True)
    model.learn_one({"a": 1.0}, 2.0)
    assert model.learner is not None
    assert model.learner.parameters["gaussian_process"] > 0
    target, low, high = model.predict_one({"a": 1.0}, with_interval=True)
    assert low < target < high
    with pytest.raises(ValueError, match="or 224 without a process, gaussian_process=False"):
        KernelRegressor(ram=512, gaussian_process=True).learn_one({"a": 1.0}, 2.0)


def test_a_row_without_keys_is_refused() -> None:
    model = KernelClassifier(ram="4KiB")
    for call in (model.predict_one, model.predict_proba_one, lambda x: model.learn_one(x, "a")):
        with pytest.raises(TypeError, match="x must be a dict of numbers by key, got list"):
            call([1.0, 2.0])
    model.learn_one({"a": 1.0}, "a")
    with pytest.raises(TypeError, match="x must be a dict of numbers by key, got list"):
        model.predict_one([1.0])
    model.learn_one({"a": 2.0}, "b")
    with pytest.raises(ValueError, match="create the model with a larger n_classes"):
        model.learn_one({"a": 3.0}, "c")


def test_a_new_model_knows_no_interval() -> None:
    model = KernelRegressor(ram="8KiB", gaussian_process=True)
    assert model.predict_one({"a": 1.0}, with_interval=True) == (0.0, -math.inf, math.inf)


def test_columns_are_keys_of_a_first_row() -> None:
    columns = Columns(None, "warn", "mean")
    with pytest.raises(ValueError, match="the first row learned must have features"):
        columns.begin({})
    assert columns.count is None
