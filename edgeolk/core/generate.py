"""Writes the generated sources of the compiled core from the rows of the parts, at build time.

``parts.pxd`` has their numbers and properties for C, ``switches.pxd`` one switch per role over the
functions named in the rows; those of losses, which the functions of updates call, are in
``loss_switch.pxd``. ``headers.pxd`` declares structs, functions and constants from the headers of
``edgeolk/c``. Run by ``setup.py``; without numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

from edgeolk.core import structs
from edgeolk.parts.bases import max_gamma
from edgeolk.parts.kernels import KERNELS
from edgeolk.parts.losses import LOSSES, RESIDUAL_UPDATES
from edgeolk.parts.numbers import AXES, KernelKind
from edgeolk.parts.parameters import PARAMETERS
from edgeolk.parts.storage import MAX_FLOAT
from edgeolk.parts.table import TRAITS

HERE = Path(__file__).parent
#: Maximum columns of a written line.
WIDTH = 100
NOTE = '"""Written from the rows of edgeolk/parts by generate.py; do not edit."""'

#: The rows of every axis that has numbers in C.
ROWS: dict[str, Mapping[Any, Any]] = {**TRAITS, "kernel": KERNELS}

#: Boolean properties of parts: C function -> (axis, property of a row).
FACTS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "policy_freezes": ("policy", lambda row: row.freezes),
    "policy_moves_norm": ("policy", lambda row: not row.follows_norm),
    "policy_counts_exchanges": ("policy", lambda row: row.counts_exchanges),
    "loss_is_capped": ("loss", lambda row: row.capped),
    "kernel_normalised": ("kernel", lambda row: row.normalised),
    "update_is_sorf": ("update", lambda row: row.is_sorf),
    "dtype_is_short": ("dtype", lambda row: row.most < MAX_FLOAT),
    "basis_freezes": ("basis", lambda row: row.freezes),
    "basis_has_frequencies": ("basis", lambda row: bool(row.members)),
    "basis_starts_full": ("basis", lambda row: row.starts_full),
}

#: Numeric properties of parts: C function -> (its type, axis, property of a row).
NUMBERS: dict[str, tuple[str, str, Callable[[Any], float]]] = {
    "update_max_weight": ("double", "update", lambda row: row.max_weight),
    "basis_per_member": ("int", "basis", lambda row: row.per_member),
    "dtype_max": ("double", "dtype", lambda row: row.most),
    "dtype_max_gamma": ("double", "dtype", lambda row: max_gamma(row.most)),
    "coefficients_max": ("double", "coefficients", lambda row: row.most),
    "coefficients_max_kernel": ("double", "coefficients", lambda row: row.max_kernel),
    "coefficients_max_factor": ("double", "coefficients", lambda row: row.max_factor),
}


#: Headers of ``edgeolk/c`` whose structs, functions and constants are declared for Cython, each
#: after those that declare its types.
HEADERS = (
    *("storage.h", "scaler_compact.h", "scaler.h", "width.h", "ring_table.h", "sparse.h"),
    *("mathf.h", "random.h", "normals.h", "eigen.h", "sorf_types.h", "row_memory_state.h"),
    *("drift.h", "sorf_row.h"),
)


#: Members of ``olk_sorf`` that ``decode.pxd`` sets, from more than one parameter.
DERIVED = (
    *("d", "D", "classes", "task", "first", "widths", "omega", "size", "n_blends", "blends"),
    *("kappa", "signs", "memory_steps", "hold"),
)


class Role(NamedTuple):
    """The signature shared by the functions of one switch; rows name them in the field of the role.

    ``default`` is returned for rows that name no function.
    """

    axis: str
    kind: str
    parameters: str
    default: str = ""


#: Functions that every row of an axis must name; those of updates depend on the family.
NEEDED = {"policy": ("admit",), "basis": ("score",), "loss": ("slope",)}
#: Folders of ``core`` with the functions of an axis.
FOLDERS = {"update": "updates", "policy": "policies", "basis": "bases", "projection": "bounds"}
_ROW = "const State* s, const Example* e"
_LEARN = "State* s, const void* x, double y, double v, double* f"
_DECIDE = "State* s, const void* x, int64_t n, double* f"
_SCORE = "State* s, const void* x, const void* coef, void* row"
LOSS_ROLES: dict[str, Role] = {
    "loss_slope": Role("loss", "double", _ROW, "0.0"),
    "loss_residual": Role("loss", "double", _ROW, "0.0"),
    "loss_sign": Role("loss", "double", _ROW, "0.0"),
}
ROLES: dict[str, Role] = {
    "update_asks": Role("update", "bint", _ROW, "False"),
    "update_coefficient": Role("update", "double", f"{_ROW}, double p", "0.0"),
    "update_shrink": Role("update", "void", "State* s, double a, Example* e"),
    "update_begin": Role("update", "void", "State* s, Example* e"),
    "update_end": Role("update", "void", "State* s, const Example* e"),
    "update_construct": Role("update", "void", "State* s"),
    "update_learn": Role("update", "int", _LEARN, "DONE"),
    "update_decide": Role("update", "int64_t", _DECIDE, "n"),
    "policy_admit": Role("policy", "bint", "State* s, double a, Example* e", "False"),
    "basis_score": Role("basis", "double", _SCORE, "0.0"),
    "basis_admit": Role("basis", "bint", "State* s, double a, Example* e", "policy_admit(s, a, e)"),
    "basis_construct": Role("basis", "void", "State* s"),
    "bound": Role("projection", "void", "State* s, Example* e"),
}


def _test(axis: str, members: Iterable[IntEnum], variable: str) -> str:
    return " or ".join(f"{variable} == {axis.upper()}_{member.name}" for member in members)


def _wrapped(before: str, test: str, after: str = "") -> list[str]:
    """``before test after`` on one line, or with one condition per line in brackets."""
    if len(before + test + after) <= WIDTH:
        return [before + test + after]
    margin = " " * (len(before) - len(before.lstrip()))
    inside = test.replace(" or ", f"\n{margin}    or ")
    return [f"{before}(", f"{margin}    {inside}", f"{margin}){after}"]


def parts_pxd() -> str:
    """The numbers of the parts, the structs of choices and parameters, properties of parts."""
    lines = [NOTE, "", "from libc.stdint cimport int32_t", "", "cdef enum:"]
    enums: dict[str, type[IntEnum]] = {**AXES, "kernel": KernelKind}
    for axis, kind in enums.items():
        lines += [f"    {axis.upper()}_{member.name} = {member.value}" for member in kind]
    lines += ["", "cdef struct Choices:"]
    lines += [f"    int32_t {axis}" for axis in AXES]
    lines += ["", "cdef struct Params:"]
    lines += [f"    double {name}" for name in PARAMETERS]
    for name, (axis, is_true) in FACTS.items():
        members = [part for part, row in ROWS[axis].items() if is_true(row)]
        lines += ["", "", f"cdef inline bint {name}(int part) noexcept nogil:"]
        lines += _wrapped("    return ", _test(axis, members, "part"))
    for name, (kept_as, axis, number) in NUMBERS.items():
        lines += ["", "", f"cdef inline {kept_as} {name}(int part) noexcept nogil:"]
        for part, row in ROWS[axis].items():
            lines += [f"    if {_test(axis, [part], 'part')}:", f"        return {number(row)}"]
        lines += ["    return 0  # no such part"]
    return "\n".join(lines) + "\n"


def check() -> None:
    """Check that every part has a row that names its required functions.

    Raises ValueError: one is missing, and the part would fall through the switches.
    """
    for axis, kind in AXES.items():
        for member in kind:
            if member not in TRAITS[axis]:
                raise ValueError(f"{kind.__name__}.{member.name} has no row")
            row: Any = TRAITS[axis][member]
            needed: tuple[str, ...] = NEEDED.get(axis, ())
            if axis == "update":
                needed = ("learn", "decide") if row.is_sorf else ("asks", "coefficient")
            for function in needed:
                if not getattr(row, function):
                    raise ValueError(f"{kind.__name__}.{member.name} has no {function}")
    for loss, row in LOSSES.items():
        mended = [update for update in RESIDUAL_UPDATES if update in row.updates]
        if mended and not (row.residual and row.sign):
            raise ValueError(f"Loss.{loss.name} needs a residual for Update.{mended[0].name}")


def switches_pxd(roles: Mapping[str, Role]) -> str:
    """One switch per role, over the functions named in the rows."""
    imports: dict[str, set[str]] = {}
    numbers: set[str] = set()
    bodies: list[str] = []
    for role, (axis, kind, parameters, default) in roles.items():
        names = ", ".join(part.split()[-1].lstrip("*") for part in parameters.split(","))
        by_function: dict[str, list[IntEnum]] = {}
        for part, row in ROWS[axis].items():
            if function := getattr(row, role.removeprefix(f"{axis}_")):
                by_function.setdefault(function, []).append(part)
        body = ["", "", f"cdef inline {kind} {role}({parameters}) noexcept nogil:"]
        body += [f"    cdef int part = s.c.choice.{axis}"] if by_function else []
        for function, parts in by_function.items():
            file, name = function.split(".")
            home = ".".join(filter(None, ("edgeolk.core", FOLDERS.get(axis), file)))
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
    """The Cython declaration of a function, or of a pointer type to one."""
    start = f"    {before}("
    # Cython ends a declaration at the line of its bracket: keep the last words together.
    *first, last = parameters
    lines = [start]
    for word in [*(f"{each}," for each in first), f"{last}) noexcept"]:
        space = "" if lines[-1].endswith("(") else " "
        if len(lines[-1] + space + word) > WIDTH:
            lines += [" " * (len(start) - 1)]
            space = " "
        lines[-1] += space + word
    return "\n".join(lines)


def _pointer_type(name: str, kind: str) -> str:
    """The Cython declaration of a named function pointer type."""
    returned, parameters = kind.split(" (*)(")
    return _function(f"ctypedef {returned} (*{name})", parameters.removesuffix(")").split(", "))


def _is_known(kind: str, types: Container[str]) -> bool:
    """Whether a type, or the type it points to, has been declared."""
    return "(*)" in kind or kind.replace("const ", "").strip(" *") in types


def headers_pxd() -> str:
    """Cython declarations from the headers of ``edgeolk/c``, as far as their types are known."""
    integers = ("int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t")
    lines = ['"""Written from the headers in edgeolk/c by generate.py; do not edit."""', ""]
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
    """A function that sets the members of a struct from the parameters of the same name.

    Raises ValueError: a member that nothing sets.
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
    """Write the files that would change."""
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
