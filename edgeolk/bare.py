"""A learner without numpy, for processes that cannot afford its memory.

``import edgeolk.bare`` imports the engine, the planner and the standard library, but no numpy:
about 16 MB resident, of which the import takes 7. Rejected: records without ``dataclasses`` and
``typing`` save 2.4 MB, but need a copy of both that only this module's users profit from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from edgeolk.block import build, over
from edgeolk.configuration.config import Config, Signature, settings_of
from edgeolk.configuration.settings import Settings
from edgeolk.engine.engine import Engine
from edgeolk.intervals import half_width
from edgeolk.parts import Algorithm
from edgeolk.sorf.faces import Forecasting, Verdict, verdict_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from edgeolk.configuration.options import Options


def _in_time(algorithm: Config | Algorithm | str | None, options: Any) -> Settings | None:
    """The configuration with ``history="auto"``; None if the caller decides or it is invalid."""
    if isinstance(algorithm, Config) or {"history", "last_label"} & set(options):
        return None
    try:
        return settings_of(algorithm, {**options, "history": "auto"})
    except (TypeError, ValueError):
        return None


class BareLearner(Forecasting):
    """What ``Learner`` does with one example, for rows in any float64 buffer.

    Parameters
    ----------
    algorithm : Config, str or Algorithm, optional
        As for ``Learner``.
    buffer : writable contiguous buffer, optional
        As for ``Learner``.
    **options
        As for ``Config``. If you give neither ``history`` nor ``last_label``, the default is
        ``history="auto"`` where the other arguments allow it: rows come from sensors here, one
        after another.

    Attributes
    ----------
    config : Config
        The configuration.
    budget : int
        As ``Learner.budget``.
    nbytes : int
        Bytes of the block.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As ``Learner``.
    """

    __slots__ = ("_config", "_engine", "budget", "nbytes")
    __signature__ = Signature()

    def __init__(
        self,
        algorithm: Config | Algorithm | str | None = None,
        *,
        buffer: Any = None,
        **options: Unpack[Options],
    ) -> None:
        config = _in_time(algorithm, options) or settings_of(algorithm, {**options})
        self._start(config, build(config, buffer))

    def _start(self, config: Settings, engine: Engine) -> None:
        self._config = config
        self._engine = engine
        self.budget = config.budget
        self.nbytes = engine.arena.nbytes

    @property
    def config(self) -> Config:
        """The configuration."""
        return Config._of(self._config)

    @classmethod
    def from_bytes(cls, data: Any) -> BareLearner:
        """The learner that a model file holds.

        Parameters
        ----------
        data : bytes-like
            The complete file that ``Learner.save`` wrote.

        Returns
        -------
        BareLearner

        Raises
        ------
        ValueError
            The bytes are not a model, or it is damaged.
        MemoryError
            No memory for the block.
        """
        # Imported here: most bare processes read no file and should not pay for the readers.
        from edgeolk.files import restore

        config, arena = restore.from_bytes(data)
        learner = cls.__new__(cls)
        learner._start(config, over(config, arena))
        return learner

    @property
    def threshold(self) -> float:
        """The threshold of novelty, as ``Learner.threshold``.

        Raises
        ------
        KeyError
            The loss is not novelty.
        """
        if self._config.reports_events:
            return 0.5
        held = self._engine.view(self._config.threshold_region or "novelty")
        return float(memoryview(held)[0, 0])

    @property
    def verdict(self) -> Verdict:
        """Verdict on the last row learned, for novelty with ``history=True``.

        ``anomaly``, ``novel``, ``alarm``, ``event``, ``rare``, ``why``: as the properties of
        ``Learner`` of these names.

        Raises
        ------
        AttributeError
            The learner has another loss, or no ``history=True``.
        """
        return verdict_of(self._engine)

    def accept(self) -> None:
        """Treat the last rows as normal from now on, as ``Learner.accept``.

        Raises
        ------
        AttributeError
            The learner has another loss, or no ``history=True``.
        """
        self._engine.accept()

    def learn_one(
        self, x: Any, y: float = 0.0, weight: float = 1.0, time: float | None = None
    ) -> float:
        """Learn one example, as ``Learner.learn_one``.

        Parameters
        ----------
        x : contiguous float64 buffer of n_features numbers
        y : float
            Label or target as for ``Learner.learn_one``; not read for novelty.
        weight : float
            Weight of the row, > 0.
        time : float, optional
            As for ``Learner.learn_one``.

        Returns
        -------
        float
            The score before the update.

        Raises
        ------
        TypeError, ValueError
            Wrong buffer, length, label, weight, or a number that is not finite; nothing is changed.
        BudgetError
            The ring is full under ``full="raise"``; nothing is changed.
        """
        return self._engine.learn_row(x, y, weight, time)

    def ask_one(self, x: Any, out: Any = None) -> Any:
        """Answer one row, which then waits for its target, as ``Learner.ask_one``.

        In every period first ``tell_one``, from row ``horizon`` on, then ``ask_one``.

        Parameters
        ----------
        x : contiguous float64 buffer of n_features numbers
            NaN for a missing reading.
        out : writable float64 buffer of n_classes numbers
            Of several classes: receives the scores.

        Returns
        -------
        float
            The forecast; with ``delay=`` the score. None with several classes.

        Raises
        ------
        TypeError, ValueError
            Wrong buffer or length, or an infinite number; nothing is changed.
        AttributeError
            The learner was made with neither ``history=True`` nor ``delay=``.
        """
        return self._engine.ask_row(x, out)

    def decision_one(self, x: Any) -> float:
        """Score of one row; nothing is learned. With ``lapse=`` it is counted as an answer.

        Parameters
        ----------
        x : contiguous float64 buffer of n_features numbers

        Returns
        -------
        float

        Raises
        ------
        TypeError, ValueError
            Wrong buffer or length, or a number that is not finite.
        """
        return self._engine.score_row(x)

    def variance_one(self, x: Any) -> float:
        """Variance of the target of one row, as ``Learner.variance_one``.

        Parameters
        ----------
        x : contiguous float64 buffer of n_features numbers

        Returns
        -------
        float
            Infinite before the first row is learned, and while all targets were equal.

        Raises
        ------
        TypeError, ValueError
            Wrong buffer or length, or a number that is not finite.
        AttributeError
            The algorithm has no variances.
        """
        return self._engine.variance_row(x)

    def interval_one(self, x: Any, level: float = 0.9) -> tuple[float, float]:
        """Bounds of the target of one row, as ``Learner.interval_one``.

        Parameters
        ----------
        x : contiguous float64 buffer of n_features numbers
        level : float
            The probability that the target is within the bounds, in (0, 1).

        Returns
        -------
        tuple of float
            Lower and upper bound.

        Raises
        ------
        TypeError, ValueError
            As for ``decision_one``, or ``level`` is out of range.
        AttributeError
            The algorithm has no variances.
        """
        half = half_width(level, self._engine.variance_row(x))
        f = self._engine.score_row(x)
        return f - half, f + half

    def scores_one(self, x: Any, out: Any) -> None:
        """Scores of one row, one for each class. With ``lapse=`` they are counted as an answer.

        Parameters
        ----------
        x : contiguous float64 buffer of n_features numbers
        out : writable contiguous float64 buffer of n_classes numbers
            Receives the scores.

        Raises
        ------
        TypeError, ValueError
            Wrong buffer or length, or a number that is not finite.
        """
        self._engine.scores_row(x, out)

    def wants_label(self, x: Any) -> bool:
        """Whether the label of one row could change the model, as ``Learner.wants_label``."""
        return self._engine.wants_row(x)

    def ask_label(self, x: Any) -> bool:
        """The same; a True is counted, as by ``Learner.ask_label``."""
        return self._engine.wants_row(x, True)

    def counters(self) -> dict[str, Any]:
        """Counters by name, such as ``"steps"``, ``"mistakes"``, ``"updates"``, ``"n_support"``.

        ``Learner`` has a property for each; its docstring says what it counts.
        """
        return self._engine.counters()
