"""The figures of a report as tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_sim.drawing.document import Table
from firmware_sim.metrics import Metrics
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.summary import name_of

#: Most figures that fit side by side.
_MAX_COLUMNS = 5
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
        # Of a log without labels, half of them are not known.
        rows = [row for row in rows if any(cell != "-" for cell in row[1:])]
        return Table("figures", "Figures", ("", *names), rows)
    columns = zip(*cells, strict=True)
    rows = [(name, *line) for name, line in zip(names, columns, strict=True)]
    return Table("figures", "Figures", ("prequential", *titles), rows)


def held_out(result: ReplayResult) -> Table | None:
    """Return the figures of rows that were not learned from, beside those of rows that were."""
    found = result.held_out
    if found is None:
        return None
    metrics = result.metrics
    lasting = metrics.lasting_baselines
    shown = [
        one
        for one in metrics.table.values()
        if one.title and (not one.against or one.against in lasting)
    ]
    first = shown[0]
    head = ("", "rows", *(one.title for one in shown))
    head += tuple(f"{first.title}, {metrics.baselines[who]}" for who in lasting)

    def line(name: str, one: Metrics, baselines: Sequence[float | None]) -> tuple[str, ...]:
        cells = (each.shown(each.of(one.learner, one)) for each in shown)
        return (name, f"{one.rows:,}", *cells, *map(first.shown, baselines))

    rows = [
        line("each before it was learned", metrics, [metrics.mean_loss(who) for who in lasting])
    ]
    for part in found.parts:
        losses = [part.metrics.mean_loss(who) for who in lasting]
        rows.append(line(part.name, part.metrics, losses))
    if len(found.parts) > 1:
        rows.append(line("all of them", found.total, [found.loss(who) for who in lasting]))
    return Table("held-out", "", head, rows, stacked=True)


def about_held_out(result: ReplayResult) -> str:
    """Return how rows were held out, in one sentence."""
    config, found = result.config, result.held_out
    if found is None:
        return ""
    refused = sum(part.refused for part in found.parts)
    more = f" {refused:,} rows are left out: the learner refuses them." if refused else ""
    if config.group is not None:
        each = f"Each group of {config.group!r} is answered by a learner of all the others."
        return each + more
    learned = found.parts[0].learned
    return f"They are answered by the learner of {learned:,} rows, which learns no more." + more


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


def last_label(result: ReplayResult) -> str:
    """Return that the learner itself uses the last label, and what to do where labels come late."""
    algorithm, params, _, _ = result.config.resolved
    if not params.get("last_label"):
        return ""
    return (
        f"{algorithm} itself uses the last label: if labels come late, replay with --label-delay "
        "ROWS; if they rarely come, with --param last_label=false."
    )


def frozen(result: ReplayResult) -> str:
    """Return the value of learning on the board as a sentence; empty if unknown."""
    found = result.frozen
    if found is None:
        return ""
    return (
        f"Frozen after {found.after:,} rows: {found.said} on the {found.rows:,} later rows, "
        f"against {found.learner_said} with continued learning."
    )
