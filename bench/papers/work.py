"""Runs on all cores, each finished one kept, and tunings made of such runs."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

from bench.cases import Cases, Record
from bench.machine import ROOT
from bench.papers.runs import MissingExtraError, run
from bench.papers.setting import Row, Setting, Tuning

STORED = ROOT / "build" / "papers.jsonl"
Job = tuple[Setting, int]


@dataclass
class Workbench:
    """Runs jobs that are not stored."""

    cases: Cases
    processes: int
    missing: str = ""
    failed: dict[str, str] = field(default_factory=dict)

    def do(
        self,
        jobs: Iterable[Job],
        tick: Callable[[int], object],
        call: Callable[[Setting, int], Record] = run,
        kind: str = "",
    ) -> None:
        """Run jobs in the order given; ``tick`` is called after each.

        ``kind`` distinguishes the records of another ``call``.
        """
        pending = {}
        for setting, seed in jobs:
            key = kind + setting.key(seed)
            if self.cases.get(key) is None and not (setting.algorithm == "svc" and self.missing):
                pending[key] = (setting, seed)
            else:
                tick(1)
        if not pending:
            return
        with ProcessPoolExecutor(max_workers=self.processes) as pool:
            futures = {pool.submit(call, *job): key for key, job in pending.items()}
            for future in as_completed(futures):
                key = futures[future]
                try:
                    self.cases.add(key, future.result())
                except MissingExtraError as absent:
                    self.missing = self.failed[key] = str(absent)
                except FileNotFoundError:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
                except (RuntimeError, ValueError) as error:  # the other runs are kept
                    self.failed[key] = str(error)
                tick(1)


class Choices:
    """The settings that tunings have chosen."""

    def __init__(self, tunings: Sequence[Tuning], bench: Workbench) -> None:
        self.tunings = {tuning.name: tuning for tuning in tunings}
        self.bench = bench
        self.made: dict[str, dict[str, Any]] = {}

    def taken(self, references: Iterable[str]) -> dict[str, Any]:
        """The choices of the named tunings; "name:a,b" selects only a and b."""
        chosen: dict[str, Any] = {}
        for reference in references:
            name, _, wanted = reference.partition(":")
            made = self.made[name]
            keys = wanted.split(",") if wanted else list(made)
            chosen.update({key: made[key] for key in keys})
        return chosen

    def settle(self, row: Row) -> Setting:
        """The setting of a row with its choices made."""
        return row.setting.choosing(self.taken(row.tuned))

    def _candidates(self, tuning: Tuning) -> list[tuple[dict[str, Any], Setting]]:
        base = tuning.base.choosing(self.taken(tuning.after))
        names = list(tuning.grid)
        products = itertools.product(*tuning.grid.values())
        grid = [dict(zip(names, values, strict=True)) for values in products]
        return [(choice, base.choosing(choice)) for choice in grid]

    def make(self, wanted: Iterable[str], tick: Callable[[int], object]) -> None:
        """Make the named choices and those they rest on, all of one depth at a time."""
        todo = {reference.partition(":")[0] for reference in wanted}
        for name in list(todo):
            todo |= self._below(name)
        while todo - set(self.made):
            ready = [
                self.tunings[name]
                for name in sorted(todo - set(self.made))
                if all(a.partition(":")[0] in self.made for a in self.tunings[name].after)
            ]
            jobs = [(s, x) for t in ready for _, s in self._candidates(t) for x in t.seeds]
            self.bench.do(jobs, tick)
            for tuning in ready:
                self._choose(tuning)

    def _below(self, name: str) -> set[str]:
        found: set[str] = set()
        for reference in self.tunings[name].after:
            earlier = reference.partition(":")[0]
            found |= {earlier} | self._below(earlier)
        return found

    def size(self, wanted: Iterable[str]) -> int:
        """Runs that the named tunings ask for."""
        names = {reference.partition(":")[0] for reference in wanted}
        for name in list(names):
            names |= self._below(name)
        total = 0
        for name in names:
            count = self.tunings[name].samples
            for values in self.tunings[name].grid.values():
                count *= len(values)
            total += count
        return total

    def _choose(self, tuning: Tuning) -> None:
        scored = []
        for order, (choice, setting) in enumerate(self._candidates(tuning)):
            found = [self.bench.cases.get(setting.key(seed)) for seed in tuning.seeds]
            records = [record for record in found if record is not None]
            if len(records) < tuning.samples:
                continue
            away = statistics.fmean(record["error"] for record in records)
            if tuning.support is not None:
                kept = statistics.fmean(record["support"] for record in records)
                away = abs(kept - tuning.support)
            scored.append((away, order, choice))
        self.made[tuning.name] = min(scored)[2] if scored else {}
