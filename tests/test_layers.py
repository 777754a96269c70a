"""Folders import in one direction; no two modules import each other, even for type checkers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import edgeolk
import firmware_sim

#: Folders and modules of each package, from the ground up: each imports only what stands before it.
#: A module of a folder has an entry if it is of another layer than the rest of the folder.
LAYERS = {
    edgeolk: (
        "version",
        "errors",
        "progress",
        "checks",
        "intervals",
        "calibration",
        "probabilities",
        "arrays",
        "gamma",
        "parts",
        "scaling.record",
        "scaling.arguments",
        "configuration.settings",
        "configuration.regions",
        "configuration.arguments",
        "configuration.family",
        "core",
        "ring",
        "sorf",
        "core.generate",
        "engine",
        "rows",
        "configuration",
        "sorf.faces",
        "files",
        "scaling",
        "windows",
        "block",
        "bare",
        "counters",
        "inputs",
        "learner",
        "wrapped",
        "names",
        "named",
        "loading",
        "checkpointer",
        "export",
        "hosting",
        "river",
        "sklearn",
        "reference",
        "cli",
        "__main__",
    ),
    firmware_sim: (
        *("errors", "plaintext", "drawing", "containment", "streams", "metrics", "boards", "kinds"),
        *("configuration", "device", "mcu", "replaying", "report", "deployment"),
        *("comparison", "fleet", "cli", "__main__"),
    ),
}
CODE = (".py", ".pyx", ".pxd")
_IMPORTS = (ast.Import, ast.ImportFrom)
packages = pytest.mark.parametrize("package", LAYERS, ids=lambda package: package.__name__)


def sources(root: Path) -> Iterator[tuple[str, Path]]:
    """Every file with code in it, and its dotted name below the package."""
    for path in root.rglob("*.p*"):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        if path.suffix in CODE and name != "__init__":
            yield name, path


def layer_of(package: ModuleType, name: str) -> str:
    """The entry of LAYERS that a module, or a name in it, belongs to."""
    first, *rest = name.split(".")
    both = ".".join([first, *rest[:1]])
    return both if both in LAYERS[package] else first


def imported(package: str, node: ast.AST) -> Iterator[str]:
    """The dotted names that code imports from the package, anywhere in it."""
    for child in ast.walk(node):
        if isinstance(child, ast.ImportFrom):
            first, _, module = (child.module or "").partition(".")
            if first == package:
                yield from (f"{module}.{name.name}".lstrip(".") for name in child.names)


def imports_of(package: str, path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return imported(package, ast.parse(text))
    return iter(re.findall(rf"^ *from {package}\.(\w[\w.]*) c?import", text, re.MULTILINE))


@packages
def test_imports_go_one_way(package: ModuleType) -> None:
    layers, seen = LAYERS[package], 0
    for name, path in sources(Path(package.__file__).parent):
        own = layer_of(package, name)
        for imported_name in imports_of(package.__name__, path):
            other = layer_of(package, imported_name)
            if other != own:
                assert layers.index(other) < layers.index(own), f"{path} imports {other}"
                seen += 1
    assert seen > 100


@packages
def test_everything_has_its_place(package: ModuleType) -> None:
    names = (name for name, _ in sources(Path(package.__file__).parent))
    assert {layer_of(package, name) for name in names} == set(LAYERS[package])
    assert len(LAYERS[package]) == len(set(LAYERS[package]))


def modules(root: Path) -> dict[str, Path]:
    """Return the modules of a package by dotted name; a package is its ``__init__``."""
    found = {}
    for path in root.rglob("*.py*"):
        if path.suffix in (".py", ".pyx"):
            parts = path.relative_to(root.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def import_graph(root: Path) -> dict[str, set[str]]:
    """Return the modules that each module imports, wherever and for whomever the import is."""
    found, graph = modules(root), {}
    for name, path in found.items():
        text = path.read_text(encoding="utf-8")
        lines = re.findall(r"^ *((?:from [\w.]+ )?import [^\n(]+)", text, re.MULTILINE)
        if path.suffix == ".py":
            nodes = ast.walk(ast.parse(text))
            lines = [ast.unparse(one) for one in nodes if isinstance(one, _IMPORTS)]
        graph[name] = set()
        for line in lines:
            source, _, names = line.removeprefix("from ").rpartition("import ")
            source = source.strip()
            for one in (words.split()[0] for words in names.split(",")):
                full = f"{source}.{one}" if source else one
                graph[name] |= {full if full in found else source} & {*found} - {name}
    return graph


def circles(graph: dict[str, set[str]]) -> list[str]:
    """Return the modules that are part of a circle, or stand between two circles."""
    left = {*graph}
    before: set[str] = set()
    while before != left:
        before = left
        imported = set().union(*(graph[name] for name in left))
        left = {name for name in left & imported if graph[name] & left}
    return sorted(left)


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set(), "e": {"d"}}
    assert circles(graph) == ["b", "c"]
    assert circles({**graph, "c": set()}) == []


@packages
def test_no_modules_import_each_other(package: ModuleType) -> None:
    graph = import_graph(Path(package.__file__).parent)
    assert len(graph) > 100
    assert sum(map(len, graph.values())) > 300
    assert circles(graph) == []


def test_folders_of_the_simulator_say_what_they_are_for() -> None:
    for path in Path(firmware_sim.__file__).parent.glob("*/__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path
