"""From curves to the tables of the growth report."""

from __future__ import annotations

from collections.abc import Sequence

from bench.growth import endless
from bench.growth.axes import Curve
from bench.growth.endless import Journey
from bench.machine import facts, sentence
from bench.table import Report, Table

#: A fitted exponent this much above the expected one is named in the note.
TOLERANCE = 0.15


def _table(curves: Sequence[Curve]) -> Table:
    axis = curves[0].axis
    rows = axis.key == "rows"
    header = ["algorithm", "order", "exponent at most", "fitted", *(f"{n:,}" for n in axis.sizes)]
    lines = []
    for curve in curves:
        shown = dict(zip(curve.sizes, curve.cost, strict=True))
        cells = [f"{shown[n] if rows else 1e6 * shown[n]:.4g}" if n in shown else "" for n in
                 axis.sizes]  # fmt: skip
        order = "rows" if rows else curve.one.order.replace("d", "nnz" if axis.sparse else "d")
        lines.append([curve.one.name, order, str(curve.expected), f"{curve.fitted:.2f}", *cells])
    above = [c.one.name for c in curves if c.fitted > c.expected + TOLERANCE]
    unit = "Seconds of a pass" if rows else "Microseconds of a step"
    note = f"{unit} against {axis.symbol}."
    note += f" More than {TOLERANCE} above the expected exponent: {', '.join(above) or 'none'}."
    return Table(axis.title, header, lines, note, left=2)


def make_report(groups: Sequence[Sequence[Curve]], journey: Journey | None, rounds: int) -> Report:
    """The report of one run."""
    introduction = (
        f"{sentence()}. One run of `python -m bench.growth`: {rounds} rounds, the cases"
        " interleaved; medians of processor time.\n\n![Time against size](growth.png)\n\n"
        "A step is one of `learn_many` on a full ring, normal rows, each with the label that"
        " contradicts the learner, so that nearly every step updates; float32, Gaussian kernel of"
        " width 1/d (1/non-zeros), default parameters. Passes over rows begin with an empty learner"
        " and have labels by chance. Exponents: least squares on log-log over the upper half of"
        " the sizes. An order holds for large sizes: below its expected exponent a curve still"
        " shows the parts of a step that grow more slowly, or not at all. Costs that come now and"
        " then (halvings) are spread over the steps; the change of basis of nogd, once, is outside"
        " of the steps and inside the passes."
    )
    tables = [_table(curves) for curves in groups]
    if journey is not None:
        tables.append(endless.table(journey))
    data = {
        "machine": facts(),
        "rounds": rounds,
        "curves": [
            {
                **{"axis": curve.axis.key, "algorithm": curve.one.name},
                **{"expected": curve.expected, "fitted": curve.fitted},
                **{"sizes": curve.sizes, "seconds": curve.cost},
            }
            for curves in groups
            for curve in curves
        ],
        "long_pass": None
        if journey is None
        else {**vars(journey), "exponent": journey.exponent, "growth_kib": journey.growth},
    }
    return Report("Growth", introduction, tables, data)
