"""What is counted while rows are read: reasons of damage, and codes for failed sensors."""

from __future__ import annotations

import numpy as np

from firmware_sim.streams.damages import Damages
from firmware_sim.streams.sentinels import Sentinels


def test_reasons_beyond_the_first_ones_are_counted_together() -> None:
    damages = Damages()
    for row in range(1, 31):
        damages.add(row, f"reason {row % 15}")
    assert damages.n_rows == 30
    counts = {reason: count for reason, (count, _) in damages.by_reason.items()}
    others = counts.pop("other reasons")
    assert set(counts.values()) == {2}
    assert others == 30 - 2 * len(counts) > 0
    assert damages.first == "row 1: reason 1"


def test_a_block_without_rows_changes_no_sentinel() -> None:
    rows = np.full((50, 1), 20.0) + np.arange(50)[:, None] / 50
    rows[::10] = -9999.0
    found = []
    for blocks in ([rows], [rows[:20], rows[:0], rows[20:]]):
        sentinels = Sentinels(["t"])
        for block in blocks:
            sentinels.add_block(block)
        found.append(sentinels.warnings())
    assert found[0] == found[1]
    assert "column 't' is -9999 in 5 of 50 rows" in found[0][0]
