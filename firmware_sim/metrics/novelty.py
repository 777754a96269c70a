"""The figures of alarms, evaluated against labelled windows if there are any.

A window is a run of rows labelled +1. An alarm is a run of rows called novel, and counts once. If
there are labels, an alarm that overlaps no window is false. The area under the ROC curve is
computed over single rows, from a sample of fixed size of each class.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any, ClassVar

import numpy as np

from firmware_sim.drawing.document import Table
from firmware_sim.metrics.alarms import Distance, Watch
from firmware_sim.metrics.anomalies import Anomalies, RowDeviations, Standstill
from firmware_sim.metrics.base import (
    Band,
    Calendar,
    Figure,
    Metrics,
    Panel,
    count,
    duration,
    short,
    thousandths,
)
from firmware_sim.metrics.batch import Batch
from firmware_sim.metrics.courses import courses
from firmware_sim.metrics.curve import CURVE_POINTS, Curve
from firmware_sim.metrics.healthy import COMPARED, about_healthy
from firmware_sim.metrics.reasons import (
    alarm_record,
    alarm_table,
    anomaly_record,
    anomaly_table,
    briefly,
    channel_table,
    is_short_flat,
    reason,
)
from firmware_sim.metrics.sampled import Sampled
from firmware_sim.metrics.watching import Watching, flags_of
from firmware_sim.plaintext import counted
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence
from firmware_sim.streams.zones import Clock

#: Scores of either class that are kept for the area; of more rows, a sample.
SAMPLED = 100_000
#: How novel rows are before the first verdict.
UNJUDGED = 0.25
#: Rows that are proposed to be joined where readings hardly ever repeat.
_JOINED = 10
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
    has_losses_of_rows = False
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
            "from a novel row to 64 rows after it; and, with or without an alarm, while readings "
            "stay away from their level",
        ),
        "rare_rows": Figure(
            "rare rows",
            count,
            lambda record, metrics: metrics.watched(record, "rare_rows"),
            "beyond a threshold that slowly follows the share nu of the most unusual rows (2 % if "
            "not set): a short or changing stream has more or fewer; also faults that come again "
            "as they were",
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
        self.anomalies = Anomalies(-math.inf if watching is None else UNJUDGED)
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
            (alarms,) = flags_of(rows["reason"], "novel")
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
        edges = np.flatnonzero(np.diff(labels > 0.0, prepend=False, append=False))
        n_useful = 1 + _DRAWN - len(self.windows)  # the first may extend the last one
        for begin, end in (first + edges.reshape(-1, 2)[:n_useful]).tolist():
            self._note_window(begin, end - 1)

    def watched(self, record: Watch, name: str) -> int | None:
        """Return a count of the watched stream; None for the baseline and for other rows."""
        if self.watching is None or record is not self.learner:
            return None
        return int(getattr(self.watching, name))

    def add_answers(self, batch: Batch) -> None:
        """Count rows; the baseline sees no readings."""
        self.add_block(batch)

    def _note_window(self, begin: int, end: int) -> None:
        """Extend the last labelled window by rows, or start one if there is capacity."""
        if self.windows and self.windows[-1][1] == begin - 1:
            self.windows[-1][1] = end
        elif len(self.windows) < _DRAWN:
            self.windows.append([begin, end])

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
        return [*found, *self._about_repeats()]

    def _about_repeats(self) -> list[str]:
        """Return that some alarms may be chance: readings that hardly ever repeat, and once did."""
        alarms = self.anomalies.alarms
        n_short = sum(is_short_flat(alarm) for alarm in alarms)
        if not n_short or self._healthy is not None:
            return []
        every = f"{_JOINED * self.period:.3g}s" if self.period else "SECONDS"
        return [
            f"{n_short:,} of {counted(len(alarms), 'alarm')} began with a reading that came two or "
            "three times in a row, which may be chance where readings hardly ever repeat: means "
            f"of several rows have fewer such alarms (--every {every} --join mean)."
        ]

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
            "alarms": [alarm_record(one, features) for one in self.anomalies.alarms],
            "anomalies": [anomaly_record(one, features) for one in self.anomalies.oddest],
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
        reasons = {alarm.first: briefly(alarm.strongest) for alarm in self.anomalies.alarms}
        charts = courses(self.watching, features, bands, reasons)
        about = (
            "Readings with alarms and events. An event follows a novel row, or lasts while "
            "readings stay away from their level, with or without an alarm."
        )
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
        tables = [
            *([] if self.watching is None else [channel_table(self.watching, features)]),
            alarm_table(anomalies.alarms, features, self.learner.alarms),
            anomaly_table(anomalies.oddest, features),
        ]
        return [table for table in tables if table.rows]


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
