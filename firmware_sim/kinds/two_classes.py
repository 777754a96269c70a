"""Labels of two classes, -1 and +1."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar

import numpy as np

from firmware_sim.drawing.document import Table
from firmware_sim.errors import StreamError
from firmware_sim.kinds.base import Asked, Column, Kind, Script, with_ones
from firmware_sim.kinds.classes import (
    FIGURES,
    PASSIVE_AGGRESSIVE,
    Answers,
    Classes,
    ClassTable,
    with_last_label,
)
from firmware_sim.kinds.labels import LabelCounter, label_key, lowercase, missing_labels
from firmware_sim.metrics.base import Figure, count, thousandths
from firmware_sim.metrics.batch import Records
from firmware_sim.metrics.curve import CURVE_POINTS
from firmware_sim.plaintext import shortened
from firmware_sim.streams import Row
from firmware_sim.streams.cells import NO, YES

#: Numbers that mean two classes, and the minimum share of rows with them; the rest is damage.
_PAIRS, _SURE = ({0.0, 1.0}, {-1.0, 1.0}), 0.95


class Confusion(ClassTable):
    """Counts of right and wrong answers for each of two classes, -1 and +1."""

    def __init__(self) -> None:
        super().__init__(2)

    def add_block(self, labels: Classes, answers: Classes) -> None:
        """Count rows."""
        super().add_block((labels > 0).astype(np.int64), (answers > 0).astype(np.int64))

    @property
    def true_positive(self) -> int:
        """Rows of class +1 that were answered +1."""
        return int(self.counts[1, 1])

    @property
    def false_positive(self) -> int:
        """Rows of class -1 that were answered +1."""
        return int(self.counts[0, 1])

    @property
    def true_negative(self) -> int:
        """Rows of class -1 that were answered -1."""
        return int(self.counts[0, 0])

    @property
    def false_negative(self) -> int:
        """Rows of class +1 that were answered -1."""
        return int(self.counts[1, 0])

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall of the class +1."""
        return self.by_class()[1].f1


class Prequential(Answers):
    """Records of a learner of two classes, -1 and +1, and of both baselines.

    A score of 0 or more means +1, as in the learner's own ``predict_one``. Before the first label
    the baselines answer +1 too, and an even balance of labels counts as a majority of +1.
    """

    learner: Confusion
    kind = "binary"
    table: ClassVar = {
        **FIGURES,
        "f1": Figure(
            "F1",
            thousandths,
            lambda record, _: record.f1,
            "of the class +1, how complete and how correct its answers are: 1 is perfect",
        ),
        "true_positive": Figure("", count, lambda record, _: record.true_positive),
        "false_positive": Figure("", count, lambda record, _: record.false_positive),
        "true_negative": Figure("", count, lambda record, _: record.true_negative),
        "false_negative": Figure("", count, lambda record, _: record.false_negative),
    }

    def __init__(self, points: int = CURVE_POINTS) -> None:
        super().__init__(Confusion, 1, points)
        self._balance = 0

    def answers(self, scores: Any) -> Any:
        """Return the class of a score, or the classes of an array of scores."""
        return 2 * (scores >= 0.0) - 1

    def _majorities(self, revealed: Classes) -> Classes:
        balance = self._balance + np.concatenate([[0], np.cumsum(revealed)])
        self._balance = int(balance[-1])
        return np.where(balance >= 0, 1, -1)

    @staticmethod
    def constant_labels(figures: Mapping[str, Any], used: int) -> str:
        """Return the sentence on labels that are all equal; see `Metrics.constant_labels`."""
        sides = [
            sum(int(figures.get(name) or 0) for name in names)
            for names in (("true_positive", "false_negative"), ("true_negative", "false_positive"))
        ]
        both = all(sides)
        return "" if both else f"all {sum(sides):,} labels mean {'+1' if sides[0] else '-1'}"

    def tables(self, features: Sequence[str]) -> list[Table]:
        """Return the confusion matrix."""
        counts = self.learner
        rows = [
            ("+1 in the stream", count(counts.true_positive), count(counts.false_negative)),
            ("-1 in the stream", count(counts.false_positive), count(counts.true_negative)),
        ]
        head = ("", "predicted +1", "predicted -1")
        return [Table("confusion", "Answers", head, rows)] if self.rows else []


