"""The record of long runs: what is read from their output, and which lines count."""

from __future__ import annotations

import ast
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import edgeolk as ek
from bench.machine import git
from release import record


def soaked(steps: int) -> str:
    """The table of a soak of every algorithm."""
    return "\n".join(json.dumps({"algorithm": row.name, "steps": steps}) for row in ek.algorithms())


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
    "mutants": "520 mutations, 0 lived",
    "coverage": (
        "C: 99 of 100 lines (99.00%), 9 of 10 outcomes of branches (90.00%); 1 lines excused\n"
        "Cython: 1 of 1 lines (100.00%), 0 of 0 outcomes of branches (-); 0 lines excused\n"
        "Python: 4 of 4 lines (100.00%), 2 of 2 outcomes of branches (100.00%); 0 lines excused"
    ),
    "exports": "160 learners exported, 480 programs, 96,000 answers; 0 differ; no C for 3",
    "test-mcu": "200 passed in 12.00s",
    "test-windows": "== 1,280 passed, 1 skipped\n27 of 27 groups of tests were run",
    "test-frozen": "cp311, musl: 155 passed, 1 skipped\ncp313t, gnu: 150 passed",
    "test-pi": "10 of 10 emulated platforms passed\nleft: \n2 of 2 processors built the source",
    "test-readme": "4 of 4 pairs of Debian and Python run the README's commands",
    "soak": soaked(10**8),
}
#: Too little, or something failed.
INCOMPLETE = {
    "nightly": ("1 failed, 1234 passed in 9.00s", "no tests ran in 0.01s", ""),
    "asan": ("2 passed, 1 error in 3.00s",),
    "test-frozen": ("cp311, musl: ",),
    "tsan": ("3 learners read by 3 threads each",),
    "fuzz": ("seed 1: 500000 mutants, 9 s", "seed 1: 500000 mutants\nseed 1: 600000 mutants"),
    "fuzz-guided": ("Done 12345 runs in 60 second(s)", "ERROR: libFuzzer"),
    "mutants": ("520 mutations, 2 lived", "12 mutations, 0 lived", ""),
    "coverage": ("C: 99 of 100 lines (99.00%), 9 of 10 outcomes of branches (90.00%); 1 left", ""),
    "exports": ("160 learners exported, 480 programs, 96,000 answers; 1 differ; no C for 3",),
    "test-pi": (
        "10 of 10 emulated platforms passed",
        "9 of 10 emulated platforms passed\n2 of 2 processors built the source",
        "1 of 1 emulated platforms passed\n2 of 2 processors built the source",
    ),
    "test-windows": (
        "== 1,280 passed, 1 skipped",
        "== 1,280 passed, 1 skipped\n26 of 27 groups of tests were run",
        "== 1,280 passed, 1 failed\n27 of 27 groups of tests were run",
        "== 1,280 passed, 1 not ended\n27 of 27 groups of tests were run",
    ),
    "test-readme": ("3 of 4 pairs of Debian and Python run the README's commands",),
    "soak": (soaked(10**7), soaked(10**8).partition("\n")[2], ""),
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
    assert record.TARGETS["test-frozen"].read(COMPLETE["test-frozen"]) == "305 passed, 1 skipped"


def test_the_last_piece_of_windows_has_the_counts_of_all() -> None:
    first = "== 900 passed\n20 of 27 groups of tests were run\nleft: tests/edgeolk/sorf\n"
    said = record.TARGETS["test-windows"].read(f"{first}{COMPLETE['test-windows']}\n")
    assert said == "1,280 passed, 1 skipped"


def test_pieces_of_a_guided_fuzzer_are_added() -> None:
    said = record.TARGETS["fuzz-slots"].read("Done 5 runs in 1800 second(s)\n" * 2)
    assert said == "10 runs in 3,600 s"


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
    (tmp_path / "edgeolk").mkdir()
    (tmp_path / "edgeolk/core.py").write_text("learns\n")
    (tmp_path / "edgeolk/version.py").write_text("1\n")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[project.urls]\nHomepage = "https://OWNER/x"\n'
    )
    (tmp_path / "README.md").write_text("words\n")
    (tmp_path / ".gitignore").write_text("build/\n")
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


def changed(repository: Any, file: str, text: str) -> None:
    """Commit another text of a file."""
    (record.ROOT / file).parent.mkdir(parents=True, exist_ok=True)
    (record.ROOT / file).write_text(text)
    repository("add", ".")
    repository("commit", "-m", file)


