"""Pickle, copy and joblib carry the checked bytes of a file, and nothing else."""

from __future__ import annotations

import copy
import io
import pickle
import pickletools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek


def _rows() -> Any:
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    return X, np.where(X[:, 0] * X[:, 1] > 0.0, 1.0, -1.0)


def _learned(**options: Any) -> ek.Learner:
    X, y = _rows()
    learner = ek.Learner(**{"n_features": 4, "ram": "4KiB", **options})
    if options.get("loss") == "novelty":
        learner.learn_many(X)
    else:
        learner.learn_many(X, np.maximum(y, 0.0) if "n_classes" in options else y)
    return learner


def _scaler() -> ek.RunningScaler:
    scaler = ek.RunningScaler(4)
    scaler.learn_many(_rows()[0])
    return scaler


def _through_joblib(what: Any) -> Any:
    joblib = pytest.importorskip("joblib")
    file = io.BytesIO()
    joblib.dump(what, file)
    file.seek(0)
    return joblib.load(file)


MADE: dict[str, Any] = {
    "recommended": _learned,
    "ring": lambda: _learned(algorithm="bpa_s"),
    "classes": lambda: _learned(algorithm="bpa_s", n_classes=3),
    "novelty": lambda: _learned(loss="novelty"),
    "int8": lambda: _learned(algorithm="rbp", dtype="int8"),
    "scaler": _scaler,
}
WAYS: dict[str, Any] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "joblib": _through_joblib,
    **{
        f"pickle {protocol}": lambda what, protocol=protocol: pickle.loads(
            pickle.dumps(what, protocol)
        )
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
}


def _saved(what: Any, folder: Path) -> bytes:
    what.save(folder / "saved")
    return (folder / "saved").read_bytes()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("made", MADE)
@pytest.mark.spread(3)
def test_it_carries_the_bytes_of_a_file(made: str, way: str, tmp_path: Path) -> None:
    first = MADE[made]()
    second = WAYS[way](first)
    assert type(second) is type(first)
    assert _saved(second, tmp_path) == _saved(first, tmp_path)


@pytest.mark.parametrize("made", ["recommended", "scaler"])
def test_a_pickle_names_one_function_and_holds_bytes(made: str) -> None:
    """What a pickle calls is ours and old: any version of Python can."""
    data = pickle.dumps(MADE[made](), 2)
    words = {
        str(argument)
        for operation, argument, _ in pickletools.genops(data)
        if operation.name == "GLOBAL"
    }
    assert all(
        word.startswith(("edgeolk", "__builtin__ getattr", "_codecs encode")) for word in words
    ), words


@pytest.mark.parametrize("made", ["recommended", "ring", "scaler"])
def test_a_spoilt_pickle_is_refused(made: str) -> None:
    data = bytearray(pickle.dumps(MADE[made]()))
    whole = MADE[made]().__reduce__()[1][0]
    at = bytes(data).index(bytes(whole)) + len(whole) // 2
    data[at] ^= 1
    with pytest.raises(ValueError, match="damaged"):
        pickle.loads(bytes(data))


@pytest.mark.parametrize(
    "value",
    [
        ek.Gaussian(0.5),
        ek.Polynomial(3, 0.5),
        ek.plan("rbp", n_features=2, budget=3),
        ek.Config("rbp", n_features=2, budget=3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_public_records_go_through_pickles(value: Any) -> None:
    again = pickle.loads(pickle.dumps(value))
    assert again == value
    assert repr(again) == repr(value)
    with pytest.raises(AttributeError, match="cannot"):
        again.budget = 4
