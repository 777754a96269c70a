"""A source tree that is not built, found before an installed package or without one."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import edgeolk as ek

SOURCE = Path(ek.__file__).parent


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with the source of the package, without compiled modules."""
    no_modules = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    shutil.copytree(SOURCE, tmp_path / "tree/edgeolk", ignore=no_modules)
    return tmp_path / "tree"


def ran(tree: Path, words: list[str], *path: str) -> subprocess.CompletedProcess[str]:
    """Run Python there; installed packages are those in the folders of `path`."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}
    return subprocess.run(
        [sys.executable, "-S", *words],
        cwd=tree,
        env={**environment, "PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("words", [["-c", "import edgeolk"], ["-m", "edgeolk", "list"]], ids=str)
@pytest.mark.spread(2)
def test_an_installed_package_is_used_instead(
    words: list[str], tree: Path, tmp_path: Path
) -> None:
    """A clone from which pip install . was run: its folder comes first in the path."""
    installed = tmp_path / "site"
    installed.mkdir()
    (installed / "edgeolk").symlink_to(SOURCE)
    done = ran(tree, words, str(installed), str(Path(np.__file__).parents[1]))
    assert (done.returncode, done.stderr) == (0, "")
    code = "import edgeolk.learner; print(edgeolk.learner.__file__, edgeolk.__version__)"
    done = ran(tree, ["-c", code], str(installed), str(Path(np.__file__).parents[1]))
    assert done.stdout.split() == [str(installed / "edgeolk/learner.py"), ek.__version__]
    warned = ran(tree, ["-W", "error", "-c", "import edgeolk"], str(installed))
    assert "ImportWarning: edgeolk in " in warned.stderr


@pytest.mark.parametrize("words", [["-c", "import edgeolk"], ["-m", "edgeolk", "list"]], ids=str)
def test_it_says_what_to_do(words: list[str], tree: Path, tmp_path: Path) -> None:
    shutil.copytree(tree, tmp_path / "another")  # one without compiled modules is no help
    done = ran(tree, words, str(tmp_path / "another"))
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: edgeolk in ")
    assert str(tree / "edgeolk") in last
    assert "pip install ." in last


def test_modules_of_an_installed_package_replace_those_of_a_source_tree(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "site"
    installed.mkdir()
    (installed / "edgeolk").symlink_to(SOURCE)
    monkeypatch.setattr(ek, "__path__", [str(tree / "edgeolk")])
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tree)])
    with pytest.raises(ImportError, match=r"no other edgeolk is installed: run pip"):
        ek._use_installed()
    monkeypatch.setattr(sys, "path", [str(tree), str(installed)])
    with pytest.warns(ImportWarning, match=f"those installed in {installed / 'edgeolk'} are used"):
        ek._use_installed()
    assert ek.__path__ == [str(installed / "edgeolk")]


def test_subpackages_are_loaded_when_first_used() -> None:
    assert ek.__getattr__("parts") is sys.modules["edgeolk.parts"]
    assert dir(ek) == sorted(ek.__all__)


def test_the_package_runs_as_a_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["edgeolk", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("edgeolk", run_name="__main__")
    assert ended.value.code == 0
    assert ek.__version__ in capsys.readouterr().out
