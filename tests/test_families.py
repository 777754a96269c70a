"""Nothing but one switch of the engine asks which family a learner is of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import edgeolk
import firmware_sim
from edgeolk.configuration.families import FAMILIES
from edgeolk.configuration.settings import Settings
from edgeolk.parts.numbers import Family

ROOTS = (Path(edgeolk.__file__).parent, Path(firmware_sim.__file__).parent)
#: Files in which a family is asked: the record of both, and the engine, which switches once.
ASKS = {"configuration/families.py"}
#: The same in compiled code: which family it is, or whether there is a ring.
COMPILED = re.compile(
    r"[!=]= *FAMILY_\w+|\bring [!=]= NULL|\bring is (?:not )?None"
    r"|\b(?:if|and|or|not) \w*\.?is_ring\b"
)
#: Flags of old that said which family a learner is of, or which part of one it has.
FLAGS = re.compile(r"\b(is_sorf|update_is_sorf|UPDATE_BLENDED|BLENDED)\b")
#: Records of parts of the sorf family, which only its own code asks for.
PARTS = {"forecaster", "watch"}
#: The only algorithm of the sorf family; code asks for its options or traits, not for its name.
NAME = "sorf"
#: What is a part of the sorf family.
OF_SORF = ("sorf/", "export/sorf.py")


def python() -> Iterator[tuple[str, ast.AST]]:
    for root in ROOTS:
        for path in root.rglob("*.py"):
            name = path.relative_to(root).as_posix()
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def branches(name: str, tree: ast.AST) -> Iterator[str]:
    """Where code compares a family, tests for the class of one, or asks for a part of sorf."""
    for node in ast.walk(tree):
        line = f"{name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            asked = any(isinstance(side, ast.Attribute) and side.attr == "family" for side in sides)
            # A scaler's block has a number in the place of a family's.
            if asked and not any(ast.unparse(side) == "SCALER" for side in sides):
                yield f"{line} compares a family"
            if any(isinstance(n, ast.Constant) and n.value == NAME for n in ast.walk(node)):
                yield f"{line} compares the name of the algorithm"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            text = ast.unparse(node)
            if node.func.id == "isinstance" and re.search(r"\b(Ring|Sorf)Settings\b", text):
                yield f"{line} tests for the class of a family"
        if isinstance(node, ast.Attribute) and node.attr in PARTS:
            of_sorf = name.startswith(OF_SORF) or "config" not in ast.unparse(node.value)
            if not of_sorf:
                yield f"{line} asks for {node.attr}"


def test_no_code_asks_for_the_family() -> None:
    found = [where for name, tree in python() if name not in ASKS for where in branches(name, tree)]
    assert found == []


def test_compiled_code_asks_once() -> None:
    found = [
        (path.relative_to(ROOTS[0]).as_posix(), line.strip())
        for path in [*ROOTS[0].rglob("*.pxd"), *ROOTS[0].rglob("*.pyx")]
        for line in path.read_text(encoding="utf-8").splitlines()
        if COMPILED.search(line)
    ]
    assert found == [("engine/step.pyx", "return &SORF if number == FAMILY_SORF else &RING")]


def test_no_flag_of_old_is_left() -> None:
    for root in ROOTS:
        for path in [*root.rglob("*.py"), *root.rglob("*.pxd"), *root.rglob("*.pyx")]:
            assert not FLAGS.search(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    "code",
    [
        "if config.family == Family.SORF: pass",
        "isinstance(config, SorfSettings)",
        "return 1 if self._config.forecaster else 0",
        "if algorithm in ('sorf', 'bpa_s'): pass",
    ],
)
def test_a_branch_is_found(code: str) -> None:
    assert list(branches("learner.py", ast.parse(code)))


def test_every_family_has_a_row() -> None:
    assert list(FAMILIES) == list(Family)
    for number, row in FAMILIES.items():
        assert row.settings.family == number
        assert issubclass(row.settings, Settings)
        numbers = [option.number for option in row.settings.table.values()]
        assert numbers == list(range(1, len(numbers) + 1))
        assert set(row.implied) <= set(row.kinds)
