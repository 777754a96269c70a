"""The figures of a report as tables and sentences."""

from __future__ import annotations

from firmware_sim.drawing.document import Table
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.summary import name_of

#: Most figures that fit side by side.
_MAX_COLUMNS = 6
#: Most inputs that are shown, the most important ones.
_MAX_INPUTS = 12
#: Meaning of the bars of the inputs.
ABOUT_INPUTS = "change of the answers when this input is shuffled among rows from the whole stream"


def table(result: ReplayResult) -> Table:
    """Return the figures of the learner and the baselines, as rows if there are many."""
    summary = result.metrics.summary()
    names = [name_of(result, one) for one in summary]
    titled = {name: one for name, one in result.metrics.table.items() if one.title}
    cells = [
        [one.shown(figures[name]) for figures in summary.values()] for name, one in titled.items()
    ]
    titles = [one.title for one in titled.values()]
    if len(titles) > _MAX_COLUMNS:
        rows = [(title, *line) for title, line in zip(titles, cells, strict=True)]
        return Table("figures", "Figures", ("", *names), rows)
    columns = zip(*cells, strict=True)
    rows = [(name, *line) for name, line in zip(names, columns, strict=True)]
    return Table("figures", "Figures", ("prequential", *titles), rows)


def meanings(result: ReplayResult) -> list[str]:
    """Return an explanation of each figure whose title does not suffice."""
    summary = result.metrics.summary().values()
    return [
        f"{one.title}: {one.meaning}"
        for name, one in result.metrics.table.items()
        if one.meaning and any(one.shown(figures[name]) != "-" for figures in summary)
    ]


def inputs(result: ReplayResult) -> list[tuple[str, float]]:
    """Return the most important inputs and their shares of the total."""
    ranked = sorted(result.inputs.items(), key=lambda item: -item[1])
    return ranked[:_MAX_INPUTS] if any(share > 0.0 for _, share in ranked) else []


def frozen(result: ReplayResult) -> str:
    """Return the value of learning on the board as a sentence; empty if unknown."""
    found = result.frozen
    if found is None:
        return ""
    return (
        f"Frozen after {found.after:,} rows: {found.said} on the {found.rows:,} later rows, "
        f"against {found.learner_said} with continued learning."
    )
