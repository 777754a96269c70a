"""Errors on rows that a learner does not learn from: later ones, another stream's, or a group's.

The device is copied as training leaves it, and the copy answers without learning. Baselines know
the labels of training alone; only a forecaster, which needs the history of its target, receives
those of the other rows, each after its answer.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.device import Device
from firmware_sim.errors import SimulatorError, StreamError
from firmware_sim.metrics import Metrics
from firmware_sim.metrics.batch import Batch
from firmware_sim.plaintext import shortened
from firmware_sim.replaying.checked import checked, filler_of, forecast_rows, usable
from firmware_sim.replaying.source import opened
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.block import Block, Places
from firmware_sim.streams.stream import BlockStream, Groups

#: Most groups: each takes a replay of its own.
MAX_GROUPS = 64
#: From rows and labels to answers, each from before its label.
Answers = Callable[[Row, Row], Row]


@dataclass(frozen=True)
class Part:
    """Rows that were held out together.

    name: what they are.
    learned: rows that the learner had learned before.
    refused: rows that it does not accept.
    metrics: the errors of the learner and of the baselines that need no labels of these rows.
    """

    name: str
    learned: int
    refused: int
    metrics: Metrics


@dataclass(frozen=True)
class HeldOut:
    """The errors on all rows that were held out.

    parts: by origin of the rows; those without a row are left out.
    total: the learner's errors on all of them.
    """

    parts: list[Part]
    total: Metrics

    def loss(self, name: str) -> float:
        """Return the mean loss of the learner or of a lasting baseline over all rows."""
        return sum(one.metrics.loss(name) for one in self.parts) / max(1, self.total.rows)

    @property
    def unbeaten(self) -> list[str]:
        """The baselines that the learner does not beat."""
        ours = self.loss("learner")
        return [who for who in self.total.lasting_baselines if self.loss(who) <= ours]


class Selected(BlockStream):
    """The rows of some groups of a stream, with new numbers.

    stream: all rows.
    taken (ndarray of bool, shape (n,)): which of the first n rows they are; no later one is.
    """

    def __init__(self, stream: Stream, taken: Any) -> None:
        self._stream, self._taken = stream, taken
        self.describe_as(stream)
        if stream.groups is not None:
            places = stream.groups.places[: len(taken)][taken]
            self.groups = stream.groups._replace(places=places)

    def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows after row `number`; see `Stream.blocks`."""
        end = 0  # number of the last row of the groups so far
        for block in self._stream.blocks(len(self._taken)):
            first = block.first - 1
            places = np.flatnonzero(self._taken[first : first + len(block)])
            before, end = end, end + len(places)
            places = places[max(0, number - before) : None if limit is None else limit - before]
            if len(places):
                yield _part_of(block, places, max(before, number) + 1)
            if limit is not None and end >= limit:
                return


class Reordered(BlockStream):
    """The rows of another stream, with the readings of a first one in its order.

    Raises StreamError: one of them is missing.
    """

    def __init__(self, stream: Stream, features: tuple[str, ...]) -> None:
        missing = [name for name in features if name not in stream.features]
        if missing:
            raise StreamError(
                f"{stream.name} has no reading {missing[0]!r}, which the learner needs; its "
                f"readings are: {', '.join(stream.features)}"
            )
        self.describe_as(stream)
        self._stream, self.features = stream, features
        self._order = [stream.features.index(name) for name in features]

    def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows after row `number`; see `Stream.blocks`."""
        for block in self._stream.blocks_after(number, limit):
            yield replace(block, rows=block.rows[:, self._order])

    def close(self) -> None:
        """Close the other stream."""
        self._stream.close()


class Later(BlockStream):
    """The rows of a stream after row `after`, with their numbers."""

    def __init__(self, stream: Stream, after: int) -> None:
        self.describe_as(stream)
        self._stream, self.after = stream, after

    def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows after row `number`; see `Stream.blocks`."""
        yield from self._stream.blocks_after(max(number, self.after), limit)


def _part_of(block: Block, places: Places, first: int) -> Block:
    """Return some rows of a block, numbered from `first`."""
    damage = {
        at: block.damage[one] for at, one in enumerate(places.tolist()) if one in block.damage
    }
    labels = replace(block.labels, places=block.labels.places[places])
    return Block(first, block.rows[places], labels, block.seconds[places], damage)


