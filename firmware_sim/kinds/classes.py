"""Labels of several classes, and what they share with labels of two.

Sensor labels stay the same for long stretches, so an error rate says little by itself. Two
baselines see the same rows: the majority class so far, and no-change, which repeats the last
label. Kappa against no-change measures the improvement over repeating the last label.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np

from edgeolk import hosting
from firmware_sim.drawing.document import Table
from firmware_sim.errors import StreamError
from firmware_sim.kinds.base import Asked, Column, Kind, Script, Trainer, with_ones
from firmware_sim.kinds.labels import (
    LabelCounter,
    classes_option,
    label_key,
    lowercase,
    missing_labels,
)
from firmware_sim.metrics.base import (
    Band,
    Bars,
    Figure,
    Matrix,
    Metrics,
    Panel,
    count,
    percent,
    ratio,
    thousandths,
)
from firmware_sim.metrics.batch import Batch, Records
from firmware_sim.metrics.confusion import Classes, ClassFigures, ClassTable
from firmware_sim.metrics.curve import CURVE_POINTS, Curve, rising_errors
from firmware_sim.plaintext import shortened
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence

#: Most classes of a stream; a column of measurements has more different values.
_MAX_CLASSES = 256
#: Most distinct numbers that count as classes, absolutely and as a share of rows.
_FEW, _SHARE = 20, 0.2
#: Most classes with a full confusion matrix; of more, the commonest mistakes are shown.
_MAX_IN_MATRIX, _MAX_MISTAKES = 12, 8
#: Name of a linear model.
PASSIVE_AGGRESSIVE = "linear (PA-I)"

#: The figures of any number of classes.
FIGURES = {
    "error": Figure("error", percent, lambda record, _: ratio(record.wrong, record.rows)),
    "kappa": Figure(
        "kappa",
        thousandths,
        lambda record, _: record.kappa,
        "agreement beyond chance: 1 is perfect, 0 no better than guessing by how common each class "
        "is",
    ),
    "kappa_no_change": Figure(
        "kappa vs no-change",
        thousandths,
        lambda record, metrics: ratio(
            metrics.no_change.wrong - record.wrong, metrics.no_change.wrong
        ),
        "1 is perfect, 0 as good as repeating the last label, below 0 worse",
        against="no_change",
    ),
    "wrong": Figure("", count, lambda record, _: record.wrong),
}


class Answers(Metrics):
    """Records of the learner, of the majority class so far, and of no-change.

    learner, majority, no_change: the three records; the curve counts their wrong answers.
    """

    baselines: ClassVar = {"majority": "majority class", "no_change": "no-change"}
    lasting_baselines: ClassVar = ("majority",)

    learner: ClassTable

    def __init__(self, record: Callable[[], ClassTable], first: int, points: int) -> None:
        self._record, self._points = record, points
        self._last = first
        self.clear()

    def clear(self) -> None:
        """Forget all rows; see `Metrics.clear`."""
        self.learner, self.majority, self.no_change = (self._record() for _ in range(3))
        self.curve = Curve(self._points)

    @abstractmethod
    def answers(self, scores: Any) -> Any:
        """Return the class of a score, or the classes of an array of scores."""

    @abstractmethod
    def _majorities(self, revealed: Classes) -> Classes:
        """Count labels; return the commonest class before each of them and after the last."""

    def add_block(self, batch: Batch, observed: Any = None) -> None:
        """Count rows; see `Metrics.add_block`."""
        rows, arrived = batch.learned, batch.revealed()
        true = rows["label"].astype(np.int64)
        if not len(true):
            return
        revealed, before = true, np.arange(len(true))
        if arrived is not None:
            revealed, before = arrived.labels.astype(np.int64), arrived.before
        lasts = np.concatenate([[self._last], revealed])
        running = []
        for record, predicted in (
            (self.learner, self.answers(rows["score"]).astype(np.int64)),
            (self.majority, self._majorities(revealed)[before]),
            (self.no_change, lasts[before]),
        ):
            running.append(record.wrong + np.cumsum(predicted != true))
            record.add_block(true, predicted)
        self.curve.add_block(np.column_stack(running))
        self._last = int(lasts[-1])

    def add_answers(self, batch: Batch) -> None:
        """Count rows for the learner alone."""
        rows = batch.learned
        answers = self.answers(rows["score"]).astype(np.int64)
        self.learner.add_block(rows["label"].astype(np.int64), answers)

    def loss(self, name: str) -> float:
        """Return the number of wrong answers of one of the three."""
        record: ClassTable = getattr(self, name)
        return record.wrong

    def shown(self, name: str) -> str:
        """Return the number of wrong answers as text."""
        return f"{self.loss(name):,.0f} wrong"

    def bands(self, features: Sequence[str]) -> Iterator[Band]:
        """Yield where the error rises."""
        for first, last in rising_errors(self.curve):
            yield "rise", first, last, f"the error rises, rows {first:,} to {last:,}"


class Multiclass(Answers):
    """Records of a learner of several classes and of both baselines.

    A score is the class that the learner predicts. Before the first label the baselines answer the
    first class; of equally common classes the first is the majority.

    names: the classes; labels are their indices.
    """

    kind = "multiclass"
    detail_names = ("classes",)
    table: ClassVar = {
        **FIGURES,
        "macro_f1": Figure(
            "macro F1",
            thousandths,
            lambda record, _: record.macro_f1,
            "the mean over classes of how complete and how correct answers are: 1 is perfect",
        ),
        "classes_seen": Figure("", count, lambda record, _: int(np.sum(record.counts.any(axis=1)))),
    }

    def __init__(self, names: Sequence[str], points: int = CURVE_POINTS) -> None:
        super().__init__(lambda: ClassTable(len(names)), 0, points)
        self.names = tuple(names)
        self._seen = np.zeros(len(names), dtype=np.int64)

    def answers(self, scores: Any) -> Any:
        """Return the scores, which are classes already."""
        return scores

    def _majorities(self, revealed: Classes) -> Classes:
        seen = np.cumsum(revealed[:, np.newaxis] == np.arange(len(self._seen)), axis=0)
        seen = np.vstack([self._seen, self._seen + seen])
        self._seen = seen[-1]
        commonest: Classes = np.argmax(seen, axis=1)
        return commonest

    def by_class(self) -> list[ClassFigures]:
        """Return the learner's figures for each class."""
        return self.learner.by_class(self.names)

    @staticmethod
    def constant_labels(figures: Mapping[str, Any], used: int) -> str:
        """Return the sentence on labels that are all equal; see `Metrics.constant_labels`."""
        return f"all {used:,} labels are of one class" if figures["classes_seen"] == 1 else ""

    def details(self, features: Sequence[str]) -> dict[str, Any]:
        """Return figures by class and the confusion matrix, in types of strict JSON."""
        return {
            "classes": {
                "names": list(self.names),
                "by_class": [asdict(one) for one in self.by_class()],
                "confusion": self.learner.counts.tolist(),
            }
        }

    def tables(self, features: Sequence[str]) -> list[Table]:
        """Return the figures of each class, and the confusion matrix."""
        rows = [
            (one.name, count(one.support), *map(thousandths, (one.precision, one.recall, one.f1)))
            for one in self.by_class()
        ]
        head = ("", "support", "precision", "recall", "F1")
        return [Table("classes", "Classes", head, rows), self._confusion()] if self.rows else []

    def _confusion(self) -> Table:
        counts, names = self.learner.counts, self.names
        if len(names) <= _MAX_IN_MATRIX:
            rows = [
                (name, *map(count, line.tolist())) for name, line in zip(names, counts, strict=True)
            ]
            title = "Answers: a row for each class of the stream, a column for each answer"
            return Table("confusion", title, ("", *names), rows)
        mistakes = sorted(
            (-int(counts[i, j]), i, j) for i, j in zip(*counts.nonzero(), strict=True) if i != j
        )
        rows = [(names[i], names[j], count(-n)) for n, i, j in mistakes[:_MAX_MISTAKES]]
        head = ("in the stream", "answered", "rows")
        return Table("confusion", "Commonest mistakes", head, rows)

    def panels(self, features: Sequence[str]) -> list[Panel]:
        """Return the confusion matrix, and precision, recall and F1 of each class."""
        if not self.rows:
            return []
        each, macro = self.by_class(), self.learner.macro_f1
        series = {
            name: [getattr(one, name.lower()) or 0.0 for one in each]
            for name in ("F1", "precision", "recall")
        }
        matrix = Matrix(self.names, self.learner.counts, ("in the stream", "answered"))
        title = f"F1 by class, mean {macro:.3f}" if macro is not None else "F1 by class"
        return [
            Panel("matrix", "Answers by class, shares of each row", matrix),
            Panel("f1", title, Bars(self.names, [one.support for one in each], series)),
        ]


