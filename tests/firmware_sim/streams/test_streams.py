"""CSV streams: cells, columns, compression, damage; and what labels mean."""

from __future__ import annotations

import gzip
import hashlib
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.errors import SimulatorError, StreamError
from firmware_sim.kinds.two_classes import LabelMap
from firmware_sim.streams import BUNDLED, CsvStream, open_stream

TEXT = "time,a,b,label\n10:00,1,2.5,1\n10:01,,nan,-1\n10:02,-3e2, 4 ,1\n"


def write(folder: Path, content: str | bytes, name: str = "s.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(stream: CsvStream) -> tuple[list[tuple[int, str]], np.ndarray]:
    row = np.empty(len(stream.features))
    seen, rows = [], []
    for sample in stream.samples(row):
        seen.append((sample.number, sample.label))
        rows.append(row.copy())
    return seen, np.array(rows)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_rows_in_order(tmp_path: Path, packed: bool, end: str, mark: str) -> None:
    content = (mark + TEXT.replace("\n", end)).encode()
    # The name says nothing about compression.
    path = write(tmp_path, gzip.compress(content) if packed else content)
    stream = CsvStream(path, target="label", ignore=["time"])
    assert stream.features == ("a", "b")
    assert stream.ignored == ("time",)
    assert stream.count() == 3
    for _ in range(2):  # from the first row, as often as wanted
        seen, rows = read(stream)
        assert seen == [(1, "1"), (2, "-1"), (3, "1")]
        np.testing.assert_array_equal(rows, [[1, 2.5], [np.nan, np.nan], [-300, 4]])


def test_blank_lines_and_quotes(tmp_path: Path) -> None:
    stream = CsvStream(write(tmp_path, 'a,"b, c",y\n\n"1","2",1\n\n3,4,0\n\n'), target="y")
    assert stream.features == ("a", "b, c")
    seen, rows = read(stream)
    assert [number for number, _ in seen] == [1, 2]
    assert stream.count() == 2
    np.testing.assert_array_equal(rows, [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    "word", ["", " ", "NA", "n/a", "NaN", "null", "None", "unavailable", "Unknown"]
)
def test_words_for_absent(tmp_path: Path, word: str) -> None:
    _, rows = read(CsvStream(write(tmp_path, f"a,y\n{word},1\n"), target="y"))
    assert np.isnan(rows[0, 0])


def damage(stream: CsvStream) -> list[str]:
    return [sample.damage for sample in stream.samples(np.empty(len(stream.features)))]


@pytest.mark.parametrize("cell", ["ten", "1_000", "0x10", "12:30", "x" * 200])
def test_cell_that_is_not_a_number(tmp_path: Path, cell: str) -> None:
    stream = CsvStream(write(tmp_path, f'a,b,y\n1,2,1\n1,"{cell}",1\n'), target="y")
    good, bad = damage(stream)
    assert good == ""
    assert bad.startswith("column 'b': '")
    assert bad.endswith("' is not a number")
    assert len(bad) < 100


def test_ragged_row(tmp_path: Path) -> None:
    stream = CsvStream(write(tmp_path, "a,b,y\n1,2,1\n1,2\n1,2,1,1\n3,4,1\n"), target="y")
    few, many = ("2 cells where the header has 3", "4 cells where the header has 3")
    assert damage(stream) == ["", few, many, ""]


def test_columns(tmp_path: Path) -> None:
    path = write(tmp_path, TEXT)
    with pytest.raises(StreamError, match=r"no column 'lable' \(did you mean 'label'\?\); its"):
        CsvStream(path, target="lable")
    with pytest.raises(StreamError, match="no column 'x'; its columns are: time, a, b, label"):
        CsvStream(path, target="label", ignore=["x"])
    with pytest.raises(StreamError, match="--target; its columns are"):
        CsvStream(path, target=None)
    with pytest.raises(StreamError, match="both the target and ignored"):
        CsvStream(path, target="label", ignore=["label"])
    with pytest.raises(StreamError, match="no input column is left"):
        CsvStream(path, target="label", ignore=["time", "a", "b"])
    both = write(tmp_path, "a,a,b,y\n1,2,3,1\n4,5,6,0\n")
    stream = CsvStream(both, target="y")
    assert stream.features == ("a", "a.2", "b")
    assert stream.notes == ("more than one column is called 'a': this one is now 'a.2'",)
    assert CsvStream(both, target="y", ignore=["a"]).features == ("b",)
    assert CsvStream(both, target="y", ignore=["a.2"]).features == ("a", "b")


@pytest.mark.parametrize(
    "content", [b"", b"\n \n", gzip.compress(b"")], ids=["empty", "blank", "packed"]
)
def test_no_lines(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(StreamError, match="no line contains the column names"):
        CsvStream(write(tmp_path, content), target="y")


def test_damage(tmp_path: Path) -> None:
    packed = gzip.compress(b"a,y\n" + b"1,1\n" * 5000 + bytes(range(48, 58)) * 5000)
    cut = CsvStream(write(tmp_path, packed[:-20]), target="y")
    assert damage(cut)[-1] == "the compressed data end here: they are truncated or damaged"
    with pytest.raises(StreamError, match="cannot read"):
        CsvStream(write(tmp_path, packed[:12] + b"\xff" * 30), target="y")
    with pytest.raises(StreamError, match="cannot read"):
        CsvStream(tmp_path, target="y")  # a folder
    with pytest.raises(StreamError, match=r"no file 'nothing\.csv'.*occupancy"):
        open_stream("nothing.csv")


def test_memory_does_not_grow(tmp_path: Path) -> None:
    import tracemalloc

    stream = CsvStream(write(tmp_path, "a,y\n" + '"1.5",1\n' * 90_000), target="y")
    blocks = stream.blocks()
    next(blocks)
    tracemalloc.start()
    for _ in islice(blocks, 60):
        pass
    early = tracemalloc.get_traced_memory()[1]
    for _ in blocks:
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 480_000  # of a file of 720,000 bytes
    assert peak - early < 40_000  # no byte for each of 59,000 other rows


def test_bundled() -> None:
    assert set(BUNDLED) == {"occupancy", "robot", "house", "office"}
    stream = open_stream("occupancy")
    assert isinstance(stream, CsvStream)
    assert len(stream.features) == 5
    assert "datetime" not in stream.features
    assert stream.target == "occupied"
    assert stream.count() == 20_560
    assert len(open_stream("occupancy", ignore=["light_lux"]).features) == 4
    assert open_stream(stream) is stream


def test_bundled_files_are_those_of_their_readme() -> None:
    readme = (BUNDLED["occupancy"].path.parent / "README.md").read_text(encoding="utf-8")
    for stream in BUNDLED.values():
        assert hashlib.sha256(stream.path.read_bytes()).hexdigest() in readme
        assert f"## {stream.file}" in readme
        assert stream.path.stat().st_size < 300_000


@pytest.mark.parametrize("name", ["robot", "house", "office"])
def test_each_kind_runs_from_a_fresh_clone(name: str) -> None:
    number = name == "house"
    options = {"algorithm": "ogd", "params": {"loss": "square"}} if number else {}
    result = fs.replay(fs.ReplayConfig(name, ram="16KiB", **options))  # type: ignore[arg-type]
    assert result.rows.used == result.stream.count()
    assert result.metrics.kind == ("regression" if number else "binary")
    baseline = "mean" if number else "majority"
    assert result.metrics.loss("learner") < result.metrics.loss(baseline)


def test_numbers_that_come_with_the_package_name_their_remedy() -> None:
    with pytest.raises(SimulatorError, match=r"house does not have two classes: give --kind regr"):
        fs.ReplayConfig("house")
    assert fs.ReplayConfig("house", target="light").resolved.kind == "binary"


def test_labels() -> None:
    plain = LabelMap()
    assert [plain.value(cell) for cell in ("1", "+1", " 1.0 ", "0", "0.0")] == [1, 1, 1, -1, -1]
    with pytest.raises(StreamError, match=r"0 and -1 both occur.*--positive"):
        plain.value("-1")
    assert LabelMap().value("-1.0") == -1
    assert [plain.value(cell) for cell in ("", "nan", " NA ")] == [None] * 3
    for cell in ("2", "si", "inf"):
        with pytest.raises(StreamError, match=r"neither 1 nor -1 or 0.*--positive"):
            plain.value(cell)


def test_positive_label() -> None:
    word = LabelMap("rain")
    assert [word.value(cell) for cell in ("rain", " rain", "dry", "Rain")] == [1, 1, -1, -1]
    assert word.value("") is None
    number = LabelMap("2")
    assert [number.value(cell) for cell in ("2.0", "1", "0", "-1")] == [1, -1, -1, -1]


def test_words_for_labels() -> None:
    words = LabelMap()
    assert [words.value(cell) for cell in ("true", "False", "YES", "no")] == [1, -1, 1, -1]
    assert [words.value(cell) for cell in ("on", "Off")] == [1, -1]
    for cell in ("true", "False", "YES", "no", "on", "Off"):
        words.tally(cell, words.value(cell), 1)
    assert words.seen == {"true": 1, "False": 1, "YES": 1, "no": 1, "on": 1, "Off": 1}


def test_label_that_never_occurs() -> None:
    map_ = LabelMap("Occupied")
    for cell in ("empty", "empty", "occupied", "1"):
        map_.tally(cell, map_.value(cell), 1)
    assert map_.never_message("Occupied", "state") == (
        "the label 'Occupied' never occurs in column 'state': "
        "'empty' (2), 'occupied' (1), '1' (1); did you mean --positive occupied?"
    )
    for i in range(1000):
        map_.tally(str(i), -1, 1)
    assert len(map_.seen) == 64  # a column of readings does not fill the memory


def test_codes_as_labels() -> None:
    assert LabelMap(missing_codes=[-200.0]).value("-200") is None
    assert LabelMap(missing_codes=[-1.0]).value("-1") == -1  # a label that is understood
    assert LabelMap("a", missing_codes=[-1.0]).value("-1") is None
