"""Repair of a live block whose last step was interrupted; the rest of it is checked.

A step writes counters first, then vectors and coefficients, then what is kept beside them. So a
torn one leaves counters that are one apart, a ring one vector too long, and norms, factors and
neighbours that no longer fit: these are counted and computed afresh. A vector, a coefficient or an
average that was half written cannot be told from a whole one, and stays where it is possible.
"""

from __future__ import annotations

from typing import Any

from edgeolk.configuration.header import NATIVE, unpack
from edgeolk.configuration.regions import Region
from edgeolk.configuration.settings import Settings
from edgeolk.files import live
from edgeolk.files.invariants import check_state
from edgeolk.parts import Basis, Policy, Update

#: Regions that follow from the others.
DERIVED = frozenset(
    {
        *("diagonal", "norms", "arrivals", "nearest", "nearest_distance", "nearest_kernel"),
        *("factor", "inverse", "scores"),
    }
)


def _lower(words: dict[str, Any], name: str, most: int) -> None:
    """A counter that the cut step has raised, and what it counts is not there."""
    if words.get(name) == most + 1:
        words[name] = most


def count_again(config: Settings, words: dict[str, Any]) -> None:
    """Counters as they are between two steps, where the cut step left them one apart."""
    policy, budget = config.parts["policy"], config.budget
    if config.parts["update"] == Update.OPTIMISTIC:
        _lower(words, "steps", words["seen"])
        _lower(words, "seen", words["steps"])
    for name in ("mistakes", "updates", "capacity_hits", "idle_rows"):
        _lower(words, name, words["steps"])
    _lower(words, "alarms", words["mistakes"])
    if config.update.whole:
        return
    words["norm2"] = 0.0
    # The candidate of a full ring, and one whose work on the whole ring was not done.
    most = budget
    if config.policy.never_full or (config.parts["basis"] == Basis.NYSTROM and words["rank"] == 0):
        most = budget - 1
    _lower(words, "n_support", most)
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


def prepare(config: Settings, regions: tuple[Region, ...], block: memoryview) -> None:
    """Set counters right and unused coefficients to 0; check everything that is not derived.

    Raises ValueError: something else is wrong too.
    """
    head = unpack(block, NATIVE)
    state = [region for region in regions if live.is_state(region)]
    words: dict[str, Any] = live.words_of(head, state, block)
    count_again(config, words)
    arrays = live.arrays_of(state, block)
    if "window_labels" in arrays:
        labels = arrays["window_labels"]
        for at in range(max(0, words["seen"]), len(labels)):
            labels[at] = 0.0
    if not config.update.whole:
        n, rank = words["n_support"], words.get("rank", 0)
        if 0 <= n <= config.budget and 0 <= rank <= config.budget:
            used = rank or n * config.basis.per_member
            columns = arrays["coefficients"]
            for column in range(config.columns):
                for at in range(column * config.weights + used, (column + 1) * config.weights):
                    columns[at] = 0.0
    check_state(config, words, {name: held for name, held in arrays.items() if name not in DERIVED})
    live.write_words(words, state, block)
