"""Parameters and kernel width chosen on the first rows of a stream, judged on the rest.

Successive halving (Karnin, Koren & Somekh, ICML 2013): many candidates learn few rows, the better
half learns twice as many, and so on, so the work is fixed beforehand. All reported losses are on
rows that were not used for the choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, ClassVar, NamedTuple

import numpy as np

import edgeolk as ek
from edgeolk import hosting
from firmware_sim.comparison import groups
from firmware_sim.comparison.evaluators import Evaluator
from firmware_sim.comparison.rows import Rows, as_season, prepare
from firmware_sim.comparison.run import Each, spread
from firmware_sim.comparison.work import EndedError, Recording, default_of
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.planning import learner_settings, make_learner, plan_device
from firmware_sim.drawing.document import Report, Section, split_sentence
from firmware_sim.drawing.shown import Shown
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.assumed import completed
from firmware_sim.replaying.loop import Replay
from firmware_sim.report.summary import options
from firmware_sim.streams import Row

#: Rounds, each with half as many candidates on twice as many rows.
_ROUNDS = 4
#: Minimum number of rows to choose from.
MIN_ROWS = 200
#: Parameters and widths are varied by at most this many decades up or down.
_DECADES = 1.5
#: A season found from the target has at least this many rows, and this autocorrelation.
_MIN_SEASON, _MIN_CORRELATION = 4, 0.3


@dataclass(frozen=True)
class Candidate:
    """A width and parameters; the algorithm's defaults for the others."""

    gamma: float | None  # None: the learner chooses it
    params: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        width = "auto" if self.gamma is None else f"{self.gamma:.4g}"
        return ", ".join([f"gamma={width}", *(f"{n}={v:.4g}" for n, v in self.params)])


@dataclass(frozen=True)
class Tuning(Shown):
    """The chosen parameters, and the gain; notebooks show its report.

    Attributes
    ----------
    start, chosen : Candidate
        The parameters that `replay` uses with the same options, and the best on the first rows.
    tuned_on, judged_on : int
        Rows used for the choice, and later rows.
    before, after : float
        Losses of both on the later rows: the share of wrong answers, the mean absolute error of
        numbers, or the area above the ROC curve of alarms.
    work : int
        Rows learned for the choice by all candidates.
    replayed : float
        The loss of the start on all rows, as `replay` reports it.
    default : float or None
        The loss of the default learner of `replay` on the later rows; None if the start is that
        learner.
    left_out : str
        The headline about rows that were left out, if these are more than a tenth; else empty.
    tried : tuple of (str, float)
        Windows that were tried, and the loss of the start with each on the rows of the choice;
        empty if only one was given.
    """

    _reporter: ClassVar[str] = __name__

    config: ReplayConfig
    start: Candidate
    chosen: Candidate
    tuned_on: int
    judged_on: int
    before: float
    after: float
    work: int
    evaluator: Evaluator = field(compare=False)
    replayed: float = math.nan
    default: float | None = None
    left_out: str = ""
    tried: tuple[tuple[str, float], ...] = ()

    @property
    def best(self) -> Candidate | None:
        """The recommendation: the chosen candidate, or the start if it is better on later rows.

        None: the default learner of `replay` is better than both.
        """
        if self.default is not None and self.default < min(self.before, self.after):
            return None
        return self.chosen if self.after < self.before else self.start

    @property
    def options(self) -> str:
        """The recommendation as options of ``replay``; empty for its default."""
        config = self.config
        # The kind of labels may follow from a parameter that these options omit.
        names = ["algorithm", *(() if config.kind else ("kind",)), "gamma", "params"]
        names += ["window", "features"] if self.tried else []
        if self.best is None:
            config = _default_baseline(config)
        elif self.best is not self.start:
            config = _with(config.pinned(), self.best)
        return options(config, names)


