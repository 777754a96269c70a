"""How the lines of a table are laid out: separator, comments, header, first row."""

from __future__ import annotations

import pytest

from firmware_sim.streams.dialect import (
    among,
    cut,
    described,
    is_arff,
    is_reading,
    laid_out,
    unique,
)
from firmware_sim.streams.text import BadLine

WHEN = [f"2024-03-01 00:{i:02}" for i in range(30)]
#: Rows of a time, two numbers and a word.
ROWS = [f"{at},{20 + i / 10},{50 + i % 7},ok" for i, at in enumerate(WHEN)]
NAMES = "time,temp,hum,state"


def found(*lines: str, **given: object) -> tuple[str, int, int, str]:
    """Separator, header, first row and comment of lines."""
    layout = laid_out(lines, **given)  # type: ignore[arg-type]
    return layout.separator, layout.header, layout.data, layout.comment


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([NAMES, *ROWS], (",", 1, 2, "")),
        (ROWS, (",", 0, 1, "")),
        (["", "", NAMES, *ROWS], (",", 3, 4, "")),
        (["sep=;", *(line.replace(",", ";") for line in (NAMES, *ROWS))], (";", 2, 3, "")),
        (['"sep=,"', NAMES, *ROWS], (",", 2, 3, "")),
        ([NAMES, "iso,°C,%,-", *ROWS], (",", 1, 3, "")),
        ([NAMES, "iso,°C,%,", ",Avg,Smp,", *ROWS], (",", 1, 4, "")),
        (["# one", "# two", NAMES, *ROWS], (",", 3, 4, "#")),
        (["# " + NAMES, *ROWS], (",", 1, 2, "#")),
        (["# by a logger", "# " + NAMES, *ROWS], (",", 2, 3, "#")),
        (["# 1,2,3,4", *ROWS], (",", 0, 2, "#")),
        (["# " + NAMES, "# made, twice", *ROWS], (",", 1, 3, "#")),
        (["# " + NAMES, "boot v2", *ROWS], (",", 0, 3, "#")),
        (["# " + NAMES, "", *ROWS], (",", 1, 3, "#")),
        (["% a", "% b", NAMES, *ROWS], (",", 3, 4, "%")),
        ([NAMES, *ROWS[:9], "% b", *ROWS[9:]], (",", 1, 2, "")),
        ([NAMES, *ROWS[:9], "# b", *ROWS[9:]], (",", 1, 2, "#")),
        (["#N/A,temp,hum,state", *ROWS], (",", 1, 2, "")),
        (["title of it all,,,", NAMES, *ROWS], (",", 2, 3, "")),
        (["title,,,", *ROWS], (",", 0, 2, "")),
        (["Berlin,5,x,y", NAMES, *ROWS], (",", 2, 3, "")),
        ([NAMES, "a,b,c,d", *ROWS], (",", 1, 3, "")),
        (["boot v2", "time,temp,hum", *ROWS], (",", 2, 3, "")),
        (["boot v2 ready", *ROWS], (",", 0, 2, "")),
        (["a,b,c,d,e,f,g", *ROWS], (",", 0, 2, "")),
        (["time,temp", *ROWS], (",", 1, 2, "")),
        ([NAMES, f"{WHEN[0]},,,", f"{WHEN[0]},NaN,,", *ROWS], (",", 1, 2, "")),
        ([NAMES, "??,21.5,50,ok", *ROWS], (",", 1, 2, "")),
        (["??,21.5,50,ok", *ROWS], (",", 0, 1, "")),
        (["??,21,50,ok", *ROWS], (",", 1, 2, "")),  # without a point they may be names
        ([NAMES, "??,??,50,ok", *ROWS], (",", 1, 3, "")),
    ],
)
def test_header_and_first_row(lines: list[str], expected: tuple[str, int, int, str]) -> None:
    assert found(*lines) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"header": 3}, (",", 3, 4, "")),
        ({"header": 0}, (",", 0, 4, "")),
        ({"comment": "a"}, (",", 3, 4, "a")),
    ],
)
def test_what_the_user_says_is_taken(
    given: dict[str, object], expected: tuple[str, int, int, str]
) -> None:
    assert found("a note", "another", NAMES, *ROWS, **given) == expected


