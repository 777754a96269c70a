"""What `make coverage` takes for covered, and its list of gaps."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

HERE = Path(__file__).parent
spec = spec_from_file_location("covered", HERE / "support" / "covered.py")
assert spec is not None
assert spec.loader is not None
covered = module_from_spec(spec)
sys.modules["covered"] = covered  # dataclasses look there
sys.path.insert(0, str(HERE))  # as of a program that is started there
try:
    spec.loader.exec_module(covered)
finally:
    sys.path.remove(str(HERE))
uncovered = covered.uncovered

SOURCE = "if a:\n    b\n\n    c\nelse:\n    d\n"


def test_each_gap_is_in_one_place_of_a_file() -> None:
    for gap in uncovered.GAPS:
        times = (HERE.parent / gap.file).read_text("utf-8").count(gap.piece)
        assert times == 1 or not gap.piece, gap
    assert len(set(uncovered.GAPS)) == len(uncovered.GAPS)


def test_a_line_that_ran_lacks_an_outcome_and_one_that_did_not_lacks_itself() -> None:
    outcomes = {(1, "0"): 4, (1, "1"): 0, (3, "0"): 0, (3, "1"): 0}
    assert covered.File({1: 4, 2: 1, 3: 0}, outcomes).missed() == {3: [], 1: ["1"]}


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[uncovered.Gap]:
    gaps: list[uncovered.Gap] = []
    monkeypatch.setattr(uncovered, "GAPS", gaps)
    return gaps


def test_a_gap_excuses_its_line_and_the_block_under_it(listed: list[uncovered.Gap]) -> None:
    listed.append(uncovered.Gap("a.py", "why", "if a"))
    missed: dict[int, list[str]] = {1: ["to 5"], 4: [], 6: []}
    assert covered.excused("a.py", SOURCE, missed) == ({1, 4}, [])
    assert covered.excused("b.py", SOURCE, missed) == (set(), [])
    listed[:] = [uncovered.Gap("a.py", "why", "c\nelse:")]
    assert covered.excused("a.py", SOURCE, missed) == ({4, 6}, [])
    listed[:] = [uncovered.Gap("a.py", "why", "")]
    assert covered.excused("a.py", SOURCE, missed) == ({1, 4, 6}, [])


def test_the_block_of_a_function_in_c_ends_with_its_brace() -> None:
    text = ["int f(int a,", "      int b)", "{", "    return a;", "}", "int g;"]
    assert covered.block(text, 2) == range(3, 6)
    assert covered.block(text, 0) == range(1, 3)


def test_declarations_and_docstrings_of_cython_are_no_statements() -> None:
    text = ["cdef int f():", '    """Says', '    more."""', "    cdef int a = 1", "    return a"]
    assert covered.statements("a.pxd", text) == {4, 5}
    assert covered.statements("a.h", text) == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    ("piece", "said"), [("b", "is covered"), ("    ", "occurs 3 times"), ("x", "occurs 0 times")]
)
def test_a_gap_that_does_not_apply_is_an_error(
    piece: str, said: str, listed: list[uncovered.Gap]
) -> None:
    listed.append(uncovered.Gap("a.py", "why", piece))
    _, wrong = covered.excused("a.py", SOURCE, {6: []})
    assert len(wrong) == 1
    assert said in wrong[0]


def test_every_other_line_must_be_covered(
    listed: list[uncovered.Gap], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    file = covered.File({1: 2, 2: 1, 3: 0}, {(1, "to 2"): 1, (1, "to 5"): 0})
    wrong = covered.table("Python", {"a.py": file}, tmp_path)
    assert wrong == ["a.py: 2 lines are not covered: 1?, 3"]
    printed = capsys.readouterr().out
    assert "Python: 2 of 3 lines (66.67%), 1 of 2 outcomes of branches (50.00%)" in printed
    assert "0 lines excused, 2 left" in printed
