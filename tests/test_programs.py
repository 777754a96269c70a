"""A module that is run as a program starts at its end, when all of it is defined."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("edgeolk", "firmware_sim", "bench", "release", "tests", "docs")


def defined_too_late(source: str) -> Iterator[int]:
    """The lines of statements after the one that runs the program."""
    starts = False
    for statement in ast.parse(source).body:
        if starts:
            yield statement.lineno
        starts |= isinstance(statement, ast.If) and ast.unparse(statement.test) == (
            "__name__ == '__main__'"
        )


def test_a_definition_after_the_start_is_found() -> None:
    start = 'if __name__ == "__main__":\n    main()\n'
    assert list(defined_too_late(f"def main(): pass\n{start}")) == []
    assert list(defined_too_late(f"{start}def main(): pass\n")) == [3]


def test_programs_start_when_everything_is_defined() -> None:
    modules = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    starting = [path for path in modules if "__main__" in path.read_text(encoding="utf-8")]
    assert len(starting) > 20
    late = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in starting
        for line in defined_too_late(path.read_text(encoding="utf-8"))
    }
    assert not late
