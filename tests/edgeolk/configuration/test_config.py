"""One configuration: what a learner says of itself makes the same learner."""

from __future__ import annotations

import contextlib
import copy
import inspect
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers import ACTIVE, EVERY, KERNELS, LIVELY, every_choice

import edgeolk as ek
from edgeolk import hosting
from edgeolk import parts as pt
from edgeolk.bare import BareLearner
from edgeolk.parts.table import DEFAULT_PARTS
from edgeolk.ring.options import uses
from edgeolk.scaling.record import ARGUMENTS, preprocessing_from
from edgeolk.wrapped import chooses_loss, counts_mistakes, takes_history

ROWS = np.random.default_rng(0).normal(size=(30, 3))
LABELS = np.where(ROWS[:, 0] * ROWS[:, 1] > 0, 1.0, -1.0)


def same(one: ek.Config, other: ek.Config) -> bool:
    """In every field, not only in what they say."""
    return one == other and hash(one) == hash(other) and vars(one) == vars(other)


def round_trip(config: ek.Config) -> None:
    """By parameters, by options, by the text of a configuration and of a learner."""
    learner = ek.Learner(config)
    assert same(learner.config, config)
    name = None if config.name == "custom" else config.name
    storage = {
        "n_features": config.n_features, "budget": config.budget, "kernel": config.kernel,
        "dtype": config.dtype.name.lower(), "seed": config.seed,
        "coefficients": config.coefficients.name.lower(),
        "sparse": config._settings.parts.get("rows") == pt.Rows.SPARSE,
        "feature_range": config.feature_range,
    }  # fmt: skip
    own = learner.parameters
    before = {n: v for n, v in config.options.items() if n in ARGUMENTS and n not in own}
    assert same(ek.Config(name, **storage, **before, **own), config)
    assert same(ek.Config(name, **config.options), config)
    assert same(eval(repr(config), {"ek": ek}), config)
    again = eval(repr(learner), {"ek": ek})
    assert same(again.config, config)
    assert again.plan == learner.plan == ek.plan(config)
    assert again._sealed() == learner._sealed()
    # What a file holds says the same.
    with contextlib.suppress(ek.BudgetError):
        learner.learn_many(ROWS[:5, : config.n_features], LABELS[:5])
    loaded = copy.deepcopy(learner)
    assert repr(loaded) == repr(learner)
    assert same(loaded.config, config)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.spread(3)
def test_every_algorithm_with_every_choice(name: str) -> None:
    for options in every_choice(name):
        round_trip(ek.Config(name, n_features=3, budget=7, **options))
        try:
            lively = {**LIVELY.get(name, {}), **options}
            config = ek.Config(name, n_features=2, budget=5, seed=9, **lively)
        except (TypeError, ValueError):
            continue  # those are for the default choices
        round_trip(config)


def composition(chance: random.Random) -> dict[str, Any]:
    """A few parts other than the defaults, and parameters that do something."""
    parts: dict[str, Any] = {}
    for axis in chance.sample(list(DEFAULT_PARTS), chance.randint(1, 4)):
        parts[axis] = chance.choice(list(pt.AXES[axis]))
    if chance.random() < 0.4:  # much goes with these updates only
        logistic = [part for part in ek.Update if part.name.startswith("LOGISTIC")]
        parts["update"] = chance.choice([ek.Update.GRADIENT, *logistic])
        parts["loss"] = ek.Loss.LOGISTIC
        parts["sampling"] = chance.choice(list(ek.Sampling))
    elif chance.random() < 0.2:  # these go with little else
        parts = {"update": ek.Update.GRADIENT, "loss": chance.choice(list(ek.Loss)),
                 "basis": chance.choice([ek.Basis.FOURIER, ek.Basis.NYSTROM])}  # fmt: skip
    wanted = uses({**DEFAULT_PARTS, **parts})
    values = {name: ACTIVE[name] for name in wanted if name in ACTIVE and chance.random() < 0.7}
    # By member, by its name, or in small letters.
    said = {
        axis: chance.choice([part, part.name, part.name.lower()]) for axis, part in parts.items()
    }
    return {
        "n_features": chance.randint(1, 3), "budget": chance.randint(2, 9),
        "kernel": chance.choice(list(KERNELS.values()))[0], "seed": chance.choice([0, 2**64 - 1]),
        "dtype": chance.choice(["float32", "float64", "float16", "int8"]),
        "coefficients": chance.choice(["float32", "float64"]), "sparse": chance.random() < 0.2,
        **said, **values,
    }  # fmt: skip


