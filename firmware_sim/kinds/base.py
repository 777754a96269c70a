"""The interface of a kind of labels, and what most kinds share.

Replays, comparisons, tuning, fleets and board scripts know only this interface. A kind is a file
here: its decoder (`Labels`), how its learners are asked and trained (`Trainer`), its figures
(`Metrics`), and a subclass of `Kind` that names them, with what its learners have to beat.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

import edgeolk as ek
from edgeolk import hosting
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds.labels import Labels
from firmware_sim.metrics.base import Metrics
from firmware_sim.metrics.batch import FIELDS, Batch, Records, When
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence

#: Rows within which there is at most one drift alarm.
ALARM_INTERVAL = 256
#: Baselines that need each true label before the next row.
NEED_LABELS = ("no-change", "last value")
#: The baseline of a forecaster with linear parts only, which can be built like any other.
WITHOUT_KERNEL = "forecast, no kernel"
#: A change to try, as options and as fields of a configuration.
Hint = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Setup:
    """What a kind of labels reads of a configuration (see `ReplayConfig`)."""

    algorithm: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)  # the algorithm's own parameters
    classes: tuple[str, ...] = ()  # in the learner's order; empty: those found
    positive: str | None = None  # the label that means +1
    missing_codes: tuple[float | str, ...] = ()  # numbers and words that mean "missing"
    period: float | None = None  # seconds between rows; None: as in the time column
    cost: float | None = None  # of a missed +1, in false alarms
    beta: float | None = None  # weight of recall against precision
    decision: str = ""  # "balanced": decisions by the shares of the classes
    ahead: int = 0  # rows from a row's readings to its target; 0: they are of the same row
    season: int = 0  # rows from a target to the earlier one that a forecast is compared with
    zone: str | None = None  # the time zone of the place; None: times are taken as written
    of_windows: bool = False  # whether rows are features of windows


class Asked(NamedTuple):
    """What the parameters of the recommended learner depend on."""

    params: Mapping[str, Any]  # those that the user gave
    #: those of a learner that scales and finds its width, as far as options allow
    usual: dict[str, Any]
    is_plain: bool  # whether these are the default scaling and an automatic width
    is_named: bool  # whether the user has named the kind
    waits: bool  # whether labels may arrive late, never or only on request
    asks: bool  # whether they arrive only on request
    is_grouped: bool = False  # whether consecutive rows may be of different groups


class Column(NamedTuple):
    """What the first rows of a column of labels show."""

    name: str
    is_number: bool
    is_switch: bool  # two words such as on and off
    is_alone: bool  # whether the stream has no other column
    keys: tuple[str | float, ...]  # one a row, as of `labels.label_key`


class Script(NamedTuple):
    """What a board's program does with labels and answers; lines of Python."""

    constants: str = ""
    decoding: str = ""  # the end of ``label_of``, from ``found``; empty: there are no labels
    answer: str = "learner.predict_one(row)"
    argument: str = "label"


