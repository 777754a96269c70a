"""Labels that are real numbers, forecast from their own history too."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from edgeolk import hosting
from firmware_sim.drawing.chart import FIRST, LEARNER, SECOND, TEXT, Chart, Mark
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds.base import Hint, Script, Setup, Trainer, last_label_hint
from firmware_sim.kinds.regression import Deviation, RealNumbers, Regression
from firmware_sim.metrics.base import Figures, Panel
from firmware_sim.metrics.batch import Batch, Records
from firmware_sim.metrics.curve import CURVE_POINTS, Curve, ForecastRow, ForecastTimeline
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence

#: The experts with their names and colours, in the order of the stacked areas.
_EXPERTS = {
    "last": ("last value", FIRST),
    "head": ("linear on history", "#56b4e9"),
    "kernel": ("kernel", LEARNER),
}


class Forecasting(Regression):
    """Errors of a forecaster, its intervals and what it mixes its answers of.

    intervals, inside: rows that were answered with an interval, and those whose target was in it.
    timeline: the last answers, and the weights of experts over time.
    seasonal: the errors of the target a season ago, if there is a season.

    ahead: rows from the readings of a row to its target; rows up to this number have no forecast,
        but the baselines know their targets.
    season: rows of a season; 0 for none.
    """

    detail_names = ("forecasts",)
    lasting_baselines: ClassVar[tuple[str, ...]] = ("last_value",)

    def __init__(self, points: int = CURVE_POINTS, *, ahead: int = 0, season: int = 0) -> None:
        self._ahead, self._season = ahead, season
        self._later = np.empty(0, dtype=bool)  # which of the last rows have a forecast
        self._earlier = np.empty(0)  # the last targets, a season of them at most
        if season:
            name = f"value {season:,} rows ago"
            self.baselines = {**Regression.baselines, "seasonal": name}  # type: ignore[misc]
            self.lasting_baselines = ("last_value", "seasonal")  # type: ignore[misc]
        super().__init__(points)

    def clear(self) -> None:
        """Forget all rows; see `Metrics.clear`."""
        super().clear()
        if self._season:
            self.seasonal = Deviation()
            self.curve = Curve(self._points, (*self.curve.names, "seasonal"), float)
        self.intervals = self.inside = 0
        self.timeline = ForecastTimeline(self._points)

    def add_block(self, batch: Batch, observed: Any = None) -> None:
        """Count rows, with their intervals; see `Metrics.add_block`.

        Those of a frozen learner have no interval.
        """
        self._later = batch.learned["row"] > self._ahead
        rows = batch.learned[self._later]
        if len(rows) and "low" in (rows.dtype.names or ()):
            self.timeline.add_block(rows)
            self.intervals += int(np.count_nonzero(~np.isnan(rows["low"])))
            within = (rows["low"] <= rows["label"]) & (rows["label"] <= rows["high"])
            self.inside += int(np.count_nonzero(within))
        super().add_block(batch)

    def _count(self, labels: Row, scores: Row, *baselines: Row) -> None:
        """Count rows, the first ones without a forecast apart; see `Regression._count`."""
        if self._season:
            baselines = (*baselines, self._season_ago(labels, baselines[-1]))
        later = self._later
        super()._count(labels[later], scores[later], *(one[later] for one in baselines))

    def _season_ago(self, labels: Row, last: Row) -> Row:
        """Return the target of a season before each row; in the first season the last value."""
        known = np.concatenate([self._earlier, labels])
        n_first = max(0, min(len(labels), self._season - len(self._earlier)))
        first = max(0, len(self._earlier) - self._season)
        ago = known[first : first + len(labels) - n_first]
        self._earlier = known[-self._season :]
        return np.concatenate([last[:n_first], ago])

    def summary(self) -> dict[str, Figures]:
        """Return all figures; with intervals, also the share of targets inside."""
        figures = super().summary()
        if self.intervals:
            figures["learner"]["inside"] = self.inside / self.intervals
        return figures

    def remarks(self) -> list[str]:
        """Return the share of targets within their intervals."""
        if not self.intervals:
            return []
        share = 100 * self.inside / self.intervals
        return [f"{share:.1f} % of {self.intervals:,} targets fell into their interval."]

    def details(self, features: Sequence[str]) -> dict[str, Any]:
        """Return the experts' mean weights, and the last forecasts."""
        timeline = self.timeline
        if not timeline.rows:
            return {}
        rows, recent = timeline.recent
        columns = [
            [v if math.isfinite(v) else None for v in column] for column in recent.T.tolist()
        ]
        return {
            "forecasts": {
                "mean_shares": timeline.mean_shares(),
                "recent": {
                    "rows": rows.tolist(),
                    **dict(zip(ForecastRow._fields, columns, strict=True)),
                },
            }
        }

    def panels(self, features: Sequence[str]) -> list[Panel]:
        """Return charts of forecasts and targets, of errors and intervals, and of weights."""
        if not self.timeline.rows:
            return []
        mixed = "Each answer is mixed of these; what has erred less has a larger share."
        names, charts = ("forecasts", "intervals", "shares"), timeline_charts(self.timeline)
        return [
            Panel(name, chart.title, chart, mixed if name == "shares" else "")
            for name, chart in zip(names, charts, strict=True)
        ]