class ClassNames(LabelCounter):
    """Decode a target column of several classes.

    names: the classes in the order of their numbers, from 0. Numbers are compared as numbers.
    missing_codes: numbers and words that mean "no label", unless they are a class.
    """

    def __init__(self, names: Sequence[str], missing_codes: Sequence[float | str] = ()) -> None:
        self._places = {label_key(name): place for place, name in enumerate(names)}
        self._missing = missing_labels(missing_codes).difference(self._places)
        super().__init__()

    def value(self, cell: str) -> int | None:
        """Return the number of the class, or None if the label is missing.

        Raises StreamError: it is not one of the classes.
        """
        key = label_key(cell)
        place = self._places.get(key)
        if place is None and lowercase(key) not in self._missing:
            raise StreamError(
                f"label {shortened(cell.strip())} is not one of the {len(self._places)} classes: "
                "name all of them with --classes A,B,C"
            )
        return place

    @staticmethod
    def found(cells: Iterable[str], missing_codes: Sequence[float | str] = ()) -> tuple[str, ...]:
        """Return the classes that occur, sorted as numbers if all are, else as words.

        Raises StreamError: there are more than 256 or fewer than two classes, or no cells.
        """
        names: dict[str | float, str] = {}
        missing_words = missing_labels(missing_codes)
        counter = ClassNames((), missing_codes)
        for cell in cells:
            key = label_key(cell)
            if lowercase(key) in missing_words:
                counter.tally(cell, None, 1)
            elif key not in names:
                names[key] = cell.strip()
                if len(names) > _MAX_CLASSES:
                    raise StreamError(
                        f"more than {_MAX_CLASSES} classes, such as {shortened(cell.strip())}: "
                        "real numbers are learned with --kind regression"
                    )
        if not (names or counter.cells):
            raise StreamError("there is no readable row after the header")
        if len(names) < 2:
            raise StreamError(_too_few([*names.values()], [*counter.missing_words]))
        numbers = all(isinstance(key, float) for key in names)
        order = sorted((float(key) if numbers else 0.0, name) for key, name in names.items())
        return tuple(name for _, name in order)

    def remedy(self, option: str) -> str:
        """Return what makes a word for "no label" a class."""
        return f"name all classes: {option}"


