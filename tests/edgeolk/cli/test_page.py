"""The generated page: one address a section, tables that are tables, words for every option."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

import edgeolk as ek
from edgeolk.cli.page import anchor, page, parameter_rows, table
from edgeolk.parts.descriptions import CHOICES


@cache
def the_page() -> str:
    return page()


def addresses(text: str) -> list[str]:
    """Explicit ones, and those that readers of Markdown make of a heading."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    made = ["".join(c for c in h.lower() if c.isalnum() or c in "-_") for h in headings]
    # The second of two equal headings gets a number.
    return [f"{name}-{made[:i].count(name)}" if name in made[:i] else name
            for i, name in enumerate(made)]  # fmt: skip


def test_addresses_are_different_and_linked() -> None:
    found = addresses(the_page())
    assert len(found) == len(set(found))
    linked = re.findall(r"algorithms\.md#([^)]*)\)", table())
    assert len(linked) == len(set(linked)) == len(ek.algorithms())
    assert set(linked) <= set(found)
    # The link of each leads to its own section.
    sections = dict(zip(found, re.findall(r"^#+ (.*)$", the_page(), re.M), strict=True))
    for row in ek.algorithms():
        assert sections[anchor(row.name)] == row.name


@pytest.mark.parametrize("text", [the_page, table], ids=["page", "table"])
def test_every_line_of_a_table_has_its_cells(text: Callable[[], str]) -> None:
    lines = text().splitlines()
    rules = [i for i, line in enumerate(lines) if re.fullmatch(r"\|(---\|)+", line)]
    assert rules
    for at in rules:
        cells = lines[at].count("|")
        assert len(re.findall(r"(?<!\\)\|", lines[at - 1])) == cells
        for line in lines[at + 1 :]:
            if not line.startswith("|"):
                break
            assert len(re.findall(r"(?<!\\)\|", line)) == cells, line


def test_every_option_has_words() -> None:
    said = set()
    for row in ek.algorithms():
        meanings = {name: meaning for name, _, _, meaning in parameter_rows(row)}
        for name, options in row.choices.items():
            for option in options:
                assert f"{option!r}: {CHOICES[name][1][option]}" in meanings[name]
                said.add((name, option))
    assert said == {(name, option) for name, (_, told) in CHOICES.items() for option in told}


def test_what_freezes_is_said() -> None:
    sections = dict(zip([row.name for row in ek.algorithms()],
                        re.split(r"^## ", the_page(), flags=re.M)[1:], strict=True))  # fmt: skip
    for row in ek.algorithms():
        assert ("frozen: examples" in sections[row.name]) == row.freezes
