"""The gate on instruction counts: what it lets pass, what it stops, what it does not compare."""

import sys
from pathlib import Path

import pytest

# At the end: where an installed wheel is tested, edgeolk must not be the one beside bench.
sys.path.append(str(Path(__file__).parents[2]))

from bench.callgrind import Count, parse
from bench.instructions import compare
from bench.instructions.cases import cases
from bench.instructions.compare import Cost, Counts, signatures

RECORDED = {"rbp": Cost(1_000_000, 15), "bsgd": Cost(2_000_000, 40_000)}
BUILD = {"architecture": "x86-64", "compiler": "gcc 12", "cython": "3.1"}


def found(**changed):
    """Cases and verdicts, with some costs changed."""
    return [(f.case, f.result) for f in compare.compare(RECORDED, {**RECORDED, **changed})]


SLOWER, FASTER = [("rbp", "SLOWER")], [("rbp", "faster: record it")]


@pytest.mark.parametrize(
    ("instructions", "calls", "results"),
    [
        *((round(1_000_000 * factor), 15, []) for factor in (0.95, 0.96, 1.0, 1.04, 1.05)),
        (1_060_000, 15, SLOWER),
        (940_000, 15, FASTER),
        (1_000_000, 65, []),  # a few calls are none
        (1_000_000, 66, SLOWER),
    ],
)
def test_more_and_fewer_fail_beyond_the_band(instructions, calls, results):
    assert found(rbp=Cost(instructions, calls)) == results


def test_fewer_calls_fail_too():
    assert found(bsgd=Cost(2_000_000, 37_000)) == [("bsgd", "faster: record it")]


def test_a_case_that_is_gone_fails():
    findings = compare.compare(RECORDED, {"rbp": RECORDED["rbp"]})
    assert [(f.case, f.counted) for f in findings] == [("bsgd", None)]


def test_a_new_case_fails():
    assert found(nogd=Cost(5, 5)) == [("nogd", "new: record it")]


@pytest.mark.parametrize(
    ("fact", "value"),
    [("compiler", "gcc 13"), ("compiler", "clang 12"), ("architecture", "AArch64")],
)
def test_another_compiler_or_architecture_is_not_compared(fact, value):
    assert value in compare.differing(BUILD, {**BUILD, fact: value})


def test_of_another_cython_all_but_calls_are_compared():
    other = {**BUILD, "cython": "3.2"}
    assert compare.differing(BUILD, other) == ""
    assert "3.2" in compare.differing(BUILD, other, compare.DECISIVE_OF_CALLS)
    counted = {**RECORDED, "rbp": Cost(1_060_000, 999)}
    findings = compare.compare(RECORDED, counted, calls=False)
    assert [(f.case, f.number) for f in findings] == [("rbp", "instructions")]


def test_the_file_reads_as_written_one_line_a_case(tmp_path):
    path = tmp_path / "counts.json"
    assert compare.load(path) is None
    compare.save(Counts(BUILD, RECORDED), path)
    assert compare.load(path) == Counts(BUILD, RECORDED)
    assert sum("instructions" in line for line in path.read_text().splitlines()) == len(RECORDED)


def test_the_table_names_what_moved():
    findings = compare.compare(RECORDED, {**RECORDED, "rbp": Cost(1_060_000, 15)})
    text = compare.table(findings).markdown()
    assert "+6.0%" in text
    assert "1,060,000" in text
    assert "bsgd" not in text


def test_the_recorded_cases_are_those_that_are_counted():
    recorded = compare.load()
    assert recorded is not None
    assert list(recorded.cases) == [case.name for case in cases()]


def test_compilers_by_their_signatures():
    gcc = b"\0GCC: (Debian 12.2.0-14+deb12u1) 12.2.0\0"
    assert signatures([gcc, gcc]) == "gcc 12"
    assert signatures([gcc + b"Debian clang version 14.0.6\0"]) == "clang 14 and gcc 12"
    assert signatures([b""]) == "an unknown compiler"


CALLGRIND = """\
desc: Trigger: Client Request: rbp, CSR
fl=a.c
ob=/lib/edgeolk/engine/engine.so
fn=step
10 100
cob=/lib/libm.so
cfn=exp
calls=7 3
11 700
cfn=helper
calls=2 3
12 50
13 20
fn=helper
3 50

ob=/lib/libm.so
fn=exp
3 700
cob=/lib/libm.so
cfn=inner
calls=9 9
4 1
totals: 870
desc: Trigger: Program termination
ob=/lib/edgeolk/engine/engine.so
fn=step
1 5
totals: 5
"""


def test_parsing_tells_the_library_from_what_it_calls():
    counts = parse(CALLGRIND.splitlines(keepends=True), "/lib/edgeolk")
    assert counts == {"rbp, CSR": Count(everything=870, own=170, calls=7)}


def test_parsing_refuses_lines_that_do_not_add_up():
    broken = CALLGRIND.replace("10 100", "10 101")
    with pytest.raises(RuntimeError, match="not the sum"):
        parse(broken.splitlines(keepends=True), "/lib/edgeolk")
