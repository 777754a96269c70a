"""Numbers, arrays and the bytes of a model as C99 code."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any

#: The largest float.
MOST_SINGLE = (2.0 - 2.0**-23) * 2.0**127
#: The row of a program that uses a model, and the call that predicts, for READMEs.
ROW = "ek_number row[EK_FEATURES];"
PREDICTS = "ek_predict(arena, row, &label); /* the answer for a row */"


class Single(float):
    """A number that is written as a float of C."""


def as_singles(value: Any) -> Any:
    """Doubles rounded to floats, in nested lists and dicts too; those beyond, to the largest."""
    if isinstance(value, dict):
        return {name: as_singles(v) for name, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_singles(v) for v in value]
    if isinstance(value, float):
        within = min(max(value, -MOST_SINGLE), MOST_SINGLE)
        return Single(struct.unpack("<f", struct.pack("<f", within))[0])
    return value


def number(value: Any) -> str:
    """An integer, or a float or double to its last bit."""
    if isinstance(value, float):
        return f"{value.hex()}f" if isinstance(value, Single) else value.hex()
    return f"UINT64_C({value})" if value > 2**31 - 1 else str(value)


def braced(value: Any) -> str:
    """A number, or an initialiser with the dimensions of a nested list."""
    if isinstance(value, (list, tuple)):
        return "{" + ", ".join(map(braced, value)) + "}"
    return number(value)


def _is_zero(value: Any) -> bool:
    """Whether a number is 0, or all numbers of a nested list or dict are."""
    if isinstance(value, dict):
        return all(map(_is_zero, value.values()))
    return all(map(_is_zero, value)) if isinstance(value, list) else not value


def designated(value: Any) -> str:
    """A number, or an initialiser of a struct by the names of its members, or of an array.

    Members that are 0, and zeros at the end of an array, are left out.
    """
    if isinstance(value, dict):
        found = [f".{name} = {designated(v)}" for name, v in value.items() if not _is_zero(v)]
    elif isinstance(value, list):
        end = max((i + 1 for i, v in enumerate(value) if not _is_zero(v)), default=0)
        found = [designated(v) for v in value[:end]]
    else:
        return number(value)
    return "{" + ", ".join(found or ["0"]) + "}"


def wrapped(initialiser: str) -> str:
    """The same as the value of a macro, on lines that a person can read."""
    glued = initialiser.replace(" = ", "\xa0=\xa0")
    lines = wrap(glued, 94, break_long_words=False, break_on_hyphens=False)
    return " \\\n    ".join(["", *lines]).replace("\xa0", " ").lstrip(" ")


def array(kind: str, name: str, items: Iterable[str], where: str = "") -> str:
    """The definition of a constant array; ``where``: an attribute, with a space."""
    lines = wrap(", ".join(items), 96)
    numbers = "\n".join(f"    {line}" for line in lines)
    return f"{where}const {kind} {name}[] = {{\n{numbers}\n}};\n"


#: Macros for programs, which get a comment with the value in decimal.
IN_DECIMAL = ("EK_MOST", "EK_MOST_WEIGHT")


def literal(text: str) -> str:
    """A string literal of C for a text in UTF-8."""
    letters = (
        chr(byte) if 31 < byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
        for byte in text.encode()
    )
    return f'"{"".join(letters)}"'


def defines(values: dict[str, Any]) -> str:
    """One macro per line; numbers are converted, strings are C code already."""
    return "".join(
        f"#define {name} {value if isinstance(value, str) else braced(value)}"
        + (f" /* {value:.6g} */\n" if name in IN_DECIMAL else "\n")
        for name, value in values.items()
    )


def by_arithmetic(name: str, counts: dict[str, int]) -> str:
    """A macro with a number of bytes that depends on the flags for the arithmetic."""
    given = {flag.removeprefix("-D"): count for flag, count in counts.items() if flag}
    lines: list[str] = []
    for flag in sorted(given):
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
        Names and values.
    declared, defined : str
        C of the header, and of the source.
    arena, constants : int
        Bytes of RAM, and of the arrays.
    stacks : dict
        Compiler flag ("" for none) -> the maximum stack of any call, in bytes.
    scratch : dict
        The same flags -> bytes of scratch in the arena; empty if there is none.
    classes : tuple of str
        Names of the classes; empty if they have none.
    """

    macros: dict[str, Any]
    declared: str
    defined: str
    arena: int
    constants: int
    stacks: dict[str, int] = field(default_factory=dict)
    scratch: dict[str, int] = field(default_factory=dict)
    classes: tuple[str, ...] = ()

    @property
    def _place(self) -> str:
        """The index of a label's name, in C."""
        return "label > 0" if self.macros["EK_COLUMNS"] == 1 else "(int)label"

    @property
    def header(self) -> str:
        """model.h."""
        return (
            "/* The sizes and options of one model. */\n"
            "#ifndef EDGEOLK_MODEL_H\n#define EDGEOLK_MODEL_H\n\n#include <stdint.h>\n\n"
            + defines(self.macros)
            + by_arithmetic("EK_STACK_BYTES", self.stacks)
            + (by_arithmetic("EK_SCRATCH_BYTES", self.scratch) if self.scratch else "")
            + (f"#define EK_CLASSES {len(self.classes)}\n" if self.classes else "")
            + '\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
            + self.declared
            + self._declared_classes
            + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
        )

    @property
    def source(self) -> str:
        """model.c."""
        about = "/* The model as it was when it was exported. */"
        text = f'{about}\n#include "model.h"\n\n{self.defined}'
        if self.classes:
            names = "".join(f"    {literal(name)},\n" for name in self.classes)
            text += f"\nconst char *const ek_class_names[EK_CLASSES] = {{\n{names}}};\n"
        return text

    @property
    def _declared_classes(self) -> str:
        if not self.classes:
            return ""
        return (
            f"/* The name of a label in UTF-8: ek_class_names[{self._place}]. */\n"
            "extern const char *const ek_class_names[EK_CLASSES];\n"
        )


#: This many consecutive zeros end a run.
GAP = 16


def runs(data: bytes, head: int) -> list[tuple[int, int]]:
    """Offset and length of each non-zero run; the first run contains the header."""
    found = [(0, head)]
    at = head
    while at < len(data):
        if data[at] == 0:
            at += 1
            continue
        end = data.find(bytes(GAP), at)
        end = len(data) if end < 0 else end
        found.append((at, end - at))
        at = end
    return found


def image_definitions(data: bytes, head: int) -> tuple[int, int, str]:
    """The number of runs, their bytes with the table, and the C definitions of both."""
    found = runs(data, head)
    stored = b"".join(data[start : start + length] for start, length in found)
    places = "".join(f"    {{{start}u, {length}u}},\n" for start, length in found)
    return (
        len(found),
        len(stored) + 8 * len(found),
        (
            f"const ek_run ek_model_runs[EK_RUNS] = {{\n{places}}};\n\n"
            + array("uint8_t", "ek_model_bytes", (str(byte) for byte in stored), "EK_FLASH_DATA ")
        ),
    )
