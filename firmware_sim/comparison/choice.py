"""The recommendation of a comparison, as a sentence."""

from __future__ import annotations

import math

from firmware_sim.comparison.ranking import shown, written
from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.work import DEFAULT
from firmware_sim.kinds.base import NEED_LABELS, WITHOUT_KERNEL
from firmware_sim.metrics import noise as rule
from firmware_sim.report.hints import label_note

#: An error of at most this multiple of the lowest error counts as equally good.
_AS_GOOD = 1.05


def choice(found: Comparison) -> tuple[str, int] | None:
    """Return the recommended method and cap: the smallest cap with an error close to the lowest.

    Of several such methods under that cap, the default is preferred, since it needs no tuning.
    """
    cells = [
        (ram, name != DEFAULT, error, sum(run.seconds for run in found.cell(name, ram).runs), name)
        for error, ram, name in _finished(found)
    ]
    if not cells:
        return None
    lowest = min(error for _, _, error, *_ in cells)
    ram, *_, name = min(one for one in cells if one[2] <= _AS_GOOD * lowest)
    return name, ram


def recommended(found: Comparison) -> tuple[str, int] | None:
    """Return the `choice`, or the forecaster without a kernel and 0 if its error is lower.

    It has no cap to keep to, since it needs less memory than any method.
    """
    best = choice(found)
    if best is None:
        return None
    plain = [(WITHOUT_KERNEL, 0)] if WITHOUT_KERNEL in found.rows.baselines else []
    return min([best, *plain], key=lambda one: _error(found, *one))


def _error(found: Comparison, name: str, ram: int) -> float:
    """Return the error of a method under a cap, or of the forecaster without a kernel."""
    error = found.rows.baselines[name] if name == WITHOUT_KERNEL else found.cell(name, ram).error
    assert error is not None
    return math.inf if math.isnan(error) else error


def _lowest(found: Comparison) -> tuple[float, int, str]:
    """Return error, cap and name of the method of the lowest error, one without a kernel too."""
    _, ram, name = min(_finished(found))
    best = recommended(found)
    others = [(_error(found, *best), best[1], best[0])] if best is not None else []
    return min([(_error(found, name, ram), ram, name), *others])


def _finished(found: Comparison) -> list[tuple[float, int, str]]:
    """Return error, cap and method of all cells that are finished."""
    return [
        (error, ram, name)
        for name in found.algorithms
        for ram in found.rams
        if (error := found.cell(name, ram).error) is not None
    ]


def noise(found: Comparison, name: str, ram: int, baseline: str) -> float:
    """Return the standard error of the difference between the losses of a method and a baseline.

    It combines the differences over stretches of rows, within which rows may depend on each other,
    and the deviation among seeds; 0 if neither is known.
    """
    if name == WITHOUT_KERNEL:
        blocks = found.rows.baseline_blocks
        return rule.noise(blocks.get(name, []), blocks.get(baseline, []))
    cell = found.cell(name, ram)
    squared = (cell.deviation or 0.0) ** 2 / max(1, len(cell.runs))
    theirs = found.rows.baseline_blocks.get(baseline, [])
    return rule.noise(cell.means("blocks"), theirs, squared)


def unbeaten(found: Comparison, name: str, ram: int) -> list[str]:
    """Return the trivial answers that a method does not beat by more than the noise."""
    error, rows = _error(found, name, ram), found.rows
    return [
        one
        for one in rows.trivial
        if not rule.is_clear(rows.baselines[one] - error, noise(found, name, ram, one))
    ]


def better(found: Comparison) -> list[str]:
    """Return the trivial answers that beat the method of the lowest error by more than the noise.

    Then no method is worth its memory, and none is to be called the best.
    """
    error, ram, name = _lowest(found)
    rows = found.rows
    return [
        one
        for one in rows.trivial
        if rule.is_clear(error - rows.baselines[one], noise(found, name, ram, one))
    ]


def sentence(found: Comparison) -> str:
    """Return the recommendation and how it compares with the baselines."""
    best = recommended(found)
    if best is None:
        if not found.complete:
            return "No method has finished yet: run the same command again to continue."
        return "No method finished under these caps: give a larger --ram or --limit rows."
    name, ram = best
    rows, words = found.rows, found.rows.evaluator.metrics.words
    error = _error(found, name, ram)
    if worse := better(found):
        error, ram, name = _lowest(found)
        text = (
            f"Every method is worse than {_listing(found, worse)}, by more than two standard "
            f"errors of the difference: take that. The lowest error of a method is {words(error)}, "
            f"that of {_what(found, name, ram)}.{_without_default(found)}"
        )
        return text + _needs_labels(worse)
    what = _what(found, name, ram)
    trivial = unbeaten(found, name, ram)
    if trivial:
        text = (
            f"No learner is clearly better than {_listing(found, trivial)}: by two standard errors "
            f"of the difference at least. The best of them, {what}, has {words(error)}."
            f"{_without_default(found)}"
        )
        return text + _needs_labels(trivial)
    text = f"For this stream take {what}: {words(error)}"
    if found.config.group is not None:
        text += f" in groups of {found.config.group!r} that were not learned from"
    lost = [one for one, loss in rows.baselines.items() if one != name and not error < loss]
    if lost:
        text += f", though {' and '.join(lost)} err{'s' if len(lost) == 1 else ''} no more"
    if name == DEFAULT:
        text += ", as replay runs it where no algorithm is named"
    if name == WITHOUT_KERNEL and (other := choice(found)):
        error = _error(found, *other)
        text += f"; of the methods with a cap, {_what(found, *other)} has {words(error)}"
    return f"{text}. (Chosen on the rows it is reported on.){_without_default(found)}"


def _what(found: Comparison, name: str, ram: int) -> str:
    """Return a method and its cap as text."""
    if name == WITHOUT_KERNEL:
        return "the forecaster without a kernel (D=0)"
    width = "" if name == DEFAULT else f" and gamma={found.rows.width.gamma:.4g}"
    return f"{shown(name)} with ram={written(ram)!r}{width}"


def _listing(found: Comparison, names: list[str]) -> str:
    """Return trivial answers with their losses, and that they do not learn."""
    rows, words = found.rows, found.rows.evaluator.metrics.words
    listing = " and ".join(f"{one} ({words(rows.baselines[one])})" for one in names)
    return f"{listing}, which {'learns' if len(names) == 1 else 'learn'} nothing"


def _needs_labels(names: list[str]) -> str:
    """Return the note on trivial answers that need each label before the next row."""
    is_late = all(one in NEED_LABELS for one in names)
    return label_note(" and ".join(names)) if is_late else ""


def _without_default(found: Comparison) -> str:
    """Return a sentence if the default learner is not among the methods that were compared."""
    runs = [run for ram in found.rams for run in found.cell(DEFAULT, ram).runs]
    if not runs or any(run.status == "done" for run in runs):
        return ""
    caps = [run.smallest for run in runs if run.smallest]
    why = f"it needs a cap of {min(caps):,} bytes" if caps else runs[0].detail
    return f" {shown(DEFAULT).capitalize()} is not among them: {why}."
