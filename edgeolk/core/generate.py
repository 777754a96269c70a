"""Writes the Cython sources that follow from the rows of parts and options.

``core/parts.pxd`` has the numbers and properties of parts for C, and fills the options of the ring
family into ``Params``; ``sorf/options.pxd`` fills those of the sorf family into ``olk_sorf``.
``ring/switches.pxd`` has one switch per role over the functions named in the rows; the switches
of losses, which the functions of updates call, are in ``ring/loss_switch.pxd``. The files are in
git: after a change of a row, run ``python -m edgeolk.core.generate``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

from edgeolk.parts.bases import max_gamma
from edgeolk.parts.kernels import KERNELS
from edgeolk.parts.losses import LOSSES, RESIDUAL_UPDATES
from edgeolk.parts.numbers import AXES, Family, KernelKind
from edgeolk.parts.policies import POLICIES
from edgeolk.parts.storage import MAX_FLOAT
from edgeolk.parts.table import TRAITS
from edgeolk.parts.updates import UPDATES
from edgeolk.ring.options import OPTIONS
from edgeolk.sorf.options import OPTIONS as SORF_OPTIONS

PACKAGE = Path(__file__).parents[1]
#: Maximum columns of a written line.
WIDTH = 100
NOTE = '"""Written from the rows of edgeolk/parts by core/generate.py; do not edit."""'

#: The rows of every axis that has numbers in C.
ROWS: dict[str, Mapping[Any, Any]] = {**TRAITS, "kernel": KERNELS}

#: Boolean properties of parts: C function -> (axis, property of a row).
FACTS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "policy_freezes": ("policy", lambda row: row.freezes),
    "policy_moves_norm": ("policy", lambda row: not row.follows_norm),
    "policy_is_filter": ("policy", lambda row: row.is_filter),
    "policy_counts_exchanges": ("policy", lambda row: row.counts_exchanges),
    "loss_is_capped": ("loss", lambda row: row.capped),
    "kernel_normalised": ("kernel", lambda row: row.normalised),
    "dtype_is_short": ("dtype", lambda row: row.most < MAX_FLOAT),
    "basis_freezes": ("basis", lambda row: row.freezes),
    "basis_has_frequencies": ("basis", lambda row: bool(row.members)),
    "basis_starts_full": ("basis", lambda row: row.starts_full),
}

#: Numeric properties of parts: C function -> (its type, axis, property of a row).
NUMBERS: dict[str, tuple[str, str, Callable[[Any], float]]] = {
    "basis_per_member": ("int", "basis", lambda row: row.per_member),
    "dtype_max": ("double", "dtype", lambda row: row.most),
    "dtype_max_gamma": ("double", "dtype", lambda row: max_gamma(row.most)),
    "coefficients_max": ("double", "coefficients", lambda row: row.most),
    "coefficients_max_kernel": ("double", "coefficients", lambda row: row.max_kernel),
    "coefficients_max_factor": ("double", "coefficients", lambda row: row.max_factor),
}


class Role(NamedTuple):
    """The signature shared by the functions of one switch; rows name them in the field of the role.

    ``default`` is returned for rows that name no function.
    """

    axis: str
    kind: str
    parameters: str
    default: str = ""


#: Functions that every row of an axis must name; the parts of kernel adaptive filters name others.
NEEDED = {
    "policy": ("admit",), "basis": ("score",), "loss": ("slope",),
    "update": ("asks", "coefficient"),
}
NEEDED_OF_FILTERS = {"policy": ("novel",), "update": ("step",)}
#: Where the functions of an axis are, if not in ``ring``.
FOLDERS = {"policy": "ring.policies"}
_RING = "SupportVectorRing ring"
_ROW = f"{_RING}, const Example* e"
_EXAMPLE = f"{_RING}, Example* e"
_STEP = f"{_RING}, double a, Example* e"
_SCORE = f"{_RING}, const void* x, const void* coef, void* row"
LOSS_ROLES: dict[str, Role] = {
    "loss_slope": Role("loss", "double", _ROW, "0.0"),
    "loss_residual": Role("loss", "double", _ROW, "0.0"),
    "loss_sign": Role("loss", "double", _ROW, "0.0"),
}
ROLES: dict[str, Role] = {
    "update_asks": Role("update", "bint", _EXAMPLE, "False"),
    "update_coefficient": Role("update", "double", f"{_ROW}, double p", "0.0"),
    "update_shrink": Role("update", "void", _STEP),
    "update_begin": Role("update", "void", _EXAMPLE),
    "update_end": Role("update", "void", _ROW),
    "update_construct": Role("update", "void", _RING),
    "update_step": Role("update", "bint", _EXAMPLE, "False"),
    "update_variance": Role("update", "double", f"{_RING}, const void* x", "0.0"),
    "policy_novel": Role("policy", "bint", _EXAMPLE, "False"),
    "policy_victim": Role("policy", "int64_t", _EXAMPLE, "NO_SLOT"),
    "policy_admit": Role("policy", "bint", _STEP, "False"),
    "basis_score": Role("basis", "double", _SCORE, "0.0"),
    "basis_admit": Role("basis", "bint", _STEP, "policy_admit(ring, a, e)"),
    "basis_construct": Role("basis", "void", _RING),
    "bound": Role("projection", "void", _EXAMPLE),
}


#: What the functions of policies are made of.
READ = ("ring/policies/*.pxd", "ring/inverse.pxd", "ring/expansion.pxd", "ring/ring.pxd")
#: Functions that read further regions only if the norm is tracked, for which ``needed`` of
#: ``ring/regions.py`` adds them.
ONLY_WITH_NORM = ("drop",)
#: Regions that a configuration has or lacks whatever its policy; functions ask before they read.
WHATEVER_POLICY = {
    *("function", "coefficients", "support_vectors", "class_scores", "per_update", "averaging"),
    *("mean_start", "norms", "nonzero_index", "nonzero_value"),
}
#: Facts of a ring that a function asks for before it calls another, which then may read.
ASKED = {"keeps_products": "distances", "ahead.next": "take_values_ahead"}
_FUNCTION = re.compile(
    r"^cdef inline [^(\n]*?(\w+)\([^)]*\)[^:]*:\n((?:    .*\n|\n)*)", re.MULTILINE
)
_TEXT = re.compile(r'"""[\s\S]*?"""|#.*')
_VIEWS = re.compile(r"self\.([\w., ]+) = [^\n]*?views(?:\.get\(|, )\"(\w+)\"")


def _bodies() -> dict[str, str]:
    """The functions that policies may call: name -> body, without comments."""
    sources = (path for pattern in READ for path in sorted(PACKAGE.glob(pattern)))
    text = "".join(_TEXT.sub("", path.read_text(encoding="utf-8")) for path in sources)
    return {found[1]: found[2] for found in _FUNCTION.finditer(text)}


def regions_read(functions: Iterable[str]) -> set[str]:
    """The regions that functions of policies, and what they call, read whatever the configuration.

    Without those that a function compares with None or NULL before it reads them.
    """
    made = (PACKAGE / "ring" / "ring.pyx").read_text(encoding="utf-8")
    regions = {
        member.strip().removeprefix("self."): region
        for members, region in _VIEWS.findall(made)
        for member in members.split(",")
    }
    bodies = _bodies()
    left, seen, read = [*functions], set[str](), set[str]()
    while left:
        name = left.pop()
        if name in seen or name not in bodies:
            continue
        seen.add(name)
        body = bodies[name]
        optional = set(re.findall(r"\bring\.(\w+) (?:[!=]= NULL|is (?:not )?None)", body))
        read |= {
            region
            for member, region in regions.items()
            if member not in optional and re.search(rf"\bring\.{member}\b", body)
        }
        if name not in ONLY_WITH_NORM:
            asked = {call for fact, call in ASKED.items() if f"ring.{fact}" in body}
            left += [call for call in re.findall(r"\b(\w+)\(", body) if call not in asked]
    return read


def _test(axis: str, members: Iterable[IntEnum], variable: str) -> str:
    return " or ".join(f"{variable} == {axis.upper()}_{member.name}" for member in members)


def _wrapped(before: str, test: str, after: str = "") -> list[str]:
    """``before test after`` on one line, or with one condition per line in brackets."""
    if len(before + test + after) <= WIDTH:
        return [before + test + after]
    margin = " " * (len(before) - len(before.lstrip()))
    inside = test.replace(" or ", f"\n{margin}    or ")
    return [f"{before}(", f"{margin}    {inside}", f"{margin}){after}"]


def _signature(before: str, parameters: str) -> list[str]:
    """The head of a function, with a parameter that does not fit on a line of its own."""
    lines = [before]
    *first, last = parameters.split(", ")
    for parameter in [*(f"{one}, " for one in first), f"{last}) noexcept nogil:"]:
        if len((lines[-1] + parameter).rstrip()) > WIDTH:
            lines.append(" " * len(before))
        lines[-1] += parameter
    return [line.rstrip() for line in lines]


def parts_pxd() -> str:
    """The numbers of the parts, the structs of choices and parameters, properties of parts."""
    lines = [NOTE, "", "from libc.stdint cimport int32_t", "", "cdef enum:"]
    enums: dict[str, type[IntEnum]] = {"family": Family, **AXES, "kernel": KernelKind}
    for axis, kind in enums.items():
        lines += [f"    {axis.upper()}_{member.name} = {member.value}" for member in kind]
    lines += ["", "cdef struct Choices:"]
    lines += [f"    int32_t {axis}" for axis in AXES]
    lines += ["", "", "cdef inline void fill_choices(Choices* p, object parts) except *:"]
    lines += ['    """Set each choice from its member, 0 for an axis that there is not."""']
    lines += [f'    p.{axis} = parts.get("{axis}", 0)' for axis in AXES]
    lines += ["", "", "cdef struct Params:"]
    lines += [f"    double {name}" for name in OPTIONS]
    lines += ["", "", "cdef inline void fill_params(Params* p, object values) except *:"]
    lines += ['    """Set each parameter from its number, 0 for those that are not used."""']
    lines += [f'    p.{name} = values.get("{name}", 0.0)' for name in OPTIONS]
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


def sorf_pxd() -> str:
    """The function that sets the members of ``olk_sorf`` that are options."""
    lines = [NOTE, "", "from libc.stdint cimport int32_t", ""]
    lines += ["from edgeolk.core.c cimport olk_sorf", "", ""]
    lines += ["cdef inline void fill_options(olk_sorf* p, object values) except *:"]
    lines += ['    """Set each member from the option of its name."""']
    for name, option in SORF_OPTIONS.items():
        if option.in_step:
            cast = "<int32_t><double>" if option.is_integral else ""
            lines += [f'    p.{name} = {cast}values["{name}"]']
    return "\n".join(lines) + "\n"


def check() -> None:
    """Check that every part has a row that names its functions, and the regions that they read.

    Raises ValueError: a function is missing, and the part would fall through the switches; or a
    policy would read a region that the block does not have.
    """
    for axis, kind in AXES.items():
        for member in kind:
            if member not in TRAITS[axis]:
                raise ValueError(f"{kind.__name__}.{member.name} has no row")
            row: Any = TRAITS[axis][member]
            is_filter = axis in NEEDED_OF_FILTERS and row.is_filter
            for function in (NEEDED_OF_FILTERS if is_filter else NEEDED).get(axis, ()):
                if not getattr(row, function):
                    raise ValueError(f"{kind.__name__}.{member.name} has no {function}")
    for update in RESIDUAL_UPDATES:
        for loss in UPDATES[update].losses:
            if not (LOSSES[loss].residual and LOSSES[loss].sign):
                raise ValueError(f"Loss.{loss.name} needs a residual for Update.{update.name}")
    for policy, row in POLICIES.items():
        if row.is_filter:
            continue  # it reads the regions of a step, which the row of the update names
        named = {*row.regions, *(row.columns or ()), *WHATEVER_POLICY}
        if unnamed := regions_read([row.admit.split(".")[1]]) - named:
            raise ValueError(
                f"Policy.{policy.name} reads {min(unnamed)!r}: its row must name this region"
            )


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
        body = ["", "", *_signature(f"cdef inline {kind} {role}(", parameters)]
        body += [f"    cdef int part = ring.c.choice.{axis}"] if by_function else []
        for function, parts in by_function.items():
            file, name = function.rsplit(".", 1)
            folder = "ring" if "." in file else FOLDERS.get(axis, "ring")
            home = f"edgeolk.{folder}.{file}"
            imports.setdefault(home, set()).add(name)
            numbers |= {f"{axis.upper()}_{part.name}" for part in parts}
            body += _wrapped("    if ", _test(axis, parts, "part"), ":")
            body += [f"        {'' if kind == 'void' else 'return '}{name}({names})"]
        if kind != "void":
            body += [f"    return {default}"]
        elif not by_function:
            body += ["    pass"]
        bodies += body
    head = [NOTE, ""]
    head += ["from libc.stdint cimport int64_t", ""]
    for module in sorted(imports):
        head += [f"from {module} cimport (", *(f"    {n}," for n in sorted(imports[module])), ")"]
    head += ["from edgeolk.core.parts cimport (", *(f"    {n}," for n in sorted(numbers)), ")"]
    head += ["from edgeolk.core.state cimport Example, NO_SLOT"]
    head += ["from edgeolk.ring.ring cimport SupportVectorRing"]
    return "\n".join(head + bodies) + "\n"


def sources() -> dict[Path, str]:
    """The text of every generated file, by its path.

    Raises ValueError: the rows are incomplete (``check``).
    """
    check()
    return {
        PACKAGE / "core" / "parts.pxd": parts_pxd(),
        PACKAGE / "sorf" / "options.pxd": sorf_pxd(),
        PACKAGE / "ring" / "loss_switch.pxd": switches_pxd(LOSS_ROLES),
        PACKAGE / "ring" / "switches.pxd": switches_pxd(ROLES),
    }


if __name__ == "__main__":
    for path, text in sources().items():
        path.write_text(text, encoding="utf-8", newline="\n")
