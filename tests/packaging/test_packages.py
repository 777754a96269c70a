"""What an installed package holds: every folder of the source that has code in it; one version."""

import re
from pathlib import Path

import pytest

import edgeolk
from firmware_sim.streams import BUNDLED

ROOT = Path(__file__).parents[2]
#: What a folder has that is to be installed; the loops in C are headers.
CODE = ("*.py", "*.pyx", "*.pxd", "*.h", "*.c", "*.csv.xz")


@pytest.fixture(scope="module")
def configured():
    reader = pytest.importorskip("setuptools.config.pyprojecttoml")
    return reader.read_configuration(ROOT / "pyproject.toml")


def test_every_folder_is_installed(configured):
    there = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for package in ("edgeolk", "firmware_sim")
        for pattern in CODE
        for path in (ROOT / package).rglob(pattern)
    }
    said = configured["tool"]["setuptools"]["packages"]
    assert set(said) == there
    assert len(said) == len(set(said))


def test_every_bundled_stream_is_installed(configured):
    patterns = configured["tool"]["setuptools"]["package-data"][""]
    for stream in BUNDLED.values():
        assert stream.path.exists()
        assert any(stream.path.match(pattern) for pattern in patterns), stream.file


def test_the_version_is_that_of_the_package(configured):
    assert configured["project"]["version"] == edgeolk.__version__


def test_the_citation_and_the_changes_name_the_version():
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.search(rf"^version: {re.escape(edgeolk.__version__)}$", citation, re.MULTILINE)
    assert f"\n## {edgeolk.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_pages_name_files_of_this_version():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    named = {
        version
        for page in pages
        for version in re.findall(r"\bedgeolk-(\d+\.\d+\.\d+)\b", page.read_text("utf-8"))
    }
    assert named == {edgeolk.__version__}
