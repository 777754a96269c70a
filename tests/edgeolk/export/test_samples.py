"""Windows exported with a learner: compiled here, with every option of the arena."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled

import edgeolk as ek
from edgeolk.windows import FEATURES

OPTIONS: dict[str, dict[str, Any]] = {
    "recommended": {"ram": "6KiB"},
    "float32": {"ram": "8KiB", "dtype": "float32"},
    "novelty": {"ram": "6KiB", "loss": "novelty"},
    "krls_t": {"algorithm": "krls_t", "budget": 12, "dtype": "float32"},
}


def sampled(board: Compiled, samples: np.ndarray, n_features: int) -> list[np.ndarray]:
    """The rows that samples complete."""
    board.c.ek_row.restype = ctypes.POINTER(ctypes.c_float)
    found = []
    for sample in samples:
        code = board.c.ek_sample(board.arena, sample.ctypes.data_as(ctypes.c_void_p))
        assert code in (0, 1)
        if code == 1:
            row = board.c.ek_row(board.arena)
            found.append(np.ctypeslib.as_array(row, (n_features,)).copy())
    return found


@pytest.mark.parametrize("scratch", ["stack", "arena"])
@pytest.mark.parametrize("dtype", ["int16", "float32"])
@pytest.mark.parametrize("key", OPTIONS)
@pytest.mark.spread(18)
def test_rows_are_those_of_the_library(key: str, dtype: str, scratch: str, tmp_path: Path) -> None:
    windows = ek.Windows(3, 64, 16, tuple(FEATURES), 400, dtype, envelope=True)
    options = dict(OPTIONS[key])
    learner = ek.Learner(options.pop("algorithm", None), n_features=windows.n_features, **options)
    if scratch == "arena" and key == "krls_t":
        pytest.skip("its scratch is on the stack")
    ek.export_c(learner, tmp_path, windows=windows, scratch=scratch)
    board = Compiled(tmp_path, learner, names=["samples.c"], windows=windows)
    samples = (np.random.default_rng(1).standard_normal((400, 3)) * 900).astype(dtype)
    rows = windows.feed_many(samples)
    found = sampled(board, samples, windows.n_features)
    assert np.array_equal(found, rows)
    assert len(rows) == 22
    for i, row in enumerate(rows):
        label = 1.0 if i % 3 else -1.0
        board.learn(row, label)
    board.c.ek_restart_samples(board.arena)
    assert np.array_equal(sampled(board, samples, windows.n_features), rows)
    assert board.untouched()


def test_what_does_not_fit_together_is_refused(tmp_path: Path) -> None:
    windows = ek.Windows(2, 32, 8, "level")
    wide = ek.Learner(n_features=6, ram="4KiB", dtype="float64")
    ring = ek.Learner("perceptron", n_features=6, budget=3, kernel=ek.Gaussian(1.0))
    with pytest.raises(ValueError, match=r"windows must have rows of 5 numbers.* got 6"):
        ek.export_c(ek.Learner(n_features=5, ram="2KiB"), tmp_path, windows=windows)
    with pytest.raises(ValueError, match=r"windows have rows of float32, got .*float64"):
        ek.export_c(wide, tmp_path, windows=windows)
    with pytest.raises(ValueError, match=r"learn on boards .* got perceptron"):
        ek.export_c(ring, tmp_path, windows=windows)
    with pytest.raises(TypeError, match=r"windows must be edgeolk.Windows, got int"):
        ek.export_c(ek.Learner(n_features=6, ram="2KiB"), tmp_path, windows=3)  # type: ignore
    assert list(tmp_path.iterdir()) == []


def test_a_prefix_is_that_of_samples_too(tmp_path: Path) -> None:
    windows = ek.Windows(2, 32, 8, "level")
    learner = ek.Learner(n_features=6, ram="2KiB")
    names = ek.export_c(learner, tmp_path, windows=windows, prefix="fan", with_=["cmake"])
    assert "fan_samples.c" in names
    assert "int fan_sample(void *arena" in (tmp_path / "fan.h").read_text()
    assert "fan_samples.c" in (tmp_path / "CMakeLists.txt").read_text()


def test_the_readme_compiles_all_sources_and_the_example_takes_samples(tmp_path: Path) -> None:
    windows = ek.Windows(2, 32, 8, "level")
    ek.export_c(ek.Learner(n_features=6, ram="2KiB"), tmp_path, windows=windows)
    text = (tmp_path / "README.md").read_text()
    assert "\ncc -std=c99 -O2 -o example main.c edgeolk.c model.c samples.c\n" in text
    assert "Compile `edgeolk.c`, `model.c` and `samples.c` with your program" in text
    assert "ek_sample(&arena, sample)" in (tmp_path / "main.c").read_text()


def test_scratch_in_the_arena_is_behind_the_windows(tmp_path: Path) -> None:
    windows = ek.Windows(2, 32, 8, "level")
    learner = ek.Learner(n_features=windows.n_features, ram="3KiB")
    ek.export_c(learner, tmp_path, windows=windows, scratch="arena")
    macros = dict(re.findall(r"#define (EK_\w+) (.+)", (tmp_path / "model.h").read_text()))
    start = int(macros["EK_AT_WINDOWS"].removesuffix("u"))
    assert macros["EK_AT_SCRATCH"] == f"{start + windows.plan.block_bytes}u"
    assert re.fullmatch(r"\((\d+)u \+ EK_SCRATCH_BYTES\)", macros["EK_ARENA_BYTES"])
