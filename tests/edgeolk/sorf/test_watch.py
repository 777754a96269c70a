"""Anomalies of a stream: invariants, what is found, and calls."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from helpers import Csr
from watch_cases import (
    BUDGET,
    SEED,
    D,
    every_type,
    learner_of,
    stream,
    times,
    verdict,
    waves,
)

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.reference.sorf_watch import CLUSTER, Tail, WatchReference
from edgeolk.sorf.faces import PARTS

# ---- invariants ----------------------------------------------------------------------------------


@every_type
def test_the_unit_of_readings_does_not_matter(dtype: str) -> None:
    X, t = stream(), times()
    plain = learner_of(dtype, clock=True).watch_many(X, t)
    assert plain["alarm"].sum() >= 3
    assert learner_of(dtype, clock=True).watch_many(1024 * X, t).tobytes() == plain.tobytes()
    if dtype == "float64":
        X[[250, 251]] /= 1e6  # so that 1,000 times as much is a reading in both
        plain = learner_of(dtype, clock=True).watch_many(X, t)
        moved = learner_of(dtype, clock=True).watch_many(1000 * X + 7, t)
        np.testing.assert_allclose(moved["score"], plain["score"], atol=1e-8)
        for name in ("novel", "alarm", "event", "part", "channel"):
            assert np.array_equal(moved[name], plain[name])


def test_a_constant_is_never_novel() -> None:
    learner = learner_of(clock=True)
    found = learner.watch_many(np.full((1000, D), 7.25), 600.0 * np.arange(1000))
    assert not found["novel"].any()
    # The rows do not count until something moves.
    assert (found["score"] == 0.25).all()
    learner.learn_one(np.full(D, 9.0))
    assert np.isfinite(learner.anomaly)


def peaks(learner: ek.Learner) -> np.ndarray:
    """(n, 3): two peaks and the pending one of each tail."""
    v = learner._engine.view
    channels = np.asarray(v("channels"))[:, 16:28].reshape(-1, 3)
    clock = np.asarray(v("clock"))[:, 2:8].reshape(-1, 3)
    return np.concatenate([channels, clock, np.asarray(v("watch_scores"))[:, 9:12]])


def test_the_first_peak_is_the_larger_one_and_rises_in_bounds() -> None:
    """A glitch of any size does not blind a tail: it is a peak of at most 4 widths more."""
    X, t = stream(), times()
    X[1200, 3] = 1e12
    learner = learner_of("float64", clock=True)
    sizes: list[float] = []
    for x, seconds in zip(X, t, strict=True):
        before = peaks(learner)
        assert (before[:, 0] >= before[:, 1]).all()
        learner.learn_one(x, time=float(seconds))
        if len(sizes) >= 250:
            known = np.isfinite(before[:, 1])
            rise = (peaks(learner)[:, 0] - before[:, 0])[known]
            gap = (before[:, 0] - before[:, 1])[known]
            # The floor of the width is at most a deviation of the readings.
            assert (rise <= 4.0 * np.maximum(gap, 10.0) + 1e-9).all()
        sizes.append(learner.anomaly)
    assert np.isfinite(peaks(learner)).all()
    assert 0.0 < peaks(learner)[3 * 4, 0] < 1e3


def test_rows_without_order_have_no_level_and_never_freeze() -> None:
    rng = np.random.default_rng(2)
    learner = learner_of("float64", D=64)
    found = learner.watch_many(rng.normal(size=(6000, D)))
    # Gates are closed once correlations are known.
    assert not np.isin(found["part"][2000:][~found["novel"][2000:]], ["level", "mean"]).any()
    assert found["novel"].mean() < 0.001
    assert 0.005 < found["rare"][1000:].mean() < 0.03


def test_the_share_of_rare_rows_is_the_one_asked_for() -> None:
    X = np.random.default_rng(2).normal(size=(12_000, 3))
    for nu, least in ((0.05, 0.03), (0.2, 0.19)):
        learner = ek.Learner(n_features=3, loss="novelty", history=True, nu=nu)
        found = learner.watch_many(X)
        assert least < found["rare"][6000:].mean() < 1.2 * nu
        assert learner.mistakes == found["novel"].sum()


def test_scores_are_in_bounds_and_alarms_apart() -> None:
    found = learner_of(clock=True).watch_many(stream(), times())
    assert ((found["score"] >= 0.5) == found["novel"]).all()
    assert ((found["score"] >= 0.0) & (found["score"] <= 1.0)).all()
    at = np.flatnonzero(found["alarm"])
    assert len(at) >= 3
    assert (np.diff(at) > 64).all()
    assert found["novel"][at].all()
    assert found["event"][found["novel"]].all()


def test_a_row_without_readings_moves_little() -> None:
    """Runs and their tail of the channels; of the model the threshold, counts and the verdict."""
    learner = learner_of("float64", clock=True)
    learner.learn_many(stream(600), time=times(600))

    def regions() -> dict[str, np.ndarray]:
        return {
            region.name: np.asarray(learner._engine.view(region.name)).copy()
            for region in learner.plan.regions
            if region.is_state
        }

    before = regions()
    learner.learn_one(np.full(D, np.nan), time=1e9)
    after = regions()
    changed = {name for name in before if before[name].tobytes() != after[name].tobytes()}
    assert changed <= {"channels", "channel_counts", "channel_bytes", "watch_scores", "watch"}
    moved = (before["channels"] != after["channels"]).any(axis=0)
    assert set(np.flatnonzero(moved)) <= {11, 12, 25, 26, 27}  # rm, rv, peaks of flat lines
    moved = (before["channel_bytes"] != after["channel_bytes"]).any(axis=0)
    assert set(np.flatnonzero(moved)) <= {5}
    moved = before["watch_scores"][0] != after["watch_scores"][0]
    assert set(np.flatnonzero(moved)) <= {0, 12}  # threshold, score
    assert np.array_equal(before["channel_counts"] + 2**16, after["channel_counts"])


# ---- what it finds -------------------------------------------------------------------------------


def test_a_fault_is_told_by_its_channel_and_part() -> None:
    X = waves(6000)
    X[5000:5100, 1] = X[4999, 1]
    X[5500, 2] += 6.0
    learner = ek.Learner(n_features=3, loss="novelty", history=True)
    found = learner.watch_many(X)
    assert not found["novel"][500:5000].any()
    flat = found[5000:5100][found["novel"][5000:5100]]
    assert ("flat", 1) in zip(flat["part"], flat["channel"], strict=True)
    assert found["alarm"][5500]
    assert found["part"][5500] in ("value", "change")
    assert found["channel"][5500] == 2
    assert found["event"][5501:5560].all()
    assert learner.alarms == found["alarm"].sum() == 2


@pytest.mark.parametrize("at", [0, 4, 9])
def test_a_wild_one_of_the_first_readings_does_not_hide_a_fault(at: int) -> None:
    """Otherwise the scale and the peaks of the channel are its for thousands of rows."""
    X = waves(3000, 1)
    X[2500] += 3.0
    intact = ek.Learner(n_features=1, loss="novelty", history=True).watch_many(X)
    X[at] = 1e4
    found = ek.Learner(n_features=1, loss="novelty", history=True).watch_many(X)
    assert intact["alarm"][2500]
    assert found["alarm"][2500]
    assert found["alarm"].sum() == intact["alarm"].sum()


def days_and_nights(n: int, *, quiet: dict[int, float]) -> tuple[np.ndarray, ...]:
    """Readings of n days and their times; which of them are lower: at noon, by `quiet` [day]."""
    rng, t = np.random.default_rng(3), 600.0 * np.arange(n * 144)
    hour, day = t % 86400 // 3600, t // 86400
    x = (np.where((hour >= 8) & (hour < 20), 10.0, 0.0) + rng.normal(size=len(t)))[:, None]
    noon = np.isin(day, list(quiet)) & (hour >= 11) & (hour < 14)
    for number, depth in quiet.items():
        x[noon & (day == number)] -= depth
    return x, t, noon


def test_an_hour_is_unusual_only_with_a_clock() -> None:
    """A quiet hour at noon of the 20th day, whose readings are those of every night."""
    x, t, noon = days_and_nights(30, quiet={20: 10.0})
    found = ek.Learner(n_features=1, loss="novelty", history=True, clock=True).watch_many(x, t)
    assert "season" in found["part"][noon & found["novel"]]
    assert found["alarm"][(t // 86400 >= 5) & (t // 86400 < 20)].sum() == 0
    plain = ek.Learner(n_features=1, loss="novelty", history=True).watch_many(x)
    assert not plain["novel"][noon].any()


def test_an_hour_that_is_accepted_is_not_unusual_again() -> None:
    """A quiet noon on the 20th day, and on the 24th once more."""
    x, t, noon = days_and_nights(30, quiet={20: 12.0, 24: 12.0})
    end = np.flatnonzero(noon & (t < 21 * 86400))[-1] + 1
    later = noon[end:]
    told, other = (
        ek.Learner(n_features=1, loss="novelty", history=True, clock=True) for _ in range(2)
    )
    for learner in (told, other):
        found = learner.watch_many(x[:end], t[:end])
        assert "season" in found["part"][noon[:end] & found["novel"]]
    told.accept()
    assert not told.watch_many(x[end:], t[end:])["novel"][later].any()
    found = other.watch_many(x[end:], t[end:])
    assert "season" in found["part"][later & found["novel"]]


def test_a_fault_that_returns_is_rare_and_not_novel() -> None:
    X = waves(9000, 1)
    starts = range(3000, 9000, 1508)  # at the same phase
    for start in starts:
        X[start : start + 20] += 2.0
    found = ek.Learner(n_features=1, loss="novelty", history=True).watch_many(X)
    assert found["novel"][3000:3020].all()
    assert not found["novel"][starts[-1] : starts[-1] + 20].any()
    assert found["rare"][starts[-1] : starts[-1] + 20].all()


@pytest.mark.parametrize("fault", ["shift", "flat"])
def test_what_is_accepted_is_normal(fault: str) -> None:
    """Without it a huge shift stays an event for 300 rows, and the same again is novel."""
    X = waves(7000)
    for start in (5000, 6000):
        if fault == "shift":
            X[start : start + 500, 2] += 50.0
        else:
            X[start : start + 500, 2] = X[start - 1, 2]
    told, other = (ek.Learner(n_features=3, loss="novelty", history=True) for _ in range(2))
    for learner in (told, other):
        learner.learn_many(X[:5100])
        assert learner.event
    told.accept()
    assert not told.event
    accepted, left = told.watch_many(X[5100:5450]), other.watch_many(X[5100:5450])
    assert accepted["event"].sum() < left["event"].sum()
    if fault == "shift":
        assert not accepted["novel"].any()
    told.learn_many(X[5450:6000])
    other.learn_many(X[5450:6000])
    again = told.watch_many(X[6000:6100])
    assert not again["novel"].any()
    with pytest.raises(AttributeError, match="history=True"):
        ek.Learner(n_features=2, loss="novelty").accept()
    bare = BareLearner(learner_of().config)
    bare.accept()


def test_a_glitch_that_is_accepted_is_not_novel_again() -> None:
    X = waves(3000, 1)
    X[2000] = X[2200] = 1e4
    told, other = (ek.Learner(n_features=1, loss="novelty", history=True) for _ in range(2))
    for learner in (told, other):
        learner.learn_many(X[:2010])
    told.accept()
    assert not told.watch_many(X[2010:2250])["novel"].any()
    assert other.watch_many(X[2010:2250])["novel"].any()


def test_rows_after_a_long_stop_have_no_predecessor() -> None:
    X = waves(4000)
    X[3000:] += 0.9
    one, other = (ek.Learner(n_features=3, loss="novelty", history=True) for _ in range(2))
    one.learn_many(X[:3000])
    other.learn_many(X[:3000])
    other.restart()
    copied = pickle.loads(pickle.dumps(other))
    assert one.learn_one(X[3000]) < other.learn_one(X[3000]) == copied.learn_one(X[3000])
    assert one.novel
    assert one.why[0] == "change"
    assert not other.novel


# ---- calls ---------------------------------------------------------------------------------------


@every_type
def test_rows_one_by_one_or_together(dtype: str) -> None:
    X, t = stream(), times()
    one, many, bare = (learner_of(dtype, clock=True) for _ in range(3))
    plain = BareLearner(bare.config)
    found = many.watch_many(X, list(t))
    for x, seconds, row in zip(X, t, found, strict=True):
        returned = one.learn_one(x, time=float(seconds))
        assert plain.learn_one(x, time=float(seconds)) == returned
        assert plain.verdict == (one.anomaly, *verdict(one))
        assert row.tolist() == (one.anomaly, *verdict(one)[:4], *one.why)
    scores = learner_of(dtype, clock=True).learn_many(X, time=t)
    late = np.arange(len(X)) >= 250
    np.testing.assert_allclose(scores[late], 0.5 - found["score"][late], atol=1e-7)
    assert many._sealed() == one._sealed()
    assert one.threshold == plain.threshold == 0.5
    assert set(found["part"]) <= set(PARTS)


@every_type
def test_a_prediction_is_what_learning_without_a_time_would_return(dtype: str) -> None:
    X, t = stream(), times()
    learner = learner_of(dtype, clock=True)
    for at, (x, seconds) in enumerate(zip(X, t, strict=True)):
        if at % 7 == 0:
            before = bytes(learner._sealed())
            expected = learner.decision_one(x)
            assert learner.predict_one(x) == (-1 if expected < 0.0 else 1)
            assert bytes(learner._sealed()) == before
            assert learner.learn_one(x) == expected
        else:
            learner.learn_one(x, time=float(seconds))


def test_times_are_numbers_and_for_a_clock() -> None:
    X = stream(20)
    learner, plain = learner_of(clock=True), learner_of()
    for call in (
        lambda time: plain.learn_one(X[0], time=time),
        lambda time: ek.Learner(n_features=D, loss="novelty").learn_one(np.ones(D), time=time),
        lambda time: ek.Learner(n_features=D).learn_one(np.ones(D), 1, time=time),
        lambda time: BareLearner(plain.config).learn_one(X[0], time=time),
        lambda time: BareLearner(n_features=D).learn_one(np.ones(D), 1.0, time=time),
        lambda time: plain.learn_many(X, time=[time] * 20),
        lambda time: plain.watch_many(X, time=[time] * 20),
    ):
        with pytest.raises(ValueError, match=r"time needs .*clock=True"):
            call(5.0)
    for wrong in ("noon", True, None):
        if wrong is not None:
            with pytest.raises(TypeError, match="time must be a number of seconds"):
                learner.learn_one(X[0], time=wrong)
    with pytest.raises(ValueError, match="time"):
        learner.learn_many(X, time=np.zeros(19))
    with pytest.raises(ValueError, match="y must be finite"):
        learner.learn_one(X[0], np.nan)
    assert learner.steps == plain.steps == 0
    with pytest.raises(AttributeError, match="history=True"):
        ek.Learner(n_features=D, loss="novelty").watch_many(np.ones((3, D)))
    none, unknown = learner_of(clock=True), learner_of(clock=True)
    none.learn_many(stream(400))
    unknown.learn_many(stream(400), np.ones(400), time=np.full(400, np.nan))
    assert none._sealed() == unknown._sealed()


def test_hours_are_those_of_the_place_before_the_epoch_too() -> None:
    for start in (0.0, 86400.0 * 20_000, -86400.0 * 3):
        learner = learner_of("float64", n_features=1, clock=True)
        t = start + 3600.0 * np.arange(48) + 3599.5
        learner.learn_many(waves(48, 1), time=t)
        rows = np.asarray(learner._engine.view("clock_bytes"))[0, 2:]
        assert rows.tolist() == [1] + [2] * 23  # the first reading has no mean before it


# ---- arguments -----------------------------------------------------------------------------------


def most_bytes(d: int, budget: int, *, clock: bool) -> int:
    """As published."""
    return 476 + 134 * d + 154 * d * clock + 2 * budget


@pytest.mark.parametrize("clock", [False, True])
def test_bytes_and_defaults(clock: bool) -> None:
    options = {"loss": "novelty", "history": True, "clock": clock}
    for d in (1, 8, 25, 50):
        least = ek.plan(n_features=d, D=64, **options).nbytes
        learner = ek.Learner(n_features=d, ram=least, **options)
        assert learner.nbytes == least
        assert learner.budget >= 64
        assert learner.nbytes <= most_bytes(d, learner.budget, clock=clock)
        with pytest.raises(ValueError, match=f"ram must be at least {least} bytes") as refused:
            ek.Learner(n_features=d, ram=least - 1, **options)
        assert ("without the season" in str(refused.value)) == clock
        large = ek.Learner(n_features=d, ram="1MiB", **options)
        assert large.budget == (128 if d == 1 else 256)
        assert ek.Learner(n_features=d, **options).budget == 256
        for budget in (64, 128, 192, 256, 960):
            plan = ek.plan(n_features=d, D=budget, **options)
            assert plan.nbytes <= most_bytes(d, budget, clock=clock)
    assert ek.Learner(n_features=1, ram=1020, **options).budget == 128
    assert ek.Learner(n_features=8, ram="3KiB", **options).budget in (192, 256)
    with pytest.raises(ValueError, match="D must be a multiple of 64"):
        ek.Learner(n_features=8, D=100, **options)


def test_its_options() -> None:
    learner = ek.Learner(n_features=8, loss="novelty", history="auto")
    assert (learner.budget, learner.parameters["nu"]) == (256, 0.02)
    assert (learner.parameters["window"], learner.parameters["clock"]) == (16384, False)
    plain = ek.Learner(n_features=8, ram="2KiB", loss="novelty", history=None)
    assert (plain.parameters["nu"], plain.parameters["window"]) == (0.05, 4096)
    assert plain.scaler is not None
    for config in (learner.config, learner_of(clock=True).config):
        assert eval(repr(config)) == config
        assert config._settings.reports_events
    with pytest.raises(ValueError, match="clock is for loss='novelty' with history=True"):
        ek.Learner(n_features=2, clock=True)


def test_others_have_no_verdict_and_refuse_gaps() -> None:
    learner = ek.Learner(n_features=2, loss="novelty")
    with pytest.raises(ValueError, match="must be finite"):
        learner.learn_one(np.array([np.nan, 1.0]))
    for name in ("anomaly", "novel", "alarm", "event", "rare", "why"):
        with pytest.raises(AttributeError, match="history=True"):
            getattr(learner, name)
    with pytest.raises(ValueError, match="last_label=True"):
        ek.Learner(n_features=2, history=True)
    assert ek.Learner(n_features=2, history="auto").parameters["last_label"] is True
    assert ek.Learner("ogd", n_features=2, budget=5, history="auto").algorithm == "ogd"
    with pytest.raises(TypeError, match="history"):
        ek.Learner("ogd", n_features=2, budget=5, history=True)


@pytest.mark.parametrize(
    ("region", "at", "value"),
    [
        ("channels", 2, -1.0), ("channels", 0, np.nan), ("channels", 1, 1e19),
        ("channels", 2, 1e37), ("channels", 8, -3e38), ("channels", 15, -1.0),
        ("channels", 16, np.inf), ("channels", 17, 1e17), ("channels", 16, np.nan),
        ("channels", 18, -np.inf), ("channel_bytes", 2, 64), ("channel_bytes", 5, -1),
        ("channel_bytes", 1, 0), ("clock", 0, np.nan), ("clock", 1, -1.0), ("clock", 3, 1e17),
        ("clock", 20, np.inf), ("clock_bytes", 0, 64), ("clock_bytes", 2, 201 - 256),
        ("watch_scores", 0, 0.1), ("watch_scores", 2, 1e16), ("watch_scores", 3, -0.5),
        ("watch_scores", 10, 1e17), ("watch_scores", 12, 1.5), ("watch", 0, 10**6),
        ("watch", 1, 10**6), ("watch", 2, 302 << 32), ("watch", 2, 1 << 43), ("watch", 2, 64 << 48),
        ("watch", 3, D << 8), ("watch", 3, 1 << 7), ("watch", 3, 2),
    ],
)  # fmt: skip
def test_states_that_nothing_leads_to_are_refused(region: str, at: int, value: float) -> None:
    learner = learner_of(clock=True)
    learner.learn_many(stream(300), time=times(300))
    np.asarray(learner._engine.view(region)).reshape(-1)[at] = value
    with pytest.raises(ValueError, match="inconsistent"):
        pickle.loads(pickle.dumps(learner))


@every_type
def test_missing_readings_by_nonzeros(dtype: str) -> None:
    """A NaN among the non-zeros is a missing reading, as in a dense row."""
    X, t = stream(300), times(300)
    X[np.abs(X) < 0.1] = 0.0
    X[7, 2] = np.inf
    assert np.isnan(X).any()
    matrix = Csr(X)
    expected = learner_of(dtype, clock=True)
    scores = expected.learn_many(X, time=t)
    many, one = learner_of(dtype, clock=True), learner_of(dtype, clock=True)
    assert many.learn_many(matrix, time=t).tobytes() == scores.tobytes()
    assert len(learner_of(dtype).watch_many(matrix)) == 300
    for at, row in enumerate(X):
        places = np.flatnonzero(row)
        returned = one.learn_one_sparse(places, row[places], time=float(t[at]))
        assert returned == scores[at]
    for learner in (many, one):
        assert learner._sealed() == expected._sealed()
    places = np.flatnonzero(X[-1])
    assert many.decision_one_sparse(places, X[-1][places]) == expected.decision_one(X[-1])
    assert many.decision_function(matrix).tobytes() == expected.decision_function(X).tobytes()


def test_a_verdict_without_learning_is_that_of_learning() -> None:
    X = stream(320)
    plain = WatchReference(D, BUDGET, seed=SEED)
    for x in X[:299]:
        plain.step(x)
    found = [plain.predict(X[299]) for _ in range(2)]
    assert plain.t == 299
    assert found == [plain.step(X[299])] * 2


def test_a_peak_among_equal_ones_grows_by_their_distance() -> None:
    """Of a full tail, which has none: the peak changes nothing."""
    tail = Tail(float)
    for _ in range(2 * CLUSTER):
        tail.learn(5.0, False, 0.0)
    assert (tail.b0, tail.b1) == (5.0, 5.0)
    for full, peaks in ((True, (5.0, 5.0)), (False, (7.0, 5.0))):
        for reading in (7.0, 0.0):
            tail.learn(reading, full, 0.0)
        assert (tail.b0, tail.b1, tail.age) == (*peaks, 0)


@pytest.mark.parametrize(("window", "again"), [(8, False), (64, True)])
def test_a_wild_reading_among_the_first_starts_a_channel_again(window: int, again: bool) -> None:
    """Unless the window is shorter than the rows after which it would be known."""
    X = np.random.default_rng(0).normal(size=(10, 2))
    X[3, 0] = 1e6
    learner = ek.Learner("sorf", n_features=2, D=64, loss="novelty", history=True, window=window)
    for x in X:
        learner.learn_one(x)
    counts = np.asarray(learner._engine.view("channel_counts")).reshape(-1)
    assert counts[1] == 10
    assert (counts[0] < 10) == again


def test_a_stream_that_never_changes_is_normal() -> None:
    learner = ek.Learner("sorf", n_features=2, D=64, loss="novelty", history=True)
    found = learner.watch_many(np.full((700, 2), 3.5))
    assert not (found["novel"] | found["alarm"] | found["event"] | found["rare"]).any()
    assert np.isfinite(found["score"]).all()


def test_a_score_that_is_forged_to_0_goes_on() -> None:
    learner = ek.Learner("sorf", n_features=2, D=64, loss="novelty", history=True)
    X = np.random.default_rng(0).normal(size=(420, 2))
    learner.learn_many(X[:400])
    scores = np.asarray(learner._engine.view("watch_scores")).reshape(-1)
    for at in range(len(scores)):
        before = scores[at]
        scores[at] = 0.0
        data = bytes(learner._sealed())
        scores[at] = before
        try:
            forged = ek.Learner._from_block(data)
        except ValueError:
            continue
        assert np.isfinite(forged.watch_many(X[400:])["score"]).all()
