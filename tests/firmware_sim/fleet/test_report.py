"""The report of a fleet: figures by hand."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_sim.drawing.page import to_page
from firmware_sim.fleet import Fleet
from firmware_sim.fleet.report import report_of
from firmware_sim.fleet.statistics import (
    differences,
    distributions,
    interval,
    losses,
    reference,
    shared,
)
from firmware_sim.fleet.summary import _REASONS, summarize
from firmware_sim.fleet.task import Record


def record(device: str, name: str, loss: float | None, detail: str = "") -> Record:
    status = "failed" if loss is None else "done"
    figures: dict[str, float | int | None] = {} if loss is None else {"rows_used": 100}
    return Record(f"{device} {name}", device, f"{device}.csv", name, status, detail, loss, figures)


@pytest.fixture
def fleet():
    a, b = [0.1, 0.2, 0.3, 0.4], [0.2, 0.2, 0.2, 0.6]
    records = []
    for i, (one, other) in enumerate(zip(a, b, strict=True)):
        records += [record(f"<b{i}>", "a", one), record(f"<b{i}>", "b", other)]
    records += [record(f"x{i}", name, None, f"x{i}.csv is bad") for i in range(3) for name in "ab"]
    return Fleet(7, ("a", "b"), records)


def test_distributions_and_paired_differences(fleet):
    table = losses(fleet.records)
    first, second = distributions(table)
    assert first.mean == pytest.approx(0.25)
    assert first.quantiles[2] == pytest.approx(0.25)
    assert (first.best_on, second.best_on) == (3, 2)
    assert reference(table) == "a"
    (gap,) = differences(table, "a")
    assert (gap.name, gap.streams, gap.wins, gap.losses) == ("b", 4, 1, 2)
    assert gap.mean == pytest.approx(0.05)
    assert -0.1 <= gap.low <= 0.05 <= gap.high <= 0.2


def test_differences_are_over_boards_that_both_finished():
    records = [record("1", "a", 0.1), record("1", "b", 0.3), record("2", "b", 0.9)]
    records.append(record("2", "a", None, "died"))
    (gap,) = differences(losses(records), "a")
    assert gap.streams == 1
    assert gap.mean == pytest.approx(0.2)
    assert reference(losses(records)) == "b"  # the one with a result on every board


def test_the_interval_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(200):
        low, high = interval(rng.standard_normal(60) + 0.5)
        hits += low <= 0.5 <= high
    assert 178 <= hits <= 199  # 95 % of 200, less what the bootstrap lacks, and chance
    again = interval(np.arange(10.0))
    assert again == interval(np.arange(10.0))


def test_text_names_the_best_the_worst_and_what_failed(fleet):
    text = report_of(summarize(fleet)).to_text()
    assert "7 boards x 2 configurations: 8 done, 6 failed" in text
    assert "On these boards a has the lowest error: 25.00 % on average; b is not" in text
    assert "x0 and 2 more" in text
    assert "... is bad" in text
    worst = text.index("Worst boards")
    assert text.index("<b3>", worst) < text.index("<b2>", worst)


def test_a_fleet_of_failures_has_a_report():
    text = report_of(summarize(Fleet(1, ("a",), [record("1", "a", None, "died")]))).to_text()
    assert "No configuration got to the end" in text
    assert "died" in text


def test_means_are_over_the_boards_that_all_finished():
    """The one that fails on the hard boards is no better for it."""
    records = []
    for i in range(10):
        hard = i >= 6
        records.append(record(f"{i}", "steady", 0.4 if hard else 0.1))
        records.append(record(f"{i}", "picky", None if hard else 0.2, "stopped"))
        records.append(record(f"{i}", "rare", 0.0 if i == 9 else None, "stopped"))
    found = summarize(Fleet(10, ("steady", "picky", "rare"), records))
    table = found.tables[0]
    assert table.title == (
        "error, %, over the 6 boards that all but rare, with too few, have finished"
    )
    assert [row[:3] for row in table.rows] == [
        ("steady", "10", "10.00"),
        ("picky", "6", "20.00"),
        ("rare", "1", "-"),
    ]
    assert found.sentence.startswith(
        "Of those that finish most boards, 10, steady has the lowest error: 10.00 % on average"
        " over the 6 "
    )
    assert "rare (on 1) has a lower error where both finished, but finished fewer" in found.sentence
    page = to_page(report_of(found))
    assert "Error by configuration, over the 6 boards that all but rare" in page
    (chart,) = report_of(found).charts
    assert [(name, len(losses)) for name, losses in chart.losses.items()] == [
        ("steady", 6),
        ("picky", 6),
    ]


def test_the_best_of_equally_complete_ones_is_so_on_the_same_boards():
    """Each has nine boards; a's are easier, and b does better on the eight that both have."""
    table = {
        "a": {f"{i}": 0.2 for i in range(8)} | {"easy": 0.0},
        "b": {f"{i}": 0.15 for i in range(8)} | {"hard": 0.9},
    }
    assert reference(table) == "b"
    assert {name: len(one) for name, one in shared(table).items()} == {"a": 8, "b": 8}
    assert shared({"a": {}, "b": {"1": 0.1}}) == {"b": {"1": 0.1}}
    assert shared({}) == {}