def frozen_answers(config: ReplayConfig, device: Device, *, continues: bool = True) -> Answers:
    """Return a function from rows and labels to the answers of a copy that learns no more.

    continues: whether the rows follow those that were learned.
    """
    learner, scaler = pickle.loads(pickle.dumps((device.learner, device.scaler)))
    pending = device.supervision.pending
    # The last label of another series is no label of these rows, nor is one that came long ago.
    if config.resolved.params.get("last_label") or (config.label_kind.uses_order and not continues):
        learner.restart()
        pending = []
    targets = (0.0, 1.0) if device.targets is None else device.targets.current
    answers = config.label_kind.frozen(learner, targets, pending)
    if scaler is None:
        return answers
    return lambda X, y: answers(np.asarray(scaler.transform(X)), y)


def measured(
    config: ReplayConfig, device: Device, metrics: Metrics, name: str, stream: Stream
) -> tuple[Part, list[Batch]]:
    """Measure a device, as training has left it, on rows that it does not learn.

    metrics: of the training.
    name: what the rows are.
    stream: the rows.

    Returns: the errors, and the answers.
    """
    kind = config.label_kind
    continues = isinstance(stream, Later)
    answers = frozen_answers(config, device, continues=continues)
    (repair,) = pickle.loads(pickle.dumps((device.repair,)))
    found, refused = metrics.held_out(), 0
    pending = device.supervision.pending if continues else []
    first = stream.after + 1 - len(pending) if isinstance(stream, Later) else 0
    batches, late = [], deque(enumerate(pending, first))
    filler = filler_of(config, stream)
    for block in checked(replace(config, train_rows=None), stream, kind.labels()):
        rows = forecast_rows(block, *usable(block, repair), filler)
        if not kind.keeps_rows:
            rows = rows.part(rows.is_row)
        scores = _answered(answers, rows.X, rows.y)
        known = np.isfinite(scores)
        refused += int(np.count_nonzero(~known))
        known &= np.isfinite(rows.y)
        if not known.any():
            continue
        rows, scores = rows.part(known), scores[known]
        batch = Batch.of(row=rows.periods, label=rows.y, score=scores)
        is_late = kind.keeps_rows or config.rows_ahead > 0
        batch.arrive_late((config.queue_rows or kind.horizon) if is_late else 0, late)
        batch = batch.renumbered(rows.periods, block.block.first + rows.places, rows.is_row)
        found.add_block(batch)
        batches.append(batch.of_rows)
    return Part(name, device.steps, refused, found), batches


def _answered(answers: Answers, X: Row, y: Row) -> Row:
    """Return the answers to rows, NaN where the learner refuses one."""
    if not len(y):
        return np.empty(0)
    try:
        return np.asarray(answers(X, y), dtype=float)
    except ValueError:
        if len(y) == 1:
            return np.array([np.nan])
    rows = (slice(at, at + 1) for at in range(len(y)))
    return np.concatenate([_answered(answers, X[row], y[row]) for row in rows])


def groups_of(config: ReplayConfig, group: str) -> Groups:
    """Return the groups of a stream.

    Raises SimulatorError: there are fewer than two, or too many.
    """
    if isinstance(config.stream, Stream):
        if config.stream.groups is not None:
            return config.stream.groups
        raise SimulatorError("group names a column of a log: it is not for a stream object")
    ignored = tuple(name for name in config.ignore if name != group)
    if config.target is not None:
        ignored = (*ignored, config.target)
    keys = replace(config, target=group, group=None, ignore=ignored, kind="", positive=None)
    stream = opened(replace(keys, classes=(), params={}), group=group)
    if stream.kept is not None:
        stream.close()
        raise SimulatorError(f"group needs a stream that can be read again: {stream.name} is live")
    known: dict[str, int] = {}
    found = []
    for block in stream.blocks(config.limit):
        words = [known.setdefault(word.strip(), len(known)) for word in block.labels.words]
        places = block.labels.places.copy()
        places[[*block.damage]] = -1
        found.append(np.append(np.array(words, dtype=np.int64), -1)[places])
        if len(known) > MAX_GROUPS:
            raise SimulatorError(
                f"column {group!r} of {stream.name} has more than {MAX_GROUPS} values, such as "
                f"{shortened([*known][-1])}: group needs a column with few"
            )
    if len(known) < 2:
        raise SimulatorError(f"column {group!r} of {stream.name} has the same value in each row")
    return Groups([*known], np.concatenate(found))


def held_out(found: Iterable[tuple[Part, list[Batch]]], metrics: Metrics) -> HeldOut:
    """Return the errors by part and in total; `metrics` are those of the training."""
    parts, total = [], metrics.held_out()
    for part, batches in found:
        parts += [part] if batches else []
        for batch in batches:
            total.add_answers(batch)
    if not parts:
        raise StreamError("no row is held out: the learner learned all of the stream's usable rows")
    return HeldOut(parts, total)
