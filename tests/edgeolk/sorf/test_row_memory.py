"""A memory of 4-bit rows beside the features (docs/sorf.md, section 7f)."""

from __future__ import annotations

import pickle
import struct
import zlib
from itertools import product
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from exported import Compiled
from helpers import assert_agrees, by_pairs, by_variant, few_first, in_turn
from hypothesis import given
from hypothesis import strategies as st
from threaded import together

import edgeolk as ek
from edgeolk.cli import main
from edgeolk.core.variants import available_simd
from edgeolk.reference.sorf import Sorf
from edgeolk.reference.sorf_memory import RememberingSorf
from edgeolk.reference.sorf_scaling import HELD, Following

D, GAMMA, SEED = 3, 0.125, 5
KINDS: dict[str, dict[str, Any]] = {
    "two": {},
    "each": {"relevance": True},
    "shared": {"relevance": "shared"},
    "candidates": {"linear": True, "last_label": True},
    "groups": {"widths": ((0.3, 1.0, 3.0), (3.0, 5.5))},
    "leak": {"leak": 0.016},
    "no constant": {"constant": False},
    "linear group": {"linear_group": True},
    "classes": {"n_classes": 3},
    "classes each": {"n_classes": 3, "relevance": True},
    "classes shared": {"n_classes": 3, "relevance": "shared", "last_label": True},
    "classes groups": {"n_classes": 3, "widths": ((0.3, 1.0, 3.0), (3.0, 5.5))},
    "classes linear group": {"n_classes": 3, "linear_group": "last", "relevance": True},
    "two columns": {"n_classes": 2},
    "narrow": {"memory_narrow": True},
    "classes narrow": {"n_classes": 3, "relevance": True, "memory_narrow": True},
}


