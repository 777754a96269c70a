"""The structs of ``loops``, read from the headers: they are declared only there.

``generate.py`` writes them for Cython, the exporter writes their members, benchmarks fill them
through ctypes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

LOOPS = Path(__file__).parent / "loops"

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ENUM = re.compile(r"\benum \{([^}]*)\};")
_STRUCT = re.compile(r"typedef struct \{([^}]*)\} (\w+);")
_DECLARATION = re.compile(r"\s*((?:const )?\w+) (.*)", re.DOTALL)
_MEMBER = re.compile(r"(\**)(\w+)((?:\[[^\]]+\])*)")


class Member(NamedTuple):
    """One member: its type as C spells it, ``*`` included, and the size of each dimension."""

    name: str
    kind: str
    sizes: tuple[int, ...]


def _number(text: str, known: dict[str, int]) -> int:
    """The value of a constant: names and numbers, added."""
    return sum(known[part] if part in known else int(part) for part in text.split(" + "))


def read(header: str) -> tuple[dict[str, int], dict[str, tuple[Member, ...]]]:
    """Constants of the enums of a header in ``loops``, and members of its structs."""
    text = _COMMENT.sub("", (LOOPS / header).read_text(encoding="utf-8"))
    constants: dict[str, int] = {}
    for body in _ENUM.findall(text):
        for line in filter(str.strip, body.split(",")):
            name, value = line.strip().split(" = ")
            constants[name] = _number(value, constants)
    structs = {}
    for body, struct in _STRUCT.findall(text):
        members = []
        for declaration in filter(str.strip, body.split(";")):
            kind, names = _DECLARATION.findall(declaration)[0]
            for stars, name, sizes in _MEMBER.findall(names):
                numbers = [_number(size, constants) for size in re.findall(r"\[([^\]]+)\]", sizes)]
                members.append(Member(name, f"{kind} {stars}".strip(), tuple(numbers)))
        structs[struct] = tuple(members)
    return constants, structs
