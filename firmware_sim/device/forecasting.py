"""Targets of a forecaster as they come: the learner keeps the rows that wait for them."""

from __future__ import annotations

import math
from copy import copy, deepcopy
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import numpy as np

from firmware_sim.config import ReplayConfig
from firmware_sim.device.supervision import Supervision, When
from firmware_sim.streams import Row
from firmware_sim.tasks.regression import TargetScale
from firmware_sim.tasks.teaching import Taught, numbers_said

#: Beyond it a target may be refused (`loops/forecast.h`): who tells it is asked by itself.
_MOST_TARGET = 1e15


@dataclass
class _Plan:
    """What a learner is told and asked, in order.

    rows: rows that are asked for.
    told: the targets; NaN for one that never comes.
    counts: how many of them come before each row, the last behind them all.
    came, late: as of `Taught`.
    """

    rows: int = 0
    told: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=lambda: [0])
    came: dict[int, list[float]] = field(default_factory=dict)
    late: set[int] = field(default_factory=set)


class ForecastSupervision(Supervision):
    """Asks a forecaster about each row, and tells it each target when it comes.

    config, n_features, counts, came, at_once: as for `Supervision`.
    """

    def __init__(self, config: ReplayConfig, n_features: int) -> None:
        super().__init__(config, n_features)
        self._gap = math.inf if config.gap is None else config.gap
        self._seconds = math.nan
        self._begins = True

    def step(self, learner: Any, row: Row, label: float, number: int, seconds: float) -> float:
        """Answer a row, and learn whatever targets have come; see `Supervision.step`."""
        self.came.clear()
        self.at_once = False
        if self._starts_anew(learner) or seconds - self._seconds > self._gap:
            self._forget(learner)
        self._seconds = seconds
        if self._plain:
            self.at_once = True
            self.counts.learned += 1
            return float(learner.learn_one(row, label))
        now = self._now(number, seconds)
        for _ in self._due(now):
            self._tell(learner, self._labels.popleft()[1])
        answer = float(learner.ask_one(row))
        never = self._wait(now, label)
        if not self._delay:
            self._tell(learner, self._labels.popleft()[1])
            self.came.clear()
            self.at_once = not never
        self.counts.waiting = len(self._labels)
        return answer

    def after_cut(self, before: Supervision, learner: Any, lost: int) -> None:
        """Go on after a power cut: rows that waited at the checkpoint wait still.

        They lie in the learner. Targets that came between checkpoint and cut went with the RAM and
        come no more; rows taken in between are gone, and their targets will find none.
        """
        self.counts, self._begins, self._clock = before.counts, False, before._clock
        waited = list(before._labels)
        self._labels.extend(waited[: max(0, len(waited) - lost)])
        self.counts.cut += len(waited) - len(self._labels)
        self.counts.waiting = len(self._labels)
        for _ in range(getattr(learner, "n_waiting", 0) - len(self._labels)):
            learner.tell_one(None)

    def _starts_anew(self, learner: Any) -> bool:
        """Whether a learner out of a file has rows that wait: which, nobody knows."""
        begins, self._begins = self._begins, False
        return begins and getattr(learner, "n_waiting", 0) > 0

    def _due(self, now: float) -> list[float | None]:
        """Return the labels that have come by now."""
        late = self._delay
        return [label for _, label in takewhile(lambda one: now - one[0] >= late, self._labels)]

    def _wait(self, now: float, label: float) -> bool:
        """Have the label of a row wait that was asked for; return whether it will never come."""
        never = bool(self._rng.random() < self._config.label_missing)
        if len(self._labels) == self._size > 0:  # the learner has dropped the oldest
            self._labels.popleft()
            self.counts.lost += 1
        self._labels.append((now, None if never else label))
        return never

    def _tell(self, learner: Any, label: float | None) -> None:
        """Tell the target of the oldest row that waits.

        One that the learner refuses is told as never known: the row would wait for the next target
        else, which is another row's.
        """
        try:
            learner.tell_one(label)
        except ValueError:
            if label is None:
                raise
            label = None
            learner.tell_one(label)
        self._note(label)

    def _note(self, label: float | None) -> None:
        """Count a label that the learner was told."""
        if label is None:
            self.counts.missing += 1
        else:
            self.came.append(label)
            self.counts.learned += 1

    def _forget(self, learner: Any) -> None:
        """Rows after a long stop: the history, and the rows that wait, are not theirs."""
        self.counts.lost += len(self._labels)
        self._labels.clear()
        learner.restart()

    # ---- many rows --------------------------------------------------------------------------

    def learn_many(
        self, kind: str, learner: Any, targets: TargetScale | None, X: Row, y: Row, when: When
    ) -> Taught:
        """Answer rows, and learn whatever targets have come; see `Supervision.learn_many`."""
        whole, first = Taught.of(len(y), numbers_said(learner)), 0
        gaps = np.diff(when.seconds, prepend=self._seconds) > self._gap
        if len(y):
            gaps[0] |= self._starts_anew(learner)
        for end in [*np.flatnonzero(gaps).tolist(), len(y)]:
            if end > first:
                rows = slice(first, end)
                if self._plain:
                    own = super().learn_many(
                        kind, learner, targets, X[rows], y[rows], when.part(rows)
                    )
                else:
                    own = self._learn_late(learner, X[rows], y[rows], when.part(rows))
                own.enter(whole, first)
                self._seconds = float(when.seconds[end - 1])
            if end < len(y):
                self._forget(learner)
            first = end
        return whole

    def _learn_late(self, learner: Any, X: Row, y: Row, when: When) -> Taught:
        """Answer rows whose targets do not come with them; no stop is between them."""
        found, at = Taught.of(len(y), numbers_said(learner)), 0
        while at < len(y):
            rows = slice(at, len(y))
            some = self._ask(learner, X[rows], y[rows], when.part(rows))
            some.enter(found, at)
            at += some.done
            if at < len(y):
                self._seconds = float(when.seconds[at])  # no stop is before it
                self.enter(found, at, learner, X[at], float(y[at]), when)
                at += 1
        found.done = at
        return found

    def _ask(self, learner: Any, X: Row, y: Row, when: When) -> Taught:
        """Answer the first rows, as many as nobody has to look at."""
        labels, clock, rng = copy(self._labels), self._clock, deepcopy(self._rng)
        counts = copy(self.counts)
        plan = self._planned(y, when, len(y))
        found = Taught.of(plan.rows, numbers_said(learner))
        found.done = learner._ask_many(
            X[: plan.rows],
            np.array(plan.told, dtype=float),
            np.array(plan.counts, dtype=np.int64),
            found.scores,
            found.said.reshape(-1),
        )
        if found.done < plan.rows:
            # The learner refuses a row: the targets before it have been told, all else not been.
            self._labels, self._clock, self._rng, self.counts = labels, clock, rng, counts
            plan = self._planned(y, when, found.done, once_more=True)
            found = found.first(found.done)
        found.came, found.late = plan.came, plan.late
        return found

    def _planned(self, y: Row, when: When, end: int, *, once_more: bool = False) -> _Plan:
        """Do what `step` does of the rows to place `end`, but for what the learner does.

        It ends before a row whose target, or who comes with one, may be refused.

        once_more: whether the targets that come before the row behind them are told, too.
        """
        plan = _Plan()
        for at in range(end + once_more):
            label = float(y[at])
            now = self._now(int(when.numbers[at]), float(when.seconds[at]))
            due = self._due(now)
            told = due if self._delay else [label]
            if any(abs(one) > _MOST_TARGET for one in told if one is not None):
                break
            self.came.clear()
            for one in due:
                self._labels.popleft()
                self._give(plan, one)
            if at == end:
                break
            came = [*self.came]
            plan.rows += 1
            plan.counts.append(0)
            never = self._wait(now, label)
            if not self._delay:
                self._give(plan, self._labels.popleft()[1])
            if came:
                plan.came[at] = came
            if self._delay or never:
                plan.late.add(at)
            self.counts.waiting = len(self._labels)
        return plan

    def _give(self, plan: _Plan, label: float | None) -> None:
        """Have a label told before the next row that is asked for."""
        self._note(label)
        plan.told.append(math.nan if label is None else label)
        plan.counts[-1] += 1