def test_compositions() -> None:
    chance = random.Random(3)
    found: dict[str, ek.Config] = {}
    while len(found) < 250:
        try:
            config = ek.Config(**composition(chance))
        except ValueError:
            continue
        if repr(config) not in found:
            found[repr(config)] = config
            round_trip(config)
    for axis in DEFAULT_PARTS:
        met = {config._settings.parts[axis] for config in found.values()}
        assert len(met) > len(pt.AXES[axis]) / 2, (axis, met)


RANGES: list[tuple[Any, Any]] = [
    (-2.0, 3.0), (0, 1), ([0.0, -50.0, 10.0], [1.0, 50.0, 11.0]), (-1e-3, (250.0, 1e-3, 7.0)),
    (np.array([0.1, 0.2, 0.3]), np.float32(9)),
]  # fmt: skip


@pytest.mark.parametrize("ends", RANGES, ids=str)
def test_a_range_of_levels(ends: tuple[Any, Any]) -> None:
    """Said as given; a file knows the levels only, and says a range that gives the same ones."""
    config = ek.Config("rbp", n_features=3, budget=4, dtype="int8", feature_range=ends)
    learner = ek.Learner(config)
    assert eval(repr(config), {"ek": ek}) == config
    loaded = copy.deepcopy(learner)
    assert loaded.config.feature_range is not None
    for again in (loaded, eval(repr(loaded), {"ek": ek}), ek.Learner(loaded.config)):
        assert again._sealed() == learner._sealed()
        assert repr(copy.deepcopy(again)) == repr(loaded)


def test_numbers_of_numpy_are_said_as_plain_ones() -> None:
    config = ek.Config(
        "bpa_s", n_features=np.int64(3), budget=np.int32(4), seed=np.uint64(7), C=np.float64(0.5),
        kernel=ek.Polynomial(np.int64(2), np.float64(0.5), np.float32(1.0)),
        dtype=np.float32,
    )  # fmt: skip
    assert same(eval(repr(config), {"ek": ek}), config)
    assert "np." not in repr(config)


def test_every_face_takes_a_configuration() -> None:
    config = ek.Config("spa", n_features=3, ram="4KiB", beta=2.0)
    assert config.budget > 1
    assert ek.Learner(config).plan == ek.plan(config) == ek.plan("spa", n_features=3, ram="4KiB")
    assert ek.Learner(config).nbytes == BareLearner(config).nbytes <= 4096
    for face in (ek.Learner, ek.plan, BareLearner):
        with pytest.raises(TypeError, match="do not pass budget= as well"):
            face(config, budget=3)


def test_configurations_that_differ() -> None:
    options: dict[str, Any] = {"n_features": 3, "budget": 4}
    config = ek.Config("bpa_s", **options)
    assert config == ek.Config("BPA_S", **options, C=1.0)
    others = [{"C": 2.0}, {"seed": 1}, {"dtype": "float64"}, {"coefficients": "float32"},
              {"sparse": True}, {"kernel": ek.Linear()}, {"loss": "ramp"}, {"budget": 5},
              {"n_features": 2}]  # fmt: skip
    for other in others:
        assert config != ek.Config("bpa_s", **{**options, **other})
    assert config != ek.Config("pa1", **options)
    assert config != "bpa_s"


def test_the_difference_of_two_configurations() -> None:
    """Every option that differs, with both values; nothing for equal ones, trained or not."""
    options: dict[str, Any] = {"n_features": 3, "ram": 2000}
    learner = ek.Learner(**options)
    learner.learn_many(ROWS, LABELS)
    assert learner.config.difference(ek.Learner(**options).config) == ""
    seeded = ek.Config(**options, seed=1)
    assert seeded.difference(learner.config) == "seed: 1, other 0"
    assert learner.config.difference(seeded) == "seed: 0, other 1"
    changed = ek.Config(n_features=3, D=learner.budget, seed=1, gamma=0.5).difference(seeded)
    assert "kernel: Gaussian(gamma=0.5), other " in changed
    assert "algorithm: 'pa1', other 'bpa_s'" in ek.Config("pa1", n_features=3, budget=4).difference(
        ek.Config("bpa_s", n_features=3, budget=4)
    )
    with pytest.raises(TypeError, match="other must be a Config, got Learner"):
        seeded.difference(learner)  # type: ignore[arg-type]


def test_the_state_stands_beside_the_call() -> None:
    learner = ek.Learner("rbp", n_features=3, budget=9)
    assert repr(learner).endswith(f"# 0 steps, 0/9 support vectors, {learner.nbytes} bytes")
    frozen = ek.Learner("stoptron", n_features=3, budget=2)
    assert "freezes when full" in repr(frozen)
    frozen.learn_many(ROWS, LABELS)
    assert "30 steps, 2/2 support vectors, frozen" in repr(frozen)


