"""Frames of the calling program: their cells are read like those of a file."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import firmware_sim as fs
from firmware_sim.errors import StreamError
from firmware_sim.report import to_text
from firmware_sim.streams import open_stream
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.streams.tables import Frame

N = 400
START = datetime(2024, 3, 1)
TIMES = [START + timedelta(minutes=10 * i) for i in range(N)]
RNG = np.random.default_rng(3)
TEMP = (20 + 5 * np.sin(np.arange(N) / 23) + RNG.normal(size=N) / 3).tolist()
HUM: list[float | None] = RNG.normal(50, 3, N).tolist()
HUM[5] = None
PUMP = [temp > 21 for temp in TEMP]
COLUMNS: dict[str, list[Any]] = {"time": TIMES, "temp": TEMP, "hum": HUM, "label": PUMP}
UNLABELLED = ReadingOptions(labelled=False)


class Series:
    """As much of a column of polars as is used."""

    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def to_list(self) -> list[Any]:
        return self._values


class Polars:
    """As much of a frame of polars as is used."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._held, self.columns = columns, [*columns]
        self.shape = (len(next(iter(columns.values()))), len(columns))

    def get_columns(self) -> list[Series]:
        return [*map(Series, self._held.values())]


def real_polars(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(columns)


def indexed(columns: dict[str, list[Any]]) -> Any:
    return pd.DataFrame(columns).set_index("time")


makers = pytest.mark.parametrize(
    "make", [pd.DataFrame, Polars, real_polars, indexed], ids=["pandas", "like", "polars", "index"]
)


@makers
def test_a_frame_is_read_like_a_file(tmp_path: Path, make: Any) -> None:
    path = tmp_path / "log.csv"
    pd.DataFrame(COLUMNS).to_csv(path, index=False)
    frame, file = Frame(make(COLUMNS)), str(path)
    for options in ({"target": "label"}, {"target": "temp"}, {"labelled": False, "clock": True}):
        found, expected = open_stream(frame, **options), open_stream(file, **options)  # type: ignore[arg-type]
        assert (found.target, found.features) == (expected.target, expected.features)
        for one, other in zip(found.blocks(), expected.blocks(), strict=True):
            np.testing.assert_array_equal(one.rows, other.rows)
            np.testing.assert_array_equal(one.seconds, other.seconds)
            labels = [
                block.labels.words[at] for block in (one, other) for at in block.labels.places
            ]
            assert labels[:N] == labels[N:]


@makers
def test_a_replay_takes_a_frame(tmp_path: Path, make: Any) -> None:
    """Target and kind are found as on the command line."""
    path = tmp_path / "log.csv"
    pd.DataFrame(COLUMNS).to_csv(path, index=False)
    found, expected = fs.replay(make(COLUMNS), ram="4KiB"), fs.replay(path, ram="4KiB")
    assert (found.config.target, found.config.kind) == ("label", "binary")
    assert found.metrics.summary() == expected.metrics.summary()
    assert (found.rows.used, found.rows.missing, found.period) == (N - 1, 1, 600.0)
    assert "column 'label' is the target; choose another with --target" in found.stream.notes
    forecast = fs.replay(make(COLUMNS), target="temp", ram="4KiB", params={"history": True})
    assert forecast.config.kind == "regression"


def test_an_index_that_counts_rows_is_no_column() -> None:
    frame = pd.DataFrame(COLUMNS)
    assert fs.replay(frame.iloc[50:], ram="4KiB").stream.features == ("temp", "hum")
    named = frame.rename_axis("row").drop(columns="time")
    assert Frame(named).open(UNLABELLED).features[0] == "row"


@pytest.mark.parametrize("what", [[1, 2], {"a": [1]}, np.zeros((3, 2)), pd.Series([1.0]), None, 3])
def test_what_is_no_frame_is_refused(what: Any) -> None:
    with pytest.raises(StreamError, match=f"stream is a {type(what).__name__}; it must be a path"):
        fs.replay(what)


def test_options_belong_to_a_stream() -> None:
    with pytest.raises(TypeError, match="options belong to a stream"):
        fs.replay(fs.ReplayConfig("occupancy"), ram="4KiB")
    with pytest.raises(fs.SimulatorError, match=r"'targt' is no option of a replay \(did you mean"):
        fs.replay(pd.DataFrame(COLUMNS), targt="label")
    with pytest.raises(StreamError, match=r"frame has no column 'tmp' \(did you mean 'temp'\?\)"):
        fs.replay(pd.DataFrame(COLUMNS), target="tmp")


def test_a_configuration_of_a_frame_prints_no_data() -> None:
    config = fs.ReplayConfig(pd.DataFrame(COLUMNS), target="label")
    assert "<frame of 400 rows and 4 columns>" in repr(config)
    result = fs.replay(config)
    result.config.pinned()
    assert "python -m firmware_sim" not in to_text(result)


def test_other_names_than_texts() -> None:
    rows = pd.DataFrame(np.column_stack([TEMP, RNG.normal(size=N), PUMP]))
    stream = Frame(rows).open(UNLABELLED)
    assert stream.features == ("0", "1", "2")
