"""A report as text: the conclusion first, then each section that has something to say."""

from __future__ import annotations

import subprocess
import sys

from firmware_sim.drawing.chart import Chart, Mark
from firmware_sim.drawing.document import Report, Section, Table, split_sentence

TABLE = Table("t", "", ("", "error"), [("ours", "1 %"), ("no-change", "23 %")])
CHART = Chart("a line", [Mark("x", "red", (0, 1), (0, 1))], (0, 1), (0, 1))


def test_text_begins_with_the_conclusion_and_leaves_out_what_is_empty() -> None:
    sections = [
        Section("", "A chart", charts={"c": CHART}),
        Section("f", "Figures", "of both", table=TABLE, notes=["error: share of wrong answers"]),
        Section("b", "Inputs", bars=[("light", 0.5), ("humidity", 0.25)]),
        Section("e", "Empty"),
        Section("l", "The run", lines=["stream    a.csv"]),
    ]
    report = Report("a.csv: ours", "ours beats no-change.", sections, warnings=["all is well"])
    assert report.charts == [CHART]
    assert report.to_text().split("\n") == [
        "ours beats no-change.",
        "WARNING   all is well",
        "",
        "Figures: of both",
        "           error",
        "ours         1 %",
        "no-change   23 %",
        "  error: share of wrong answers",
        "",
        "Inputs",
        "light       50 %  " + 40 * "#",
        "humidity    25 %  " + 20 * "#",
        "",
        "The run",
        "stream    a.csv",
        "",
    ]


def test_a_notice_comes_first() -> None:
    report = Report("t", "No row was scored.", [], notice="STOPPED: row 3.", notes=["Try next."])
    assert report.to_text() == "STOPPED: row 3.\n\nNo row was scored.\nTry next.\n"


def test_control_characters_do_not_reach_a_terminal() -> None:
    text = Report("t", "a\x1b[0m", [Section("l", "b\x07", lines=["c\u202e"])]).to_text()
    assert text == "a\\x1b[0m\n\nb\\x07\nc\\u202e\n"


def test_section_of_a_table_takes_its_sentence_from_the_title() -> None:
    section = Section.of(Table("a", "Answers: a row for each class", ("", "x"), [("y", "1")]))
    assert (section.title, section.about) == ("Answers", "a row for each class")


def test_headline_is_the_first_sentence() -> None:
    assert split_sentence("A has 0.4 % wrong. It is best. (On 2.)") == (
        "A has 0.4 % wrong.",
        ["It is best. (On 2.)"],
    )
    assert split_sentence("A is best.") == ("A is best.", [])


def test_text_and_json_need_no_library_of_pages() -> None:
    """A Raspberry Pi that only listens to a broker has neither templates nor plots."""
    program = (
        "import sys\n"
        "sys.modules['jinja2'] = sys.modules['matplotlib'] = None\n"
        "import firmware_sim as fs\n"
        "from firmware_sim.report import report_of\n"
        "report = report_of(fs.replay(fs.ReplayConfig('occupancy', limit=50, gamma=0.2)))\n"
        "print(len(report.to_text()) > 500, len(report.data) > 10)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True True\n"
