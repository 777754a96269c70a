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
        """Whether one of the last 65 rows was novel: alarms so near to each other are one event."""
        return verdict_of(self._engine).event

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
