"""Folders import one way, and no modules import each other, for type checkers neither."""

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
LAYERS = {
    edgeolk: (
        "errors",
        "progress",
        "checks",
        "calibration",
        "arrays",
        "gamma",
        "parts",
        "core",
        "preprocessing",
        "boundary",
        "configuration",
        "forecasting",
        "watching",
        "files",
        "scaling",
        "block",
        "bare",
        "learner",
        "checkpointer",
        "export",
        "wrapped",
        "river",
        "sklearn",
        "reference",
        "cli",
        "__main__",
    ),
    firmware_sim: (
        *("errors", "plaintext", "drawing", "containment", "streams", "metrics", "boards", "tasks"),
        *("configuration", "config", "device", "mcu", "replaying", "report", "deployment"),
        *("comparison", "fleet", "cli", "__main__"),
    ),
}
#: What may import upwards, for types alone: a kind of labels takes the configuration of its replay.
FOR_TYPES = {("tasks", "config")}
CODE = (".py", ".pyx", ".pxd")
packages = pytest.mark.parametrize("package", LAYERS, ids=lambda package: package.__name__)


def sources(root: Path) -> Iterator[tuple[str, Path]]:
    """Every source file, and the folder or module of the package that it belongs to."""
    for path in root.rglob("*.p*"):
        own = path.relative_to(root).parts[0].split(".")[0]
        if path.suffix in CODE and own != "__init__":
            yield own, path


def imported(package: str, node: ast.AST) -> Iterator[str]:
    """The dotted names that code imports from the package, anywhere in it."""
    for child in ast.walk(node):
        if isinstance(child, ast.ImportFrom):
            module = child.module or ""
            if module.split(".")[0] == package:
                yield from (f"{module}.{name.name}" for name in child.names)


def imports_of(package: str, path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return imported(package, ast.parse(text))
    return iter(re.findall(rf"^ *from ({package}\.\w[\w.]*) c?import", text, re.MULTILINE))


@packages
def test_imports_go_one_way(package: ModuleType) -> None:
    layers, seen = LAYERS[package], 0
    for own, path in sources(Path(package.__file__).parent):
        for name in imports_of(package.__name__, path):
            other = name.split(".")[1]
            if other != own and (own, other) not in FOR_TYPES:
                assert layers.index(other) < layers.index(own), f"{path} imports {other}"
                seen += 1
    assert seen > 100


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules that import each other, directly or through others."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        found, new = set[str](), [start]
        while new:
            for other in graph.get(new.pop(), set()) - found:
                found.add(other)
                new.append(other)
        reached[start] = found
    among = [{b for b in graph if b in reached[a] and a in reached[b]} for a in graph]
    return [modules for n, modules in enumerate(among) if modules and modules not in among[:n]]


def test_no_modules_import_each_other() -> None:
    root = Path(edgeolk.__file__).parent
    modules = {
        ".".join((*path.relative_to(root.parent).parent.parts, path.stem)).removesuffix(".__init__")
        for path in root.rglob("*.p*")
        if path.suffix in (*CODE, ".pyi")
    }
    graph: dict[str, set[str]] = {}
    for path in root.rglob("*.py"):
        place = path.relative_to(root.parent).with_suffix("")
        own = ".".join(place.parts).removesuffix(".__init__")
        names = imports_of("edgeolk", path)
        graph[own] = {name if name in modules else name.rpartition(".")[0] for name in names}
    assert len(graph) > 50
    assert circles(graph) == []
    assert circles({**graph, "edgeolk.errors": {"edgeolk.learner"}}) != []


@packages
def test_everything_has_its_place(package: ModuleType) -> None:
    assert {own for own, _ in sources(Path(package.__file__).parent)} == set(LAYERS[package])
    assert len(LAYERS[package]) == len(set(LAYERS[package]))


def test_folders_of_the_simulator_say_what_they_are_for() -> None:
    for path in Path(firmware_sim.__file__).parent.glob("*/__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path
