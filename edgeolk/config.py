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
    Basis,
    Dtype,
    KernelKind,
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
#: Policies that judge the newcomer in a slot of its own, beside the full ring.
SPARE_SLOT = (Policy.LIGHTEST, Policy.LIGHTEST_PROJECT, Policy.MERGE)
#: Projections that a radius U bounds.
RADIAL = (Projection.BALL, Projection.COEFFICIENTS)
#: Policies that need ||f||^2 whether or not it is bounded.
NEED_NORM = (Policy.HALVE, Policy.ANCHOR, Policy.FORGETRON_BASIC)
#: Updates with a logistic loss built in.
LOGISTIC_UPDATES = (
    Update.LOGISTIC,
    Update.LOGISTIC_SHIFT,
    Update.LOGISTIC_SCALE,
    Update.LOGISTIC_CUT,
)
#: Policies that change the common scale themselves.
RESCALING = (
    Policy.FORGETRON,
    Policy.FORGETRON_BASIC,
    Policy.FORGETRON_GREEDY,
    Policy.UNBIASED,
    Policy.UNBIASED_BY_SIZE,
    Policy.HALVE,
    Policy.ANCHOR,
)
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
        """Slots padded to whole 64-byte rows of support-vector storage."""
        return self._padded(self.slots)

    @property
    def window_stride(self) -> int:
        """Examples in the window of an optimistic learner, padded likewise."""
        return self._padded(int(self.values.get("window", 0.0)))

    @property
    def coefficients(self) -> int:
        """Coefficients, padded: one a slot, two a frequency."""
        return 2 * self.stride if self.parts["basis"] == Basis.FOURIER else self.stride

    def _padded(self, n: int) -> int:
        lanes = ROW_BYTES // ITEM_BYTES[self.dtype]
        return -(-n // lanes) * lanes

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


Rule = tuple[Callable[[Config], bool], str]

def _part(axis: str, *members: IntEnum) -> Callable[[Config], bool]:
    return lambda config: config.parts[axis] in members


def _both(*conditions: Callable[[Config], bool]) -> Callable[[Config], bool]:
    return lambda config: all(condition(config) for condition in conditions)


def _no(condition: Callable[[Config], bool]) -> Callable[[Config], bool]:
    return lambda config: not condition(config)


_GRADIENT = _part("update", Update.GRADIENT)
_LOGISTIC = _part("update", *LOGISTIC_UPDATES)
_RING = _part("basis", Basis.SUPPORT_VECTORS)
_STOPS = _part("policy", Policy.STOP)
_FORGETRONS = _part("policy", Policy.FORGETRON, Policy.FORGETRON_GREEDY, Policy.FORGETRON_BASIC)

#: Compositions without meaning: (what is refused, the sentence that says why).
REFUSALS: tuple[Rule, ...] = (
    (
        _both(_part("loss", Loss.SQUARE), _no(_GRADIENT)),
        "Loss.SQUARE needs Update.GRADIENT: the other updates follow a margin",
    ),
    (
        _both(_part("loss", Loss.LOGISTIC), _no(_GRADIENT), _no(_LOGISTIC)),
        "Loss.LOGISTIC needs Update.GRADIENT or one of Update.LOGISTIC...: the others follow the"
        " hinge",
    ),
    (
        _both(_LOGISTIC, _no(_part("loss", Loss.LOGISTIC))),
        "the updates Update.LOGISTIC... need Loss.LOGISTIC: it is built into them",
    ),
    (
        _both(_part("sampling", Sampling.LOSS), _no(_part("loss", Loss.HINGE))),
        "Sampling.LOSS needs Loss.HINGE: its probability is a function of the hinge loss",
    ),
    (
        _both(_part("sampling", Sampling.DERIVATIVE), _no(_GRADIENT)),
        "Sampling.DERIVATIVE needs Update.GRADIENT: the others do not divide by the probability",
    ),
    (
        _both(_part("sampling", Sampling.DERIVATIVE), _part("loss", Loss.SQUARE)),
        "Sampling.DERIVATIVE needs a loss with a bounded derivative, not Loss.SQUARE",
    ),
    (
        _both(_part("sampling", Sampling.MARGIN), _no(_part("update", Update.LOGISTIC))),
        "Sampling.MARGIN needs Update.LOGISTIC: its probability is made for that step",
    ),
    (
        _both(
            _part("sampling", Sampling.AUXILIARY),
            _no(_part("update", Update.LOGISTIC_SHIFT, Update.LOGISTIC_SCALE)),
        ),
        "Sampling.AUXILIARY needs Update.LOGISTIC_SHIFT or Update.LOGISTIC_SCALE",
    ),
    (
        _both(_part("sampling", Sampling.DECAY), _no(_GRADIENT)),
        "Sampling.DECAY needs Update.GRADIENT: the others do not divide by the probability",
    ),
    (
        _both(
            _part("sampling", Sampling.DECAY),
            _no(_part("schedule", Schedule.DECAY)),
            lambda c: c.values["horizon"] == 0.0,
        ),
        "Sampling.DECAY without Schedule.DECAY needs the number of examples, T",
    ),
    (
        _both(_part("schedule", Schedule.DECAY), _no(_part("sampling", Sampling.DECAY))),
        "Schedule.DECAY needs Sampling.DECAY: the step follows the sampling probability",
    ),
    (
        _both(_no(_part("schedule", Schedule.CONSTANT)), _no(_GRADIENT)),
        "a step-size schedule needs Update.GRADIENT: the other updates have no step size",
    ),
    (
        _both(_FORGETRONS, _no(_part("update", Update.PERCEPTRON))),
        "the Forgetron policies need Update.PERCEPTRON: their shrinking is paid for by mistakes",
    ),
    (
        _both(
            _part("update", Update.PROJECTRON_JMLR, Update.PROJECTRON_ICML),
            _no(_part("policy", Policy.SPAN)),
        ),
        "the Projectron++ updates need Policy.SPAN: a margin error is a step within the span",
    ),
    (
        lambda c: (c.parts["policy"] == Policy.ANCHOR) != (c.parts["update"] == Update.OPTIMISTIC),
        "Policy.ANCHOR and Update.OPTIMISTIC need each other: the rate is made from what the"
        " policy measures",
    ),
    (
        _both(_part("update", Update.OPTIMISTIC), _no(_part("projection", Projection.BALL))),
        "Update.OPTIMISTIC needs Projection.BALL: its rate is a part of the radius U",
    ),
    (
        _both(_part("policy", Policy.MERGE), lambda c: c.kernel.kind != KernelKind.GAUSSIAN),
        "Policy.MERGE needs the Gaussian kernel: two of its bumps merge into one",
    ),
    (
        _both(
            _part("update", Update.PEGASOS),
            lambda c: c.parts["policy"] in RESCALING
            or c.parts["projection"] != Projection.NONE
            or c.values["lam"] == 0.0,
        ),
        "Update.PEGASOS sets the common scale itself: lam > 0, no projection, and no policy that"
        " scales",
    ),
    (
        _both(_part("averaging", Averaging.MEAN), lambda c: c.removes),
        "averaging needs a policy that removes nobody: the mean of the models would need the"
        " support vectors that are gone",
    ),
    (
        _both(_part("averaging", Averaging.MEAN), _part("projection", Projection.CLIP)),
        "averaging cannot be combined with Projection.CLIP: it moves single coefficients",
    ),
    (
        _both(_part("averaging", Averaging.MEAN), _part("basis", Basis.NYSTROM)),
        "averaging cannot be combined with Basis.NYSTROM: the basis changes on the way",
    ),
    (
        _both(_part("projection", Projection.CLIP, Projection.SHRINK), _no(_GRADIENT)),
        "Projection.CLIP and Projection.SHRINK need Update.GRADIENT: the bound is clip times eta",
    ),
    (
        _both(_no(_RING), _no(_STOPS)),
        "a feature basis needs Policy.STOP: there is no ring to maintain",
    ),
    (
        _both(_part("basis", Basis.FOURIER), lambda c: c.kernel.kind != KernelKind.GAUSSIAN),
        "Basis.FOURIER needs the Gaussian kernel: its frequencies are normal",
    ),
    (
        _both(_no(_RING), _no(_part("projection", Projection.NONE, Projection.BALL))),
        "a feature basis has no coefficients of support vectors to bound",
    ),
    (
        _both(_part("basis", Basis.NYSTROM), _part("projection", Projection.BALL)),
        "Basis.NYSTROM cannot be combined with Projection.BALL: the norm changes with the basis",
    ),
    (
        _both(_part("basis", Basis.NYSTROM), _no(_GRADIENT)),
        "Basis.NYSTROM needs Update.GRADIENT: it has its own step size after the change of basis",
    ),
    (
        _both(_part("basis", Basis.NYSTROM), _part("schedule", Schedule.DECAY)),
        "Basis.NYSTROM cannot be combined with Schedule.DECAY",
    ),
    (
        _both(_no(_RING), _part("update", Update.PEGASOS, Update.SHIFTING)),
        "a feature basis takes plain steps, not those of Update.PEGASOS or Update.SHIFTING",
    ),
    (
        _both(
            _part("policy", Policy.UNBIASED, Policy.UNBIASED_BY_SIZE, Policy.HALVE, Policy.ANCHOR),
            lambda c: c.budget < 2,
        ),
        "budget must be at least 2 for this policy",
    ),
    (
        _both(
            _part("basis", Basis.NYSTROM), lambda c: c.values["rank"] > c.budget
        ),
        "k must be at most the budget: there are no more eigenfunctions",
    ),
    (
        lambda c: c.values.get("eta", 0.0) * c.values.get("lam", 0.0) >= 1.0
        and c.parts["update"] == Update.GRADIENT,
        "eta * lam must be below 1, or the shrinkage turns the model over",
    ),
    (
        _both(_part("sampling", Sampling.LOSS), lambda c: c.values["beta"] < c.values["alpha"]),
        "beta must be at least alpha, or a probability would exceed 1",
    ),
    (
        _both(_part("sampling", Sampling.MARGIN), lambda c: c.values["eta"] >= 2.0),
        "eta must be below 2 for margin sampling, or a probability would be negative",
    ),
    (
        _both(
            _part("update", Update.AGGRESSIVE),
            lambda c: c.values["eps"] < c.values["rate"] / 2.0,
        ),
        "eps must be at least half the rate lam",
    ),
    (
        _both(
            _part("update", Update.AGGRESSIVE),
            lambda c: c.values["rate"] == 0.0 and not math.isfinite(c.values.get("U", math.inf)),
        ),
        "lam=None takes the rate from the radius and needs a finite U",
    ),
    (
        _both(
            _part("update", Update.OPTIMISTIC), lambda c: not math.isfinite(c.values["U"])
        ),
        "Update.OPTIMISTIC needs a finite U: its rate is a part of it",
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
    if spec.whole and number != math.floor(number):
        above = False
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
    # What is given or plain first, then what is made from it, the radius before the rates.
    made: list[str] = []
    values: dict[str, float] = {}
    for stored in wanted:
        name = public.get(stored, stored)
        default = defaults.get(stored, PARAMETERS[stored].default)
        if name not in given and callable(default):
            made.append(stored)
        else:
            values[stored] = _real(name, given.get(name, default), stored)
    known = {"budget": float(budget), "float32": float(parts["dtype"] == Dtype.FLOAT32)}
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
