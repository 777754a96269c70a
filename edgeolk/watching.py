"""The verdict on the last learned row, for rows in the order of time."""

from __future__ import annotations

from edgeolk.boundary.learning import RowLearner
from edgeolk.lean import TYPE_CHECKING
from edgeolk.verdict import verdict_of

if TYPE_CHECKING:
    from edgeolk.verdict import Why


class Watching(RowLearner):
    """Adds the verdict on the last row, of novelty with ``history=True``.

    Its properties raise AttributeError for other learners.
    """

    __slots__ = ()

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
        """Treat the present state as normal from now on, for example after a repair.

        Ends the event. The mean and roughness of the last 64 readings of each channel, and flat
        lines of the present length, count as normal.
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
