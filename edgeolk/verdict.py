"""The verdict on the last row learned, of novelty in the order of time. Without numpy."""

from __future__ import annotations

from collections import namedtuple

from edgeolk.lean import TYPE_CHECKING
from edgeolk.parts.watching import PARTS, WHATS

if TYPE_CHECKING:
    from edgeolk.core.engine import Engine

    Why = tuple[str, int, str]

_Verdict = namedtuple("_Verdict", "novel event why")


class Verdict(_Verdict):
    """Whether a row is novel, whether an event lasts, and by what (``Watching.why``)."""

    __slots__ = ()

    novel: bool
    event: bool
    why: Why


def verdict_of(engine: Engine) -> Verdict:
    """What the block says of the last row learned.

    Raises AttributeError: the learner is not one of novelty with ``history=True``.
    """
    found = engine.verdict()
    if found is None:
        raise AttributeError("only novelty with history=True provides this")
    novel, event, part, channel, what = found
    return Verdict(novel, event, (PARTS[part], channel, WHATS[what]))
