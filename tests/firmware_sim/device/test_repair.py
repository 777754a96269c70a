"""Absent readings filled in: by what, from what memory, and when not."""

from __future__ import annotations

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.device.intake import Repair
from firmware_sim.report import to_text

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


def test_same_in_a_process() -> None:
    for policy in ("last", "mean"):
        config = {"missing": policy, "faults": ("dropout:p=0.2",), "limit": 700, "ram": "8KiB"}
        here = fs.replay(fs.ReplayConfig("occupancy", **config))  # type: ignore[arg-type]
        there = fs.replay(fs.ReplayConfig("occupancy", enforce="process", **config))  # type: ignore[arg-type]
        assert here.rows == there.rows
        assert here.metrics.summary() == there.metrics.summary()