class Trainer:
    """Asks and trains a learner, one row at a time or many, and records the answers.

    An answer is a tuple: the score, and the kind's `fields`. It is that before the row is learned.

    learner: a learner, or one in another process (`device.split`).
    targets: the scaler of real targets, if the device scales them.
    dtype: the type of a record.
    moment: the time of the next row that is learned by itself; NaN if unknown.
    """

    #: Fields of a record besides those of every kind, with their types.
    fields: tuple[tuple[Any, ...], ...] = ()

    def __init__(self, learner: Any, targets: Any = None) -> None:
        self.learner, self.targets = learner, targets
        self.dtype = np.dtype([*FIELDS, *self.fields])
        self._names = ("score", *(name for name, *_ in self.fields))
        # A learner in another process has no parameters; its alarms are counted there.
        self._drifts = bool(getattr(learner, "parameters", {}).get("drift"))
        self.moment = math.nan

    def records(self, y: Row, when: When) -> Records:
        """Return the records of rows before they are learned."""
        rows = np.zeros(len(y), self.dtype)
        rows["row"], rows["seconds"], rows["label"] = *when, y
        return rows

    def note(self, rows: Records, at: int, answer: tuple[Any, ...]) -> None:
        """Write the answer to a row into its record."""
        for name, value in zip(self._names, answer, strict=True):
            rows[name][at] = value

    @property
    def alarms(self) -> int:
        """Drift alarms so far."""
        return int(self.learner.alarms) if self._drifts else 0

    def learn_one(self, row: Row, label: float) -> tuple[Any, ...]:
        """Learn a row; return the answer before the update."""
        return (float(self.learner.learn_one(row, label)),)

    def decision_one(self, row: Row) -> tuple[Any, ...]:
        """Return the answer to a row."""
        return (float(self.learner.decision_one(row)),)

    def ask_one(self, row: Row) -> tuple[Any, ...]:
        """Return the answer to a row, which then waits for its label."""
        return (float(self.learner.ask_one(row)),)

    def tell_one(self, target: float | None) -> None:
        """Drop the oldest waiting row, whose label will never come."""
        self.learner.tell_one(target)

    def ask_label(self, row: Row) -> bool:
        """Whether the label could change the model; True is counted as a request."""
        return bool(self.learner.ask_label(row))

    def learn(self, X: Row, y: Row, when: When) -> Batch:
        """Learn scaled rows at compiled speed, with the same results as one by one."""
        found, n = Batch(self.records(y, when)), len(y)
        labels, scaling = self.scaled(y)
        columns = self.columns(n)
        step = ALARM_INTERVAL if self._drifts else max(1, n)
        for first in range(0, n, step):
            alarms, end = self.alarms, min(first + step, n)
            self._learn(found, X[:end], labels[:end], columns, first)
            if self.alarms > alarms:
                learned = np.flatnonzero(~found.rows["refused"][:end])
                since = hosting.rows_since_alarm(self.learner)
                found.rows["drift"][learned[-1 - since]] = True
            if found.stopped is not None:
                break
        self.write(found.rows, columns, scaling)
        return found

    def _learn(self, found: Batch, X: Row, labels: Row, columns: tuple[Row, ...], at: int) -> None:
        """Learn the rows from index `at` on.

        A row that the learner refuses is learned singly; the rows after it together again.
        """
        n, rows = len(X), found.rows
        while at < n:
            steps = self.learner.steps
            try:
                self.learn_rest(X, labels, columns, at)
                return
            except (RuntimeError, ValueError):
                at += self.learner.steps - steps
            if at == n:
                return
            try:
                self.learn_single(X[at], float(labels[at]), columns, at)
            except ValueError as error:
                rows["refused"][at] = True
                found.reasons[int(rows["row"][at])] = error
            except RuntimeError as error:  # a full ring with full="raise"
                found.stopped, found.rows = error, rows[:at]
                return
            at += 1

    def sent(self, labels: Row, when: When) -> Row:
        """Return the number of each row that a learner in another process receives with it."""
        return labels

    def scaled(self, y: Row) -> tuple[Row, tuple[Row, Row] | None]:
        """Return labels as the learner takes them; mean and deviation of each if it is scaled."""
        return y, None

    def columns(self, n: int) -> tuple[Row, ...]:
        """Return memory for the learner's numbers about n rows, the scores first."""
        return (np.zeros(n),)

    def learn_rest(self, X: Row, labels: Row, columns: tuple[Row, ...], at: int) -> None:
        """Learn the rows from index `at` on, and write the learner's numbers to the columns.

        Raises RuntimeError, ValueError: the learner refuses a row; those before it are learned.
        """
        self.learner.learn_many(X[at:], labels[at:], columns[0][at : len(X)])

    def learn_single(self, row: Row, label: float, columns: tuple[Row, ...], at: int) -> None:
        """Learn one row, as `learn_rest`."""
        columns[0][at] = self.learner.learn_one(row, label)

    def write(self, rows: Records, columns: Sequence[Row], scaling: tuple[Row, Row] | None) -> None:
        """Write the learner's numbers about rows into their records.

        columns: of `columns`, or those that a learner in another process has sent.
        scaling: of `scaled`.
        """
        rows["score"] = columns[0][: len(rows)]


