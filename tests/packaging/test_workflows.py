"""Workflows: actions are pinned by hash, and what they run exists."""

from __future__ import annotations

import importlib.util
import re

from helpers import ROOT

FOLDER = ROOT / ".github/workflows"
TEXTS = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.yml"))}
USES = {name: re.findall(r"uses: (\S+)(.*)", text) for name, text in TEXTS.items()}


def test_every_action_is_pinned_by_hash_with_its_version() -> None:
    assert sum(map(len, USES.values())) > 10
    for name, uses in USES.items():
        for action, comment in uses:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), f"{name}: {action}"
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), f"{name}: {action}{comment}"


def test_an_action_has_one_version() -> None:
    hashes: dict[str, set[str]] = {}
    for uses in USES.values():
        for action, comment in uses:
            owner, _, commit = action.partition("@")
            hashes.setdefault("/".join(owner.split("/")[:2]), set()).add(commit + comment)
    assert [action for action, found in hashes.items() if len(found) > 1] == []


def test_no_job_may_write_unless_it_says_so() -> None:
    for name, text in TEXTS.items():
        assert "\npermissions:\n  contents: read\n" in text, name
        assert text.count("timeout-minutes:") == text.count("runs-on:"), name


def test_targets_and_modules_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    everything = "\n".join(TEXTS.values())
    [matrix] = re.findall(r"target: \[(.*)\]", everything)
    words = re.findall(r"run: make (.*)", everything)
    targets = [word for line in words for word in line.split() if re.fullmatch(r"[a-z-]+", word)]
    assert len(targets) > 4
    for target in [*targets, *matrix.split(", ")]:
        assert re.search(rf"^(?:.* )?{target}(?: .*)?:", makefile, re.MULTILINE), target
    modules = re.findall(r"python -m (release\.\w+)|-p (release\.\w+)", everything)
    assert modules
    for found in modules:
        assert importlib.util.find_spec("".join(found)), found


def test_classifiers_are_the_pythons_of_the_wheels() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    [build] = re.findall(r'^build = "(.*)"$', text, re.MULTILINE)
    built = {tag.removesuffix("-*") for tag in build.split()}
    named = {f"cp3{minor}" for minor in re.findall(r"Python :: 3\.(\d+)\"", text)}
    assert {tag.removesuffix("t") for tag in built} == named
    assert any(tag.endswith("t") for tag in built) == ("Free Threading" in text)


def test_the_owner_is_replaced_by_one_command() -> None:
    page = (ROOT / "docs/releasing.md").read_text("utf-8")
    [files] = re.findall(r"sed -i 's/OWNER/NAME/' (.*?)`", page)
    # Every file below these is text of the project; two speak of the placeholder itself.
    speaking = ("releasing.md", "wheels.yml")
    every = [*ROOT.glob("*.*"), *(ROOT / ".github").rglob("*"), *(ROOT / "docs").glob("*.md")]
    having = {
        str(path.relative_to(ROOT)) for path in every
        if path.is_file() and path.suffix not in (".png", ".so") and path.name not in speaking
        and re.search(r"\bOWNER\b", path.read_text("utf-8", errors="ignore"))
    }
    assert having == set(files.split())
