"""What stands in the picture of a replay beside its lines."""

from __future__ import annotations

from firmware_sim.report.series import Band
from matplotlib.figure import Figure

from firmware_sim.report.picture import _draw_alarms


def test_alarms_say_why_where_there_is_room() -> None:
    """Upright beside where each begins; one too near the last has its mark alone."""
    axes = Figure().add_subplot()
    bands = [
        Band("alarm", 100, 160, "rows 100 to 160: co2: flat line for 60 rows"),
        Band("alarm", 110, 112, "rows 110 to 112: light: 3 is unusual"),
        Band("alarm", 500, 500, "rows 500 to 500: " + "x" * 100),
    ]
    _draw_alarms(axes, bands, 1000)
    assert [text.get_text() for text in axes.texts] == [
        "co2: flat line for 60 rows",
        "x" * 60 + "...",
    ]
    (marks,) = axes.lines
    assert marks.get_xdata().tolist() == [100, 110, 500]
    _draw_alarms(axes, [], 1000)
    assert len(axes.lines) == 1
