"""A block that was sealed: every bit that flips while nobody looks is found."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

import pytest
from helpers import BY_DAY, EVERY, few_first
from synthetic import random_stream

import edgeolk as ek
from edgeolk.configuration.header import FLAGS_OFFSET, MARK, NATIVE, SEALED, TORN, length_of, unpack
from edgeolk.configuration.regions import ELEMENT_BYTES
from edgeolk.files import checksums

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


def state_of(memory: bytearray) -> list[int]:
    """Places of the bytes of the header and of the regions of state, from the mark on."""
    block = memoryview(memory)[memory.find(MARK) :]
    places = list(range(length_of(block, NATIVE)))
    for element, offset, count in unpack(block, NATIVE).table.values():
        places += range(offset, offset + ELEMENT_BYTES[element] * count)
    return places


def refuses(memory: bytearray, bits: Iterable[int]) -> bool:
    """Whether each of these bits of a block, flipped alone, is found, and nothing is written."""
    start = memory.find(MARK)
    for bit in bits:
        made = bytearray(memory)
        made[start + bit // 8] ^= 1 << bit % 8
        before = bytes(made)
        with pytest.raises(ValueError, match=r"\w"):
            ek.attach(made)
        assert bytes(made) == before, bit
    return True


FLAGS = range(8 * FLAGS_OFFSET, 8 * FLAGS_OFFSET + 16)
#: Small blocks of each kind: rings of every width of numbers, features, regions of both, padding.
KINDS: dict[str, dict[str, Any]] = {
    "spa": {},
    "rbp": {"dtype": "int8", "feature_range": (-4.0, 4.0)},
    "pa1": {"dtype": "float16"},
    "projectron++": {"dtype": "float64"},
    "forgetron": {"on_bad_row": "skip"},
    "ahpatron": {"scale": "standard", "gamma": "auto"},
    "fogd": {},
}


@pytest.mark.parametrize("name", few_first(EVERY, ("ahpatron",)))
def test_every_flipped_bit_is_found(name: str) -> None:
    memory = sealed(name, **KINDS.get(name, {}))
    assert refuses(memory, (8 * at + bit for at in state_of(memory) for bit in range(8)))


@pytest.mark.parametrize("name", BY_DAY)
@pytest.mark.spread(3)
def test_a_flipped_bit_of_every_byte_is_found(name: str) -> None:
    memory = sealed(name, **KINDS.get(name, {}))
    assert refuses(memory, [*FLAGS, *(8 * at + at % 8 for at in state_of(memory))])


def with_flags(memory: bytearray, flags: int) -> bytearray:
    made = bytearray(memory)
    struct.pack_into("=H", made, made.find(MARK) + FLAGS_OFFSET, flags)
    return made


@pytest.mark.parametrize("flags", [3, *(1 << bit for bit in range(2, 16)), 2**16 - 1])
def test_flags_that_nothing_leaves_are_refused(flags: int) -> None:
    memory = with_flags(sealed(), flags)
    for choices in ({}, {"verify": False}, {"torn": "accept"}, {"torn": "repair"}):
        with pytest.raises(ValueError, match=f"inconsistent: flags {flags}, which no step"):
            ek.attach(memory, **choices)


def test_a_block_without_checksums_cannot_be_sealed() -> None:
    """``restart`` looked for checksums to wipe."""
    memory = bytearray(ek.plan("spa", n_features=D, budget=B).nbytes)
    ek.Learner("spa", n_features=D, budget=B, buffer=memory)
    with pytest.raises(ValueError, match=r"inconsistent: it is sealed, but has no checksums$"):
        ek.attach(with_flags(memory, SEALED), verify=False)


def test_a_flag_that_is_off_is_told() -> None:
    memory = with_flags(sealed(), 0)
    for verify in (None, True):
        with pytest.raises(ValueError, match=r"since it was sealed: the flag of the seal is off$"):
            ek.attach(memory, verify=verify)
    assert ek.attach(memory, verify=False).steps == 40


def test_a_flag_that_is_on_is_told() -> None:
    memory = sealed()
    ek.attach(memory).learn_one(X[40], Y[40])
    with pytest.raises(ValueError, match=r"changed since it was sealed: .*header$"):
        ek.attach(with_flags(memory, SEALED))
    with pytest.raises(ValueError, match="last step was interrupted"):
        ek.attach(with_flags(memory, TORN))


def states_during_seal(
    learner: ek.Learner, memory: bytearray, monkeypatch: pytest.MonkeyPatch
) -> list[bytes]:
    """What the memory was before each write of a seal."""
    seen: list[bytes] = []
    held_of, pack_into = checksums._stored, struct.pack_into

    class Held:
        def __init__(self, held: memoryview[Any]) -> None:
            self.held = held

        def __setitem__(self, at: int, crc: int) -> None:
            seen.append(bytes(memory))
            self.held[at] = crc

    def packed(*arguments: Any) -> None:
        seen.append(bytes(memory))
        pack_into(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(checksums, "_stored", lambda head, block: Held(held_of(head, block)))
        patch.setattr(struct, "pack_into", packed)
        learner.seal()
    return seen


@pytest.mark.parametrize("before", ["never", "before a step", "just now", "and has changed"])
def test_a_seal_that_was_cut_is_none(before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is killed while it seals leaves a model that can be attached."""
    memory = bytearray(ek.plan("spa", n_features=D, budget=B, checksums=True).nbytes)
    learner = ek.Learner("spa", n_features=D, budget=B, checksums=True, buffer=memory)
    learner.learn_many(X[:40], Y[:40])
    if before != "never":
        learner.seal()
    if before == "before a step":
        learner.learn_one(X[40], Y[40])
    if before == "and has changed":
        ring = next(r for r in learner.plan.regions if r.name == "support_vectors")
        memory[memory.find(MARK) + ring.offset] ^= 1
    seen = states_during_seal(learner, memory, monkeypatch)
    assert len(seen) == len(unpack(memoryview(learner._engine.arena), NATIVE).table) + 2
    for cut in seen[1:]:
        assert ek.attach(bytearray(cut)).steps == learner.steps
        with pytest.raises(ValueError, match="not sealed"):
            ek.attach(bytearray(cut), verify=True)
    steps = learner.steps
    del learner
    assert ek.attach(memory, verify=True).steps == steps


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
    assert unpack(memoryview(again._engine.arena), NATIVE).flags == SEALED


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
