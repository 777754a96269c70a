"""What stands in the picture of a replay beside its lines."""

from __future__ import annotations

from firmware_sim.drawing.chart import Mark


def test_alarms_say_why_where_there_is_room() -> None:
    """Upright beside where each begins; one too near the last has none."""
    from matplotlib.figure import Figure

    from firmware_sim.report.picture import _write_reasons

    axes = Figure().add_subplot()
    axes.set_xlim(0, 1000)
    alarms = [
        Mark("alarm", "red", (100, 160), tooltip="rows 100 to 160: co2: flat line for 60 rows"),
        Mark("alarm", "red", (110, 112), tooltip="rows 110 to 112: light: 3 is unusual"),
        Mark("alarm", "red", (500, 500), tooltip="rows 500 to 500: " + "x" * 100),
    ]
    _write_reasons(axes, alarms)
    assert [text.get_text() for text in axes.texts] == [
        "co2: flat line for 60 rows",
        "x" * 60 + "...",
    ]
    assert [text.get_position()[0] for text in axes.texts] == [100, 500]
