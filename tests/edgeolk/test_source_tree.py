"""A source tree that is not built, found in the place of an installed package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import edgeolk as ek


@pytest.mark.parametrize("words", [["-c", "import edgeolk"], ["-m", "edgeolk", "list"]], ids=str)
def test_it_says_what_to_do(words: list[str], tmp_path: Path) -> None:
    source = Path(ek.__file__).parent
    no_modules = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    shutil.copytree(source, tmp_path / "edgeolk", ignore=no_modules)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    ran = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 1
    last = ran.stderr.splitlines()[-1]
    assert last.startswith("ImportError: edgeolk in ")
    assert str(tmp_path / "edgeolk") in last
    assert "another folder" in last
    assert "pip install --editable ." in last
