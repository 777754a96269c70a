"""Formats of times: which one is recognised, and what it gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
import pytest

from firmware_sim.streams.dates import counted, is_moment, recognised
from firmware_sim.streams.time_format import TimeFormat, zone_free

START = datetime(2024, 3, 11, 13, 5, 7)


def epoch(moment: datetime) -> float:
    return (moment - datetime(1970, 1, 1)).total_seconds()


def column(shape: str, n: int = 40, **step: float) -> list[str]:
    return [(START + i * timedelta(**(step or {"hours": 7}))).strftime(shape) for i in range(n)]


@pytest.mark.parametrize(
    ("shape", "cell", "seconds"),
    [
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 13:05:07", epoch(START)),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11T13:05", epoch(START) - 7),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 13:05:07.25", epoch(START) + 0.25),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 13:05:07,5 +01:30", epoch(START) + 0.5 - 5400),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 13:05:07 UTC-3", epoch(START) + 3 * 3600),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 13:05:07 (CEST)", epoch(START) - 7200),
        ("%Y-%m-%d %H:%M:%S", "[2024-03-11 13:05:07]", epoch(START)),
        ("%Y-%m-%d %H:%M:%S", "'2024-03-11 13:05:07 Uhr'", epoch(START)),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 24:00:00", epoch(datetime(2024, 3, 12))),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 23:59:60", epoch(datetime(2024, 3, 12))),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 24:00:01", None),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 24:01:00", None),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 25:00:00", None),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 13:60:00", None),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 13:05:61", None),
        ("%Y-%m-%d %H:%M:%S", "2024-03-11 13:05:07 XYZ", None),
        ("%Y-%m-%dT%H:%M:%S", "2024-03-11T13:05:07+0200", epoch(START) - 7200),
        ("%Y-%m-%dT%H:%M:%S", "2024-03-11T13:05:07-0530", epoch(START) + 19_800),
        ("%Y-%m-%d", "2015-13-01", None),
        ("%Y-%m-%d", "2015-02-30", None),
        ("%Y-%m-%d", "soon", None),
        ("%d/%m/%Y", "1/2", None),
        ("%d/%m/%Y", "13/13/2015", None),
        ("%I:%M %p", "12:00 AM", 0.0),
        ("%I:%M %p", "12:30 p.m.", 45_000.0),
        ("%I:%M %p", "1:00PM", 46_800.0),
        ("%I:%M %p", "13:00 PM", None),
        ("%I:%M %p", "0:30 AM", None),
        ("%d.%m.%y", "01.02.69", epoch(datetime(2069, 2, 1))),
        ("%d.%m.%y", "01.02.70", epoch(datetime(1970, 2, 1))),
        ("%d %b %Y", "1 März 2024", epoch(datetime(2024, 3, 1))),
        ("%d %b %Y", "1 September 2024", epoch(datetime(2024, 9, 1))),
        ("%d %b %Y", "1 Foo 2024", None),
        ("%Y-%j", "2024-366", epoch(datetime(2024, 12, 31))),
        ("%Y-%j", "2023-366", None),
        ("%Y-%j", "2024-000", None),
        ("%G-W%V-%u", "2020-W53-7", epoch(datetime(2021, 1, 3))),
        ("%G-W%V-%u", "2021-W53-1", None),
        ("%G-W%V-%u", "2024-W05-8", None),
        ("%b %d %H:%M:%S", "Feb 29 00:00:00", epoch(datetime(1972, 2, 29))),
        ("%Y-%m", "2024-03", epoch(datetime(2024, 3, 1))),
        ("%Y-%m-%dT%H:%M", "2024-03-11T13:05:07Z/2024-03-11T14:00:00Z", epoch(START)),
        ("epoch ms", "1500", 1.5),
        ("epoch", "1,5", 1.5),
        ("spreadsheet days", "25569.5", 43_200.0),
        ("julian days", "2440588", 43_200.0),
        ("matlab days", "719530", 86_400.0),
        ("minutes", "2", 120.0),
        ("hours", "x", None),
    ],
)
def test_what_a_cell_means(shape: str, cell: str, seconds: float | None) -> None:
    form = TimeFormat(shape)
    if seconds is None:
        with pytest.raises(ValueError, match=r"."):
            form.seconds(cell)
    else:
        assert form.seconds(cell) == pytest.approx(seconds, abs=1e-6)
    for many in ([cell], [cell] * 3, np.array([cell.encode()] * 3 * cell.isascii(), "S")):
        np.testing.assert_allclose(form.many(many), math.nan if seconds is None else seconds)


@pytest.mark.parametrize("text", ["", "when", "%Q", "%Y %Y", "%H:%M %I", "%m %b%b"])
def test_what_is_no_format(text: str) -> None:
    with pytest.raises(ValueError, match=r"no time field|is not one of|occurs twice"):
        TimeFormat(text)


SHAPES = [
    "%Y-%m-%d", "%Y/%m/%d %H:%M:%S", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p",
    "%d-%m-%y %H:%M", "%y-%m-%d %H:%M", "%b %d, %Y %H:%M", "%a %b %d %H:%M:%S %Y", "%Y%m%d",
    "%Y%m%d%H%M%S", "%Y%m%d%H%M", "%y%m%d%H%M%S", "%Y%m%d%H", "%Y%m%dT%H%M%S", "%H:%M:%S %d.%m.%Y",
    "%Y-%m-%d_%H-%M-%S", "%d%b%Y:%H:%M:%S", "%Y-%j", "%G-W%V-%u %H:%M:%S", "%Y-%m", "%Y-%m-%d %H",
    "%d/%m/%Y %H.%M", "%Y年%m月%d日 %H:%M", "%b %d %H:%M:%S", "%d. %b %Y", "%H.%M.%S", "%I:%M %p",
    "07%Y%m%d%H%M", "12%Y%m%d%H",
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_format_of_a_column(shape: str) -> None:
    has_clock = "H" in shape or "I" in shape
    step = {"hours": 29.0} if has_clock else {"days": 31.0 if shape == "%Y-%m" else 3.0}
    if not set("djuY") & set(shape):
        step = {"minutes": 11.0}
    cells = column(shape, **step)
    form, sure = recognised(cells)
    assert form is not None
    assert sure
    here = [datetime.strptime(one, shape) for one in cells]
    gaps = np.diff([epoch(one) for one in here])
    np.testing.assert_allclose(np.diff(form.many(cells)), gaps)


@pytest.mark.parametrize(
    ("cells", "expected", "sure"),
    [
        (["13/02/2024", "14/02/2024"], "%d/%m/%Y", True),
        (["02/13/2024", "02/14/2024"], "%m/%d/%Y", True),
        (["01/02/2024", "02/02/2024", "03/02/2024"], "%d/%m/%Y", True),  # by the shorter steps
        (["02/01/2024", "02/02/2024", "02/03/2024"], "%m/%d/%Y", True),
        (["03/02/2024"] * 3, "%m/%d/%Y", False),
        (["03-02-2024"] * 3, "%d-%m-%Y", False),
        (["03.02.2024"] * 3, "%d.%m.%Y", True),
        (["03/02/2024 1:00 PM"] * 3, "%m/%d/%Y %I:%M:%S %p", False),
        (["2024-02-03"] * 3, "%Y-%m-%d", True),
        (["2024-13-03", "2024-14-03"], "%Y-%d-%m", True),
        (["24-02-03", "24-02-04"], "%y-%m-%d", True),
        (["03/04/05"] * 3, "%m/%d/%y", False),
        (["10/11/12 10:00", "10/11/12 11:00"], "%y/%m/%d %H:%M:%S", False),
        (["2024-02-03", "x"], None, True),
        (["2024-02-03"] * 4 + ["x"], "%Y-%m-%d", True),
        (["10", "11"], None, True),
        (["58.0", "59.5"], None, True),
        (["20240230", "20240231"], None, True),
        (["a", "b"], None, True),
    ],
)
def test_day_and_month(cells: Sequence[str], expected: str | None, sure: bool) -> None:
    form, is_sure = recognised(cells)
    assert (None if form is None else form.text) == expected
    assert is_sure is sure


def test_day_and_month_by_the_user_by_other_signs_and_by_later_rows() -> None:
    same = ["03/02/2024"] * 3

    def text(**more: object) -> tuple[str, bool]:
        form, sure = recognised(same, **more)  # type: ignore[arg-type]
        return ("" if form is None else form.text), sure

    assert text(day_first=True) == ("%d/%m/%Y", True)
    assert text(day_first=False) == ("%m/%d/%Y", True)
    assert text(european=True) == ("%d/%m/%Y", False)
    assert text(later=lambda: ["13/02/2024"]) == ("%d/%m/%Y", True)
    assert text(later=lambda: ["02/13/2024"] * 3) == ("%m/%d/%Y", True)
    assert text(later=lambda: same) == ("%m/%d/%Y", False)
    asked: list[int] = []
    recognised(["13/02/2024"] * 3, later=lambda: asked.append(1) or [])
    assert not asked


@pytest.mark.parametrize(
    ("name", "values", "has_name", "expected"),
    [
        ("time", [1.7e9, 1.7e9 + 60], True, "epoch"),
        ("time", [3.1e8, 3.1e8 + 60], True, "seconds"),
        ("t", [4.2e9, 4.2e9 + 60], False, ""),
        ("ts", [1.7e12, 1.7e12 + 60], True, "epoch ms"),
        ("ts", [1.7e15, 1.7e15 + 60], True, "epoch us"),
        ("ts", [1.7e18, 1.7e18 + 1000], True, "epoch ns"),
        ("date", [45_352.0, 45_353.0], True, "spreadsheet days"),
        ("x", [45_352.0, 45_352.5], False, "spreadsheet days"),
        ("x", [45_352.0, 45_354.0], False, ""),
        ("datenum", [739_312.0, 739_313.0], False, "matlab days"),
        ("jd", [2_460_370.5, 2_460_371.5], False, "julian days"),
        ("time_ms", [0.0, 10.0], True, "milliseconds"),
        ("time (min)", [0.0, 10.0], True, "minutes"),
        ("hours", [0.0, 10.0], True, "hours"),
        ("time_us", [0.0, 10.0], True, "microseconds"),
        ("time", [5.0, 5.0], True, ""),
        ("time", [5.0], True, ""),
        ("time", [5.0, math.inf], True, ""),
        ("time", [9.0, 5.0, 2.0, 1.0], True, "seconds"),
        ("time", [9.0, 5.0], True, ""),
        ("time", [1.0, 5.0, 2.0, 9.0], True, ""),
        ("time", [*range(20), *range(20)], True, "seconds"),
        ("time", [0.0, *(1.7e9 + i for i in range(40))], True, "epoch"),
    ],
)
def test_numbers_that_are_times(
    name: str, values: list[float], has_name: bool, expected: str
) -> None:
    assert counted(name, values, has_name=has_name) == expected


def test_whether_a_format_has_a_date_a_clock_a_zone() -> None:
    facts = {
        one: (form.is_absolute, form.has_clock, form.is_counted)
        for one in ("%Y-%m-%d", "%H:%M", "%I %p", "%Y-%j %H:%M", "%G-W%V-%u", "epoch", "seconds")
        for form in [TimeFormat(one)]
    }
    assert facts == {
        "%Y-%m-%d": (True, False, False), "%H:%M": (False, True, False),
        "%I %p": (False, True, False), "%Y-%j %H:%M": (True, True, False),
        "%G-W%V-%u": (True, False, False), "epoch": (True, True, True),
        "seconds": (False, True, True),
    }  # fmt: skip
    form = TimeFormat("%Y-%m-%d %H:%M:%S")
    assert form.is_local("2024-03-11 13:05:07")
    assert not form.is_local("2024-03-11 13:05:07Z")
    assert not form.is_local("soon")
    assert not TimeFormat("epoch").is_local("1")


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("2024-03-11", True), ("13:05", True), ("5 Mar 2024", True), ("20240311", False),
     ("20.5", False), ("20,5", False), ("3/4", False), ("NW", False), ("1-2", False)],
)  # fmt: skip
def test_what_has_the_form_of_a_time(cell: str, expected: bool) -> None:
    assert is_moment(cell) is expected


def test_a_time_as_text() -> None:
    assert zone_free(epoch(START)) == "2024-03-11 13:05:07"
    assert zone_free(1e300) == "1e+300"


def test_a_format_shows_its_text() -> None:
    assert repr(TimeFormat("%Y-%m-%d")) == "TimeFormat('%Y-%m-%d')"
