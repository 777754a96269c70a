"""Checkpoints of learners and scalers: when they are written, and what comes back."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from device import Device
from helpers import LIVELY, RINGS
from synthetic import random_stream

import edgeolk as ek
from edgeolk.checkpointer import _decoded, _pieces
from edgeolk.files.slots import HEADER_BYTES, Slots

D, B = 3, 6
X, Y = random_stream(6, 120, D)


def learner_of(name: str = "rbp", **params: Any) -> ek.Learner:
    options = {"n_features": D, "budget": B, "seed": 5, **LIVELY.get(name, {}), **params}
    return ek.Learner(name, **options)


def scaler_of() -> ek.RunningScaler:
    return ek.RunningScaler(D)


def room_for(*what: Any, slots: int = 2) -> bytearray:
    """Memory that holds checkpoints of these."""
    bytes_each = HEADER_BYTES + sum(map(len, _pieces(what)))
    return bytearray(slots * (bytes_each + 64))


def same(a: ek.Learner, b: ek.Learner) -> bool:
    """Bit for bit, and from here on: state, generator and all."""
    found = [
        (m.steps, m.mistakes, m.dual_coef_.tobytes(), m.support_vectors_.tobytes(), m.norm2)
        for m in (a, b)
    ]
    onward = [m.learn_many(X[:40], Y[:40]).tobytes() for m in (a, b)]
    return found[0] == found[1] and onward[0] == onward[1]


# ---- when ----------------------------------------------------------------------------------------


def test_every_so_many_steps() -> None:
    learner = learner_of()
    with ek.Checkpointer(room_for(learner), every=10) as checkpoints:
        wrote = []
        for x, y in zip(X[:35], Y[:35], strict=True):
            learner.learn_one(x, y)
            if checkpoints.step(learner):
                wrote.append(learner.steps)
        assert wrote == [10, 20, 30]
        assert not checkpoints.step(learner)
        assert checkpoints.sequence == 3
        learner.learn_many(X[:25], Y[:25])  # bulk calls count by row
        assert checkpoints.step(learner)
        assert not checkpoints.step(learner)


def test_every_so_many_seconds() -> None:
    now = [100.0]
    learner = learner_of()
    options: dict[str, Any] = {"every": None, "seconds": 5.0, "clock": lambda: now[0]}
    with ek.Checkpointer(room_for(learner), **options) as checkpoints:
        now[0] = 200.0
        assert not checkpoints.step(learner)  # nothing was learned
        learner.learn_one(X[0], 1)
        assert checkpoints.step(learner)
        learner.learn_one(X[1], 1)
        now[0] = 204.9
        assert not checkpoints.step(learner)
        now[0] = 205.0
        assert checkpoints.step(learner)


def test_counting_goes_on_from_what_was_opened() -> None:
    learner = learner_of()
    place = room_for(learner)
    learner.learn_many(X[:47], Y[:47])
    with ek.Checkpointer(place, every=10) as checkpoints:
        checkpoints.write(learner)
    with ek.Checkpointer(place, every=10) as checkpoints:
        learner = checkpoints.open()
        assert learner.steps == 47
        learner.learn_many(X[:9], Y[:9])
        assert not checkpoints.step(learner)
        learner.learn_one(X[0], 1)
        assert checkpoints.step(learner)
        assert not checkpoints.step(learner_of())  # another learner starts to count at its own 0


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"every": 0}, ValueError), ({"every": -1}, ValueError), ({"every": 1.5}, TypeError),
        ({"every": True}, TypeError), ({"seconds": 0.0}, ValueError),
        ({"seconds": float("nan")}, ValueError), ({"slots": 1}, ValueError),
        ({"slots": 65}, ValueError), ({"slots": 2.0}, TypeError), ({"slots": True}, TypeError),
        ({"every": "5"}, TypeError), ({"every": 2**62 + 1}, ValueError),
        ({"seconds": "a"}, TypeError), ({"seconds": True}, TypeError), ({"seconds": []}, TypeError),
        ({"seconds": -1}, ValueError), ({"seconds": -np.inf}, ValueError),
    ],
)  # fmt: skip
def test_bad_options(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=f"{next(iter(options))} must be"):
        ek.Checkpointer(bytearray(9000), **options)


# ---- what ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RINGS)
def test_learning_goes_on_bit_for_bit(name: str, tmp_path: Path) -> None:
    """From the row after the checkpoint, as if nothing had happened."""
    through, learner = learner_of(name), learner_of(name)
    through.learn_many(X[:90], Y[:90])
    with ek.Checkpointer(tmp_path / "kept", every=30) as checkpoints:
        for x, y in zip(X[:70], Y[:70], strict=True):
            learner.learn_one(x, y)
            checkpoints.step(learner)
    restored = ek.Checkpointer.restore(tmp_path / "kept")
    assert restored.steps == 60
    restored.learn_many(X[60:90], Y[60:90])
    assert same(restored, through)


@pytest.mark.parametrize("kind", ["learner", "scaler", "both", "three"])
def test_what_was_given_comes_back(kind: str) -> None:
    learner, scaler = learner_of(), scaler_of()
    learner.learn_many(X[:20], Y[:20])
    scaler.learn_many(X[:15])
    what: Any = {
        "learner": learner,
        "scaler": scaler,
        "both": (scaler, learner),
        "three": [learner, scaler, learner],
    }[kind]
    parts = what if isinstance(what, (tuple, list)) else (what,)
    place = room_for(*parts)
    with ek.Checkpointer(place) as checkpoints:
        checkpoints.write(what)
    found = ek.Checkpointer.restore(place)
    found_parts = found if len(parts) > 1 else (found,)
    assert isinstance(found, tuple) == (len(parts) > 1)
    for part, back in zip(parts, found_parts, strict=True):
        assert type(back) is type(part)
        assert back.__reduce__()[1] == part.__reduce__()[1]


@pytest.mark.parametrize("bad", [None, 3, "text", (), [], (learner_of(), None), {}])
def test_what_cannot_be_kept(bad: Any) -> None:
    checkpoints = ek.Checkpointer(bytearray(9000))
    for call in (checkpoints.step, checkpoints.write):
        with pytest.raises((TypeError, ValueError), match="checkpoint"):
            call(bad)
    assert checkpoints.bytes_written == 0


def test_payloads_that_are_none() -> None:
    learner = learner_of()
    payload = b"".join(_pieces((learner, scaler_of())))
    assert [type(part) for part in _decoded(bytearray(payload))] == [ek.Learner, ek.RunningScaler]
    hostile = [payload[:n] for n in (0, 7, 8, 24, 39, len(payload) - 1)]
    hostile += [payload + b"\0", bytes(8) + payload[8:], b"\xff" * 8 + payload[8:]]
    for at, value in ((8, 9), (8, 0), (16, 2**63), (16, 0), (24, 1), (32, 2**64 - 1)):
        made = bytearray(payload)
        made[at : at + 8] = struct.pack("<Q", value)
        hostile.append(bytes(made))
    for data in hostile:
        with pytest.raises(ValueError, match=r"\w"):
            _decoded(bytearray(data))


def test_what_is_said_of_the_slots(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    with ek.Checkpointer(path) as checkpoints:
        assert checkpoints.opened is None
        assert checkpoints.open() is None
        assert (checkpoints.opened.slot, checkpoints.sequence) == (None, None)
        for _ in range(2):
            checkpoints.write(learner_of())
        assert repr(checkpoints) == "<Checkpointer every 1000 steps: slot 1, no. 2>"
    content = bytearray(path.read_bytes())
    content[len(content) // 2 + HEADER_BYTES + 100] ^= 8
    path.write_bytes(content)
    with ek.Checkpointer(path) as checkpoints:
        assert checkpoints.open().steps == 0
        assert checkpoints.opened.slot == 0
        assert "payload is damaged" in checkpoints.opened.refused[1]


def test_a_model_that_is_inconsistent_is_refused_though_its_checksum_fits(tmp_path: Path) -> None:
    """Content counts as much as the checksum: the slot before is taken."""
    medium = Device(bytes(2 * 8192))
    slots = Slots(medium, _decoded)
    slots.write(_pieces((learner_of(),)))
    worse = _pieces((learner_of(),))
    model = bytearray(worse[-1])
    model[len(model) // 2 :] = bytes([0xFF]) * (len(model) - len(model) // 2)
    slots.write([*worse[:-1], model])
    found = Slots(medium, _decoded)
    assert found.open().steps == 0
    assert found.opened is not None
    assert found.opened.slot == 0
