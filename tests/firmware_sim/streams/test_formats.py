"""NPZ, LIBSVM, tables that pandas reads: what they give, what is wrong with broken ones."""

from __future__ import annotations

import errno
import gzip
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.errors import StreamError
from firmware_sim.streams import objects, open_stream, tables
from firmware_sim.streams.matrices import LibsvmStream, NpzStream

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.where(X[:, 0] > 0, 1, -1)


def read(stream: fs.Stream) -> tuple[np.ndarray, list[str]]:
    row = np.empty(len(stream.features))
    rows, labels = [], []
    for sample in stream.samples(row):
        assert sample is not None
        rows.append(row.copy())
        labels.append(sample.damage or sample.label)
    return np.array(rows), labels


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("kind", ["<f8", "<f4", ">f8", "<i4"])
def test_npz(tmp_path: Path, save: object, kind: str) -> None:
    rows = (10 * X).astype(kind)
    save(tmp_path / "s.npz", X=rows, y=Y)  # type: ignore[operator]
    stream = open_stream(str(tmp_path / "s.npz"))
    assert isinstance(stream, NpzStream)
    assert (stream.target, stream.features, stream.count()) == ("y", ("X0", "X1", "X2"), 60)
    for _ in range(2):
        got, labels = read(stream)
        np.testing.assert_array_equal(got, rows.astype(float))
        assert labels == [str(label) for label in Y]
    result = fs.replay(fs.ReplayConfig(str(tmp_path / "s.npz"), ram="8KiB"))
    assert result.rows.used == 60


def test_npz_without_labels(tmp_path: Path) -> None:
    np.savez(tmp_path / "s.npz", X=X)
    for target in (None, "y"):
        with pytest.raises(StreamError, match=r"no 1-d array of labels .* rows X; save both"):
            open_stream(str(tmp_path / "s.npz"), target=target)


def test_npz_text_labels_and_the_choice_of_them(tmp_path: Path) -> None:
    names = np.where(Y > 0, "up", "down")
    np.savez(tmp_path / "s.npz", data=X, name=names, y=Y)
    with pytest.raises(StreamError, match="--target: name, y"):
        open_stream(str(tmp_path / "s.npz"))
    with pytest.raises(StreamError, match="no 1-d array 'z'"):
        open_stream(str(tmp_path / "s.npz"), target="z")
    assert read(open_stream(str(tmp_path / "s.npz"), target="name"))[1] == names.tolist()


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"X": X, "Z": X, "y": Y}, "one 2-d array"),
        ({"X": X, "y": Y[:9]}, "60 rows and 9 labels"),
        ({"X": np.asfortranarray(X), "y": Y}, "ascontiguousarray"),
        ({"X": X.astype(complex), "y": Y}, "complex128, not numbers"),
        ({"X": X[:, :0], "y": Y}, "its rows are empty"),
        ({"X": np.full((60, 3), "a"), "y": Y}, "text, not numbers"),
    ],
)
def test_npz_refusals(tmp_path: Path, arrays: dict[str, np.ndarray], words: str) -> None:
    np.savez(tmp_path / "s.npz", **arrays)
    with pytest.raises(StreamError, match=words):
        open_stream(str(tmp_path / "s.npz"))


def test_npz_executes_nothing_and_survives_damage(tmp_path: Path) -> None:
    path = tmp_path / "s.npz"
    np.savez(path, X=np.array([[object()]], dtype=object), y=Y[:1])
    with pytest.raises(StreamError, match="object, not numbers"):
        open_stream(str(path))
    np.savez_compressed(path, X=X, y=Y)
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    with pytest.raises(StreamError, match="cannot read"):
        open_stream(str(path))
    path.write_bytes(whole[:200] + bytes(60) + whole[260:])
    with pytest.raises(StreamError, match="cannot read"):
        read(open_stream(str(path)))
    with zipfile.ZipFile(path, "w") as box:  # a header that promises more than there is
        for name, array in (("X", X), ("y", Y)):
            np.save(tmp_path / "a.npy", array)
            data = (tmp_path / "a.npy").read_bytes()
            box.writestr(f"{name}.npy", data[: 128 + 8 * 20])
    with pytest.raises(StreamError, match="an array is truncated"):
        read(open_stream(str(path)))


