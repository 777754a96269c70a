"""What notebooks show of a configuration or a result: its report, and its pictures."""

from __future__ import annotations

from html import escape
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

from firmware_sim.drawing.document import Report
from firmware_sim.errors import SimulatorError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Noted:
    """Something with a report, which notebooks show.

    _reporter: the module whose ``report_of`` makes the report; by name, since it imports this one.
    """

    _reporter: ClassVar[str]

    def _report(self) -> Report:
        """Return the report."""
        report: Report = import_module(self._reporter).report_of(self)
        return report

    def _repr_html_(self) -> str:
        """The report, which notebooks show."""
        report = self._report()
        if find_spec("jinja2") is None:
            return f"<pre>{escape(report.to_text())}</pre>"
        from firmware_sim.drawing.page import to_fragment

        return to_fragment(report, charts=find_spec("matplotlib") is not None)


class Shown(Noted):
    """A result with pictures."""

    def plot(self) -> Figure:
        """Draw the charts of the report.

        Returns
        -------
        matplotlib.figure.Figure
            Notebooks show it; ``plot().savefig("replay.png")`` writes it.

        Raises
        ------
        SimulatorError
            matplotlib is not installed, or the report has no chart.
        """
        if find_spec("matplotlib") is None:
            raise SimulatorError("plot needs matplotlib: pip install 'edgeolk[sim]'")
        from firmware_sim.drawing.pictures import picture  # matplotlib takes a second to import

        report = self._report()
        if not report.charts:
            raise SimulatorError("this report has no charts")
        return picture(report)
