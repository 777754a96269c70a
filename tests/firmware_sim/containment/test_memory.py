"""The cap: what lies where, what fits to the byte, what is refused and with which answer."""

from __future__ import annotations

import ctypes
import errno
import mmap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgeolk as ek
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.containment import memory
from firmware_sim.containment.memory import (
    ALIGNMENT,
    PAGE,
    DeviceMemory,
    Layout,
    Need,
    align,
    lay_out,
)
from firmware_sim.device.device import Device
from firmware_sim.device.planning import learner_settings, plan_device
from firmware_sim.errors import DoesNotFitError, SimulatorError
from firmware_sim.metrics.batch import When

DONE = [row.name for row in ek.algorithms()]
KERNEL = ek.Gaussian(0.5)


def check(layout: Layout) -> None:
    """Parts lie on 64-byte lines, in order, apart, under the cap; regions lie in their part."""
    end = 0
    for part in layout.parts:
        assert part.offset % ALIGNMENT == 0
        assert part.offset >= end
        end = part.offset + part.nbytes
        inner = part.offset
        for region in part.regions:
            assert region.offset >= inner
            inner = region.offset + region.nbytes
        assert inner <= end
    assert end == layout.end <= layout.cap
    assert layout.used + layout.gaps + layout.free == layout.cap


def config(ram: int | str, **changes: object) -> ReplayConfig:
    return ReplayConfig("-", ram=ram, **{"algorithm": "rbp", **changes})  # type: ignore[arg-type]


def smallest(**changes: object) -> int:
    features = int(changes.pop("features", 5))  # type: ignore[call-overload]
    with pytest.raises(DoesNotFitError) as error:
        plan_device(config(1, **changes), features, KERNEL)
    assert f"--ram {error.value.smallest}" in str(error.value)
    return error.value.smallest


@given(st.lists(st.integers(0, 500), max_size=6))
def test_lay_out(sizes: list[int]) -> None:
    needs = [Need(str(i), size, "") for i, size in enumerate(sizes)]
    layout = lay_out(10_000, needs)
    check(layout)
    assert [part.nbytes for part in layout.parts] == sizes


def test_align() -> None:
    assert [align(n) for n in (0, 1, 63, 64, 65)] == [0, 64, 64, 64, 128]


@pytest.mark.parametrize("features", [1, 2, 5])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"params": {"groups": 2}},
        {"params": {"n_classes": 4}},
        {"params": {"loss": "square"}},
        {"params": {"loss": "square", "history": True, "scale": "standard"}},
        {"params": {"loss": "novelty", "history": True}},
    ],
    ids=str,
)
def test_the_cap_named_fits_and_one_byte_less_does_not(
    changes: dict[str, object], features: int
) -> None:
    """Whatever the learner's defaults make of the bytes that are left."""

    def planned(cap: int) -> Layout:
        return plan_device(config(cap, algorithm="sorf", **changes), features, None)[0]

    with pytest.raises(DoesNotFitError) as error:
        planned(1)
    cap = error.value.smallest
    assert planned(cap).free == 0
    with pytest.raises(DoesNotFitError, match=f"--ram {cap}"):
        planned(cap - 1)


def test_the_smallest_budget_is_found() -> None:
    """Of a learner that refuses fewer vectors than its Gram matrix has rows."""
    few = {"algorithm": "nogd", "params": {"k": 5}}
    layout, plan = plan_device(config(smallest(**few), **few), 5, KERNEL)
    assert (plan.budget, layout.free) == (5, 0)


@pytest.mark.parametrize("budget", [2, 17, 300])
def test_budget_asked_for(budget: int) -> None:
    cap = smallest(budget=budget)
    layout, plan = plan_device(config(cap, budget=budget), 5, KERNEL)
    check(layout)
    assert plan.budget == budget
    with pytest.raises(DoesNotFitError) as error:
        plan_device(config(cap - 1, budget=budget), 5, KERNEL)
    assert error.value.smallest == cap


