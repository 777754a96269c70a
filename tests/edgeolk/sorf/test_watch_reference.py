"""Anomalies of a stream, against the plain reference."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import few_first
from watch_cases import (
    BUDGET,
    SEED,
    TYPES,
    D,
    every_type,
    learner_of,
    stream,
    times,
    verdict,
    waves,
)

from edgeolk.reference.sorf_watch import WatchReference


@pytest.mark.parametrize(
    ("dtype", "clock"),
    few_first(
        [(dtype, clock) for dtype in TYPES for clock in (True, False)],
        [("float64", True), ("int8", True), ("float32", False)],
    ),
)
@pytest.mark.spread(3)
def test_it_is_the_reference(dtype: str, clock: bool) -> None:
    """Scores, every verdict with its reason, alarms; gaps and times included."""
    X, t = stream(), times()
    learner = learner_of(dtype, clock=clock)
    wide = dtype == "float64"
    plain = WatchReference(
        D, BUDGET, clock=clock, seed=SEED, state="float64" if wide else "float32",
        dtype="int8" if dtype == "int8" else "float64",
    )  # fmt: skip
    near = 1e-12 if wide else 1e-6
    for x, seconds in zip(X, t, strict=True):
        time = float(seconds) if clock else None
        returned = learner.learn_one(x, time=time)
        expected = plain.step(x, time)
        assert learner.anomaly == pytest.approx(expected.score, rel=near, abs=near)
        why = (expected.part, expected.channel)
        assert verdict(learner) == (
            expected.novel, expected.alarm, expected.event, expected.rare, why
        )  # fmt: skip
        if expected.novel or learner.steps > 201:
            assert returned == pytest.approx(0.5 - expected.score, rel=near, abs=near)
        elif learner.steps <= 200:
            assert returned == 0.0
    assert (learner.steps, learner.alarms) == (len(X), plain.alarms)
    assert learner.alarms >= 3


@pytest.mark.parametrize(("d", "budget"), [(1, 256), (25, 128), (70, 64)])
def test_every_size_is_the_reference(d: int, budget: int) -> None:
    X, t = stream(400, d), times(400)
    learner = learner_of("float64", n_features=d, D=budget, clock=True)
    plain = WatchReference(d, budget, clock=True, seed=SEED)
    expected = [plain.step(x, float(seconds)) for x, seconds in zip(X, t, strict=True)]
    found = learner.watch_many(X, time=t)
    np.testing.assert_allclose(found["score"], [one.score for one in expected], rtol=1e-12)
    for name in ("novel", "alarm", "event", "rare", "part", "channel"):
        assert found[name].tolist() == [getattr(one, name) for one in expected]


def wild_start(at: int) -> np.ndarray:
    """Three channels, the middle one with a wild reading; its channels begin in different rows."""
    X = waves(1500)
    X[:4, 2] = np.nan
    X[1:4, 1] = X[1, 1]
    X[at, 1], X[at + 4, 2] = 1000.0, -1e4
    X[1200, 1:] += 4.0
    X[1300:1400, 1] = X[1300, 1]
    return X.astype(np.float32).astype(float)


@every_type
@pytest.mark.parametrize("at", [0, 4, 9])
@pytest.mark.spread(9)
def test_a_wild_start_is_the_reference(dtype: str, at: int) -> None:
    X, t = wild_start(at), times()
    plain = WatchReference(
        3, BUDGET, clock=True, seed=SEED, state="float64" if dtype == "float64" else "float32",
        dtype="int8" if dtype == "int8" else "float64",
    )  # fmt: skip
    expected = [plain.step(x, float(seconds)) for x, seconds in zip(X, t, strict=True)]
    learner = learner_of(dtype, n_features=3, clock=True)
    found = learner.watch_many(X, t)
    assert [ch.nt for ch in plain.channels] == [1500, 1490, 1486]
    np.testing.assert_allclose(found["score"], [one.score for one in expected], rtol=1e-6)
    for name in ("novel", "alarm", "event", "rare", "part", "channel"):
        assert found[name].tolist() == [getattr(one, name) for one in expected]


@pytest.mark.parametrize(
    "start",
    ["waves", "flat, then a step", "two wild readings", "heavy tails", "a wild reading later"],
)
def test_other_starts_are_those_of_the_specification(start: str) -> None:
    """No channel begins again."""
    X = waves(400, 1)
    if start == "flat, then a step":
        X[:10], X[6] = 0.0, 5.0
    elif start == "two wild readings":
        X[2:4] += 1e3
    elif start == "a wild reading later":
        X[15], X[300] = 1e3, 8.0
    elif start == "heavy tails":
        X = np.random.default_rng(1).standard_t(3, (400, 1))
        X[5] = 20.0
    plain = WatchReference(1, BUDGET, seed=SEED)
    learner = learner_of("float64", n_features=1)
    for x in X:
        expected = plain.step(x)
        learner.learn_one(x)
        assert learner.anomaly == pytest.approx(expected.score, rel=1e-9, abs=1e-9)
    stretches = np.asarray(learner._engine.view("channel_bytes"))[0].view(np.uint8)
    assert plain.channels[0].nt == int(stretches[0]) + 256 * int(stretches[1]) == 400


def faulty(seed: int, n: int = 2400) -> tuple[np.ndarray, dict[int, str]]:
    """Waves with shifts, flat lines and glitches; rows before which something is told.

    Two glitches are as far apart as an event lasts, within a row.
    """
    rng = np.random.default_rng(seed)
    X = waves(n, seed=seed)
    X[rng.random((n, 3)) < 0.01] = np.nan
    told: dict[int, str] = {}
    for at in range(400, n - 400, 250):
        channel, fault = rng.integers(3), rng.choice(["shift", "flat", "glitch", "none"])
        if fault == "shift":
            X[at : at + 150, channel] += rng.normal() * 8.0
        elif fault == "flat":
            X[at : at + rng.integers(20, 200), channel] = X[at - 1, channel]
        elif fault == "glitch":
            X[at, channel] += 9.0
            X[at + 63 + rng.integers(4), channel] -= 9.0
        row = at + int(rng.integers(1, 180))
        told[row] = str(rng.choice(["accept", "restart", "none"]))
        X[row, channel] = np.nan
    return X.astype(np.float32).astype(float), told


def returning() -> tuple[np.ndarray, dict[int, str]]:
    """Stretches that go on after a pause, for longer together than the rows for which nothing is
    learned; before them rows are accepted so often that values between two peaks are among them."""
    X = waves(2000, seed=7)
    for start, end in ((1100, 1350), (1380, 1630), (1660, 1740)):
        X[start:end, 1] += 8.0
    return X.astype(np.float32).astype(float), dict.fromkeys(range(200, 690, 7), "accept")


@pytest.mark.parametrize("stream", [*range(6), "returning"])
def test_after_stops_and_acceptance_it_is_the_reference(stream: int | str) -> None:
    X, told = faulty(stream) if isinstance(stream, int) else returning()
    clock = stream in (1, 3, 5)
    t = times(len(X))
    learner = learner_of("float64", n_features=3, clock=clock)
    plain = WatchReference(3, BUDGET, clock=clock, seed=SEED)
    for row, x in enumerate(X):
        if told.get(row, "none") != "none":
            getattr(learner, told[row])()
            getattr(plain, told[row])()
            assert not learner.event
        time = float(t[row]) if clock else None
        learner.learn_one(x, time=time)
        expected = plain.step(x, time)
        assert learner.anomaly == pytest.approx(expected.score, rel=1e-9, abs=1e-9)
        assert verdict(learner) == (
            expected.novel, expected.alarm, expected.event, expected.rare,
            (expected.part, expected.channel),
        )  # fmt: skip
    assert learner.alarms == plain.alarms
