"""Repair of a live block whose last step was interrupted; everything else in it is checked.

A step writes counters first, then vectors and coefficients, then the numbers derived from them. So
a torn step leaves counters that differ by one, a ring with one vector too many, and outdated norms,
factors and neighbours: these are corrected and recomputed. A half-written vector, coefficient or
average cannot be told from an intact one, and is kept if it is possible.
"""

from __future__ import annotations

from typing import Any

from edgeolk.configuration.header import NATIVE, unpack
from edgeolk.configuration.regions import Region
from edgeolk.files import live
from edgeolk.parts import Basis, Policy

#: Regions that can be recomputed from the others.
DERIVED = frozenset(
    {
        *("diagonal", "norms", "arrivals", "nearest", "nearest_distance", "nearest_kernel"),
        *("factor", "inverse", "scores"),
    }
)


def _lower(words: dict[str, Any], name: str, limit: int) -> None:
    """Lower a counter that the interrupted step has incremented without its effect."""
    if words.get(name) == limit + 1:
        words[name] = limit


def count_again(config: Any, words: dict[str, Any]) -> None:
    """Correct counters that an interrupted step left one apart."""
    if "seen" in words:
        _lower(words, "steps", words["seen"])
        _lower(words, "seen", words["steps"])
    for name in ("mistakes", "updates", "capacity_hits", "idle_rows"):
        _lower(words, name, words["steps"])
    _lower(words, "alarms", words["mistakes"])
    if "norm2" in words:
        _count_ring_again(config, words)


def _count_ring_again(config: Any, words: dict[str, Any]) -> None:
    """Correct the counters of a ring."""
    policy, budget = config.parts["policy"], config.budget
    words["norm2"] = 0.0
    # An incoming vector in the spare slot, or one that fills a ring that is never full.
    limit = budget
    if config.policy.never_full or (config.parts["basis"] == Basis.NYSTROM and words["rank"] == 0):
        limit = budget - 1
    _lower(words, "n_support", limit)
    if not config.basis.starts_full and words["n_support"] == words["updates"] + 1:
        if words["updates"] < words["steps"]:
            words["updates"] += 1
        else:
            words["n_support"] -= 1
    for name in ("halvings", "removals"):
        _lower(words, name, words["updates"])
    if words["n_support"] < budget:
        words["cursor"] = 0
    if policy == Policy.ANCHOR and words["n_support"] >= config.values["b0"]:
        words["anchored"] = 1


def prepare(config: Any, regions: tuple[Region, ...], block: memoryview) -> None:
    """Correct counters, zero unused coefficients, and check everything that is not derived.

    Raises ValueError: something else is wrong, too.
    """
    head = unpack(block, NATIVE)
    state = [region for region in regions if region.is_state]
    words: dict[str, Any] = live.words_of(head, state, block)
    count_again(config, words)
    arrays = live.arrays_of(state, block)
    if "window_labels" in arrays:
        labels = arrays["window_labels"]
        for at in range(max(0, words["seen"]), len(labels)):
            labels[at] = 0.0
    if "coefficients" in arrays:
        n, rank = words["n_support"], words.get("rank", 0)
        if 0 <= n <= config.budget and 0 <= rank <= config.budget:
            used = rank or n * config.basis.per_member
            columns = arrays["coefficients"]
            for column in range(config.columns):
                for at in range(column * config.weights + used, (column + 1) * config.weights):
                    columns[at] = 0.0
    live.write_words(words, state, block)
    live.check(config, [region for region in state if region.name not in DERIVED], block)