#: Files, their new texts, and whether lines of a target of the library and of one of everything
#: still count.
CHANGES = (
    ("README.md", "other words\n", True, True),
    ("docs/page.md", "words\n", True, True),
    ("bench/results/peers.json", "{}\n", True, True),
    ("edgeolk/version.py", "2\n", True, True),
    ("CITATION.cff", "version: 2\n", True, True),
    ("pyproject.toml", '[project]\nname = "x"\n[project.urls]\nHomepage = "https://me/x"\n',
     True, True),
    ("pyproject.toml", '[project]\nname = "y"\n[project.urls]\nHomepage = "https://me/x"\n',
     True, False),
    ("edgeolk/cli/main.py", "says\n", True, False),
    ("release/exports.py", "exports\n", True, False),
    ("release/wheels.py", "builds\n", True, True),
    ("tests/packaging/test_emulated.py", "tests\n", True, True),
    ("tests/packaging/test_exports.py", "tests\n", True, False),
    ("release/check.py", "checks\n", True, True),
    ("tests/mutants_files.py", "breaks\n", True, True),
    ("tests/uncovered.py", "excuses\n", True, True),
    ("tests/support/soak.py", "soaks\n", True, False),
    ("tests/support/helpers.py", "helps\n", False, False),
    ("edgeolk/core.py", "learns more\n", False, False),
    ("edgeolk/c/new.h", "int x;\n", False, False),
    ("setup.py", "-O3\n", False, False),
    ("Makefile", "all:\ntsan:\n\t@echo 131 learners\nnightly:\n\t@echo tests\n", True, True),
    ("Makefile", "tsan:\n\t@echo 131 learners\nnightly:\n\t@echo fewer tests\n", True, False),
)  # fmt: skip


@pytest.mark.parametrize(("file", "text", "library", "everything"), CHANGES)
def test_a_line_counts_while_nothing_that_is_tested_changes(
    repository: Any, file: str, text: str, library: bool, everything: bool
) -> None:
    changed(repository, "Makefile", "tsan:\n\t@echo 131 learners\nnightly:\n\t@echo tests\n")
    here = repository("rev-parse", "--short=12", "HEAD")
    record.append("tsan", "131 learners read by 3 threads each", 1.0, here)
    record.append("nightly", "1 passed", 1.0, here)
    changed(repository, file, text)
    lacking = "\n".join(record.missing())
    assert ("record tsan" not in lacking, "record nightly" not in lacking) == (library, everything)


def test_a_target_in_pieces(repository: Any, capsys: pytest.CaptureFixture[str]) -> None:
    says = "@echo $(KEPT) with $(SEED); printf '#2\\tNEW cov: 3\\n'"
    hour = f'fuzz-slots:\n\t{says}; echo "Done 7 runs in $(GUIDED) second(s)"\n'
    changed(repository, "Makefile", hour)
    assert record.main(["fuzz-slots", "GUIDED=1800"]) == 1
    [piece] = (record.ROOT / record.PIECES).iterdir()
    assert "Done 7 runs" in piece.read_text()
    assert "cov: 3" not in piece.read_text()
    assert str(record.ROOT) not in piece.read_text()
    repository("add", ".")
    repository("commit", "-qm", "pieces")  # for another machine
    first = capsys.readouterr().out
    assert "nothing is recorded; the same command continues" in first
    changed(repository, "README.md", "other words\n")
    assert record.main(["fuzz-slots", "GUIDED=1800"]) == 0
    second = capsys.readouterr().out
    assert "14 runs in 3,600 s" in (record.ROOT / record.NAME).read_text()
    assert not list((record.ROOT / record.PIECES).iterdir())
    [kept, other] = (said.split(" with ")[0] for said in (first, second))
    assert kept == other
    assert " with 1\n" in first
    assert " with 3\n" in second


def test_pieces_of_other_code_do_not_add_up(repository: Any) -> None:
    hour = 'fuzz-slots:\n\t@echo "Done 7 runs in $(GUIDED) second(s)"\n'
    changed(repository, "Makefile", hour)
    assert record.main(["fuzz-slots", "GUIDED=1800"]) == 1
    changed(repository, "edgeolk/core.py", "learns more\n")
    assert record.main(["fuzz-slots", "GUIDED=1800"]) == 1
    assert record.main(["fuzz-slots", "GUIDED=1800"]) == 0


def test_finished_mutations_stay_for_later_commits(repository: Any) -> None:
    all_of_them = 'mutants:\n\t@echo found >>$(KEPT); echo "900 mutations, 0 lived"\n'
    changed(repository, "Makefile", all_of_them)
    assert record.main(["mutants"]) == 0
    changed(repository, "tests/test_other.py", "tests more\n")
    assert record.main(["mutants"]) == 0
    [kept] = (record.ROOT / record.PIECES).iterdir()
    assert kept.read_text() == "found\n" * 2


