"""Columns as a user names them: times, text as categories, what is left out."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.errors import StreamError
from firmware_sim.kinds.regression import Targets
from firmware_sim.streams import CsvStream, open_stream
from firmware_sim.streams.block import NumberCells

TEXT = "when,wind,t,y\n" + "".join(
    f"2020-01-01 00:{i:02d},{wind},{i},{i % 2}\n"
    for i, wind in enumerate(["N", "N", "S", "N", "S", "W", "", "E"])
)


def table(folder: Path, text: str = TEXT, **options: object) -> CsvStream:
    path = folder / "s.csv"
    path.write_text(text)
    return CsvStream(path, target="y", **options)


def rows(stream: fs.Stream) -> list[list[float]]:
    row = np.empty(len(stream.features))
    return [row.tolist() for _ in stream.samples(row)]


def test_onehot_has_a_fixed_size_and_the_commonest_words(tmp_path: Path) -> None:
    stream = table(tmp_path, categories="onehot", category_slots=2)
    assert stream.features == ("wind=N", "wind=S", "t")
    got = rows(stream)
    assert got[0] == [1, 0, 0]
    assert got[2] == [0, 1, 2]
    assert got[5] == [0, 0, 5]  # W is beyond the two slots
    assert math.isnan(got[6][0])
    assert got[6][1:] == [0, 6]
    assert "column 'wind' holds text and gives 2 readings of 0 or 1" in stream.notes
    assert table(tmp_path, categories="onehot").features[:4] == (
        *("wind=N", "wind=S", "wind=E", "wind=W"),
    )


def test_hashed_words_need_no_table(tmp_path: Path) -> None:
    stream = table(tmp_path, categories="hash", category_slots=4)
    assert stream.features == ("wind#0", "wind#1", "wind#2", "wind#3", "t")
    got = rows(stream)
    assert got[0][:4] == got[1][:4] == got[3][:4]  # the same word, the same slot
    assert sum(got[0][:4]) == sum(got[7][:4]) == 1.0


def test_word_that_comes_later_fits_into_what_there_is(tmp_path: Path) -> None:
    text = TEXT + "".join(f"2020-01-01 01:00,N,{i},1\n" for i in range(300))
    for categories, total in (("onehot", 0.0), ("hash", 1.0)):
        late = table(tmp_path, text + "2020-01-01 02:00,late,9,1\n", categories=categories)
        assert sum(rows(late)[-1][:-1]) == total


def test_seconds_of_rows(tmp_path: Path) -> None:
    stream = table(tmp_path, ignore=["wind"])
    times = [sample.seconds for sample in stream.samples(np.empty(1))]
    assert np.diff(times).tolist() == [60.0] * 7


def test_time_column_by_name(tmp_path: Path) -> None:
    text = "n,a,time,y\n" + "".join(f"{i},{i % 3},{2 * i},{i % 2}\n" for i in range(9))
    chosen = table(tmp_path, text, time="n")
    assert chosen.features == ("a",)
    assert [s.seconds for s in chosen.samples(np.empty(1))] == list(range(9))
    assert table(tmp_path, text).features == ("n", "a")
    assert table(tmp_path, text, time="none").features == ("n", "a", "time")
    with pytest.raises(StreamError, match="no column 'clock'"):
        table(tmp_path, text, time="clock")
    with pytest.raises(StreamError, match="'wind' holds no dates or times"):
        table(tmp_path, time="wind")


@pytest.mark.parametrize(("name", "first"), [("", 0), ("", 1), ("Unnamed: 0", 7)])
def test_index_is_no_reading(tmp_path: Path, name: str, first: int) -> None:
    lines = [f"{first + i},{i % 3},{i % 2}\n" for i in range(20)]
    stream = table(tmp_path, f"{name},a,y\n" + "".join(lines))
    assert stream.features == ("a",)
    assert stream.ignored == (name,)
    assert stream.notes == (
        f"column {name!r} counts the rows and is not an input; to use it, give it a name",
    )
    assert rows(stream)[:4] == [[0.0], [1.0], [2.0], [0.0]]
    assert not table(tmp_path, f"{name},a,y\n" + "".join(lines), ignore=(name,)).notes


def test_column_that_only_looks_like_an_index_is_a_reading(tmp_path: Path) -> None:
    counted = "".join(f"{i},{i % 3},{i % 2}\n" for i in range(20))
    assert table(tmp_path, "n,a,y\n" + counted).features == ("n", "a")
    other = "".join(f"{i * i},{i % 3},{i % 2}\n" for i in range(20))
    stream = table(tmp_path, ",a,y\n" + other)
    assert stream.features == ("", "a")
    assert "column 1 has no name and is fed to the learner" in stream.notes[0]


def test_options_reach_the_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.csv"
    path.write_text(TEXT)
    base = ["replay", str(path), "--target", "y", "--out", str(tmp_path / "out"), "--no-picture"]
    assert main([*base, "--categories", "refuse"]) == 2
    assert "--categories onehot" in capsys.readouterr().err
    assert main(base) == 0
    assert "column 'wind' holds text" in capsys.readouterr().out
    assert main([*base, "--categories", "onehot", "--category-slots", "3"]) == 0
    out = capsys.readouterr().out
    assert "note      column 'wind' holds text and gives 3 readings of 0 or 1" in out
    assert "note      column 'when' holds times and is not an input" in out
    assert main([*base, "--categories", "hash", "--category-slots", "0"]) == 2
    assert "category-slots is 0" in capsys.readouterr().err


def test_bundled_stream_with_options() -> None:
    stream = open_stream("occupancy", time="datetime")
    assert len(stream.features) == 5
    first, second = (sample.seconds for sample in islice(stream.samples(np.empty(5)), 2))
    assert 59 <= second - first <= 61


def test_the_time_of_day_and_of_the_week_as_readings(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(
        "at,a,y\n2024-03-04 00:00,1,1\n2024-03-04 06:00,2,0\n2024-03-11 06:00,3,1\n,4,1\n"
        "2024-03-05 12:00,5,0\n"
    )
    stream = CsvStream(path, target="y", clock=True)
    names = ("a", "at:day_sin", "at:day_cos", "at:week_sin", "at:week_cos")
    assert stream.features == names
    row = np.empty(5)
    rows = [row.copy() for _ in stream.samples(row)]
    np.testing.assert_allclose([r[1:3] for r in rows[:3]], [[0, 1], [1, 0], [1, 0]], atol=1e-9)
    np.testing.assert_allclose(rows[4][1:3], [0, -1], atol=1e-9)
    np.testing.assert_allclose(rows[1][3:], rows[2][3:], atol=1e-9)  # a week later
    assert np.hypot(*(rows[4][3:] - rows[1][3:])) > 0.5
    assert np.isnan(rows[3][1:]).all()
    assert "column 'at' gives the time of day and of the week, 4 readings" in stream.notes
    path.write_text("b,a,y\n2,1,1\n1,2,0\n")
    with pytest.raises(StreamError, match="--clock needs a column of times"):
        CsvStream(path, target="y", clock=True)


def test_a_habit_of_the_hour_is_learned_by_the_clock(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rng = np.random.default_rng(0)
    start = np.datetime64("2024-03-04T00:00")
    lines = [
        f"{start + np.timedelta64(i, 'h')},{rng.normal():.3f},{int(7 <= i % 24 < 17)}"
        for i in range(1500)
    ]
    path.write_text("\n".join(["at,a,y", *lines]) + "\n")
    wrong = {}
    for clock in (False, True):
        config = fs.ReplayConfig(str(path), target="y", ram="4KiB", clock=clock)
        wrong[clock] = fs.replay(config).metrics.loss("learner")
    assert wrong[True] < 0.33 * wrong[False]
    words = ["replay", str(path), "--target", "y", "--clock", "--quiet", "--no-picture", "--out"]
    assert main([*words, str(tmp_path / "o")]) == 0
    assert "--clock" in (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    config = fs.ReplayConfig(str(path), target="y", ram="1KiB", clock=True, limit=1200)
    share = 100 * fs.replay(config).metrics.loss("learner") / 1200
    more = ["--target", "y", "--clock", "--limit", "1200", "--ram", "1KiB", "--quiet"]
    ways = {"compare": ["--algorithms", "rbp", "--seeds", "1"], "tune": ["--candidates", "2"]}
    for command, own in ways.items():
        assert main([command, str(path), *more, *own, "--out", str(tmp_path / command)]) == 0
        assert f"{share:.2f}" in (tmp_path / command / f"{command}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("odd", ["", "n/a", "1_000", "oops", "-5e-3"])
def test_targets_that_are_numbers_are_read_with_the_readings(tmp_path: Path, odd: str) -> None:
    texts = [f" {t}.50" if t % 2 else repr(t / 7) for t in range(400)]
    texts[300] = odd
    text = "x,y\n" + "".join(f"{t},{target}\n" for t, target in enumerate(texts))
    found = []
    for alone in (True, False):
        (block,) = table(tmp_path, text, alone=alone).blocks()
        assert block.rows[:, 0].tolist() == [*range(400)]
        words, places = block.labels.words, block.labels.places.tolist()
        assert isinstance(words, NumberCells) == (alone and odd == "-5e-3")
        assert [words[at] for at in places] == texts
        numbers = Targets().numbers(block.labels)
        found.append(None if numbers is None else numbers[places].tolist())
    assert found[0] == found[1]
    assert found[0] is None or found[0][300] == float(odd)


def test_times_of_a_record_may_be_taken_as_readings(tmp_path: Path) -> None:
    path, record = tmp_path / "s.csv", tmp_path / "s.toml"
    path.write_text("time,a,y\n" + "".join(f"{1.7e9 + i:.0f},{i},{i % 2}\n" for i in range(30)))
    stream = open_stream(str(path), target="y")
    assert stream.features == ("a",)
    record.write_text(stream.reading.understood.to_toml())  # type: ignore[attr-defined]
    stream = open_stream(str(path), target="y", time="none", understood=str(record))
    assert stream.features == ("time", "a")
    assert next(stream.blocks()).rows[:2].tolist() == [[1.7e9, 0.0], [1.7e9 + 1, 1.0]]
