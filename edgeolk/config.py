"""From what the caller says to one checked configuration, all numbers.

Everything that can be wrong with a configuration is found here, before memory is touched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from edgeolk.catalogue import DEFAULT_PARTS, PARAMETERS, Method, Parts, find, uses
from edgeolk.kernels import Gaussian, Kernel, kernel_from_fields
from edgeolk.parts import (
    AXES,
    STORED,
    Algorithm,
    Averaging,
    Dtype,
    Loss,
    Policy,
    Projection,
    Sampling,
    Schedule,
    Update,
)

ITEM_BYTES = {Dtype.FLOAT32: 4, Dtype.FLOAT64: 8}
#: Support vectors side by side in one row are padded to this many bytes.
ROW_BYTES = 64
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
    def stride(self) -> int:
        """Budget padded to whole 64-byte rows of support-vector storage."""
        lanes = ROW_BYTES // ITEM_BYTES[self.dtype]
        return -(-self.budget // lanes) * lanes

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
        return int(ball or self.parts["policy"] == Policy.HALVE)

    @property
    def rescales(self) -> bool:
        """Whether old coefficients may change by a common factor."""
        return self.parts["projection"] != Projection.NONE or self.values.get("lam", 0.0) > 0.0

    @property
    def removes(self) -> bool:
        """Whether support vectors may leave."""
        return self.parts["policy"] not in (Policy.STOP, Policy.RAISE)

    @property
    def name(self) -> str:
        """Public name of the algorithm, or "custom"."""
        member = Algorithm(self.algorithm)
        return "custom" if member == Algorithm.CUSTOM else find(member).name


Rule = tuple[Callable[[Config], bool], str]

#: Compositions without meaning: (what is refused, the sentence that says why).
REFUSALS: tuple[Rule, ...] = (
    (
        lambda c: c.parts["loss"] in (Loss.LOGISTIC, Loss.SQUARE)
        and c.parts["update"] != Update.GRADIENT,
        "the logistic and square losses need Update.GRADIENT: the other updates follow the margin",
    ),
    (
        lambda c: c.parts["sampling"] == Sampling.LOSS and c.parts["loss"] != Loss.HINGE,
        "Sampling.LOSS needs Loss.HINGE: its probability is a function of the hinge loss",
    ),
    (
        lambda c: c.parts["schedule"] != Schedule.CONSTANT
        and c.parts["update"] != Update.GRADIENT,
        "a step-size schedule needs Update.GRADIENT: the other updates have no step size",
    ),
    (
        lambda c: c.parts["policy"] == Policy.FORGETRON
        and c.parts["update"] != Update.PERCEPTRON,
        "Policy.FORGETRON needs Update.PERCEPTRON: its shrinking is paid for by mistakes",
    ),
    (
        lambda c: c.parts["averaging"] != Averaging.NONE and c.removes,
        "averaging needs Policy.STOP or Policy.RAISE: the mean of the models would need the"
        " support vectors that were removed",
    ),
    (
        lambda c: c.parts["policy"] == Policy.SIMPLE and c.parts["projection"] == Projection.BALL,
        "Policy.SIMPLE cannot be combined with Projection.BALL: it does not keep the norm",
    ),
    (
        lambda c: c.values.get("eta", 0.0) * c.values.get("lam", 0.0) >= 1.0,
        "eta * lam must be below 1, or the shrinkage turns the model over",
    ),
    (
        lambda c: c.parts["sampling"] == Sampling.LOSS and c.values["beta"] < c.values["alpha"],
        "beta must be at least alpha, or a probability would exceed 1",
    ),
    (
        lambda c: c.parts["update"] == Update.AGGRESSIVE
        and c.values["eps"] < c.values["rate"] / 2.0,
        "eps must be at least half the rate lam",
    ),
    (
        lambda c: c.parts["update"] == Update.AGGRESSIVE
        and c.values["rate"] == 0.0
        and not math.isfinite(c.values.get("U", math.inf)),
        "lam=None takes the rate from the radius and needs a finite U",
    ),
    (
        lambda c: c.parts["policy"] in (Policy.UNBIASED, Policy.HALVE) and c.budget < 2,
        "budget must be at least 2 for this policy",
    ),
    (
        lambda c: c.dtype == Dtype.FLOAT32
        and c.kernel.normalised
        and not 1e-37 <= c.kernel.fields()[2] <= 1e37,
        "gamma must lie between 1e-37 and 1e37 for float32 storage",
    ),
)


def whole(name: str, value: Any, low: int, high: int = MOST) -> int:
    """A whole number in a range, numpy's included."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, got {type(value).__name__}")
    number = value.__index__()
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


def _real(name: str, value: Any, stored: str) -> float:
    spec = PARAMETERS[stored]
    if value is None and spec.none is not None:
        return spec.none
    if spec.flag:
        if isinstance(value, bool) or value in (0, 1):
            return float(value)
        raise TypeError(f"{name} must be True or False, got {value!r}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be {spec.allowed()}, got {value!r}") from None
    above = number > spec.low if spec.low_open else number >= spec.low
    below = number < spec.high if spec.high_open else number <= spec.high
    if spec.none is not None and number == spec.none:
        return number
    if isinstance(value, bool) or not (math.isfinite(number) and above and below):
        raise ValueError(f"{name} must be {spec.allowed()}, got {value!r}")
    return number


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
        if value not in options:
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
    elif not isinstance(kernel, Kernel):
        raise TypeError(f"kernel must be an edgeolk kernel, got {type(kernel).__name__}")
    parts: dict[str, IntEnum] = {"dtype": _dtype(dtype), **_pick_parts(method, given)}

    renames = method.renames if method else {}
    defaults = method.defaults if method else {}
    public = {stored: name for name, stored in renames.items()}
    wanted = uses(parts)
    names = {public.get(stored, stored): stored for stored in wanted}
    unknown = [name for name in given if name not in names]
    if unknown:
        allowed = list(names) + (list(method.choices) if method else list(DEFAULT_PARTS))
        raise TypeError(
            f"unknown parameter {unknown[0]!r} for {method.name if method else 'this composition'};"
            f" there are {', '.join(allowed) or 'none'}"
        )
    values: dict[str, float] = {"budget": float(budget)}
    # U first: other defaults are made from it.
    for stored in sorted(wanted, key=lambda name: name != "U"):
        name = public.get(stored, stored)
        default = defaults.get(stored, PARAMETERS[stored].default)
        if name not in given and callable(default):
            values[stored] = default(values)
        else:
            values[stored] = _real(name, given.get(name, default), stored)
    del values["budget"]
    member = method.algorithm if method else Algorithm.CUSTOM
    config = Config(int(member), n_features, budget, seed, kernel, parts, values)
    refuse(config)
    return config


def refuse(config: Config) -> None:
    """Raise ValueError with one sentence if the composition has no meaning."""
    for meaningless, sentence in REFUSALS:
        if meaningless(config):
            raise ValueError(sentence)


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
            values[name] = _real(name, value, name)
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
