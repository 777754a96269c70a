"""The fast reader: what it leaves to the careful one, and that both give the same rows."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from firmware_sim.streams import CsvStream
from firmware_sim.streams.chunks import NotPlainError, _by_numpy, _by_pandas, lines_of
from firmware_sim.streams.table import CsvStream as Table


def rows(stream: Table) -> list[list[float]]:
    return [row for block in stream.blocks() for row in block.rows.tolist()]


@pytest.mark.parametrize("parse", [_by_pandas, _by_numpy])
def test_columns_of_numbers(parse: Any) -> None:
    assert parse(b"1,2.5,3\n4,5,-6e2\n", ",", [2, 0]).tolist() == [[3, 1], [-600, 4]]
    words = r"rows are missing|could not convert|embedded newline"
    for odd in (b"1,2\r3,4\n", b"1,2\n\n", b"1,x\n"):  # not one row of numbers for each line
        with pytest.raises(ValueError, match=words):
            parse(odd, ",", [0, 1])


def test_pandas_refuses_what_has_no_columns() -> None:
    with pytest.raises(ValueError, match=r"^$") as raised:
        _by_pandas(b"", ",", [0])
    assert isinstance(raised.value.__cause__, pd.errors.EmptyDataError)


def test_a_file_that_fails_is_left_to_the_careful_reader() -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(NotPlainError):
        next(lines_of(Failing()))  # type: ignore[arg-type]


TABLE = [f"{i},{i % 7},{i % 2}" for i in range(300)]


@pytest.mark.parametrize(
    ("between", "bad"),
    [
        ("\n" * 6_000, "1,2"),  # a short row makes the fast reader count blank lines
        ("# comment\n" + f"# {'x' * 1_000}\n" * 300, ""),  # some pieces of it have no row
    ],
)
def test_long_stretches_without_rows_change_nothing(tmp_path: Path, between: str, bad: str) -> None:
    head = "# a log\na,b,y"
    lines = [head, *TABLE, bad] if bad else [head, *TABLE]
    for name, text in (("plain", ""), ("stretched", between)):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(lines) + "\n" + text + "\n".join(TABLE) + "\n")
    plain, stretched = (CsvStream(tmp_path / f"{name}.csv", target="y") for name in
                        ("plain", "stretched"))  # fmt: skip
    assert len(rows(plain)) == 2 * len(TABLE) + bool(bad)
    np.testing.assert_array_equal(rows(stretched), rows(plain))


def test_the_careful_reader_of_a_table_without_rows_gives_none(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("a,b,y\n1,2,0\n")
    stream = CsvStream(path, target="y")
    assert [len(block) for block in stream.blocks_after(0)] == [1]
    path.write_text("a,b,y\n")
    assert [*stream.blocks_after(0)] == []
