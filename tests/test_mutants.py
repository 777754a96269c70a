"""The mutations of ``make mutants`` still apply to the source."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from bench.cases import Cases

HERE = Path(__file__).parent
spec = spec_from_file_location("mutants", HERE / "mutants.py")
assert spec is not None
assert spec.loader is not None
mutants = module_from_spec(spec)
sys.path.insert(0, str(HERE))  # as of a program that is started there
try:
    spec.loader.exec_module(mutants)
    import mutants_learners
    import mutants_loops
    import mutants_rules
    from mutating import Mutation, Trials, is_above
finally:
    sys.path.remove(str(HERE))


def test_a_mutation_changes_one_place_and_is_a_program() -> None:
    for mutation in mutants.MUTATIONS:
        source = (HERE.parent / mutation.file).read_text()
        assert source.count(mutation.old) == 1, mutation.what
        mutated = source.replace(mutation.old, mutation.new)
        assert mutated != source, mutation.what
        compile(mutated, mutation.what, "exec")
        tests = [test for test in mutation.tests if "/" in test]
        assert all((HERE.parent / test).exists() for test in tests), mutation.what


def test_a_mutation_of_the_loops_changes_one_place() -> None:
    for mutation in mutants_loops.MUTATIONS:
        text = mutants_loops.header_of(mutation.old).read_text()
        assert text.replace(mutation.old, mutation.new) != text, mutation.what
        assert (HERE / "edgeolk/core/c" / f"{mutation.file}.c").exists(), mutation.what


def test_a_rule_of_files_is_left_out_once() -> None:
    assert len(mutants_rules.MUTATIONS) > 150
    for mutation in mutants_rules.MUTATIONS:
        source = (HERE.parent / mutation.file).read_text()
        assert source.count(mutation.old) == 1, mutation.what
        assert mutation.new.count("OLK_LEFT_OUT(") == 1, mutation.what
        assert all((HERE.parent / test.partition("::")[0]).exists() for test in mutation.tests)


def test_a_mutation_of_the_learners_changes_one_place() -> None:
    texts: dict[str, str] = {}
    for mutation in mutants_learners.MUTATIONS:
        path = HERE.parent / mutation.file
        text = texts.setdefault(mutation.file, path.read_text() if path.exists() else "")
        assert text.count(mutation.old) == 1, mutation.name
        assert mutation.new != mutation.old, mutation.name
        for test in mutation.tests:
            file, *names = test.partition("[")[0].split("::")
            found = (HERE.parent / file).read_text()
            assert all(f"def {name}(" in found for name in names), mutation.name


def test_the_callers_of_a_header_are_modules() -> None:
    for file, callers in mutants_learners.CALLERS.items():
        for caller in callers:
            assert (HERE.parent / f"{caller.replace('.', '/')}.pyx").exists(), file


def test_every_mutation_has_a_name() -> None:
    every = [
        *mutants.MUTATIONS,
        *mutants_loops.MUTATIONS,
        *mutants_rules.MUTATIONS,
        *mutants_learners.MUTATIONS,
    ]
    assert len({mutation.name for mutation in every}) == len(every)


MUTATIONS = [Mutation(what, "old", "new", "file.py", ()) for what in ("first", "second", "third")]


def test_trials_continue(tmp_path: Path) -> None:
    kept = tmp_path / "mutants.jsonl"
    seen: Iterator[bool] = iter([True, False])
    lived = Trials(Cases(kept, "code")).survivors(MUTATIONS[:2], lambda _: next(seen))
    assert lived == MUTATIONS[1:2]
    # A mutation that lived is tried again, one that was detected is not.
    assert Trials(Cases(kept, "code")).left(MUTATIONS) == MUTATIONS[1:]
    assert Trials(Cases(kept, "other code")).left(MUTATIONS) == MUTATIONS


def test_a_mutation_is_tried_again_if_its_tests_change(tmp_path: Path) -> None:
    own, other = tmp_path / "test_own.py", tmp_path / "test_other.py"
    own.write_text("1")
    mutations = [
        Mutation("one", "old", "new", "file.py", [str(path), "-k", "word"])
        for path in (own, tmp_path)
    ]
    before = [mutation.case for mutation in mutations]
    other.write_text("2")
    now = [mutation.case for mutation in mutations]
    assert now[0] == before[0]
    assert now[1] != before[1]
    own.write_text("3")
    assert mutations[0].case != now[0]
    assert mutations[0].case != mutations[0]._replace(new="newer").case


def test_no_mutation_is_tried_when_the_time_is_up() -> None:
    trials = Trials(Cases(None, "code"), minutes=0.0)
    assert trials.survivors(MUTATIONS, pytest.fail) == []
    assert trials.left(MUTATIONS) == MUTATIONS


def test_what_is_left_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "mutants.jsonl"
    monkeypatch.setattr(mutants, "MUTATIONS", MUTATIONS)
    for module in (mutants_loops, mutants_rules, mutants_learners):
        monkeypatch.setattr(module, "MUTATIONS", [])
    assert mutants.main(["--kept", str(kept), "--minutes", "0"]) == 0
    assert capsys.readouterr().out == "3 of 3 mutations are left, 0 lived so far\n"
    Trials(Cases(kept, "mutations")).survivors(MUTATIONS, lambda _: True)
    capsys.readouterr()
    assert mutants.main(["--kept", str(kept), "--minutes", "0"]) == 0
    assert capsys.readouterr().out == "3 mutations, 0 lived\n"


def test_what_depends_on_the_simulator(tmp_path: Path) -> None:
    """Tests that name it or a benchmark, themselves or in what they import from other tests."""
    assert is_above(HERE / "support/exported.py")
    assert not is_above(HERE / "support/helpers.py")
    cases = (
        ("import edgeolk\nfrom helpers import ROOT\n", False),
        ("from exported import run\n", True),
        ("def test() -> None:\n    import exported\n", True),
        ('command = "-m bench.passes"\n', True),
        ("workbench = 1\n", False),
    )
    for at, (text, is_one) in enumerate(cases):
        path = tmp_path / f"test_{at}.py"
        path.write_text(text)
        assert is_above(path) == is_one, text
