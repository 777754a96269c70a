"""Charts as SVG and as PNG: the same on every machine, and no risk to the page around them."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl

from firmware_sim.drawing.chart import Chart, Mark
from firmware_sim.drawing.document import Report, Section
from firmware_sim.drawing.pictures import draw, picture, svg

BAND = Mark("alarm", "#b00020", (2, 3), tooltip="rows 2 to 3: flat line")
LINE = Mark("ours", "#0072b2", [0, 5, 9], [1, 5, 100])
CHART = Chart("errors", [LINE, BAND], (0, 9), (1, 9), logarithmic=True)


def parts(text: str) -> list[ElementTree.Element]:
    """The two drawings, wide and narrow."""
    return [ElementTree.fromstring(one) for one in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]


def test_identifiers_are_unique_and_all_of_them_are_used() -> None:
    text = svg("a", CHART) + svg("b", CHART)
    ids = [one.get("id") for part in parts(text) for one in part.iter() if one.get("id")]
    assert ids
    assert len({*ids}) == len(ids)
    used = {*re.findall(r"url\(#([\w-]+)", text), *re.findall(r'href="#([\w-]+)', text)}
    assert used == {*ids}


def test_a_band_says_what_it_is_under_the_pointer() -> None:
    for part in parts(svg("a", CHART)):
        assert [one.text for one in part.iter("title")] == ["rows 2 to 3: flat line"]


def test_text_of_a_chart_can_be_searched() -> None:
    for part in parts(svg("a", CHART)):
        texts = [one.text for one in part.iter("text")]
        assert {"ours", "alarm", "row of the stream"} <= {*texts}


def test_a_narrow_drawing_fits_a_telephone_without_shrinking() -> None:
    wide, narrow = parts(svg("a", CHART))
    assert wide.get("viewBox", "").split()[2] == "900"
    assert narrow.get("viewBox", "").split()[2] == "345"


def test_settings_of_the_user_change_nothing(tmp_path: Path) -> None:
    report = Report("t", "ours wins", [Section("", "e", charts={"c": CHART})])
    draw(report, tmp_path / "a.png")
    first, before = svg("a", CHART), dict(mpl.rcParams)
    with mpl.rc_context({"lines.linewidth": 9.0, "font.size": 30.0, "axes.facecolor": "red"}):
        draw(report, tmp_path / "b.png")
        assert svg("a", CHART) == first
    assert dict(mpl.rcParams) == before
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_long_line_below_the_title_is_not_cut_off() -> None:
    said = "The error of the last value again is larger. " * 6
    drawn = picture(Report("r", "Headline.", [Section("", "e", charts={"c": CHART})], notes=[said]))
    texts = [one.get_text() for one in drawn.texts]
    assert " ".join(texts[2:]) == said.strip()
    drawn.draw_without_rendering()
    assert max(one.get_window_extent().x1 for one in drawn.texts) < drawn.bbox.x1


def test_compact_charts_are_in_a_column_of_their_own(tmp_path: Path) -> None:
    compact = Chart("c", [LINE], (0, 9), (1, 9), compact=True)
    sizes = {}
    for name, charts in {"one": {"a": CHART}, "both": {"a": CHART, "b": compact}}.items():
        draw(Report("t", "h", [Section("", "e", charts=charts)]), tmp_path / name)
        png = (tmp_path / name).read_bytes()
        sizes[name] = tuple(int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert sizes["both"][0] > sizes["one"][0]
    assert sizes["both"][1] == sizes["one"][1]
