"""Arguments, the plan, and the memory a scaler is built in."""

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scalers import FORMS, block_of, noise, place_of, plain, resealed, scaler_of

import edgeolk as ek
from edgeolk.configuration.header import unpack
from edgeolk.files import restore


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
        assert region.nbytes % 8 == 0
        ends.append(region.offset + region.nbytes)
    assert plan.regions[-1].name == "alignment"
    assert plan.regions[-1].nbytes == 8
    assert plan.nbytes == ends[-1]
    assert str(plan.nbytes) in str(plan)
    tracemalloc.start()
    try:
        scaler = scaler_of(form, d)
        taken = [t.size for t in tracemalloc.take_snapshot().traces if t.size == plan.nbytes]
    finally:
        tracemalloc.stop()
    assert scaler.nbytes == plan.nbytes
    assert taken


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
    assert memory.find(b"eolk") >= offset
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


# Files: going on bit for bit, older versions, damage and hostile numbers.

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("form", FORMS)
def test_the_other_byte_order(form, monkeypatch):
    """What a machine with the other order makes of its live block is the same file."""
    scaler = scaler_of(form, 9, freeze_after=500)
    scaler.learn_many(noise(100, 9))
    file = block_of(scaler)
    head = unpack(file)
    monkeypatch.setattr(restore, "NATIVE", ">")
    monkeypatch.setattr(restore, "_SWAP", True)
    other = restore.native(file, head)
    assert unpack(other, ">") == head
    for name, (element, offset, count) in head.table.items():
        if element == "d":
            here, there = (
                np.frombuffer(data, kind, count, offset)
                for data, kind in ((file, "<f8"), (other, ">f8"))
            )
            assert np.array_equal(here, there)
            assert here.any(), name
    assert restore.written(bytearray(other)) == file


@pytest.mark.parametrize("form", FORMS)
def test_damaged_files_are_refused(tmp_path, form):
    scaler = scaler_of(form, 3, freeze_after=500)
    scaler.learn_many(noise())
    path = tmp_path / "scaler.bin"
    scaler.save(path)
    block = path.read_bytes()
    bad = [block[:size] for size in (0, 1, 12, 63, 64, len(block) - 1)]
    bad += [block + b"\0", b"\0" * len(block), b"edgeolk\0" + block[8:]]
    for at in range(len(block)):
        flipped = bytearray(block)
        flipped[at] ^= 1 << at % 8
        bad.append(bytes(flipped))
    for data in bad:
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"scaler|model"):
            ek.RunningScaler.load(path)
    path.write_bytes(block)
    with pytest.raises(ValueError, match="not a model"):
        ek.load(path)
    with pytest.raises(OSError, match="nowhere"):
        ek.RunningScaler.load(tmp_path / "nowhere")


def changed(block, offset, kind, value):
    block = bytearray(block)
    number = np.array(value, kind).tobytes()
    block[offset : offset + len(number)] = number
    return resealed(block)


#: Places in the header: rows in the statistics, and the options.
SEEN, METHOD, CLIP, WINDOW, FREEZE = 64, 88, 96, 104, 112


def test_hostile_headers_are_refused():
    scaler = ek.RunningScaler(3, window=100, freeze_after=450)
    scaler.learn_many(noise())
    block = block_of(scaler)
    cases = [(SEEN, "<i8", v) for v in (-1, 0, 2, 451, 450, 2**62 + 1, 2**63 - 1)]
    cases += [(FREEZE, "<f8", v) for v in (-1, 5, 399, 400, 2.0**53 + 2, 450.5, np.inf)]
    cases += [(WINDOW, "<f8", v) for v in (0, 9, 2**31, 99.5, -np.inf)]
    cases += [(CLIP, "<f8", v) for v in (0.0, -0.0, 1.9, -5.0, 2e6, np.nan, np.inf)]
    cases += [(METHOD, "<f8", v) for v in (0, 2, 3, 4, 9, 1.5, np.inf)]
    # what a scaler has not: budget, seed, parts, vectors, draws, mistakes, updates
    cases += [(at, "u1", 1) for at in (20, 24, *range(32, 46), 52, 56, 72, 80)]
    cases += [(5, "u1", 1), (46, "u1", 2), (50, "u1", 1), (place_of(scaler, "frozen"), "<i8", 2)]
    for case in cases:
        with pytest.raises(ValueError, match=r"scaler|flags"):
            ek.RunningScaler._from_block(changed(block, *case))


def test_a_scaler_and_a_model_are_not_mistaken_for_each_other(tmp_path):
    learner = ek.Learner("rbp", n_features=3, budget=5)
    learner.save(tmp_path / "model")
    with pytest.raises(ValueError, match="not a scaler but a model"):
        ek.RunningScaler.load(tmp_path / "model")
    ek.RunningScaler(3).save(tmp_path / "scaler")
    with pytest.raises(ValueError, match="not a model but a scaler"):
        ek.load(tmp_path / "scaler")