def lines() -> str:
    return "".join(
        f"{label:+d} " + " ".join(f"{i + 1}:{x:.6f}" for i, x in enumerate(row) if i != 1) + "\n"
        for label, row in zip(Y, X, strict=True)
    )


@pytest.mark.parametrize("packed", [False, True])
def test_libsvm(tmp_path: Path, packed: bool) -> None:
    text = lines() + "\n# a comment\n"
    path = tmp_path / "s.data"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    stream = open_stream(str(path))
    assert isinstance(stream, LibsvmStream)
    assert stream.features == ("1", "2", "3")
    assert stream.count() == 60
    got, labels = read(stream)
    np.testing.assert_allclose(got[:, [0, 2]], X[:, [0, 2]], atol=1e-6)
    assert not got[:, 1].any()
    assert [int(label) for label in labels] == Y.tolist()
    with pytest.raises(StreamError, match="--target and --ignore do not apply"):
        open_stream(str(path), target="y")


def test_libsvm_damage_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "s.libsvm"
    path.write_text("+1 1:0.5 3:2 # good\n-1 1:x\n-1 0:1\n1 a:1\n-1 99:\n+1 2:1\n")
    got, labels = read(open_stream(str(path)))
    assert got[0].tolist()[:3] == [0.5, 0, 2]
    assert labels[0] == labels[5] == "+1"
    assert [text.endswith("is not index:value") for text in labels] == [False, *[True] * 4, False]


def test_libsvm_index_is_no_request_for_memory(tmp_path: Path) -> None:
    path = tmp_path / "s.libsvm"
    path.write_text("+1 1:0.5 99999999:1\n")
    message = "the highest index is 99,999,999; the maximum is 1,048,576"
    with pytest.raises(StreamError, match=message):
        open_stream(str(path))