def timeline_charts(timeline: ForecastTimeline) -> tuple[Chart, Chart, Chart]:
    """Return charts of forecasts and targets, of errors and intervals, and of expert weights.

    timeline: at least one row.
    """
    rows, recent = timeline.recent
    x_range = float(rows[0]), float(max(rows[-1], rows[0] + 1))
    truth, forecast = recent[:, 0], recent[:, 1]
    ends, known = recent[:, 2:] - recent[:, 1:2], np.isfinite(recent[:, 2])
    # 98 % of errors and interval bounds, with 0 in the middle: an outlier, and the wide intervals
    # after it, would flatten everything else.
    shown = np.concatenate([truth - forecast, ends[known].ravel()])
    half_width = float(np.abs(np.quantile(shown, [0.01, 0.99])).max()) or 1.0
    low, high = float(recent[:, :2].min()), float(recent[:, :2].max())
    both = [
        Mark("forecast", SECOND, rows, forecast, width=1.2),
        Mark("truth", TEXT, rows, truth, width=3.0, alpha=0.45),
    ]
    errors = [
        Mark("target minus forecast", TEXT, rows, truth - forecast, width=1.2),
        Mark(
            "the interval that came with the forecast",
            SECOND,
            rows[known],
            ends[known, 1],
            ends[known, 0],
            alpha=0.2,
        ),
    ]
    title = f"Forecast and truth, the last {len(rows):,} rows"
    return (
        Chart(title, both, x_range, (low, high if high > low else low + 1.0)),
        Chart(
            *("Target minus forecast", errors, x_range, (-1.3 * half_width, 1.3 * half_width)),
            height=2 / 3,
        ),
        _shares(timeline),
    )


def _shares(timeline: ForecastTimeline) -> Chart:
    at, shares = timeline.shares()
    mean, upper, marks = timeline.mean_shares(), np.zeros(len(at)), []
    for name, (word, colour) in _EXPERTS.items():
        if name in timeline.names:
            lower = upper
            upper = np.minimum(lower + shares[:, timeline.names.index(name)], 1.0)
            label = f"{word}, {100 * mean[name]:.0f} % in all"
            marks.append(Mark(label, colour, at, upper, lower))
    ranges = (0, timeline.rows), (0.0, 1.0)
    return Chart("Expert weights over time", marks, *ranges, percent=True, compact=True)


class ForecastTrainer(Trainer):
    """Asks and trains a forecaster, whose answers have an interval and weights of experts.

    Rows that wait for their targets are in the learner: `ask_one` answers a row, `tell_one` brings
    the target of the oldest.
    """

    def __init__(self, learner: Any, targets: Any = None) -> None:
        self.experts = tuple(learner.shares)
        weights = [(name, np.float64) for name in self.experts]
        self.fields = (("low", np.float64), ("high", np.float64), ("weights", weights))
        super().__init__(learner, targets)
        self._n_outputs = len(self._outputs())

    def _outputs(self) -> list[float]:
        """Return the numbers that came with the last forecast: half widths, weights."""
        _, half_widths, weights = hosting.last_forecast(self.learner)
        return [*half_widths, *weights]

    def _answer(self, forecast: float) -> tuple[Any, ...]:
        outputs = np.array(self._outputs())
        low, high = self._interval(np.array([forecast]), outputs[np.newaxis])
        return forecast, low[0], high[0], tuple(outputs[-len(self.experts) :])

    def _interval(self, forecasts: Row, outputs: Row) -> tuple[Row, Row]:
        """Return the bounds of the first interval, NaN if it is not known yet."""
        half_widths = outputs[:, : self._n_outputs - len(self.experts)]
        known = (half_widths > 0.0).all(axis=1)
        low, high = (
            np.where(known, forecasts + sign * half_widths[:, 0], np.nan) for sign in (-1, 1)
        )
        return low, high

    def learn_one(self, row: Row, label: float) -> tuple[Any, ...]:
        """Learn a row; return the forecast from before."""
        return self._answer(float(self.learner.learn_one(row, label)))

    def ask_one(self, row: Row) -> tuple[Any, ...]:
        """Return the forecast of a row, which the learner keeps until its target comes."""
        return self._answer(float(self.learner.ask_one(row)))

    def tell_one(self, target: float | None) -> None:
        """Learn the target of the oldest pending row; None if it never comes."""
        self.learner.tell_one(target)

    def restart(self) -> None:
        """Forget the history and the pending rows."""
        self.learner.restart()

    @property
    def n_pending(self) -> int:
        """Rows that wait for their targets."""
        return int(self.learner.n_waiting)

    def columns(self, n: int) -> tuple[Row, ...]:
        """Return memory for forecasts, and for the numbers that come with them."""
        return np.zeros(n), np.zeros((n, self._n_outputs))

    def learn_rest(self, X: Row, labels: Row, columns: tuple[Row, ...], at: int) -> None:
        """Learn rows; see `Trainer.learn_rest`."""
        forecasts, outputs = columns
        n = len(X)
        after = outputs[at:n].reshape(-1)
        hosting.learn_many(self.learner, X[at:], labels[at:], forecasts[at:n], None, after)

    def learn_single(self, row: Row, label: float, columns: tuple[Row, ...], at: int) -> None:
        """Learn one row; see `Trainer.learn_single`."""
        columns[0][at] = self.learner.learn_one(row, label)
        columns[1][at] = self._outputs()

    def write(self, rows: Records, columns: Sequence[Row], scaling: tuple[Row, Row] | None) -> None:
        """Write forecasts, intervals and weights; see `Trainer.write`."""
        n = len(rows)
        forecasts, outputs = columns[0][:n], np.column_stack(columns[1:])[:n]
        rows["score"] = forecasts
        rows["low"], rows["high"] = self._interval(forecasts, outputs)
        for at, name in enumerate(self.experts, self._n_outputs - len(self.experts)):
            rows["weights"][name] = outputs[:, at]


