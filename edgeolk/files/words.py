"""The words of state: members of the small structs of ``core/state.pxd``, by name and position."""

from __future__ import annotations

#: Region -> its words in order, each with its type: "d" float64, "q" int64.
WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "function": (
        ("scale", "d"),
        ("norm2", "d"),
        ("cursor", "q"),
        ("removals", "q"),
        ("capacity_hits", "q"),
        ("labels_asked", "q"),
        ("clipped", "q"),
    ),
    "averaging": (("mean_weight", "d"),),
    "errors": (("squared_error", "d"), ("absolute_error", "d")),
    "forgetron": (("forgetron_q", "d"),),
    "halving": (("halvings", "q"), ("anchored", "q")),
    "hints": (("hint_error", "d"), ("seen", "q")),
    "nystrom": (("rank", "q"),),
    "memory_state": (
        ("memory_held", "q"),  # rows, and from bit 32 on where the search begins
        *((f"memory_mistakes_{i}", "d") for i in range(5)),
        ("memory_spare_0", "q"),
        ("memory_spare_1", "q"),
    ),
    "watch": (
        ("idle_rows", "q"),
        ("alarms", "q"),
        ("quiet_rows", "q"),
        ("verdict", "q"),
        ("held", "q"),
    ),
    "skipped": (("n_skipped", "q"),),
    "clipped_rows": (("clipped_rows", "q"),),
    "width": (
        ("gamma", "d"),
        ("spread", "d"),
        ("measured", "q"),
        ("steps_before", "q"),
        ("mistakes_before", "q"),
        ("updates_before", "q"),
        ("hits_before", "q"),
    ),
}