def _too_few(names: list[str], words: list[str]) -> str:
    """Return the message for labels of fewer than two classes."""
    text = f"the labels hold {shortened(names[0])} alone" if names else "every label is missing"
    text += ": two classes are the least"
    if not words:
        return text
    listing = " and ".join(map(shortened, words))
    text += f"; {listing} {'is' if len(words) == 1 else 'are'} read as missing"
    return f"{text}; if that is a class: {classes_option(names, words)}"


class ClassTrainer(Trainer):
    """Asks and trains a learner of several classes; its score is the class it predicts."""

    def learn_one(self, row: Row, label: float) -> tuple[Any, ...]:
        """Learn a row; return the class predicted before the update."""
        answer = self.decision_one(row)
        self.learner.learn_one(row, label)
        return answer

    def decision_one(self, row: Row) -> tuple[Any, ...]:
        """Return the class predicted for a row."""
        return (float(self.learner.predict_one(row)),)

    def ask_one(self, row: Row) -> tuple[Any, ...]:
        """Return the class predicted for a row, which then waits for its label."""
        # A learner in another process has chosen the class itself.
        found = self.learner.ask_one(row)
        return (float(found if isinstance(found, float) else np.argmax(found)),)

    def columns(self, n: int) -> tuple[Row, ...]:
        """Return memory for classes with scratch for the scores of one row, and for margins."""
        return np.empty(n + int(self.learner.n_classes)), np.empty(n)

    def learn_rest(self, X: Row, labels: Row, columns: tuple[Row, ...], at: int) -> None:
        """Learn rows; see `Trainer.learn_rest`."""
        classes, margins = columns
        n, scratch = len(X), len(classes) - len(margins)
        hosting.learn_many(
            self.learner, X[at:], labels[at:], margins[at:n], classes[at : n + scratch]
        )

    def learn_single(self, row: Row, label: float, columns: tuple[Row, ...], at: int) -> None:
        """Learn one row; see `Trainer.learn_single`."""
        (columns[0][at],) = self.learn_one(row, label)


