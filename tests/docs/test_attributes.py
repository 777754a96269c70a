"""Every attribute that a docstring names exists."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import edgeolk
import firmware_sim

#: The section of a docstring, up to the next one.
_SECTION = re.compile(r"^Attributes\n-+\n(.*?)(?=^\w[^\n]*\n---|\Z)", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"^(\w+(?:, \w+)*) :", re.MULTILINE)


def classes(package: ModuleType) -> Iterator[type]:
    """The package's own classes."""
    for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if one.name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(one.name)
        except ImportError:  # of an extra that is not installed
            continue
        for thing in vars(module).values():
            if inspect.isclass(thing) and thing.__module__ == module.__name__:
                yield thing


def named(kind: type) -> list[str]:
    """The attributes that the docstring of a class names."""
    section = _SECTION.search(inspect.cleandoc(kind.__doc__ or ""))
    entries = _ENTRY.findall(section[1]) if section else []
    return [name for entry in entries for name in entry.split(", ")]


@cache
def sources(module: str) -> dict[str, str]:
    """The text of each class of a module; empty if it is compiled."""
    path = Path(getattr(sys.modules[module], "__file__", None) or "")
    if path.suffix != ".py":
        return {}
    text = path.read_text(encoding="utf-8")
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    lines = text.splitlines()
    return {node.name: "\n".join(lines[node.lineno : node.end_lineno]) for node in nodes}


def has(kind: type, name: str) -> bool:
    """Whether objects of a class have an attribute: declared, or set by a method."""
    for base in kind.__mro__:
        if name in vars(base) or name in vars(base).get("__annotations__", {}):
            return True
        text = sources(base.__module__).get(base.__name__, "")
        if re.search(rf"\bself\.{name}\b[^=\n]*=|\bself, \"{name}\"", text):
            return True
    return False


class Wrong:
    """A class.

    Attributes
    ----------
    size, half : int
        Two numbers.
    lost : int
        Not there.

    Examples
    --------
    other : int
    """

    size: int

    def __init__(self) -> None:
        self.half = self.size / 2


def test_an_attribute_that_is_missing_is_found() -> None:
    assert named(Wrong) == ["size", "half", "lost"]
    assert [name for name in named(Wrong) if not has(Wrong, name)] == ["lost"]


@pytest.mark.parametrize("package", [edgeolk, firmware_sim], ids=lambda one: one.__name__)
def test_named_attributes_exist(package: ModuleType) -> None:
    found = [(kind, name) for kind in classes(package) for name in named(kind)]
    assert len(found) > 60
    missing = [f"{kind.__name__}.{name}" for kind, name in found if not has(kind, name)]
    assert missing == []
