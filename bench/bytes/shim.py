"""The compiled loops of structured features, loaded by themselves: no engine around them.

The units are compiled here and called through ctypes, in every form they have: for each set of
instructions, as plain C99, and in whole numbers for microcontrollers.
"""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.compiled import compiled, compiled_sets, compiler
from edgeolk.core import units

DECLARATIONS = Path(__file__).resolve().parents[2] / "edgeolk" / "core" / "c.pxd"
SHIM = Path(__file__).resolve().with_name("shim.c")
PLAIN = ("-std=c99", "-pedantic", "-O2", "-DOLK_SORF_PLAIN", *units.NUMBERS)
#: Flags of each form; setup.py's for the first.
FORMS = {
    "vector": ("-std=gnu11", "-O3", "-fno-loop-unroll-and-jam", *units.NUMBERS),
    "plain": PLAIN,
    "fixed": (*PLAIN, "-DOLK_SORF_FIXED", "-DSHIM_NARROW"),
}
UNIT = units.HEADERS["edgeolk.sorf.tables"]
#: Forms of int8 alone.
NARROW = ("fixed",)
STORAGE = ("int8", "float32", "float64")
TASKS = {"two": 0, "classes": 1, "regression": 2, "novelty": 3}
LINES = 64
WIDTHS_OF_ONE = ((0.3, 1.0, 3.0),)

Array = NDArray[Any]


def _structure(name: str) -> type[ctypes.Structure]:
    """A struct of the loops, its members as ``core/c.pxd`` declares them: ``type name[size]``."""
    numbers: dict[str, Any] = {"ptrdiff_t": ctypes.c_ssize_t, "int32_t": ctypes.c_int32}
    numbers |= {"double": ctypes.c_double, "uint64_t": ctypes.c_uint64}
    declared = DECLARATIONS.read_text(encoding="utf-8").split(f"ctypedef struct {name}:\n")[1]
    fields: list[tuple[str, Any]] = []
    for line in declared.split("\n\n")[0].splitlines():
        *kind, member = line.split()
        element: Any = ctypes.c_void_p if "*" in line else numbers[kind[0]]
        member, *sizes = re.findall(r"\w+", member)
        for size in reversed(sizes):
            element = element * int(size)
        fields.append((member, element))
    return type(name, (ctypes.Structure,), {"_fields_": fields})


#: ctypes makes their members; nothing more is known of them.
Config: Any = _structure("olk_sorf")
State: Any = _structure("olk_sorf_state")


def _parts(form: str) -> Sequence[str]:
    """The types of weights that a form has."""
    return units.PARTS[UNIT][: 1 if form in NARROW else None]


def _plain(command: list[str], part: str) -> str:
    """The object of a unit of plain C99."""
    return str(compiled([*command, f"-D{part}", "-c", "-x", "c"], [units.C_FOLDER / UNIT], ".o"))


@functools.cache
def library(form: str, flags: tuple[str, ...] = (), variant: str | None = None) -> ctypes.CDLL:
    """The loops in one form, for all instruction sets or for one and the plain C variant.

    Raises
    ------
    FileNotFoundError
        There is no C compiler.
    CompilerError
        It cannot compile them.
    """
    command = [*compiler(), *FORMS[form], *flags, f"-I{units.C_FOLDER}", "-fPIC"]
    if form == "vector":
        made = compiled_sets(command, UNIT, {"scalar", variant} if variant else None)
    else:
        made = [_plain(command, part) for part in _parts(form)]
    found = ctypes.CDLL(str(compiled([*command, "-shared"], [SHIM], ".so", [*made, "-lm"])))
    found.shim_name.restype = ctypes.c_char_p
    found.shim_seeded.argtypes = [ctypes.c_uint64, ctypes.c_int]
    found.shim_seeded.restype = ctypes.c_uint64
    given: list[Any] = [ctypes.c_int, ctypes.c_int]
    given += [ctypes.POINTER(Config), ctypes.POINTER(State)]
    pointer = ctypes.c_void_p
    found.shim_step.argtypes = [*given, pointer, ctypes.c_double, ctypes.c_double]
    found.shim_step.restype = ctypes.c_double
    found.shim_steps.argtypes = [*given, pointer, ctypes.c_size_t, ctypes.c_ssize_t]
    found.shim_steps.argtypes += [pointer, pointer]
    found.shim_scores.argtypes = [*given, pointer, ctypes.c_ssize_t, pointer]
    sizes = (ctypes.c_size_t * 2)()
    found.shim_sizes(sizes)
    if list(sizes) != [ctypes.sizeof(kind) for kind in (Config, State)]:
        raise RuntimeError("shim.py and sorf_types.h disagree about a struct")
    return found


def variants(form: str = "vector", flags: tuple[str, ...] = ()) -> list[str]:
    """Names of the instruction sets compiled for that this processor has."""
    return _names(library(form, flags))


def _names(loaded: ctypes.CDLL) -> list[str]:
    names: list[str] = []
    while (name := loaded.shim_name(len(names))) is not None and loaded.shim_runs(len(names)):
        names.append(name.decode())
    return names