class Kind(ABC):
    """One kind of labels, for one configuration."""

    name: ClassVar[str]  # as in ``--kind``
    about: ClassVar[str]  # its labels, for messages
    noun: ClassVar[str]  # what a column of them holds
    #: allowed values of the learner's ``loss``; empty: the learner's own default. The first one
    #: that an algorithm supports is the default.
    losses: ClassVar[tuple[str, ...]] = ()
    metrics_class: ClassVar[type[Metrics]]
    trainer_class: ClassVar[type[Trainer]] = Trainer
    program: str = "score"  # of a learner in another process: `containment.child.Server`
    is_supervised: ClassVar[bool] = True  # whether the learner receives labels
    is_default: ClassVar[bool] = False  # whether it is the kind if nothing says another
    is_forecast: ClassVar[bool] = False  # whether it is the kind of --forecast
    is_numeric: ClassVar[bool] = False  # whether labels are readings, such as of another sensor
    takes_positive: ClassVar[bool] = False  # whether a label can be named that means +1
    takes_classes: ClassVar[bool] = False  # whether classes are named, or found beforehand
    counts_zero_as_mistake: ClassVar[bool] = False  # whether learners do, while 0 is an answer
    scales_targets: bool = False  # whether the device scales labels
    keeps_rows: bool = False  # whether the learner itself stores rows that wait for their labels
    uses_order: bool = False  # whether the order of rows matters: gaps are marked, and forgotten
    scales_itself: bool = False  # whether the learner always scales, and has no width to choose
    #: how the learner chooses the width of its kernel, where it does
    width_inside: str = "gamma follows the learned rows"
    export_refusal: str = ""  # why models are not exported; empty if they are
    #: for programs that a comparison prints: a label, arguments of ``learn_one``, its result
    in_python: ClassVar[tuple[str, str, str]]
    #: baselines of a comparison that learn from readings
    learned_baselines: ClassVar[tuple[str, ...]] = ()

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    # The learner's arguments.

    def timed_params(self) -> dict[str, Any]:
        """Return the learner's further arguments if rows have an hour of the day."""
        return {}

    @classmethod
    @abstractmethod
    def recommended(cls, asked: Asked) -> dict[str, Any]:
        """Return the recommended learner's parameters besides those that the user gave."""

    def learner_params(self) -> dict[str, Any]:
        """Return the learner's arguments besides the parameters that the user gave.

        Raises SimulatorError: the algorithm does not support this kind.
        """
        algorithm, given = self.setup.algorithm, self.setup.params
        if not self.losses or "loss" in given:
            return {}
        accepted = [loss for loss in self.losses if _takes(algorithm, loss)]
        if not accepted:
            suitable = [row.name for row in ek.algorithms() if _takes(row.name, *self.losses)]
            raise SimulatorError(
                f"{algorithm} is not for {self.about}; these are: {', '.join(suitable)}"
            )
        return {"loss": accepted[0]} if hosting.chooses_loss(algorithm) else {}

    def queued_params(self, queue_rows: int) -> dict[str, Any]:
        """Return the arguments of a learner that stores so many rows itself."""
        return {}

    @property
    def horizon(self) -> int:
        """Rows until a label arrives, by the learner's parameters."""
        return 1

    def check(self, *, ask: bool, gap: float | None, process: bool) -> None:
        """Raise SimulatorError for options that this kind lacks; see `ReplayConfig`."""
        if gap is not None and not self.uses_order:
            raise SimulatorError(
                "gap is for rows in the order of time: --kind regression --param history=true, or "
                "--kind novelty"
            )

    # Labels.

    def task(self, target: str) -> str:
        """Return what is done about a column, in a few words."""
        return f"{target}, {self.noun}"

    @classmethod
    def claims(cls, column: Column) -> bool:
        """Whether labels seem to be of this kind; kinds before it have not claimed them."""
        return False

    @abstractmethod
    def labels(self) -> Labels:
        """Return a decoder of the target column."""

    def found_classes(self, cells: Iterable[str]) -> tuple[str, ...]:
        """Return the classes that occur; for kinds that have `takes_classes`.

        Raises StreamError: there are too few or too many.
        """
        return ()

    def warnings(self, labels: Any, metrics: Any, *, target: str, is_live: bool) -> Iterator[str]:
        """Yield warnings on the labels of a replay; empty ones do not count.

        labels, metrics: the decoder and the figures at the end.
        target: name of the column.
        is_live: whether the stream came only once.
        """
        yield labels.warning()

    @staticmethod
    def from_numbers(values: Row, n_classes: int) -> Row:
        """Return labels that follow from numbers, of so many classes if there are several."""
        return np.where(values > 0, 1.0, -1.0)

    @staticmethod
    def drawn(n: int, y: Row) -> Row:
        """Return random labels for `n` rows of a stream with the labels `y`."""
        return np.where(np.random.default_rng(0).random(n) < 0.5, -1.0, 1.0)

    # The learner.

    def trainer(self, learner: Any, targets: Any = None) -> Trainer:
        """Return what asks and trains a learner; see `Trainer`."""
        return self.trainer_class(learner, targets)

    def frozen(
        self,
        learner: Any,
        targets: tuple[float, float],
        pending: Sequence[float | None] = (),
    ) -> Callable[[Row, Row], Row]:
        """Return a function from rows and labels to answers of a learner that learns no more.

        learner: a copy of the learner.
        targets: mean and deviation of the labels, if the device scales them.
        pending: labels, in order, of the rows that wait for theirs in the learner itself.
        """
        return lambda X, y: np.asarray(learner.decision_function(X))

    # Evaluation.

    def metrics(self, cadence: Cadence) -> Metrics:
        """Return new metrics; `cadence` measures the seconds between rows."""
        return self.metrics_class()

    def baselines(self, X: Row, raw: Row, y: Row, season: int, *, named: bool) -> dict[str, Row]:
        """Return the scores of further baselines of a comparison, by name.

        X: scaled rows.
        raw: the rows before scaling; NaN for missing readings.
        season: rows of a season, 0 for none.
        named: whether the user gave the season.
        """
        return {}

    def wrong(self, rows: Records) -> Row | None:
        """Return for each row whether the answer is wrong; None if answers are not classes."""
        return None

    def judges(self, y: Row, first: int) -> bool:
        """Whether answers can be evaluated on the rows from `first` on, and on those before."""
        return True

    def hints(self, config: Any, with_params: Callable[..., Hint]) -> Iterator[Hint]:
        """Yield changes that may improve a learner which does not beat its baselines.

        config: the configuration of the replay.
        with_params: returns the change of some parameters.
        """
        yield from last_label_hint(config, with_params)
        if config.resolved.algorithm not in (ek.Config(n_features=1).name, "bpa_s"):
            other = {"params": {"C": 2.0}, "algorithm": "bpa_s", "kind": self.name}
            yield f"--algorithm bpa_s --param C=2{self.option(config)}", other

    def option(self, config: Any) -> str:
        """Return the option that names this kind where parameters no longer imply it."""
        implied = self.is_default or self.name == config.kind or config.classes
        return "" if implied else f" --kind {self.name}"

    # Programs.

    def python_head(self) -> list[str]:
        """Return lines before the loop of a program that a comparison prints."""
        return []

    @abstractmethod
    def script(self, target: str) -> Script:
        """Return what a board's program does; `target` is the name of the column of labels."""


