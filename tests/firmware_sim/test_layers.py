"""Folders of the simulator import one way; what is for type checkers alone does not count."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import firmware_sim

ROOT = Path(firmware_sim.__file__).parent
#: From the ground up; a folder imports only what stands before it.
LAYERS = (
    *("errors", "plaintext", "containment", "streams", "metrics", "boards", "tasks"),
    *("configuration", "config", "device", "mcu", "replaying", "report", "deployment"),
    *("comparison", "fleet", "cli", "__main__"),
)


def imported(node: ast.AST) -> Iterator[str]:
    """Folders of the simulator that the code imports when it runs, wherever the import stands."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.ImportFrom):
            package, _, module = (child.module or "").partition(".")
            if package == "firmware_sim":
                yield from [module.split(".")[0]] if module else [name.name for name in child.names]
        yield from imported(child)


def test_every_folder_has_its_place() -> None:
    there = {path.stem for path in ROOT.glob("*.py")} | {p.parent.name for p in ROOT.glob("*/*.py")}
    assert there == {*LAYERS, "__init__"}


def test_imports_go_one_way() -> None:
    seen = 0
    for path in ROOT.rglob("*.py"):
        own = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        for other in imported(ast.parse(path.read_text(encoding="utf-8"))):
            if other != own:
                assert LAYERS.index(other) < LAYERS.index(own), f"{path} imports {other}"
                seen += 1
    assert seen > 100


def test_folders_say_what_they_are_for() -> None:
    for path in ROOT.glob("*/__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path