class Forecasts(RealNumbers):
    """Targets that are forecast; the learner has a scale of its own for them."""

    metrics_class = Forecasting
    trainer_class = ForecastTrainer
    scales_targets = False
    export_refusal = ""
    keeps_rows = uses_order = True
    program = "forecast"

    def queued_params(self, queue_rows: int) -> dict[str, Any]:
        """Return the horizon; see `Kind.queued_params`."""
        return {"horizon": queue_rows} if queue_rows else {}

    @property
    def horizon(self) -> int:
        """Rows until a target arrives, by the learner's parameters."""
        return int(self.setup.params.get("horizon", self.setup.ahead or 1))

    def metrics(self, cadence: Cadence) -> Forecasting:
        """Return new metrics, of a forecast with the value of a season ago."""
        return _metrics_of(self.setup)

    def check(self, *, ask: bool, gap: float | None, process: bool) -> None:
        """Raise SimulatorError for labels on request."""
        if ask:
            raise SimulatorError("a forecaster learns every target: --ask does not apply")

    def frozen(
        self,
        learner: Any,
        targets: tuple[float, float],
        pending: Sequence[float | None] = (),
    ) -> Callable[[Row, Row], Row]:
        """Return a function to forecasts with constant weights; see `Kind.frozen`.

        The history of targets still grows, and with it their mean and unit.
        """
        hosting.freeze(learner)
        parameters = learner.parameters
        horizon = int(parameters.get("horizon", parameters.get("delay", 1)))
        if horizon == 1:
            return lambda X, y: np.asarray(learner.learn_many(X, y))
        late = deque(pending)

        def answers(X: Row, y: Row) -> Row:
            found = np.empty(len(y))
            for at, (row, target) in enumerate(zip(X, y.tolist(), strict=True)):
                if len(late) == horizon:
                    learner.tell_one(late.popleft())
                found[at] = learner.ask_one(row)
                late.append(target)
            return found

        return answers

    def hints(self, config: Any, with_params: Callable[..., Hint]) -> Iterator[Hint]:
        """Yield the time of day and week, and the last label; see `Kind.hints`."""
        if config.forecast is not None and not config.clock:
            yield "--clock", {"clock": True}
        yield from last_label_hint(config, with_params)

    def script(self, target: str) -> Script:
        """Return a program that answers with forecasts."""
        return super().script(target)._replace(answer="learner.decision_one(row)", argument="label")


class RowsAhead(RealNumbers):
    """Targets that a learner without a history forecasts from readings of some rows before."""

    def metrics(self, cadence: Cadence) -> Forecasting:
        """Return the metrics of any forecast, so that baselines are the same."""
        return _metrics_of(self.setup)


def _metrics_of(setup: Setup) -> Forecasting:
    """Return new metrics; of a forecast with the value of a season ago."""
    season = int(setup.params.get("season") or setup.season) if setup.ahead else 0
    return Forecasting(ahead=setup.ahead, season=season)