def with_figures(device: str, **figures: float | int | None) -> Record:
    one = record(device, "a", 0.1)
    one.figures = {"rows_read": 1000, "rows_used": 900, **figures}
    return one


def test_outlier_boards_are_named():
    both = {"true_positive": 5, "false_negative": 1, "true_negative": 7, "false_positive": 2}
    records = [
        with_figures("good", rows_damaged=49, rows_missing=499, rows_refused=49, **both),
        with_figures("torn", rows_damaged=100, **both),
        with_figures("gaps", rows_missing=500, **both),
        with_figures("odd", rows_refused=50, **both),
        with_figures("on", **{**both, "true_negative": 0, "false_positive": 0}),
        with_figures("off", **{**both, "true_positive": 0, "false_negative": 0}),
        with_figures("one", classes_seen=1),
        with_figures("two", classes_seen=2),
        with_figures("nought", mae=0.0, last_value_mae=0.0),
        record("failed", "a", None, "died"),
    ]
    found = summarize(Fleet(10, ("a",), records))
    table = next(table for table in found.tables if table.name == "outliers")
    assert table.title == "outlier boards: 7"
    assert table.rows == [
        ("on", "all 6 labels mean +1"),
        ("off", "all 9 labels mean -1"),
        ("one", "all 900 labels are of one class"),
        ("nought", "all 900 targets are 0"),
        ("gaps", "500 of 1,000 rows lack a value (50 %)"),
        ("torn", "100 of 1,000 rows cannot be read (10 %)"),
        ("odd", "50 of 1,000 rows are refused by the learner (5 %)"),
    ]
    assert "Outlier boards: 7" in report_of(found).to_text()
    assert 'id="outliers"' in to_page(report_of(found))
    many = [with_figures(f"b{i}", rows_damaged=999, **both) for i in range(25)]
    table = next(
        table for table in summarize(Fleet(25, ("a",), many)).tables if table.name == "outliers"
    )
    assert len(table.rows) == 21
    assert table.rows[-1] == ("and 5 more", "see the records")


def test_a_best_configuration_that_beats_nothing_is_the_headline():
    def with_baseline(device: str, error: float, no_change: float) -> Record:
        one = record(device, "a", error)
        one.figures = {"error": error, "majority_error": 0.5, "no_change_error": no_change}
        return one

    worse = [with_baseline("1", 0.2, 0.1), with_baseline("2", 0.2, 0.2)]
    found = summarize(Fleet(2, ("a",), worse))
    assert found.sentence.startswith("a does not beat no-change on 2 of 2 boards. On these boards")
    assert report_of(found).alert
    assert report_of(found).to_text().startswith("a does not beat no-change on 2 of 2 boards.")
    better = [with_baseline("1", 0.1, 0.2), with_baseline("2", 0.1, 0.2)]
    assert not report_of(summarize(Fleet(2, ("a",), better))).alert


def test_a_configuration_without_results_has_no_distribution():
    assert [one.name for one in distributions({"a": {"x": 0.1}, "b": {}})] == ["a"]


def test_an_interrupted_run_and_more_reasons_than_are_listed():
    records = [record(f"x{i}", "a", None, f"reason {i}") for i in range(_REASONS + 3)]
    found = summarize(Fleet(40, ("a",), records, complete=False))
    assert found.summary[0] == "INTERRUPTED: run the same command again to continue."
    text = report_of(found).to_text()
    assert "and 3 more reasons" in text
    whole = report_of(summarize(Fleet(40, ("a",), records[:_REASONS]))).to_text()
    assert "INTERRUPTED" not in whole
    assert "more reasons" not in whole
