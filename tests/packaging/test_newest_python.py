"""The Python that ``release.newest`` puts together for ``make test-readme``."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from release import newest

#: An interpreter that would start a frozen program, with the main of Python beside.
FROZEN = r"""
#include <stdio.h>
#include <stdlib.h>

int Py_BytesMain(int count, char **words)
{
    printf("%s %d %s\n", words[0], count, getenv("LD_PRELOAD") ? "preloads" : "alone");
    return 7;
}

int main(void)
{
    puts("frozen");
    return 1;
}
"""


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as ``assembled`` returns it, with a few of its files."""
    folder = tmp_path / "assembled"
    (folder / "lib").mkdir(parents=True)
    (folder / "wheels").mkdir()
    (folder / "wheels/pip-1-py3-none-any.whl").write_text("pip")
    (folder / "start.c").write_text(newest.MAIN)
    monkeypatch.setattr(newest, "assembled", lambda: folder)
    return folder


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() != "x86_64",
    reason="the interpreter is that of x86-64 Linux",
)
def test_the_main_of_python_takes_the_place_of_that_of_a_frozen_program(tmp_path: Path) -> None:
    (tmp_path / "start.c").write_text(newest.MAIN)
    (tmp_path / "frozen.c").write_text(FROZEN)
    for flags in (["-shared", "-fPIC", "-o", "start.so", "start.c"],
                  ["-rdynamic", "-o", "frozen", "frozen.c"]):  # fmt: skip
        subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", *flags], cwd=tmp_path, check=True)
    alone = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    words = [str(tmp_path / "frozen"), "-c", "pass"]
    preloaded = {**alone, "LD_PRELOAD": str(tmp_path / "start.so")}
    ran = subprocess.run(words, env=preloaded, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (7, f"{words[0]} 3 alone\n")
    ran = subprocess.run(words, env=alone, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "frozen\n")


def test_a_system_gets_all_of_it_in_place_of_an_unfinished_one(parts: Path, tmp_path: Path) -> None:
    system = tmp_path / "system"
    there = system / f"opt/python{newest.VERSION}"
    (there / "lib").mkdir(parents=True)
    (there / "lib/unfinished").touch()
    command = newest.place(system)
    assert sorted(path.name for path in there.iterdir()) == ["lib", "start.c", "wheels"]
    assert not (there / "lib/unfinished").exists()
    assert [path.name for path in (system / "usr/share/python-wheels").iterdir()] == [
        "pip-1-py3-none-any.whl"
    ]
    assert "lib/start.so" in command
    assert parts.exists()