def tune(
    config: ReplayConfig,
    *,
    windows: Sequence[int] = (),
    features: Sequence[Sequence[str]] = (),
    rows: int | None = None,
    candidates: int = 32,
    workers: int = 1,
    on_start: Callable[[int], object] | None = None,
    on_run: Callable[[], object] | None = None,
) -> Tuning:
    """Choose the width of the kernel and the algorithm's own parameters.

    Page: docs/tutorial.md.

    Parameters
    ----------
    config : ReplayConfig
        Stream, cap and algorithm; given parameters are not changed. The kind of labels of a named
        target is found as by `replay`.
    windows : sequence of int, optional
        Sizes of windows to choose from, instead of the configuration's.
    features : sequence of sequences of str, optional
        Features of windows to choose from, each as `ReplayConfig.features`.
    rows : int, optional
        Rows to choose from; by default a fifth of the stream, at most 5,000.
    candidates : int
        Number of candidates, including the start.
    workers : int
        Processes; each of several imports the calling script, as with `compare`.
    on_start, on_run : callable, optional
        Called with the number of runs, and after each.

    Returns
    -------
    Tuning
        The choice, and the losses before and after; `to_text` describes it.

    Raises
    ------
    SimulatorError
        The stream is too short for a choice, or no candidate can learn it.
    """
    picked, tried = _chosen(_prepared(completed(config), windows, features, rows))
    config, found, few = picked
    season = config.params.get("season")
    # Defaults depend on whether a width is given: candidates must not lose those of the start.
    fixed = config.pinned()
    evaluator, n = found.evaluator, len(found.y)
    start = _start(picked)
    width = start.gamma
    if width is None and not config.label_kind.scales_itself:  # its width is fixed
        replay = Replay(evaluator.config_for(config, few))
        replay.run(beside_clean=False)
        width = float(replay.device.learner.kernel.gamma)
    pool = _field(fixed, start, width, candidates, found.X.shape[1])
    if config.label_kind.keeps_rows and season is None and config.season == "auto":
        seasons = [one for one in _seasons(found.day, found.y[:few]) if one >= config.rows_ahead]
        pool = _with_seasons(pool, seasons, config.seed)
    if on_start is not None:
        on_start(sum(max(1, len(pool) >> i) for i in range(_ROUNDS)) + 2)
    with spread(workers, evaluator, replace(fixed, stream="", faults=())) as each:
        chosen, work = _halved(each, pool, few, on_run)
        judged = _judged(each, [_Job(candidate, n, few) for candidate in (start, chosen)], on_run)
    for candidate, (loss, _) in zip((start, chosen), judged, strict=True):
        if math.isinf(loss):
            raise SimulatorError(f"{fixed.algorithm} rejects the rows with {candidate}")
    (before, replayed), (after, _) = judged
    default = None  # the loss of `replay`'s default, if that is another learner
    with suppress(SimulatorError):
        if not (config.scales_inside and config.chooses_inside):
            usual = _default_baseline(config)
            loss, _ = _losses(_Job(Candidate(None), n, few), evaluator, usual)
            default = loss if math.isfinite(loss) else None
    return Tuning(
        config, start, chosen, few, n - few, before, after, work, evaluator, replayed, default,
        found.left_out, tried,
    )  # fmt: skip


class _Field(NamedTuple):
    """Rows to choose on: a configuration, its rows, and how many of them are for the choice."""

    config: ReplayConfig
    rows: Rows
    few: int


