"""The automatic kernel width."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_sim.device.planning import choose_width, given_width


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
