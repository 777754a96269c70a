"""What the figures of every kind of label have in common."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

from firmware_sim.metrics.curve import Curve
from firmware_sim.streams import Row

#: The figures of a learner or a baseline, by name; None where one is not defined.
Figures = dict[str, float | int | None]


class Beside(NamedTuple):
    """What else is known of a row that is counted.

    Attributes
    ----------
    level : float
        The threshold that was taken off the score, where there is one.
    looked : float
        What `Metrics.look` returned for the row.
    seconds : float
        When it was taken; NaN where that is not known.
    """

    level: float = 0.0
    looked: float = 0.0
    seconds: float = math.nan


NOTHING = Beside()


class Metrics(ABC):
    """The learner's record beside two baselines', over the same rows.

    Attributes
    ----------
    kind : str
        The kind of label, as in `tasks.kinds.KINDS`.
    baselines : dict
        What the baselines are called in a report.
    learner : object
        The learner's record.
    curve : Curve
        What is drawn over time, for all three.
    shares : bool
        Whether that is a share of the rows.
    over_time : str
        What it is, in words.
    """

    kind: ClassVar[str]
    baselines: ClassVar[dict[str, str]]
    shares: ClassVar[bool] = True
    over_time: ClassVar[str] = "wrong answers"
    learner: Any
    curve: Curve

    def look(self, row: Row) -> float:
        """Return what a baseline makes of readings, before `add` is told of their row."""
        return 0.0

    @abstractmethod
    def add(self, label: float, score: float, known: bool = True, beside: Beside = NOTHING) -> None:
        """Count one row.

        Parameters
        ----------
        label : float
            What the stream says.
        score : float
            What the learner said before it saw the label.
        known : bool
            Whether the label is told at once; if not, `observe` is called when it comes.
        beside : Beside
            What else is known of the row.
        """

    @abstractmethod
    def observe(self, label: float) -> None:
        """Tell the baselines a label."""

    @property
    def rows(self) -> int:
        """Rows counted."""
        return int(self.learner.rows)

    @property
    def judged(self) -> bool:
        """Whether there is anything to compare."""
        return self.rows > 0

    @abstractmethod
    def loss(self, name: str) -> float:
        """Return what is compared, of one of the three: less is better."""

    def mean_loss(self, name: str) -> float:
        """Return that as a mean over rows."""
        return self.loss(name) / max(1, self.rows)

    @abstractmethod
    def shown(self, name: str) -> str:
        """Return that in words."""

    @abstractmethod
    def summary(self) -> dict[str, Figures]:
        """Return every figure by the name of who earned it, the learner first."""


def ratio(part: float, whole: float) -> float | None:
    """Return a quotient, or None where it is not defined."""
    return part / whole if whole else None
