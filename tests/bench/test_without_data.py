"""Benchmarks whose data are not there: a message and an exit code, not a table of nothing."""

import runpy
import sys

import pytest
from helpers import ROOT

from bench import datasets
from bench.papers import __main__ as papers
from bench.papers import report


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    monkeypatch.setenv("EDGEOLK_DATA", str(tmp_path))
    return tmp_path


def test_the_folder_is_the_one_named(no_data, monkeypatch):
    assert datasets.folder() == no_data
    monkeypatch.delenv("EDGEOLK_DATA")
    assert datasets.folder() == ROOT.parent / "shared" / "data"
    (no_data / "some.libsvm.gz").write_bytes(b"")
    monkeypatch.setenv("EDGEOLK_DATA", str(no_data))
    assert datasets.find("some.libsvm.gz") == no_data / "some.libsvm.gz"
    assert datasets.find("a9a_train.libsvm.gz").parent == ROOT / "tests" / "data"
    with pytest.raises(FileNotFoundError, match="EDGEOLK_DATA"):
        datasets.find("other.libsvm.gz")


@pytest.mark.parametrize("words", [[], ["--quick"], ["--only", "ijcnn1"]], ids=str)
def test_papers_run_nothing(words, no_data, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["papers", *words])
    monkeypatch.setattr(papers, "Workbench", None)  # whatever would run fails
    assert papers.main() == 1
    told = capsys.readouterr()
    assert not told.out
    assert f"ijcnn1_train.libsvm.gz is not in {no_data}" in told.err
    assert "set EDGEOLK_DATA" in told.err


def test_rows_without_files_are_not_held_up(no_data):
    rows = [row for row in papers.ROWS if "checkerboard" in row.name]
    assert rows
    assert papers._without_data(rows) == ""


def test_every_paper_has_its_title():
    assert {row.table.split()[0] for row in papers.ROWS} == set(report.PAPERS)
    text = (ROOT / "bench" / "papers" / "RESULTS.md").read_text(encoding="utf-8")
    for number, paper in report.PAPERS.items():
        assert f"- {number}: {paper}." in text


MODULES = [
    "drift", "instructions", "memory", "memory.steps", "papers", "peers",
    "peers.build_dlib", "peers.tune", "remake", "speed", "time",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize("module", MODULES)
def test_help_runs_nothing(module, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [module, "--help"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module(f"bench.{module}", run_name="__main__")
    assert end.value.code == 0
    assert "usage:" in capsys.readouterr().out
