"""Rows from all over a stream, one by one and in blocks."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_sim.metrics.sampled import MAX_ROWS, Sampled


@pytest.mark.parametrize("block", [1, 7, 1000, 5000])
def test_blocks_give_what_rows_give(block):
    X = np.arange(5000.0)[:, None]
    alone, together = Sampled(), Sampled()
    for row in X:
        alone.add(row)
    for first in range(0, len(X), block):
        together.add_block(X[first : first + block])
    np.testing.assert_array_equal(together.rows, alone.rows)
    assert MAX_ROWS // 2 <= len(alone.rows) <= MAX_ROWS
    assert len(set(np.diff(alone.rows[:, 0]))) == 1
    assert alone.rows[0, 0] == 0.0
    assert alone.rows[-1, 0] > 4_900.0  # from all over the stream
