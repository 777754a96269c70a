"""The journal of a fleet: a disk that takes no more is told in a sentence."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware_sim.errors import SimulatorError
from firmware_sim.fleet import journal as journal_module
from firmware_sim.fleet.journal import JOURNAL, Journal
from firmware_sim.fleet.task import Record

FULL = Path("/dev/full")


def test_what_is_written_is_on_the_disk_when_the_journal_is_closed(tmp_path, monkeypatch):
    synced: list[bytes] = []

    def fsync(descriptor: int) -> None:
        assert os.fstat(descriptor).st_ino == path.stat().st_ino
        synced.append(path.read_bytes())

    path = tmp_path / JOURNAL
    monkeypatch.setattr(os, "fsync", fsync)
    book = Journal(tmp_path)
    book.enter([Record("key", "board", "log.csv", "small", "done")], 0.1)
    book._file.write("more")
    book.close()
    assert synced == [path.read_bytes()]
    assert synced[0].endswith(b"more")


@pytest.fixture
def journal(tmp_path):
    if not FULL.exists():
        pytest.skip("no /dev/full here")
    book = Journal(tmp_path)
    book._file.close()
    book._file = FULL.open("w", encoding="utf-8")
    yield book
    with suppress(OSError):
        book._file.close()


def test_a_record_that_is_not_written_is_not_kept(journal):
    with pytest.raises(SimulatorError, match=rf"cannot write to .*{JOURNAL}: No space left"):
        journal.enter([Record("key", "board", "log.csv", "small", "done")], 0.1)
    assert not journal.records
    assert not journal.seconds


def test_a_journal_that_is_not_written_is_closed(journal):
    journal._file.write("a line")
    with pytest.raises(SimulatorError, match=rf"cannot write to .*{JOURNAL}: No space left"):
        journal.close()
    assert journal._file.closed


def test_parquet_needs_a_package_and_has_all_columns(tmp_path, monkeypatch):
    """The first record may be a failed one, with few columns."""
    monkeypatch.setattr(journal_module, "find_spec", lambda name: None)
    with pytest.raises(SimulatorError, match="--format parquet needs pyarrow: pip install pyarrow"):
        journal_module.check_form("parquet")
    journal_module.check_form("jsonl")
    written = {}
    parquet = SimpleNamespace(write_table=lambda table, path: written.update({path.name: table}))
    monkeypatch.setitem(sys.modules, "pyarrow", SimpleNamespace(table=dict, parquet=parquet))
    journal_module._write_parquet(tmp_path / "t.parquet", [{"a": 1}, {"a": 2, "loss": 0.5}])
    assert written == {"t.parquet": {"a": [1, 2], "loss": [None, 0.5]}}
