"""Reads the declarations in the headers of ``edgeolk/c``, their only source.

``generate.py`` writes structs, functions and constants for Cython, the exporter writes members of
structs, benchmarks fill them through ctypes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

C_FOLDER = Path(__file__).parents[1] / "c"

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ENUM = re.compile(r"\benum \{([^}]*)\};")
_STRUCT = re.compile(r"typedef struct \{([^}]*)\} (\w+);")
_POINTER = re.compile(r"([\w ]+?)\s*\(\*(\w+)((?:\[\w+\])?)\)\((.*)\)", re.DOTALL)
_NAMED_POINTER = re.compile(r"typedef ([\w ]+?) \(\*(\w+)\)\(([^;]*)\);")
_DECLARATION = re.compile(r"\s*((?:const )?\w+) (.*)", re.DOTALL)
_MEMBER = re.compile(r"(\**)(\w+)((?:\[[^\]]+\])*)")
_FUNCTION = re.compile(
    r"^static (?:inline|OLK_\w+) ([\w ]+ \**)(\w+)\(((?:[^()]|\(\*\w+\))*)\)$", re.MULTILINE
)
_VARIABLES = re.compile(r"^static const (\w+) (\w+ = [^{;]*);", re.MULTILINE)


class Member(NamedTuple):
    """A member: its C type, including ``*``, and the size of each dimension.

    The type of a function pointer is its return type, ``(*)`` and its parameters.
    """

    name: str
    kind: str
    sizes: tuple[int, ...]


def _number(text: str, known: dict[str, int]) -> int:
    """The value of a constant: a sum of names and numbers."""
    return sum(known[part] if part in known else int(part) for part in text.split(" + "))


def _text(header: str) -> str:
    return _COMMENT.sub("", (C_FOLDER / header).read_text(encoding="utf-8"))


def functions(header: str) -> dict[str, tuple[str, list[str]]]:
    """The functions of a header: return type, and parameter types without names."""
    found = {}
    for returned, name, parameters in _FUNCTION.findall(_text(header)):
        words = " ".join(parameters.replace("restrict ", "").split()).split(", ")
        kinds = [re.sub(r"\w+(?=$|\)\[)", "", word).strip() for word in words]
        found[name] = returned.strip(), kinds
    return found


def variables(header: str) -> dict[str, str]:
    """The types of constants that are not enumerators."""
    return {
        name: kind
        for kind, names in _VARIABLES.findall(_text(header))
        for name in re.findall(r"(\w+) = ", names)
    }


def _pointer(returned: str, parameters: str) -> str:
    return f"{returned.strip()} (*)({' '.join(parameters.split())})"


def pointers(header: str) -> dict[str, str]:
    """The named function pointer types of a header."""
    found = _NAMED_POINTER.findall(_text(header))
    return {name: _pointer(returned, parameters) for returned, name, parameters in found}


def read(
    header: str, known: Mapping[str, int] | None = None
) -> tuple[dict[str, int], dict[str, tuple[Member, ...]]]:
    """Constants of the enums of a header in ``edgeolk/c``, and members of its structs.

    known: constants of the headers that it includes. Constants that depend on the compiler are
    omitted.
    """
    text = _text(header)
    constants: dict[str, int] = {}
    for body in _ENUM.findall(text):
        for line in filter(str.strip, body.split(",")):
            name, _, value = line.strip().partition(" = ")
            if all(part.isdigit() or part in constants for part in value.split(" + ")):
                constants[name] = _number(value, constants)
    sizes_of = {**(known or {}), **constants}
    structs = {}
    for body, struct in _STRUCT.findall(text):
        members = []
        for declaration in filter(str.strip, body.split(";")):
            if pointer := _POINTER.fullmatch(declaration.strip()):
                returned, name, size, parameters = pointer.groups()
                dimensions = (sizes_of[size[1:-1]],) if size else ()
                members.append(Member(name, _pointer(returned, parameters), dimensions))
                continue
            kind, names = _DECLARATION.findall(declaration)[0]
            for stars, name, sizes in _MEMBER.findall(names):
                numbers = [_number(size, sizes_of) for size in re.findall(r"\[([^\]]+)\]", sizes)]
                members.append(Member(name, f"{kind} {stars}".strip(), tuple(numbers)))
        structs[struct] = tuple(members)
    return constants, structs
