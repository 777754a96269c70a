"""Arguments, the plan, and the memory a scaler is built in."""

import tracemalloc

import numpy as np
import pytest
from scalers import FORMS, block_of, noise, scaler_of

import edgeolk as ek


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("d", [1, 5, 8, 9, 64, 65, 123])
def test_plan_is_what_is_taken(form, d):
    plan = ek.RunningScaler.plan(d, *form)
    assert plan == ek.RunningScaler.plan(d, method=form[0], clip=form[1])
    assert isinstance(plan, ek.ScalerPlan)
    ends = [0]
    for region in plan.regions:
        assert isinstance(region, ek.Region)
        assert region.offset == ends[-1]
        assert region.nbytes % 64 == 0
        ends.append(region.offset + region.nbytes)
    assert plan.regions[-1].name == "alignment"
    assert plan.regions[-1].nbytes == 64
    assert plan.nbytes == ends[-1]
    assert str(plan.nbytes) in str(plan)
    tracemalloc.start()
    try:
        scaler = scaler_of(form, d)
        taken = [t.size for t in tracemalloc.take_snapshot().traces if t.size == plan.nbytes]
    finally:
        tracemalloc.stop()
    assert scaler.nbytes == plan.nbytes
    assert len(taken) == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("offset", [0, 1, 7, 63])
def test_buffer_is_used_exactly_wherever_it_starts(form, offset):
    size = ek.RunningScaler.plan(5, *form).nbytes
    memory = bytearray(b"\xaa" * (size + offset + 100))
    with pytest.raises(ValueError, match=f"buffer must hold {size} bytes"):
        scaler_of(form, 5, buffer=memoryview(memory)[: size - 1])
    assert memory == b"\xaa" * len(memory)
    scaler = scaler_of(form, 5, buffer=memoryview(memory)[offset:])
    free = scaler_of(form, 5)
    for each in (scaler, free):
        each.learn_many(noise(50, 5))
    assert scaler.nbytes == size
    assert memory[:offset] == b"\xaa" * offset
    assert memory[offset + size :] == b"\xaa" * 100
    assert block_of(scaler) == block_of(free)
    assert memory.find(b"edgescal") >= offset
    with pytest.raises(BufferError):
        memory.clear()


@pytest.mark.parametrize(
    ("arguments", "options", "error", "name"),
    [
        ((), {}, TypeError, "argument"),
        ((0,), {}, ValueError, "n_features"),
        ((-1,), {}, ValueError, "n_features"),
        ((2.0,), {}, TypeError, "n_features"),
        ((True,), {}, TypeError, "n_features"),
        ((2**40,), {}, ValueError, "n_features"),
        ((2, "standard"), {}, TypeError, "positional"),
        ((2,), {"method": "robust"}, ValueError, "method"),
        ((2,), {"method": 1}, TypeError, "method"),
        ((2,), {"method": ["standard"]}, TypeError, "method"),
        ((2,), {"clip": 1.9}, ValueError, "clip"),
        ((2,), {"clip": 0}, ValueError, "clip"),
        ((2,), {"clip": -5.0}, ValueError, "clip"),
        ((2,), {"clip": np.nan}, ValueError, "clip"),
        ((2,), {"clip": np.inf}, ValueError, "clip"),
        ((2,), {"clip": 10**400}, ValueError, "clip"),
        ((2,), {"clip": True}, TypeError, "clip"),
        ((2,), {"clip": "5"}, TypeError, "clip"),
        ((2,), {"clip": np.zeros(2)}, TypeError, "clip"),
        ((2,), {"window": 9}, ValueError, "window"),
        ((2,), {"window": 2**31}, ValueError, "window"),
        ((2,), {"window": 100.0}, TypeError, "window"),
        ((2,), {"window": 100, "clip": None}, ValueError, "window"),
        ((2,), {"freeze_after": 0}, ValueError, "freeze_after"),
        ((2,), {"freeze_after": -5}, ValueError, "freeze_after"),
        ((2,), {"freeze_after": 10.0}, TypeError, "freeze_after"),
        ((2,), {"buffer": bytearray(10)}, ValueError, "buffer"),
        ((2,), {"buffer": bytes(4096)}, TypeError, "buffer"),
        ((2,), {"buffer": "text"}, TypeError, "buffer"),
        ((2,), {"ddof": 1}, TypeError, "ddof"),
    ],
)
def test_bad_construction(arguments, options, error, name):
    with pytest.raises(error, match=name):
        ek.RunningScaler(*arguments, **options)
