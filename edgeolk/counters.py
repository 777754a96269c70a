"""The counters of a learner: what it has seen, learned and left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edgeolk.engine.engine import Engine


class Counters:
    """Adds the counters to a learner.

    Subclasses set ``_engine``.
    """

    __slots__ = ()

    _engine: Engine

    @property
    def steps(self) -> int:
        """Examples learned."""
        return int(self._engine.steps)

    @property
    def mistakes(self) -> int:
        """Examples with a wrong prediction before their update.

        For two classes, those with y f <= 0, so a score of 0 is a mistake; for several classes,
        those whose margin was not above 0; for novelty, the rows called novel.
        """
        return int(self._engine.counters()["mistakes"])

    @property
    def updates(self) -> int:
        """Examples that changed the model."""
        return int(self._engine.counters()["updates"])

    @property
    def capacity_hits(self) -> int:
        """Examples that needed an update when the ring was full and frozen."""
        return int(self._engine.counters()["capacity_hits"])

    @property
    def labels_asked(self) -> int:
        """Calls of ``ask_label`` that returned True."""
        return int(self._engine.counters()["labels_asked"])

    @property
    def n_out_of_range(self) -> int:
        """Readings outside ``feature_range``, clipped to it; only with int8 support vectors."""
        return int(self._engine.counters()["clipped"])

    @property
    def n_skipped(self) -> int:
        """Bad rows that were skipped, with ``on_bad_row="skip"``."""
        return int(self._engine.counters()["n_skipped"])

    @property
    def alarms(self) -> int:
        """Changes detected by a rise in mistakes, with ``drift=True`` of ``sorf``.

        After each, the scaler shortens its memory or the weights are reset. Stops at 2^24 - 1. For
        novelty with ``history=True``: alarms so far, one an event. Otherwise 0.
        """
        return int(self._engine.counters()["alarms"])

    @property
    def _rows_since_alarm(self) -> int:
        """Rows learned since the last drift alarm, if that is at most 256 rows ago."""
        return int(self._engine.counters()["rows_since_look"])

    @property
    def n_remembered(self) -> int:
        """Rows stored in the memory of ``sorf`` (``memory=``); 0 without one."""
        return int(self._engine.counters()["n_remembered"])

    @property
    def memory_share(self) -> float:
        """Share of that memory in the next answer, 0 to 1; the rest comes from the features."""
        return float(self._engine.counters()["memory_share"])

    @property
    def n_shortened(self) -> int:
        """Learned rows that were shortened to the norm ``clip_rows``."""
        return int(self._engine.counters()["clipped_rows"])

    @property
    def halvings(self) -> int:
        """Number of times the ring was halved."""
        return int(self._engine.counters()["halvings"])

    @property
    def squared_error(self) -> float:
        """Sum of (y - f)^2 before each update; only in regression."""
        return float(self._engine.counters()["squared_error"])

    @property
    def absolute_error(self) -> float:
        """Sum of |y - f| before each update; only in regression."""
        return float(self._engine.counters()["absolute_error"])

    @property
    def n_support(self) -> int:
        """Support vectors held."""
        return int(self._engine.counters()["n_support"])
