"""Pages of results say the commit they were measured on; which are older than the code."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

# At the end: where an installed wheel is tested, edgeolk must not be the one beside bench.
sys.path.append(str(Path(__file__).parents[2]))

from bench import machine, older
from bench.instructions.compare import Cost, Counts
from bench.table import Report, Table

PAGE = older.Page("results/speed.md", "python -m bench.speed", ("core",), 1)


def git(folder, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A repository with code and a page measured on its first commit."""
    for module in (machine, older):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(older, "PAGES", (PAGE,))
    git(tmp_path, "init", "--quiet")
    change(tmp_path, "core/code")
    Report("Speed", "Introduction.", [], {}).save("speed", tmp_path / "bench" / "results")
    return tmp_path


def change(tree, path):
    file = tree / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{file.exists() and file.read_text()}x")
    git(tree, "add", "core", "docs") if (tree / "docs").exists() else git(tree, "add", "core")
    git(tree, "commit", "--quiet", "--message", path)


def since():
    return [row[2] for row in older.table().rows]


def test_a_page_is_older_once_its_code_changes(tree):
    assert since() == []
    assert [row[2] for row in older.table(everything=True).rows] == ["none"]
    change(tree, "docs/page")
    assert since() == []
    change(tree, "core/code")
    change(tree, "core/others")
    assert [found.split(",")[0] for found in since()] == ["2 commits"]


def test_a_commit_of_results_is_none_of_the_code(tree):
    """Pages that are committed one after the other are of the same commit."""
    said = machine.here()
    git(tree, "add", "bench/results")
    git(tree, "commit", "--quiet", "--message", "results")
    assert machine.here() == said
    change(tree, "docs/page")
    assert machine.here() != said


def test_a_page_says_its_commit(tree):
    (said,) = machine.commits_of((tree / "bench/results/speed.md").read_text())
    assert said == machine.here()
    (tree / "core/code").write_text("not committed")
    assert machine.here() == f"{said} and changes to it"
    text = Counts({}, {"rbp": Cost(1, 2)}, machine.here()).text()
    assert Counts.of_text(text).measured_on == machine.here() == machine.commits_of(text)[0]


@pytest.mark.parametrize("text", ["", "Measured on an unknown commit.", "Measured on a Pi."])
def test_what_nobody_knows_is_listed(text, tree):
    (tree / "bench/results/speed.md").write_text(text)
    assert since() == ["not known"]


def test_a_commit_of_another_history(tree):
    (tree / "bench/results/speed.md").write_text("Measured on commit `0123456789ab`.")
    assert since() == ["not known: the commit is not in this repository"]


def test_without_a_repository(tree, monkeypatch):
    monkeypatch.setattr(machine, "ROOT", tree / "core")
    (tree / ".git").rename(tree / "gone")
    assert machine.here() == machine.UNKNOWN
    assert f"Measured on {machine.UNKNOWN}." in Report("T", "I", [Table("t", ["a"], [])]).markdown()


def test_every_page_is_listed_and_what_it_measures_is_there():
    root = Path(older.__file__).parents[1]
    pages = {page.path for page in older.PAGES}
    there = {f"results/{path.name}" for path in (root / "bench/results").glob("*.md")}
    assert pages >= there
    told = (root / "bench/README.md").read_text()
    for page in older.PAGES:
        assert (root / "bench" / page.path).is_file()
        assert re.findall(r"python -m ([\w.]+)", page.command)[0] in told
        if page.path.endswith(".md"):
            file = root / "bench" / page.path
            for link in re.findall(r"\]\(([^)#:]+)", file.read_text(encoding="utf-8")):
                assert (file.parent / link).exists(), (page.path, link)
        for path in page.measures:
            assert list(root.glob(path.removeprefix(":!"))), path