def test_refusal_offers_the_budget_that_fits() -> None:
    with pytest.raises(DoesNotFitError, match=r"or keep the cap with --budget (\d+)") as error:
        plan_device(config("16KiB", budget=5000), 5, KERNEL)
    offered = int(str(error.value).rsplit(" ", 1)[1])
    assert plan_device(config("16KiB", budget=offered), 5, KERNEL)[1].budget == offered
    with pytest.raises(DoesNotFitError):
        plan_device(config("16KiB", budget=5000, algorithm="rbp"), 5, KERNEL)


@given(
    algorithm=st.sampled_from(DONE),
    cap=st.integers(1, 200_000),
    features=st.integers(1, 200),
    scale=st.sampled_from(["standard", "minmax", "none"]),
    dtype=st.sampled_from(["float32", "float64"]),
)
@settings(deadline=None, max_examples=60)
def test_never_beyond_the_cap(
    algorithm: str, cap: int, features: int, scale: str, dtype: str
) -> None:
    chosen = config(cap, algorithm=algorithm, scale=scale, dtype=dtype)
    least = smallest(algorithm=algorithm, features=features, scale=scale, dtype=dtype)
    exact = config(least, algorithm=algorithm, scale=scale, dtype=dtype)
    layout, plan = plan_device(exact, features, KERNEL)
    check(layout)
    assert layout.free == 0
    assert plan.nbytes == layout.part("learner").nbytes
    Device(exact, features, KERNEL)
    if cap < least:
        with pytest.raises(DoesNotFitError) as error:
            plan_device(chosen, features, KERNEL)
        assert error.value.smallest == least
        return
    layout, plan = plan_device(chosen, features, KERNEL)
    check(layout)
    # The default budget is the largest: one more does not fit.
    planned = learner_settings(chosen, KERNEL, plan)
    more = ek.plan(n_features=features, **{**planned, "budget": plan.budget + 1})
    assert layout.part("learner").offset + more.nbytes > cap


@pytest.mark.parametrize("features", [5, 7, 11])
def test_learner_is_the_planned_one(features: int) -> None:
    """Whether the inputs' widths are learned follows the bytes asked for, not the frequencies."""
    kept = set()
    for cap in range(smallest(algorithm="sorf", features=features), 2600, 60):
        device = Device(config(cap, algorithm="sorf"), features, KERNEL)
        assert device.learner.nbytes == device.plan.nbytes
        kept.add(device.learner.parameters["relevance"])
    assert kept == {False, "shared", True}


def test_parameters_that_need_a_budget_of_some_size() -> None:
    """The smallest cap is that of the smallest budget the parameters allow."""
    cap = smallest(algorithm="ahpatron", params={"U": 10.0})  # eps >= U / (4 sqrt(B)): B >= 25
    chosen = config(cap, algorithm="ahpatron", params={"U": 10.0}, budget=25)
    assert plan_device(chosen, 5, KERNEL)[0].free == 0


def test_block_has_exactly_the_caps_bytes() -> None:
    layout = lay_out(1_001, [Need("a", 10, ""), Need("b", 937, "")])
    memory = DeviceMemory(layout)
    assert len(memory) == 1_001
    assert len(memory.view("a")) == 10
    memory.view("b")[:] = b"\xff" * 937
    assert bytes(memory.view("a")) == bytes(10)
    assert memory.guarded or "no guard pages" in memory.enforcement
    with pytest.raises(DoesNotFitError):
        DeviceMemory(Layout(900, layout.parts))
    with pytest.raises(SimulatorError, match="no memory"):
        DeviceMemory(Layout(1 << 62, ()))


def test_a_cleared_block_is_all_zeros() -> None:
    memory = DeviceMemory(lay_out(1_001, [Need("a", 10, ""), Need("b", 900, "")]))
    everything = memory._block.view(0, 1_001)
    everything[:] = b"\xff" * 1_001
    memory.clear()
    assert bytes(everything) == bytes(1_001)


