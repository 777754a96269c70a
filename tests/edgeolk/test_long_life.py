"""Years of learning: nothing drifts, underflows or grows. ``make soak`` goes on for longer."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soak
from helpers import EVERY, LIVELY
from synthetic import random_stream

import edgeolk as ek
from edgeolk.configuration.header import unpack
from edgeolk.files.checksums import checksum
from edgeolk.files.live import WORDS


def lives(name: str, steps: int) -> None:
    line = soak.soak(name, steps)
    assert line["steps"] == steps
    assert not soak.is_wrong(line), line


def test_a_soak_continues(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = ["--kept", str(tmp_path / "soak.jsonl")]
    assert soak.main(["1e3", "rbp", *kept]) == 0
    first = capsys.readouterr().out
    assert '"steps": 1000' in first
    # What is stored is printed again, and nothing else is begun when the time is up.
    assert soak.main(["1e3", "rbp", "spa", "--minutes", "0", *kept]) == 0
    assert capsys.readouterr().out == f"{first}1 algorithms are left: spa\n"
    # More steps are another soak.
    assert soak.main(["1e3", "rbp", "spa", "--longest", "2e3", *kept]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["steps"] for line in lines] == [2000, 1000]


def test_what_goes_wrong_in_a_soak_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "soak.jsonl"
    monkeypatch.setattr(soak, "MOST_MEMORY", -(2**40))
    assert soak.main(["1e3", "rbp", "--kept", str(kept)]) == 1
    assert not kept.exists()


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.spread(3)
def test_nothing_drifts(name: str) -> None:
    lives(name, 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_nothing_drifts_in_a_million_steps(name: str) -> None:
    lives(name, 1_000_000)


def test_drift_is_noticed() -> None:
    """A norm, scores and an inverse that are wrong in their sixth digit."""
    X, y = random_stream(1, 200, 4)
    for name, what in (
        ("ahpatron", "norm"),
        ("forgetron_greedy", "scores"),
        ("bpa_p", "inverse"),
        ("projectron", "factor"),
    ):
        learner = ek.Learner(name, n_features=4, budget=9, dtype="float64")
        learner.learn_many(X, y)
        assert soak.drift(learner)[what] < 1e-9
        if what == "norm":
            words = np.asarray(learner._engine.view("function")).reshape(-1).view(np.float64)
            words[1] *= 1.00001
        else:
            np.asarray(learner._engine.view(what)).reshape(-1)[0] *= 1.00001
        assert soak.drift(learner)[what] > soak.MOST_DRIFT


#: Ways to shrink or stretch a function by much in few steps.
RESCALING: dict[str, dict[str, Any]] = {
    "shrinking": {"update": "gradient", "eta": 0.9, "lam": 1.0, "policy": "oldest"},
    "shrinking, with a mean": {
        "update": "gradient", "eta": 0.9, "lam": 1.0, "averaging": "mean",
    },
    "a small ball": {
        "update": "gradient", "eta": 1e3, "projection": "ball", "U": 1e-3, "policy": "oldest",
    },
    "a vanishing ball": {"update": "gradient", "projection": "ball", "U": 1e-290},
    "small coefficients": {
        "update": "gradient", "eta": 1.0, "projection": "shrink", "clip_coefficients": 1e-9,
        "policy": "oldest",
    },
    "stretching": {"update": "gradient", "policy": "unbiased", "eta": 0.1},
    "shifting": {"update": "shifting", "policy": "oldest", "shift": 1e6},
}  # fmt: skip


@pytest.mark.parametrize("coefficients", ["float64", "float32"])
@pytest.mark.parametrize("how", RESCALING)
def test_scales_are_folded_before_they_underflow(how: str, coefficients: str) -> None:
    options = dict(RESCALING[how])
    for axis in ("update", "projection", "policy", "averaging"):
        if axis in options:
            kind = getattr(ek, axis.capitalize())
            options[axis] = kind[options[axis].upper()]
    learner = ek.Learner(n_features=3, budget=2, coefficients=coefficients, **options)
    X, y = random_stream(2, 3000, 3)
    least, most = (1e-10, 1e10) if coefficients == "float32" else (1e-100, 1e100)
    for x, label in zip(X, y, strict=True):
        assert math.isfinite(learner.learn_one(x, label))
        assert least <= learner._engine.scale() <= most
    assert np.isfinite(learner.dual_coef_).all()
    again = ek.Learner._from_block(bytes(learner._sealed()))
    assert again.learn_one(X[0], 1) == learner.learn_one(X[0], 1)


@pytest.mark.parametrize("lam", [1e-307, 1e-100, 1e100, 1e307])
@pytest.mark.parametrize("name", ["pegasos", "bsgd"])
def test_a_scale_that_is_set_is_never_zero(name: str, lam: float) -> None:
    X, y = random_stream(2, 300, 3)
    learner = ek.Learner(name, n_features=3, budget=4, lam=lam)
    for x, label in zip(X, y, strict=True):
        try:
            assert math.isfinite(learner.learn_one(x, label))
        except ek.BadRowError:
            assert lam < 1e-200
        assert 0.0 < learner._engine.scale() < math.inf
    assert ek.Learner._from_block(bytes(learner._sealed())).steps == learner.steps


@pytest.mark.parametrize("name", EVERY)
def test_counters_go_on_beyond_32_bits(name: str) -> None:
    """A model that has seen 10^10 examples, as its file tells, goes on like any other."""
    plain = LIVELY[name] if name == "sorf" else {}  # a scaler has counts of its own
    learner = ek.Learner(name, n_features=3, budget=5, **plain)
    X, y = random_stream(3, 80, 3)
    learner.learn_many(X, y)
    data = bytearray(learner._sealed())
    far = 10**10
    table = unpack(data).table
    # Every example has gone through the window, where there is one.
    seen = [table["hints"][1] + 8] if "hints" in table else []
    for at in (64, 72, 80, *seen):
        count = int.from_bytes(data[at : at + 8], "little") + far
        data[at : at + 8] = count.to_bytes(8, "little")
    if learner._config.parts.get("update") is ek.Update.PEGASOS:  # its scale is 1 / (lam t)
        at = table["function"][1] + 8 * WORDS["function"].index(("scale", "d"))
        struct.pack_into("<d", data, at, 1.0 / (learner.parameters["lam"] * (far + 80)))
    data[8:12] = checksum(data, 8).to_bytes(4, "little")
    old = ek.Learner._from_block(bytes(data))
    assert np.isfinite(old.learn_many(X, y)).all()
    assert old.steps == far + 160
    assert old.updates >= far
    assert ek.Learner._from_block(bytes(old._sealed())).steps == old.steps
