"""What a chart puts on its axes."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_sim.drawing.chart import Chart, Mark, legend


def drawn(chart: Chart, *, narrow: bool = False) -> Any:
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.add_subplot()
    chart.draw(axes, narrow=narrow)
    figure.draw_without_rendering()
    return axes


def test_notes_are_written_where_there_is_room() -> None:
    """Upright where each band begins; one too near the last has none; no telephone has any."""
    marks = [
        Mark("alarm", "red", (100, 160), note="co2: flat line for 60 rows"),
        Mark("alarm", "red", (110, 112), note="light: 3 is unusual"),
        Mark("alarm", "red", (500, 500), note="x" * 100),
        Mark("window", "red", (700, 900)),
    ]
    chart = Chart("", marks, (0, 1000), (0, 1))
    texts = drawn(chart).texts
    assert [one.get_text() for one in texts] == ["co2: flat line for 60 rows", "x" * 60 + "..."]
    assert [one.get_position()[0] for one in texts] == [100, 500]
    assert not drawn(chart, narrow=True).texts


@pytest.mark.parametrize(
    ("ends", "options", "expected"),
    [
        ((0.001, 1.0), {"logarithmic": True, "percent": True}, {"0.1 %", "0.2 %", "50 %", "100 %"}),
        ((1e-6, 1.0), {"logarithmic": True}, {"1e-06", "0.001", "1"}),
        ((0.0, 1.0), {"percent": True}, {"0 %", "20 %", "100 %"}),
        ((-0.045, 0.045), {}, {"-0.04", "0", "0.04"}),
    ],
)
def test_ticks_are_round_numbers(
    ends: tuple[float, float], options: dict[str, Any], expected: set[str]
) -> None:
    axes = drawn(Chart("", [Mark("a", "red", (0, 9), ends)], (0, 20_560), ends, **options))
    shown = [one.get_text() for one in axes.get_yticklabels()]
    assert expected <= {*shown}
    assert 3 <= len(shown) <= 15
    assert "5,000" in [one.get_text() for one in axes.get_xticklabels()]


def test_a_legend_has_each_name_once_and_areas_stay_within_the_axes() -> None:
    marks = [
        Mark("a", "red", (0, 1), (0, 50)),
        Mark("a", "red", (1, 2), (0, 1)),
        Mark("", "grey", (0, 1), (9, 9), (-9, -9)),
    ]
    chart = Chart("", marks, (0, 2), (0, 10))
    axes = drawn(chart)
    assert [one.get_text() for one in axes.get_legend().get_texts()] == ["a"]
    assert chart.legend_rows == 1
    (area,) = axes.collections
    heights = area.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0.0, 9.0)


def test_a_chart_without_names_has_no_legend() -> None:
    axes = drawn(Chart("", [], (0, 1), (0, 1)))
    legend(axes, [], [], narrow=False)
    assert axes.get_legend() is None
    legend(axes, axes.plot([0, 1]), ["truth"], narrow=True)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["truth"]
