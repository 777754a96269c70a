"""The learner without numpy: the same numbers, and no numpy in the process."""

from __future__ import annotations

import math
import sys
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import python
from synthetic import random_stream

import edgeolk as ek
from edgeolk import hosting
from edgeolk.bare import BareLearner

D = 4
X, Y = random_stream(3, 120, D)

PROGRAM = """
import sys
from array import array
from pathlib import Path
from edgeolk import hosting
from edgeolk.bare import BareLearner
learner = BareLearner("spa", n_features=2, budget=4, beta=1.0)
for i in range(20):
    learner.learn_one(array("d", [i % 3, i % 5]), 1.0 if i % 2 else -1.0)
score = learner.decision_one(array("d", [1.0, 2.0]))
assert score == score and learner.counters()["steps"] == 20
print([name for name in sys.modules if name.split(".")[0] in ("numpy", "scipy")])
"""


FROM_A_FILE = """
import sys
from array import array
from pathlib import Path
from edgeolk import hosting
from edgeolk.bare import BareLearner
learner = BareLearner.from_bytes(Path(sys.argv[1]).read_bytes())
assert learner.learn_one(array("d", [1.0, 2.0]), 1.0) > 0.0
print([name for name in sys.modules if name.split(".")[0] in ("numpy", "scipy")])
"""


def test_no_numpy_is_imported(tmp_path: Path) -> None:
    learner = ek.Learner("bpa_s", n_features=2, budget=4)
    learner.learn_one(np.array([1.0, 2.0]), 1)
    learner.save(tmp_path / "model.olk")
    for program in (PROGRAM, FROM_A_FILE):
        ran = python(program, str(tmp_path / "model.olk"))
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout == "[]\n"