@pytest.mark.parametrize("cap", [8192, 8191, 8129, 4097])
def test_block_ends_at_the_guard_page_and_parts_lie_on_lines(cap: int) -> None:
    layout, _ = plan_device(config(cap), 5, KERNEL)
    memory = DeviceMemory(layout)
    for part in layout.parts:
        view = memory.view(part.name)
        address = np.frombuffer(view, dtype=np.uint8).ctypes.data
        assert len(view) == part.nbytes
        assert address % ALIGNMENT == 0
    block = memory._block
    if memory.guarded:
        assert (block.address + cap) % PAGE == 0
        assert block.slack == -cap % PAGE
        assert (f"{block.slack:,} writable bytes" in memory.enforcement) == (block.slack > 0)
    with pytest.raises(ValueError, match="not within"):
        block.view(1, cap)


def learned(device: Device, row: list[float]) -> list[float]:
    """The score of a row of class +1, which is learned."""
    when = When(np.ones(1, int), np.full(1, np.nan))
    return device.learn_block(np.array([row]), np.ones(1), when).rows["score"].tolist()


def test_without_mprotect_the_report_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*arguments: object, **options: object) -> object:
        raise OSError("not today")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    device = Device(config("8KiB"), 3, KERNEL)
    assert "no guard pages: no mprotect here: not today" in device.enforcement
    assert learned(device, [1.0, 1.0, 1.0]) == [0.0]
    with pytest.raises(SimulatorError, match=r"leaks cannot be detected here.*not today"):
        Device(config("8KiB", leak=64), 3, KERNEL)


def test_device_lives_in_the_block() -> None:
    device = Device(config("8KiB"), 3, KERNEL)
    block = device._memory
    before = bytes(block.view("scaler")), bytes(block.view("learner"))
    assert learned(device, [20.0, 400.0, 1e5]) == [0.0]
    assert bytes(block.view("scaler")) != before[0]
    assert bytes(block.view("learner")) != before[1]
    assert device.learner.nbytes == device.layout.part("learner").nbytes


@pytest.mark.parametrize(
    ("changes", "pattern"),
    [
        ({"algorithm": "nonsense"}, "nonsense"),
        ({"params": {"nonsense": 1}}, "nonsense"),
        ({"params": {"seed": 1}}, "seed"),
        ({"algorithm": "ahpatron", "params": {"eps": 7}}, "eps"),
        ({"algorithm": "ahpatron", "budget": 1}, "budget"),
        ({"seed": -1}, "seed"),
        ({"algorithm": "ahpatron", "budget": 10, "params": {"U": 10.0}}, "eps"),
    ],
)
def test_what_the_library_refuses_is_one_plain_error(
    changes: dict[str, object], pattern: str
) -> None:
    with pytest.raises(SimulatorError, match=pattern) as error:
        Device(config("64KiB", **changes), 5, KERNEL)
    assert not isinstance(error.value, DoesNotFitError)
    assert "\n" not in str(error.value)


def test_without_guard_pages_nothing_is_written_beyond_the_cap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "_protect", lambda block, offsets: "not today")
    block = memory.GuardedBlock(100)
    with pytest.raises(RuntimeError, match=r"^not today$"):
        block.write_beyond(0, 8)


@pytest.mark.skipif(hasattr(ctypes, "WinDLL"), reason="Windows has no mprotect")
def test_a_page_that_cannot_be_protected_is_told() -> None:
    """No page begins at the second byte of a block."""
    block = mmap.mmap(-1, 2 * PAGE)
    assert memory._protect(block, (1,)) == f"mprotect failed with error {errno.EINVAL}"


def test_what_is_written_before_the_end_of_the_cap_harms_nothing() -> None:
    """It begins at the address where the cap ends, 8 bytes back."""
    block = DeviceMemory(lay_out(1_001, [Need("a", 1_001, "")]))
    block.write_beyond(-8, 8)
    assert bytes(block.view("a")) == bytes(993) + b"\xee" * 8
