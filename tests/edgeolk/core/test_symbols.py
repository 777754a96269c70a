"""What a debugger or a profiler shows of the loops can be searched for in the source."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from edgeolk.core import variants
from edgeolk.core.units import LOOPS

#: Modules whose loops have names of their own.
MODULES = [variants.__file__]
#: What the compiler adds to the name of a part, or of a copy for constant arguments.
ADDED = re.compile(r"(\.(part|constprop|isra|cold|lto_priv)(\.\d+)*)+$")


def names_of(listing: str) -> set[str]:
    """Functions of the loops in a listing by ``nm``."""
    symbols = re.findall(r"^[0-9a-f]+ [tT] (\S+)$", listing, re.MULTILINE)
    return {name for symbol in symbols if (name := ADDED.sub("", symbol)).startswith("olk_")}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: Path(path).name.split(".")[0])
def test_every_function_is_named_in_the_source(module: str) -> None:
    if shutil.which("nm") is None:
        pytest.skip("no nm (binutils)")
    run = subprocess.run(
        ["nm", "--defined-only", module], capture_output=True, text=True, check=False
    )
    names = names_of(run.stdout)
    if not names:
        pytest.skip(f"{Path(module).name} is stripped, or no file that nm reads")
    source = "\n".join(path.read_text() for path in LOOPS.rglob("*.h"))
    written = set(re.findall(r"\w+", source))
    assert not names - written
    assert "olk_row_f32" in names


def test_parts_and_copies_go_by_the_name_of_the_function() -> None:
    listing = (
        "0000000000001000 t olk_row.constprop.0\n0000000000001010 t olk_row.part.0.isra.2\n"
        "0000000000001020 T PyInit_x\n0000000000001030 r olk_table\n"
    )
    assert names_of(listing) == {"olk_row"}