def turning(kind: str, n: int = 1120, d: int = D) -> tuple[np.ndarray, np.ndarray]:
    """Labels turn after 1,000 rows: the alarm of the weights rings, and the memory is emptied."""
    X = np.random.default_rng(1).normal(size=(n, d)).astype(np.float32).astype(float)
    far, late = X[:, 0] + 0.3 * X[:, d // 2] - 0.3, np.arange(n) >= 1000
    if "classes" in kind:
        return X, (np.digitize(far, (-0.8, 0.8)) + late) % 3.0
    if kind == "two columns":
        return X, ((far > 0.0) ^ late).astype(float)
    return X, np.where((far > 0.0) ^ late, 1.0, -1.0)


def settings(kind: str, dtype: str, **more: Any) -> dict[str, Any]:
    return {
        "n_features": D, "D": 100, "kernel": ek.Gaussian(GAMMA), "scale": None, "dtype": dtype,
        "seed": SEED, "relevance": False, "memory": 20, **KINDS[kind], **more,
    }  # fmt: skip


def plain_of(kind: str, dtype: str, memory: int = 20, **more: Any) -> RememberingSorf:
    options = dict(KINDS[kind])
    if "widths" in options:
        options["groups"] = options.pop("widths")
    made = {"n_features": D, "gamma": GAMMA, "memory": memory, **options, **more}
    return RememberingSorf(D=100, seed=SEED, dtype=dtype, **made)


def remembered(learner: ek.Learner) -> dict[str, Any]:
    """The memory as the block has it, by the names of the reference."""
    M, K, d = learner.parameters["memory"], learner._config.columns, learner.n_features
    raw = np.asarray(learner._engine.view("row_memory")).view(np.uint8).reshape(-1, M)
    state = np.asarray(learner._engine.view("memory_state")).ravel()
    m, head = int(state[0]) & 0xFFFFFFFF, int(state[0]) >> 32
    halves = np.stack([raw[: -(-d // 2)] & 15, raw[: -(-d // 2)] >> 4], axis=1)
    marks = raw[-(-d // 2) :, :m].astype(int)
    signed = marks[0].astype(np.uint8).view(np.int8).astype(int)
    return {
        "m": m,
        "head": head,
        "codes": halves.reshape(-1, M)[:d, :m].T.astype(int) - 8,
        "labels": np.sign(signed) if K == 1 else marks[0],
        "rivals": np.zeros(m, int) if K == 1 else marks[1],
        "C": np.abs(signed) if K == 1 else marks[2],
        "L_Q": np.asarray(learner._engine.view("memory_mistakes")).ravel().copy(),
        "L_N": mistakes_of_narrow(learner),
    }


def mistakes_of_narrow(learner: ek.Learner) -> np.ndarray:
    """[1][4] where the narrower kernel has candidates."""
    if not learner.parameters["memory_narrow"]:
        return np.zeros((0, 4))
    return np.asarray(learner._engine.view("memory_narrow")).reshape(1, 4).copy()


def assert_remembers(learner: ek.Learner, plain: RememberingSorf) -> None:
    found = remembered(learner)
    assert (found["m"], found["head"]) == (plain.m, plain.head)
    for name in ("codes", "labels", "rivals", "C"):
        assert np.array_equal(found[name], getattr(plain, name)[: plain.m]), name
    for name in ("L_Q", "L_N"):
        assert_agrees(found[name], getattr(plain, name), learner.dtype, near=1e-12)
    assert learner.n_remembered == plain.m
    assert_agrees(learner.memory_share, plain.share, learner.dtype)


def follow(learner: ek.Learner, plain: RememberingSorf, X: np.ndarray, y: np.ndarray) -> int:
    """Hold every answer, and the memory, against the reference; how often it was emptied."""
    dtype = learner.dtype
    asked = learner.scores if learner._config.columns > 1 else learner.decision_function
    emptied = 0
    for row, (x, label) in enumerate(zip(X, y, strict=True)):
        if row % 50 == 0:
            scores = np.asarray(asked(x[None])[0])
            assert_agrees(scores, plain.scores(x).squeeze(), dtype, near=1e-8)
            assert_remembers(learner, plain)
        m = plain.m
        expected = plain.step(x, label)
        assert_agrees(learner.learn_one(x, label), expected, dtype, near=1e-8)
        assert learner.mistakes == plain.mistakes
        if plain.m < m:
            emptied += 1
            assert learner.n_remembered == 0
            assert not learner.weights_.any()
    assert_remembers(learner, plain)
    assert_agrees(learner.weights_, np.stack([plain.w.v, plain.a.v]), dtype, near=1e-7)
    return emptied


#: By day the alarm empties the memories that differ from each other; the others see no alarm.
ALARMED = {"two": "int8", "classes each": "float64", "narrow": "float64", "classes narrow": "int8"}
#: The linear weights follow the turn, so that mistakes do not rise far enough.
UNALARMED = ("groups", "linear group")
DAY = [
    (kind, ALARMED.get(kind, ("float64", "int8")[at % 2]), 1120 if kind in ALARMED else 400)
    for at, kind in enumerate(KINDS)
]


@pytest.mark.parametrize(
    ("kind", "dtype", "rows"),
    few_first(product(KINDS, ["float64", "int8"], [400, 1120]), DAY),
)
@pytest.mark.spread(10)
def test_rows_are_those_of_the_reference(kind: str, dtype: str, rows: int) -> None:
    """Decision by decision, with alarms that empty the memory; rows, coefficients and slots."""
    X, y = turning(kind, rows)
    learner, plain = ek.Learner("sorf", **settings(kind, dtype)), plain_of(kind, dtype)
    assert follow(learner, plain, X, y) == learner.alarms == plain.alarms
    assert learner.alarms == (rows > 1000) or kind in UNALARMED
    assert plain.m == plain.M


@pytest.mark.parametrize(
    ("kind", "shape", "dtype"),
    by_pairs(
        ["two", "classes", "narrow", "classes narrow"],
        [(6, 150, 230), (1, 1, 100), (70, 300, 330)],
        ["float64", "int8", "float32"],
    ),
)
@pytest.mark.spread(6)
def test_rows_of_any_length(kind: str, shape: tuple[int, int, int], dtype: str) -> None:
    d, memory, n = shape
    X, y = turning(kind, n, d)
    if "classes" not in kind:
        y = np.where((X > 0.3).sum(axis=1) % 2, 1.0, -1.0)  # nearly every row is stored
    learner = ek.Learner("sorf", **settings(kind, dtype, n_features=d, memory=memory))
    plain = plain_of(kind, dtype, memory, n_features=d)
    follow(learner, plain, X, y)


@pytest.mark.parametrize(
    ("kind", "dtype"),
    in_turn(["two", "classes each", "shared", "classes narrow"], ["float64", "int8"]),
)
@pytest.mark.spread(4)
def test_while_the_width_follows_the_rows(kind: str, dtype: str) -> None:
    """The memory's width is that of the start; rows enter it held to 2.5."""
    X, y = turning(kind, 700)
    X[:, 0] *= np.linspace(1.0, 4.0, 700)
    made = settings(kind, dtype, kernel=None, scale="standard", drift=False)
    learner = ek.Learner("sorf", **made)
    plain = plain_of(kind, dtype, gamma=0.5, memory_gamma=0.5 / D, drift=False)
    assert plain.steps == pytest.approx(5.0 / np.sqrt(2.0))
    following = Following(plain)
    for x, label in zip(X, y, strict=True):
        scaler = learner.scaler  # a copy, which keeps of a row what the one inside does
        assert scaler is not None
        z = np.asarray(scaler.learn_transform_one(x))
        expected = following.step(x, z, label)
        assert_agrees(learner.learn_one(x, label), expected, dtype, near=1e-7)
    assert plain.hold == HELD
    assert_remembers(learner, plain)


@pytest.mark.parametrize("dtype", ["float64", "int8"])
def test_rows_that_count_more(dtype: str) -> None:
    X, y = turning("classes", 400)
    learner = ek.Learner("sorf", **settings("classes", dtype))
    plain = plain_of("classes", dtype)
    for x, label, weight in zip(X, y, np.tile([0.3, 1.0, 4.0, 1.0], 100), strict=True):
        expected = plain.step(x, label, weight)
        assert_agrees(learner.learn_one(x, label, weight=weight), expected, dtype, near=1e-8)
    assert_remembers(learner, plain)


@pytest.mark.parametrize("kind", ["two", "classes each", "narrow", "classes narrow"])
def test_the_features_learn_as_without_it(kind: str) -> None:
    """What lies beside the memory is what a learner of the same D without one has."""
    X, y = turning(kind, 900)
    found = []
    for memory in (20, 0, False):
        asked = settings(kind, "int8", memory=memory, drift=False)
        if not memory:
            asked.pop("memory_narrow", None)
        learner = ek.Learner("sorf", **asked)
        learner.learn_many(X, y)
        names = (
            "weights",
            "mean_weights",
            "blend",
            *(("relevance",) if KINDS[kind].get("relevance") else ()),
        )
        found.append([np.asarray(learner._engine.view(name)).copy() for name in names])
    for one, other, off in zip(*found, strict=True):
        assert np.array_equal(one, other)
        assert np.array_equal(other, off)


# ---- the block ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "dtype", "d"),
    by_pairs(
        ["two", "each", "classes", "classes each", "narrow", "classes narrow"],
        ["int8", "float32", "float64"],
        [3, 8, 65],  # of more than 64 inputs each row is asked alone
    ),
)
def test_many_rows_are_asked_as_one_by_one(kind: str, dtype: str, d: int) -> None:
    """Of 150 stored rows, of whom 64 are looked at together; 5 rows do not fill a vector."""
    X, y = turning(kind, 900, d)
    learner = ek.Learner("sorf", **{**settings(kind, dtype, memory=150), "n_features": d})
    learner.learn_many(X, y)
    assert learner.n_remembered > 64
    for n in (5, 40):
        alone = np.array([learner.scores(x[None])[0] for x in X[:n]])
        assert np.array_equal(learner.scores(X[:n]), alone)


def in_child(target: str) -> None:
    found = {}
    for kind, dtype in (
        *(("two", "int8"), ("classes each", "int8"), ("two", "float64")),
        *(("narrow", "int8"), ("classes narrow", "float64")),
    ):
        X, y = turning(kind)
        learner = ek.Learner("sorf", **settings(kind, dtype, memory=70))
        learner.learn_many(X, y)
        alone = [learner.scores(x[None])[0] for x in X[:77]]
        assert np.array_equal(learner.scores(X[:77]), alone)
        for name, part in remembered(learner).items():
            found[f"{kind}, {dtype}: {name}"] = np.asarray(part)
    np.savez(target, **found)


def test_variants_remember_the_same(tmp_path: Path) -> None:
    """Rows, coefficients, slots and mistakes: to the bit on every set of instructions; and on each
    of them many rows are asked as one by one."""
    known = available_simd()
    first = by_variant(__file__, known[0], tmp_path)
    for variant in {known[1], known[-1]} - {known[0]}:
        other = by_variant(__file__, variant, tmp_path)
        for name, expected in first.items():
            assert np.array_equal(other[name], expected), (variant, name)


@pytest.mark.parametrize("kind", ["two", "classes each", "narrow", "classes narrow"])
def test_threads_read_beside_each_other(kind: str) -> None:
    X, y = turning(kind, 900)
    learner = ek.Learner("sorf", **settings(kind, "int8", memory=300))
    learner.learn_many(X, y)
    expected = learner.scores(X)
    found = together(*[lambda: learner.scores(X)] * 3)
    assert all(np.array_equal(one, expected) for one in found)


def test_inputs_and_width_scale_together() -> None:
    """x scaled by c and gamma_0 by 1/c^2: the same answers."""
    X, y = turning("classes", 500)
    one = ek.Learner("sorf", **settings("classes", "float64"))
    two = ek.Learner("sorf", **settings("classes", "float64", kernel=ek.Gaussian(GAMMA / 16.0)))
    assert np.allclose(one.learn_many(X, y), two.learn_many(4.0 * X, y), rtol=1e-12, atol=1e-12)
    assert np.array_equal(remembered(one)["codes"], remembered(two)["codes"])


def forged(kind: str) -> list[tuple[str, str, int, int, bytes]]:
    """What is wrong, and the bytes that make it so: region, index, size of an element."""
    two = "classes" not in kind
    held = [
        ("more rows than there is room for", 0, (21).to_bytes(8, "little")),
        ("a head beyond the memory", 0, (20 | 20 << 32).to_bytes(8, "little")),
        ("a head before it is full", 0, (19 | 1 << 32).to_bytes(8, "little")),
    ]
    made = [(what, "memory_state", at, 8, data) for what, at, data in held]
    for region in ("memory_mistakes", *(["memory_narrow"] if "narrow" in kind else [])):
        mistakes = (("that are no number", 3, np.nan), ("below 0", 0, -1.0), ("too many", 2, 1e30))
        made += [(what, region, at, 4, struct.pack("<f", v)) for what, at, v in mistakes]
    codes = 2 * 20
    made += [("no code", "row_memory", 3, 1, b"\x80"), ("no code", "row_memory", 25, 1, b"\x08")]
    if two:
        made += [("no coefficient", "row_memory", codes + 2, 1, data) for data in (b"\0", b"\x80")]
    else:
        made += [("no such label", "row_memory", codes + 2, 1, b"\3")]
        made += [("no such rival", "row_memory", codes + 22, 1, b"\xff")]
        made += [("no coefficient", "row_memory", codes + 42, 1, b"\0")]
    return made


@pytest.mark.parametrize(
    "kind",
    few_first(["two", "classes", "narrow", "classes narrow"], ["narrow", "classes narrow"]),
)
@pytest.mark.spread(2)
def test_states_that_no_learning_leads_to(kind: str, tmp_path: Path) -> None:
    """Refused by the library and by exported C."""
    X, y = turning(kind, 600)
    learner = ek.Learner("sorf", **settings(kind, "int8"))
    learner.learn_many(X, y)
    assert learner.n_remembered == 20
    places = {region.name: region.offset for region in learner.plan.regions}
    good = bytes(learner._sealed())
    ek.export_c(learner, tmp_path)
    try:
        board = Compiled(tmp_path, learner)
    except FileNotFoundError as missing:
        pytest.skip(f"no {missing}")
    assert board.load(good) == 0
    for what, region, at, size, data in forged(kind):
        bad = bytearray(good)
        place = places[region] + at * size
        bad[place : place + size] = data
        bad[8:12] = bytes(4)
        bad[8:12] = zlib.crc32(bad).to_bytes(4, "little")
        with pytest.raises(ValueError, match="the model is inconsistent"):
            ek.Learner._from_block(bytes(bad))
        assert board.load(bytes(bad)) != 0, what
    assert board.load(good) == 0


def test_info_says_how_many_rows_it_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = turning("two", 300)
    learner = ek.Learner("sorf", **settings("two", "int8"))
    learner.learn_many(X, y)
    learner.save(tmp_path / "model.olk")
    main(["info", str(tmp_path / "model.olk")])
    share = f"{learner.memory_share:.0%}"
    assert f"memory           20 of 20 rows, {share} of the next answer" in capsys.readouterr().out


# ---- the reference by itself --------------------------------------------------------------------


@given(
    seed=st.integers(0, 2**31), K=st.sampled_from([None, 2, 4]), memory=st.integers(1, 12),
    d=st.integers(1, 6),
)  # fmt: skip
@hypothesis.settings(max_examples=8, deadline=None)
def test_invariants_of_the_text(seed: int, K: int | None, memory: int, d: int) -> None:
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(60, d))
    y = draws.integers(K or 2, size=60)
    made = {"n_features": d, "D": 64, "gamma": 0.5 / d, "seed": seed, "n_classes": K}
    plain = RememberingSorf(memory=memory, **made)
    bare = Sorf(**made)
    smallest = 0
    for x, label in zip(X, y if K else 2.0 * y - 1.0, strict=True):
        said, words = plain.scores(x), plain.rounding.state
        assert np.array_equal(said, plain.scores(x))
        plain.step(x, float(label))
        bare.step(x, float(label))
        assert words == plain.rounding.state
        C = plain.C[: plain.m]
        assert plain.m <= memory
        assert ((C >= 1) & (plain.top >= C)).all()
        assert abs(plain.codes).max() <= 7
        if K:
            assert (plain.labels[: plain.m] != plain.rivals[: plain.m]).all()
        if plain.m == memory:
            assert C.min() >= smallest
            smallest = C.min()
        assert 0.0 <= plain.share <= 1.0
    assert np.array_equal(plain.w.v, bare.w.v)
    assert np.array_equal(plain.a.v, bare.a.v)
    assert np.array_equal(plain.L, bare.L)


# ---- layers -------------------------------------------------------------------------------------


def test_estimators_of_scikit_learn() -> None:
    sklearn = pytest.importorskip("edgeolk.sklearn", exc_type=ImportError)
    X, y = turning("classes", 400)
    model = sklearn.OnlineKernelClassifier(ram="8KiB", params={"memory": 100}, epochs=1)
    learner = model.partial_fit(X, y, classes=[0, 1, 2]).to_learner()
    assert learner.parameters["memory"] == 100
    assert learner.n_remembered > 20
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))


def test_models_of_river() -> None:
    pytest.importorskip("river")
    from edgeolk.river import KernelClassifier

    X, y = turning("classes", 300)
    model = KernelClassifier(n_classes=3, ram="8KiB", params={"memory": 100})
    for row, label in zip(X, y, strict=True):
        model.learn_one(dict(zip("abc", row, strict=True)), int(label))
    learner = model.to_learner()
    assert learner.parameters["memory"] == 100
    assert learner.n_remembered > 20
