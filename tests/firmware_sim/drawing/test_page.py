"""The template of pages: what is a stranger's text stays text, and charts may be left out."""

from __future__ import annotations

import re

import pytest

from firmware_sim.drawing.chart import Chart, Mark
from firmware_sim.drawing.document import Report, Section, Table
from firmware_sim.drawing.page import to_page

EVIL = "<img src=x>&\"'\x1b"
SAFE = "&lt;img src=x&gt;&amp;&#34;&#39;\\x1b"
BAND = Mark(EVIL, "#cc79a7", (2, 3), tooltip=f"{EVIL} lasts", note="why")
CHART = Chart(EVIL, [Mark("$\\frac{", "red", (0, 9), (1, 9)), BAND], (0, 9), (1, 9), y_label=EVIL)


def report(**fields: object) -> Report:
    table = Table("t", "", (EVIL, "b"), [("one", EVIL)], sentences=("b",), stacked=True)
    sections = [
        Section("s", EVIL, EVIL, {"c": CHART}, [EVIL], [(EVIL, 0.5)], table, [EVIL]),
        Section("e", "nothing in here"),
    ]
    return Report(EVIL, EVIL, sections, notes=[EVIL], warnings=[EVIL], **fields)  # type: ignore[arg-type]


def test_texts_of_strangers_are_escaped_everywhere() -> None:
    page = to_page(report())
    assert "<img" not in page
    assert "\x1b" not in page
    assert page.count(SAFE) >= 11
    assert "nothing in here" not in page


def test_a_page_without_charts_has_the_rest() -> None:
    page = to_page(report(), charts=False)
    assert "<svg" not in page
    assert '<div class="scroll"><table id="t" class="stacked">' in page
    assert f'<td class="sentence" data-title="b">{SAFE}</td>' in page
    assert '<span style="width:75.0%"></span>50 %' in page


@pytest.mark.parametrize("alert", [True, False])
def test_bad_news_looks_like_it(alert: bool) -> None:
    page = to_page(report(alert=alert, notice="STOPPED"), charts=False)
    assert ('<h1 id="summary" class="warn">' in page) == alert
    assert '<p class="warn">STOPPED</p>' in page


def test_colours_of_a_dark_screen_replace_those_of_the_charts() -> None:
    page = to_page(report())
    named = {*re.findall(r"var\(--(\w+)\)", page)}
    light, dark = re.findall(r":root\{(.*?)\}", page, re.DOTALL)
    assert named <= {*re.findall(r"--(\w+):", light)}
    assert {"ink", "faint", "line", "paper", "warn"} <= named & {*re.findall(r"--(\w+):", dark)}
    (chart,) = re.findall(r'<div class="wide">(.*?)</div>', page, re.DOTALL)
    for colour in ("#222b36", "#ffffff"):
        assert colour not in chart
