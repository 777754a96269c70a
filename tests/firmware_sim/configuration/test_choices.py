"""Names as a user writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.comparison import compare
from firmware_sim.configuration.values import canonical
from firmware_sim.device.planning import make_kernel
from firmware_sim.report import to_dict, to_text


def test_names_are_those_of_the_library() -> None:
    assert canonical("RBP") == canonical("rbp") == "rbp"
    assert canonical("Unheard") == "Unheard"  # as given, for the message that refuses it


def test_kernels_have_the_defaults_of_the_library() -> None:
    kernels: dict[str, ek.Polynomial | ek.Sigmoid] = {
        "polynomial": ek.Polynomial(scale=0.5),
        "sigmoid": ek.Sigmoid(scale=0.5),
    }
    for name, expected in kernels.items():
        plain = fs.ReplayConfig("occupancy", algorithm="rbp", kernel=name, gamma=0.5, limit=50)
        assert make_kernel(plain, 5, list)[0] == expected
        other = fs.ReplayConfig(
            "occupancy", algorithm="rbp", kernel=name, gamma=0.5, offset=0.25, limit=50
        )
        assert make_kernel(other, 5, list)[0].offset == 0.25
        for config, offset in ((plain, expected.offset), (other, 0.25)):
            assert to_dict(fs.replay(config))["learner"]["offset"] == offset


def test_replay_and_comparison_take_names_alike(tmp_path: Path) -> None:
    mine = fs.ReplayConfig("occupancy", algorithm="RBP", ram="4KiB", limit=200)
    result = fs.replay(mine)
    assert to_dict(result)["learner"]["algorithm"] == "rbp"
    assert "learner   rbp:" in to_text(result)
    found = compare(mine, ["4KiB"], ["RBP", "rbp", "Bpa_S"], folder=tmp_path, workers=1, seeds=1)
    assert sorted(found.algorithms) == ["bpa_s", "default", "rbp"]
    assert len(found.outcomes) == 3
    with pytest.raises(fs.SimulatorError, match="algorithm 'RPB' is not one of"):
        compare(mine, ["4KiB"], ["RPB"], folder=tmp_path, workers=1)
