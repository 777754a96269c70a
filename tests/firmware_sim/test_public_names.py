"""The simulator uses the library by its public names alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import firmware_sim
from edgeolk import hosting

ROOT = Path(firmware_sim.__file__).parent
PUBLIC = {"edgeolk", "edgeolk.bare", "edgeolk.errors", "edgeolk.hosting"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_doors(text: str, own: set[str]) -> list[str]:
    """Modules that are not public, and attributes that are no names of this package's own."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "edgeolk":
            found += [node.module] if node.module not in PUBLIC else []
        if isinstance(node, ast.Import):
            found += [one.name for one in node.names if one.name.startswith("edgeolk.")]
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            found.append(node.attr)
    return [str(one) for one in found]


def own_names() -> set[str]:
    """Private names that this package defines: functions, attributes of itself, constants."""
    found: set[str] = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
    return {name for name in found if is_private(name)}


@pytest.mark.parametrize(
    "text",
    [
        "learner._engine.freeze()",
        "from edgeolk.parts.losses import LOSSES",
        "import edgeolk.configuration.config",
    ],
)
def test_private_doors_are_found(text: str) -> None:
    assert private_doors(text, own_names())


def test_the_library_is_used_by_public_names() -> None:
    own = own_names() | {
        "_asdict",
        "_fields",
        "_replace",
        "_exit",
        "_actions",
    }  # of the standard library
    found = {
        str(path.relative_to(ROOT)): private_doors(path.read_text(encoding="utf-8"), own)
        for path in sorted(ROOT.rglob("*.py"))
    }
    assert {name: some for name, some in found.items() if some} == {}


def test_every_name_for_hosts_is_there() -> None:
    assert all(getattr(hosting, name) is not None for name in hosting.__all__)
    with pytest.raises(AttributeError, match="no attribute 'rows'"):
        hosting.rows  # noqa: B018
