"""What an installed package holds: every folder of the source that has code in it."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: What a folder has that is to be installed; the loops in C are headers.
CODE = ("*.py", "*.pyx", "*.pxd", "*.h", "*.c", "*.csv.xz")


def test_every_folder_is_installed():
    tomllib = pytest.importorskip("tomllib")
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    there = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for package in ("edgeolk", "firmware_sim")
        for pattern in CODE
        for path in (ROOT / package).rglob(pattern)
    }
    assert set(said) == there
    assert len(said) == len(set(said))
