"""What `python -m release.check` finds missing."""

import pytest

import edgeolk
from release import check


@pytest.fixture
def tidy(tmp_path, monkeypatch):
    """A project in which nothing is missing."""
    citation = "title: x\nversion: 9.8.7\ndate-released: 2001-02-03\n"
    (tmp_path / "CITATION.cff").write_text(citation)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 9.8.7 (2001-02-03)\n\n## 9.8.6\n")
    said = {"status": "", "tag": "v9.8.6"}
    monkeypatch.setattr(check, "ROOT", tmp_path)
    monkeypatch.setattr(check, "git", lambda *words: said[words[0]])
    monkeypatch.setattr(check.record, "missing", list)
    monkeypatch.setattr(check.older, "PAGES", ())
    return tmp_path, said


def test_nothing_is_missing_from_a_tidy_project(tidy):
    assert check.missing("9.8.7") == []


def test_changes_that_are_not_committed(tidy):
    tidy[1]["status"] = " M README.md"
    assert check.missing("9.8.7") == ["the work tree has changes that are not committed"]


def test_a_version_that_is_out(tidy):
    [said] = check.missing("9.8.6")[:1]
    assert said.startswith("v9.8.6 is tagged already")


def test_a_version_that_no_page_names(tidy):
    said = check.missing("9.9.0")
    assert said == [
        "CITATION.cff does not name version 9.9.0",
        "CHANGELOG.md has no section 9.9.0",
    ]


def test_a_version_that_is_called_unreleased(tidy):
    (tidy[0] / "CHANGELOG.md").write_text("## 9.8.7 (unreleased)\n")
    assert check.missing("9.8.7") == ["CHANGELOG.md still calls 9.8.7 unreleased"]


def test_results_that_are_older_than_their_code(tidy, monkeypatch):
    page = check.older.Page("results/x.md", "make x", ("edgeolk",), 1)  # which is not there
    monkeypatch.setattr(check.older, "PAGES", (page,))
    [said] = check.missing("9.8.7")
    assert "bench/results/x.md" in said
    assert said.endswith("`make x`")


def test_a_date_that_the_citation_does_not_have(tidy):
    (tidy[0] / "CHANGELOG.md").write_text("## 9.8.7 (2001-02-04)\n")
    [said] = check.missing("9.8.7")
    assert said.startswith("CITATION.cff has another date-released")


def test_an_owner_that_is_not_named(tidy):
    assert check.for_the_publisher("9.8.7") == ["push the tag v9.8.7: docs/releasing.md, step 7"]
    (tidy[0] / "pyproject.toml").write_text('Source = "https://github.com/OWNER/x"')
    [owner, _] = check.for_the_publisher("9.8.7")
    assert "placeholder OWNER" in owner
    assert check.missing("9.8.7") == []  # the commit itself lacks nothing


def test_a_long_run_that_is_not_recorded(tidy, monkeypatch):
    monkeypatch.setattr(check.record, "missing", lambda: ["no line for asan"])
    assert check.missing("9.8.7") == ["no line for asan"]


def test_it_ends_with_1_and_says_why(tidy, capsys, monkeypatch):
    monkeypatch.setattr(edgeolk, "__version__", "9.9.0")
    assert check.main() == 1
    assert "no section 9.9.0" in capsys.readouterr().out


def test_a_commit_that_lacks_nothing_leaves_the_tag(tidy, capsys, monkeypatch):
    monkeypatch.setattr(edgeolk, "__version__", "9.8.7")
    assert check.main() == 0
    assert capsys.readouterr().out == (
        "nothing is missing for 9.8.7\n"
        "left to the publisher: push the tag v9.8.7: docs/releasing.md, step 7\n")
