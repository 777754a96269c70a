"""Mutations of the rules of blocks and files in C: each is left out once, which the tests must
detect: see `mutating.py`.

The rules are compiled alone, without optimisation, into the module that asks them: seconds per
mutation.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from mutating import ROOT, Mutation, Trials, applied, failures

_TESTS = "tests/edgeolk"
OF_BLOCKS = tuple(f"{_TESTS}/files/test_{name}.py" for name in ("holds", "holds_everywhere"))
OF_SCALERS = f"{_TESTS}/files/test_scaler_state.py"
OF_SCALER_BLOCKS = f"{_TESTS}/scaling/test_block.py"
OF_SORF = (
    f"{_TESTS}/sorf/test_structured_refusals.py::test_hostile_states_are_refused",
    f"{_TESTS}/sorf/test_watch.py::test_states_that_nothing_leads_to_are_refused",
    f"{_TESTS}/sorf/test_forecast_memory.py::test_a_forged_state_is_refused",
    f"{_TESTS}/sorf/test_row_memory.py::test_states_that_no_learning_leads_to",
)
#: Headers with rules, and the tests that must fail.
HEADERS = {
    "edgeolk/c/holds.h": (*OF_BLOCKS, OF_SCALERS),
    "edgeolk/c/scaler_holds.h": (OF_SCALERS, *OF_BLOCKS, OF_SCALER_BLOCKS),
    "edgeolk/c/sorf_holds.h": (*OF_BLOCKS, *OF_SORF),
    "edgeolk/c/ring_holds.h": OF_BLOCKS,
    "edgeolk/c/krls_auto_holds.h": OF_BLOCKS,
    "edgeolk/c/watch_holds.h": (OF_SORF[1], *OF_BLOCKS),
}
#: The call of a rule, inside a function.
RULE = re.compile(r"(?<=\n) +[^\n;]*?(OLK_REQUIRE|OLK_CHECK|(?<=return )olk_check_\w+)\([^;]*;")
MODULE, SOURCE = "edgeolk.files.holds", "edgeolk/files/holds.c"
FLAGS = ("-O0", "-w", "-fPIC", "-shared", "-ffp-contract=off", "-DOLK_LEFT_OUT(...)=0")


def rules(file: str, tests: Sequence[str]) -> Iterator[Mutation]:
    """One mutation for each rule of a header."""
    source = (ROOT / file).read_text()
    for rule in RULE.finditer(source):
        end = rule.end()
        while source.count(source[rule.start() : end]) > 1:
            end = source.index("\n", end + 1)
        new = source[rule.start() : rule.start(1)] + "OLK_LEFT_OUT" + source[rule.end(1) : end]
        line = source.count("\n", 0, rule.start()) + 1
        what = " ".join(rule[0].split())[:70]
        yield Mutation(
            f"{Path(file).name}:{line}: {what}", source[rule.start() : end], new, file, tests
        )


MUTATIONS = [mutation for header in HEADERS.items() for mutation in rules(*header)]


def errors(folder: Path) -> str:
    """What the compiler says of the module of the rules in a copy; empty if it compiles."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    target = folder / f"{MODULE.replace('.', '/')}{suffix}"
    include = sysconfig.get_path("include")
    command = ["cc", *FLAGS, f"-I{include}", f"-I{folder / 'edgeolk/c'}", str(folder / SOURCE)]
    ran = subprocess.run(
        [*command, "-o", str(target), "-lm"], capture_output=True, text=True, check=False
    )
    return ran.stderr or f"{command[0]} ended with {ran.returncode}" if ran.returncode else ""


def lived(wanted: list[Mutation], folder: Path, trials: Trials) -> list[Mutation]:
    """The mutations that no test detects."""
    for part in ("edgeolk", "tests", "bench"):
        shutil.copytree(ROOT / part, folder / part)
    shutil.copy(ROOT / "pyproject.toml", folder)
    if output := errors(folder) or failures(folder, (*OF_BLOCKS, OF_SCALERS)):
        raise SystemExit(f"the rules are red without any mutation:\n{output}")

    def notice(mutation: Mutation) -> bool:
        with applied(mutation, folder / mutation.file):
            if output := errors(folder):
                raise SystemExit(f"{mutation.what} does not compile:\n{output}")
            return bool(failures(folder, mutation.tests))

    return trials.survivors(wanted, notice)
