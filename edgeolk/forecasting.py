"""What a forecaster (``history=True``) reports about its last answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings
    from edgeolk.core.engine import Engine

#: The experts that an answer is a mixture of, in the order of their weights.
EXPERTS = ("head", "kernel", "last")

Interval = tuple[float, float]


class Forecasting:
    """Adds the interval of the last answer, and the weights of its experts, to a learner.

    Subclasses set ``_config`` and ``_engine``.
    """

    __slots__ = ()

    _config: Settings
    _engine: Engine

    @property
    def interval(self) -> Interval | tuple[Interval, ...] | None:
        """The interval of the last answer: (low, high), or one for each level of ``interval=``.

        None until enough errors are known: before the first answers, after ``restart``, and in a
        new or loaded learner. It belongs to the last call that returned an answer and is not
        stored in the block.

        Raises
        ------
        AttributeError
            The learner was made without ``history=True``.
        """
        answer, half_widths, _ = self._engine.last_forecast()
        if not all(half_width > 0.0 for half_width in half_widths):
            return None
        intervals = tuple((answer - half_width, answer + half_width) for half_width in half_widths)
        return intervals[0] if len(intervals) == 1 else intervals

    @property
    def shares(self) -> dict[str, float]:
        """The mixture of the last answer: expert -> weight.

        "head": the linear head on top of the others; "kernel", if there is one; "last": the last
        value. All 0 if the last value was not known.

        Raises
        ------
        AttributeError
            As ``interval``.
        """
        shares = self._engine.last_forecast()[2]
        names = EXPERTS if len(shares) == len(EXPERTS) else (EXPERTS[0], EXPERTS[2])
        return dict(zip(names, shares, strict=True))

    @property
    def n_waiting(self) -> int:
        """Rows answered by ``ask_one`` whose targets have not arrived.

        Raises
        ------
        AttributeError
            As ``interval``.
        """
        return int(self._engine.pending())

    def tell_one(self, y: Any) -> None:
        """Learn the target of the oldest waiting row that ``ask_one`` answered.

        Parameters
        ----------
        y : float or None
            None or NaN if it is unknown: the row is dropped and nothing is learned.

        Raises
        ------
        TypeError, ValueError
            Not a finite number, or too large to be learned; nothing was changed. The row still
            waits: pass None, or the next target will be taken for this row.
        RuntimeError
            No row is waiting.
        AttributeError
            As ``interval``.
        """
        self._engine.tell_row(y)

    def restart(self) -> None:
        """Forget the history of the target, for example after a long gap or for another unit.

        Learned state is kept. Waiting rows are dropped; do not pass their targets. Until the next
        target, the answer is the mean of all targets. With ``last_label=True``, the last label is
        forgotten, and the other experts answer until the next label. For novelty with
        ``history=True``, the event ends, flat lines start again, and the next reading has no
        predecessor.

        Raises
        ------
        AttributeError
            The learner was made with neither ``history=True`` nor ``last_label=True``.
        """
        self._engine.restart()
