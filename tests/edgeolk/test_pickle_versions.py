"""Pickles that one version of Python writes and another one reads, both ways.

``EDGEOLK_OTHER_PYTHON`` names the interpreter of another version that has the package (and, for the
estimators, scikit-learn).
"""

from __future__ import annotations

import os
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek

OTHER = os.environ.get("EDGEOLK_OTHER_PYTHON", "")
PROTOCOLS = range(2, 6)
pytestmark = pytest.mark.skipif(
    not OTHER, reason="EDGEOLK_OTHER_PYTHON names no second Python that has the package"
)

#: Run by the other one: reads every pickle of a folder, and writes what it read again.
READER = """
import pickle, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
for path in sorted(Path(sys.argv[1]).glob("*.here")):
    try:
        what = pickle.loads(path.read_bytes())
    except ImportError as error:
        assert "scikit-learn" in str(error), error
        continue
    protocol = int(path.stem[-1])
    path.with_suffix(".there").write_bytes(pickle.dumps(what, protocol))
"""


def rows() -> Any:
    X = np.random.default_rng(0).normal(size=(200, 4))
    return X, np.where(X[:, 0] * X[:, 1] > 0.0, 1.0, -1.0)


def learner(*name: str, **options: Any) -> ek.Learner:
    made = ek.Learner(*name, n_features=4, ram="4KiB", **options)
    X, y = rows()
    made.learn_many(X, np.maximum(y, 0.0) if "n_classes" in options else y)
    return made


def scaler() -> ek.RunningScaler:
    made = ek.RunningScaler(4)
    made.learn_many(rows()[0])
    return made


def estimator(name: str) -> Any:
    module = pytest.importorskip("edgeolk.sklearn")
    X, y = rows()
    return getattr(module, name)(ram="4KiB").fit(X, y)


MADE: dict[str, Any] = {
    "recommended": learner,
    "ring": lambda: learner("bpa_s"),
    "classes": lambda: learner("bpa_s", n_classes=3),
    "int8": lambda: learner("rbp", dtype="int8"),
    "scaler": scaler,
    "classifier": lambda: estimator("OnlineKernelClassifier"),
    "regressor": lambda: estimator("OnlineKernelRegressor"),
}


def bytes_of(what: Any) -> bytes:
    """What ``save`` would write, of an estimator its learner's."""
    if not isinstance(what, (ek.Learner, ek.RunningScaler)):
        what = what.learner_
    saved: bytes = what.__reduce__()[1][0]
    return bytes(saved)


@pytest.fixture(scope="module")
def read_there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pickles from here, each read and written again by the other Python."""
    folder = tmp_path_factory.mktemp("pickles")
    for name, make in MADE.items():
        made = make()
        for protocol in PROTOCOLS:
            (folder / f"{name}-{protocol}.here").write_bytes(pickle.dumps(made, protocol))
    ran = subprocess.run(
        [OTHER, "-c", READER, str(folder)], capture_output=True, text=True, timeout=300,
        check=False, cwd=folder,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return folder


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("made", MADE)
def test_pickles_cross_both_ways(made: str, protocol: int, read_there: Path) -> None:
    if not (read_there / f"{made}-{protocol}.there").exists():
        pytest.skip("the other Python has no scikit-learn")
    here = pickle.loads((read_there / f"{made}-{protocol}.here").read_bytes())
    there = pickle.loads((read_there / f"{made}-{protocol}.there").read_bytes())
    assert type(there) is type(here)
    assert bytes_of(there) == bytes_of(here)
    X, y = rows()
    if made == "scaler":
        assert np.array_equal(there.transform(X), here.transform(X))
    elif isinstance(here, ek.Learner):
        labels = np.maximum(y, 0.0) if here.n_classes > 2 else y
        assert np.array_equal(there.learn_many(X, labels), here.learn_many(X, labels))
    else:
        assert np.array_equal(there.predict(X), here.predict(X))
