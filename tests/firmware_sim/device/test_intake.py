"""The way of a row to the learner: the row buffer, and missing readings that are filled in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.device.device import Device
from firmware_sim.device.intake import Gaps, Repair, RowBuffer, buffer_type, scaled_rows
from firmware_sim.device.planning import plan_device
from firmware_sim.metrics.batch import Batch, When
from firmware_sim.report import to_text

KERNEL = ek.Gaussian(0.5)
BYTES = {"float32": 4, "float64": 8, "int16": 2}


def config(row: str = "auto", **more: Any) -> fs.ReplayConfig:
    return fs.ReplayConfig("any", ram="16KiB", algorithm="rbp", row=row, **more)


def learned(device: Device, *rows: Any, y: Any = (1.0,)) -> Batch:
    """What becomes of rows."""
    when = When(np.arange(len(rows)), np.full(len(rows), np.nan))
    return device.learn_block(np.array(rows), np.array(y), when)


@pytest.mark.parametrize("row", BYTES)
def test_it_takes_what_its_type_takes(row: str) -> None:
    layout, _ = plan_device(config(row), 5, KERNEL)
    assert layout.part("raw row").nbytes == 5 * BYTES[row]
    device = Device(config(row), 5, KERNEL)
    assert learned(device, [1.0, -2.0, 3.0, 300.0, 0.0]).rows["score"].tolist() == [0.0]
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
    assert found[0].rows["score"].tolist() == found[1].rows["score"].tolist()
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
    (refused,) = learned(device, [1.0, reading]).reasons.values()
    assert isinstance(refused, ValueError)
    assert f"does not fit a row buffer of {row}" in str(refused)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(fs.SimulatorError, match="row"):
        config("float16")


NAN = float("nan")
ROWS = 3000


def filled(method: str, rows: list[list[float]]) -> list[list[float] | None]:
    buffer = bytearray(Repair.nbytes(method, 2))
    repair = Repair(method, 2, memoryview(buffer))
    out: list[list[float] | None] = []
    for values in rows:
        row = np.array(values)
        absent = tuple(np.flatnonzero(np.isnan(row)).tolist())
        out.append(row.tolist() if repair.fill(row, absent) else None)
    return out


def test_last_value() -> None:
    rows = [[NAN, 1.0], [5.0, 2.0], [NAN, 3.0], [6.0, NAN], [NAN, NAN]]
    assert filled("last", rows) == [None, [5, 2], [5, 3], [6, 3], [6, 3]]


def test_mean() -> None:
    rows = [[NAN, 1.0], [4.0, 3.0], [NAN, 5.0], [8.0, NAN], [NAN, NAN]]
    assert filled("mean", rows) == [None, [4, 3], [4, 5], [8, 3], [6, 3]]


def test_mean_of_many() -> None:
    values = np.random.default_rng(0).normal(5, 3, size=1000)
    rows = [[value, NAN] for value in values]
    rows += [[NAN, 1.0]]
    last = filled("mean", rows)[-1]
    assert last is not None
    assert last[0] == pytest.approx(values.mean(), rel=1e-12)


@pytest.mark.parametrize(("method", "nbytes"), [("last", 40), ("mean", 80)])
def test_it_lives_in_the_plan(method: str, nbytes: int) -> None:
    config = fs.ReplayConfig("occupancy", ram="8KiB", missing=method, limit=2000, gamma=0.2)
    replay = fs.Replay(config)
    part = replay.device.layout.part("repair")
    assert part.nbytes == nbytes
    assert part.offset + part.nbytes <= 8192
    before = bytes(replay.device._memory.view("repair"))
    replay.run()
    assert bytes(replay.device._memory.view("repair")) != before
    without = fs.Replay(fs.ReplayConfig("occupancy", ram="8KiB", limit=1, gamma=0.2)).device.layout
    assert "repair" not in [part.name for part in without.parts]


def test_policies_beside_each_other() -> None:
    """Which one is best depends on the stream; here readings change slowly, so the last value."""
    used, wrong = {}, {}
    for policy in ("skip", "last", "mean"):
        result = fs.replay(
            fs.ReplayConfig(
                "occupancy",
                ram="16KiB",
                missing=policy,
                faults=("dropout:p=0.2",),
                algorithm="bpa_s",
                limit=ROWS,
            )
        )
        used[policy], wrong[policy] = result.rows.used, result.metrics.learner.wrong
        assert result.rows.used + result.rows.missing == ROWS
        assert result.rows.repaired == (0 if policy == "skip" else used[policy] - used["skip"])
        if policy != "skip":
            assert f"repaired  {result.rows.repaired:,} rows, by {policy} values" in to_text(result)
    assert used["skip"] < 0.375 * ROWS
    assert used["last"] > ROWS - 10
    assert wrong["last"] < wrong["mean"]


def test_gaps_are_left_to_the_learner() -> None:
    row = np.array([1.0, 2.0, 3.0])
    assert Gaps().fill(row, (0, 2))
    np.testing.assert_array_equal(row, [NAN, 2.0, NAN])


def test_a_row_too_far_for_a_frozen_scaler_changes_no_other() -> None:
    X = np.random.default_rng(0).normal(size=(20, 2)) * [1.0, 1e-10]
    bad = X.copy()
    bad[[14, 15, 19], 1] = 1e300
    found, failed = scaled_rows(ek.RunningScaler(2, clip=None, freeze_after=10), bad)
    assert [*failed] == [14, 15, 19]
    assert all(isinstance(why, ValueError) for why in failed.values())
    good = np.delete(np.arange(20), [14, 15, 19])
    expected, none = scaled_rows(ek.RunningScaler(2, clip=None, freeze_after=10), X[good])
    assert none == {}
    np.testing.assert_array_equal(found[good], expected)
