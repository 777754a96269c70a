"""Every function that a debugger shows has a name that a search of the source finds."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from edgeolk.core import variants
from edgeolk.core.units import C_FOLDER
from edgeolk.sorf import tables as structured

#: Modules with loops of their own.
MODULES = (structured, variants)


def names_of(module: Path) -> set[str]:
    """Functions and tables of the loops in a module, without what the compiler adds to a name."""
    if shutil.which("nm") is None:
        pytest.skip("no nm (binutils)")
    listed = subprocess.run(["nm", str(module)], capture_output=True, text=True, check=True)
    found = {line.split()[-1].split(".")[0] for line in listed.stdout.splitlines()}
    kept = {name for name in found if name.startswith("olk_")}
    if not kept:
        pytest.skip(f"{module.name} is stripped")
    return kept


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.split(".")[-1])
def test_every_name_stands_in_the_source(module: object) -> None:
    words: set[str] = set()
    for header in C_FOLDER.glob("*.h"):
        words |= set(re.findall(r"\w+", header.read_text()))
    assert names_of(Path(str(module.__file__))) <= words  # type: ignore[attr-defined]


def test_no_name_of_a_function_is_put_together() -> None:
    joined = [path.name for path in C_FOLDER.glob("*.h") if "##" in path.read_text()]
    # Tables that a unit shows to others, which ring_variants.h writes out; types; a variable.
    assert sorted(joined) == ["port.h", "sorf_form.h", "vectors_wide.h"]


def test_macros_are_few() -> None:
    """Those that read a setup are among them: a constant of a board, a struct of the library."""
    defined = [re.findall(r"^ *# *define", path.read_text(), re.M) for path in C_FOLDER.glob("*.h")]
    assert sum(map(len, defined)) <= 160
