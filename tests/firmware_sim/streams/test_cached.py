"""Rows that are held: the same as those of the stream, from any row on, within memory."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from firmware_sim.streams import CsvStream, cached
from firmware_sim.streams.block import NumberCells
from firmware_sim.streams.cached import CachedStream


def cached_rows(folder: Path) -> CachedStream:
    path = folder / "s.csv"
    path.write_text("a,b,y\n" + "".join(f"{i},{i % 7},{i % 2}\n" for i in range(2_000)))
    return CachedStream(CsvStream(path, target="y"))


def first_cells(stream: CachedStream, *after: int) -> list[float]:
    return [row[0] for block in stream.blocks_after(*after) for row in block.rows.tolist()]


@pytest.mark.parametrize("most", [cached.MAX_NUMBERS, 3_000])
def test_rows_after_any_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(cached, "MAX_NUMBERS", most)  # 4,000 numbers are held, or none
    monkeypatch.setattr("firmware_sim.streams.chunks._MIN_BYTES", 2_000)
    stream = cached_rows(tmp_path)
    for _ in range(2):
        assert first_cells(stream, 0) == [*range(2_000)]
        assert (stream._held is not None) == (most > 4_000)
        assert first_cells(stream, 1_500) == [*range(1_500, 2_000)]
        assert first_cells(stream, 300, 1_000) == [*range(300, 1_300)]


def test_cells_of_numbers_are_sent_to_another_process() -> None:
    made: list[int] = []
    cells = NumberCells(np.array([1.5, 2.0]), lambda: made.append(1) or ["1.50", "2"])
    assert (len(cells), made) == (2, [])
    again = pickle.loads(pickle.dumps(cells))
    assert again.numbers.tolist() == [1.5, 2.0]
    assert [*again] == ["1.50", "2"]
