"""A learner without numpy, for processes that cannot afford its memory.

``import edgeolk.bare`` imports the engine and the planner, and no numpy: about 10 MB resident.
"""

from __future__ import annotations

from typing import Any

from edgeolk.block import build, over
from edgeolk.config import Config
from edgeolk.core.engine import Engine
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
        config = Config.take(algorithm, options)
        self._start(config, build(config, buffer))

    def _start(self, config: Config, engine: Engine) -> None:
        self.config = config
        self._engine = engine
        self.budget = config.budget
        self.nbytes = engine.arena.nbytes

    @classmethod
    def from_bytes(cls, data: Any) -> BareLearner:
        """Return the learner that a model file holds; ``data`` are its bytes.

        Raises
        ------
        ValueError, MemoryError
            They are no model, or a damaged one; no memory for the block.
        """
        from edgeolk.files import restore  # readers of files take memory that others do without

        config, arena = restore.from_bytes(data)
        learner = cls.__new__(cls)
        learner._start(config, over(config, arena))
        return learner

    @property
    def threshold(self) -> float:
        """The threshold that a score of novelty has been taken off, as ``Learner.threshold``.

        Raises
        ------
        KeyError
            The loss is not novelty.
        """
        return float(memoryview(self._engine.view("novelty"))[0, 0])

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

    def wants_label(self, x: Any) -> bool:
        """Whether the label of one row could change the model, as ``Learner.wants_label``."""
        return self._engine.wants_row(x)

    def counters(self) -> dict[str, Any]:
        """Steps, mistakes, updates, support vectors held, ..."""
        return self._engine.counters()
