"""From what the caller says to one checked configuration, all numbers.

Everything that can be wrong with a configuration is found here, before memory is touched.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from edgeolk.catalogue import Method, find
from edgeolk.kernels import Gaussian, Kernel, kernel_from_fields
from edgeolk.near import near
from edgeolk.parameters import DEFAULT_PARTS, PARAMETERS, Parts, checked, uses
from edgeolk.parts import (
    AXES,
    STORED,
    Algorithm,
    Basis,
    Dtype,
    Policy,
    Projection,
    Rows,
    Update,
)
from edgeolk.refusals import refuse

ITEM_BYTES = {Dtype.FLOAT32: 4, Dtype.FLOAT64: 8, Dtype.FLOAT16: 2, Dtype.INT8: 1}
#: Numbers of the type rows are computed in: narrow storage computes in float32.
QUERY_BYTES = {Dtype.FLOAT32: 4, Dtype.FLOAT64: 8, Dtype.FLOAT16: 4, Dtype.INT8: 4}
#: A row of support vectors is padded to whole vectors of 64 bytes, computed in, where that costs at
#: most a sixteenth: aligned loads are faster, but a small ring has no bytes to give away.
ROW_BYTES = 64
PAGE = 4096
#: Policies that judge the newcomer in a slot of its own, beside the full ring.
SPARE_SLOT = (Policy.LIGHTEST, Policy.LIGHTEST_PROJECT, Policy.MERGE)
#: Projections that a radius U bounds.
RADIAL = (Projection.BALL, Projection.COEFFICIENTS)
#: Policies that need ||f||^2 whether or not it is bounded.
NEED_NORM = (Policy.HALVE, Policy.ANCHOR, Policy.FORGETRON_BASIC)
#: Sizes beyond this are refused rather than computed with: an address cannot hold them.
MOST = 2**31 - 1


@dataclass(frozen=True)
class Config:
    """A configuration as a model block stores it."""

    algorithm: int
    n_features: int
    budget: int
    seed: int
    kernel: Kernel
    parts: Mapping[str, IntEnum]
    values: Mapping[str, float]

    @property
    def dtype(self) -> Dtype:
        return Dtype(self.parts["dtype"])

    @property
    def slots(self) -> int:
        """Slots of the ring: the budget, and a spare one where the newcomer is judged with it."""
        return self.budget + (self.parts["policy"] in SPARE_SLOT)

    @property
    def stride(self) -> int:
        """Slots, padded where padding is cheap: numbers from one feature's row to the next."""
        padded = self._padded(self.slots)
        # Rows a page apart would all compete for the same few lines of the first cache.
        return self._padded(padded + 1) if padded * ITEM_BYTES[self.dtype] % PAGE == 0 else padded

    @property
    def window_stride(self) -> int:
        """Examples in the window of an optimistic learner, padded likewise."""
        return self._padded(int(self.values.get("window", 0.0)))

    @property
    def coefficients(self) -> int:
        """Coefficients, padded: one a slot, two a frequency."""
        return 2 * self.stride if self.parts["basis"] == Basis.FOURIER else self.stride

    def _padded(self, n: int) -> int:
        lanes = ROW_BYTES // QUERY_BYTES[self.dtype]
        padded = -(-n // lanes) * lanes
        return padded if (padded - n) * 16 <= n else n

    @property
    def choices(self) -> tuple[int, ...]:
        return tuple(int(self.parts[axis]) for axis in AXES)

    @property
    def params(self) -> tuple[float, ...]:
        return tuple(self.values.get(name, 0.0) for name in STORED)

    @property
    def kernel_fields(self) -> tuple[int, int, float, float, float]:
        return self.kernel.fields()

    @property
    def tracks_norm(self) -> int:
        """Whether ||f||^2 is kept."""
        ball = self.parts["projection"] == Projection.BALL
        return int(ball or self.parts["policy"] in NEED_NORM)

    @property
    def rescales(self) -> bool:
        """Whether old coefficients may change after their insertion."""
        return (
            self.parts["projection"] != Projection.NONE
            or self.parts["policy"] == Policy.SPAN
            or self.parts["basis"] != Basis.SUPPORT_VECTORS
            or self.parts["update"] == Update.SHIFTING
            or self.values.get("lam", 0.0) > 0.0
        )

    @property
    def removes(self) -> bool:
        """Whether support vectors may leave."""
        return self.parts["policy"] not in (Policy.STOP, Policy.RAISE, Policy.SPAN)

    @property
    def name(self) -> str:
        """Public name of the algorithm, or "custom"."""
        member = Algorithm(self.algorithm)
        return "custom" if member == Algorithm.CUSTOM else find(member).name


def whole(name: str, value: Any, low: int, high: int = MOST) -> int:
    """A whole number in a range, numpy's included."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, got {type(value).__name__}")
    try:
        number = value.__index__()
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {type(value).__name__}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be from {low} to {high}, got {number}")
    return int(number)


def _dtype(value: Any) -> Dtype:
    if isinstance(value, Dtype):
        return value
    name = getattr(value, "__name__", None) or str(value)
    if name.upper() in Dtype.__members__:
        return Dtype[name.upper()]
    known = ", ".join(member.name.lower() for member in Dtype)
    raise ValueError(f"dtype must be one of {known}, got {value!r}")


def _pick_parts(method: Method | None, given: dict[str, Any]) -> Parts:
    """Parts of a named algorithm or of a composition; takes what it uses out of ``given``."""
    parts = dict(DEFAULT_PARTS)
    if method is None:
        for axis, default in DEFAULT_PARTS.items():
            kind = type(default)
            value = given.pop(axis, default)
            if isinstance(value, str) and value.upper() in kind.__members__:
                value = kind[value.upper()]
            if not isinstance(value, kind):
                known = ", ".join(f"ek.{kind.__name__}.{member.name}" for member in kind)
                raise ValueError(f"{axis} must be one of {known}; got {value!r}")
            parts[axis] = value
        return parts
    parts.update(method.parts)
    for name, options in method.choices.items():
        value = given.pop(name, next(iter(options)))
        if isinstance(value, IntEnum):
            value = value.name.lower()
        if not isinstance(value, str) or value not in options:
            known = ", ".join(repr(option) for option in options)
            raise ValueError(f"{name} must be one of {known} for {method.name}; got {value!r}")
        parts.update(options[value])
    return parts


def resolve(
    algorithm: Algorithm | str | None,
    *,
    n_features: int,
    budget: int,
    kernel: Kernel | None = None,
    dtype: Any = "float32",
    seed: int = 0,
    sparse: bool = False,
    params: Mapping[str, Any] | None = None,
) -> Config:
    """Check everything a caller says and fill in every default.

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.
    """
    given = dict(params or {})
    method = None if algorithm is None else find(algorithm)
    n_features = whole("n_features", n_features, 1)
    budget = whole("budget", budget, 1)
    seed = whole("seed", seed, 0, 2**64 - 1)
    if kernel is None:
        kernel = Gaussian(1.0 / n_features)
    elif not isinstance(kernel, Kernel) or type(kernel) is Kernel:
        raise TypeError(f"kernel must be an edgeolk kernel, got {type(kernel).__name__}")
    if not isinstance(sparse, bool):
        raise TypeError(f"sparse must be True or False, got {sparse!r}")
    parts: dict[str, IntEnum] = {
        "dtype": _dtype(dtype),
        "rows": Rows.SPARSE if sparse else Rows.DENSE,
        **_pick_parts(method, given),
    }

    renames = method.renames if method else {}
    defaults = method.defaults if method else {}
    public = {stored: name for name, stored in renames.items()}
    wanted = uses(parts)
    names = {public.get(stored, stored): stored for stored in wanted}
    unknown = [name for name in given if name not in names]
    if unknown:
        allowed = list(names) + (list(method.choices) if method else list(DEFAULT_PARTS))
        raise TypeError(
            f"unknown parameter {unknown[0]!r} for {method.name if method else 'this composition'}"
            f"{near(unknown[0], allowed)}; there are {', '.join(allowed) or 'none'}"
        )
    # What is given or plain first, then what is made from it, the radius before the rates.
    made: list[str] = []
    values: dict[str, float] = {}
    for stored in wanted:
        name = public.get(stored, stored)
        default = defaults.get(stored, PARAMETERS[stored].default)
        if name not in given and callable(default):
            made.append(stored)
        else:
            values[stored] = checked(name, given.get(name, default), stored)
    known = {"budget": float(budget), "float32": float(parts["dtype"] != Dtype.FLOAT64)}
    for stored in sorted(made, key=lambda name: name != "U"):
        default = defaults.get(stored, PARAMETERS[stored].default)
        assert callable(default)
        values[stored] = float(default({**known, **values}))
    if values.get("U") == math.inf and parts["projection"] in RADIAL:
        # An infinite radius bounds nothing: neither the norm nor the sums of a mean need be kept.
        parts["projection"] = Projection.NONE
        if "U" not in uses(parts):
            del values["U"]
    member = method.algorithm if method else Algorithm.CUSTOM
    config = Config(int(member), n_features, budget, seed, kernel, parts, values)
    refuse(config)
    return config


def from_header(header: Mapping[str, Any]) -> Config:
    """The configuration of a stored block, checked as if a caller had given it.

    Raises
    ------
    ValueError
        A field is out of range or the fields contradict each other.
    """
    parts: dict[str, IntEnum] = {}
    for (axis, kind), value in zip(AXES.items(), header["choices"], strict=True):
        parts[axis] = kind(value)
    member = Algorithm(header["algorithm"])
    if member != Algorithm.CUSTOM:
        find(member)
    values: dict[str, float] = {}
    wanted = uses({axis: part for axis, part in parts.items() if axis != "dtype"})
    for name, value in zip(STORED, header["params"], strict=True):
        if name in wanted:
            values[name] = checked(name, value, name)
        elif value != 0.0:
            raise ValueError(f"parameter {name} is set but not used by the stored composition")
    config = Config(
        int(member),
        whole("n_features", header["n_features"], 1),
        whole("budget", header["budget"], 1),
        header["seed"],
        kernel_from_fields(header["kernel_fields"]),
        parts,
        values,
    )
    refuse(config)
    if config.stride != header["stride"] or config.tracks_norm != header["tracks_norm"]:
        raise ValueError("the stored layout does not follow from the stored configuration")
    return config
