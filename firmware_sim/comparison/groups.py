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
    evaluator: Evaluator, groups: Groups, config: ReplayConfig, share: float, first: float
) -> tuple[float, float]:
    """Return the losses of a learner on later rows of the groups, and on all that are replayed.

    share: of the rows of each group, the first ones, which are replayed.
    first: share of the rows of each group that are not later ones.
    Raises SimulatorError: a group cannot be learned.
    """
    config = evaluator.config_for(config)
    assert isinstance(config.stream, Stream)
    taken = _first_rows(groups, share)
    replay = Replay(replace(config, stream=Selected(config.stream, taken)))
    replay.device.close()
    sizes = np.bincount(groups.places[groups.places >= 0], minlength=len(groups.names))
    later, every = evaluator.metrics, evaluator.metrics
    for size, (_, batches) in zip(sizes.tolist(), replay.by_group(), strict=True):
        for batch in batches:  # a row of a group has its number in the group
            every.add_answers(batch)
            later.add_answers(Batch(batch.rows[batch.rows["row"] > _cut(first, size)]))
    return later.mean_loss("learner"), every.mean_loss("learner")


def _cut(share: float, size: Any) -> Any:
    """Return how many of a group's rows are the first ones."""
    return np.ceil(share * size)


def _first_rows(groups: Groups, share: float) -> npt.NDArray[np.bool_]:
    """Return which rows are among the first ones of their group."""
    found = np.zeros(len(groups.places), dtype=bool)
    for at in range(len(groups.names)):
        places = np.flatnonzero(groups.places == at)
        found[places[: int(_cut(share, len(places)))]] = True
    return found
