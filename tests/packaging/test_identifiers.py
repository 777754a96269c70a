"""Which wheels a release builds: held to a list, so that a change of configuration loses none."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LISTED = (HERE / "identifiers.txt").read_text().split()
PLATFORMS = {"linux": ("manylinux", "musllinux"), "macos": ("macosx",), "windows": ("win",)}


def of_platform(platform):
    return [name for name in LISTED if name.split("-")[1].startswith(PLATFORMS[platform])]


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.spread(3)
def test_the_configuration_builds_what_is_listed(platform):
    if importlib.util.find_spec("cibuildwheel") is None:
        pytest.skip("cibuildwheel is not installed; it comes with the lint extra")
    command = [sys.executable, "-m", "cibuildwheel", "--print-build-identifiers"]
    run = subprocess.run(
        [*command, "--platform", platform, str(ROOT)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == of_platform(platform)


def test_every_listed_wheel_is_of_a_platform():
    found = [name for platform in PLATFORMS for name in of_platform(platform)]
    assert sorted(found) == sorted(LISTED)
    assert len(set(LISTED)) == len(LISTED)
