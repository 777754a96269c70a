"""Records of rows: what a replay hands out is what it counts, and what ``--record`` writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.kinds.two_classes import Prequential
from firmware_sim.metrics.batch import FIELDS, Batch
from firmware_sim.replaying.recording import RecordFile

#: By kind of labels: a stream, options of a learner, and its own fields of a record.
STREAMS: dict[str, tuple[str, list[str], set[str]]] = {
    "binary": ("occupancy", [], set()),
    "multiclass": ("robot", ["--target", "move"], set()),
    "regression": ("house", [], {"low", "high", "weights"}),
    "novelty": ("office", [], {"threshold", "reason"}),
}


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.spread(4)
def test_a_file_of_records(kind: str, tmp_path: Path) -> None:
    stream, more, own = STREAMS[kind]
    path = tmp_path / "rows.npy"
    words = [stream, "--kind", kind, *more, "--limit", "700", "--no-picture", "--quiet"]
    report = ["--out", str(tmp_path / "report"), "--record", str(path)]
    assert main(["replay", *words, *report]) == 0
    rows = np.load(path)
    assert {*rows.dtype.names} == {name for name, _ in FIELDS} | own
    assert rows["row"].tolist() == sorted({*rows["row"].tolist()})
    parts: list[Batch] = []
    target = {"target": more[1]} if more else {}
    config: dict[str, Any] = {"kind": kind, "limit": 700, **target}
    result = fs.Replay(fs.ReplayConfig(stream, **config)).run(on_result=parts.append)
    assert Batch.joined(parts).rows.tobytes() == rows.tobytes()
    assert result.rows.used == np.count_nonzero(~rows["refused"])
    again = result.config.label_kind.metrics(None)  # type: ignore[arg-type]
    again.add_answers(Batch(rows))
    assert again.mean_loss("learner") == result.metrics.mean_loss("learner")
    assert sorted(path.parent.iterdir()) == [tmp_path / "report", path]


def test_what_befell_rows_is_in_their_records(tmp_path: Path) -> None:
    lines = [f"{i % 7},{'1e39' if i == 50 else i % 3},{i % 2}" for i in range(300)]
    path = tmp_path / "stream.csv"
    path.write_text("\n".join(["a,b,y", *lines]) + "\n")
    config = fs.ReplayConfig(str(path), target="y", algorithm="rbp", label_delay=4)
    parts: list[Batch] = []
    result = fs.Replay(config).run(on_result=parts.append)
    rows = Batch.joined(parts).rows
    assert rows["row"][rows["refused"]].tolist() == [51]
    assert result.rows.refused == 1
    learned = rows[~rows["refused"]]
    assert learned["late"].all()
    assert learned["n_arrived"].sum() == result.labels.learned == 295
    metrics = Prequential()
    for one in parts:
        metrics.add_block(one)
    assert metrics.summary() == result.metrics.summary()


def test_a_file_that_cannot_be_written_is_refused_first(tmp_path: Path) -> None:
    words = ["occupancy", "--limit", "50", "--no-picture", "--out", str(tmp_path / "report")]
    assert main(["replay", *words, "--record", str(tmp_path / "no" / "rows.npy")]) == 2
    assert not (tmp_path / "report" / "report.txt").exists()


def test_an_earlier_file_stays_until_there_is_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "rows.npy"
    path.write_bytes(b"earlier")
    with RecordFile(path):
        pass
    assert path.read_bytes() == b"earlier"
    with RecordFile(path) as file:
        for n in (3, 2000, 0):
            file.add(Batch.of(label=np.ones(n), score=np.arange(float(n))))
    assert np.load(path)["score"].tolist() == [*range(3), *range(2000)]


def test_a_disk_that_fills_up_is_told(tmp_path: Path) -> None:
    with RecordFile(tmp_path / "rows.npy") as file:
        scratch = file._file
        with open("/dev/full", "wb", buffering=0) as full:
            file._file = full  # type: ignore[assignment]
            with pytest.raises(fs.SimulatorError, match=r"cannot write to .*rows.npy: No space"):
                file.add(Batch.of(label=np.ones(9), score=np.ones(9)))
        file._file = scratch
