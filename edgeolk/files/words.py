"""The words of state: members of the small structs of ``core/state.pxd``, by name and position."""

from __future__ import annotations


def _words(kind: str, *names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, kind) for name in names)


#: Region -> its words in order, each with its type: "d" float64, "q" int64.
WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "function": (
        *_words("d", "scale", "norm2"),
        *_words("q", "cursor", "removals", "capacity_hits", "labels_asked", "clipped"),
    ),
    "averaging": _words("d", "mean_weight"),
    "errors": _words("d", "squared_error", "absolute_error"),
    "forgetron": _words("d", "forgetron_q"),
    "halving": _words("q", "halvings", "anchored"),
    "hints": (*_words("d", "hint_error"), *_words("q", "seen")),
    "nystrom": _words("q", "rank"),
    "memory_state": (
        *_words("q", "memory_held"),  # rows, and from bit 32 on where the search begins
        *_words("d", *(f"memory_mistakes_{i}" for i in range(5))),
        *_words("q", "memory_spare_0", "memory_spare_1"),
    ),
    "watch": _words("q", "idle_rows", "alarms", "quiet_rows", "verdict", "held"),
    "skipped": _words("q", "n_skipped"),
    "clipped_rows": _words("q", "clipped_rows"),
    "width": (
        *_words("d", "gamma", "spread"),
        *_words("q", "measured", "steps_before", "mistakes_before", "updates_before"),
        *_words("q", "hits_before"),
    ),
}
