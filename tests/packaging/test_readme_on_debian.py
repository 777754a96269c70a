"""What is read from the README and from the report for ``make test-readme``."""

from __future__ import annotations

from pathlib import Path

import pytest

from release import readme

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
REPORT = """\
stream    house: 4,137 rows read, 4,137 used
sorf               0.2241  0.3566
running mean        2.686   3.337
last value         0.9036   1.062
value 96 rows ago   1.483   1.864
"""


def test_the_commands_are_the_first_of_the_readme() -> None:
    install, replay = readme.commands(README)
    assert install == 'pip install ".[sim]"'
    assert replay.startswith("python -m firmware_sim replay house ")
    assert replay.endswith("--ram 4KiB")


def test_figures_of_the_report_are_those_of_the_readme() -> None:
    assert readme.differences(README, REPORT) == []


@pytest.mark.parametrize("figure", ["4,137 rows read", "0.2241", "0.9036", "1.483"])
def test_a_figure_that_differs_is_found(figure: str) -> None:
    [found] = readme.differences(README, REPORT.replace(figure, "9,999 rows read"))
    assert "report: 9" in found
    [gone] = readme.differences(README, REPORT.replace(figure, "-"))
    assert gone.endswith("report: nothing")
