"""A try: settings compared with the default, chosen on half of the sets, judged on the other."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.bytes.grid import BINARY, CLASSES, KIB, REGRESSION, Job
from bench.bytes.runs import run
from bench.cache import Cache

CACHE = Path(__file__).resolve().parents[1] / "cache" / "ablations.jsonl"
#: More sets of several classes than the frontier has.
MORE = ("outdoor", "dna_train", "wall_moves", "wisdm_activity", "insect_classes", "gases")
STATES = (*CLASSES, *MORE)
#: An error in %, given a set, bytes and the name of a setting.
Measure = Callable[[str, int, str], float]
#: A try pays where the mean ratio on the half kept aside is below this and most sets gain.
PAYS = 0.99


def halves(*groups: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Every other set of each group to choose on, the rest to judge by."""
    return (
        tuple(name for group in groups for name in group[::2]),
        tuple(name for group in groups for name in group[1::2]),
    )


@dataclass(frozen=True)
class Try:
    """One idea: ``settings`` by name, the usual one first, measured on ``sets`` at ``sizes``."""

    name: str
    about: str
    settings: tuple[str, ...]
    sizes: tuple[int, ...]
    chosen_on: tuple[str, ...]
    aside: tuple[str, ...]
    measure: Measure
    #: Settings whose bytes are not all counted, or that know the future: they say what is the most.
    bounds: tuple[str, ...] = ()
    #: Names what else the errors depend on, so that errors kept from another version are not used.
    version: str = ""


@dataclass(frozen=True)
class Outcome:
    """The result of a setting at a size: mean error ratios to the default on both halves."""

    size: int
    setting: str
    chosen: float
    aside: float
    better: int
    worse: int
    best: bool
    bound: bool = False

    @property
    def pays(self) -> bool:
        """Whether it gained where it was chosen, and on the sets that it was not chosen on."""
        return self.chosen < 1.0 and self.aside < PAYS and self.better > self.worse


def ratio(errors: Sequence[tuple[float, float]]) -> float:
    """Geometric mean of the first over the second."""
    logs = [math.log(max(new, 1e-3) / max(old, 1e-3)) for new, old in errors]
    return math.exp(sum(logs) / len(logs))


def judged(tried: Try, errors: Mapping[tuple[str, int, str], float]) -> list[Outcome]:
    """Every setting at every size; marked is the best on the sets it may be chosen on.

    So is the best of those that are bounds.
    """
    found = []
    for size in tried.sizes:

        def pairs(sets: Sequence[str], setting: str, size: int = size) -> list[tuple[float, float]]:
            usual = tried.settings[0]
            return [(errors[s, size, setting], errors[s, size, usual]) for s in sets]

        others = tried.settings[1:]
        best = [
            min(kind, key=lambda setting: ratio(pairs(tried.chosen_on, setting)))
            for bound in (False, True)
            if (kind := [setting for setting in others if (setting in tried.bounds) == bound])
        ]
        for setting in others:
            aside = pairs(tried.aside, setting)
            found.append(
                Outcome(
                    size,
                    setting,
                    ratio(pairs(tried.chosen_on, setting)),
                    ratio(aside),
                    sum(new < old for new, old in aside),
                    sum(new > old for new, old in aside),
                    setting in best,
                    setting in tried.bounds,
                )
            )
    return found


def measured(
    tried: Try, cache: Cache, tick: Callable[[], object]
) -> dict[tuple[str, int, str], float]:
    """The errors of a try, from the cache where they are."""
    errors = {}
    for data in (*tried.chosen_on, *tried.aside):
        for size in tried.sizes:
            for setting in tried.settings:
                about = {"try": tried.name, "data": data, "size": size, "setting": setting}
                key = json.dumps({**about, "version": tried.version}, sort_keys=True)
                made = cache.get(key)
                if made is None:
                    made = {"error": tried.measure(data, size, setting)}
                    cache.add(key, about, made)
                errors[data, size, setting] = float(made["error"])
                tick()
    return errors


def of_settings(
    settings: Mapping[str, Mapping[str, object]],
    name: str = "sorf",
    rows: int = 10_000,
    seeds: Sequence[int] = (1, 2),
    **more: object,
) -> Measure:
    """The error of a learner of this library with the options that a setting names."""

    def measure(data: str, size: int, setting: str) -> float:
        found = [
            run(
                Job(data, name, size, params={**more, **settings[setting], "seed": seed}, rows=rows)
            )
            for seed in seeds
        ]
        return sum(float(made["error"]) for made in found) / len(seeds)

    return measure


def tolerant(measure: Measure, usual: str) -> Measure:
    """The usual setting where another does not fit in so few bytes."""

    def measured(data: str, size: int, setting: str) -> float:
        try:
            return measure(data, size, setting)
        except ValueError:
            return measure(data, size, usual)

    return measured


SIZES = (4 * KIB, 16 * KIB, 64 * KIB)
ALL = halves(BINARY, CLASSES, REGRESSION)
