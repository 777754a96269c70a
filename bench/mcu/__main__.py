"""What exported learners cost on emulated boards: ``python -m bench.mcu [--only streams]``, with
``EDGEOLK_SIMD=scalar``: boards have the numbers of that variant.

Each part is a table of results/mcu.md, with the commit that it was measured on; without ``--only``,
those of this commit are left as they are, so that a run that was stopped continues.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

import edgeolk as ek
from bench.mcu.page import measured_here, need_boards, put

#: A part's module, named since each asks for packages of its own, and the title of its table; its
#: function has the part's name.
PARTS = {
    "kinds": ("boards", "Boards and kinds"),
    "sizes": ("boards", "Sizes"),
    "streams": ("boards", "Streams"),
    "bytes_of_an_uno": ("boards", "What an Uno's learner loses"),
    "fixed": ("fixed", "What whole numbers lose"),
    "peers": ("peers", "Beside what others export"),
}


def main() -> int:
    """Run the selected parts; return 2 without an emulator, 1 if a board differs from here."""
    parser = argparse.ArgumentParser(prog="python -m bench.mcu", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="one part")
    only = parser.parse_args().only
    if only != "fixed":
        need_boards()
        if (variant := ek.simd()) != "scalar":
            parser.error(f"the variant of the loops must be scalar, as on a board, got {variant}")
    differing = False
    for part in [only] if only else PARTS:
        module, title = PARTS[part]
        if not only and measured_here(title):
            continue
        table = getattr(import_module(f"bench.mcu.{module}"), part)()
        print(table.markdown())
        put(table)
        differing |= any(row[1] == "library" and row[-1] == "another" for row in table.rows)
    return int(differing)


if __name__ == "__main__":
    sys.exit(main())
