"""Answers to labels of classes, beside two baselines.

Sensor labels stay the same for long stretches, so an error rate says little by itself. Two
baselines see the same rows: the majority class so far, and no-change, which repeats the last
label. Kappa against no-change is what is left of the score once that is taken off.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, Generic, Protocol, TypeVar

from firmware_sim.metrics.base import NOTHING, Beside, Figures, Metrics
from firmware_sim.metrics.curve import Curve


class Record(Protocol):
    """Answers of one of the three."""

    @property
    def rows(self) -> int:
        """Rows counted."""

    @property
    def wrong(self) -> int:
        """Wrong answers."""

    def add(self, label: int, answer: int) -> None:
        """Count one row."""


Kept = TypeVar("Kept", bound=Record)


class Answers(Metrics, Generic[Kept]):
    """Records of the learner, of the majority so far, and of no-change.

    Attributes
    ----------
    learner, majority, no_change
        The three records; the curve has their wrong answers.
    """

    baselines: ClassVar = {"majority": "majority class", "no_change": "no-change"}

    learner: Kept

    def __init__(self, record: Callable[[], Kept], first: int, points: int) -> None:
        self.learner = record()
        self.majority = record()
        self.no_change = record()
        self.curve = Curve(points)
        self._last = first

    @abstractmethod
    def answer(self, score: float) -> int:
        """Return the class that a score means."""

    @abstractmethod
    def _commonest(self) -> int:
        """Return the commonest class so far."""

    @abstractmethod
    def _count(self, label: int) -> None:
        """Count a label that is told."""

    @abstractmethod
    def figures(self, record: Kept) -> Figures:
        """Return what is told of one of the three."""

    def add(self, label: float, score: float, known: bool = True, beside: Beside = NOTHING) -> None:
        """Count one row; see `Metrics.add`."""
        true = int(label)
        self.learner.add(true, self.answer(score))
        self.majority.add(true, self._commonest())
        self.no_change.add(true, self._last)
        self.curve.add(self.learner.wrong, self.majority.wrong, self.no_change.wrong)
        if known:
            self.observe(label)

    def observe(self, label: float) -> None:
        """Tell the baselines a label."""
        self._last = int(label)
        self._count(self._last)

    def loss(self, name: str) -> float:
        """Return what is compared: wrong answers of one of the three."""
        record: Kept = getattr(self, name)
        return record.wrong

    def shown(self, name: str) -> str:
        """Return that in words."""
        return f"{self.loss(name):,.0f} wrong"

    def summary(self) -> dict[str, Figures]:
        """Return every figure by the name of who earned it."""
        return {name: self.figures(getattr(self, name)) for name in ("learner", *self.baselines)}
