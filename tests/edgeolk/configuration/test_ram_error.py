"""The error of a ``ram=`` that is too small."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest

import edgeolk as ek


def test_it_reaches_another_process() -> None:
    with pytest.raises(ValueError, match="ram must be at least") as caught:
        ek.plan(n_features=5, ram=100)
    sent = pickle.loads(pickle.dumps(caught.value))
    assert (str(sent), sent.least) == (str(caught.value), caught.value.least)


def message_of(options: dict[str, Any]) -> str:
    with pytest.raises(ValueError, match="ram must be at least") as caught:
        ek.Config(**options)
    return str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "square", "history": True, "n_features": 7, "ram": 300},
        {"loss": "square", "history": True, "n_features": 7, "ram": 300, "dtype": "float64"},
        {"n_features": 30, "linear_group": False, "ram": 300},
        {"n_features": 30, "linear_group": False, "ram": 300, "scale_window": 500},
        {"n_features": 30, "linear_group": False, "ram": 300, "scale_clip": 50.0},
        {"n_features": 30, "linear_group": False, "ram": 300, "n_classes": 20, "groups": 2},
        {"n_features": 30, "ram": 700, "n_classes": 300, "memory": 0, "linear_group": False},
        {"algorithm": "ogd", "n_features": 30, "ram": 900, "scale": "minmax", "n_classes": 9},
    ],
    ids=str,
)
def test_what_it_offers_is_accepted(options: dict[str, Any]) -> None:
    said = message_of(options)
    for nbytes in re.findall(r"or (\d+) with scale='common'", said):
        common = {**options, "scale": "common"}
        assert ek.plan(**{**common, "ram": int(nbytes)}).nbytes <= int(nbytes)
        assert f"at least {nbytes} bytes" in message_of({**common, "ram": int(nbytes) - 1})
    for classes in re.findall(r"at most (\d+) classes", said):
        assert ek.plan(**{**options, "n_classes": int(classes)}).nbytes <= options["ram"]
        message_of({**options, "n_classes": int(classes) + 1})


def test_an_alternative_that_the_other_arguments_exclude_is_not_offered() -> None:
    options = {"n_features": 30, "linear_group": False, "ram": 300}
    assert "with scale='common'" in message_of(options)
    said = message_of({**options, "scale_window": 500})
    assert "common" not in said


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"n_features": 40},
        {"n_features": 2000},
        {"n_classes": 3},
        {"n_classes": 200},
        {"dtype": "float64"},
        {"groups": 2},
        {"scale": None, "gamma": 0.5},
    ],
    ids=str,
)
def test_a_narrow_kernel_of_the_memory_asks_for_a_memory(more: dict[str, Any]) -> None:
    """The message says from which size on there is one."""
    options: dict[str, Any] = {"n_features": 7, "memory_narrow": True, **more}
    least = int(re.findall(r"at least (\d+) bytes", message_of({**options, "ram": 300}))[0])
    assert f"at least {least} bytes" in message_of({**options, "ram": least - 1})
    for ram in (least, least + 1, least + 100, 2 * least, 5 * least):
        config = ek.Config(**options, ram=ram)
        assert config.parameters["memory"] > 0
        assert config.parameters["memory_narrow"] is True


def test_a_narrow_kernel_without_any_memory_is_refused_whatever_the_bytes() -> None:
    for more in ({"n_classes": 257}, {"loss": "square"}, {"memory": 0}):
        with pytest.raises(ValueError, match="memory_narrow is for a memory of rows"):
            ek.Config(n_features=7, ram="1MiB", memory_narrow=True, **more)


def test_nothing_is_offered_without_what_other_arguments_need() -> None:
    """Rows of a watched stream have times only for its seasons of a day."""
    options = {"n_features": 3, "loss": "novelty", "history": True, "clock": True, "ram": 100}
    assert re.search(r"or \d+ without the season of a day, clock=False", message_of(options))
