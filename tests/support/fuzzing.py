"""Everything loaded or attached is rejected with a reason, or is a usable model."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import struct
import time
import tracemalloc
import warnings
import zlib
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from golden import CASES, READERS, data_of
from mutations import WHOLE, mutated

import edgeolk as ek
from edgeolk.block import TORN_CHOICES
from edgeolk.checkpointer import _pieces
from edgeolk.core.arena import ALIGNMENT
from edgeolk.files import restore
from edgeolk.files.slots import HEADER_BYTES, packed_head

#: A step or a load takes no longer (of processor time: other processes may be busy).
MOST_SECONDS = 1.0
#: What took longer is tried so often again before it counts as slow.
AGAIN = 3
#: Of so many mutants the memory of one is measured, which takes time.
SAMPLE = 50
#: A model with more scratch than this is not used: nothing has touched its memory yet.
LARGE = 10_000_000
#: Features times budget of a model that is used: a step of more takes a tenth of a second, rightly.
SLOW = 1_000_000
#: Memory beyond the file's size that refusing it may take.
MOST_MEMORY = 65_536
#: What using a model may end in: refusals that the documentation names.
ORDERLY = (ValueError, AttributeError, TypeError, ek.BudgetError)


class BrokenError(AssertionError):
    """A mutant was not handled as it must be."""


@cache
def models() -> tuple[bytes, ...]:
    """Every golden file of a small model."""
    found = (data_of(version, stem) for version, stem in CASES)
    return tuple(data for data in found if len(data) < 6000)


@cache
def scalers() -> tuple[bytes, ...]:
    """Files of scalers."""
    rows = np.random.default_rng(0).normal(size=(30, 3))
    made = []
    for options in ({}, {"method": "minmax"}, {"clip": None}, {"freeze_after": 30}):
        scaler = ek.RunningScaler(3, **options)
        scaler.learn_many(rows)
        made.append(scaler.__reduce__()[1][0])
    return tuple(made)


@cache
def blocks() -> tuple[bytes, ...]:
    """Live blocks: the models of the current format as they are in memory."""
    made = []
    for version, stem in CASES:
        if version == max(READERS) and len(data := data_of(version, stem)) < 6000:
            learner = ek.Learner._from_block(data)
            made.append(bytes(memoryview(learner._engine.arena)) + bytes(ALIGNMENT))
    return tuple(made)


def container(model: bytes, chance: random.Random) -> tuple[list[str], bytearray]:
    """Two slots: a valid checkpoint, and a newer mutant whose headers may be wrong too."""
    table = [1, 1, len(model)]
    head = [2, 24 + len(model), 0]
    done = []
    for name, fields in (("table", table), ("slot", head)):
        if chance.random() < 0.2:
            at = chance.randrange(len(fields))
            fields[at] = chance.choice((*WHOLE, fields[at] + 1, fields[at] - 1)) % 2**64
            done.append(name)
    payload = struct.pack("<QQQ", *table) + model
    if chance.random() < 0.9:
        head[2] = zlib.crc32(payload[: head[1]])
        done.append("sealed slot")
    good = b"".join(_pieces((ek.Learner("rbp", n_features=1, budget=2),)))
    room = -(-(HEADER_BYTES + max(len(good), len(payload))) // 64) * 64
    older = packed_head(1, len(good), zlib.crc32(good)) + good
    newer = packed_head(head[0] % 2**32, head[1], head[2] % 2**32) + payload
    return done, bytearray(older.ljust(room, b"\0") + newer.ljust(room, b"\0"))


def newest(data: bytearray, ram: int | None) -> Any:
    """The contents of the newer slot; if it is rejected, the other one is opened."""
    with ek.Checkpointer(data, ram=ram) as checkpoints:
        found, opened = checkpoints.open(), checkpoints.opened
    if opened is None or (opened.slot == 0 and found.steps != 0) or opened.slot is None:
        raise BrokenError(f"the good slot is not opened: {opened}")
    if opened.slot == 0:
        raise ValueError(f"slot: {opened.refused.get(1, 'older')}")
    return found


def processor_seconds(call: Callable[[], Any]) -> float:
    """Processor time of a call, whether it succeeds or raises."""
    before = time.process_time()
    with contextlib.suppress(*ORDERLY):
        call()
    return time.process_time() - before


def file_of(learner: ek.Learner) -> bytes:
    return bytes(learner._sealed())


def rows_for(learner: ek.Learner, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A few rows that the learner accepts, with labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6, learner.n_features))
    if learner.is_regression:
        return X, rng.normal(size=6)
    if learner.n_classes > 2:
        return X, rng.integers(learner.n_classes, size=6).astype(float)
    return X, np.where(rng.random(6) < 0.5, -1.0, 1.0)


def attempts(learner: ek.Learner, seed: int) -> tuple[Callable[[], Any], ...]:
    X, y = rows_for(learner, seed)
    if learner._config.awaits_targets:  # nothing else is learned while rows wait
        learner.restart()
    return (
        lambda: [learner.learn_one(x, float(label)) for x, label in zip(X, y, strict=True)],
        lambda: learner.learn_many(X, y),
        lambda: learner.predict(X),
        lambda: learner.scores(X),
        lambda: learner.averaged.decision_function(X),
        lambda: (learner.support_vectors_, learner.dual_coef_),
        lambda: learner.weights_,
        lambda: (repr(learner), learner.norm2, learner.plan, learner.config),
    )


class Fuzzer:
    """Runs mutants and counts the outcomes.

    Attributes
    ----------
    tally : Counter
        ``refused``, ``accepted``, ``by load`` and so on; ``poisoned``: accepted models whose
        numbers left the range allowed in a file while they learned, which must not happen;
        ``large``: not used.
    slowest : float
        Processor seconds of the slowest load or step.
    most_memory : int
        Maximum memory, beyond the file's size, that a rejection took.
    """

    def __init__(self, folder: Path, seed: int, broken: Path | None = None) -> None:
        self.chance = random.Random(seed)
        self.path = folder / "mutant.olk"
        self.broken = broken or folder
        self.file = open(self.path, "wb")  # noqa: SIM115
        self.tally: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.slowest = 0.0
        self.most_memory = 0

    def __enter__(self) -> Fuzzer:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def run(self, count: int) -> None:
        """Try that many mutants; ``BrokenError`` says what went wrong, with the mutant's bytes."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for number in range(count):
                # Not the first: what it needs is imported then.
                self.one(number % SAMPLE == SAMPLE - 1)

    def one(self, measured: bool) -> None:
        kind = self.chance.choices(
            ("load", "pickle", "attach", "scaler", "checkpoint"), (10, 4, 10, 1, 4)
        )[0]
        files = {"attach": blocks, "scaler": scalers}.get(kind, models)()
        done, data = mutated(files, self.chance, kind == "attach")
        if kind == "checkpoint":
            more, data = container(bytes(data), self.chance)
            done += more
        self.kinds.update(done)
        before = bytes(data)  # a block that is attached learns where it lies
        try:
            poisoned = not self.attempt(kind, data, measured)
        except Exception as error:
            (self.broken / "mutant.broken").write_bytes(before)
            raise BrokenError(f"{kind} after {done}: {type(error).__name__}: {error}") from error
        if poisoned:
            self.tally["poisoned"] += 1
            (self.broken / f"mutant.poisoned-{self.tally['poisoned']}").write_bytes(before)

    def attempt(self, kind: str, data: bytearray, measured: bool) -> bool:
        """One mutant; whether it is rejected, or can be used and loaded again."""
        size = len(data)
        taken: Callable[[], Any]
        if kind == "load":
            os.ftruncate(self.file.fileno(), 0)
            os.pwrite(self.file.fileno(), data, 0)
            ram = size + MOST_MEMORY if self.chance.random() < 0.8 else None
            taken = lambda: ek.load(self.path, ram)  # noqa: E731
        elif kind == "attach":
            torn = self.chance.choice(TORN_CHOICES)
            taken = lambda: ek.attach(data, torn)  # noqa: E731
        elif kind == "checkpoint":
            most = size + MOST_MEMORY if self.chance.random() < 0.8 else None
            taken = lambda: newest(data, most)  # noqa: E731
        elif kind == "pickle":
            taken = lambda: ek.Learner._from_block(bytes(data))  # noqa: E731
        else:
            taken = lambda: ek.RunningScaler._from_block(bytes(data))  # noqa: E731
        self.tally[f"by {kind}"] += 1
        made = self.timed(lambda: self.taken(taken, size, measured))
        if made is None:
            self.tally["refused"] += 1
            return True
        self.tally["accepted"] += 1
        if kind == "scaler":
            self.use_scaler(made)
            return True
        return self.use(made)

    def taken(self, call: Callable[[], Any], size: int, measured: bool) -> Any:
        """The loaded object, or None if it is rejected as it should be."""
        if measured:
            tracemalloc.start()
        try:
            return call()
        except ValueError as error:
            if measured:
                peak = tracemalloc.get_traced_memory()[1]
                self.most_memory = max(self.most_memory, peak - size)
            reason = str(error)
            if not any(map(str.isalpha, reason)):
                raise BrokenError(f"refused without a reason: {reason!r}") from error
            self.reasons[" ".join(w for w in reason.split() if w.isalpha())[:60]] += 1
            return None
        finally:
            if measured:
                tracemalloc.stop()

    def timed(self, call: Callable[[], Any]) -> Any:
        before = time.perf_counter()
        made = None
        try:
            made = call()
            return made
        finally:
            spent = time.perf_counter() - before
            if getattr(made, "nbytes", 0) > LARGE:
                # A sanitizer writes an eighth of what a model maps, untouched though it is.
                spent = 0.0
            for _ in range(AGAIN):
                if spent <= MOST_SECONDS:
                    break
                # Other processes, or another machine on the same processor, may have been busy.
                spent = min(spent, processor_seconds(call))
            self.slowest = max(self.slowest, spent)
            if spent > MOST_SECONDS:
                raise BrokenError(f"{spent:.2f} s of processor time")

    def use(self, learner: ek.Learner) -> bool:
        """Saved and loaded, it is the same; then it learns, scores, and is saved again.

        Returns whether the learned state can be loaded again.
        """
        if learner.nbytes > LARGE or learner.n_features * learner.budget > SLOW:
            self.tally["large"] += 1
            return True
        whole = file_of(learner)
        # Bytes between regions hold nothing, and are not kept.
        if restore.read(file_of(ek.Learner._from_block(whole))) != restore.read(whole):
            raise BrokenError("saved and loaded again it is another model")
        seed = self.chance.randrange(1000)
        for attempt in attempts(learner, seed):
            with contextlib.suppress(*ORDERLY):
                self.timed(attempt)
        try:
            again = pickle.loads(pickle.dumps(learner))
        except ValueError as error:
            self.reasons[f"poisoned: {error}"] += 1
            return False
        if restore.read(file_of(again)) != restore.read(file_of(learner)):
            raise BrokenError("after some steps it is saved as another model")
        return True

    def use_scaler(self, scaler: Any) -> None:
        rows = np.random.default_rng(0).normal(size=(4, scaler.n_features))
        for attempt in (
            lambda: scaler.learn_many(rows),
            lambda: scaler.transform(rows),
            lambda: scaler.learn_transform_one(rows[0]),
            lambda: (repr(scaler), scaler.mean_, scaler.scale_),
        ):
            with contextlib.suppress(*ORDERLY, OverflowError):
                self.timed(attempt)

    def report(self) -> str:
        """The figures as JSON."""
        return json.dumps(
            {
                **dict(sorted(self.tally.items())),
                "slowest seconds": round(self.slowest, 3),
                "most memory beyond the file, refused": self.most_memory,
                "mutations": dict(sorted(self.kinds.items())),
                "reasons": dict(self.reasons.most_common(25)),
            },
            indent=1,
        )
