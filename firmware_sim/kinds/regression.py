"""Labels that are real numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import edgeolk as ek
from edgeolk import hosting
from firmware_sim.errors import StreamError
from firmware_sim.kinds.base import (
    WITHOUT_KERNEL,
    Asked,
    Column,
    Hint,
    Kind,
    Script,
    Setup,
    Trainer,
    forecasts,
    with_ones,
)
from firmware_sim.kinds.labels import Labels, label_key, missing_labels
from firmware_sim.kinds.scaling import TargetScale, scaled_targets
from firmware_sim.metrics.base import Figure, Metrics, ratio, short, thousandths
from firmware_sim.metrics.batch import Batch, Records
from firmware_sim.metrics.curve import CURVE_POINTS, Curve
from firmware_sim.plaintext import shortened
from firmware_sim.streams import Row
from firmware_sim.streams.block import Cells

#: The name of a linear model.
LEAST_SQUARES = "linear (RLS)"


@dataclass
class Deviation:
    """Errors of predictions of real numbers."""

    rows: int = 0
    absolute: float = 0.0  # sum of |error|
    squared: float = 0.0

    def add_block(self, targets: Row, predictions: Row) -> Row:
        """Count rows; return the sum of |error| after each."""
        errors = predictions - targets
        self.rows += len(errors)
        # Added sequentially, so that the size of blocks does not change the rounding.
        absolute = np.add.accumulate(np.concatenate([[self.absolute], np.abs(errors)]))
        with np.errstate(over="ignore"):  # becomes infinite
            squared = np.add.accumulate(np.concatenate([[self.squared], errors * errors]))
        self.absolute, self.squared = float(absolute[-1]), float(squared[-1])
        return np.asarray(absolute[1:])

    @property
    def mae(self) -> float | None:
        """Mean absolute error."""
        return self.absolute / self.rows if self.rows else None

    @property
    def rmse(self) -> float | None:
        """Root of the mean squared error."""
        return math.sqrt(self.squared / self.rows) if self.rows else None


class Regression(Metrics):
    """Errors of the learner and of two baselines: the last value and the running mean.

    learner, mean, last_value: the three records; the curve has their absolute errors.
    spread: sum of the squared deviations of all targets from their mean.
    """

    kind = "regression"
    table: ClassVar = {
        "mae": Figure(
            "MAE",
            short,
            lambda record, _: record.mae,
            "mean absolute error, in the unit of the target",
        ),
        "rmse": Figure(
            "RMSE",
            short,
            lambda record, _: record.rmse,
            "as MAE, with large errors counted for more",
        ),
        "r2": Figure(
            "R2",
            thousandths,
            lambda record, metrics: _gain(record.squared, metrics.spread),
            "share of the target's variance that is explained: 1 is perfect, 0 as good as its mean",
        ),
        "r2_last_value": Figure(
            "R2 vs last value",
            thousandths,
            lambda record, metrics: _gain(record.squared, metrics.last_value.squared),
            "how far squared errors are below those of repeating the last value: 1 is perfect, 0 "
            "no better, below 0 worse; a few large errors decide it, unlike MAE",
            against="last_value",
        ),
    }
    baselines: ClassVar = {"mean": "running mean", "last_value": "last value"}
    lasting_baselines: ClassVar[tuple[str, ...]] = ("mean",)
    shares = False
    over_time = loss_name = "mean absolute error"
    over_boards = "mean absolute error / that of the last value"
    learner: Deviation

    def __init__(self, points: int = CURVE_POINTS) -> None:
        self._points, self._last = points, 0.0
        #: number and mean of the revealed targets
        self._revealed = (0, 0.0)
        self.clear()

    def clear(self) -> None:
        """Forget all rows; see `Metrics.clear`."""
        self.learner, self.mean, self.last_value = Deviation(), Deviation(), Deviation()
        self.curve = Curve(self._points, ("learner", "mean", "last_value"), float)
        self._all = (0, 0.0)  # number and mean of all targets
        self.spread = 0.0

    def add_block(self, batch: Batch, observed: Any = None) -> None:
        """Count rows; before the first target the baselines predict 0. See `Metrics.add_block`."""
        rows, arrived = batch.learned, batch.revealed()
        labels, scores = rows["label"], rows["score"]
        if not len(labels):
            return
        revealed, before = labels, np.arange(len(labels))
        if arrived is not None:
            revealed, before = arrived
        known = _means(*self._revealed, revealed)
        lasts = np.concatenate([[self._last], revealed])
        self._revealed = self._revealed[0] + len(revealed), float(known[-1])
        self._last = float(lasts[-1])
        self._count(labels, scores, known[before], lasts[before])

    def _count(self, labels: Row, scores: Row, *baselines: Row) -> None:
        """Count rows with the answers of the learner and of the baselines, in their order."""
        if not len(labels):
            return
        means = _means(*self._all, labels)
        terms = (labels - means[:-1]) * (labels - means[1:])
        self.spread = float(np.add.accumulate(np.concatenate([[self.spread], terms]))[-1])
        self._all = self._all[0] + len(labels), float(means[-1])
        records = [getattr(self, name) for name in self.curve.names]
        answers = (scores, *baselines)
        losses = [one.add_block(labels, f) for one, f in zip(records, answers, strict=True)]
        self.curve.add_block(np.column_stack(losses))

    def loss(self, name: str) -> float:
        """Return the sum of absolute errors of one of the three."""
        record: Deviation = getattr(self, name)
        return record.absolute

    def shown(self, name: str) -> str:
        """Return the mean absolute error of one of the three as text."""
        return f"{self.mean_loss(name):.4g} MAE"

    @property
    def comparable(self) -> float | None:
        """The mean absolute error divided by that of the last value."""
        return ratio(self.mean_loss("learner"), self.mean_loss("last_value"))

    def words(self, loss: float) -> str:
        """Return a mean absolute error as text."""
        return f"{loss:.4g} mean absolute error"

    @staticmethod
    def constant_labels(figures: Mapping[str, Any], used: int) -> str:
        """Return the sentence on labels that are all equal; see `Metrics.constant_labels`."""
        return f"all {used:,} targets are 0" if figures.get("last_value_mae") == 0.0 else ""


def _means(n: int, mean: float, values: Row) -> Row:
    """Return the mean before the first value and after each; `mean` is that of n earlier ones."""
    found = [mean]
    for at, value in enumerate(values.tolist(), n + 1):
        mean += (value - mean) / at
        found.append(mean)
    return np.array(found)


def _gain(squared: float, reference: float) -> float | None:
    return 1.0 - squared / reference if reference else None


class Targets(Labels):
    """Decode a target column of real numbers.

    missing_codes: numbers and words that mean "no value".
    """

    def __init__(self, missing_codes: Sequence[float | str] = ()) -> None:
        self._missing = missing_labels(missing_codes)
        self._codes = [code for code in self._missing if not isinstance(code, str)]
        # Codes given as words must match the spelling, even if they look like numbers.
        self._has_words = any(
            isinstance(code, str) and isinstance(label_key(code), float) for code in self._missing
        )

    def numbers(self, cells: Cells) -> Row | None:
        """Return `value` of all words, NaN if missing; None if some of them are not numbers."""
        if self._has_words or (found := cells.floats) is None:
            return None
        return np.where(~np.isfinite(found) | np.isin(found, self._codes), np.nan, found)

    def value(self, cell: str) -> float | None:
        """Return the number, or None if it is missing.

        Raises StreamError: it is not a number.
        """
        text = cell.strip()
        if text.lower() in self._missing:
            return None
        try:
            value = float(text)
        except ValueError:
            try:
                value = float(text.replace(",", "."))
            except ValueError:
                raise StreamError(f"{shortened(text)} is not a number") from None
        return None if not math.isfinite(value) or value in self._missing else value


class NumberTrainer(Trainer):
    """Asks and trains a learner of targets; answers are in the unit of the stream."""

    targets: TargetScale | None

    @property
    def _unit(self) -> tuple[float, float]:
        """Mean and deviation of the targets so far, unless the learner scales them itself."""
        return (0.0, 1.0) if self.targets is None else self.targets.current

    def learn_one(self, row: Row, label: float) -> tuple[Any, ...]:
        """Learn a row; return the prediction before the update."""
        mean, spread = self._unit
        scaled = label if self.targets is None else self.targets.learn(label)
        return (mean + spread * float(self.learner.learn_one(row, scaled)),)

    def decision_one(self, row: Row) -> tuple[Any, ...]:
        """Return the prediction for a row."""
        mean, spread = self._unit
        return (mean + spread * float(self.learner.decision_one(row)),)

    def ask_one(self, row: Row) -> tuple[Any, ...]:
        """Return the prediction for a row, which then waits for its target."""
        mean, spread = self._unit
        return (mean + spread * float(self.learner.ask_one(row)),)

    def scaled(self, y: Row) -> tuple[Row, tuple[Row, Row] | None]:
        """Return scaled targets, and mean and deviation before each."""
        if self.targets is None:
            return y, None
        scaled, mean, spread = scaled_targets(self.targets, y)
        return scaled, (mean, spread)

    def write(self, rows: Records, columns: Sequence[Row], scaling: tuple[Row, Row] | None) -> None:
        """Write predictions in the unit of the stream; see `Trainer.write`."""
        n = len(rows)
        mean, spread = (0.0, 1.0) if scaling is None else (scaling[0][:n], scaling[1][:n])
        rows["score"] = mean + spread * columns[0][:n]


class RealNumbers(Kind):
    """Targets that are real numbers; an answer is a prediction in the stream's own unit."""

    name = "regression"
    about = noun = "real numbers"
    losses = hosting.losses_of("numbers")
    metrics_class: ClassVar[type[Metrics]] = Regression
    trainer_class: ClassVar[type[Trainer]] = NumberTrainer
    is_forecast = is_numeric = True
    scales_targets = True
    export_refusal: str = (
        "the learner answers in standard deviations of the targets, whose mean and deviation run "
        "beside it, and the C has no such scaler; edgeolk.export_c takes a learner of targets that "
        "you scale yourself"
    )
    in_python = ("a number", "x, label", "from before the update")
    learned_baselines = (WITHOUT_KERNEL, LEAST_SQUARES)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        if hosting.scales_itself(setup.algorithm):
            self.scales_itself, self.scales_targets, self.export_refusal = True, False, ""

    @classmethod
    def recommended(cls, asked: Asked) -> dict[str, Any]:
        """Return a learner that also has the history of its targets; see `Kind.recommended`."""
        forecasts = asked.is_named and asked.is_plain and not asked.asks
        forecasts = forecasts and not asked.is_grouped
        return {**asked.usual, "history": True} if forecasts else asked.usual

    @classmethod
    def claims(cls, column: Column) -> bool:
        """Whether the labels are numbers."""
        return column.is_number

    def labels(self) -> Targets:
        """Return a decoder of numbers."""
        return Targets(self.setup.missing_codes)

    @staticmethod
    def from_numbers(values: Row, n_classes: int) -> Row:
        """Return the numbers."""
        return values

    @staticmethod
    def drawn(n: int, y: Row) -> Row:
        """Return random numbers."""
        return np.random.default_rng(0).normal(size=n)

    def frozen(
        self,
        learner: Any,
        targets: tuple[float, float],
        pending: Sequence[float | None] = (),
    ) -> Callable[[Row, Row], Row]:
        """Return a function to numbers in the unit of the stream; see `Kind.frozen`."""
        mean, spread = targets
        return lambda X, y: mean + spread * np.asarray(learner.decision_function(X))

    def baselines(self, X: Row, raw: Row, y: Row, season: int, *, named: bool) -> dict[str, Row]:
        """Return the target of a season ago, a forecaster without a kernel, and a linear model."""
        found, ahead = {}, self.horizon
        if season >= ahead:
            last = np.concatenate([np.zeros(ahead), y])[: len(y)]
            found[f"value {season:,} rows ago"] = np.concatenate([last[:season], y[:-season]])
        learner = ek.Learner(
            n_features=raw.shape[1], D=0, loss="square", history=True, horizon=ahead,
            season=season if named else 0,
        )  # fmt: skip
        with suppress(ValueError):  # a target exceeds the range that it learns
            found[WITHOUT_KERNEL] = forecasts(learner, raw, y, ahead)
        targets, mean, spread = scaled_targets(TargetScale.with_own_memory(), y)
        known = np.maximum(np.arange(len(y)) - (ahead - 1), 0)  # of the targets that have arrived
        found[LEAST_SQUARES] = mean[known] + spread[known] * least_squares(X, targets, ahead)
        return found

    def hints(self, config: Any, with_params: Callable[..., Hint]) -> Iterator[Hint]:
        """Yield the history of targets, or other step sizes; see `Kind.hints`."""
        if "history" in hosting.options_of(config.resolved.algorithm):
            yield with_params(history=True)
        else:
            for eta in (0.5, 0.02):
                yield with_params(eta=eta)

    def script(self, target: str) -> Script:
        """Return a program that scales targets and answers in their unit."""
        found = (
            "    known = not isinstance(found, str) and np.isfinite(found)\n"
            "    return found if known and found not in ABSENT else None\n"
        )
        if not self.scales_targets:
            return Script("", found, "learner.decision_one(row)", "label")
        return Script(
            "",
            found,
            "targets.mean_[0] + (targets.scale_[0] or 1.0) * learner.decision_one(row)",
            "targets.learn_transform_one(np.array([label]))[0]",
        )


def least_squares(X: Row, y: Row, ahead: int = 1) -> Row:
    """Return the predictions of recursive least squares with a constant and a unit prior.

    ahead: rows after which a target is known.
    """
    ones, _ = with_ones(X)
    inverse, weights = np.eye(ones.shape[1]), np.zeros(ones.shape[1])
    out = np.empty(len(y))
    for i, x in enumerate(ones):
        if i >= ahead:
            row = ones[i - ahead]
            gain = inverse @ row
            gain /= 1.0 + row @ gain
            weights += gain * (y[i - ahead] - weights @ row)
            inverse -= np.outer(gain, row @ inverse)
        out[i] = weights @ x
    return out
