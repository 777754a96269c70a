"""The record of long runs: what is read from their output, and which lines count."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from release import record

#: The end of what each target prints when it is complete.
COMPLETE = {
    "nightly": '1234 passed, 12 skipped in 99.10s (0:01:39)\n{"algorithm": "rbp", "steps": 10}',
    "asan": "20 passed in 3.00s",
    "checked": "20 passed, 3 skipped, 2 deselected in 3.00s",
    "tsan": "131 learners read by 3 threads each",
    "valgrind": "214 passes",
    "fuzz": "seed 1: 500000 mutants, 9 s\nseed 2: 500000 mutants, 9 s, resident +1 KiB",
    "fuzz-guided": "Done 12345 runs in 3601 second(s)",
    "fuzz-slots": "Done 9 runs in 3600 second(s)",
    "mutants": "491 mutations, 0 lived",
    "coverage": (
        "C: 99 of 100 lines (99.00%), 9 of 10 outcomes of branches (90.00%); 1 lines excused\n"
        "Cython: 1 of 1 lines (100.00%), 0 of 0 outcomes of branches (-); 0 lines excused\n"
        "Python: 4 of 4 lines (100.00%), 2 of 2 outcomes of branches (100.00%); 0 lines excused"
    ),
    "exports": "160 learners exported, 480 programs, 96,000 answers; 0 differ; no C for 3",
    "test-mcu": "200 passed in 12.00s",
    "test-windows": "200 passed in 12.00s\n80 passed, 1 skipped in 2.00s",
    "test-frozen": "cp311, musl: 155 passed, 1 skipped\ncp313t, gnu: 150 passed",
    "test-pi": "===== 300 passed, 7 skipped in 12.00s (0:00:12) =====",
    "soak": '{"algorithm": "rbp", "steps": 100000000}\n{"algorithm": "spa", "steps": 100000000}',
}
#: Too little, or something failed.
INCOMPLETE = {
    "nightly": ("1 failed, 1234 passed in 9.00s", "no tests ran in 0.01s", ""),
    "asan": ("2 passed, 1 error in 3.00s",),
    "test-frozen": ("cp311, musl: ",),
    "tsan": ("3 learners read by 3 threads each",),
    "fuzz": ("seed 1: 500000 mutants, 9 s", "seed 1: 500000 mutants\nseed 1: 600000 mutants"),
    "fuzz-guided": ("Done 12345 runs in 60 second(s)", "ERROR: libFuzzer"),
    "mutants": ("491 mutations, 2 lived", "12 mutations, 0 lived", ""),
    "coverage": ("C: 99 of 100 lines (99.00%), 9 of 10 outcomes of branches (90.00%); 1 left", ""),
    "exports": ("160 learners exported, 480 programs, 96,000 answers; 1 differ; no C for 3",),
    "soak": ('{"algorithm": "rbp", "steps": 1000}', ""),
}


@pytest.mark.parametrize("name", record.TARGETS)
def test_a_complete_run_is_read(name: str) -> None:
    said = record.TARGETS[name].read(f"words before\n{COMPLETE[name]}\n")
    assert any(character.isdigit() for character in said)
    assert "\n" not in said
    assert "|" not in said


@pytest.mark.parametrize(("name", "printed"), [(n, p) for n, ps in INCOMPLETE.items() for p in ps])
def test_an_incomplete_run_is_refused(name: str, printed: str) -> None:
    with pytest.raises(record.IncompleteError):
        record.TARGETS[name].read(printed)


def test_counts_of_several_summaries_are_added() -> None:
    assert record.TARGETS["test-windows"].read(COMPLETE["test-windows"]) == "280 passed, 1 skipped"


def test_every_target_is_one_of_make() -> None:
    makefile = (record.ROOT / "Makefile").read_text()
    assert [name for name in record.TARGETS if f"\n{name}:" not in makefile] == []


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A repository with one commit, and what runs git in it."""

    def git(*words: str) -> str:
        name = ("-c", "user.name=a", "-c", "user.email=a@b")
        ran = subprocess.run(
            ["git", *name, *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        return ran.stdout.strip() if ran.returncode == 0 else ""

    (tmp_path / "release").mkdir()
    (tmp_path / "Makefile").write_text("tsan:\n\t@echo 131 learners read by 3 threads each\n")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    monkeypatch.setattr(record, "ROOT", tmp_path)
    monkeypatch.setattr(record, "git", git)
    return git


def test_a_run_is_recorded_for_its_commit(
    repository: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record.main(["tsan"]) == 0
    assert "131 learners read by 3 threads each" in (record.ROOT / record.NAME).read_text()
    assert len(record.missing()) == len(record.TARGETS) - 1
    repository("add", ".")
    repository("commit", "-m", "the record alone")
    assert len(record.missing()) == len(record.TARGETS) - 1
    (record.ROOT / "Makefile").write_text("tsan:\n\t@echo 3 learners read by 3 threads each\n")
    assert len(record.missing()) == len(record.TARGETS)
    assert record.main(["tsan"]) == 1
    assert "commit your changes first" in capsys.readouterr().out


def test_a_target_that_fails_is_not_recorded(repository: Any) -> None:
    (record.ROOT / "Makefile").write_text(
        "tsan:\n\t@echo 131 learners read by 3 threads each; exit 3\n")
    repository("commit", "-am", "fails")
    assert record.main(["tsan"]) == 1
    assert not (record.ROOT / record.NAME).exists()


def test_a_line_of_an_unknown_commit_does_not_count(repository: Any) -> None:
    record.append("tsan", "131 learners read by 3 threads each", 1.0)
    path = record.ROOT / record.NAME
    here = repository("rev-parse", "--short=12", "HEAD")
    path.write_text(path.read_text().replace(here, "0123456789ab"))
    assert len(record.missing()) == len(record.TARGETS)


def test_an_unknown_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert record.main(["tzan"]) == 2
    assert "got 'tzan'" in capsys.readouterr().out
