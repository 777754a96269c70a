"""Queries and teaching of a learner by kind of labels: a row and a label in, a score out."""

from __future__ import annotations

from typing import Any, NamedTuple

from edgeolk.configuration.config import settings_of
from edgeolk.parts.watching import PARTS, WHATS
from firmware_sim.streams import Row
from firmware_sim.tasks.regression import TargetScale


class Watched(NamedTuple):
    """What a learner without labels makes of a row."""

    score: float  # below 0 where the row is novel
    #: the threshold that was taken off; score and level together are how usual the row is.
    level: float
    verdict: float = -1.0  # by what it was judged, as `verdict` packs it; below 0 for nothing


def packed(why: tuple[str, int, str]) -> float:
    """Return a learner's reason as a number, which a pipe can carry."""
    part, channel, what = why
    return float(PARTS.index(part) + 4 * WHATS.index(what) + 16 * channel)


def unpacked(verdict: float) -> tuple[str, int, str] | None:
    """Return the reason that a number stands for; None for none."""
    number = int(verdict)
    if number < 0:
        return None
    return PARTS[number & 3], number >> 4, WHATS[number >> 2 & 3]


#: What a row gets: a score, a class, a prediction, or that.
Score = float | Watched


def settings_in(learner: Any) -> Any:
    """Return the settings of a learner; None where it is out of reach, as in another process."""
    config = getattr(learner, "config", None)
    return None if config is None else settings_of(config)


class RegressionAdapter:
    """A learner that is given targets, and gives predictions, in the unit of the stream."""

    def __init__(self, learner: Any, targets: TargetScale) -> None:
        self._learner = learner
        self._targets = targets

    def learn_one(self, row: Row, target: float) -> float:
        """Learn a row; return the prediction from before."""
        mean, spread = self._targets.present
        return mean + spread * float(self._learner.learn_one(row, self._targets.learn(target)))

    def decision_one(self, row: Row) -> float:
        """Return the prediction for a row."""
        mean, spread = self._targets.present
        return mean + spread * float(self._learner.decision_one(row))

    def ask_label(self, row: Row) -> bool:
        """Whether the target could change anything; a yes counts."""
        return bool(self._learner.ask_label(row))


class ClassAdapter:
    """A learner of several classes: its score is the class it predicts."""

    def __init__(self, learner: Any) -> None:
        self._learner = learner

    def learn_one(self, row: Row, label: float) -> float:
        """Learn a row; return the class predicted before."""
        answer = self.decision_one(row)
        self._learner.learn_one(row, label)
        return answer

    def decision_one(self, row: Row) -> float:
        """Return the class predicted for a row."""
        return float(self._learner.predict_one(row))

    def ask_label(self, row: Row) -> bool:
        """Whether the label could change anything; a yes counts."""
        return bool(self._learner.ask_label(row))


class NoveltyAdapter:
    """A learner without labels: whatever label there is, it is not told."""

    def __init__(self, learner: Any) -> None:
        self._learner = learner
        settings = settings_in(learner)
        self.in_time = settings is not None and settings.watches

    def learn_one(self, row: Row, label: float) -> Watched:
        """Learn a row; return what was made of it before."""
        if self.in_time:
            tau = float(self._learner.threshold)
            score = float(self._learner.learn_one(row))
            # 0 is said of the first rows alone: nothing is known of them, nor of how odd they are.
            return Watched(score, -tau if score else 0.0, packed(self._learner.why))
        level = float(self._learner.threshold)
        return Watched(float(self._learner.learn_one(row)), level)

    def restart(self) -> None:
        """Rows come after a long stop."""
        self._learner.restart()


def adapter(kind: str, learner: Any, targets: TargetScale | None) -> Any:
    """Return the learner as the main loop asks it.

    kind: the kind of labels.
    learner: of that kind.
    targets: what scales real numbers.
    """
    if targets is not None:
        return RegressionAdapter(learner, targets)
    own = {"multiclass": ClassAdapter, "novelty": NoveltyAdapter}.get(kind)
    return learner if own is None else own(learner)
