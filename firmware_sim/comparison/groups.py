"""Leave one group out: losses on the rows of each group, of learners of all the others.

They are those of a replay with the same option: `Replay.by_group` makes both.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from firmware_sim.comparison.evaluators import Evaluator
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.base import finite
from firmware_sim.metrics.batch import Batch
from firmware_sim.replaying.held_out import HeldOut, Selected, held_out
from firmware_sim.replaying.loop import Replay
from firmware_sim.streams.stream import Groups, Stream

#: Rows between looks at the clock.
_EVERY = 64


def measured(replay: Replay, groups: Groups, seconds: float) -> tuple[HeldOut | None, int]:
    """Return the errors of a method, and the number of groups that were answered.

    replay: of all rows, which is not run.
    seconds: limit of the processor time; None in place of the errors if it is exceeded.
    Raises SimulatorError: a group cannot be learned.
    """
    began, asked = time.thread_time(), 0

    def is_late() -> bool:
        nonlocal asked
        asked += 1
        return asked % _EVERY == 0 and time.thread_time() - began >= seconds

    replay.device.close()
    parts = [*replay.by_group(is_late if np.isfinite(seconds) else None)]
    if len(parts) < len(groups.names):
        return None, len(parts)
    return held_out(parts, replay.new_metrics()), len(parts)


def figures(found: HeldOut) -> dict[str, Any]:
    """Return what a comparison keeps of a method; see `work.Outcome`."""
    return {
        "loss": found.loss("learner"),
        "rows": found.total.rows,
        "figures": finite(found.total.summary()["learner"]),
        "blocks": [one.metrics.mean_loss("learner") for one in found.parts],
    }


def baselines(evaluator: Evaluator, groups: Groups) -> dict[str, Any]:
    """Return the losses of the baselines that know the labels of all other groups.

    As the fields of `Rows`; those over stretches are by group.
    """
    places, y = groups.places[evaluator.numbers - 1], evaluator.y
    parts: list[Metrics] = []
    for at in range(len(groups.names)):
        own = y[places == at]
        if not len(own):
            continue
        trained, others = evaluator.metrics, y[(places >= 0) & (places != at)]
        trained.add_block(Batch.of(label=others, score=np.zeros(len(others))))
        found = trained.held_out()
        batch = Batch.of(label=own, score=np.zeros(len(own)))
        batch.arrive_late(0, deque())
        found.add_block(batch)
        parts.append(found)
    rows = sum(one.rows for one in parts)
    names = {who: parts[0].baselines[who] for who in parts[0].lasting_baselines}
    return {
        "baselines": {what: sum(one.loss(who) for one in parts) / rows
                      for who, what in names.items()},
        "baseline_blocks": {what: [one.mean_loss(who) for one in parts]
                            for who, what in names.items()},
        "trivial": tuple(names.values()),
    }  # fmt: skip


def losses(
    evaluator: Evaluator, groups: Groups, config: ReplayConfig, taken: int, chosen: int
) -> tuple[float, float]:
    """Return the losses of a learner on rows that nothing was chosen by, and on all it replays.

    Rows are spread evenly over each group, since a group may hold one class after the other.

    taken: how many rows of the stream are replayed.
    chosen: how many of them something was chosen by.
    Raises SimulatorError: a group cannot be learned.
    """
    config = evaluator.config_for(config)
    assert isinstance(config.stream, Stream)
    n, places = len(evaluator.y), groups.places
    is_taken, is_chosen = (_spread(groups, many, n) for many in (taken, chosen))
    replay = Replay(replace(config, stream=Selected(config.stream, is_taken)))
    replay.device.close()
    others, every = evaluator.metrics, evaluator.metrics
    for at, (_, batches) in enumerate(replay.by_group()):
        # A row of a group has its number among those of the group that are replayed.
        known = is_chosen[is_taken & (places == at)]
        for batch in batches:
            every.add_answers(batch)
            others.add_answers(Batch(batch.rows[~known[batch.rows["row"] - 1]]))
    return others.mean_loss("learner"), every.mean_loss("learner")


def _spread(groups: Groups, many: int, n: int) -> npt.NDArray[np.bool_]:
    """Return which rows are taken if these are `many` of n, evenly spread over each group.

    Half as many are among them, if `many` is even.
    """
    found = np.zeros(len(groups.places), dtype=bool)
    for at in range(len(groups.names)):
        places = np.flatnonzero(groups.places == at)
        found[places[np.diff(np.arange(len(places) + 1) * many // n) > 0]] = True
    return found
