"""The journal of a fleet: a disk that takes no more is told in a sentence."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from firmware_sim.errors import SimulatorError
from firmware_sim.fleet.journal import JOURNAL, Journal
from firmware_sim.fleet.task import Record

FULL = Path("/dev/full")

pytestmark = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


@pytest.fixture
def journal(tmp_path):
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
