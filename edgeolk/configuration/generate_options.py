"""Writes ``options.py``, the types of all arguments, from the rows of parts and algorithms.

Run by ``setup.py``. The file is for editors and type checkers: nothing imports it at run time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from edgeolk.configuration.config import Config
from edgeolk.configuration.families import FAMILIES
from edgeolk.parts.bases import BASES
from edgeolk.parts.methods import METHODS
from edgeolk.parts.numbers import AXES
from edgeolk.parts.option import Option
from edgeolk.parts.table import DEFAULT_PARTS
from edgeolk.scaling.record import ARGUMENTS
from edgeolk.sorf.options import LISTS

#: Types of the arguments that are not parameters with one number.
_OTHERS = {
    "blends": "Sequence[float] | None",
    "widths": "Sequence[float] | Sequence[Sequence[float]] | None",
    "interval": "float | Sequence[float] | None",
    "history": 'bool | Literal["auto"] | None',
    "gamma": 'float | Literal["auto"] | None',
    "kernel_gamma": 'float | Literal["auto"] | None',
    "gamma_rows": "int | None",
    "scale": "str | None",
    "clip": "float | None",
    "scale_clip": "float | None",
    "scale_window": "int | None",
    "freeze_after": "int | None",
    "clip_rows": "float | None",
}

_HEAD = '''\
"""Arguments of a learner for editors and type checkers; `generate_options.py` writes this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from edgeolk.parts.kernels import Kernel
from edgeolk.parts.numbers import (
'''

_COMMON = '''

class Options(Parameters, total=False):
    """Every argument of `Config` but the algorithm."""

'''


def _literal(words: Iterable[str]) -> str:
    quoted = ", ".join(f'"{word}"' for word in words)
    return f"Literal[{quoted}]"


def _number_type(row: Option) -> str:
    """The type of an option."""
    if row.words:
        strings = tuple(word for word in row.words if isinstance(word, str))
        kind = _literal(strings) + ("" if strings == row.words else " | bool")
    else:
        kind = "bool" if row.flag else "int" if row.integer else "float"
    may_be_none = row.none is not None or callable(row.default)
    return kind + (" | None" if may_be_none else "")


def kinds() -> dict[str, set[str]]:
    """The types of the arguments that not all configurations have, by public name."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for axis in DEFAULT_PARTS:
        found[axis] |= {AXES[axis].__name__, "str"}
    for name in (*LISTS, *ARGUMENTS):
        found[name].add(_OTHERS[name])
    for basis in BASES.values():
        if basis.members:
            found[basis.members].add("int | None")
    tables = {number: family.settings.table for number, family in FAMILIES.items()}
    for table in tables.values():
        for name, row in table.items():
            found[name].add(_OTHERS.get(name) or _number_type(row))
    for method in METHODS:
        for alias, name in method.aliases.items():
            found[alias].add(_number_type(tables[method.family][name]))
        for name, options in method.choices.items():
            found[name].add(_literal(options))
    return found


def _union(types: set[str]) -> str:
    """The union of these types."""
    members = {kind for each in types for kind in each.split(" | ")}
    literals = [kind for kind in members if kind.startswith("Literal")]
    if "str" in members:
        members -= set(literals)
    elif len(literals) > 1:
        members -= set(literals)
        words = {word for kind in literals for word in kind[len("Literal[") : -1].split(", ")}
        members.add(f"Literal[{', '.join(sorted(words))}]")
    if "float" in members:
        members -= {"int", "bool"}
    return " | ".join(sorted(members, key=lambda kind: (kind == "None", kind)))


def text() -> str:
    """The text of the file."""
    enums = sorted(AXES[axis].__name__ for axis in DEFAULT_PARTS)
    lines = [f"    {name}," for name in enums]
    lines += [")", "", "", "class Parameters(TypedDict, total=False):"]
    lines += ['    """The parts of a composition, and the parameters of all algorithms."""', ""]
    for name, types in sorted(kinds().items(), key=lambda row: (row[0].lower(), row[0])):
        lines.append(f"    {name}: {_union(types)}")
    common = [f"    {name}: {kind}" for name, kind in Config.__init__.__annotations__.items()]
    common = common[1:-2]  # between the algorithm and its parameters
    return _HEAD + "\n".join(lines) + "\n" + _COMMON + "\n".join(common).replace("'", '"') + "\n"


def write() -> None:
    """Write the file if it would change."""
    target = Path(__file__).with_name("options.py")
    if not target.exists() or target.read_text(encoding="utf-8") != text():
        target.write_text(text(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()
