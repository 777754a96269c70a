"""What a forecaster (``history=True``) tells of its last answer."""

from __future__ import annotations

from edgeolk.lean import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgeolk.configuration.config import Config
    from edgeolk.core.engine import Engine

#: The candidates that an answer is mixed of, in the order of the guard.
CANDIDATES = ("head", "kernel", "last")

Interval = tuple[float, float]


class Forecasting:
    """Adds the interval of the last answer, and what it was made of, to a learner.

    The class that inherits sets ``_config`` and ``_engine``.
    """

    __slots__ = ()

    _config: Config
    _engine: Engine

    @property
    def interval(self) -> Interval | tuple[Interval, ...] | None:
        """The interval of the last answer: (low, high), or one for each level of ``interval=``.

        None while errors are not known well enough: before the first answers, after ``restart``,
        and in a learner just made or loaded. It is of the last call that answered, whichever it
        was, and is no part of the block.

        Raises
        ------
        AttributeError
            The learner was made without ``history=True``.
        """
        answer, reaches, _ = self._engine.said()
        if not all(reach > 0.0 for reach in reaches):
            return None
        intervals = tuple((answer - reach, answer + reach) for reach in reaches)
        return intervals[0] if len(intervals) == 1 else intervals

    @property
    def shares(self) -> dict[str, float]:
        """What the last answer was mixed of: candidate -> share.

        "head": the linear head on top of everything; "kernel", where there is one; "last": the
        last value. All 0 where the last value was not known.

        Raises
        ------
        AttributeError
            As ``interval``.
        """
        shares = self._engine.said()[2]
        names = CANDIDATES if len(shares) == len(CANDIDATES) else (CANDIDATES[0], CANDIDATES[2])
        return dict(zip(names, shares, strict=True))

    @property
    def n_waiting(self) -> int:
        """Rows that were asked for and whose targets have not come.

        Raises
        ------
        AttributeError
            As ``interval``.
        """
        return int(self._engine.waiting())

    def tell_one(self, y: Any) -> None:
        """The target of the oldest row that ``ask_one`` answered and that still waits.

        Parameters
        ----------
        y : float or None
            None, or NaN: it will never be known. The row is dropped and nothing is learned.

        Raises
        ------
        TypeError, ValueError
            No finite number, or one beyond what is learned; nothing was changed. The row waits
            still: tell None, or the next target is taken for its own.
        RuntimeError
            No row waits.
        AttributeError
            As ``interval``.
        """
        self._engine.tell_row(y)

    def restart(self) -> None:
        """Forget the history of the target: another unit, or rows after a long stop.

        What was learned is kept. Rows that wait are dropped; their targets must not be told. Until
        the next target the answer is the mean of all. With ``last_label=True`` the last label is
        forgotten: until the next one the other candidates answer, as they should wherever the label
        of the row before is not known. Of novelty in time the event is over, flat lines begin anew,
        and the next reading has none before it.

        Raises
        ------
        AttributeError
            The learner was made with neither ``history=True`` nor ``last_label=True``.
        """
        self._engine.restart()
