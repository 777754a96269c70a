"""What a learner of the SORF family reports after a row: ``history=True`` of both kinds.

``Forecasting`` is about the last answer of a forecaster, ``Watching`` the verdict on the last row
for novelty in time series. Without numpy.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings
    from edgeolk.engine.engine import Engine

    Why = tuple[str, int, str]

Interval = tuple[float, float]
#: The experts that an answer is a mixture of, in the order of their weights.
EXPERTS = ("head", "kernel", "last")
#: The scores that may decide, and the properties of a channel, by their numbers in ``edgeolk/c``.
PARTS = ("pattern", "level", "channel")
WHATS = ("value", "roughness", "mean", "flat")

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


_Verdict = namedtuple("_Verdict", "novel event why")


class Verdict(_Verdict):
    """Whether a row is novel, whether an event is in progress, and why (``Watching.why``)."""

    __slots__ = ()

    novel: bool
    event: bool
    why: Why


def verdict_of(engine: Engine) -> Verdict:
    """The verdict on the last learned row.

    Raises AttributeError: the learner is not one of novelty with ``history=True``.
    """
    found = engine.verdict()
    if found is None:
        raise AttributeError("only novelty with history=True provides this")
    novel, event, part, channel, what = found
    return Verdict(novel, event, (PARTS[part], channel, WHATS[what]))


class Watching:
    """Adds the verdict on the last row, for novelty with ``history=True``.

    Its properties raise AttributeError for other learners. Subclasses set ``_engine``.
    """

    __slots__ = ()

    _engine: Engine

    @property
    def novel(self) -> bool:
        """Whether the last learned row was novel."""
        return verdict_of(self._engine).novel

    @property
    def event(self) -> bool:
        """Whether an event is in progress.

        A novel row begins one. It ends 64 rows after the last novel row, provided that the most
        unusual reading has returned to its level from before the event, or a flat line has ended;
        for that it waits at most a quarter of the window. ``accept`` ends it immediately.
        """
        return verdict_of(self._engine).event

    def accept(self) -> None:
        """Treat the current state as normal from now on, for example after a repair.

        Ends the event. The mean and roughness of the last 64 readings of each channel, and flat
        lines of the current length, count as normal.
        """
        verdict_of(self._engine)
        self._engine.accept()

    @property
    def why(self) -> Why:
        """The score that decided about the last learned row, whether it was novel or not.

        Returns
        -------
        tuple of (str, int, str)
            The largest score: "pattern" (an unusual combination of readings), "level" (the recent
            size of deviations) or "channel" (one of them); the most unusual channel, from 0; and
            its unusual property: "value", "roughness", "mean" (of the last 64 readings) or "flat"
            (it does not change, or readings are missing).
        """
        return verdict_of(self._engine).why
