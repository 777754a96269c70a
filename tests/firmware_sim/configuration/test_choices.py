"""Names as a user writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

import firmware_sim as fs
from firmware_sim.comparison import compare
from firmware_sim.configuration.choices import canonical
from firmware_sim.report import to_dict, to_text


def test_names_are_those_of_the_library() -> None:
    assert canonical("RBP") == canonical("rbp") == "rbp"
    assert canonical("Unheard") == "Unheard"  # as given, for the message that refuses it


def test_replay_and_comparison_take_names_alike(tmp_path: Path) -> None:
    mine = fs.ReplayConfig("occupancy", algorithm="RBP", ram="4KiB", limit=200)
    result = fs.replay(mine)
    assert to_dict(result)["learner"]["algorithm"] == "rbp"
    assert "learner   rbp:" in to_text(result)
    found = compare(mine, ["4KiB"], ["RBP", "rbp", "Bpa_S"], folder=tmp_path, workers=1, seeds=1)
    assert sorted(found.algorithms) == ["bpa_s", "rbp"]
    assert len(found.outcomes) == 2
    with pytest.raises(fs.SimulatorError, match="algorithm 'RPB' is none of"):
        compare(mine, ["4KiB"], ["RPB"], folder=tmp_path, workers=1)
