"""Declarations of ``core/c.pxd`` that must be complete, since code relies on their order."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from bench.compiled import compiled, compiler
from edgeolk.core import variants
from edgeolk.core.units import C_FOLDER

CORE = Path(variants.__file__).parent
if not (CORE / "c.pxd").exists():
    pytest.skip("a wheel has no Cython source", allow_module_level=True)
DECLARATIONS = (CORE / "c.pxd").read_text(encoding="utf-8")
#: Structs that are filled by name, or become an initialiser of an export.
COMPLETE = (
    *("olk_sorf", "olk_sorf_state", "olk_forecast", "olk_forecast_state"),
    *("olk_offsets", "olk_preprocessing", "olk_setup"),
)


def members_of(struct: str) -> list[str]:
    """Names of the declared members, in order."""
    body = DECLARATIONS.split(f"ctypedef struct {struct}:\n")[1].split("\n\n")[0]
    return re.findall(r"(\w+)(?:\[\w+\])*$", body, re.MULTILINE)


def header_of(struct: str) -> str:
    """The header that declares a struct."""
    before = DECLARATIONS.split(f"ctypedef struct {struct}:\n")[0]
    return re.findall(r'cdef extern from "(.+)"', before)[-1]


@pytest.mark.parametrize("struct", COMPLETE)
def test_members_are_those_of_c_in_its_order(struct: str, tmp_path: Path) -> None:
    members = members_of(struct)
    lines = [
        f'printf("%zu %zu %zu\\n", offsetof({struct}, {member}), sizeof(({struct} *)0)->{member},'
        f" sizeof({struct}));"
        for member in members
    ]
    source = tmp_path / "offsets.c"
    source.write_text(
        "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
        f'#include "{header_of(struct)}"\nint main(void) {{ {" ".join(lines)} return 0; }}\n'
    )
    program = compiled([*compiler(), f"-I{C_FOLDER}"], [source], "", link_flags=["-lm"])
    run = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    places = [tuple(map(int, line.split())) for line in run.stdout.splitlines()]
    end = 0
    for member, (offset, size, _) in zip(members, places, strict=True):
        # Between two members is only padding: less than the alignment of a number.
        assert end <= offset < end + min(size, 8), member
        end = offset + size
    assert end <= places[0][2] < end + 8


def test_every_member_is_set_when_a_setup_is_filled() -> None:
    folder = CORE.parent
    files = ("engine/setup.pxd", "sorf/fill.pxd", "sorf/options.pxd")
    text = "".join((folder / name).read_text(encoding="utf-8") for name in files)
    targets = [line.split(" = ")[0] for line in text.splitlines() if " = " in line]
    paths = [path for target in targets for path in re.findall(r"\b[pm]((?:\.\w+)+)", target)]
    found = {name for path in paths for name in path.split(".")}
    # Set with the width; by users; by a function for the struct.
    by_functions = {"omega", "frozen"}
    structs = ("olk_sorf", "olk_forecast", "olk_preprocessing", "olk_setup")
    wanted = {name for struct in structs for name in members_of(struct)}
    assert wanted - found == by_functions
