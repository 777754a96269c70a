"""What single cells mean, and moments of many at once."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.streams import cells
from firmware_sim.streams.time_format import TimeFormat


@given(
    st.lists(
        st.builds(
            "{:04d}-{:02d}-{:02d}{}{:02d}:{:02d}:{:02d}".format,
            st.sampled_from([1, 999, 1600, 1969, 1970, 2015, 2400, 9999]),
            st.integers(0, 13), st.integers(0, 32), st.sampled_from(" T"),
            st.integers(0, 25), st.integers(0, 61), st.integers(0, 61),
        ),
        min_size=1, max_size=4,
    )
    | st.lists(
        st.sampled_from(["2015-02-02 14:19:0x", "+015-02-02 14:19:00", "2015-02- 2 14:19:00",
                         "2.2.2015 14:19", "2015-02-02 14:19:00"]),
        min_size=1,
    )
)  # fmt: skip
def test_dates_of_many_cells_are_those_of_each(found: list[str]) -> None:
    clock = TimeFormat("%Y-%m-%d %H:%M:%S")
    for cell, moment in zip(found, clock.many(found).tolist(), strict=True):
        try:
            assert moment == clock.seconds(cell)
        except ValueError:
            assert math.isnan(moment)


def test_most_files_dates_are_read_together() -> None:
    many = TimeFormat("%Y-%m-%d %H:%M:%S").many(["2015-02-03 14:19:00", "1969-12-31T23:59:59"])
    assert many.tolist() == [1422973140.0, -1.0]


@pytest.mark.parametrize(
    "cell", ["#NV", "#WERT!", "#BEZUG!", "#DIV/0!", "#ZAHL!", "#NAME?", "#N/D", "#¡VALOR!", "#nom?"]
)
def test_an_error_of_a_spreadsheet_in_any_language_is_a_missing_reading(cell: str) -> None:
    assert math.isnan(cells.number(cell))
    assert math.isnan(cells.switch(cell))
    assert not cells.is_number(cell)


@pytest.mark.parametrize("cell", ["#12", "# NV", "#a1", "NV", "#", "#x y"])
def test_other_words_are_no_errors_of_a_spreadsheet(cell: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        cells.number(cell)


def test_a_number_in_brackets_is_negative() -> None:
    assert cells.number("(12.5)") == -12.5
    assert cells.Notation(thousands=",").number("(1,250.75)") == -1250.75
