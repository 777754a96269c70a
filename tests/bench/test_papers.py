"""Published tables: what the command prints of some rows."""

from __future__ import annotations

from bench.papers.report import HEADER, ROWS, Found, lines


def test_rows_come_under_the_names_of_their_columns() -> None:
    some = [row for row in ROWS if row.measure == "error"][:2]
    founds = [Found(row, row.setting, values=[5.0, 6.0], support=40.0) for row in some]
    header, *told = lines(founds)
    assert header.split(" | ") == list(HEADER)
    assert [line.split(" | ")[0] for line in told] == [row.name for row in some]
    assert {len(line.split(" | ")) for line in (header, *told)} == {len(HEADER)}
    assert told[0].split(" | ")[HEADER.index("ours")].startswith("5.50")


def test_rows_without_a_run_are_left_out() -> None:
    assert lines([Found(ROWS[0], ROWS[0].setting)]) == []
