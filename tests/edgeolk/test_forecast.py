"""Forecasters: what holds of them, how they are asked and told, where they are kept."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forecasts import Numbers, learner_of, run, series, troubled

import edgeolk as ek
from edgeolk.bare import BareLearner

STATE = {"history", "forecaster", "head", "guard", "waiting"}


def state(learner: ek.Learner, *without: str) -> dict[str, bytes]:
    """Regions of state but some, by name."""
    from edgeolk.files.live import is_state

    return {
        region.name: bytes(memoryview(learner._engine.view(region.name)))
        for region in learner.plan.regions
        if is_state(region) and region.element != "w" and region.name not in without
    }


def sealed(learner: ek.Learner) -> bytes:
    return bytes(learner._sealed())


# ---- section 8 of docs/forecast.md --------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 3])
def test_a_constant_target_is_answered_exactly(k: int) -> None:
    learner = learner_of(d=0, D=0, horizon=k)
    said = run(learner, np.zeros((300, 0)), np.full(300, 0.1), k)
    assert (said[:k] == 0.0).all()
    assert (said[k:] == 0.1).all()
    assert not np.frombuffer(state(learner)["head"])[:7].any()


def test_offset_and_unit_of_the_target_do_not_matter() -> None:
    X, y = series()
    plain, other = learner_of(), learner_of()
    a = plain.learn_many(X, y)
    b = other.learn_many(X, 1e3 * y + 1e6)
    np.testing.assert_allclose((b[1:] - 1e6) / 1e3, a[1:], rtol=1e-6, atol=1e-6)


def test_variances_stay_within_0_and_1() -> None:
    X, y = troubled()
    for dtype in ("float64", "int8"):
        learner = learner_of(dtype=dtype)
        for row, target in zip(X, y, strict=True):
            learner.learn_one(row, target)
        real = np.float64 if dtype == "float64" else np.float32
        head = np.frombuffer(state(learner)["head"], real)
        diagonal = np.frombuffer(state(learner)["forecaster"], real)
        own = [head[9 + (j + 1) * (j + 2) // 2 - 1] for j in range(9)]
        assert min(*own, *diagonal[10:20]) >= 0.0
        assert max(*own, *diagonal[10:20]) <= 1.0 + 1e-6


def test_shares_are_shares() -> None:
    X, y = troubled()
    learner = learner_of()
    for row, target in zip(X, y, strict=True):
        learner.learn_one(row, target)
        shares = learner.shares
        assert set(shares) == {"head", "kernel", "last"}
        assert min(shares.values()) >= 0.0
        assert sum(shares.values()) == pytest.approx(1.0) or not any(shares.values())


def test_an_outlier_moves_the_unit_by_a_bounded_factor() -> None:
    X, y = series()
    y = y - 20.0
    learner = learner_of()
    learner.learn_many(X[:400], y[:400])
    before = np.frombuffer(state(learner)["history"], float)
    learner.learn_one(X[400], 1e9)
    after = np.frombuffer(state(learner)["history"], float)
    assert after[16] <= before[16] * (1.0 + 9.0 / 200.0) * (1.0 + 1e-12)
    reach = 10.0 * max(before[14] ** 0.5, before[16]) / 401
    assert abs(after[13] - before[13]) <= reach * (1.0 + 1e-9)


def test_asking_changes_only_what_waits() -> None:
    X, y = series()
    learner = learner_of(horizon=2)
    run(learner, X[:200], y[:200], 2)
    learner.tell_one(y[198])
    before = state(learner, "waiting", "scaler", "scaler_counts")
    learner.ask_one(X[200])
    learner.ask_one(X[201])
    assert state(learner, "waiting", "scaler", "scaler_counts") == before


@pytest.mark.parametrize("never", [None, float("nan")])
def test_a_target_that_is_never_known_changes_only_what_waits(never: Any) -> None:
    X, y = series()
    learner = learner_of()
    learner.learn_many(X[:200], y[:200])
    before = state(learner, "waiting", "scaler", "scaler_counts")
    learner.ask_one(X[200])
    learner.tell_one(never)
    assert learner.n_waiting == 0
    assert state(learner, "waiting", "scaler", "scaler_counts") == before


@pytest.mark.parametrize(("k", "rows"), [(1, 30), (12, 90)])
def test_a_ramp_is_followed(k: int, rows: int) -> None:
    y = np.arange(200.0)
    said = run(learner_of(d=0, horizon=k), np.zeros((200, 0)), y, k)
    # Of the change that is forecast, k; at k = 12 the first 50 rows more come to .116 of it.
    most = 0.1 if k == 1 else 0.12
    assert np.abs(said - y)[rows + k :].max() < most * k


@pytest.mark.parametrize("options", [{}, {"dtype": "int8"}, {"horizon": 5, "season": 12}, {"D": 0}])
def test_a_copy_from_the_middle_goes_on_bit_for_bit(
    options: dict[str, Any], tmp_path: Path
) -> None:
    X, y = troubled()
    k = options.get("horizon", 1)
    block = bytearray(ek.plan(learner_of(**options).config).nbytes)
    learner = learner_of(**options, buffer=block)
    run(learner, X[:500], y[:500], k)
    learner.save(tmp_path / "model.olk")
    block = bytearray(bytes(block))
    copies = [
        ek.load(tmp_path / "model.olk"),
        pickle.loads(pickle.dumps(learner)),
        ek.attach(block),
    ]
    bare = BareLearner.from_bytes((tmp_path / "model.olk").read_bytes())

    def going_on(one: Any) -> list[float]:
        said = []
        for t in range(500, len(X)):
            one.tell_one(y[t - k])
            said.append(one.ask_one(X[t]))
        return said

    expected = going_on(learner)
    for copy in (*copies, bare):
        assert going_on(copy) == expected
    assert all(sealed(copy) == sealed(learner) for copy in copies)


@pytest.mark.parametrize(
    "options",
    [{}, {"dtype": "int8"}, {"D": 0, "season": 12}, {"horizon": 3}, {"horizon": 12, "season": 24}],
    ids=str,
)
def test_nothing_comes_from_the_future(options: dict[str, Any]) -> None:
    """Targets from row 300 on are others: no answer, interval or share is, before one has come."""
    X, y = series()
    shifted = y.copy()
    shifted[300:] += 100.0
    k = options.get("horizon", 1)
    said = []
    for targets in (y, shifted):
        learner, rows = learner_of(**options), []
        for t in range(len(X)):
            if t >= k:
                learner.tell_one(targets[t - k])
            rows.append((learner.ask_one(X[t]), learner.interval, learner.shares))
        said.append(rows)
    assert said[0][: 300 + k] == said[1][: 300 + k]
    assert said[0][300 + k][0] != said[1][300 + k][0]


# ---- how it is called ----------------------------------------------------------------------------


def test_many_rows_are_learned_as_one_by_one() -> None:
    X, y = troubled()
    for options in ({}, {"dtype": "int8"}, {"D": 0}, {"season": 12}):
        one, many = learner_of(**options), learner_of(**options)
        said = [one.learn_one(row, target) for row, target in zip(X, y, strict=True)]
        assert many.learn_many(X, y).tolist() == said
        assert sealed(one) == sealed(many)


def test_a_prediction_is_what_learning_answers_and_changes_nothing() -> None:
    X, y = troubled()
    learner = learner_of(dtype="int8")
    for row, target in zip(X[:300], y[:300], strict=True):
        before = sealed(learner)
        said, interval = learner.predict_one(row), learner.interval
        assert sealed(learner) == before
        assert learner.predict(row[None])[0] == learner.decision_one(row) == said
        assert learner.learn_one(row, target) == said
        assert learner.interval == interval


def test_float32_rows_are_taken() -> None:
    X, y = series()
    a, b = learner_of(), learner_of()
    narrow = X.astype(np.float32)
    assert a.learn_many(narrow, y).tolist() == b.learn_many(narrow.astype(float), y).tolist()


def test_wrong_order_is_refused() -> None:
    X, y = series()
    learner = learner_of()
    with pytest.raises(RuntimeError, match="no row waits"):
        learner.tell_one(1.0)
    learner.ask_one(X[0])
    before = sealed(learner)
    with pytest.raises(RuntimeError, match="still waits for its target"):
        learner.learn_one(X[1], y[1])
    with pytest.raises(RuntimeError, match="still waits for its target"):
        learner.learn_many(X, y)
    assert sealed(learner) == before
    late = learner_of(horizon=3)
    with pytest.raises(RuntimeError, match="ask_one"):
        late.learn_one(X[0], y[0])
    plain = ek.Learner(n_features=3, D=40, loss="square")
    for call in (lambda: plain.ask_one(X[0]), lambda: plain.tell_one(1.0), plain.restart):
        with pytest.raises(AttributeError, match="history=True"):
            call()
    with pytest.raises(AttributeError, match="history=True"):
        plain.interval  # noqa: B018


@pytest.mark.parametrize("y", [float("inf"), 1e16, "warm"])
def test_a_bad_target_changes_nothing(y: Any) -> None:
    X, targets = series()
    learner = learner_of(dtype="int8")
    learner.learn_many(X[:50], targets[:50])
    before = sealed(learner)
    with pytest.raises((TypeError, ValueError)):
        learner.learn_one(X[50], y)
    assert sealed(learner) == before
    learner.ask_one(X[50])
    before = sealed(learner)
    with pytest.raises((TypeError, ValueError)):
        learner.tell_one(y)
    assert sealed(learner) == before


def test_a_row_with_an_infinite_reading_is_refused() -> None:
    X, y = series()
    learner = learner_of()
    X[0, 1] = np.inf
    for call in (lambda: learner.learn_one(X[0], y[0]), lambda: learner.ask_one(X[0])):
        with pytest.raises(ek.BadRowError, match="feature 1"):
            call()
    assert learner.steps == 0


def test_one_row_more_than_the_horizon_drops_the_oldest() -> None:
    X, y = series()
    learner = learner_of(horizon=2)
    run(learner, X[:100], y[:100], 2)
    assert learner.n_waiting == 2
    learner.ask_one(X[100])
    assert learner.n_waiting == 2
    learner.tell_one(y[99])
    learner.tell_one(y[100])
    assert learner.n_waiting == 0


def test_after_a_restart_the_answer_is_the_mean_and_what_was_learned_stays() -> None:
    X, y = series()
    learner = learner_of(season=12)
    learner.learn_many(X[:200], y[:200])
    before = state(learner, "history", "waiting", "season")
    learner.restart()
    assert state(learner, "history", "waiting", "season") == before
    assert learner.predict_one(X[200]) == pytest.approx(y[:200].mean(), abs=3.0)
    assert learner.interval is None
    assert not any(learner.shares.values())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"horizon": 2}, "need history=True"),
        ({"interval": 0.5}, "needs history=True"),
        ({"interval": 0.9}, "got interval=0.9"),
        ({"interval": (0.9,)}, "needs history=True"),
        ({"interval": 0.9, "loss": "hinge"}, "needs history=True"),
        ({"interval": 0.9, "loss": "novelty", "history": True}, "needs history=True"),
        ({"history": True, "season": 3, "horizon": 5}, "season must be 0 or at least horizon"),
        ({"history": True, "last_label": True}, "no last_label"),
        ({"history": True, "scale": None}, "scale='standard'"),
        ({"history": True, "interval": 1.5}, "between 0 and 1"),
        ({"history": True, "D": 20}, "D must be 0"),
        ({"history": "never"}, "'auto'"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises((TypeError, ValueError), match=sentence):
        ek.Learner(**{"n_features": 3, "D": 64, "loss": "square", **options})


def test_a_ring_is_no_kernel_of_a_forecaster() -> None:
    """Refused with the reason, whether it follows targets or classes."""
    for options in ({"loss": "epsilon"}, {}):
        with pytest.raises(TypeError, match="history=True is for 'sorf'"):
            ek.Config("bpa_s", n_features=3, budget=20, history=True, **options)
    assert not ek.Config("bpa_s", n_features=3, budget=20, history="auto")._settings.forecasts


def test_history_auto_is_a_forecaster_for_targets_and_the_last_label_for_classes() -> None:
    assert ek.Config(n_features=3, ram="4KiB", loss="square", history="auto")._settings.forecasts
    classes = ek.Config(n_features=3, ram="4KiB", history="auto")
    assert classes.parameters["last_label"] is True
    assert not classes._settings.forecasts
    own = ek.Config(n_features=3, ram="4KiB", history="auto", last_label=False)
    assert own.parameters["last_label"] is False
    novelty = ek.Config(n_features=3, ram="2KiB", history="auto", loss="novelty")
    assert novelty.parameters["last_label"] is False


# ---- its memory ----------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 6, 17])
def test_its_bytes_are_those_of_the_page(d: int) -> None:
    config = ek.Config(n_features=d, D=64, loss="square", history=True)
    sizes = {r.name: r.shape[0] * r.shape[1] * 4 for r in ek.plan(config).regions if r.element}
    assert sum(sizes[name] for name in STATE) == 436 + 28 * d
    bare = ek.Config(n_features=d, D=0, loss="square", history=True)
    sizes = {r.name: r.shape[0] * r.shape[1] * 4 for r in ek.plan(bare).regions if r.element}
    assert sum(sizes[name] for name in STATE) == 344 + 28 * d


def test_ram_says_how_many_frequencies_there_are_and_whether_there_is_a_kernel() -> None:
    whole = ek.Learner(n_features=3, ram="4KiB", loss="square", history=True)
    assert 4000 < whole.nbytes <= 4096
    small = ek.Learner(n_features=3, ram=800, loss="square", history=True)
    assert small.budget == 0
    assert small.nbytes <= 800
    assert "no kernel" in repr(small)
    assert "kernel              none" in str(small.plan)
    again = ek.Learner(small.config)
    assert again.budget == 0
    with pytest.raises(ValueError, match="ram must be at least"):
        ek.Learner(n_features=3, ram=200, loss="square", history=True)


def test_the_width_of_the_kernel_follows_what_it_learns(tmp_path: Path) -> None:
    X, y = series()
    learner = learner_of(D=64)
    assert learner._engine.gamma() == pytest.approx(1.0 / (2 * (3 + 4)))
    assert learner.plan.width_follows
    assert "follows the rows" in str(learner.plan)
    before = learner._engine.gamma()
    learner.ask_one(X[0])
    assert learner._engine.gamma() == before
    learner.tell_one(y[0])
    learner.learn_many(X[1:3], y[1:3])
    assert learner._engine.gamma() == before  # the kernel has learned nothing yet
    learner.learn_many(X[3:300], y[3:300])
    assert learner._engine.gamma() != before
    learner.save(tmp_path / "model.olk")
    assert ek.load(tmp_path / "model.olk")._engine.gamma() == learner._engine.gamma()
    for options in ({"gamma": 0.1}, {"kernel": ek.Gaussian(0.1)}, {"D": 0}):
        named = learner_of(**{"D": 64, **options})
        start = named._engine.gamma()
        named.learn_many(X, y)
        assert named._engine.gamma() == start
        assert not named.plan.width_follows
        assert ek.Config("sorf", **named.config.options) == named.config


def test_its_repr_makes_the_same() -> None:
    learner = learner_of(horizon=3, season=12, interval=(0.5, 0.9))
    assert eval(repr(learner.config), {"ek": ek}) == learner.config


def test_a_forged_state_is_refused() -> None:
    X, y = series()
    memory = bytearray(ek.plan(learner_of(dtype="int8", season=12).config).nbytes)
    learner = learner_of(dtype="int8", season=12, buffer=memory)
    learner.learn_many(X[:100], y[:100])
    start = memory.find(b"eolk")
    whole = bytes(memory)
    regions = {region.name: region for region in learner.plan.regions}
    forged = {
        "history": {0: -1.0, 5: 2.0, 13: np.nan, 14: -1.0, 16: -1.0, 20: 5000.0},
        "forecaster": {12: 1.5, 24: -1.0},
        "head": {11: 2.0, 0: np.inf},
        "guard": {0: 1e9, 3: -1.0},
        "waiting": {0: -3.0, 1: -1.0},
        "season": {0: 26.0},
    }
    for name, changes in forged.items():
        for place, number in changes.items():
            block = bytearray(whole)
            at = start + regions[name].offset + 4 * place
            block[at : at + 4] = np.float32(number).tobytes()
            with pytest.raises(ValueError, match="inconsistent"):
                ek.attach(block)


# ---- intervals -----------------------------------------------------------------------------------


def test_intervals_hold_what_they_say() -> None:
    r = np.random.default_rng(3)
    y = np.cumsum(r.normal(size=4000)) + r.normal(size=4000)
    learner = learner_of(d=0, D=0, interval=(0.5, 0.9))
    inside = np.zeros(2)
    for t in range(len(y)):
        learner.learn_one(np.zeros(0), y[t])
        if t >= 100:
            for i, (low, high) in enumerate(learner.interval):
                inside[i] += low <= y[t] <= high
    assert inside / 3900 == pytest.approx([0.5, 0.9], abs=0.01)


def test_the_code_of_the_page_runs() -> None:
    page = (Path(__file__).parents[2] / "docs/forecast.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(code, "forecast.md", "exec"), names)
    assert names["low"] < names["said"] < names["high"]
    assert names["late"].n_waiting == 12


def test_a_series_without_inputs_is_kept_like_any_other(tmp_path: Path) -> None:
    y = series(200, 0)[1]
    for D in (0, 64):
        learner = learner_of(d=0, D=D, season=12)
        learner.learn_many(np.zeros((100, 0)), y[:100])
        learner.save(tmp_path / "series.olk")
        copies = [ek.load(tmp_path / "series.olk"), pickle.loads(pickle.dumps(learner))]
        assert learner.scaler is None
        for target in y[100:]:
            said = learner.learn_one([], target)
            assert all(copy.learn_one([], target) == said for copy in copies)


def _labels_that_stop(
    options: dict[str, Any],
) -> tuple[dict[str, Any], Numbers, Numbers, Numbers]:
    """Arguments of a learner, rows, labels that stay and that readings say a little of."""
    r = np.random.default_rng(0)
    X = r.normal(size=(900, 3))
    y = np.where(np.arange(900) % 40 < 20, 1.0, -1.0)
    X[:, 0] += y
    labels = (y + 1.0) / 2.0 if options else y
    return {"n_features": 3, "D": 64, "seed": 1, **options}, X, labels, y


@pytest.mark.parametrize("options", [{}, {"n_classes": 3}], ids=["two", "three"])
def test_answers_do_not_freeze_when_labels_stop(options: dict[str, Any], tmp_path: Path) -> None:
    """A last label that is a candidate by itself counts for a few answers, then for none."""
    made, X, labels, _ = _labels_that_stop(options)
    learner = ek.Learner(history="auto", **made)
    plain = ek.Learner(last_label=True, **made)
    bare, told = BareLearner(**made), BareLearner(history="auto", **made)
    assert learner.config == bare.config == told.config != plain.config
    assert learner.nbytes == plain.nbytes + 16
    for one in (learner, plain):
        one.learn_many(X[:600], labels[:600])
    for one in (bare, told):
        for row, label in zip(X[:600], labels[:600], strict=True):
            one.learn_one(row, label)
    assert state(learner) == state(plain)  # nothing else is learned
    learner.save(tmp_path / "model.olk")
    loaded = ek.load(tmp_path / "model.olk")
    before = bytes(learner._sealed())
    frozen = [_asked(plain, row) for row in X[600:]]
    plain.restart()  # what it says where it knows no last label
    free = [_asked(plain, row) for row in X[600:]]
    expected = frozen[:16] + free[16:]
    for one in (learner, bare, told, loaded, pickle.loads(pickle.dumps(learner))):
        assert [_asked(one, row) for row in X[600:]] == expected
    assert bytes(learner._sealed()) == before  # answers are no part of a file
    assert (np.array(frozen) == labels[599]).mean() > 0.95
    right = [(np.array(answers) == labels[600:]).mean() for answers in (expected, frozen)]
    assert right[0] > right[1] + 0.1
    for one in (learner, plain):
        one.learn_one(X[0], labels[599])
    assert _asked(learner, X[1]) == _asked(plain, X[1])  # labels are back
    kept = BareLearner(last_label=True, **made)
    for row, label in zip(X[:600], labels[:600], strict=True):
        kept.learn_one(row, label)
    assert [_asked(kept, row) for row in X[600:]] == frozen  # as it was asked for
    assert eval(repr(learner.config), {"ek": ek, **vars(ek)}) == learner.config


@pytest.mark.parametrize("options", [{}, {"n_classes": 3}], ids=["two", "three"])
@pytest.mark.parametrize("first", [0, 5, 16, 40])
def test_rows_of_a_table_are_answers_one_by_one(options: dict[str, Any], first: int) -> None:
    made, X, labels, _ = _labels_that_stop(options)
    rows = X[600:700]
    one, many = (ek.Learner(history="auto", **made) for _ in range(2))
    for learner in (one, many):
        learner.learn_many(X[:600], labels[:600])
    expected = [one.scores_one(row) for row in rows]
    for row in rows[:first]:
        many.wants_label(row) if not options else many.predict_one(row)
    np.testing.assert_array_equal(many.scores(rows[first:]), expected[first:])
    many.learn_one(X[0], labels[0])
    one.learn_one(X[0], labels[0])
    np.testing.assert_array_equal(
        np.concatenate([many.scores(rows[:10]), many.scores(rows[10:])]),
        [one.scores_one(row) for row in rows],
    )


def test_how_long_a_last_label_counts_can_be_said() -> None:
    made, X, labels, _ = _labels_that_stop({})
    learner = ek.Learner(last_label=True, lapse=3, **made)
    plain = ek.Learner(last_label=True, **made)
    for one in (learner, plain):
        one.learn_many(X[:600], labels[:600])
    same = learner.decision_function(X[600:640]) == plain.decision_function(X[600:640])
    assert same[:3].all()
    assert not same[3:].any()
    with pytest.raises(ValueError, match="lapse is for last_label=True"):
        ek.Learner(lapse=3, **made)
    assert ek.Config(history="auto", lapse=0, **made) == plain.config


def _asked(learner: Any, row: Any) -> float:
    """The class that a learner predicts, by its scores alone."""
    scores = np.zeros(max(1, learner._config.columns))
    if isinstance(learner, BareLearner):
        learner.scores_one(row, scores)
    else:
        scores = learner.scores_one(row)
    return float(np.argmax(scores)) if len(scores) > 1 else (1.0 if scores[0] >= 0.0 else -1.0)


def test_a_bare_learner_takes_rows_in_order_by_itself() -> None:
    assert BareLearner(n_features=3, ram="4KiB", loss="square")._config.forecasts
    assert BareLearner(n_features=3, ram="4KiB", loss="novelty")._config.watches
    classes = BareLearner(n_features=3, ram="4KiB", n_classes=3).config
    assert classes == ek.Config(n_features=3, ram="4KiB", n_classes=3, history="auto")
    for options in ({"history": None}, {"history": False}, {"last_label": False}):
        plain = BareLearner(n_features=3, ram="4KiB", **options).config
        assert plain == ek.Config(n_features=3, ram="4KiB")
    # What does not go with a history has none; nor has another algorithm.
    other = {"n_features": 3, "ram": "4KiB", "loss": "square", "scale": "minmax"}
    assert BareLearner(**other).config == ek.Config(**other)
    assert BareLearner("rbp", n_features=3, budget=4).config.name == "rbp"
    with pytest.raises(ValueError, match="ram must be at least"):
        BareLearner(n_features=3, ram=200, loss="square")


def test_the_last_label_is_forgotten_by_a_restart() -> None:
    r = np.random.default_rng(0)
    X = r.normal(size=(600, 3))
    y = np.where(np.arange(600) % 40 < 20, 1.0, -1.0)  # labels stay, readings say a little
    X[:, 0] += y
    for options, labels in (({}, y), ({"n_classes": 3}, (y + 1.0) / 2.0)):
        learner = ek.Learner(n_features=3, D=64, last_label=True, **options)
        learner.learn_many(X, labels)
        frozen = learner.predict(X)
        assert (frozen == labels[-1]).mean() > 0.95
        learner.restart()
        assert (learner.predict(X) == labels[-1]).mean() < 0.9
        assert not any(state(learner)["last_label"])
        learner.learn_one(X[0], labels[-1])
        assert (learner.predict(X) == labels[-1]).mean() > 0.95
        bare = BareLearner(n_features=3, D=64, history="auto", **options)
        bare.learn_one(X[0], labels[0])
        bare.restart()
    with pytest.raises(AttributeError, match="history=True"):
        ek.Learner(n_features=3, D=64).restart()


# ---- a covariance that no learning leads to ------------------------------------------------------


def _forged_covariance(learner: ek.Learner, r: np.random.Generator, by: float) -> None:
    """Put one there that is short of a positive definite one by so much.

    Each place of it has a possible variance, or a possible covariance of two.
    """
    m = 9 if learner.budget else 7
    P = np.eye(m)
    while np.linalg.eigvalsh(P)[0] > -1.0:
        P = np.sign(r.normal(size=(m, m)))
        P = np.tril(P, -1) + np.tril(P, -1).T + np.eye(m)
    least = np.linalg.eigvalsh(P)[0]
    share = (1.0 + by) / (1.0 - least)
    P = share * P + (1.0 - share) * np.eye(m)
    assert np.linalg.eigvalsh(P)[0] == pytest.approx(-by)
    head = np.asarray(learner._engine.view("head")).reshape(-1)
    head[m:-1] = P[np.tril_indices(m)]
    d = learner.n_features
    if r.random() < 0.5:  # variances below 0 as far as rounding may go
        diagonal = np.asarray(learner._engine.view("forecaster")).reshape(-1)
        diagonal[4 + 2 * d : 2 * (4 + 2 * d)] = -0.9e-5


@pytest.mark.parametrize("dtype", ["int8", "float64"])
@pytest.mark.parametrize("D", [0, 64])
def test_a_forged_covariance_is_refused_or_begins_anew(dtype: str, D: int, tmp_path: Path) -> None:
    """One that is not positive definite does no harm, taken or not: all answers are numbers."""
    X, y = series(2500, d=2)
    clean = learner_of(d=2, D=D, dtype=dtype)
    clean.learn_many(X[:300], y[:300])
    usual = np.abs(clean.learn_many(X[300:], y[300:]) - y[300:])[1000:].mean()
    for seed, by in enumerate((0.0, 5e-4, 0.02, 0.3, 1.0, 2.0)):
        learner = learner_of(d=2, D=D, dtype=dtype)
        learner.learn_many(X[:300], y[:300])
        _forged_covariance(learner, np.random.default_rng(seed), by)
        path = tmp_path / f"{seed}.olk"
        learner.save(path)
        if by > 1e-3:
            with pytest.raises(ValueError, match="covariances of the forecaster"):
                ek.load(path)
        else:
            learner = ek.load(path)
        said = learner.learn_many(X[300:], y[300:])  # in memory it is there all the same
        assert np.isfinite(said).all()
        assert np.abs(said - y[300:])[1000:].mean() < 1.05 * usual
