"""What a learner has counted since it was made."""

from __future__ import annotations

from edgeolk.boundary.learning import RowLearner


class Counting(RowLearner):
    """A learner of rows that tells its counters."""

    __slots__ = ()

    @property
    def steps(self) -> int:
        """Examples learned."""
        return int(self._engine.counters()["steps"])

    @property
    def mistakes(self) -> int:
        """Examples with y f <= 0 before their update; a score of 0 is a mistake. With several
        classes, those whose margin was not above 0; for novelty, the rows called novel."""
        return int(self._engine.counters()["mistakes"])

    @property
    def updates(self) -> int:
        """Examples that changed the model."""
        return int(self._engine.counters()["updates"])

    @property
    def capacity_hits(self) -> int:
        """Examples that asked a full, frozen ring for an update."""
        return int(self._engine.counters()["capacity_hits"])

    @property
    def labels_asked(self) -> int:
        """Calls of ``wants_label`` that said yes."""
        return int(self._engine.counters()["labels_asked"])

    @property
    def clipped(self) -> int:
        """Numbers learned that lay beyond the levels of int8 storage, and counted as their end."""
        return int(self._engine.counters()["clipped"])

    @property
    def n_skipped(self) -> int:
        """Bad rows that were left out, with ``on_bad_row="skip"``."""
        return int(self._engine.counters()["n_skipped"])

    @property
    def n_clipped(self) -> int:
        """Rows learned that were longer than ``clip_rows``."""
        return int(self._engine.counters()["clipped_rows"])

    @property
    def halvings(self) -> int:
        """Times the ring was halved."""
        return int(self._engine.counters()["halvings"])

    @property
    def squared_error(self) -> float:
        """Sum of (y - f)^2 before each update; in regression only."""
        return float(self._engine.counters()["squared_error"])

    @property
    def absolute_error(self) -> float:
        """Sum of |y - f| before each update; in regression only."""
        return float(self._engine.counters()["absolute_error"])

    @property
    def n_support(self) -> int:
        """Support vectors held."""
        return int(self._engine.counters()["n_support"])