@pytest.mark.parametrize("value", ["0.5", True, b"1"], ids=repr)
def test_text_and_flags_are_no_parameters(value: object) -> None:
    with pytest.raises(TypeError, match="eta must be a finite number > 0, got"):
        ek.Config("ogd", n_features=1, budget=2, eta=value)


@pytest.mark.parametrize(
    ("dtype", "size"),
    [
        ("int8", {"D": 0}),
        ("int8", {"ram": 950}),
        ("float64", {"D": 0}),
        ("float64", {"ram": 1200}),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "more",
    [
        {"linear": True},
        {"relevance": True},
        {"relevance": "shared"},
        {"groups": 3},
        {"scratch": "row"},
        {"widths": ((0.5, 1.0), (2.0,)), "blends": (0.0, 0.5, 1.0), "linear": True},
    ],
    ids=str,
)
def test_without_a_kernel_its_options_are_off(
    more: dict[str, Any], dtype: str, size: dict[str, Any]
) -> None:
    """A forecaster whose bytes hold no kernel is the plain one, and learns as that does."""
    options: dict[str, Any] = {"n_features": 3, "loss": "square", "history": True, "dtype": dtype}
    config = ek.Config("sorf", **options, **more, **size)
    plain = ek.Config("sorf", **options, D=0)
    assert config.budget == 0
    assert same(config, plain)
    round_trip(config)
    scores = [ek.Learner(each).learn_many(ROWS, LABELS) for each in (config, plain)]
    assert scores[0].tobytes() == scores[1].tobytes()
    with pytest.raises(ValueError, match=r"groups|widths|blends"):
        ek.Config("sorf", **options, **size, groups=3, widths=(1.0,), blends=(1.0, 0.0))


@pytest.mark.parametrize("size", [{"D": 0}, {"ram": 1100}], ids=str)
def test_without_a_kernel_options_of_any_learner_stay(size: dict[str, Any]) -> None:
    learner = ek.Learner(
        "sorf", n_features=3, loss="square", history=True, on_bad_row="skip", checksums=True, **size
    )
    learner.learn_many(np.array([[1.0, 2.0, 3.0], [np.inf, 0.0, 0.0]]), [1.0, 2.0])
    assert learner.budget == 0
    assert learner.n_skipped == 1


@pytest.mark.parametrize("name", ["linear", "relevance", "scratch"])
def test_a_record_without_a_kernel_has_no_options_of_one(name: str) -> None:
    """As a forged file could have."""
    config = ek.Config("sorf", n_features=2, D=0, loss="square", history=True)._settings
    config.check()
    with pytest.raises(ValueError, match=rf"without a kernel.*{name}=.*"):
        replace(config, values={**config.values, name: 1.0}).check()


REFUSED_VALUES: list[tuple[dict[str, Any], str]] = [
    ({"memory": 5, "loss": "square"}, "memory is for classification.*; got memory=5$"),
    ({"memory_narrow": True, "memory": 0}, "memory_narrow.*; got memory_narrow=True, memory=0$"),
    ({"horizon": 24, "loss": "hinge"},
     "^horizon is for forecasts, which need loss='square' and history=True; got horizon=24$"),
    ({"season": 7}, "^season needs loss='square' and history=True: only .*; got season=7$"),
    ({"loss": "novelty", "history": True, "window": 1e5}, "window must.*; got window=100000$"),
    ({"loss": "square", "history": True, "horizon": 5, "season": 3},
     "season must be 0 or at least horizon; got season=3, horizon=5$"),
    ({"n_classes": 300, "memory": 5}, "at most 256 classes; got memory=5$"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "said"), REFUSED_VALUES, ids=str)
def test_a_refusal_names_values_as_the_caller_does(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ek.Config("sorf", **{"n_features": 7, "D": 64, **options})


@pytest.mark.parametrize("given", ["rate", "lam"])
def test_a_refusal_has_the_plain_name_where_a_paper_has_a_letter(given: str) -> None:
    with pytest.raises(ValueError, match=r"at least half the rate; got eps=0.1, rate=0.9$"):
        ek.Config("avp", n_features=2, budget=5, eps=0.1, **{given: 0.9})


@pytest.mark.parametrize(
    "options",
    [{"coefficients": "float32"}, {"sparse": True}, {"feature_range": (-1.0, 1.0)}],
    ids=str,
)
def test_sorf_refuses_what_is_about_support_vectors(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(ValueError, match=rf"{name}= is for support vectors: sorf stores weights"):
        ek.Config("sorf", n_features=3, budget=64, **options)


def test_a_configuration_keeps_what_it_has() -> None:
    config = ek.Config("rbp", n_features=3, budget=5)
    with pytest.raises(AttributeError, match="budget cannot be deleted"):
        del config.budget
    assert config.budget == 5


@pytest.mark.parametrize(
    ("given", "hint"), [({}, r"row$"), ({"n_feature": 3}, r"\(instead of 'n_feature'\?\)")]
)
def test_a_plan_without_inputs_names_what_is_missing(given: dict[str, Any], hint: str) -> None:
    with pytest.raises(TypeError, match=f"n_features= is missing: .*{hint}"):
        ek.plan("rbp", budget=4, **given)


@pytest.mark.parametrize("history", ["x", [1]])
def test_history_of_another_type_is_refused(history: Any) -> None:
    with pytest.raises(TypeError, match="history must be True, False, 'auto' or None, got"):
        ek.Config("rbp", n_features=3, budget=5, history=history)


def test_a_range_beyond_float32_is_refused() -> None:
    with pytest.raises(ValueError, match=r"feature_range must be finite with low < high, got"):
        ek.Config("rbp", n_features=3, budget=4, dtype="int8", feature_range=(0.0, 1e39))


def test_a_ring_has_no_history_to_switch_off() -> None:
    with pytest.raises(TypeError, match="unknown parameter 'history' for rbp"):
        ek.Config("rbp", n_features=3, budget=5, history=False)
    with pytest.raises(TypeError, match="history=True is for 'sorf'"):
        ek.Config("rbp", n_features=3, budget=5, history=True)


def test_the_signature_has_the_arguments_of_a_configuration() -> None:
    """Those of the learner itself stand last; parameters of algorithms have names of their own."""
    of_config = inspect.signature(ek.Config.__init__).parameters
    of_learner = inspect.signature(ek.Learner).parameters
    *common, last = [*of_config][2:]
    assert [*of_learner][1:] == [*common, "buffer", last]
    assert of_learner["ram"].default is None
    with pytest.raises(TypeError, match="n_features"):
        inspect.signature(ek.Learner).bind("pa1")
    inspect.signature(BareLearner).bind("pa1", n_features=3, budget=5, C=2.0)


def test_any_number_may_be_the_learner_of_an_unknown_algorithm() -> None:
    """It is refused where the learner is built."""
    assert hosting.chooses_loss("pa1")
    assert not hosting.chooses_loss("bsgd")
    assert hosting.chooses_loss("bsgdd")
    assert [ask("bsgdd") for ask in (takes_history, chooses_loss, counts_mistakes)] == [0, 1, 0]
    assert [ask("sorf") for ask in (takes_history, chooses_loss)] == [1, 1]


RING = ek.Config("rbp", n_features=3, budget=5)._settings
SORF = ek.Config(n_features=3, D=64)._settings
LINEAR = ek.Config(n_features=3, budget=0, linear_group=True)._settings
FORECASTER = ek.Config(n_features=3, D=64, loss="square", history=True)._settings


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (replace(RING, lists={"blends": (0.0, 1.0)}), "a list of numbers is set but not used"),
        (replace(SORF, member=pt.Algorithm.OGD), "its parts are not those of sorf"),
        (replace(LINEAR, n_features=0), "only a forecaster has no inputs"),
        (replace(FORECASTER, lists={"interval": (0.9,)}), "a list of numbers is invalid"),
    ],
    ids=["a ring with a list", "parts of a ring", "no inputs", "a level that is the default"],
)
def test_a_configuration_of_a_file_is_checked(settings: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        settings.check()


def test_the_default_level_of_intervals_is_not_stored() -> None:
    options: dict[str, Any] = {"n_features": 3, "D": 64, "loss": "square", "history": True}
    assert same(ek.Config(**options, interval=0.9), ek.Config(**options))
    assert ek.Config(**options, interval=0.8)._settings.lists == {"interval": (0.8,)}


@pytest.mark.parametrize(
    ("name", "given"),
    [("blends", "ab"), ("blends", 1.0), ("blends", [0.0, None]), ("widths", 3), ("widths", [None])],
)
def test_lists_that_are_no_numbers_are_refused(name: str, given: Any) -> None:
    with pytest.raises(TypeError, match=f"{name} must be a sequence of numbers, got"):
        ek.Config(n_features=3, D=64, **{name: given})


def test_a_window_of_a_scaler_inside_is_said() -> None:
    config = ek.Config("ogd", n_features=3, budget=4, scale="standard", scale_window=777)
    assert config.options["scale_window"] == 777
    round_trip(config)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"scale.method": 4.0}, "inconsistent: scale.method is 4"),
        ({"scale.method": 9.0, "scale.clip": 2000.0}, "compact statistics do not suit its scaler"),
    ],
)
def test_a_scaler_inside_that_no_learner_has(values: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        preprocessing_from(values)