@pytest.mark.parametrize(
    ("lines", "separator"),
    [
        ([f"{20 + i}   {i}  {i % 3}" for i in range(9)], " \t"),
        ([f"{20 + i} \t{i}\t {i % 3}" for i in range(9)], "\t"),
        ([f"2024-03-01 00:{i:02};{i}.5,{i}" for i in range(9)], ",;"),
        ([f"{i},5;{i},7" for i in range(9)], ";"),  # decimal commas
        (["time", *WHEN], ","),  # one column, whose times have a blank
        (["value", *(f"{i}" for i in range(9))], ","),
        ([f'"a, b",{i},{i % 3}' for i in range(9)], ","),
        ([f"{'x' * 9} y z; {i}; {i % 3}" for i in range(9)], ";"),
        ([f"note {i}" for i in range(300)] + [f"{i};{i}.5;7" for i in range(300)], ";"),
    ],
)
def test_which_separator_makes_a_table(lines: list[str], separator: str) -> None:
    assert found(*lines)[0] == separator


@pytest.mark.parametrize(
    ("names", "rows", "expected"),
    [
        ("a,b", ["1,2,3"] * 9, ("", "a", "b")),  # the names of rows come first
        ("a,b", ["1,2,"] * 9, ("a", "b", "")),
        ("time,b", [f"{at},2,3" for at in WHEN[:9]], ("time", "b", "c3")),
        ("day,b", [f"2024-03-0{i},1{i}:00,3" for i in range(1, 9)], ("day", "day.2", "b")),
        ("a,b,c,,", ["1,2,3"] * 9, ("a", "b", "c")),
        ("a,b,c,d", ["1,2,3"] * 9, ("a", "b", "c", "d")),
        ("a,b", ["1,2,3,4"] * 9, ("a", "b", "c3", "c4")),
        ("a,b", ["1,2,3", "1,2"] * 4, ("a", "b")),  # not sure which width is right
        (' a , "b  c" ', ["1,2"] * 9, ("a", "b c")),
        ('"a,b', ["1,2"] * 9, ("a", "b")),  # a stray quote
        ("", ["1,2,3"] * 9, ("c1", "c2", "c3")),
    ],
)
def test_names_fit_the_rows(names: str, rows: list[str], expected: tuple[str, ...]) -> None:
    assert laid_out([names, *rows]).names == expected


def test_a_name_of_several_lines() -> None:
    layout = laid_out(['time,"temp\n', '(°C)",hum,state\n', *ROWS])
    assert (layout.names, layout.header, layout.data) == (
        ("time", "temp (°C)", "hum", "state"), 1, 3,
    )  # fmt: skip


def test_a_line_that_is_not_text_counts_as_a_row() -> None:
    bad = BadLine.of("noise", "")
    assert found(NAMES, bad, *ROWS) == (",", 1, 2, "")
    assert found(NAMES, "iso,°C,%,-", bad, *ROWS) == (",", 1, 3, "")


def test_a_wide_table_is_judged_by_its_ends() -> None:
    names = ",".join(f"n{i}" for i in range(900))
    row = ",".join(["1"] * 900)
    assert found(names, *[row] * 9)[1:3] == (1, 2)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("1.5", True), ("-1e3", True), ("1,5", True), ("21 °C", True), ("on", True), ("", True),
        ("n/a", True), ("12:30", True), ("2024-03-01", True), ("2024-W05-3", True),
        ("3 Mar 2024", True), ("temp", False), ("NW", False), ("a1", False), ("9" * 79, True),
        ("9" * 80, False), ("1_000", False), ("5-10", False),
    ],
)  # fmt: skip
def test_what_may_be_a_reading(cell: str, expected: bool) -> None:
    assert is_reading(cell) is expected


def test_names_of_sheets_unique_names_and_words_for_separators() -> None:
    rows = [["2024-03-01", "1"], ["2024-03-02", "2"], ["2024-03-03", "3"]]
    assert among(["day", "a"], rows) == (["day", "a"], rows)
    assert among(["title", ""], [["day", "a"], *rows]) == (["day", "a"], rows)
    assert among(["day", "a"], [["iso", "°C"], *rows])[1] == rows
    assert unique(["a", "a", "", "", "a"]) == {
        "a": "a", "a.2": "a", "": "", "column 4": "", "a.3": "a",
    }  # fmt: skip
    assert [described(one) for one in (";", "\t", " \t", ",;")] == [
        "';'", "tabs", "blanks", "',' or ';'",
    ]  # fmt: skip
    assert cut(' 1 , "a,b" ,x', ",") == ["1", "a,b", "x"]


def test_arff_is_told_by_its_declarations() -> None:
    lines = ["% a", "@relation r", "@attribute 'a b' real", '@attribute "c" real', "@attribute d x"]
    assert is_arff(lines)
    assert not is_arff([*lines, "@data"])
    assert not is_arff(["a,b", "1,2"])
    layout = laid_out([*lines, "@DATA", "1,2,3"])
    assert (layout.names, layout.header, layout.data, layout.comment) == (
        ("a b", "c", "d"), 6, 7, "%",
    )  # fmt: skip