class Sorf:
    """One learner: its configuration and its memory, numpy arrays that can be looked at."""

    def __init__(
        self,
        n_features: int,
        D: int,
        gamma: float,
        *,
        task: str = "two",
        dtype: str = "int8",
        n_classes: int = 1,
        groups: Sequence[Sequence[float]] = WIDTHS_OF_ONE,
        seed: int = 0,
        r: float = 0.03,
        unit: float = 3.0,
        nu: float = 0.05,
        window: float = 4096.0,
        linear: bool = False,
        last_label: bool = False,
        constant: bool = False,
        linear_group: bool | str = False,
        relevance: bool | str = False,
        leak: float = 0.0,
        row: bool = False,
        form: str = "vector",
        variant: str | None = None,
        flags: tuple[str, ...] = (),
    ) -> None:
        self.library = library(form, flags, variant)
        known = _names(self.library)
        # Plain C is compiled once, whatever it is called.
        chosen = variant if form == "vector" else None
        self.variant = known.index(chosen) if chosen else len(known) - 1
        self.storage = STORAGE.index(dtype)
        self.real = np.dtype(np.float64 if dtype == "float64" else np.float32)
        levels = (127.0 if task == "novelty" else unit) if dtype == "int8" else 1.0
        blocks, count = -(-D // LINES), len(groups)
        blends = (0.0, 0.1, 0.3, 1.0)
        p = self.config = Config(d=n_features, D=D, classes=n_classes, task=TASKS[task])
        all_groups = count + bool(linear_group)
        p.groups, p.n_blends = all_groups, len(blends)
        p.linear, p.last_label, p.leak = linear, last_label, leak
        p.constant = constant
        p.linear_group = 2 if linear_group == "last" else int(linear_group)
        p.relevance = 2 if relevance == "shared" else int(relevance)
        share, rest = divmod(blocks, count)
        for g, widths in enumerate(groups):
            size = share + (g < rest)
            p.first[g + 1], p.widths[g] = p.first[g] + size, len(widths)
            p.size[g] = D if count == 1 else LINES * size
            for i, width in enumerate(widths):
                twice = self.real.type(2.0) * self.real.type(gamma)
                p.omega[g][i] = np.sqrt(twice * self.real.type(width)) / self.real.type(LINES)
        if linear_group:
            p.first[all_groups], p.size[count] = p.first[count], n_features + 1
        p.blends[: len(blends)] = blends
        p.kappa, p.r, p.sharp, p.delta = levels, r, 1.0, 0.999
        p.cmin, p.cmax, p.shrink, p.nu, p.window = 30.0, 4096.0, 0.9, nu, window
        p.signs = self.library.shim_seeded(seed, 1)

        whole = np.uint64
        weights = (D, n_classes, 2)
        self.parts: dict[str, Array] = {"a": np.zeros(weights, dtype)}
        if task != "novelty":
            self.parts["w"] = np.zeros(weights, dtype)
        outsiders = linear + last_label + constant
        self.parts["L"] = np.zeros(all_groups * len(blends) + outsiders, self.real)
        self.parts["n"] = np.ones(all_groups, self.real)
        if constant:
            self.parts["label_counts"] = np.zeros(max(2, n_classes), np.float32)
        if linear_group:
            self.parts["linear_w"] = np.zeros((n_features + 1, n_classes), dtype)
        if linear_group and linear_group != "last":
            self.parts["linear_a"] = np.zeros((n_features + 1, n_classes), dtype)
        for name in ("t", "mistakes", "updates", "rounding", "gradient_steps"):
            self.parts[name] = np.zeros(1, whole)
        self.parts["rounding"][0] = self.library.shim_seeded(seed, 0)
        self.parts["target"] = np.zeros(2)
        self.parts |= {"last": np.zeros(1, self.real), "novelty": np.zeros(2, self.real)}
        if linear:
            self.parts["wl"] = np.zeros(n_features + 1, self.real)
            self.parts["Sl"] = np.ones(n_features + 1, self.real)
        if relevance == "shared":
            self.parts["shared"] = np.zeros(2, self.real)
        elif relevance:
            for name in ("log_scale", "gradient_square"):
                self.parts[name] = np.zeros(n_features, self.real)
            self.parts["inputs"] = np.zeros((3, n_features), self.real)
        self.parts["scores"] = np.zeros((2, all_groups, n_classes), self.real)
        if row:
            self.parts["row"] = np.zeros((D, 2), self.real)
        self.state = State(**{name: part.ctypes.data for name, part in self.parts.items()})

    def __getattr__(self, name: str) -> Array:
        try:
            return self.__dict__["parts"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(name) from None

    def _call(self) -> tuple[Any, ...]:
        return self.variant, self.storage, ctypes.byref(self.config), ctypes.byref(self.state)

    def step(self, x: ArrayLike, y: float = 0.0, weight: float = 1.0) -> float:
        """Learn one row; the score before."""
        row = np.ascontiguousarray(x, self.real)
        return float(self.library.shim_step(*self._call(), row.ctypes.data, y, weight))

    def steps(self, X: Array, y: Array | None = None) -> Array:
        """Learn rows in order; the scores before each."""
        rows = np.ascontiguousarray(X, self.real)
        labels = None if y is None else np.ascontiguousarray(y, np.float64)
        out = np.empty(len(rows))
        given = None if labels is None else labels.ctypes.data
        self.library.shim_steps(
            *(*self._call(), rows.ctypes.data, rows.strides[0], len(rows), given, out.ctypes.data)
        )
        return out

    def scores(self, X: ArrayLike) -> Array:
        """Blended scores (rows, columns)."""
        rows = np.ascontiguousarray(X, self.real)
        m = 1 if rows.ndim == 1 else len(rows)
        out = np.empty((m, self.config.classes))
        self.library.shim_scores(*self._call(), rows.ctypes.data, m, out.ctypes.data)
        return out
