"""Windows of public recordings: bearings, which are read where there is a clone of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.windows import classes, sets

SIZE = 64


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Short recordings in the layout of the clone; each place of a fault has a frequency."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "cwru" / "Data"
    for load in ("1730", "1797"):
        (folder / f"{load} RPM").mkdir(parents=True)
        for at, fault in enumerate(("IR", "B", "OR@6", "OR@3")):
            for inches in ("7", "14", "28"):
                x = np.sin(np.arange(640) * (0.3 + 0.5 * at)) + 0.05 * rng.standard_normal(640)
                file = folder / f"{load} RPM" / f"{load}_{fault}_{inches}_DE12.npz"
                np.savez(file, DE=x[:, None], FE=np.zeros((640, 1)))
    monkeypatch.setenv("EDGEOLK_DATA", str(tmp_path))
    return folder


@pytest.mark.parametrize(
    ("held_out", "groups"), [("load", ["1730", "1797"]), ("size", ["14", "7"])]
)
def test_bearings_are_read_by_place_load_and_size(
    place: Path, held_out: str, groups: list[str]
) -> None:
    rows = sets.bearings(place, held_out, size=SIZE, hop=SIZE)
    assert sets.bearings_folder() == place
    assert len(rows.X) == 2 * 3 * 2 * 10  # loads, places, sizes that all have, windows
    assert np.unique(rows.group).tolist() == groups
    assert np.bincount(rows.y).tolist() == [40, 40, 40]


def test_each_group_is_answered_by_learners_of_the_others(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(classes.SEEDS) >= 3
    monkeypatch.setattr(classes, "SEEDS", range(1))
    rows = sets.bearings(place, "load", size=SIZE, hop=SIZE)
    answers, taken = classes.answered(rows, ["1730", "1797"])
    truth, found = answers["sorf, 16 KiB in all, 5 passes"][0]
    assert len(truth) == len(rows.y)
    assert np.mean(truth == found) > 0.9
    assert taken["sorf, 4 KiB in all, 1 pass"] <= 4096
    assert "random forest, 100 trees" in answers


def test_without_a_clone_they_are_left_out_and_the_page_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDGEOLK_DATA", str(tmp_path))
    assert sets.bearings_folder() is None
    monkeypatch.setattr(classes, "all_sets", dict)
    measured, published = classes.run(())[0]
    assert "there is no clone of github.com/srigas/CWRU_Bearing_NumPy" in measured.note
    assert all("arXiv" in row[3] for row in published.rows)
