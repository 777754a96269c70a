"""Forecasts to look at: on the page, in the picture, in the report that programs read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from firmware_sim import ReplayConfig, ReplayResult, replay
from firmware_sim.drawing.pictures import draw
from firmware_sim.metrics.base import Calendar
from firmware_sim.report import kinds, report_of, to_dict, to_page


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    r = np.random.default_rng(0)
    y = np.cumsum(r.normal(size=400)) + 5.0 * np.sin(np.arange(400) / 4.0)
    y[390] += 1e6  # an outlier, and the interval after it
    path = tmp_path_factory.mktemp("course") / "stream.csv"
    lines = [f"{a!r},{b!r}" for a, b in zip(r.normal(size=400).tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join(["reading,target", *lines]) + "\n")
    return path


def made(table: Path, **params: object) -> ReplayResult:
    said = {"kind": "regression", "target": "target", "ram": "4KiB", "params": params}
    return replay(ReplayConfig(str(table), **said))  # type: ignore[arg-type]


def test_the_page_shows_truth_forecast_interval_and_shares(table: Path) -> None:
    result = made(table)
    page = to_page(result)
    for name in ("forecasts", "intervals", "shares"):
        assert f'<div id="{name}">' in page
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawings) == 2 * 5
    for drawing in drawings:
        ElementTree.fromstring(drawing)
        width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawing).groups()  # type: ignore[union-attr]
        # Beyond the axes a path is clipped; labels and ticks are not.
        for x, y in re.findall(r'<use href="#[^"]*" x="([^"]*)" y="([^"]*)"', drawing):
            assert 0.0 <= float(x) <= float(width)
            assert 0.0 <= float(y) <= float(height)
    for word in ("truth", "forecast", "the interval that came with", "last value", "linear on"):
        assert f">{word}" in page
    assert "nan" not in "".join(drawings)


def test_the_picture_is_taller_by_them(table: Path, tmp_path: Path) -> None:
    heights = {}
    for name, params in {"with": {}, "without": {"history": False}}.items():
        draw(report_of(made(table, **params)), tmp_path / f"{name}.png")
        heights[name] = int.from_bytes((tmp_path / f"{name}.png").read_bytes()[20:24], "big")
    assert heights["with"] > heights["without"] + 400


def test_programs_read_them_too(table: Path) -> None:
    told = json.loads(json.dumps(to_dict(made(table)), allow_nan=False))["forecasts"]
    assert sum(told["mean_shares"].values()) == pytest.approx(
        1.0, abs=0.02
    )  # none in the first rows
    assert told["recent"]["rows"][-1] == 400
    assert told["recent"]["low"][-1] < told["recent"]["forecast"][-1] < told["recent"]["high"][-1]
    assert to_dict(made(table, history=False))["forecasts"] is None


@pytest.mark.parametrize("narrow", [False, True])
def test_a_calendar_shows_the_last_weeks(narrow: bool) -> None:
    from matplotlib.figure import Figure

    most, last = kinds._NARROW_WEEKS if narrow else kinds._WEEKS, 20_000
    days = {last - 7 * weeks: weeks % 5 for weeks in range(most + 10)}
    figure = Figure()
    kinds.CalendarChart("Alarms", Calendar(days)).draw(figure.add_subplot(), narrow=narrow)
    (image,) = figure.axes[0].images
    shown = np.ma.filled(image.get_array().astype(float), np.nan)
    assert shown.shape == (7, most)
    assert np.isfinite(shown).sum() == most
    assert shown[(last + 3) % 7].tolist() == [weeks % 5 for weeks in range(most)][::-1]