RESIDENT = """
def resident():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("RssAnon")).split()[1])
start = resident()
from edgeolk import hosting
from edgeolk.bare import BareLearner
learner = BareLearner("bpa_s", n_features=5, ram="4KiB")
print(resident() - start)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
def test_the_memory_of_a_bare_process() -> None:
    """6.0 MB above plain Python, 2.4 of which are `dataclasses` and `typing`; numpy would be 12."""
    ran = python(RESIDENT)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) < 9_000


BAD_ROWS: dict[str, Any] = {
    "list": [1.0] * D,
    "float32": np.ones(D, np.float32),
    "short": array("d", [1.0] * (D - 1)),
    "long": array("d", [1.0] * (D + 1)),
    "empty": array("d"),
    "2-d": np.ones((1, D)),
    "strided": np.ones(2 * D)[::2],
    "nan": array("d", [1.0, float("nan"), 1.0, 1.0]),
    "infinite": array("d", [1.0, float("inf"), 1.0, 1.0]),
    "too large": array("d", [1.0, 1e39, 1.0, 1.0]),
    "none": None,
    "text": "1234",
}


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_bad_rows_change_nothing(kind: str) -> None:
    memory = bytearray(ek.plan("rbp", n_features=D, budget=5).nbytes)
    learner = BareLearner("rbp", n_features=D, budget=5, buffer=memory)
    for x, y in zip(X[:30], Y[:30], strict=True):
        learner.learn_one(x, y)
    before = bytes(memory)
    with pytest.raises((TypeError, ValueError)):
        learner.learn_one(BAD_ROWS[kind], 1.0)
    with pytest.raises((TypeError, ValueError)):
        learner.decision_one(BAD_ROWS[kind])
    assert bytes(memory) == before


@pytest.mark.parametrize("kind", ["short", "long", "empty", "nan", "infinite", "too large"])
def test_what_is_wrong_with_a_row_is_said_as_the_learner_says_it(kind: str) -> None:
    said = []
    for make in (BareLearner, ek.Learner):
        learner: Any = make("rbp", n_features=D, budget=5)
        with pytest.raises(ValueError, match="x must ") as refusal:
            learner.learn_one(np.asarray(BAD_ROWS[kind]), 1.0)
        said.append((type(refusal.value), str(refusal.value)))
    assert said[0] == said[1]


@pytest.mark.parametrize("label", [0.0, 2.0, float("nan"), float("inf"), None, "a", [1.0]])
def test_bad_labels_change_nothing(label: Any) -> None:
    learner = BareLearner("rbp", n_features=D, budget=5)
    with pytest.raises((TypeError, ValueError)):
        learner.learn_one(X[0], label)
    assert learner.counters()["steps"] == 0


def test_targets_of_a_regression() -> None:
    learner = BareLearner("ogd", n_features=D, budget=5, loss="square")
    assert learner.learn_one(X[0], 0.25) == 0.0
    with pytest.raises(ValueError, match="y must be finite"):
        learner.learn_one(X[0], float("nan"))


def test_bad_options_are_those_of_the_learner() -> None:
    for options in ({"colour": 1}, {"kernel": 3}, {"ram": "4KiB"}, {"buffer": bytes(9)}):
        with pytest.raises((TypeError, ValueError)) as bare:
            BareLearner("rbp", n_features=D, budget=5, **options)
        with pytest.raises((TypeError, ValueError)) as full:
            ek.Learner("rbp", n_features=D, budget=5, **options)
        assert str(bare.value) == str(full.value)


def test_bytes_that_are_no_model_are_refused() -> None:
    with pytest.raises(ValueError, match="not a model"):
        BareLearner.from_bytes(bytes(200))
    with pytest.raises(ValueError, match="zip archive: extract the model"):
        BareLearner.from_bytes(b"PK" + bytes(198))
    with pytest.raises(KeyError):
        _ = BareLearner("rbp", n_features=D, budget=5).threshold


@pytest.mark.parametrize("options", [{}, {"loss": "novelty"}, {"n_classes": 3}])
def test_goes_on_from_the_bytes_of_a_file(options: dict[str, Any], tmp_path: Path) -> None:
    learner = ek.Learner("sorf", n_features=D, budget=32, **options)
    novelty = "loss" in options
    for x in X[:40]:
        learner.learn_one(x, *([] if novelty else [1.0]))
    learner.save(tmp_path / "model.olk")
    bare = BareLearner.from_bytes((tmp_path / "model.olk").read_bytes())
    assert (bare.budget, bare.nbytes) == (learner.budget, learner.nbytes)
    for x in X[40:60]:
        if novelty:
            assert bare.threshold == learner.threshold
        y = [] if novelty else [1.0]
        assert bare.learn_one(x, *y) == learner.learn_one(x, *y)


def test_verdicts_and_forecasts_are_those_of_the_learner() -> None:
    for options in ({"loss": "novelty", "history": True}, {"loss": "square", "history": True}):
        config = ek.Config(n_features=D, D=64, **options)
        bare, full = BareLearner(config), ek.Learner(config)
        for x, y in zip(X[:60], Y[:60], strict=True):
            row = array("d", x)
            if options["loss"] == "novelty":
                assert bare.learn_one(row) == full.learn_one(x)
                flags = full.novel, full.alarm, full.event, full.rare
                assert bare.verdict == (full.anomaly, *flags, full.why)
                assert bare.threshold == full.threshold
            else:
                assert bare.ask_one(row) == full.ask_one(x)
                bare.tell_one(y)
                full.tell_one(y)


def test_what_a_bare_learner_lacks_is_refused() -> None:
    x = array("d", [1.0, 2.0, 3.0])
    learner = BareLearner("rbp", n_features=3, budget=4, n_classes=3)
    with pytest.raises(ValueError, match="x must be a contiguous float64 buffer"):
        learner.learn_one(memoryview(array("d", range(6)))[::2], 1)
    with pytest.raises(AttributeError, match="only novelty with history=True"):
        learner.accept()
    with pytest.raises(TypeError, match="one score per class: use scores_one"):
        learner.decision_one(x)
    watching = BareLearner(n_features=3, D=64, loss="novelty", history=True)
    with pytest.raises(ValueError, match="y must be"):
        watching.learn_one(x, math.inf)
    assert watching.counters()["steps"] == 0


def test_labels_that_a_capped_loss_wants_are_those_of_the_learner() -> None:
    options: dict[str, Any] = {"n_features": D, "budget": 8, "update": "gradient", "loss": "ramp"}
    learner, bare = ek.Learner(**options, eta=0.8), BareLearner(**options, eta=0.8)
    learner.learn_many(X, Y)
    for x, y in zip(X, Y, strict=True):
        bare.learn_one(array("d", x), y)
    wants = [bare.wants_label(array("d", x)) for x in X]
    assert wants == [abs(learner.decision_one(x)) <= 1.0 for x in X]
    assert {*wants} == {False, True}


def test_a_row_out_of_range_does_not_wait() -> None:
    far = array("d", [1e200, 0.0, 0.0])
    learner = BareLearner("krls_auto", n_features=3, budget=4, lags=2, dtype="float64")
    for call in (learner.ask_one, learner.decision_one):
        with pytest.raises(ek.BadRowError, match="the kernel overflows for this row"):
            call(far)
    assert learner.counters()["steps"] == 0


def test_the_packed_verdict_is_that_of_the_learner() -> None:
    options: dict[str, Any] = {"n_features": D, "D": 64, "loss": "novelty", "history": True}
    learner, bare = ek.Learner(**options), BareLearner(**options)
    for x in [*X[:60], 50.0 * X[0]]:
        learner.learn_one(x)
        bare.learn_one(array("d", x))
        assert hosting.last_reason(bare) == hosting.last_reason(learner)
    assert hosting.unpack_reason(hosting.last_reason(bare)) == learner.why
