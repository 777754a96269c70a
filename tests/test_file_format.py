"""The page of the file format lists the numbers that the code writes."""

from __future__ import annotations

import re
from pathlib import Path

from edgeolk.configuration import header as head
from edgeolk.configuration.families import FAMILIES
from edgeolk.configuration.regions import ELEMENT_BYTES
from edgeolk.files.live import WORDS
from edgeolk.parts.numbers import AXES, Algorithm, Family, KernelKind
from edgeolk.sorf.options import LIST_DEFAULTS, WIDTHS

PAGE = (Path(__file__).parent.parent / "docs" / "file-format.md").read_text()
#: Lines that are wrapped are one line.
SECTIONS = {
    text.split("\n", 1)[0]: re.sub(r"\s*\n\s*", " ", text.split("\n", 1)[1])
    for text in PAGE.split("\n## ")[1:]
}


def numbers(text: str) -> dict[str, int]:
    """Each `name` with the number that follows it."""
    return {name: int(number) for name, number in re.findall(r"`([\w.]+)` (\d+)", text)}


def series(text: str) -> tuple[float, ...]:
    """The comma-separated numbers."""
    return tuple(float(number) for number in text.split(","))


def test_header() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) \|", PAGE, re.M)
    end = 0
    for offset, nbytes in rows:
        assert int(offset) == end
        end += int(nbytes)
    assert end == head.FIXED_BYTES
    assert f"| {head.CRC_OFFSET} | 4 | CRC-32" in PAGE
    assert f"| 4 | 1 | format version, {head.VERSION} |" in PAGE


def test_regions() -> None:
    text = SECTIONS["Regions"]
    told, elements = text.split("Numbers of element types:")
    assert numbers(told) == head.REGIONS
    assert numbers(elements.split(".")[0]) == head.ELEMENTS
    assert set(head.ELEMENTS) == set(ELEMENT_BYTES)


def test_words() -> None:
    types = {"float64": "d", "int64": "q"}
    told = {
        region: tuple((word, types[kind]) for word, kind in re.findall(r"`(\w+)` (\w+)", words))
        for region, words in re.findall(r"^\| (\w+) \| (`.*) \|$", PAGE, re.M)
    }
    assert told == WORDS


def test_values() -> None:
    text = SECTIONS["Values"]
    shared, own = text.split("Of the ring family:")
    of_ring, own = own.split("Of the sorf family:")
    of_sorf, rest = own.split("A parameter with several numbers")
    told = {Family.RING: numbers(of_ring), Family.SORF: numbers(of_sorf)}
    known = {number: head.value_numbers(row) for number, row in FAMILIES.items()}
    listed = ("blends", "interval", "widths")
    lists = {name for name in known[Family.SORF] if name.startswith(listed)}
    for family, found in told.items():
        written = {**numbers(shared), **found}
        assert written == {n: v for n, v in known[family].items() if n not in lists}
    several, omitted = rest.split("These values are not written")
    ends = {"interval.0": 168, "blends.0": 184, "widths0.0": 192, "widths3.7": 223}
    assert all(f"`{name}`" in several and str(v) in several for name, v in ends.items())
    assert {name: known[Family.SORF][name] for name in ends} == ends
    values, left_out = omitted.split("Lists that are not written")
    found = re.findall(r"`([\w.]+)` = ([\d.]*\d)", values)
    assert {name: float(value) for name, value in found} == {
        name: value for row in FAMILIES.values() for name, value in head.omitted_values(row).items()
    }
    (blends,) = re.findall(r"`blends` = ([^;]*);", left_out)
    (levels,) = re.findall(r"`interval` = ([^;]*);", left_out)
    assert {"blends": series(blends), "interval": series(levels)} == LIST_DEFAULTS
    rows = re.findall(r"^\| (\d) \| (\d[^|]*)\|([^|]*)\|([^|]*)\|$", PAGE, re.M)
    assert {
        int(groups): tuple(series(text) for text in cells if text.strip())
        for groups, *cells in rows
    } == WIDTHS


def test_parts() -> None:
    told = SECTIONS["Parts"].split("are numbers from this list.")
    assert tuple(re.findall(r"`(\w+)`", told[0].split(". `degree`")[0])) == head.PARTS
    kinds = {"family": Family, **AXES, "kernel": KernelKind, "algorithm": Algorithm}
    lists = dict(re.findall(r"- (\w+): ([^.]*)\.", told[1]))
    assert set(lists) == {"family", *head.PARTS} - {"degree"}
    for name, text in lists.items():
        assert numbers(text) == {member.name: member.value for member in kinds[name]}, name
