"""The README in its own order, pasted line by line after pip install, in a clone and elsewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt" or not shutil.which("git"), reason="needs git and sh"),
]
ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```(sh|python)\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)


class Place(NamedTuple):
    """A folder, and the variables of a shell in which a fresh environment is active."""

    folder: Path
    env: dict[str, str]

    def run(self, words: list[str], typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program there, with this input."""
        return subprocess.run(
            words, cwd=self.folder, env=self.env, input=typed,
            capture_output=True, text=True, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A clone with the uncommitted changes, and an empty environment that sees the dependencies."""
    base = tmp_path_factory.mktemp("fresh")
    folder, venv = base / "clone", base / "venv"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("no clone")
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    (site,) = venv.glob("lib/python*/site-packages")
    for old in site.glob("setuptools*"):  # the other environment has one that is new enough
        shutil.rmtree(old)
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    path = f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}"
    compiler = {"CC": "ccache gcc"} if shutil.which("ccache") else {}
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}  # pip takes 0 as "no isolation"
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    return Place(folder, {**env, "PATH": path, **compiler, **offline})


def pasted(place: Place, *, install: bool) -> str:
    """Paste every line; return what is printed."""
    out = ""
    for language, block in BLOCKS:
        if language == "python":
            done = place.run(["python", "-i", "-q"], block)
            assert "Error" not in done.stderr, done.stderr
            out += done.stdout
            continue
        for line in block.splitlines():
            if line.startswith("pip ") and not install:
                continue
            done = place.run(["sh", "-c", line])
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            out += done.stdout
    return out


def test_the_readme_in_its_own_order(clone: Place) -> None:
    out = pasted(clone, install=True)
    assert re.search("beats .*last value", out)
    assert re.search(r"^1 \d+ 16\d{3}$", out, re.M)
    assert (clone.folder / "replay-report/report.html").exists()
    elsewhere = Place(clone.folder.parent / "elsewhere", clone.env)
    elsewhere.folder.mkdir()
    pasted(elsewhere, install=False)
    assert (elsewhere.folder / "replay-report/report.html").exists()
    assert (elsewhere.folder / "xor.olk").exists()
    again = clone.run(["make", "replay", "PYTHON=python"])
    assert again.returncode == 0, again.stderr
    assert not (clone.folder / ".venv").exists()
    assert re.search("beats .*last value", again.stdout)
