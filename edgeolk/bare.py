"""A learner without numpy, for processes that cannot afford its memory.

``import edgeolk.bare`` imports the engine and the planner, and no numpy: about 10 MB resident.
"""

from __future__ import annotations

from typing import Any

from edgeolk.block import build
from edgeolk.config import Config
from edgeolk.parts import Algorithm


class BareLearner:
    """What ``Learner`` does with one example, for rows in any float64 buffer.

    Parameters
    ----------
    algorithm : Config, str or Algorithm, optional
        As for ``Learner``.
    buffer : writable contiguous buffer, optional
        As for ``Learner``.
    **options
        As for ``Config``.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As ``Learner``.
    """

    __slots__ = ("_engine", "budget", "config", "nbytes")

    def __init__(
        self,
        algorithm: Config | Algorithm | str | None = None,
        *,
        buffer: Any = None,
        **options: Any,
    ) -> None:
        self.config = Config.take(algorithm, options)
        self._engine = build(self.config, buffer)
        self.budget = self.config.budget
        self.nbytes = self._engine.arena.nbytes

    def learn_one(self, x: Any, y: float = 0.0, weight: float = 1.0) -> float:
        """Learn one example from a contiguous float64 buffer; as ``Learner.learn_one``.

        Raises
        ------
        TypeError, ValueError
            Wrong buffer, length, label, weight, or a number that is not finite; nothing is changed.
        """
        return self._engine.learn_row(x, y, weight)

    def decision_one(self, x: Any) -> float:
        """Score of one row in a contiguous float64 buffer."""
        return self._engine.score_row(x)

    def scores_one(self, x: Any, out: Any) -> None:
        """Scores of one row, one a class, into a writable float64 buffer."""
        self._engine.scores_row(x, out)

    def counters(self) -> dict[str, Any]:
        """Steps, mistakes, updates, support vectors held, ..."""
        return self._engine.counters()
