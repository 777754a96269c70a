"""Exported learners that learn: the bits of the library, over real streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled, signs, stream
from helpers import by_variant, few_first

import edgeolk as ek

ROWS = 2500
#: What is exported, and the stream it learns.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "recommended": ("occupancy", {"ram": "4KiB"}),
    "recommended, 24 inputs": ("robot", {"ram": "6KiB", "seed": 2**63 + 5}),
    "all candidates": (
        "robot",
        {"algorithm": "sorf", "D": 200, "linear": True, "last_label": True, "groups": 2,
         "gamma": "auto", "gamma_rows": 64, "scale": "minmax", "freeze_after": 900},
    ),
    "given width": (
        "occupancy",
        {"algorithm": "sorf", "D": 130, "scale": "standard", "kernel": ek.Gaussian(0.4)},
    ),
    "rows as they are": ("occupancy", {"algorithm": "sorf", "D": 70, "kernel": ek.Gaussian(1e-4)}),
    "bounded rows": ("robot", {"algorithm": "sorf", "D": 100, "scale": "minmax", "clip_rows": 2.0,
                               "gamma": "auto", "gamma_rows": 50}),
    "bounded as they are": ("occupancy", {"algorithm": "sorf", "D": 70, "clip_rows": 300.0,
                                          "kernel": ek.Gaussian(1e-4)}),
    "large angles": ("occupancy", {"algorithm": "sorf", "D": 70, "kernel": ek.Gaussian(1e6)}),
    "float32": ("occupancy", {"ram": "8KiB", "dtype": "float32"}),
    "float64": ("occupancy", {"ram": "8KiB", "dtype": "float64", "checksums": True}),
    "kept features": ("robot", {"algorithm": "sorf", "D": 140, "scratch": "row",
                                "scale": "standard"}),
    "classes": (
        "robot", {"algorithm": "sorf", "D": 130, "n_classes": 3, "scale": "standard", "groups": 2,
                  "last_label": True}
    ),
    "regression": ("house", {"algorithm": "sorf", "D": 130, "loss": "square", "gamma": "auto",
                             "scale": "standard", "linear": True}),
    "first rows": ("robot", {"algorithm": "sorf", "D": 100, "gamma": "auto", "gamma_rows": 100}),
    "held, all candidates": ("robot", {"algorithm": "sorf", "D": 130, "linear": True,
                                       "last_label": True, "relevance": True}),
    "held, wide": ("robot", {"algorithm": "sorf", "D": 130, "linear": True, "dtype": "float64"}),
    "one scale": ("robot", {"algorithm": "sorf", "D": 130, "scale": "common",
                            "freeze_after": 900}),
    "one scale, wide": ("occupancy", {"algorithm": "sorf", "D": 90, "scale": "common",
                                      "dtype": "float64", "kernel": ek.Gaussian(0.4)}),
    "bits": ("bits", {"algorithm": "sorf", "D": 130, "linear": True}),
    "bits, then a third number": ("half", {"algorithm": "sorf", "D": 130, "relevance": True}),
    "drift": ("drifts", {"algorithm": "sorf", "D": 130}),
    "drift, one width": ("drifts", {"algorithm": "sorf", "D": 130, "relevance": "shared",
                                    "leak": 0.016, "groups": 2, "linear": True}),
    "drift, wide": ("drifts", {"algorithm": "sorf", "D": 130, "dtype": "float64",
                               "relevance": "shared", "last_label": True}),
    "drift, classes": ("drifts", {"algorithm": "sorf", "D": 130, "n_classes": 3}),
    "drift of bits": ("drifting bits", {"algorithm": "sorf", "D": 130, "freeze_after": 900}),
    "drift, one scale": ("drifts", {"algorithm": "sorf", "D": 130, "scale": "common",
                                    "relevance": "shared"}),
    "linear alone": ("robot", {"D": 0, "linear_group": True}),
    "linear alone, targets": ("house", {"D": 0, "linear_group": True, "loss": "square"}),
    "linear, last weights": ("robot", {"D": 0, "linear_group": "last", "n_classes": 3,
                                       "drift": False, "constant": False, "scale": "common"}),
    "linear beside": ("robot", {"algorithm": "sorf", "D": 70, "linear_group": True,
                                "n_classes": 3, "relevance": True, "leak": 0.016}),
    "linear beside, streamed": ("occupancy", {"algorithm": "sorf", "D": 70, "drift": False,
                                              "linear_group": True, "relevance": False}),
    "no constant": ("occupancy", {"algorithm": "sorf", "D": 70, "constant": False}),
    "memory": ("occupancy", {"algorithm": "sorf", "D": 70, "memory": 90, "relevance": True}),
    "memory, wide": ("robot", {"algorithm": "sorf", "D": 70, "memory": 300, "dtype": "float64",
                               "gamma": "auto", "gamma_rows": 100, "scale": "standard"}),
    "memory, classes": ("drifts", {"algorithm": "sorf", "D": 70, "n_classes": 3, "memory": 40,
                                   "last_label": True}),
    "memory, robot": ("robot", {"algorithm": "sorf", "D": 70, "n_classes": 3, "memory": 300}),
    "memory, narrow": ("occupancy", {"algorithm": "sorf", "D": 70, "memory": 90,
                                     "memory_narrow": True}),
    "memory, narrow, classes": ("robot", {"algorithm": "sorf", "D": 70, "n_classes": 3,
                                          "memory": 300, "memory_narrow": True}),
    "memory, float32": ("robot", {"algorithm": "sorf", "D": 70, "n_classes": 3, "memory": 65,
                                  "dtype": "float32"}),
    "novelty": ("office", {"algorithm": "sorf", "D": 200, "loss": "novelty", "gamma": "auto",
                           "scale": "standard"}),
    "novelty in time": ("office", {"D": 192, "loss": "novelty", "history": True}),
    "novelty in time, float64": ("robot", {"D": 64, "loss": "novelty", "history": True,
                                           "dtype": "float64"}),
}  # fmt: skip


#: By day each kind of candidate, number, scale, label and state.
DAY = (
    "recommended", "all candidates", "bounded rows", "float32", "float64", "classes", "regression",
    "held, all candidates", "one scale", "bits, then a third number", "drift, one width",
    "drift, classes", "linear alone", "linear, last weights", "linear beside", "memory",
    "memory, wide", "novelty", "novelty in time",
)  # fmt: skip


def readings(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A stream, or one made of it: which readings are above their medians ("bits"), a third number
    among these ("half"); in any order,
    labels that flip after 1,400 rows, and other readings from row 2,100 on
    ("drifts", "drifting bits")."""
    if name not in ("bits", "half", "drifts", "drifting bits"):
        return stream(name, ROWS)
    X, y = stream("occupancy" if name == "drifts" else "robot", ROWS)
    if name != "drifts":
        X = (np.median(X, axis=0) < X).astype(X.dtype)
    if name == "half":
        X[ROWS // 3, 1] = 0.5
    if name.startswith("drift"):
        late = np.arange(ROWS) >= 1400
        X = X[np.random.default_rng(0).permutation(ROWS)]
        total = X.sum(axis=1)
        y = np.where(late, -1.0, 1.0) * np.where(total > np.median(total), 1.0, -1.0)
        X[2100:] *= 0.02
    return X, y


def rows_of(key: str) -> tuple[np.ndarray, np.ndarray]:
    """The rows, and a label for each, where there are labels."""
    name, options = CASES[key]
    X, y = readings(name)
    if "n_classes" in options:
        return X, (y > 0) + 1.0 * (X[:, 0] > np.median(X[:, 0]))
    return X, y if options.get("loss") in ("square", "novelty") else signs(y)


def made(key: str) -> ek.Learner:
    options = dict(CASES[key][1])
    X, _ = readings(CASES[key][0])
    return ek.Learner(options.pop("algorithm", None), n_features=X.shape[1], **options)


def in_child(target: str) -> None:
    """Scores before each row, scores of the first rows afterwards, and the model file."""
    found = {}
    for key in CASES:
        learner, (X, y) = made(key), rows_of(key)
        labels = [()] * len(y) if not learner._config.needs_labels else [(v,) for v in y]
        found[f"{key}: said"] = np.array(
            [learner.learn_one(x, *label) for x, label in zip(X, labels, strict=True)]
        )
        found[f"{key}: afterwards"] = np.array(
            [
                learner.scores_one(x) if learner._config.columns > 1 else [learner.decision_one(x)]
                for x in X[:50]
            ]
        )
        found[f"{key}: labels"] = np.array([learner.predict_one(x) for x in X[:50]])
        found[f"{key}: file"] = np.frombuffer(learner.__reduce__()[1][0], np.uint8)
    np.savez(target, **found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scalar")


def compiled(learner: ek.Learner, folder: Path, **how: Any) -> Compiled:
    ek.export_c(learner, folder)
    try:
        return Compiled(folder, learner, **how)
    except FileNotFoundError as missing:
        pytest.skip(f"no {missing}")


@pytest.mark.parametrize("key", few_first(CASES, DAY))
@pytest.mark.spread(21)
def test_learns_to_the_bit(key: str, folder: Path, tmp_path: Path) -> None:
    """Every score, every stored byte, over thousands of real rows; nothing beside the arena."""
    expected = {name: by_variant(__file__, "scalar", folder)[f"{key}: {name}"]
                for name in ("said", "afterwards", "labels", "file")}  # fmt: skip
    learner, (X, y) = made(key), rows_of(key)
    board = compiled(learner, tmp_path)
    assert len(X) >= ROWS
    assert np.array_equal([board.learn(*row) for row in zip(X, y, strict=True)], expected["said"])
    file = bytes(expected["file"])
    assert board.file(len(file)) == file
    assert np.array_equal([board.scores(x) for x in X[:50]], expected["afterwards"])
    assert np.array_equal([board.predict(x) for x in X[:50]], expected["labels"])
    assert board.file(len(file)) == file
    assert board.untouched()
    reader = ek.Learner._from_block(file)
    assert board.counts()[:3] == [reader.steps, reader.mistakes, reader.updates]
    assert board.counts()[4] == reader.alarms
    assert board.counts()[5] == reader.n_remembered
    if key.startswith("drift"):
        assert reader.alarms > 0


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(
    "flags",
    [
        pytest.param(("-O0",), marks=pytest.mark.slow),
        ("-O3", "-march=native"),
        pytest.param(("-std=gnu11", "-O2", "-march=native"), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_no_compiler_changes_a_bit(
    compiler: str, flags: tuple[str, ...], folder: Path, tmp_path: Path
) -> None:
    """Multiply-adds of the processor, and the GNU dialect that would use them."""
    key = "recommended"
    (X, y), learner = rows_of(key), made(key)
    board = compiled(learner, tmp_path, compiler=compiler, flags=flags)
    expected = by_variant(__file__, "scalar", folder)
    said = [board.learn(*row) for row in zip(X, y, strict=True)]
    assert np.array_equal(said, expected[f"{key}: said"])
    file = bytes(expected[f"{key}: file"])
    assert board.file(len(file)) == file


def test_goes_on_where_the_learner_was(folder: Path, tmp_path: Path) -> None:
    """Exported half way; and back half way, both to the same end. Before the width and after."""
    (X, y), key = rows_of("recommended"), "recommended"
    file = bytes(by_variant(__file__, "scalar", folder)[f"{key}: file"])
    for half in (40, 1200):
        learner = made(key)
        learner.learn_many(X[:half], y[:half])
        board = compiled(learner, tmp_path / str(half), offset=half % 7 + 1)
        for x, label in zip(X[half:1500], y[half:1500], strict=True):
            board.learn(x, label)
        back = ek.Learner._from_block(board.file(len(file)))
        assert back.steps == 1500
        back.learn_many(X[1500:], y[1500:])
        # Weights are those of any variant.
        assert np.array_equal(back.weights_, ek.Learner._from_block(file).weights_)
        assert board.untouched()


def test_bad_rows_change_nothing(tmp_path: Path) -> None:
    """As the library: refused, or counted where bad rows are left out."""
    X, y = stream("occupancy", 200)
    for more in ({}, {"on_bad_row": "skip"}):
        learner = ek.Learner(n_features=5, ram="3KiB", **more)
        board = compiled(learner, tmp_path / str(len(more)))
        for row in zip(X, signs(y), strict=True):
            board.learn(*row)
            learner.learn_one(*row)
        bad = [(X[0] * np.nan, 1.0), (X[0] + np.inf, 1.0), (X[0], np.nan)]
        size = len(learner.__reduce__()[1][0])
        before = board.file(size)
        for x, label in bad:
            with pytest.raises(ValueError, match="-"):
                board.learn(x, label)
            if more:
                assert np.isnan(learner.learn_one(x, label))
        with pytest.raises(ValueError, match="-2"):
            board.learn(X[0], 0.5)
        with pytest.raises(ValueError, match="-2"):
            board.learn(X[0], 1.0, weight=-1.0)
        with pytest.raises(ValueError, match="-2"):
            board.learn(X[0], 1.0, weight=1.001e6)
        with pytest.raises(ValueError, match="-1"):
            board.scores(X[0] * np.nan)
        if more:
            assert board.file(size) == learner.__reduce__()[1][0]
            assert board.counts()[3] == 3
        else:
            assert board.file(size) == before


def test_weighted_rows(tmp_path: Path) -> None:
    """What a row counts; stored weights of int8 are those of every variant."""
    X, y = stream("occupancy", 600)
    learner = ek.Learner("sorf", n_features=5, D=100, scale="standard")
    board = compiled(learner, tmp_path)
    for i, (x, label) in enumerate(zip(X, signs(y), strict=True)):
        weight = (0.5, 1.0, 3.0)[i % 3]
        board.learn(x, label, weight)
        learner.learn_one(x, label, weight=weight)
    back = ek.Learner._from_block(board.file(len(learner.__reduce__()[1][0])))
    assert np.array_equal(back.weights_, learner.weights_)


WHOLE = ("recommended", "classes", "regression", "memory", "drift, one width")


@pytest.mark.parametrize(
    "key",
    few_first(
        [
            *WHOLE,
            "recommended, 24 inputs",
            "memory, robot",
            "memory, narrow",
            "memory, narrow, classes",
            "drift",
        ],
        WHOLE,
    ),
)
@pytest.mark.spread(6)
def test_whole_numbers_decide_alike(key: str, tmp_path: Path) -> None:
    """For cores without floats: features some thousandths away, other draws, as few errors."""
    (X, y), learner = rows_of(key), made(key)
    board = compiled(learner, tmp_path, flags=("-DEK_FIXED",))
    said = np.array([board.learn(*row) for row in zip(X, y, strict=True)])
    expected = learner.learn_many(X, y)
    if key == "regression":
        wrong = [float(np.mean(np.abs(each - y))) for each in (said, expected)]
    else:
        wrong = [board.counts()[1] / ROWS, learner.mistakes / ROWS]
    assert wrong[0] < 1.1 * wrong[1] + 0.005
    assert board.counts()[4] == learner.alarms
    assert board.untouched()
    # The same state, scored either way.
    back = ek.Learner._from_block(board.file(len(learner.__reduce__()[1][0])))
    scores = np.array([board.scores(x) for x in X[:200]])
    many = back._config.columns > 1
    exact = np.array([back.scores_one(x) if many else [back.decision_one(x)] for x in X[:200]])
    assert np.abs(scores - exact).max() < 0.05 * np.abs(exact).mean()
