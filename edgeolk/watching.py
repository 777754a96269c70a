"""The verdict on the last learned row, for novelty in time series. Without numpy."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

from edgeolk.parts.sorf import PARTS, WHATS

if TYPE_CHECKING:
    from edgeolk.core.engine import Engine

    Why = tuple[str, int, str]

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
