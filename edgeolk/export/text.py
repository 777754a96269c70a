"""Numbers and arrays as C99 spells them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any


def number(value: Any) -> str:
    """A whole number, or a double to its last bit."""
    if isinstance(value, float):
        return value.hex()
    return f"UINT64_C({value})" if value > 2**31 - 1 else str(value)


def braced(value: Any) -> str:
    """A number, or an initialiser of as many dimensions as there are."""
    if isinstance(value, (list, tuple)):
        return "{" + ", ".join(map(braced, value)) + "}"
    return number(value)


def array(kind: str, name: str, items: Iterable[str]) -> str:
    """The definition of a constant array."""
    lines = wrap(", ".join(items), 96)
    return f"const {kind} {name}[] = {{\n" + "\n".join(f"    {line}" for line in lines) + "\n};\n"


#: Macros that a program may ask for: what they are in decimal stands beside.
IN_DECIMAL = ("EK_MOST", "EK_MOST_WEIGHT")


def defines(values: dict[str, Any]) -> str:
    """One macro a line; numbers are made into C, strings are C already."""
    return "".join(
        f"#define {name} {value if isinstance(value, str) else braced(value)}"
        + (f" /* {value:.6g} */\n" if name in IN_DECIMAL else "\n")
        for name, value in values.items()
    )


def by_arithmetic(name: str, counts: dict[str, int]) -> str:
    """A macro of bytes, by the flags that choose the arithmetic."""
    given = {flag.removeprefix("-D"): count for flag, count in counts.items() if flag}
    lines: list[str] = []
    for flag in sorted(given):  # -DEK_FIXED counts before -DEK_SINGLE
        lines += [f"#{'elif' if lines else 'if'} defined({flag})"]
        lines += [f"#define {name} {given[flag]}u"]
    usual = f"#define {name} {counts.get('', 0)}u"
    return "\n".join([*lines, *(["#else", usual, "#endif"] if lines else [usual])]) + "\n"


@dataclass(frozen=True)
class Model:
    """One model as constants.

    Attributes
    ----------
    macros : dict
        Names and what they stand for.
    declared, defined : str
        C of the header, and of the source.
    arena, constants : int
        Bytes of RAM, and of the arrays.
    stacks : dict
        The most stack of any call, in bytes, for each flag of the compiler; "" where none is given.
    scratch : dict
        Bytes that a call works with in the arena, by the same flags; empty: none.
    """

    macros: dict[str, Any]
    declared: str
    defined: str
    arena: int
    constants: int
    stacks: dict[str, int] = field(default_factory=dict)
    scratch: dict[str, int] = field(default_factory=dict)

    @property
    def header(self) -> str:
        """model.h."""
        return (
            "/* The sizes of one model, and what it is made of. */\n"
            "#ifndef EDGEOLK_MODEL_H\n#define EDGEOLK_MODEL_H\n\n#include <stdint.h>\n\n"
            + defines(self.macros)
            + by_arithmetic("EK_STACK_BYTES", self.stacks)
            + (by_arithmetic("EK_SCRATCH_BYTES", self.scratch) if self.scratch else "")
            + '\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
            + self.declared
            + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
        )

    @property
    def source(self) -> str:
        """model.c."""
        about = "/* The model as it was when it was exported. */"
        return f'{about}\n#include "model.h"\n\n{self.defined}'
