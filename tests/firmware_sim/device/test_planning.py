"""The automatic kernel width."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import firmware_sim as fs
from edgeolk import hosting
from firmware_sim.device.planning import choose_width, given_width, make_learner
from firmware_sim.replaying.loop import Replay


def brute(rows: np.ndarray, norm: str) -> np.ndarray:
    out = []
    for i in range(len(rows)):
        for j in range(i):
            difference = rows[i] - rows[j]
            out.append(np.abs(difference).sum() if norm == "manhattan" else difference @ difference)
    return np.array(out)


@pytest.mark.parametrize("norm", ["squared euclidean", "manhattan"])
@pytest.mark.parametrize(("n", "d"), [(2, 1), (3, 4), (60, 5)])
def test_median_of_all_pairs(norm: str, n: int, d: int) -> None:
    rows = np.random.default_rng(n).normal(size=(n, d))
    chosen = choose_width(rows, norm=norm)
    assert chosen.gamma == pytest.approx(1 / np.median(brute(rows, norm)))
    assert chosen.rows == n
    assert norm in chosen.reason
    assert f"{n} usable rows" in chosen.reason
    assert choose_width(rows.copy(), norm=norm) == chosen


def test_readings_that_stand_still() -> None:
    rows = np.zeros((10, 2))
    rows[0] = [3, 4]
    assert choose_width(rows).gamma == pytest.approx(1 / 25)
    assert "rows that differ" in choose_width(rows).reason
    for same in (np.ones((10, 4)), np.ones((1, 4))):
        assert choose_width(same).gamma == 0.25
        assert "identical" in choose_width(same).reason


def test_nothing_to_choose_from() -> None:
    with pytest.raises(ValueError, match="no usable row"):
        choose_width(np.empty((0, 3)))


def test_given() -> None:
    chosen = given_width(0.4)
    assert (chosen.gamma, chosen.rows) == (0.4, 0)
    assert "as asked for" in chosen.reason


def planned(stream: str = "occupancy", **options: object) -> Replay:
    return Replay(fs.ReplayConfig(stream, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("ram", ["8KiB", "16KiB"])
def test_a_cap_may_include_the_stack_of_the_board(ram: str) -> None:
    replay = planned(ram=ram, cap_includes=("stack", "buffers"))
    layout, learner = replay.device.layout, replay.device.learner
    assert layout.part("stack").nbytes >= hosting.stacks_of(learner)["library"]
    assert layout.part("buffers").nbytes == 128
    assert layout.end <= layout.cap
    ends = [(part.offset, part.offset + part.nbytes) for part in layout.parts]
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(ends))
    usual = planned(ram=ram)
    smaller = usual.device.layout.part("learner").nbytes - layout.part("learner").nbytes
    taken = layout.part("stack").nbytes + layout.part("buffers").nbytes
    assert taken - 300 < smaller < taken + 300  # the learner is planned for what is left
    result = replay.run(beside_clean=False)
    assert result.rows.used == result.rows.read


def test_a_cap_may_include_the_scores_of_classes() -> None:
    options = {"kind": "multiclass", "target": "move", "limit": 300, "cap_includes": ("buffers",)}
    layout = planned("robot", **options).device.layout
    assert layout.part("buffers").nbytes == 120 + 8 * 4
    assert all(part.name != "stack" for part in layout.parts)


def test_what_a_cap_cannot_include() -> None:
    with pytest.raises(fs.SimulatorError, match="cap-includes is 'heap', it must be one of"):
        planned(cap_includes=("stack", "heap"))
    with pytest.raises(fs.SimulatorError, match="stack is for exported learners: fogd"):
        planned(cap_includes=("stack",), algorithm="fogd")
    with pytest.raises(fs.DoesNotFitError, match=r"2,048 bytes are too few: .* \+ stack 2,"):
        planned(cap_includes=("stack",), ram="2KiB")


def test_what_the_library_refuses_is_told() -> None:
    with pytest.raises(fs.SimulatorError, match="odd"):
        make_learner(2, {"algorithm": "odd"})
    with pytest.raises(fs.SimulatorError, match="nu"):
        planned("office", kind="novelty", params={"nu": 5.0})
    options = {"params": {"nu": 5.0}, "cap_includes": ("buffers",)}
    with pytest.raises(fs.SimulatorError, match="nu"):
        planned("office", kind="novelty", algorithm="sorf", gamma=0.5, **options)
