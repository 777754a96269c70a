"""A table of attempted improvements: ``python -m bench.bytes.ablations [--only WORD ...]``.

Errors are stored in ``bench/bytes/cache``; an interrupted run continues. Without ``--only`` it
writes ``bench/results/ablations.md``.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from bench.bytes.ablations import storage, widths
from bench.bytes.ablations.tries import CACHE, PAYS, Outcome, Try, judged, measured
from bench.bytes.report import bytes_of
from bench.cache import Cache
from bench.table import RESULTS, Report, Table

MODULES = (widths, storage)
TRIES: tuple[Try, ...] = tuple(one for module in MODULES for one in module.TRIES)


def change(ratio: float) -> str:
    """A ratio of errors as a change in %."""
    return f"{100.0 * (ratio - 1.0):+.1f} %"


def line(found: Outcome) -> tuple[str, ...]:
    """One setting at one size."""
    score = f"{found.better} / {found.worse}"
    name = f"{found.setting} (chosen)" if found.best else found.setting
    return bytes_of(found.size), name, change(found.chosen), change(found.aside), score


def table(attempt: Try, outcomes: list[Outcome]) -> Table:
    """All settings of a try."""
    note = (
        f'{attempt.about} Against "{attempt.settings[0]}";'
        f" chosen on {', '.join(attempt.chosen_on)}; kept aside: {', '.join(attempt.aside)}."
    )
    header = ("bytes", "setting", "error, chosen on", "error, kept aside", "better / worse aside")
    return Table(attempt.name, header, [line(each) for each in outcomes], note, left=2)


def pays_off(found: Outcome) -> str:
    """Whether it pays; of a bound, whether it could."""
    if found.bound:
        return "it could, at most" if found.pays else "no, even so"
    return "yes" if found.pays else "no"


def summary(judgements: list[tuple[Try, list[Outcome]]]) -> Table:
    """The chosen setting of each try at each size, and the chosen bound."""
    rows = [
        (attempt.name, *line(each)[:1], each.setting, *line(each)[2:], pays_off(each))
        for attempt, outcomes in judgements
        for each in outcomes
        if each.best
    ]
    header = (
        *("try", "bytes", "best where chosen", "error, chosen on", "error, kept aside"),
        *("better / worse aside", "pays"),
    )
    return Table("In short", header, rows, left=3)


def letters(cache: Cache) -> Table:
    """The set that wants the narrowest widths, setting by setting."""
    attempt = widths.TRIES[0]
    errors = measured(replace(attempt, chosen_on=(), aside=("letter",)), cache, lambda: None)
    rows = [
        (setting, *(f"{errors['letter', size, setting]:.2f}" for size in attempt.sizes))
        for setting in attempt.settings
    ]
    note = "The first 10,000 rows, 26 classes; where groups do not fit, the usual."
    return Table("letter: error in %", ("widths", *map(bytes_of, attempt.sizes)), rows, note)


def main(arguments: list[str] | None = None, folder: Path = RESULTS) -> int:
    """Run what is not in the cache, print, and write the report if all attempts are selected."""
    from tqdm import tqdm

    parser = argparse.ArgumentParser(prog="python -m bench.bytes.ablations", description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="tries with one of these words")
    only = parser.parse_args(arguments).only
    selected = [one for one in TRIES if not only or any(word in one.name for word in only)]
    cache, judgements = Cache(CACHE), []
    total = sum(
        len(one.settings) * len(one.sizes) * len((*one.chosen_on, *one.aside)) for one in selected
    )
    with tqdm(total=total, unit="run") as bar:
        for one in selected:
            errors = measured(one, cache, bar.update)
            judgements.append((one, judged(one, errors)))
    letter = [letters(cache)] if widths.TRIES[0] in selected else []
    introduction = (
        "`python -m bench.bytes.ablations`. The geometric mean over the sets of the error relative"
        " to the usual setting, on the sets that a setting was chosen on and on those kept aside,"
        " and on how many of these it errs less or more. A try pays where the mean on the sets kept"
        f" aside is at least {100.0 * (1.0 - PAYS):.0f} % lower and more of them gain than lose."
        " A bound leaves bytes or knowledge of the future uncounted: what it gains is the most that"
        " could be had."
    )
    report = Report(
        "Tries at less error in the same bytes",
        introduction,
        [summary(judgements), *letter, *(table(*each) for each in judgements)],
    )
    print(report.markdown())
    if not only:
        report.save("ablations", folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