def last_label_hint(config: Any, with_params: Callable[..., Hint]) -> Iterator[Hint]:
    """Yield the change of whether the last label is an expert."""
    algorithm, params, *_ = config.resolved
    if "last_label" not in hosting.options_of(algorithm):
        return
    if params.get("last_label") or not config.waits_for_labels:
        extra = {"lapse": 0} if "lapse" in config.params else {}
        yield with_params(last_label=not params.get("last_label"), **extra)


def forecasts(learner: Any, X: Row, y: Row, ahead: int) -> Row:
    """Return the answers of a forecaster that learns each target so many rows after its answer."""
    if ahead == 1:
        return np.asarray(learner.learn_many(X, y))
    out = np.empty(len(y))
    for at, row in enumerate(X):
        if at >= ahead:
            learner.tell_one(y[at - ahead])
        out[at] = learner.ask_one(row)
    return out


def with_ones(X: Row) -> tuple[Row, Row]:
    """Return the rows with a constant last reading, and their squared norms."""
    ones = np.hstack([X, np.ones((len(X), 1))])
    return ones, np.einsum("ij,ij->i", ones, ones)


@lru_cache
def _takes(algorithm: str, *losses: str) -> bool:
    """Whether an algorithm supports one of the losses; unknown algorithms are refused elsewhere."""
    for loss in losses:
        options: dict[str, Any] = {"loss": loss} if hosting.chooses_loss(algorithm) else {}
        try:
            config = ek.Config(algorithm, n_features=1, budget=64, **options)
        except (TypeError, ValueError):
            continue
        if hosting.traits_of(config).loss == loss:
            return True
    return False