def test_counters_stop_at_their_largest():
    scaler = ek.RunningScaler(1)
    scaler.learn_many(noise(500, 1))
    counts = place_of(scaler, "scaler_counts")
    block = changed(block_of(scaler), SEEN, "<i8", 2**62)
    block = changed(block, counts, "<u4", 2**32 - 1)
    block = changed(block, counts + 4, "<u4", 2**32 - 1)
    scaler = ek.RunningScaler._from_block(block)
    scaler.learn_many([[0.5], [1e6], [0.1]])
    assert scaler.n_seen == 2**62
    assert scaler.n_clipped[0] == 2**32 - 1
    assert 0.9 < scaler.scale_[0] < 1.1
    assert ek.RunningScaler._from_block(block_of(scaler)).n_seen == 2**62
    old = plain(1)
    old.learn_many(noise(500, 1))
    old = ek.RunningScaler._from_block(changed(block_of(old), SEEN, "<i8", 2**62))
    old.learn_one([0.5])
    assert old.n_seen == 2**62


def golden_rows():
    rng = np.random.default_rng(1)
    X = 1e3 + np.round(rng.normal(size=(60, 5)) * 256) / 256
    X[:, 1] = 4.0
    X[20, 2] = 2.0**900
    X[:, 3] *= 2.0**-700
    return X


@pytest.mark.parametrize("form", FORMS)
def test_golden_files_are_read(form):
    X = golden_rows()
    path = GOLDEN / f"v5_{form[0]}_{'plain' if form[1] is None else 'clip'}.bin"
    same = scaler_of(form, 5)
    same.learn_many(X[:40])
    loaded = ek.RunningScaler.load(path)
    assert block_of(loaded) == path.read_bytes()
    np.testing.assert_allclose(loaded.transform(X), same.transform(X), rtol=1e-12)
    loaded.learn_many(X[40:])
    same.learn_many(X[40:])
    np.testing.assert_allclose(loaded.transform(X), same.transform(X), rtol=1e-12)


# ---- fuzz ---------------------------------------------------------------------------------------

HOSTILE = [0.0, -0.0, 1.0, -1.0, 5e-324, 1e-300, 1e300, -1e308, np.inf, -np.inf, np.nan]


def mutated(rng, block):
    """A few bytes, words or numbers of the block replaced; the CRC-32 corrected."""
    block = bytearray(block)
    for _ in range(rng.integers(1, 4)):
        kind = rng.integers(5)
        if kind == 0:
            at = rng.integers(8, len(block))
            block[at] ^= 1 << rng.integers(8)
        elif kind == 1:
            block[rng.integers(8, len(block))] = rng.integers(256)
        elif kind == 2:
            at = 8 * rng.integers(1, len(block) // 8)
            block[at : at + 8] = np.array(rng.choice(HOSTILE), "<f8").tobytes()
        elif kind == 3:
            at = 8 * rng.integers(1, len(block) // 8)
            block[at : at + 8] = rng.integers(-(2**63), 2**63 - 1).tobytes()
        else:
            to, at = 8 * rng.integers(1, len(block) // 8, 2)
            block[to : to + 8] = block[at : at + 8]
    return resealed(block)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", [0, 2, 40])
def test_mutated_files_are_refused_or_sound(form, n):
    rng = np.random.default_rng(n + 7)
    scaler = scaler_of(form, 3, freeze_after=50)
    X = noise()
    X[:, 1] = 4.0
    scaler.learn_many(X[:n])
    block = block_of(scaler)
    loaded = refused = 0
    most = np.finfo(np.float64).max
    for _ in range(600):
        try:
            scaler = ek.RunningScaler._from_block(mutated(rng, block))
        except ValueError:
            refused += 1
            continue
        loaded += 1
        d = scaler.n_features  # others may fit in regions of the same size
        for row in ([1.0, 4.0, -2.0], [1e6, -1e6, 0.0], [most, -most, most], [0.0, 0.0, 0.0]):
            try:
                scaled = scaler.learn_transform_one((4 * row)[:d])
            except ValueError:
                if scaler.clip is not None:
                    raise
                continue  # frozen, and too far from what was learned
            assert np.isfinite(scaled).all()
        assert 0 <= scaler.n_seen <= 2**62
        assert block_of(ek.RunningScaler._from_block(block_of(scaler))) == block_of(scaler)
    assert refused > 100
    assert loaded > 10


def test_a_compact_scaler_clips_as_its_bytes_allow() -> None:
    scaler = plain(2, compact=True, clip=5.0)
    block = block_of(scaler)
    head = unpack(block)
    packed = replace(head, values={**head.values, "scale.clip": 2000.0}).pack()
    with pytest.raises(ValueError, match="it takes more than 9 bytes a feature"):
        ek.RunningScaler._from_block(resealed(packed + block[len(packed) :]))
