"""What notebooks show: the report as a part of their page, and its pictures."""

from __future__ import annotations

import re
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from firmware_sim.drawing import shown
from firmware_sim.drawing.chart import Chart, Mark
from firmware_sim.drawing.document import Report, Section, Table
from firmware_sim.drawing.page import to_fragment
from firmware_sim.errors import SimulatorError

EVIL = "<img src=x>&\"'\x1b"
SAFE = "&lt;img src=x&gt;&amp;&#34;&#39;\\x1b"
CHART = Chart("errors", [Mark("ours", "#0072b2", (0, 9), (1, 5))], (0, 9), (1, 9))


def report(headline: str = "ours wins") -> Report:
    table = Table("t", "", (EVIL, "b"), [("one", EVIL)])
    sections = [
        Section("first", "A chart", charts={"c": CHART}),
        Section("second", "A table", table=table),
        Section("third", EVIL, EVIL, {"d": CHART}, [EVIL], [(EVIL, 0.5)], table, [EVIL]),
        Section("empty", "nothing in here"),
    ]
    return Report(EVIL, headline, sections, notice=EVIL, notes=[EVIL], warnings=[EVIL])


class Result(shown.Shown):
    def __init__(self, of: Report) -> None:
        self._of = of

    def _report(self) -> Report:
        return self._of


def hide(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    def found(name: str) -> ModuleSpec | None:
        return None if name == library else find_spec(name)

    monkeypatch.setattr(shown, "find_spec", found)


def test_all_is_open_to_the_first_table_and_the_rest_is_folded() -> None:
    text = Result(report())._repr_html_()
    found = re.findall(r"<details( open)?><summary>(.*?)</summary>", text)
    assert found == [(" open", "A chart"), (" open", "A table"), ("", SAFE)]


def test_it_is_a_part_of_a_page() -> None:
    text = Result(report())._repr_html_()
    for tag in ("html", "body", "head", "script", "h1"):
        assert f"<{tag}" not in text
    assert text.count("<div") == text.count("</div>")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None  # it is for nothing else in the notebook
    rules = re.findall(r"([^{}]+)\{", style[1])
    assert all(rule.strip().startswith(".firmware-sim-report") for rule in rules)
    variables = {*re.findall(r"var\((--\w+)\)", text)}
    assert variables <= {*re.findall(r"(--\w+):", text)}


def test_texts_of_strangers_are_escaped() -> None:
    text = Result(report())._repr_html_()
    assert "<img" not in text
    assert "\x1b" not in text
    assert text.count(SAFE) >= 11


def test_reports_in_one_notebook_share_no_identifier() -> None:
    first, second = to_fragment(report()), to_fragment(report("theirs wins"))
    for text in (first, second):
        drawings = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
        assert len(drawings) == 2
        for drawing in drawings:
            ElementTree.fromstring(drawing)
    ids = [{*re.findall(r' id="(r[\w-]+)"', text)} for text in (first, second)]
    assert len(ids[0]) == len(ids[1]) > 3
    assert not ids[0] & ids[1]
    assert to_fragment(report()) == first


def test_without_its_libraries_it_shows_less(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        hide(patch, "matplotlib")
        text = Result(report())._repr_html_()
        assert "<svg" not in text
        assert "<table" in text
        with pytest.raises(SimulatorError, match=r"pip install 'edgeolk\[sim\]'"):
            Result(report()).plot()
    hide(monkeypatch, "jinja2")
    assert Result(Report("t", "a < b", []))._repr_html_() == "<pre>a &lt; b\n</pre>"


def test_a_plot_is_a_figure_that_notebooks_show() -> None:
    figure = Result(report()).plot()
    assert isinstance(figure, Figure)
    assert len(figure.axes) == 2
    png = figure._repr_png_()  # type: ignore[attr-defined]
    assert png.startswith(b"\x89PNG")
    assert Result(report()).plot()._repr_png_() == png  # type: ignore[attr-defined]
    with pytest.raises(SimulatorError, match="no charts"):
        Result(Report("t", "h", [])).plot()
