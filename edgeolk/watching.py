"""What a learner says of the last row that it has learned, where rows come in the order of time."""

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
        """Whether the last row learned was novel."""
        return verdict_of(self._engine).novel

    @property
    def event(self) -> bool:
        """Whether an event lasts.

        A novel row begins one. It is over 64 rows after the last novel row, and after the reading
        that was furthest off has come back to what was usual before the event, or has moved where
        it stood still; for that it waits a quarter of the window. ``accept`` ends it before.
        """
        return verdict_of(self._engine).event

    def accept(self) -> None:
        """Take what the last rows were as usual from now on, such as after a repair.

        The event is over. The mean and roughness of the last 64 readings of each channel, and flat
        lines as long as they are, count as usual.
        """
        verdict_of(self._engine)
        self._engine.accept()

    @property
    def why(self) -> Why:
        """What the last row learned was judged by, whether it was novel or not.

        Returns
        -------
        tuple of (str, int, str)
            The part whose score counted most: "pattern" (readings that do not go together),
            "level" (of all deviations, of late) or "channel" (one of them); then the channel that
            was furthest off, from 0, and what of it: "value", "roughness" or "mean" (of the last 64
            readings), or "flat" (it stands still, or readings are missing).
        """
        return verdict_of(self._engine).why
