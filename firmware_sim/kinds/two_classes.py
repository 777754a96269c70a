"""Labels of two classes, -1 and +1."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar

import numpy as np

from edgeolk.hosting import Probabilities
from firmware_sim.drawing.document import Table
from firmware_sim.errors import StreamError
from firmware_sim.kinds.base import Asked, Column, Kind, Script, with_ones
from firmware_sim.kinds.classes import (
    FIGURES,
    PASSIVE_AGGRESSIVE,
    Answers,
    with_last_label,
)
from firmware_sim.kinds.labels import LabelCounter, label_key, lowercase, missing_labels
from firmware_sim.metrics.base import Figure, count, thousandths
from firmware_sim.metrics.batch import Batch, Records
from firmware_sim.metrics.confusion import Classes, ClassTable
from firmware_sim.metrics.curve import CURVE_POINTS
from firmware_sim.metrics.ranking import SAMPLED, Goal, Ranking
from firmware_sim.plaintext import shortened
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence
from firmware_sim.streams.cells import NO, YES

#: Rows before a threshold is chosen for the first time.
_FIRST_CHOICE = 256
#: Numbers that mean two classes, and the minimum share of rows with them; the rest is damage.
_PAIRS, _SURE = ({0.0, 1.0}, {-1.0, 1.0}), 0.95


class Confusion(ClassTable):
    """Counts of right and wrong answers for each of two classes, -1 and +1.

    ranking: the scores, if answers have any.
    """

    def __init__(self) -> None:
        super().__init__(2)
        self.ranking: Ranking | None = None

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

    def value(self, goal: Goal) -> float:
        """Return how good the answers are for a goal."""
        (right, false), (missed, found) = self.counts.astype(float)[:, :, np.newaxis]
        with np.errstate(invalid="ignore"):
            return float(goal.values(found, missed, false, right)[0])


class Thresholded:
    """Answers at a threshold that is chosen for a goal, for each row from the rows before it.

    goal: what it is chosen for.
    threshold: the present one; 0 before there are rows of both classes.
    counts: the answers.
    """

    #: What the chosen threshold is.
    rule = "that of the earlier rows, chosen again whenever their number doubles"

    def __init__(self, goal: Goal) -> None:
        self.goal, self.threshold = goal, 0.0
        self.counts = Confusion()
        self._next = _FIRST_CHOICE

    def add_block(self, labels: Row, scores: Row, ranking: Ranking) -> None:
        """Count rows and add them to the ranking; choose again whenever their number doubles."""
        at = 0
        while at < len(labels):
            end = min(len(labels), at + self._next - self.counts.rows)
            answers = np.where(scores[at:end] >= self.threshold, 1, -1)
            self.counts.add_block(labels[at:end].astype(np.int64), answers)
            ranking.add_block(labels[at:end], scores[at:end])
            at = end
            if self.counts.rows == self._next:
                self._next *= 2
                chosen = ranking.threshold(self.goal)
                self.threshold = self.threshold if chosen is None else chosen


class ByShares(Thresholded):
    """Answers +1 where its probability is above the share of +1 among recent labels.

    Probabilities are those of the score alone.
    """

    rule = "where the probability of +1 is its share of the labels, both of the earlier rows"

    def __init__(self, goal: Goal) -> None:
        super().__init__(goal)
        self._probabilities = Probabilities()

    def add_block(self, labels: Row, scores: Row, ranking: Ranking) -> None:
        """Count rows and learn from them; see `Thresholded.add_block`."""
        answers = np.empty(len(labels), dtype=np.int64)
        for at, (score, label) in enumerate(zip(scores.tolist(), labels.tolist(), strict=True)):
            answers[at] = 1 if score >= self.threshold else -1
            self._probabilities.learn_one(score, int(label > 0.0))
            self.threshold = self._crossing()
        self.counts.add_block(labels.astype(np.int64), answers)
        ranking.add_block(labels, scores)

    def _crossing(self) -> float:
        """Return the score whose probability is the share of +1."""
        calibration = self._probabilities.calibration
        assert calibration is not None
        floor = calibration.floor
        p = (float(self._probabilities.shares[1]) - 0.5 * floor) / (1.0 - floor)
        if not 0.0 < p < 1.0:
            return math.copysign(math.inf, p)
        return math.log(p / (1.0 - p)) / calibration.slope


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
        "roc_auc": Figure(
            "ROC AUC",
            thousandths,
            lambda record, _: record.ranking and record.ranking.auc,
            "how often a row of class +1 has a higher score than one of class -1, over all pairs: "
            "1 is perfect, .5 is chance",
        ),
        "average_precision": Figure(
            "avg precision",
            thousandths,
            lambda record, _: record.ranking and record.ranking.average_precision,
            "precision of the class +1 over all thresholds, each weighted by the recall that it "
            "adds: 1 is perfect, the share of rows of class +1 is chance",
        ),
        "true_positive": Figure("", count, lambda record, _: record.true_positive),
        "false_positive": Figure("", count, lambda record, _: record.false_positive),
        "true_negative": Figure("", count, lambda record, _: record.true_negative),
        "false_negative": Figure("", count, lambda record, _: record.false_negative),
    }

    detail_names = ("threshold",)

    def __init__(self, goal: Goal | None = None, points: int = CURVE_POINTS) -> None:
        self._goal = goal
        super().__init__(Confusion, 1, points)
        self._balance = 0

    def clear(self) -> None:
        """Forget all rows; see `Metrics.clear`."""
        super().clear()
        self.learner.ranking = Ranking()
        self.thresholded: Thresholded | None = None
        if self._goal is not None:
            self.thresholded = (ByShares if self._goal.balanced else Thresholded)(self._goal)

    def add_block(self, batch: Batch, observed: Any = None) -> None:
        """Count rows; see `Metrics.add_block`."""
        self._add_scores(batch)
        super().add_block(batch)

    def add_answers(self, batch: Batch) -> None:
        """Count rows for the learner alone."""
        self._add_scores(batch)
        super().add_answers(batch)

    def _add_scores(self, batch: Batch) -> None:
        rows, ranking = batch.learned, self.learner.ranking
        assert ranking is not None
        if self.thresholded is None:
            ranking.add_block(rows["label"], rows["score"])
        else:
            self.thresholded.add_block(rows["label"], rows["score"], ranking)

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
        if not self.rows:
            return []
        found = [Table("confusion", "Answers", head, rows)]
        return found if self.thresholded is None else [*found, self._thresholds(self.thresholded)]

    def _thresholds(self, answers: Thresholded) -> Table:
        """Return the answers at a score of 0 and at the chosen threshold."""
        goal, last = answers.goal, f"{answers.threshold:.4g}"
        rows = []
        for name, counts in (
            ("0, as learned", self.learner),
            (f"chosen, now {last}", answers.counts),
        ):
            value, one = counts.value(goal), counts.by_class()[1]
            cells = (
                counts.true_positive,
                counts.false_negative,
                counts.false_positive,
                counts.true_negative,
            )
            shares = map(thousandths, (one.precision, one.recall, abs(value)))
            rows.append((name, *map(count, cells), *shares))
        head = (
            *("+1 from a score of", "found", "missed", "false", "right -1"),
            *("precision", "recall", goal.title),
        )
        title = f"Thresholds: the chosen one is {answers.rule}"
        return Table("thresholds", title, head, rows, stacked=True)

    def details(self, features: Sequence[str]) -> dict[str, Any]:
        """Return the chosen threshold and its answers."""
        if self.thresholded is None:
            return {}
        goal, counts = self.thresholded.goal, self.thresholded.counts
        found = {
            "cost": goal.cost,
            "beta": None if goal.cost is not None or goal.balanced else goal.beta,
            "decision": "balanced" if goal.balanced else None,
            "threshold": self.thresholded.threshold,
            "true_positive": counts.true_positive,
            "false_positive": counts.false_positive,
            "true_negative": counts.true_negative,
            "false_negative": counts.false_negative,
        }
        return {"threshold": found}

    def remarks(self) -> list[str]:
        """Return what the figures over all thresholds are made from, if that is a sample."""
        ranking = self.learner.ranking
        if ranking is None or not ranking.is_sampled:
            return []
        return [f"ROC AUC and average precision are those of a sample of {SAMPLED:,} rows a class."]


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

    def metrics(self, cadence: Cadence) -> Prequential:
        """Return new metrics, with the goal of a threshold."""
        cost, beta = self.setup.cost, self.setup.beta
        balanced = bool(self.setup.decision)
        has_goal = cost is not None or beta is not None or balanced
        return Prequential(Goal(cost, beta or 1.0, balanced) if has_goal else None)

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
