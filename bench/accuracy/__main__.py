"""Run the ten algorithms at the published settings; print the comparison, save it if all ran."""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tqdm import tqdm

from bench import datasets
from bench.accuracy.experiments import (
    AGGRESSIVENESS,
    SEEDS,
    TUNING_ROWS,
    Experiment,
    Section,
    sections,
    tuning,
)
from bench.accuracy.runs import Outcome, run_all
from bench.machine import cores
from bench.table import Report, Table

FAR = 1.0  # points from the published figure that ask for a sentence

INTRODUCTION = (
    "Online figures: each row is scored before it is learned, y f <= 0 is a mistake. Rows in the"
    " order of `default_rng(seed).permutation`, the same seed for the learner's draws; support"
    " vectors in float32. `SVs` are those held at the end, mean over the seeds. `difference` is the"
    " mean over the seeds less the published figure, in points (less the reference where nothing"
    " is published)."
)


def figure(outcome: Outcome, measure: str) -> float:
    """Per cent of mistakes, or of the rest."""
    return outcome.error if measure == "mistakes" else 100.0 - outcome.error


def gap(experiment: Experiment, figures: Sequence[float]) -> float | None:
    """Mean over the seeds less what is published, or less the reference."""
    against = experiment.published
    if against is None and experiment.reference:
        against = float(experiment.reference)
    return None if against is None else statistics.fmean(figures) - against


def section_table(section: Section, outcomes: Sequence[Sequence[Outcome]], positives: str) -> Table:
    """One table, with a sentence for every figure that is far from the published one."""
    rows: list[list[str]] = []
    far: dict[str, list[str]] = {}
    for experiment, found in zip(section.experiments, outcomes, strict=True):
        figures = [figure(outcome, section.measure) for outcome in found]
        shown = {
            seed: f"{value:.2f}" for seed, value in zip(experiment.seeds, figures, strict=True)
        }
        away = gap(experiment, figures)
        rows.append(
            [
                experiment.title,
                experiment.setting,
                f"{statistics.fmean(outcome.support for outcome in found):,.0f}",
                "" if experiment.published is None else f"{experiment.published:.2f}",
                experiment.reference,
                *(shown.get(seed, "") for seed in SEEDS),
                "" if away is None else f"{away:+.2f}",
            ]
        )
        if away is not None and abs(away) > FAR:
            why = experiment.why.format(positives=positives) or "not explained"
            far.setdefault(why, []).append(f"{experiment.title} ({experiment.setting})")
    sentences = [f"{'; '.join(which)}: {why}." for why, which in far.items()]
    seeds = [f"seed {seed}" for seed in SEEDS]
    header = ("method", "setting", "SVs", "published", "reference", *seeds, "difference")
    return Table(
        section.title, header, rows, "\n\n".join(filter(None, [section.note, *sentences])), left=2
    )


def tuning_table(tried: Sequence[Experiment], outcomes: Sequence[Sequence[Outcome]]) -> Table:
    """PA-I on the prefix."""
    rows = [
        [f"{e.params['C']:g}", f"{figure(o[0], 'accuracy'):.2f}"]
        for e, o in zip(tried, outcomes, strict=True)
    ]
    title = f"pa1: the choice of C on {TUNING_ROWS:,} rows of another permutation, accuracy %"
    return Table(title, ("C", "accuracy"), rows)


def saved_data(
    parts: Sequence[Section], results: Sequence[Sequence[Sequence[Outcome]]]
) -> dict[str, Any]:
    """Every run with its counts."""
    return {
        section.title: [
            {
                "method": experiment.title,
                "setting": experiment.setting,
                "published": experiment.published,
                "reference": experiment.reference,
                "runs": [
                    {"seed": seed, **asdict(outcome)}
                    for seed, outcome in zip(experiment.seeds, found, strict=True)
                ],
            }
            for experiment, found in zip(section.experiments, outcomes, strict=True)
        ]
        for section, outcomes in zip(parts, results, strict=True)
    }


def chosen_sections(best_c: float, whole: bool) -> tuple[Section, ...]:
    """The tables that the data there is allows."""
    every = sections(best_c)
    return every if whole else every[-1:]


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy", description=__doc__)
    parser.add_argument("--jobs", type=int, default=cores(), help="processes (default: cores)")
    arguments = parser.parse_args()
    if arguments.jobs < 1:
        parser.error("--jobs must be at least 1")
    try:
        labels = datasets.a9a().y
    except FileNotFoundError as error:
        print(f"nothing to run on: {error}", file=sys.stderr)
        return 1
    whole = len(labels) > datasets.A9A_TRAIN_ROWS
    if not whole:
        print(f"only what needs no test part: {datasets.TRAIN_ALONE}", file=sys.stderr)
    labels = labels[: datasets.A9A_TRAIN_ROWS]
    count = int((labels > 0.0).sum())
    positives = f"{count:,} of {len(labels):,} rows, {100.0 * count / len(labels):.2f} %"

    tried = tuning() if whole else ()
    # How many runs there are does not depend on the C that is chosen.
    parts = chosen_sections(AGGRESSIVENESS[0], whole)
    total = sum(len(e.seeds) for e in (*tried, *(e for s in parts for e in s.experiments)))
    with tqdm(total=total, disable=None, unit=" runs") as bar:
        prefix = run_all(tried, arguments.jobs, bar.update)
        if prefix:
            best = min(zip(tried, prefix, strict=True), key=lambda pair: pair[1][0].error)[0]
            parts = chosen_sections(best.params["C"], whole)
        flat = run_all([e for s in parts for e in s.experiments], arguments.jobs, bar.update)
    tables, results, start = [], [], 0
    for section in parts:
        outcomes = flat[start : start + len(section.experiments)]
        start += len(outcomes)
        results.append(outcomes)
        tables.append(section_table(section, outcomes, positives))
    if prefix:
        tables.insert(1, tuning_table(tried, prefix))
    report = Report("Accuracy", INTRODUCTION, tables, saved_data(parts, results))
    print(report.markdown())
    for path in report.save("accuracy") if whole else ():
        print(f"saved {path.relative_to(datasets.ROOT)}")
    if not whole:
        print(f"nothing saved: {datasets.TRAIN_ALONE}", file=sys.stderr)
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