def _prepared(
    config: ReplayConfig,
    windows: Sequence[int],
    features: Sequence[Sequence[str]],
    rows: int | None,
) -> list[_Field]:
    """Return the rows of each size and each set of features, in all of them the same samples.

    Raises SimulatorError: there are too few rows, or none to judge by.
    """
    out: list[_Field] = []
    for size, names in product(windows or (config.window,), features or (config.features,)):
        mine = replace(config, window=size, features=tuple(names))
        # Rows that `replay` would skip are skipped here too: its figure stands beside those found.
        season = int(mine.params.get("season") or 0)
        found = prepare(mine.outside(), season, gaps=mine.takes_gaps)
        mine = replace(mine, classes=found.config.classes, horizon=found.config.horizon)
        n = len(found.y)
        few = min(5_000, n // 5) if rows is None else rows
        if out:
            few = out[0].few * n // len(out[0].rows.y)
        if mine.group is not None:  # rows of a round are among those of the next one
            few -= few % (1 << (_ROUNDS - 1))
        if few < MIN_ROWS or n - few < MIN_ROWS:
            raise SimulatorError(
                f"{found.name}: {n:,} rows{_of_windows(mine)} are too few to tune on {few:,} and "
                f"evaluate on the rest; each part needs at least {MIN_ROWS:,}"
            )
        if not found.evaluator.kind.judges(found.y, few):
            raise SimulatorError(
                f"{found.name}: the first {few:,} rows or those after them hold no labelled "
                "failure, so nothing can be chosen or judged on them: give another --tune-rows"
            )
        out.append(_Field(mine, found, few))
    return out


def _of_windows(config: ReplayConfig) -> str:
    """Return what the rows are made of, for messages; empty if they are as they are logged."""
    made = config.windows
    if made is None:
        return ""
    names = made["features"]
    shown = names if isinstance(names, str) else ",".join(names)
    return f" of {made['size']} samples with features {shown}"


def _start(field: _Field) -> Candidate:
    """Return the width and parameters that `replay` uses with the same options."""
    return Candidate(None if field.config.chooses_inside else field.rows.width.gamma)


def _chosen(fields: list[_Field]) -> tuple[_Field, tuple[tuple[str, float], ...]]:
    """Return the rows on whose first part the start has the lowest loss, and all these losses."""
    if len(fields) == 1:
        return fields[0], ()
    losses = []
    for one in fields:
        fixed = replace(one.config.pinned(), stream="", faults=())
        loss, _ = _losses(_Job(_start(one), one.few), one.rows.evaluator, fixed)
        losses.append(loss)
    names = [_of_windows(one.config).removeprefix(" of ") for one in fields]
    best = min(range(len(fields)), key=losses.__getitem__)
    return fields[best], tuple(zip(names, losses, strict=True))


class _Job(NamedTuple):
    """A candidate, the number of rows it learns, and the row from which on it is evaluated."""

    candidate: Candidate
    max_rows: int
    first: int = 0


def _halved(
    each: Each, pool: list[Candidate], rows: int, on_run: Callable[[], object] | None
) -> tuple[Candidate, int]:
    """Halve the pool in every round; return the last candidate and the total of rows learned."""
    work = 0
    for size in [rows >> (_ROUNDS - 1 - i) for i in range(_ROUNDS)]:
        judged = _judged(each, [_Job(candidate, size) for candidate in pool], on_run)
        work += size * len(pool)
        # The sort is stable and the start comes first, so that it wins a tie.
        order = sorted(range(len(pool)), key=judged.__getitem__)
        pool = [pool[at] for at in order[: max(1, len(pool) // 2)]]
    return pool[0], work


def _judged(
    each: Each, jobs: list[_Job], on_run: Callable[[], object] | None
) -> list[tuple[float, float]]:
    """Return the losses of each job; see `_losses`."""
    found = {}
    for at, losses in each(_losses, jobs):
        found[at] = losses
        if on_run is not None:
            on_run()
    return [found[at] for at in range(len(jobs))]


def _field(
    config: ReplayConfig, start: Candidate, width: float | None, many: int, n_features: int
) -> list[Candidate]:
    """Return the start, and candidates around it and its width drawn on a logarithmic scale.

    width: None if no width is chosen.
    """
    numbers = _numbers(config, start, n_features)
    rng = np.random.default_rng((config.seed, 2))
    out = [start]
    for _ in range(many - 1):
        factors = 10.0 ** rng.uniform(-_DECADES, _DECADES, 1 + len(numbers))
        params = [
            (name, float(f"{value * factor:.3g}"))
            for (name, value), factor in zip(numbers.items(), factors[1:], strict=True)
        ]
        own = None if width is None else float(f"{width * factors[0]:.4g}")
        out.append(Candidate(own, tuple(params)))
    return out


def _seasons(day: int, y: Row) -> list[int]:
    """Return seasons to try: a day, a week, and the lag of the highest autocorrelation.

    day: rows of a day; 0 if unknown.
    """
    found = [season for season in (day, 7 * day) if as_season(season, len(y))]
    steps = np.diff(y)
    steps = steps - steps.mean()
    if len(steps) > 4 * _MIN_SEASON and steps.any():
        correlation = np.correlate(steps, steps, "full")[len(steps) - 1 :]
        far = correlation[_MIN_SEASON : len(steps) // 3] / correlation[0]
        best = int(np.argmax(far))
        if far[best] > _MIN_CORRELATION:
            found.append(_MIN_SEASON + best)
    return list(dict.fromkeys(found))


def _with_seasons(pool: list[Candidate], seasons: list[int], seed: int) -> list[Candidate]:
    """Return the pool with random seasons, or no season; the start stays as it is.

    One candidate for each season differs from the start only in the season.
    """
    start, *others = pool
    alone = [replace(start, params=(*start.params, ("season", season))) for season in seasons]
    rng = np.random.default_rng((seed, 3))
    drawn = []
    for one in others[: max(0, len(others) - len(alone))]:
        season = rng.choice([0, *seasons])
        drawn.append(replace(one, params=(*one.params, ("season", int(season)))) if season else one)
    return [start, *alone, *drawn]


def _numbers(config: ReplayConfig, start: Candidate, n_features: int) -> dict[str, float]:
    """Return the positive numbers among the algorithm's parameters that the user has not given.

    Parameters of other losses than the configuration's are omitted.
    """
    learner = _learner(config, start, n_features)
    resolved = learner.config
    mine = hosting.LOSS_PARAMETERS[hosting.traits_of(resolved).loss]
    idle = {one for names in hosting.LOSS_PARAMETERS.values() for one in names} - {*mine}
    out = {}
    for name, value in learner.parameters.items():
        if name in config.params or name in idle:
            continue
        if not isinstance(value, float) or not 0.0 < value < math.inf:
            continue
        try:
            _learner(config, replace(start, params=((name, value),)), n_features)
        except (SimulatorError, TypeError, ValueError):
            continue  # not an argument of this name, or not continuous
        out[name] = value
    return out


def _with(config: ReplayConfig, candidate: Candidate) -> ReplayConfig:
    """Return a configuration with the width and the parameters of a candidate."""
    params = {**config.params, **dict(candidate.params)}
    if candidate.gamma is not None:
        params = {name: value for name, value in params.items() if value != "auto"}
    return replace(config, params=params, gamma=candidate.gamma)


def _default_baseline(config: ReplayConfig) -> ReplayConfig:
    """Return the default configuration with the options that are not tuned."""
    return replace(default_of(config), budget=config.budget)


def _learner(config: ReplayConfig, candidate: Candidate, n_features: int) -> Any:
    mine = replace(_with(config, candidate), stream="")
    kernel = None if candidate.gamma is None else ek.Gaussian(candidate.gamma)
    _, plan = plan_device(mine, n_features, kernel)
    return make_learner(n_features, learner_settings(mine, kernel, plan))


def _losses(job: _Job, evaluator: Evaluator, config: ReplayConfig) -> tuple[float, float]:
    """Return the losses from row `first` on and of all rows; infinite if the replay fails.

    With groups, so many rows are spread evenly over each group, and a group is answered by a
    learner of the others.
    """
    try:
        if evaluator.groups is not None:
            mine, rows = _with(config, job.candidate), (job.max_rows, job.first)
            found = groups.losses(evaluator, evaluator.groups, mine, *rows)
            return found if np.isfinite(found).all() else (math.inf, math.inf)
        recorded = Recording(job.max_rows)
        replay = Replay(evaluator.config_for(_with(config, job.candidate), job.max_rows))
        replay.run(on_result=recorded.take, beside_clean=False)
        records = evaluator.judged(recorded.records)
        loss = evaluator.loss(records, job.first)
        replayed = evaluator.loss(records) if job.first else loss
    except (EndedError, SimulatorError):
        return math.inf, math.inf
    return (loss, replayed) if math.isfinite(loss) else (math.inf, math.inf)


def report_of(found: Tuning) -> Report:
    """Return the report of a choice: its gain, and the options for ``replay``."""
    words, best = found.evaluator.metrics.words, found.best
    over_all = "" if math.isnan(found.replayed) else f" ({words(found.replayed)} of all rows)"
    lines = [f"tried     {words(loss)} with windows of {name}" for name, loss in found.tried]
    lines += [
        f"before    {words(found.before)} with {found.start}, as replay runs it{over_all}",
        f"after     {words(found.after)} with {found.chosen}",
    ]
    if found.default is not None:
        lines.append(f"default   {words(found.default)} with no algorithm named")
    lines.append(f"take      {found.options or 'the default: name no algorithm'}")
    first, others = f"the first {found.tuned_on:,} rows", f"the {found.judged_on:,} after them"
    about = f"chosen on {first} ({found.work:,} rows learned in all), judged on {others}"
    if found.config.group is not None:
        about = (
            f"chosen on {found.tuned_on:,} rows of all groups of {found.config.group!r}, judged on "
            f"the {found.judged_on:,} others; each group is answered by learners of all the others"
        )
    name = found.config.resolved.algorithm
    headline, notes = split_sentence(_headline(found))
    return Report(
        f"{name}: {about}",
        headline,
        [Section("choice", name, about, lines=lines)],
        {
            "algorithm": name,
            "options": found.options,
            "tuned_on": found.tuned_on,
            "judged_on": found.judged_on,
            "rows_learned": found.work,
            "replayed": found.replayed,
            "default": found.default,
            "tried": dict(found.tried),
            **{
                name: {"gamma": one.gamma, "parameters": dict(one.params), "loss": loss}
                for name, one, loss in (
                    ("start", found.start, found.before),
                    ("chosen", found.chosen, found.after),
                )
            },
        },
        found.left_out,
        alert=best is None,
        notes=notes,
    )


def _headline(found: Tuning) -> str:
    """Return what was gained, and whether the default is better, as a sentence."""
    text = "Nothing gained"
    if found.after < found.before:
        gained = 100.0 * (1.0 - found.after / found.before)
        text = f"Gained: {gained:.3g} % of the {found.evaluator.metrics.loss_name}"
    if found.best is found.start:
        text += ": keep what you began with"
    if found.best is None:
        text = f"The default has a lower error than both candidates. {text} by choosing"
    return f"{text}."