@pytest.mark.parametrize("command", ["replay", "tune", "compare"])
def test_names_and_folders_that_cannot_be_looked_at(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "x" * 300
    assert main([command, name, "--target", "y"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"firmware_sim: no file '{name}'")
    assert said.count("\n") == 1


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path, *_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    file = tmp_path / "s.csv"
    file.write_text("a,y\n1,1\n")
    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(StreamError, match=r"cannot read .*s\.csv: Permission denied$"):
        open_stream(str(file), target="y")


def workbook(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return path


FRAME = pd.DataFrame(
    {
        "at": pd.date_range("2024-03-01", periods=6, freq="h"),
        "warm": [20.5, 21.0, None, 22.25, 20.0, 19.5],
        "open": [True, False, True, True, False, False],
        "y": [1, 0, 1, 1, 0, 0],
    }
)


@pytest.mark.parametrize(("name", "reader"), [("t.xlsx", "read_excel"), ("t.dat", "read_parquet")])
def test_tables_that_pandas_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reader: str
) -> None:
    path = tmp_path / name
    if reader == "read_excel":
        workbook(path)
    else:
        path.write_bytes(b"PAR1 and more")
    monkeypatch.setattr(pd, reader, lambda _: FRAME)
    stream = open_stream(str(path), target="y")
    assert (stream.features, stream.count()) == (("warm", "open"), 6)
    row = np.empty(2)
    read = [(row.copy(), sample) for sample in stream.samples(row) if sample is not None]
    np.testing.assert_array_equal(read[0][0], [20.5, 1.0])
    np.testing.assert_array_equal(read[2][0], [np.nan, 1.0])
    assert [sample.label for _, sample in read] == ["1", "0", "1", "1", "0", "0"]
    assert read[1][1].seconds - read[0][1].seconds == 3600.0


@pytest.mark.parametrize(
    ("suffix", "needs", "kind"),
    [(".xlsx", "openpyxl", "an Excel workbook"), (".parquet", "pyarrow", "a Parquet file")],
)
def test_tables_without_what_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, needs: str, kind: str
) -> None:
    path = workbook(tmp_path / f"t{suffix}")
    if suffix == ".parquet":
        path.write_bytes(b"PAR1")

    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(tables, "import_module", missing)
    with pytest.raises(StreamError, match=f"is {kind}: pip install pandas {needs}, or save"):
        open_stream(str(path), target="y")


@pytest.mark.parametrize(("suffix", "needs"), [(".xlsx", "openpyxl"), (".parquet", "pyarrow")])
def test_tables_as_pandas_writes_them(tmp_path: Path, suffix: str, needs: str) -> None:
    pytest.importorskip(needs)
    path = tmp_path / f"t{suffix}"
    (FRAME.to_excel if suffix == ".xlsx" else FRAME.to_parquet)(path, index=False)
    stream = open_stream(str(path), target="y")
    row = np.empty(2)
    warm = [row[0] for _ in stream.samples(row)]
    np.testing.assert_array_equal(warm, FRAME["warm"])
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(StreamError, match="cannot read"):
        open_stream(str(path), target="y")


def test_archives_without_rows_or_with_a_password(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("X.npy", "1 2")
        archive.writestr("y.npy", "1")
    no_arrays = tmp_path / "s.npz"
    no_arrays.write_bytes(packed.getvalue())
    with pytest.raises(StreamError, match=r"array 'X' is not an array: EOF"):
        open_stream(str(no_arrays))
    with zipfile.ZipFile(no_arrays, "w") as archive:
        archive.writestr("X.txt", "1 2")
    with pytest.raises(StreamError, match=r"it contains no arrays \(X.txt\); save them"):
        open_stream(str(no_arrays))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("log.csv", "a,b,y\n1,2,0\n")
    data = bytearray(packed.getvalue())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1  # encrypted
    (tmp_path / "log.zip").write_bytes(data)
    with pytest.raises(StreamError, match=r"whose 'log.csv' needs a password"):
        open_stream(str(tmp_path / "log.zip"))


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        (
            "s.gz",
            gzip.compress(b"SQLite format 3\0" + bytes(99), mtime=0),
            "it holds an SQLite database",
        ),
        ("s.sql", b"-- MySQL dump 10\nCREATE TABLE x (a int);\n", "a dump of a database, not a"),
    ],
)
def test_other_files_are_named(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(StreamError, match=words):
        open_stream(str(tmp_path / name))


def test_matrices_without_readings_or_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("1\n-1\n")
    with pytest.raises(StreamError, match=r"s.txt: the file contains no readings"):
        LibsvmStream(tmp_path / "s.txt")
    with pytest.raises(StreamError, match=r"cannot read .*none.npz: No such file"):
        NpzStream(tmp_path / "none.npz")


def test_whatever_a_package_raises_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(path: Path) -> None:
        raise IndexError("page 3 of 2")

    monkeypatch.setattr(pd, "read_parquet", damaged)
    (tmp_path / "s.parquet").write_bytes(b"PAR1" + bytes(40))
    with pytest.raises(StreamError, match=r"cannot read .*s.parquet: page 3 of 2"):
        open_stream(str(tmp_path / "s.parquet"))


def test_lines_of_json_may_be_arrays(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("[1, 2, 0]\n[2, 3, 1]\n" * 20)
    stream = open_stream(str(path), target="c3")
    assert stream.features == ("c1", "c2")
    assert read(stream)[0][:2].tolist() == [[1, 2], [2, 3]]


def test_json_that_is_too_deep_or_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep: dict[str, object] = {}
    for _ in range(5_000):
        deep = {"a": deep}
    assert objects.of_value(deep) == {}
    monkeypatch.setattr(objects, "_LONGEST", 200)
    path = tmp_path / "s.json"
    path.write_text(json.dumps([{"a": i, "y": i % 2} for i in range(40)], indent=1))
    with pytest.raises(StreamError, match=r"more than 200 characters of JSON that are not one obj"):
        open_stream(str(path))


def test_an_arff_file_declares_a_line_for_each_of_many_columns(tmp_path: Path) -> None:
    """More than are inspected to recognise a table."""
    path, n = tmp_path / "s.arff", 300
    names = [f"@attribute x{i} numeric" for i in range(n - 1)]
    lines = ["@relation r", *names, "@attribute y {0,1}", "@data"]
    path.write_text("\n".join([*lines, *(",".join(["1"] * (n - 1) + [str(i % 2)])
                                         for i in range(9)), ""]))  # fmt: skip
    stream = open_stream(str(path), target="y")
    assert (len(stream.features), stream.features[-1]) == (n - 1, f"x{n - 2}")
    assert read(stream)[1] == [str(i % 2) for i in range(9)]
