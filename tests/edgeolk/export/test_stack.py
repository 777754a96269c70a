"""The stack that exported C takes: its bound, and the way down that few rows take."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from exported import Compiled

import edgeolk as ek
from bench.mcu.costs import ARITHMETIC, CORES, KINDS, LEVELS, compiled, learner_of
from bench.mcu.stack import Calls
from edgeolk.export.costs import COSTS
from edgeolk.export.costs import stacks_of as printed
from firmware_sim.mcu.program import PREFIX

compiles = pytest.mark.skipif(shutil.which(f"{PREFIX}gcc") is None, reason=f"no {PREFIX}gcc")
KIB = 1024
#: By day one core and level in each arithmetic.
WAYS = [(core, level) for core in CORES for level in LEVELS]
BOUNDS = [(("learner", "int8", how), [("Cortex-M4F", "-Os")]) for how in ARITHMETIC]
BOUNDS += [pytest.param(case, WAYS, marks=pytest.mark.slow) for case in COSTS]  # type: ignore[misc]


def test_goals() -> None:
    """6 KiB in double, 4 in single precision and whole numbers, whatever is learned."""
    for (_, dtype, how), cost in COSTS.items():
        assert cost.stack <= (6 if how == "double" and dtype != "float32" else 4) * KIB


@compiles
@pytest.mark.parametrize(("case", "ways"), BOUNDS)
def test_the_bound_that_is_printed_holds(
    case: tuple[str, str, str], ways: list[tuple[str, str]], tmp_path: Path
) -> None:
    """For the compiler that is here: no call goes deeper, and code is as large as is said."""
    kind, dtype, how = case
    ek.export_c(learner_of(kind, dtype), tmp_path)
    found = {
        (core, level): compiled(tmp_path, core, [level, *ARITHMETIC[how]]) for core, level in ways
    }
    most = max(found.values())
    bound, _, (least, largest) = COSTS[case]
    assert most.stack <= bound, most.way
    assert most.stack > 0.7 * bound or ways != WAYS
    for (_, level), made in found.items():
        assert least <= made.code / KIB or level != "-Os"
        assert made.code / KIB <= largest or level == "-O3"


def test_what_no_bound_can_be_given_for() -> None:
    calls = Calls()
    with pytest.raises(ValueError, match="dynamic"):
        calls.read('node: { title: "a.c:grows" label: "grows\\n8 bytes (dynamic)\\n" }')
    calls.read('edge: { sourcename: "a.c:f" targetname: "a.c:g" label: "" }\n'
               'edge: { sourcename: "a.c:g" targetname: "a.c:f" label: "" }')  # fmt: skip
    with pytest.raises(ValueError, match="calls itself"):
        calls.deepest("f")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_in_the_header_and_the_readme(kind: str, tmp_path: Path) -> None:
    learner = learner_of(kind, "float32" if kind == "ring" else "int8")
    ek.export_c(learner, tmp_path)
    text, header = (tmp_path / "README.md").read_text(), (tmp_path / "model.h").read_text()
    for bytes_ in printed(learner).values():
        assert f"| {bytes_:,} |" in text
        assert f"#define EK_STACK_BYTES {bytes_}u" in header


def products(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Six Gaussian inputs; the label is the sign of the product of the first two."""
    X = np.random.default_rng(0).standard_normal((rows, 6)).astype(np.float32)
    return X, np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)


#: Counts calls of functions that are not exported, by where they lie beside ek_start.
PROBE = """
#include <stdint.h>
void ek_start(void *arena);
long probe_at[3], probe_count[3];
static int inside;
#define HOOK __attribute__((no_instrument_function, visibility("hidden")))
HOOK void __cyg_profile_func_enter(void *f, void *from);
HOOK void __cyg_profile_func_exit(void *f, void *from);
void __cyg_profile_func_enter(void *f, void *from)
{
    const long at = (long)((intptr_t)f - (intptr_t)ek_start);
    (void)from;
    probe_count[0] += at == probe_at[0];
    inside += at == probe_at[0];
    probe_count[1] += at == probe_at[1];
    probe_count[2] += inside && at == probe_at[2];
}
void __cyg_profile_func_exit(void *f, void *from)
{
    (void)from;
    inside -= (intptr_t)f - (intptr_t)ek_start == probe_at[0];
}
"""


def test_rows_that_float_cannot_decide_are_there(tmp_path: Path) -> None:
    """The deepest way that was: a rounding in double, and the scores again in the midst of it."""
    if shutil.which("nm") is None:
        pytest.skip("no nm")
    X, y = products(2000)
    learner = ek.Learner(n_features=6, ram="4KiB")
    ek.export_c(learner, tmp_path)
    (tmp_path / "probe.c").write_text(PROBE)
    flags = ("-finstrument-functions", "-O0")
    board = Compiled(tmp_path, learner, flags=flags, names=("probe.c",))
    listed = subprocess.run(["nm", str(tmp_path / "learner.so")], capture_output=True, text=True,
                            check=True).stdout  # fmt: skip
    at = {line.split()[-1].split(".")[0]: int(line.split()[0], 16)
          for line in listed.splitlines() if len(line.split()) == 3}  # fmt: skip
    probe = (ctypes.c_long * 3).in_dll(board.c, "probe_at")
    names = ("olk_round_exactly", "olk_round_between", "olk_pass")
    probe[:] = [at[name] - at["ek_start"] for name in names]
    for row in zip(X, y, strict=True):
        board.learn(*row)
    count = list((ctypes.c_long * 3).in_dll(board.c, "probe_count"))
    assert count[1] > count[0] > 0
    assert count[2] > 0
