"""What a learner of the SORF family reports after a row: ``history=True`` of both kinds.

``Forecasting`` is about the last answer of a forecaster, ``Watching`` the verdict on the last row
of a stream without labels. Without numpy.
"""

from __future__ import annotations

from collections import namedtuple
from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings
    from edgeolk.engine.engine import Engine

    Why = tuple[str, int]

Interval = tuple[float, float]
#: The experts that an answer is a mixture of, in the order of their weights.
EXPERTS = ("head", "kernel", "last")
#: By how many there are.
_NAMES = {3: EXPERTS, 2: ("head", "last"), 1: ("kernel",)}
#: What a row may be unusual in, by the numbers in ``c/watch_state.h``.
PARTS = ("value", "change", "season", "flat", "pattern", "level", "roughness", "mean")

class Forecasting:
    """Adds the interval of the last answer, and the weights of its experts, to a learner.

    Subclasses set ``_config`` and ``_engine``.
    """

    __slots__ = ()

    _config: Settings
    _engine: Engine

    @property
    def interval(self) -> Interval | tuple[Interval, ...]:
        """The interval of the last answer: (low, high), or one for each level of ``interval=``.

        (-inf, inf) until enough errors are known: in the first rows (four with ``horizon=1``),
        after ``restart``, and in a loaded learner until its first answer. It belongs to the last
        call that returned an answer and is not stored in the block. The level of ``krls_auto`` is
        .9.

        Raises
        ------
        AttributeError
            The learner was made with neither ``history=True`` nor ``lags=``.
        """
        answer, half_widths, _ = self._engine.last_forecast()
        if not all(half_width > 0.0 for half_width in half_widths):
            half_widths = [inf] * len(half_widths)
        intervals = tuple((answer - half_width, answer + half_width) for half_width in half_widths)
        return intervals[0] if len(intervals) == 1 else intervals

    @property
    def shares(self) -> dict[str, float]:
        """The mixture of the last answer: expert -> weight.

        "head": the linear head on top of the others; "kernel", if there is one; "last": the last
        value. All 0 if the last value was not known. ``krls_auto`` has its kernel alone.

        Raises
        ------
        AttributeError
            As ``interval``.
        """
        shares = self._engine.last_forecast()[2]
        return dict(zip(_NAMES[len(shares)], shares, strict=True))

    @property
    def n_waiting(self) -> int:
        """Rows answered by ``ask_one`` whose targets have not arrived.

        Raises
        ------
        AttributeError
            The learner was made with none of ``history=True``, ``lags=``, ``delay=``.
        """
        return int(self._engine.pending())

    def tell_one(self, y: Any) -> None:
        """Learn the target of the oldest waiting row that ``ask_one`` answered.

        Call it before ``ask_one`` in every period, first when ``horizon`` rows wait.

        Parameters
        ----------
        y : float or None
            None or NaN if it is unknown: the row is dropped and nothing is learned. With
            ``delay=`` only that; ``learn_one`` learns the oldest row with its label.

        Raises
        ------
        TypeError, ValueError
            Not a finite number, or too large to be learned; nothing was changed. The row still
            waits: pass None, or the next target will be taken for this row.
        RuntimeError
            No row is waiting.
        AttributeError
            As ``n_waiting``.
        """
        self._engine.tell_row(y)

    def restart(self) -> None:
        """Forget the history of the target, for example after a long gap or for another unit.

        Learned state is kept. Waiting rows are dropped; do not pass their targets (with ``delay=``,
        such a row would be learned as one that was not asked). Until the next target, the answer is
        the mean of all targets. With ``last_label=True``, the last label is forgotten, and the
        other experts answer until the next label. For novelty with ``history=True``, the event
        ends, flat lines start again, and the next reading has no predecessor, so that its change is
        not judged. With ``lags=``, rows are answered as if the unknown targets were at their means,
        and learned once the last targets are known again.

        Raises
        ------
        AttributeError
            The learner was made with none of ``history=True``, ``last_label=True``, ``lags=``,
            ``delay=``.
        """
        try:
            self._engine.restart()
        except AttributeError:
            raise AttributeError(
                "restart is for learners with history=True, last_label=True, delay=, or lags= of"
                " krls_auto; this one has nothing to forget"
            ) from None


_Verdict = namedtuple("_Verdict", "anomaly novel alarm event rare why")


class Verdict(_Verdict):
    """The verdict on a row: the properties of ``Watching`` of these names."""

    __slots__ = ()

    anomaly: float
    novel: bool
    alarm: bool
    event: bool
    rare: bool
    why: Why


def verdict_of(engine: Engine) -> Verdict:
    """The verdict on the last learned row.

    Raises AttributeError: the learner is not one of novelty with ``history=True``.
    """
    found = engine.verdict()
    if found is None:
        raise AttributeError("only novelty with history=True provides this")
    anomaly, novel, alarm, event, rare, part, channel = found
    return Verdict(anomaly, novel, alarm, event, rare, (PARTS[part], channel))


class Watching:
    """Adds the verdict on the last row, for novelty with ``history=True``.

    Its properties raise AttributeError for other learners. Subclasses set ``_engine``.
    """

    __slots__ = ()

    _engine: Engine

    @property
    def anomaly(self) -> float:
        """How unusual the last learned row was, from 0 to 1; from 0.5 on it was novel.

        Comparable over streams: 0.5 is as rare as 1 row in 6,300. Below 0.5 it orders rows by how
        far they deviate from previous ones.
        """
        return verdict_of(self._engine).anomaly

    @property
    def novel(self) -> bool:
        """Whether the last learned row was beyond everything seen before.

        A fault that returns in the same way is not novel again, but ``rare``.
        """
        return verdict_of(self._engine).novel

    @property
    def alarm(self) -> bool:
        """Whether the last learned row was novel, and the first such row in more than 64.

        One event gives one alarm; ``alarms`` counts them.
        """
        return verdict_of(self._engine).alarm

    @property
    def event(self) -> bool:
        """Whether an event is in progress.

        From an alarm until 64 rows after the last novel row, and while readings stay away from
        their usual level. ``accept`` ends it immediately.
        """
        return verdict_of(self._engine).event

    @property
    def rare(self) -> bool:
        """Whether the last learned row is among the share ``nu`` of the most unusual rows."""
        return verdict_of(self._engine).rare

    def accept(self) -> None:
        """Treat the current state as normal from now on, for example after a repair.

        Ends the event. The peaks of the last unusual stretch are as usual as the second largest
        before it, however large they were: the same again is not novel. The mean of the last 16
        readings of each channel, their roughness, and flat lines of the current length count as
        normal. Call it during the event.

        Raises
        ------
        AttributeError
            The learner is not one of novelty with ``history=True``.
        """
        verdict_of(self._engine)
        self._engine.accept()

    @property
    def why(self) -> Why:
        """What the last learned row was most unusual in, whether it was novel or not.

        Returns
        -------
        tuple of (str, int)
            The channel that was the most unusual, from 0, and before it one of

            - "value": a reading beyond all previous ones;
            - "change": a reading that changed faster than ever;
            - "season": a reading that is unusual for this hour of the day;
            - "flat": readings that do not change, or are missing, for longer than ever;
            - "pattern": an unusual combination of readings, or an unusual course over time;
            - "level": readings that have been away from their usual level for a while;
            - "roughness", "mean": of rows that are not novel, unusual noise or mean of the last 64
              readings.
        """
        return verdict_of(self._engine).why
