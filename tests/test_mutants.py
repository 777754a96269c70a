"""The mutations of ``make mutants`` still apply to the source."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

HERE = Path(__file__).parent
spec = spec_from_file_location("mutants", HERE / "mutants.py")
assert spec is not None
assert spec.loader is not None
mutants = module_from_spec(spec)
sys.path.insert(0, str(HERE))  # as of a program that is started there
try:
    spec.loader.exec_module(mutants)
    import mutants_loops
    import mutants_rules
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
        assert all((HERE.parent / test).exists() for test in mutation.tests)
