"""Mutations of the rules of blocks and files in C: each is left out once, which the tests must
detect: see `mutating.py`.

The rules are compiled alone, into the module that asks them: seconds per mutation.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

from mutating import ROOT, Mutation, applied, survivors

HEADERS = tuple(f"edgeolk/c/{name}holds.h" for name in ("", "scaler_", "sorf_", "ring_"))
TESTS = (
    "tests/edgeolk/files/test_holds.py", "tests/edgeolk/files/test_scaler_state.py",
    "tests/edgeolk/files/test_restore.py", "tests/edgeolk/scaling",
    "tests/edgeolk/sorf/test_row_memory.py", "tests/edgeolk/sorf/test_drift.py",
)  # fmt: skip
#: The call of a rule, inside a function.
RULE = re.compile(r"(?<=\n) +[^\n;]*?(OLK_REQUIRE|OLK_CHECK|(?<=return )olk_check_\w+)\([^;]*;")
MODULE, SOURCE = "edgeolk.files.holds", "edgeolk/files/holds.c"
FLAGS = ("-O0", "-w", "-fPIC", "-shared", "-ffp-contract=off", "-DOLK_LEFT_OUT(...)=0")


def rules(file: str) -> Iterator[Mutation]:
    """One mutation for each rule of a header."""
    source = (ROOT / file).read_text()
    for rule in RULE.finditer(source):
        end = rule.end()
        while source.count(source[rule.start() : end]) > 1:
            end = source.index("\n", end + 1)
        new = source[rule.start() : rule.start(1)] + "OLK_LEFT_OUT" + source[rule.end(1) : end]
        line = source.count("\n", 0, rule.start()) + 1
        what = " ".join(rule[0].split())[:70]
        yield Mutation(f"{line}: {what}", source[rule.start() : end], new, file, TESTS)


MUTATIONS = [mutation for file in HEADERS for mutation in rules(file)]


def compiled(folder: Path) -> bool:
    """Compile the module of the rules in a copy; return whether it compiles."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    target = folder / f"{MODULE.replace('.', '/')}{suffix}"
    include = sysconfig.get_path("include")
    command = ["cc", *FLAGS, f"-I{include}", f"-I{folder / 'edgeolk/c'}", str(folder / SOURCE)]
    ran = subprocess.run([*command, "-o", str(target), "-lm"], capture_output=True, check=False)
    return ran.returncode == 0


def lived(
    wanted: list[Mutation], folder: Path, red: Callable[[Path, tuple[str, ...]], bool]
) -> list[Mutation]:
    """The mutations that no test detects."""
    for part in ("edgeolk", "tests"):
        shutil.copytree(ROOT / part, folder / part)
    shutil.copy(ROOT / "pyproject.toml", folder)
    if not compiled(folder) or red(folder, TESTS):
        raise SystemExit("the tests of the rules are red without any mutation")

    def notice(mutation: Mutation) -> bool:
        with applied(mutation, folder / mutation.file):
            return not compiled(folder) or red(folder, TESTS)

    return survivors(wanted, notice)