def test_a_piece_that_fails_is_not_added(repository: Any) -> None:
    hour = 'fuzz-slots:\n\t@echo "Done 7 runs in 3600 second(s)"; exit $(CODE)\n'
    changed(repository, "Makefile", hour)
    assert record.main(["fuzz-slots", "CODE=1"]) == 1
    assert not (record.ROOT / record.NAME).exists()


def test_what_is_installed_is_no_part_of_the_commands(repository: Any) -> None:
    makefile = (
        "VENV ?= .venv\n$(VENV)/.test: sources\n\tinstall\nsources:\n\tmake them\n"
        "tsan: $(VENV)/.test\n\trun\n"
    )
    assert record.commands(record.TARGETS["tsan"], makefile) == "run\n"


#: The programs that targets of the library alone run.
DRIVERS = {
    "tsan": "tests/support/readers_beside.py",
    "valgrind": "tests/support/one_pass.py",
    "fuzz": "tests/support/fuzz.py",
    "fuzz-guided": "tests/support/fuzz_guided.py",
    "fuzz-slots": "tests/support/fuzz_flash.py",
    "exports": "release/exports.py",
    "soak": "tests/support/soak.py",
    "test-readme": "release/readme.py",
}


def _imported(path: Path) -> set[Path]:
    """The files of this repository that a program imports, beside the packages; itself too."""
    found, left = set(), [path]
    while left:
        at = left.pop()
        found.add(at)
        names = set()
        for node in ast.walk(ast.parse(at.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names |= {f"{node.module}", *(f"{node.module}.{a.name}" for a in node.names)}
        for name in names:
            parts = name.split(".")
            for folder in (record.ROOT / "tests/support", record.ROOT):
                for k in range(1, len(parts) + 1):
                    stem = folder.joinpath(*parts[:k])
                    for file in (stem.with_suffix(".py"), stem / "__init__.py"):
                        if parts[0] != "edgeolk" and file.is_file() and file not in found:
                            left.append(file)
    return found


@pytest.mark.parametrize("name", DRIVERS)
def test_a_target_measures_what_its_program_imports(name: str) -> None:
    measured = set(git("ls-files", "--", *record.TARGETS[name].measures).split("\n"))
    if measured == {""}:
        pytest.skip("not a repository")
    program = record.ROOT / DRIVERS[name]
    imported = {path.relative_to(record.ROOT).as_posix() for path in _imported(program)}
    assert imported <= measured
    assert {"setup.py", "edgeolk/learner.py"} <= measured
    assert len(imported) > 1 or name == "fuzz-slots"


def test_every_other_target_measures_its_tests() -> None:
    for name, target in record.TARGETS.items():
        sets = (record.EVERYTHING, record.SUITE, record.SYSTEMS, record.MUTATED, record.TRACED)
        assert name in DRIVERS or target.measures in sets


def test_a_target_that_fails_is_not_recorded(repository: Any) -> None:
    (record.ROOT / "Makefile").write_text(
        "tsan:\n\t@echo 131 learners read by 3 threads each; exit 3\n"
    )
    repository("commit", "-am", "fails")
    assert record.main(["tsan"]) == 1
    assert not (record.ROOT / record.NAME).exists()


@pytest.mark.parametrize("file", ["edgeolk/core.py", "README.md"])
def test_a_line_names_the_commit_on_which_the_run_began(repository: Any, file: str) -> None:
    meanwhile = f"echo other > {file}; git -c user.name=a -c user.email=a@b commit -qam other"
    changed(
        repository, "Makefile", f"tsan:\n\t@{meanwhile}; echo 131 learners read by 3 threads each\n"
    )
    began = repository("rev-parse", "--short=12", "HEAD")
    assert record.main(["tsan"]) == (file == "edgeolk/core.py")
    assert list(record.recorded().values()) == ([] if file == "edgeolk/core.py" else [[began]])


def test_a_line_of_an_unknown_commit_does_not_count(repository: Any) -> None:
    path = record.ROOT / record.NAME
    here = repository("rev-parse", "--short=12", "HEAD")
    record.append("tsan", "131 learners read by 3 threads each", 1.0, here)
    path.write_text(path.read_text().replace(here, "0123456789ab"))
    assert len(record.missing()) == len(record.TARGETS)


def test_an_unknown_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert record.main(["tzan"]) == 2
    assert "got 'tzan'" in capsys.readouterr().out
