"""A block that was sealed: every bit that flips while nobody looks is found."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import EVERY
from twins.streams import random_stream

import edgeolk as ek
from edgeolk.head import FLAGS_OFFSET, MARK, SEALED, unpack

D, B = 3, 5
X, Y = random_stream(3, 60, D)
every = pytest.mark.parametrize("name", EVERY)


def sealed(name: str = "spa", **options: Any) -> bytearray:
    sizing = {"n_features": D, "budget": B, "checksums": True, **options}
    memory = bytearray(ek.plan(name, **sizing).nbytes)
    learner = ek.Learner(name, buffer=memory, **sizing)
    learner.learn_many(X[:40], Y[:40])
    learner.seal()
    del learner
    return memory


def state_of(memory: bytearray) -> range:
    start = memory.find(MARK)
    return range(start, start + unpack(memoryview(memory)[start:]).nbytes)


@every
def test_every_flipped_bit_is_found(name: str) -> None:
    memory = sealed(name)
    flags = memory.find(MARK) + FLAGS_OFFSET
    used = set(state_of(memory)) - {flags, flags + 1}
    whole = ek.attach(bytearray(memory))
    covered = set()
    for region_name, offset, nbytes, _, element, (rows, stride) in whole.plan.regions:
        if region_name == "header" or element:
            width = {"b": 1, "e": 2, "f": 4, "i": 4}.get(element, 8)
            length = rows * stride * width if element else nbytes
            covered |= set(range(memory.find(MARK) + offset, memory.find(MARK) + offset + length))
    for at in sorted(used & covered):
        made = bytearray(memory)
        made[at] ^= 1 << (at % 8)
        before = bytes(made)
        with pytest.raises(ValueError, match=r"\w"):
            ek.attach(made)
        assert bytes(made) == before


def test_the_region_is_named() -> None:
    memory = sealed()
    learner = ek.attach(bytearray(memory))
    ring = next(r for r in learner.plan.regions if r.name == "support_vectors")
    memory[memory.find(MARK) + ring.offset] ^= 1
    with pytest.raises(ValueError, match=r"changed since it was sealed: support_vectors$"):
        ek.attach(memory)
    assert ek.attach(memory, verify=False).steps == 40


@every
def test_learning_goes_on_as_ever_and_takes_the_seal_away(name: str) -> None:
    memory = sealed(name)
    learner = ek.attach(memory, verify=True)
    expected = ek.Learner(name, n_features=D, budget=B)
    expected.learn_many(X[:40], Y[:40])
    assert learner.learn_many(X[40:], Y[40:]).tobytes() == (
        expected.learn_many(X[40:], Y[40:]).tobytes()
    )
    del learner
    assert ek.attach(bytearray(memory)).steps == 60
    with pytest.raises(ValueError, match="not sealed"):
        ek.attach(memory, verify=True)


def test_scoring_leaves_the_seal() -> None:
    memory = sealed()
    learner = ek.attach(memory)
    learner.decision_function(X)
    learner.averaged.decision_one(X[0])
    del learner
    ek.attach(memory, verify=True)


def test_asking_for_a_label_is_counted_and_takes_the_seal_away() -> None:
    memory = sealed()
    learner = ek.attach(memory)
    learner.wants_label(X[0])
    del learner
    assert ek.attach(memory).labels_asked == 1


def test_a_file_has_no_checksums_of_a_block() -> None:
    memory = sealed()
    learner = ek.attach(memory)
    before = bytes(learner._sealed())
    other = ek.Learner("spa", n_features=D, budget=B, checksums=True)
    other.learn_many(X[:40], Y[:40])
    assert bytes(other._sealed()) == before
    again = ek.Learner._from_block(before)
    assert again.config == learner.config
    again.seal()
    assert unpack(memoryview(again._engine.arena)).flags == SEALED


def test_without_room_there_is_no_seal() -> None:
    learner = ek.Learner("spa", n_features=D, budget=B)
    with pytest.raises(ValueError, match="checksums=True"):
        learner.seal()
    with pytest.raises(TypeError, match="checksums must be True or False"):
        ek.Config("spa", n_features=D, budget=B, checksums=1)  # type: ignore[arg-type]
    memory = bytearray(learner.nbytes)
    ek.Learner("spa", n_features=D, budget=B, buffer=memory)
    with pytest.raises(ValueError, match="not sealed"):
        ek.attach(memory, verify=True)


def test_what_it_costs() -> None:
    plain = ek.plan("spa", n_features=D, budget=B)
    roomy = ek.plan("spa", n_features=D, budget=B, checksums=True)
    held = next(region for region in roomy.regions if region.name == "checksums")
    memory = sealed()
    table = unpack(memoryview(memory)[memory.find(MARK) :]).table
    assert held.shape == (1, len(table))
    assert roomy.nbytes - plain.nbytes <= held.nbytes + 32