class LabelMap(LabelCounter):
    """Decode the cells of the target column.

    positive: the value that means +1; every other value then means -1. Numbers are compared as
        numbers, so ``"1"`` and ``"1.0"`` are the same label. Without it the stream must use 1 and
        -1, 1 and 0, or true and false, yes and no, on and off.
    missing_codes: numbers and words that mean "no label", unless they are a label that is
        understood.
    is_supervised: whether the learner receives the labels; labels that only evaluate it always have
        two classes.
    """

    def __init__(
        self,
        positive: str | None = None,
        missing_codes: Sequence[float | str] = (),
        *,
        is_supervised: bool = True,
    ) -> None:
        self._is_supervised = is_supervised
        self._missing = missing_labels(missing_codes)
        self._positive_key = None if positive is None else label_key(positive)
        self._negative_seen: float | None = None
        super().__init__()

    def value(self, cell: str) -> int | None:
        """Return +1 or -1, or None if the label is missing.

        Raises StreamError: the label is not understood; the caller adds the row to the message.
        """
        return self._decoded(label_key(cell), cell)

    def never_message(self, positive: str, column: str) -> str:
        """Return the message for a positive label that never occurred among the others."""
        if not self.seen:
            return ""
        common = sorted(self.seen.items(), key=lambda item: -item[1])[:6]
        listing = ", ".join(f"{shortened(name)} ({count:,})" for name, count in common)
        similar = get_close_matches(positive.lower(), [name.lower() for name in self.seen], n=1)
        suggestion = next((name for name in self.seen if name.lower() in similar), None)
        hint = f"; did you mean --positive {shlex.quote(suggestion)}?" if suggestion else ""
        return f"the label {positive!r} never occurs in column {column!r}: {listing}{hint}"

    def one_sided_warning(self, used: int, positive: int) -> str:
        """Return the warning about labels that all mean the same; empty if they do not.

        used, positive: number of learned rows, and of those with a label of +1.
        """
        if used < 2 or positive not in (0, used):
            return ""
        names = ", ".join(map(shortened, self.seen))
        return (
            f"all {used:,} labels mean {'+1' if positive else '-1'} ({names}): "
            "there is nothing to learn, and the figures are meaningless"
        )

    def _decoded(self, key: str | float, cell: str) -> int | None:
        if self._positive_key is not None and key == self._positive_key:
            return 1
        if self._positive_key is not None:
            return None if lowercase(key) in self._missing else -1
        if key == 1.0:
            return 1
        if key in (0.0, -1.0):
            # 1, 0 and -1 in one stream are three classes, and guessing which two belong
            # together would be silent and wrong half of the time.
            if self._negative_seen is None:
                self._negative_seen = float(key)
            elif key != self._negative_seen:
                raise StreamError(
                    "the labels 0 and -1 both occur: name the one that means +1 with --positive"
                )
            return -1
        if lowercase(key) in self._missing:
            return None
        if isinstance(key, str) and key.lower() in YES | NO:
            return 1 if key.lower() in YES else -1
        text = f"label {shortened(cell.strip())} is neither 1 nor -1 or 0: "
        text += "name the value that means "
        if not self._is_supervised:
            raise StreamError(
                f"{text}a labelled failure with --positive VALUE, or evaluate without labels: omit "
                "--target, and exclude this column with --ignore"
            )
        raise StreamError(
            f"{text}+1 with --positive VALUE, or learn several classes or real numbers: "
            "--kind multiclass, --kind regression"
        )

    def remedy(self, option: str) -> str:
        """Return what makes a word for "no label" a class."""
        text = super().remedy(option)
        return f"{text}, or give --kind multiclass {option}" if self._is_supervised else text


class TwoClasses(Kind):
    """Labels -1 and +1; an answer is a score, of 0 or more for +1."""

    name = "binary"
    about = "labels of two classes"
    noun = "two classes"
    metrics_class = Prequential
    is_default = True
    takes_positive = True
    counts_zero_as_mistake = True
    in_python = ("-1 or +1", "x, label", "from before the update")
    learned_baselines = (PASSIVE_AGGRESSIVE,)

    @classmethod
    def recommended(cls, asked: Asked) -> dict[str, Any]:
        """Return a learner that also has the last label; see `Kind.recommended`."""
        return with_last_label(asked)

    @classmethod
    def claims(cls, column: Column) -> bool:
        """Whether the column is a switch, or has almost only two numbers."""
        two = max(sum(key in pair for key in column.keys) for pair in _PAIRS)
        is_series = column.is_number and column.is_alone
        return not is_series and (column.is_switch or two >= _SURE * len(column.keys))

    def labels(self) -> LabelMap:
        """Return a decoder to -1 and +1."""
        return LabelMap(self.setup.positive, self.setup.missing_codes)

    def warnings(self, labels: Any, metrics: Any, *, target: str, is_live: bool) -> Iterator[str]:
        """Yield warnings on the labels, also where all mean the same; see `Kind.warnings`."""
        yield from super().warnings(labels, metrics, target=target, is_live=is_live)
        positive = metrics.learner.true_positive + metrics.learner.false_negative
        wanted = self.setup.positive
        if is_live and wanted and labels.seen and not positive:
            # Only for a live stream: a file was searched for the label before the replay.
            yield labels.never_message(wanted, target)
        else:
            yield labels.one_sided_warning(metrics.rows, positive)

    def baselines(self, X: Row, raw: Row, y: Row, season: int, *, named: bool) -> dict[str, Row]:
        """Return a linear model."""
        return {PASSIVE_AGGRESSIVE: passive_aggressive(X, y)}

    def wrong(self, rows: Records) -> Row:
        """Return which answers are of the other sign, or 0."""
        return np.asarray(rows["score"] * rows["label"] <= 0.0, dtype=float)

    def script(self, target: str) -> Script:
        """Return a program that decodes words and numbers to -1 and +1."""
        positive = self.setup.positive
        if positive is None:
            signs: dict[Any, int] = {1.0: 1, 0.0: -1, -1.0: -1}
            signs |= {**dict.fromkeys(sorted(YES), 1), **dict.fromkeys(sorted(NO), -1)}
            lower = "found.lower() if isinstance(found, str) else found"
            constants = f"LABELS = {signs!r}  # of {target!r}\n"
            return Script(constants, f"    return LABELS.get({lower})\n")
        return Script(
            f"POSITIVE = {label_key(positive)!r}  # the value of {target!r} that means +1\n",
            "    if found == POSITIVE:\n"
            "        return 1\n"
            "    return None if str(found).lower() in NOTHING or found in ABSENT else -1\n",
        )


def passive_aggressive(X: Row, y: Row, C: float = 1.0) -> Row:
    """Return the scores of PA-I with a constant, for labels -1 and +1."""
    ones, squares = with_ones(X)
    weights, scores = np.zeros(ones.shape[1]), np.empty(len(y))
    for i, (x, label, square) in enumerate(zip(ones, y, squares, strict=True)):
        scores[i] = weights @ x
        loss = 1.0 - label * scores[i]
        if loss > 0.0:
            weights += min(C, loss / square) * label * x
    return scores
