"""The ranking of a comparison as a table and as a chart, and lines on the run."""

from __future__ import annotations

import math

from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.work import DEFAULT
from firmware_sim.configuration.values import RECOMMENDED
from firmware_sim.drawing.chart import TEXT, Chart, Mark
from firmware_sim.drawing.document import Table
from firmware_sim.plaintext import counted

#: Colours of the first methods of the ranking; the others are grey.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
_OTHERS = "#cdd3da"
_DASHES = ((2.0, 4.0), (8.0, 4.0), (8.0, 3.0, 2.0, 3.0), (14.0, 4.0), (1.0, 2.0))


def written(ram: int) -> str:
    """Return a cap in KiB if it is a multiple of 1 KiB, else in bytes."""
    return f"{ram // 1024}KiB" if ram % 1024 == 0 else f"{ram}B"


def shown(name: str) -> str:
    """Return the name of a method in a report."""
    return f"{DEFAULT} ({RECOMMENDED})" if name == DEFAULT else name


def head_lines(found: Comparison) -> list[str]:
    """Return lines on the stream, the skipped rows, the kernel and the storage."""
    rows, count = found.rows, found.rows.count
    left_out = f", {count.missing:,} left out for missing values" if count.missing else ""
    left_out += f", {count.damaged:,} damaged" if count.damaged else ""
    return [
        f"stream    {rows.name}: {rows.read:,} rows read, {len(rows.y):,} used{left_out}; "
        f"{counted(len(rows.features), 'reading')}",
        *([f"missing   {count.missing_words()}"] if count.missing_words() else []),
        *(f"note      {note}" for note in rows.notes),
        *_forecast(found),
        *_groups(found),
        f"kernel    gaussian, {rows.width.reason}",
        f"storage   {_storage(found)}, scaling {found.config.scale}",
    ]


def _forecast(found: Comparison) -> list[str]:
    """Return the line on what is forecast, if anything is."""
    ahead = found.rows.evaluator.ahead
    if not ahead:
        return []
    counts = "; the first of these rows have no forecast and do not count" if ahead > 1 else ""
    return [f"forecast  {found.config.forecast}, {counted(ahead, 'row')} ahead{counts}"]


def _groups(found: Comparison) -> list[str]:
    """Return the line on the groups that are left out, if there are any."""
    groups = found.rows.evaluator.groups
    if groups is None:
        return []
    return [
        f"group     {found.config.group}, {counted(len(groups.names), 'group')}: each is answered "
        "by learners of all the others"
    ]


def _storage(found: Comparison) -> str:
    """Return the commonest storage type, and the methods that have another, as text."""
    by_type: dict[str, list[str]] = {}
    for name in found.algorithms:
        by_type.setdefault(found.storage(name), []).append(name)
    commonest, *others = sorted(by_type, key=lambda dtype: -len(by_type[dtype])) or [
        found.storage(DEFAULT)
    ]
    return ", ".join([commonest, *(f"{one} for {' and '.join(by_type[one])}" for one in others)])


def ranking(found: Comparison) -> list[str]:
    """Return methods and baselines by their error under the largest cap."""
    return sorted([*found.algorithms, *found.rows.baselines], key=found.rank)


def table(found: Comparison) -> Table:
    """Return the ranking with a column for each cap."""
    metrics = found.rows.evaluator.metrics
    title = (
        f"{metrics.loss_name}{' in %' if metrics.shares else ''} (deviation among seeds), "
        "everything under the cap; small: does not fit, slow: took too long"
    )
    if found.rows.models:
        title += "; models of other libraries have no cap, only their pickled bytes"
    rows = [
        (shown(name), *(_cell(found, name, ram) for ram in found.rams)) for name in ranking(found)
    ]
    return Table("ranking", title, ("", *map(written, found.rams)), rows)


def _cell(found: Comparison, name: str, ram: int) -> str:
    words, cell = found.rows.evaluator.metrics.cell, found.cell(name, ram)
    if name in found.rows.baselines:
        return words(found.rows.baselines[name])
    if cell.error is None:
        return next((run.status for run in cell.runs if run.status != "done"), "-")
    deviation = "" if cell.deviation is None else f" ({words(cell.deviation)})"
    return words(cell.error) + deviation


def lasting(found: Comparison) -> list[str]:
    """Return a line for each cap: the default's loss if frozen, and the rows of its recovery."""
    lines, words = [], found.rows.evaluator.metrics.words
    for ram in found.rams:
        losses = found.cell(DEFAULT, ram).means("frozen")
        if losses:
            still, going = map(words, losses)
            lines.append(
                f"frozen    the default in {written(ram)} after {found.config.frozen_after:,} rows:"
                f" {still} behind them; learning on: {going}"
            )
    for name in found.algorithms:
        for ram in found.rams:
            rows = found.cell(name, ram).means("recovery")
            if rows:
                listing = ", ".join("never" if n is None else f"{n:,.0f}" for n in rows)
                lines.append(f"recovery  {shown(name)} in {written(ram)}: {listing} rows")
    return lines


def errors(found: Comparison) -> Chart:
    """Return the losses by cap, on logarithmic scales, between those of the baselines."""
    baselines, metrics = found.rows.baselines, found.rows.evaluator.metrics
    lines = {
        name: [(ram, e) for ram in found.rams if (e := found.cell(name, ram).error) is not None]
        for name in found.algorithms
    }
    lines = {name: line for name, line in lines.items() if line}
    known = [error for line in lines.values() for _, error in line] + [*baselines.values()]
    above = [error for error in known if error > 0.0] or [0.01]
    # A loss of more than twice that of the worst trivial answer is drawn at the upper edge.
    most = 2.0 * max(baselines.values(), default=max(above))
    low, high = min(above) / 1.3, max(min(max(above) * 1.1, most), 2.0 * min(above))
    # Caps on a logarithmic scale, slightly inside the edges; a single cap in the middle.
    at = {ram: math.log(ram) for ram in found.rams}
    off = max(0.03 * (max(at.values()) - min(at.values())), 1e-3)
    across = min(at.values()) - off, max(at.values()) + off
    marks = []
    for place, (name, line) in enumerate(lines.items()):
        points = [at[ram] for ram, _ in line], [error for _, error in line]
        if place < len(_COLOURS):
            marks.append(Mark(shown(name), _COLOURS[place], *points, dots=True))
        else:
            marks.append(Mark("the other methods", _OTHERS, *points, width=1.2))
    for place, (name, error) in enumerate(baselines.items()):
        dash = _DASHES[place % len(_DASHES)]
        marks.append(Mark(name, TEXT, across, (error, error), width=1.2, dash=dash))
    return Chart(
        "Error against memory",
        marks,
        across,
        (low, high),
        x_label="cap, bytes",
        y_label=f"{metrics.loss_name} (log scale)",
        logarithmic=True,
        percent=metrics.shares,
        x_ticks=[(place, written(ram)) for ram, place in at.items()],
    )
