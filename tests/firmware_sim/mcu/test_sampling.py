"""Windows of samples on emulated boards: the rows and the learner of the host, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.windows import FEATURES
from firmware_sim.mcu import BOARDS, lacking
from firmware_sim.mcu.sampling import sample_on

pytestmark = [pytest.mark.mcu, pytest.mark.skipif(bool(lacking()), reason=lacking())]

#: Channels, features, size, dtype and envelope of windows that fit 16 KiB beside a learner and its
#: stack.
CASES = {
    "vibration": (2, "vibration", 128, "int16", False),
    "envelope": (2, "vibration", 64, "int16", True),
    "all": (2, tuple(FEATURES), 64, "int16", False),
    "all, float32": (2, tuple(FEATURES), 64, "float32", True),
    "level": (2, "level", 32, "int16", False),
}
#: The same with what the 2 KiB of an Uno have room for: nothing of a spectrum.
UNO = {
    "level": (1, "level", 32, "int16", False),
    "level, two channels": (2, "level", 32, "int16", False),
    "level, float32": (1, "level", 32, "float32", False),
    "shape": (1, ("rms", "crest", "skewness", "kurtosis"), 32, "int16", False),
}
SMALL: dict[str, Any] = {
    "ram": 480, "relevance": False, "drift": False, "constant": False, "gamma": 0.125,
}  # fmt: skip
BY_DAY = ("microbit", "mps2-an386")
ON_BOARDS = [
    pytest.param(
        board,
        *CASES[key],
        {"ram": "4KiB"},
        id=f"{board}-{key}",
        marks=() if board in BY_DAY else pytest.mark.slow,
    )
    for board in BOARDS
    if board != "uno"
    for key in CASES
]
ON_AN_UNO = [pytest.param("uno", *UNO[key], SMALL, id=f"uno-{key}") for key in UNO]


@pytest.mark.parametrize(
    ("board", "channels", "features", "size", "dtype", "envelope", "options"),
    [*ON_BOARDS, *ON_AN_UNO],
)
def test_rows_and_learner_are_those_of_the_host(
    board: str,
    channels: int,
    features: str | tuple[str, ...],
    size: int,
    dtype: str,
    envelope: bool,
    options: dict[str, Any],
) -> None:
    if BOARDS[board].chain.lacking():
        pytest.skip(BOARDS[board].chain.lacking())
    windows = ek.Windows(channels, size, 16, features, 100, dtype, envelope=envelope)
    learner = ek.Learner(n_features=windows.n_features, **options)
    rng = np.random.default_rng(0)
    samples = (rng.standard_normal((size + 16 * 12, channels)) * 900 + 150).astype(dtype)
    labels = np.where(rng.random(len(samples)) < 0.5, 1.0, -1.0)
    found = sample_on(BOARDS[board], learner, windows, samples, labels)
    rows = windows.feed_many(samples)
    assert found.rows.shape == rows.shape == (13, windows.n_features)
    assert np.array_equal(found.rows.view(np.uint32), rows.view(np.uint32))
    learner.learn_many(rows, labels[size - 1 :: 16])
    assert found.state == learner.__reduce__()[1][0]
    assert learner.steps == 13
    assert found.refused == 0
    assert 0 < found.per_sample < found.per_row


def test_bad_samples_are_refused_there() -> None:
    windows = ek.Windows(1, 32, 32, "level", dtype="float32")
    learner = ek.Learner(n_features=3, ram="2KiB")
    samples = np.arange(34, dtype=np.float32)[:, None]
    samples[[3, 9], 0] = np.nan, 2e12
    found = sample_on(BOARDS["mps2-an386"], learner, windows, samples, np.ones(34))
    assert found.refused == 2
    assert np.array_equal(found.rows, windows.feed_many(np.delete(samples, [3, 9], axis=0)))
