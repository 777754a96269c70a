"""The row buffer: its type, its bytes under the cap, and what it cannot hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.device.device import Device
from firmware_sim.device.intake import RowBuffer, buffer_type
from firmware_sim.device.planning import plan_device
from firmware_sim.device.supervision import When
from firmware_sim.tasks.learning import LearnResult

KERNEL = ek.Gaussian(0.5)
BYTES = {"float32": 4, "float64": 8, "int16": 2}


def config(row: str = "auto", **more: Any) -> fs.ReplayConfig:
    return fs.ReplayConfig("any", ram="16KiB", algorithm="rbp", row=row, **more)


def learned(device: Device, *rows: Any, y: Any = (1.0,)) -> LearnResult:
    """What becomes of rows."""
    when = When(np.arange(len(rows)), np.full(len(rows), np.nan))
    return device.learn_block(np.array(rows), np.array(y), when)


@pytest.mark.parametrize("row", BYTES)
def test_it_takes_what_its_type_takes(row: str) -> None:
    layout, _ = plan_device(config(row), 5, KERNEL)
    assert layout.part("raw row").nbytes == 5 * BYTES[row]
    device = Device(config(row), 5, KERNEL)
    assert learned(device, [1.0, -2.0, 3.0, 300.0, 0.0]).scores.tolist() == [0.0]
    assert (device.row.kind, device.row.n_inexact) == (row, 0)


def test_where_nothing_is_said_it_is_what_the_learner_sees() -> None:
    assert buffer_type(config()) == np.float32
    assert buffer_type(config(dtype="float64")) == np.float64
    assert buffer_type(config("int16", dtype="float64")) == np.int16


def test_what_lies_in_it_is_what_is_learned() -> None:
    """A learner sees the readings as the buffer rounds them."""
    fine, coarse = Device(config("float64"), 2, KERNEL), Device(config("int16"), 2, KERNEL)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 2)) * 40.0
    y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    found = learned(fine, *np.rint(X), y=y), learned(coarse, *X, y=y)
    assert found[0].scores.tolist() == found[1].scores.tolist()
    assert (fine.row.n_inexact, coarse.row.n_inexact) == (0, 100)


def test_seven_digits_are_counted() -> None:
    row = RowBuffer(config("float32"))
    row.take(np.array([[101_325.31, 1e-30, 0.1]]))
    assert row.n_inexact == 0
    row.take(np.array([[1e-44, 0.0, 16_777_217.0]]))
    assert row.n_inexact == 1


@pytest.mark.parametrize(
    ("row", "reading"),
    [("float32", 4e38), ("float32", np.inf), ("int16", 40_000.0), ("int16", -32_769.0)],
)
def test_what_does_not_fit_is_refused(row: str, reading: float) -> None:
    device = Device(config(row), 2, KERNEL)
    (refused,) = learned(device, [1.0, reading]).refused.values()
    assert isinstance(refused, ValueError)
    assert f"does not fit a row buffer of {row}" in str(refused)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(fs.SimulatorError, match="row"):
        config("float16")
