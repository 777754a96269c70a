"""No labels: alarms of a learner, evaluated against labelled windows if there are any.

A window is a run of rows labelled +1. An alarm is a run of rows called novel, and counts once. If
there are labels, an alarm that overlaps no window is false. The area under the ROC curve is
computed over single rows, from a sample of fixed size of each class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any, ClassVar

import numpy as np

import edgeolk as ek
from edgeolk import hosting
from firmware_sim.drawing.document import Table
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds.base import Asked, Hint, Kind, Script, Trainer
from firmware_sim.kinds.two_classes import LabelMap
from firmware_sim.metrics.alarms import Distance, Watch
from firmware_sim.metrics.anomalies import (
    MIN_DISTANCE,
    Alarm,
    Anomalies,
    Anomaly,
    RowDeviations,
    Standstill,
)
from firmware_sim.metrics.base import (
    Band,
    Calendar,
    Figure,
    Metrics,
    Panel,
    count,
    duration,
    moment,
    short,
    thousandths,
)
from firmware_sim.metrics.batch import Batch, Records, When
from firmware_sim.metrics.courses import courses
from firmware_sim.metrics.curve import CURVE_POINTS, Curve
from firmware_sim.metrics.healthy import COMPARED, about_healthy
from firmware_sim.metrics.sampled import Sampled
from firmware_sim.metrics.watching import Watching, flags_of
from firmware_sim.plaintext import counted
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence
from firmware_sim.streams.zones import Clock

#: Parameters that a learner of novelty in the order of time refuses.
_NOT_IN_TIME = {"scale", "gamma", "kernel_gamma", "clip", "freeze_after", "clip_rows"}
#: Most alarms of the table, most readings of a row.
_MAX_ALARMS, _MAX_READINGS = 30, 3
#: Scores of either class that are kept for the area; of more rows, a sample.
SAMPLED = 100_000
#: How novel rows are before the first verdict.
_UNJUDGED = 0.25
#: Most windows whose rows are kept for pictures.
_DRAWN = 256


class Novelty(Metrics):
    """The alarms of a learner without labels and of the distance from the mean.

    A negative score means novel.

    nu: share of the rows that should be called novel.
    cadence: measures the seconds between rows.
    period: seconds between rows, if given by the user.
    sampled: most scores of either class that are kept for the area under the curve.
    hold: rows without an alarm that do not end one.
    watching: what is kept of a stream that is watched in the order of time; None for other rows.
    zone: the time zone of the place, for days.
    of_windows: whether rows are features of windows.
    anomalies: alarms with their reasons, and the most novel rows.
    learner, distance: the two records.
    windows: rows of the first labelled windows, counted from 1.
    """

    kind = "novelty"
    detail_names = ("windows", "alarms", "anomalies", "events", "days", "channels")
    timeline_title = "Alarms over time"
    baselines: ClassVar = {"distance": "distance"}
    over_time = "rows with an alarm"
    loss_name = "area above the ROC curve"
    over_boards = "area above the ROC curve, %"
    table: ClassVar = {
        "auc": Figure(
            "AUC",
            thousandths,
            lambda record, _: record.auc,
            "how often a labelled row looks more novel than another: 1 is perfect, .5 is chance",
        ),
        "alarm_rows": Figure("rows alarmed", count, lambda record, _: record.alarm_rows),
        "alarms": Figure("alarms", count, lambda record, _: record.alarms),
        "alarms_a_day": Figure(
            "alarms a day",
            short,
            lambda record, metrics: record.per_day(record.alarms, metrics.elapsed),
            "of rows that cover a day at least",
        ),
        "false_alarms": Figure("false alarms", count, lambda record, _: record.false),
        "false_alarms_a_day": Figure(
            "false a day",
            short,
            lambda record, metrics: record.per_day(record.false, metrics.elapsed),
        ),
        "windows": Figure("windows", count, lambda record, _: record.windows),
        "detected": Figure(
            "found", count, lambda record, _: record.detected, "windows with an alarm in them"
        ),
        "event_rows": Figure(
            "rows in an event",
            count,
            lambda record, metrics: metrics.watched(record, "event_rows"),
            "from an alarm until 64 rows after, and while readings stay away from their level",
        ),
        "rare_rows": Figure(
            "rare rows",
            count,
            lambda record, metrics: metrics.watched(record, "rare_rows"),
            "among the most unusual 2 %, also of faults that come again as they were",
        ),
        "delay_rows": Figure("delay in rows", short, lambda record, _: record.delay_rows),
        "delay_seconds": Figure(
            "in time", duration, lambda record, metrics: record.delay_seconds(metrics.period)
        ),
    }
    learner: Watch

    def __init__(
        self,
        nu: float,
        cadence: Cadence | None = None,
        period: float | None = None,
        *,
        points: int = CURVE_POINTS,
        sampled: int = SAMPLED,
        hold: int = 0,
        watching: Watching | None = None,
        zone: str | None = None,
        of_windows: bool = False,
    ) -> None:
        self._healthy = Sampled(2 * COMPARED) if of_windows else None
        self.watching, self._place = watching, Clock(zone)
        self.learner, self.distance = Watch(sampled, hold), Watch(sampled, hold)
        # Of a watched stream, rows that are not judged yet are as novel as usual ones.
        self.anomalies = Anomalies(-math.inf if watching is None else _UNJUDGED)
        self._standstill = Standstill()
        self.curve = Curve(points, ("learner", "distance"))
        self.windows: list[list[int]] = []
        self._max_sampled = sampled
        self._baseline = Distance(nu)
        self._cadence = cadence
        self._period = period

    def observe(self, rows: Row) -> RowDeviations:
        """Return how far the readings of rows are from their means."""
        distances, z_scores = self._baseline.measure(rows)
        return RowDeviations(distances, rows, z_scores, self._standstill.add_block(rows))

    def add_block(self, batch: Batch, observed: RowDeviations | None = None) -> None:
        """Count rows; NaN means no label. See `Metrics.add_block`."""
        rows = batch.learned
        if not len(rows):
            return
        labels, scores = rows["label"], rows["score"]
        if observed is None:
            known = RowDeviations(np.zeros(len(rows)), *np.empty((3, len(rows), 0)))
        else:
            known = observed.part(slice(0, len(batch.rows))).part(batch.taken)
        if self._healthy is not None:
            self._healthy.add_block(known.readings[~(labels > 0.0)])
        first, distances = self.rows + 1, known.distances
        # Subtracted from 0: the negative of 0 would be -0 in every list of scores.
        novelty, alarms = 0.0 - (scores + rows["threshold"]), scores < 0.0
        if self.watching is not None:
            alarms = flags_of(rows["reason"], "novel")
            local = self._place.local(rows["seconds"])
            self.watching.add_block(first, known.readings, rows["reason"], local)
        baseline_alarms = self._baseline.alarms(distances)
        running = [
            watch.alarm_rows + np.cumsum(called)
            for watch, called in ((self.learner, alarms), (self.distance, baseline_alarms))
        ]
        self.learner.add_block(labels, novelty, alarms, rows["seconds"])
        self.distance.add_block(labels, distances, baseline_alarms, rows["seconds"])
        self.anomalies.add_block(first, novelty, alarms, rows, known)
        self.curve.add_block(np.column_stack(running))
        for row in (first + np.flatnonzero(labels > 0.0)).tolist():
            self._note_window(row)

    def watched(self, record: Watch, name: str) -> int | None:
        """Return a count of the watched stream; None for the baseline and for other rows."""
        if self.watching is None or record is not self.learner:
            return None
        return int(getattr(self.watching, name))

    def add_answers(self, batch: Batch) -> None:
        """Count rows; the baseline sees no readings."""
        self.add_block(batch)

    def _note_window(self, row: int) -> None:
        """Extend the last labelled window by a row, or start one if there is capacity."""
        if self.windows and self.windows[-1][1] == row - 1:
            self.windows[-1][1] = row
        elif len(self.windows) < _DRAWN:
            self.windows.append([row, row])

    @property
    def judged(self) -> bool:
        """Whether there are labelled rows of both classes."""
        return self.learner.judged

    @property
    def sampled(self) -> bool:
        """Whether the area is computed from a sample."""
        return max(self.learner.inside.seen, self.learner.outside.seen) > self._max_sampled

    def loss(self, name: str) -> float:
        """Return the area above the ROC curve."""
        watch: Watch = getattr(self, name)
        return 1.0 - (watch.auc or 0.0)

    def mean_loss(self, name: str) -> float:
        """Return the area above the ROC curve, which is a mean already."""
        return self.loss(name)

    def shown(self, name: str) -> str:
        """Return the area under the ROC curve as text."""
        return self.words(self.loss(name))

    def words(self, loss: float) -> str:
        """Return the area under the ROC curve as text."""
        return f"AUC {1.0 - loss:.3f}"

    @property
    def comparable(self) -> float | None:
        """The area above the ROC curve; None without labels of both classes."""
        return self.loss("learner") if self.judged else None

    @property
    def elapsed(self) -> float | None:
        """Seconds that the rows cover; None if unknown."""
        if self._period is None:
            return None if self._cadence is None else self._cadence.elapsed
        return self.rows * self._period

    @property
    def period(self) -> float | None:
        """Seconds between rows; None if unknown."""
        if self._period is None and self._cadence is not None:
            return self._cadence.period
        return self._period

    def sentence(self, algorithm: str) -> str:
        """Return one sentence on the alarms; see `Metrics.sentence`."""
        if self.judged:
            return super().sentence(algorithm)
        alarms, seconds = self.learner.alarms, self.elapsed
        rows = f"{self.rows:,} rows" + (f" ({duration(seconds)})" if seconds else "")
        if not alarms:
            return f"{algorithm} gave no alarm in {rows}."
        many = "1 alarm" if alarms == 1 else f"{alarms:,} alarms"
        return (
            f"{algorithm} gave {many} in {rows}; without labelled windows nothing says which of "
            "them were false."
        )

    def remarks(self) -> list[str]:
        """Return how alarms were evaluated, and how many healthy windows a detector needs."""
        found = []
        if self.judged:
            windows = self.learner.windows
            text = f"Judged by {windows:,} labelled window{'' if windows == 1 else 's'}"
            found.append(text + (", AUC from a sample of the rows." if self.sampled else "."))
        if self._healthy is not None:
            rows, in_time = self._healthy.rows, self.watching is not None
            found.append(about_healthy(rows, in_time=in_time))
        return found

    def bands(self, features: Sequence[str]) -> Iterator[Band]:
        """Yield alarms with their reasons, and labelled windows."""
        for alarm in self.anomalies.alarms:
            why = reason(alarm.strongest, features)
            tooltip = f"rows {alarm.first:,} to {alarm.last:,}: {why}"
            yield "alarm", alarm.first, alarm.last, tooltip
        for first, last in [] if self.watching is None else self.watching.events:
            yield "event", first, last, f"event, rows {first:,} to {last:,}"
        for first, last in self.windows:
            yield "window", first, last, f"labelled window, rows {first:,} to {last:,}"

    def details(self, features: Sequence[str]) -> dict[str, Any]:
        """Return windows, alarms and the most novel rows."""
        return {
            "windows": self.windows,
            "alarms": [
                {
                    "first": one.first, "last": one.last, "rows": one.rows,
                    **record(one.strongest, features),
                }
                for one in self.anomalies.alarms
            ],
            "anomalies": [record(one, features) for one in self.anomalies.oddest],
            **({} if self.watching is None else self._of_stream(self.watching, features)),
        }  # fmt: skip

    @staticmethod
    def _of_stream(watching: Watching, features: Sequence[str]) -> dict[str, Any]:
        """Return events, and alarms by day and by channel."""
        reasons = watching.reasons
        return {
            "events": watching.events,
            "days": {_date(day): n for day, n in sorted(watching.by_day.items())},
            "channels": {
                features[channel]: {
                    reason: n for reason, n in zip(reasons, counts, strict=True) if n
                }
                for channel, counts in sorted(watching.by_channel.items())
            },
        }

    def panels(self, features: Sequence[str]) -> list[Panel]:
        """Return the course of the readings with alarms and events, and the days with alarms."""
        if self.watching is None or not self.rows:
            return []
        bands = [*self.bands(features)]
        reasons = {alarm.first: _briefly(alarm.strongest) for alarm in self.anomalies.alarms}
        charts = courses(self.watching, features, bands, reasons)
        about = "Readings with alarms; an event lasts while readings stay unusual."
        panels = [
            Panel(f"course{at}", "The stream", chart, about) for at, chart in enumerate(charts)
        ]
        days = self.watching.by_day
        if len(days) > 1:
            panels.append(Panel("calendar", "Alarms by day", Calendar(days), _of_days(days)))
        return panels

    def tables(self, features: Sequence[str]) -> list[Table]:
        """Return the alarms with their reasons, and the most novel rows with their readings."""
        if not self.rows:
            return []
        anomalies = self.anomalies
        shown = anomalies.alarms[:_MAX_ALARMS]
        many = "" if len(shown) == len(anomalies.alarms) else f": the first {len(shown)}"
        alarms: list[tuple[str, ...]] = [
            (_rows(alarm), moment(alarm.strongest.seconds), reason(alarm.strongest, features))
            for alarm in shown
        ]
        most_anomalous: list[tuple[str, ...]] = [
            (f"{top.row:,}", moment(top.seconds), short(top.novelty), reason(top, features),
             readings(top, features))
            for top in anomalies.oddest
        ]  # fmt: skip
        first = ("rows", "time of the most anomalous", "reason")
        head = ("row", "time", "score", "reason", "readings furthest off")
        tables = [
            *([] if self.watching is None else [_by_channel(self.watching, features)]),
            Table("alarms", f"Alarms{many}", first, alarms, sentences=first[1:]),
            Table(
                *("anomalies", "The most anomalous rows", head, most_anomalous),
                sentences=(head[1], *head[3:]),
                stacked=True,
            ),
        ]
        return [table for table in tables if table.rows]


def _rows(alarm: Alarm) -> str:
    last = "" if alarm.first == alarm.last else f" to {alarm.last:,}"
    return f"{alarm.first:,}{last}"


def furthest(anomaly: Anomaly) -> list[int]:
    """Return the indices of the readings that are furthest from their means."""
    z_scores = anomaly.deviations.z_scores
    order = sorted(range(len(z_scores)), key=lambda slot: -abs(z_scores[slot]))
    return [slot for slot in order if z_scores[slot] != 0.0][:_MAX_READINGS]


def _reading(value: float) -> str:
    """Return a reading with four significant digits, or more before the point."""
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e7 else short(value)


def readings(anomaly: Anomaly, names: Sequence[str]) -> str:
    """Return the readings that are furthest from their means, with their deviations."""
    values, z_scores = anomaly.deviations.readings, anomaly.deviations.z_scores
    return ", ".join(
        f"{names[slot]} {_reading(values[slot])} ({z_scores[slot]:+.1f} sd)"
        for slot in furthest(anomaly)
    )


#: Why a row is unusual, by what it is unusual in; {0} is the channel, {1} its reading.
_REASONS = {
    "value": "{0}: {1} is outside everything seen so far",
    "change": "{0}: changed faster than ever, now {1}",
    "season": "{0}: {1} is unusual for this hour",
    "level": "{0}: away from its usual level, now {1}",
    "roughness": "{0}: rougher or smoother than usual, now {1}",
    "mean": "{0}: off its mean for a while, now {1}",
}
#: Their names in a table.
_TITLES = {
    "value": "outside all so far", "change": "faster than ever", "season": "unusual for the hour",
    "flat": "flat", "pattern": "unusual pattern",
}  # fmt: skip


def reason_of(anomaly: Anomaly, names: Sequence[str]) -> tuple[str, int]:
    """Return why a row is novel, such as "CO2: flat for 40 readings", and the channel, from 0."""
    why = hosting.unpack_reason(anomaly.reason)
    if why is None:
        found = furthest(anomaly)
        text = f"different from all earlier rows, {names[found[0]]} most of all" if found else "-"
        return text, found[0] if found else 0
    part, channel = why
    name, reading = names[channel], math.nan
    if anomaly.deviations.readings:
        reading = anomaly.deviations.readings[channel]
    now = "no reading" if math.isnan(reading) else _reading(reading)
    if part == "pattern":
        if len(names) == 1:
            return f"{name}: an unusual course over time, now {now}", channel
        return f"an unusual combination, {name} the furthest off", channel
    if part == "flat":
        rows = anomaly.deviations.unchanged[channel] if anomaly.deviations.unchanged else 0
        if math.isnan(reading):
            return f"{name}: no reading for {counted(rows, 'row')}", channel
        # The one that the others repeat is part of the line.
        return f"{name}: flat for {counted(rows + 1, 'reading')}", channel
    return _REASONS[part].format(name, now), channel


def _briefly(anomaly: Anomaly) -> tuple[str, int]:
    """Return why a row of a stream is novel in few words, and the channel, from 0."""
    part, channel = hosting.unpack_reason(anomaly.reason) or ("", 0)
    return _TITLES.get(part, part), channel


def reason(anomaly: Anomaly, names: Sequence[str]) -> str:
    """Return why a row is novel in words."""
    return reason_of(anomaly, names)[0]


def _date(day: int) -> str:
    """Return a day since 1970 as text; its number if it is beyond the calendar."""
    try:
        return (date(1970, 1, 1) + timedelta(days=day)).isoformat()
    except OverflowError:
        return str(day)


def _of_days(days: dict[int, int]) -> str:
    """Return a sentence on alarms by day."""
    with_alarms = {day: n for day, n in days.items() if n}
    if not with_alarms:
        return f"No alarm on {len(days):,} days."
    worst = max(with_alarms, key=lambda day: with_alarms[day])
    return (
        f"{len(with_alarms):,} of {len(days):,} days have an alarm; most on {_date(worst)}: "
        f"{with_alarms[worst]}."
    )


def _by_channel(watching: Watching, features: Sequence[str]) -> Table:
    """Return the table of alarms by channel and reason."""
    order = sorted(watching.by_channel.items(), key=lambda one: (-sum(one[1]), one[0]))
    at = [watching.reasons.index(name) for name in _TITLES]
    shown = [(channel, (sum(counts), *(counts[i] for i in at))) for channel, counts in order]
    rows = [
        (features[channel], *(f"{n:,}" if n else "" for n in numbers))
        for channel, numbers in shown[:_MAX_ALARMS]
    ]
    head = ("", "alarms", *_TITLES.values())
    return Table("channels", "Alarms by channel", head, rows, stacked=True)


def record(anomaly: Anomaly, names: Sequence[str]) -> dict[str, Any]:
    """Return a row for the JSON report."""
    numbers = dict(zip(names, anomaly.deviations.readings, strict=True))
    return {
        "row": anomaly.row,
        "seconds": anomaly.seconds if math.isfinite(anomaly.seconds) else None,
        "score": anomaly.novelty,
        "reason": reason(anomaly, names),
        "readings": {n: v if math.isfinite(v) else None for n, v in numbers.items()},
    }


class NoveltyTrainer(Trainer):
    """Trains a learner without labels: those of the rows are ignored.

    in_time: whether it finds anomalies of a stream.
    zone: the time zone of the place.
    """

    #: The threshold was subtracted from the score: score + threshold measures how normal a row is.
    #: The verdict on a row of a stream is packed (`edgeolk.hosting.unpack_reason`); negative if
    #: there is none.
    fields = (("threshold", np.float64), ("reason", np.float64))

    def __init__(
        self, learner: Any, targets: Any = None, *, in_time: bool, zone: str | None = None
    ) -> None:
        self.in_time, self._place = in_time, Clock(zone)
        #: A learner in another process always receives the times, and leaves them out itself.
        self._has_clock = bool(getattr(learner, "parameters", {"clock": True}).get("clock"))
        self._times: Row | None = None
        super().__init__(learner, targets)

    def learn(self, X: Row, y: Row, when: When) -> Batch:
        """Learn rows at their times; see `Trainer.learn`."""
        self._times = self._place.local(when.seconds) if self._has_clock else None
        return super().learn(X, y, when)

    def sent(self, labels: Row, when: When) -> Row:
        """Return the times of rows in place of labels; see `Trainer.sent`."""
        return self._place.local(when.seconds) if self.in_time else labels

    def _watched(self, row: Row, seconds: float) -> tuple[float, float, float]:
        """Learn a row; return score, threshold as the learner has it, and verdict."""
        threshold = float(self.learner.threshold)
        if not self.in_time:
            return float(self.learner.learn_one(row)), threshold, -1.0
        time = seconds if self._has_clock and math.isfinite(seconds) else None
        score = float(self.learner.learn_one(row, time=time))
        return score, threshold, hosting.last_reason(self.learner)

    def learn_one(self, row: Row, label: float) -> tuple[Any, ...]:
        """Learn a row; return the answer before the update."""
        seconds = float(self._place.local(np.array([self.moment]))[0])
        score, threshold, why = self._watched(row, seconds)
        return score, float(self._subtracted(np.array([score]), np.array([threshold]))[0]), why

    def _subtracted(self, scores: Row, thresholds: Row) -> Row:
        """Return what was subtracted from scores."""
        if not self.in_time:
            return thresholds
        # Only the first rows have a score of exactly 0: it is too early to judge them.
        return np.where(scores != 0.0, -thresholds, -_UNJUDGED)

    def restart(self) -> None:
        """Forget the recent past: the next row comes after a long gap."""
        self.learner.restart()

    def columns(self, n: int) -> tuple[Row, ...]:
        """Return memory for scores, thresholds with one more for scratch, and verdicts."""
        return np.zeros(n), np.full(n + 1, 0.5), -np.ones(n)

    def learn_rest(self, X: Row, labels: Row, columns: tuple[Row, ...], at: int) -> None:
        """Learn rows; see `Trainer.learn_rest`."""
        scores, thresholds, verdicts = columns
        n = len(X)
        if not self.in_time:
            hosting.learn_many(self.learner, X[at:], None, scores[at:n], thresholds[at : n + 1])
            return
        times = None if self._times is None else self._times[at:n]
        found = -np.ones(2 * (n - at))
        try:
            hosting.learn_many(self.learner, X[at:], None, scores[at:n], None, found, times)
        finally:
            verdicts[at:n] = found[::2]

    def learn_single(self, row: Row, label: float, columns: tuple[Row, ...], at: int) -> None:
        """Learn one row; see `Trainer.learn_single`."""
        seconds = math.nan if self._times is None else float(self._times[at])
        for column, number in zip(columns, self._watched(row, seconds), strict=True):
            column[at] = number

    def write(self, rows: Records, columns: Sequence[Row], scaling: tuple[Row, Row] | None) -> None:
        """Write scores, thresholds and verdicts; see `Trainer.write`."""
        scores, thresholds, verdicts = (column[: len(rows)] for column in columns)
        rows["score"], rows["reason"] = scores, verdicts
        rows["threshold"] = self._subtracted(scores, thresholds)


class NoLabels(Kind):
    """No labels; an answer is a score, negative if the row is novel."""

    name = "novelty"
    about = "streams without labels"
    noun = "alarms"
    losses = hosting.losses_of("none")
    metrics_class = Novelty
    is_supervised = False
    takes_positive = True
    in_python = ("not given", "x", "below 0: novel")
    has_losses_of_rows = False

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        #: Whether it is found in the order of time, with a scale for each channel.
        self.uses_order = self.scales_itself = bool(setup.params.get("history"))
        self.program = "reason" if self.uses_order else "threshold"
        if self.uses_order:
            self.width_inside = "a width that suits the first 100 rows"

    @classmethod
    def recommended(cls, asked: Asked) -> dict[str, Any]:
        """Return a learner in the order of time, if no option contradicts it."""
        contradicted = _NOT_IN_TIME & {*asked.params} or "freeze_after" in asked.usual
        in_time = asked.is_plain and not contradicted and asked.params.get("history", True)
        return {"history": True} if in_time else asked.usual

    def timed_params(self) -> dict[str, Any]:
        """Return the season of a day for rows in the order of time; see `Kind.timed_params`."""
        return {"clock": True} if self.uses_order and "clock" not in self.setup.params else {}

    def check(self, *, ask: bool, gap: float | None, process: bool) -> None:
        """Raise SimulatorError for gaps that it does not forget."""
        super().check(ask=ask, gap=gap, process=process)
        if gap is not None and process:
            raise SimulatorError("gap is not for novelty in a process of its own")

    def labels(self) -> LabelMap:
        """Return a decoder of labels that only evaluate the alarms."""
        setup = self.setup
        return LabelMap(setup.positive, setup.missing_codes, is_supervised=False)

    @property
    def novel_share(self) -> float:
        """The share of rows that the learner is to call novel."""
        algorithm, params = self.setup.algorithm, self.setup.params
        given = {name: value for name, value in params.items() if name in ("nu", "loss")}
        given |= {"history": True} if self.uses_order else {}
        try:
            resolved = ek.Config(algorithm, n_features=1, budget=64, **{"loss": "novelty", **given})
        except (TypeError, ValueError):
            return 0.05  # the error is raised where the learner is planned
        return float(resolved.parameters["nu"])

    def metrics(self, cadence: Cadence) -> Novelty:
        """Return new metrics; nearby alarms in the order of time are one event."""
        of_windows = self.setup.of_windows
        if not self.uses_order:
            period = self.setup.period
            return Novelty(self.novel_share, cadence, period, of_windows=of_windows)
        return Novelty(
            *(self.novel_share, cadence, self.setup.period),
            hold=MIN_DISTANCE,
            watching=Watching(),
            zone=self.setup.zone,
            of_windows=of_windows,
        )

    def trainer(self, learner: Any, targets: Any = None) -> NoveltyTrainer:
        """Return what trains a learner."""
        return NoveltyTrainer(learner, targets, in_time=self.uses_order, zone=self.setup.zone)

    def judges(self, y: Row, first: int) -> bool:
        """Whether there are rows of both labels from `first` on, and before it unless it is 0."""
        parts = [y[first:], *([y[:first]] if first else [])]
        # A missing label is NaN, which is neither.
        return all(bool((part > 0.0).any() and (part < 0.0).any()) for part in parts)

    def hints(self, config: Any, with_params: Callable[..., Hint]) -> Iterator[Hint]:
        """Yield other shares of novel rows; see `Kind.hints`."""
        for nu in () if self.uses_order else (0.01, 0.1):
            yield with_params(nu=nu)

    def script(self, target: str) -> Script:
        """Return a program that answers in words."""
        return Script(answer='"usual" if learner.predict_one(row) > 0 else "novel"')
