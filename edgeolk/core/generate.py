"""Writes the generated sources of the compiled core from the rows of the parts, at build time.

``parts.pxd`` holds their numbers as C sees them and what is true of them, ``switches.pxd`` one
switch a role over the functions that the rows name; those of losses, which the functions of updates
call themselves, are in ``loss_switch.pxd``. ``headers.pxd`` declares structs,
functions and constants of the loops as their headers have them. Run by ``setup.py``; without numpy.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from edgeolk.core import structs
from edgeolk.parts.bases import BASES, most_gamma
from edgeolk.parts.bounds import PROJECTIONS
from edgeolk.parts.kernels import KERNELS
from edgeolk.parts.losses import LOSSES, RESIDUAL_UPDATES
from edgeolk.parts.numbers import AXES, KernelKind
from edgeolk.parts.parameters import PARAMETERS
from edgeolk.parts.policies import POLICIES
from edgeolk.parts.storage import COEFFICIENTS, MOST_FLOAT, STORAGES
from edgeolk.parts.table import TRAITS
from edgeolk.parts.updates import UPDATES

HERE = Path(__file__).parent
WIDTH = 100
NOTE = '"""Written from the rows of edgeolk/parts by generate.py; do not edit."""'

#: Parts with a number in C.
ENUMS: dict[str, type[IntEnum]] = {**AXES, "kernel": KernelKind}

#: What is true of a part: C function -> (axis, members).
FACTS: dict[str, tuple[str, Sequence[IntEnum]]] = {
    "policy_freezes": ("policy", [p for p, row in POLICIES.items() if row.freezes]),
    "policy_moves_norm": ("policy", [p for p, row in POLICIES.items() if not row.follows_norm]),
    "policy_counts_exchanges": ("policy", [p for p, r in POLICIES.items() if r.counts_exchanges]),
    "loss_is_capped": ("loss", [loss for loss, row in LOSSES.items() if row.capped]),
    "kernel_normalised": ("kernel", [kind for kind, row in KERNELS.items() if row.normalised]),
    "update_is_whole": ("update", [u for u, row in UPDATES.items() if row.whole]),
    "dtype_is_short": (
        "dtype", [kind for kind, row in STORAGES.items() if row.most < MOST_FLOAT]
    ),
    "basis_freezes": ("basis", [b for b, row in BASES.items() if row.freezes]),
    "basis_has_frequencies": ("basis", [b for b, row in BASES.items() if row.members]),
    "basis_starts_full": ("basis", [b for b, row in BASES.items() if row.starts_full]),
}

#: Numbers of a part: C function -> (its type, axis, member -> number).
NUMBERS: dict[str, tuple[str, str, Mapping[IntEnum, float]]] = {
    "update_most_weight": (
        "double", "update", {update: row.most_weight for update, row in UPDATES.items()}
    ),
    "basis_per_member": ("int", "basis", {b: row.per_member for b, row in BASES.items()}),
    "dtype_most": ("double", "dtype", {kind: row.most for kind, row in STORAGES.items()}),
    "dtype_most_gamma": (
        "double", "dtype", {kind: most_gamma(row.most) for kind, row in STORAGES.items()}
    ),
    "coefficients_most": (
        "double", "coefficients", {real: row.most for real, row in COEFFICIENTS.items()}
    ),
    "coefficients_most_kernel": (
        "double", "coefficients", {real: row.most_kernel for real, row in COEFFICIENTS.items()}
    ),
    "coefficients_most_factor": (
        "double", "coefficients", {real: row.most_factor for real, row in COEFFICIENTS.items()}
    ),
}


#: Columns of a line that is written.
MOST_COLUMNS = 100
#: Headers of the loops of which Cython code has structs, functions and constants, each after those
#: whose types it names.
HEADERS = (
    *("storage.h", "winsor.h", "lines.h", "compact.h", "preprocessing.h", "common.h", "length.h"),
    *("width.h", "simd.h", "tiles.h", "nonzeros.h", "finite.h", "event_words.h", "dirty_flag.h"),
    *("pcg.h", "rng.h", "normals.h", "eigen.h", "selection.h", "forecast_types.h", "sorf_types.h"),
    *("kept_rows.h", "drift.h", "sorf_row.h"),
)


#: Members of ``olk_sorf`` that ``decode.pxd`` sets, from more than one parameter.
DERIVED = (
    *("d", "D", "classes", "task", "first", "widths", "omega", "size", "n_blends", "blends"),
    *("kappa", "signs", "memory_steps", "hold"),
)


class Role(NamedTuple):
    """What the functions of one switch share, and which part names which of them.

    ``default`` is returned where no row names a function.
    """

    axis: str
    folder: str
    kind: str
    parameters: str
    default: str
    functions: Mapping[IntEnum, str]


_ROW = "const State* s, const Example* e"
LOSS_ROLES: dict[str, Role] = {
    "loss_slope": Role(
        *("loss", "", "double", _ROW, "0.0"), {loss: row.slope for loss, row in LOSSES.items()}
    ),
    "loss_residual": Role(
        *("loss", "", "double", _ROW, "0.0"), {loss: row.residual for loss, row in LOSSES.items()}
    ),
    "loss_sign": Role(
        *("loss", "", "double", _ROW, "0.0"), {loss: row.sign for loss, row in LOSSES.items()}
    ),
}
ROLES: dict[str, Role] = {
    "update_asks": Role(
        *("update", "updates", "bint", _ROW, "False"),
        {part: row.asks for part, row in UPDATES.items()},
    ),
    "update_coefficient": Role(
        *("update", "updates", "double", "const State* s, const Example* e, double p", "0.0"),
        {part: row.coefficient for part, row in UPDATES.items()},
    ),
    "update_shrink": Role(
        *("update", "updates", "void", "State* s, double a, Example* e", ""),
        {part: row.shrink for part, row in UPDATES.items()},
    ),
    "update_begin": Role(
        *("update", "updates", "void", "State* s, Example* e", ""),
        {part: row.begin for part, row in UPDATES.items()},
    ),
    "update_end": Role(
        *("update", "updates", "void", "State* s, const Example* e", ""),
        {part: row.end for part, row in UPDATES.items()},
    ),
    "update_construct": Role(
        *("update", "updates", "void", "State* s", ""),
        {part: row.construct for part, row in UPDATES.items()},
    ),
    "update_learn": Role(
        *("update", "updates", "int"),
        *("State* s, const void* x, double y, double v, double* f", "DONE"),
        {part: row.learn for part, row in UPDATES.items()},
    ),
    "update_decide": Role(
        *("update", "updates", "int64_t"),
        *("State* s, const void* x, int64_t n, double* f", "n"),
        {part: row.decide for part, row in UPDATES.items()},
    ),
    "policy_admit": Role(
        *("policy", "policies", "bint", "State* s, double a, Example* e", "False"),
        {part: row.admit for part, row in POLICIES.items()},
    ),
    "basis_score": Role(
        *("basis", "bases", "double"),
        *("State* s, const void* x, const void* coef, void* row", "0.0"),
        {part: row.score for part, row in BASES.items()},
    ),
    "basis_admit": Role(
        *("basis", "bases", "bint", "State* s, double a, Example* e", "policy_admit(s, a, e)"),
        {part: row.admit for part, row in BASES.items()},
    ),
    "basis_construct": Role(
        *("basis", "bases", "void", "State* s", ""),
        {part: row.construct for part, row in BASES.items()},
    ),
    "bound": Role(
        *("projection", "bounds", "void", "State* s, Example* e", ""),
        {part: row.bound for part, row in PROJECTIONS.items()},
    ),
}


def _test(axis: str, members: Iterable[IntEnum], variable: str) -> str:
    return " or ".join(f"{variable} == {axis.upper()}_{member.name}" for member in members)


def _wrapped(before: str, test: str, after: str = "") -> list[str]:
    """``before test after`` on one line, or its conditions in brackets on lines of their own."""
    if len(before + test + after) <= WIDTH:
        return [before + test + after]
    margin = " " * (len(before) - len(before.lstrip()))
    inside = test.replace(" or ", f"\n{margin}    or ")
    return [f"{before}(", f"{margin}    {inside}", f"{margin}){after}"]


def parts_pxd() -> str:
    """The numbers of the parts, the structs of choices and parameters, facts about parts."""
    lines = [NOTE, "", "from libc.stdint cimport int32_t", "", "cdef enum:"]
    for axis, kind in ENUMS.items():
        lines += [f"    {axis.upper()}_{member.name} = {member.value}" for member in kind]
    lines += ["", "cdef struct Choices:"]
    lines += [f"    int32_t {axis}" for axis in AXES]
    lines += ["", "cdef struct Params:"]
    lines += [f"    double {name}" for name in PARAMETERS]
    for name, (axis, members) in FACTS.items():
        lines += ["", "", f"cdef inline bint {name}(int part) noexcept nogil:"]
        lines += _wrapped("    return ", _test(axis, members, "part"))
    for name, (kept_as, axis, values) in NUMBERS.items():
        lines += ["", "", f"cdef inline {kept_as} {name}(int part) noexcept nogil:"]
        for part, value in values.items():
            lines += [f"    if part == {axis.upper()}_{part.name}:", f"        return {value}"]
        lines += ["    return 0  # no such part"]
    return "\n".join(lines) + "\n"


def check() -> None:
    """Every part has a row, and every loss what its updates ask of it.

    Raises ValueError: one has not: the switches would leave it out.
    """
    for axis, kind in AXES.items():
        for member in kind:
            if member not in TRAITS[axis]:
                raise ValueError(f"{kind.__name__}.{member.name} has no row")
    for loss, row in LOSSES.items():
        mended = [update for update in RESIDUAL_UPDATES if update in row.updates]
        if mended and not (row.residual and row.sign):
            raise ValueError(f"Loss.{loss.name} needs a residual for Update.{mended[0].name}")


def switches_pxd(roles: Mapping[str, Role]) -> str:
    """One switch a role, over the functions that the rows name."""
    imports: dict[str, set[str]] = {}
    numbers: set[str] = set()
    bodies: list[str] = []
    for role, (axis, folder, kind, parameters, default, rows) in roles.items():
        names = ", ".join(part.split()[-1].lstrip("*") for part in parameters.split(","))
        by_function: dict[str, list[IntEnum]] = {}
        for part, function in rows.items():
            if function:
                by_function.setdefault(function, []).append(part)
        body = ["", "", f"cdef inline {kind} {role}({parameters}) noexcept nogil:"]
        body += [f"    cdef int part = s.c.choice.{axis}"] if by_function else []
        for function, parts in by_function.items():
            file, name = function.split(".")
            home = ".".join(filter(None, ("edgeolk.core", folder, file)))
            imports.setdefault(home, set()).add(name)
            numbers |= {f"{axis.upper()}_{part.name}" for part in parts}
            body += _wrapped("    if ", _test(axis, parts, "part"), ":")
            body += [f"        {'' if kind == 'void' else 'return '}{name}({names})"]
        if kind != "void":
            body += [f"    return {default}"]
        elif not by_function:
            body += ["    pass"]
        bodies += body
    head = [NOTE, "", "from libc.stdint cimport int64_t", ""]
    for module in sorted(imports):
        head += [f"from {module} cimport (", *(f"    {n}," for n in sorted(imports[module])), ")"]
    head += ["from edgeolk.core.parts cimport (", *(f"    {n}," for n in sorted(numbers)), ")"]
    done = "DONE, " if any(role.default == "DONE" for role in roles.values()) else ""
    head += [f"from edgeolk.core.state cimport {done}Example, State"]
    return "\n".join(head + bodies) + "\n"


def _function(before: str, parameters: Sequence[str]) -> str:
    """A function, or the type of a pointer to one, as Cython declares it."""
    start = f"    {before}("
    # Cython ends a declaration with its bracket's line: the last words stay together.
    *first, last = parameters
    lines = [start]
    for word in [*(f"{each}," for each in first), f"{last}) noexcept"]:
        space = "" if lines[-1].endswith("(") else " "
        if len(lines[-1] + space + word) > MOST_COLUMNS:
            lines += [" " * (len(start) - 1)]
            space = " "
        lines[-1] += space + word
    return "\n".join(lines)


def _pointer_type(name: str, kind: str) -> str:
    """A pointer to a function of a name, as Cython declares its type."""
    returned, parameters = kind.split(" (*)(")
    return _function(f"ctypedef {returned} (*{name})", parameters.removesuffix(")").split(", "))


def _is_known(kind: str, types: Container[str]) -> bool:
    """Whether a type, or what it points to, has been declared."""
    return "(*)" in kind or kind.replace("const ", "").strip(" *") in types


def headers_pxd() -> str:
    """What Cython code has of the loops: what their headers declare in types that it knows."""
    integers = ("int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t")
    lines = ['"""Written from the headers in loops by generate.py; do not edit."""', ""]
    lines += ["from libc.stddef cimport ptrdiff_t"]
    lines += [f"from libc.stdint cimport {', '.join(integers)}"]
    lines += ["", "from edgeolk.core.parts cimport Params"]
    known: dict[str, int] = {}
    types = {*integers, "ptrdiff_t", "size_t", "void", "char", "int", "float", "double"}
    for header in HEADERS:
        constants, found = structs.read(header, known)
        known |= constants
        lines += ["", "", f'cdef extern from "{header}" nogil:']
        if constants:
            lines += ["    enum:"] + [f"        {name}" for name in constants] + [""]
        for name, kind in structs.variables(header).items():
            lines += [f"    const {kind} {name}"]
        for name, kind in structs.pointers(header).items():
            lines += [_pointer_type(name, kind)]
            types.add(name)
        for struct, members in found.items():
            if not all(_is_known(member.kind, types) for member in members):
                continue
            types.add(struct)
            body = [f"    ctypedef struct {struct}:"]
            for name, kind, sizes in members:
                if "(*)" in kind:
                    lines += [_pointer_type(f"{struct}_{name}", kind)]
                    kind = f"{struct}_{name}"
                dimensions = "".join(f"[{size}]" for size in sizes)
                body += [f"        {kind.replace(' *', '*')} {name}{dimensions}"]
            lines += [*body, ""]
        for name, (returned, parameters) in structs.functions(header).items():
            if all(_is_known(kind, types) for kind in (returned, *parameters)):
                lines += [_function(f"{returned.replace(' *', '*')} {name}", parameters)]
        if not lines[-1]:
            lines.pop()
    return "\n".join(lines + parameters_of("olk_sorf", "sorf_types.h")) + "\n"


def parameters_of(struct: str, header: str) -> list[str]:
    """A function that gives the members of a struct the parameters of their name.

    Raises ValueError: nothing sets a member.
    """
    lines = ["", "", "cdef inline void take_parameters("]
    lines[-1] += f"{struct}* p, const Params* v) noexcept nogil:"
    for name, kind, sizes in structs.read(header)[1][struct]:
        if name in PARAMETERS and not sizes:
            lines += [f"    p.{name} = {'' if kind == 'double' else f'<{kind}>'}v.{name}"]
        elif name not in DERIVED:
            raise ValueError(f"{struct}.{name} in {header} is set by no parameter of that name")
    return lines


def write() -> None:
    """Write the files, where they would change."""
    check()
    texts = {
        "parts.pxd": parts_pxd(),
        "loss_switch.pxd": switches_pxd(LOSS_ROLES),
        "switches.pxd": switches_pxd(ROLES),
        "headers.pxd": headers_pxd(),
    }
    for name, text in texts.items():
        target = HERE / name
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8", newline="\n")
