"""Line coverage of the compiled core: ``python lines.py FOLDER``, a tree built for tracing.

Reads gcc's counts (``EDGEOLK_TRACED=1``) by gcov, for .pyx, .pxd and .h files; a line in
several modules ran if it ran in one. Prints each file's coverage and the lines that never ran;
exits with 1 if the coverage of the core is below 95 %.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

LEAST = 0.95


def counted(folder: Path) -> dict[str, dict[int, int]]:
    """Run counts of every line that became code, by file of the package."""
    lines: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for notes in sorted(folder.glob("build/temp*/**/*.gcno")):
        ran = subprocess.run(
            ["gcov", "--json-format", "--stdout", notes.name],
            cwd=notes.parent, capture_output=True, check=True,
        )  # fmt: skip
        text = gzip.decompress(ran.stdout) if ran.stdout[:2] == b"\x1f\x8b" else ran.stdout
        for told in map(json.loads, text.splitlines()):
            for file in told["files"]:
                name = file["file"]
                if "edgeolk/" not in name or not name.endswith((".pyx", ".pxd", ".h")):
                    continue
                name = name[name.index("edgeolk/") :]
                for line in file["lines"]:
                    lines[name][line["line_number"]] += line["count"]
    return lines


def code_lines(folder: Path, name: str, found: dict[int, int]) -> dict[int, int]:
    """The lines that contain code: not declarations, not ends of docstrings."""
    path = folder / name
    if not path.exists():
        return {}
    source = path.read_text().splitlines()
    bare = ("cdef class", "def ", "cdef ", "cimport", "from ", "import ", '"""', "@", "#", "}")
    return {
        number: count
        for number, count in found.items()
        if 0 < number <= len(source)
        and source[number - 1].strip()
        and not (
            source[number - 1].strip().startswith(bare)
            and name.endswith((".pyx", ".pxd"))
            and "=" not in source[number - 1]
        )
    }


def spans(numbers: list[int]) -> str:
    """Ranges of consecutive numbers: 1-3, 7."""
    made: list[list[int]] = []
    for number in numbers:
        if made and number == made[-1][1] + 1:
            made[-1][1] = number
        else:
            made.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in made)


def main(folder: Path) -> int:
    all_lines = ran = 0
    for name, found in sorted(counted(folder).items()):
        lines = code_lines(folder, name, found)
        if not lines:
            continue
        missed = sorted(number for number, count in lines.items() if count == 0)
        all_lines += len(lines)
        ran += len(lines) - len(missed)
        share = 1.0 - len(missed) / len(lines)
        print(f"{share:7.1%} of {len(lines):5} {name}  {spans(missed)}")
    print(f"{ran / max(1, all_lines):7.1%} of {all_lines:5} lines of the compiled core")
    return int(ran < LEAST * all_lines)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
