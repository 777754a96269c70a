"""Windows of samples on emulated boards: the rows and the learner of the host, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.windows import FEATURES
from firmware_sim.mcu import BOARDS, lacking
from firmware_sim.mcu.sampling import sample_on

pytestmark = [pytest.mark.mcu, pytest.mark.skipif(bool(lacking()), reason=lacking())]

#: Windows that fit 16 KiB beside a learner and its stack.
CASES = {
    "vibration": ("vibration", 128, "int16", False),
    "envelope": ("vibration", 64, "int16", True),
    "all": (tuple(FEATURES), 64, "int16", False),
    "all, float32": (tuple(FEATURES), 64, "float32", True),
    "level": ("level", 32, "int16", False),
}


@pytest.mark.parametrize("key", CASES)
@pytest.mark.parametrize(
    "board",
    [
        name if name in ("microbit", "mps2-an386") else pytest.param(name, marks=pytest.mark.slow)
        for name in BOARDS
    ],
)
def test_rows_and_learner_are_those_of_the_host(board: str, key: str) -> None:
    features, size, dtype, envelope = CASES[key]
    if BOARDS[board].chain.lacking():
        pytest.skip(BOARDS[board].chain.lacking())
    windows = ek.Windows(2, size, 16, features, 100, dtype, envelope=envelope)
    learner = ek.Learner(n_features=windows.n_features, ram="4KiB")
    rng = np.random.default_rng(0)
    samples = (rng.standard_normal((size + 16 * 12, 2)) * 900 + 150).astype(dtype)
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
