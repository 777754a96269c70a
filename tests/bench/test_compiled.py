"""C that is compiled once: whatever it is made from counts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.compiled import compiled


@pytest.mark.skipif(shutil.which("cc") is None, reason="no cc")
def test_a_header_in_a_folder_below_counts(tmp_path: Path) -> None:
    source, header = tmp_path / "all.c", tmp_path / "below" / "n.h"
    header.parent.mkdir()
    text = f'#include "below/n.h"\nint number(void) {{ return {id(source)} + N; }}\n'
    source.write_text(text)
    made = []
    for n in (1, 2, 1):
        header.write_text(f"#define N {n}\n")
        made.append(compiled(["cc", "-c"], [source], ".o"))
    assert made[0] == made[2] != made[1]