class SeveralClasses(Kind):
    """Labels 0, 1, ...; an answer is the predicted class."""

    name = "multiclass"
    about = "labels of several classes"
    noun = "several classes"
    metrics_class = Multiclass
    trainer_class = ClassTrainer
    takes_classes = True
    program = "class"
    in_python = ("one of classes", "x, classes.index(label)", "margin before the update")
    learned_baselines = (PASSIVE_AGGRESSIVE,)

    def learner_params(self) -> dict[str, Any]:
        """Return the number of classes; see `Kind.learner_params`."""
        return {"n_classes": max(2, len(self.setup.classes)), **super().learner_params()}

    @classmethod
    def recommended(cls, asked: Asked) -> dict[str, Any]:
        """Return a learner that also has the last label; see `Kind.recommended`."""
        return with_last_label(asked)

    @classmethod
    def claims(cls, column: Column) -> bool:
        """Whether there are few integers, or few words."""
        keys = {*column.keys}
        if not column.is_number:
            return len(keys) < max(3, 0.5 * len(column.keys))
        numbers = {key for key in keys if not isinstance(key, str)}
        few = len(numbers) <= min(_FEW, max(2, _SHARE * len(column.keys)))
        named = column.name.strip().lower() in ("label", "class", "target")
        are_classes = all(key == int(key) for key in numbers) and few and len(numbers) > 1
        return not column.is_alone and are_classes and (named or len(numbers) <= 10)

    def labels(self) -> ClassNames:
        """Return a decoder of names."""
        return ClassNames(self.setup.classes, self.setup.missing_codes)

    def found_classes(self, cells: Iterable[str]) -> tuple[str, ...]:
        """Return the classes that occur; see `Kind.found_classes`."""
        return ClassNames.found(cells, self.setup.missing_codes)

    @staticmethod
    def from_numbers(values: Row, n_classes: int) -> Row:
        """Return classes that follow from the sizes of numbers."""
        return np.asarray(np.floor(np.abs(values) * n_classes) % n_classes)

    @staticmethod
    def drawn(n: int, y: Row) -> Row:
        """Return random classes."""
        return np.random.default_rng(0).integers(0, int(y.max()) + 1, n).astype(float)

    def frozen(
        self,
        learner: Any,
        targets: tuple[float, float],
        pending: Sequence[float | None] = (),
    ) -> Callable[[Row, Row], Row]:
        """Return a function to classes; see `Kind.frozen`."""
        return lambda X, y: np.asarray(learner.predict(X), dtype=float)

    def metrics(self, cadence: Cadence) -> Multiclass:
        """Return new metrics with the names of the classes."""
        return Multiclass(self.setup.classes)

    def baselines(self, X: Row, raw: Row, y: Row, season: int, *, named: bool) -> dict[str, Row]:
        """Return a linear model for classes."""
        return {PASSIVE_AGGRESSIVE: passive_aggressive_classes(X, y)}

    def wrong(self, rows: Records) -> Row:
        """Return which answers are other classes."""
        return np.asarray(rows["score"] != rows["label"], dtype=float)

    def python_head(self) -> list[str]:
        """Return the line with the classes."""
        return [f"classes = {list(self.setup.classes)!r}"]

    def script(self, target: str) -> Script:
        """Return a program that decodes the classes and answers with their names."""
        classes = self.setup.classes
        places = {label_key(name): place for place, name in enumerate(classes)}
        return Script(
            f"CLASSES = {[*classes]!r}  # of {target!r}\n"
            f"LABELS = {places!r}  # 1 and 1.0 are the same\n",
            "    return LABELS.get(found)\n",
            "CLASSES[learner.predict_one(row)]",
        )


def with_last_label(asked: Asked) -> dict[str, Any]:
    """Return parameters with the last label as an expert, if that is known before the next row."""
    if {"history", "last_label", "loss"} & set(asked.params) or asked.waits or asked.is_grouped:
        return asked.usual
    return {**asked.usual, "last_label": True, "lapse": hosting.ANSWERS_BY_LABEL}


def passive_aggressive_classes(X: Row, y: Row, C: float = 1.0) -> Row:
    """Return the answers of PA-I for several classes (Crammer et al., JMLR 2006, section 8)."""
    ones, squares = with_ones(X)
    weights = np.zeros((int(y.max()) + 1, ones.shape[1]))
    answers = np.empty(len(y))
    for i, (x, true, square) in enumerate(zip(ones, y.astype(int), squares, strict=True)):
        scores = weights @ x
        answers[i] = int(np.argmax(scores))
        others = scores.copy()
        others[true] = -np.inf
        rival = int(np.argmax(others))
        loss = 1.0 - scores[true] + scores[rival]
        if loss > 0.0:
            step = min(C, loss / (2.0 * square)) * x
            weights[true] += step
            weights[rival] -= step
    return answers
