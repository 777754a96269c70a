"""The table of published algorithms: each a composition of parts, with defaults and source.

A new algorithm made of existing parts is one row here. Parameters belong to the parts (PARAMETERS,
USES); a row only changes a default or gives a parameter the name it has in its paper. The learner,
``plan``, the tests, the benchmarks, the command line and the README read this table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from edgeolk.parts import (
    Algorithm,
    Averaging,
    Loss,
    Policy,
    Projection,
    Sampling,
    Schedule,
    Update,
)

Context = Mapping[str, float]
Default = float | bool | None | Callable[[Context], float]


@dataclass(frozen=True)
class Parameter:
    """A real parameter of some part.

    ``none`` is the number stored for None (None is then allowed); ``flag`` marks a bool.
    """

    default: Default
    low: float
    high: float
    doc: str
    low_open: bool = True
    high_open: bool = True
    none: float | None = None
    flag: bool = False

    def allowed(self) -> str:
        """The range, in words."""
        if self.flag:
            return "True or False"
        words = f"a finite number {'>' if self.low_open else '>='} {self.low:g}"
        if not math.isinf(self.high):
            words += f" and {'<' if self.high_open else '<='} {self.high:g}"
        return words + (" or None" if self.none is not None else "")


def _positive(default: Default, doc: str, none: float | None = None) -> Parameter:
    return Parameter(default, 0.0, math.inf, doc, none=none)


#: Every parameter, by the name the block stores it under.
PARAMETERS: dict[str, Parameter] = {
    "C": _positive(1.0, "aggressiveness: the largest step of PA-I, the softness of PA-II"),
    "eta": _positive(0.1, "step size"),
    "lam": Parameter(
        0.0, 0.0, math.inf, "shrinkage: f is scaled by 1 - eta lam every step", low_open=False
    ),
    "rate": _positive(0.25, "coefficient every newcomer gets; None: U / sqrt(updates)", none=0.0),
    "eps": Parameter(0.5, 0.0, 1.0, "update where y f < 1 - eps"),
    "U": _positive(None, "radius of the ball the function is kept in", none=math.inf),
    "alpha": _positive(1.0, "loss at which the sampling probability stops growing"),
    "beta": _positive(20.0, "inverse sampling rate: at most alpha/beta of the examples are kept"),
    "c": _positive(None, "budget grows as 1 + c sqrt(t), up to B", none=0.0),
    "ridge": Parameter(5e-4, 0.0, math.inf, "ridge of the projection at a halving", low_open=False),
    "rescale": Parameter(True, 0, 1, "restore the norm after a halving", flag=True),
    "allow_skip": Parameter(True, 0, 1, "drop the newcomer where that costs least", flag=True),
}

#: Which parameters a part brings, by axis (members of different IntEnums are equal as keys).
USES: dict[str, dict[IntEnum, tuple[str, ...]]] = {
    "update": {
        Update.AGGRESSIVE: ("rate", "eps"),
        Update.PA1: ("C",),
        Update.PA2: ("C",),
        Update.GRADIENT: ("eta", "lam"),
        Update.SPARSE_PA: ("eta",),
    },
    "sampling": {Sampling.LOSS: ("alpha", "beta")},
    "policy": {
        Policy.SIMPLE: ("allow_skip",),
        Policy.UNBIASED: ("c",),
        Policy.HALVE: ("ridge", "rescale", "U"),
    },
    "projection": {Projection.BALL: ("U",), Projection.COEFFICIENTS: ("U",)},
}

Parts = dict[str, IntEnum]

#: Parts of a composition that names only some of them.
DEFAULT_PARTS: Parts = {
    "update": Update.PERCEPTRON,
    "loss": Loss.HINGE,
    "sampling": Sampling.ALWAYS,
    "policy": Policy.STOP,
    "projection": Projection.NONE,
    "schedule": Schedule.CONSTANT,
    "averaging": Averaging.NONE,
}


@dataclass(frozen=True)
class Method:
    """One published algorithm.

    ``choices`` are parameters that pick a part: name -> {value: parts}, the first value being the
    default. ``renames`` maps a name of the paper to the stored one.
    """

    algorithm: Algorithm
    name: str
    title: str
    source: str
    parts: Parts = field(default_factory=dict)
    choices: dict[str, dict[str, Parts]] = field(default_factory=dict)
    defaults: dict[str, Default] = field(default_factory=dict)
    renames: dict[str, str] = field(default_factory=dict)
    done: bool = True


CCG = "Cavallanti, Cesa-Bianchi & Gentile, Machine Learning 2007"
LZH = "Lu, Zhao & Hoi, SDM 2016"
AHP = "Ahpatron, AAAI 2024"
HK = "He & Kwok, Neural Networks 2014"
ZJC = "Zhang, Jin, Chen, Bu & He, AAAI 2012"
WV = "Wang & Vucetic, AISTATS 2010"
CDK = "Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, JMLR 2006"
OKC = "Orabona, Keshet & Caputo, JMLR 2009"

FULL: dict[str, Parts] = {"stop": {"policy": Policy.STOP}, "raise": {"policy": Policy.RAISE}}
MARGIN_LOSS: dict[str, Parts] = {"hinge": {"loss": Loss.HINGE}, "ramp": {"loss": Loss.RAMP}}
SMOOTH_LOSS: dict[str, Parts] = {
    "hinge": {"loss": Loss.HINGE},
    "logistic": {"loss": Loss.LOGISTIC},
    "square": {"loss": Loss.SQUARE},
    "ramp": {"loss": Loss.RAMP},
}
SCHEDULE: dict[str, Parts] = {
    "constant": {"schedule": Schedule.CONSTANT},
    "sqrt": {"schedule": Schedule.SQRT},
}
STEP: dict[str, Parts] = {
    "unit": {"update": Update.PERCEPTRON},
    "pa": {"update": Update.PA1},
}


def _planned(algorithm: Algorithm, name: str, title: str, source: str) -> Method:
    return Method(algorithm, name, title, source, done=False)


def _aggressive_radius(context: Context) -> float:
    return math.sqrt(context["budget"]) / 2.0


def _aggressive_rate(context: Context) -> float:
    return context["U"] / math.sqrt(4.0 * context["budget"])


METHODS: tuple[Method, ...] = (
    Method(
        Algorithm.PERCEPTRON, "perceptron", "kernel perceptron, every mistake kept",
        "Rosenblatt 1958; Freund & Schapire 1999",
        choices={"full": FULL},
    ),
    Method(
        Algorithm.STOPTRON, "stoptron", "perceptron that freezes when full", WV,
        {"policy": Policy.STOP},
    ),
    Method(
        Algorithm.RBP, "rbp", "randomised budget perceptron", CCG, {"policy": Policy.RANDOM},
    ),
    Method(
        Algorithm.REMOVE_OLDEST, "remove_oldest", "the newcomer replaces the oldest", WV,
        {"policy": Policy.OLDEST}, choices={"step": STEP},
    ),
    Method(
        Algorithm.REMOVE_SMALLEST, "remove_smallest", "the newcomer replaces the smallest coefficient",
        WV, {"policy": Policy.SMALLEST}, choices={"step": dict(reversed(STEP.items()))},
    ),
    Method(
        Algorithm.FORGETRON, "forgetron", "self-tuned Forgetron: shrink, drop the oldest",
        "Dekel, Shalev-Shwartz & Singer, SIAM J. Computing 2008", {"policy": Policy.FORGETRON},
    ),
    Method(
        Algorithm.PA1, "pa1", "passive-aggressive, PA-I", CDK, {"update": Update.PA1},
        choices={"loss": MARGIN_LOSS, "full": {**FULL, "random": {"policy": Policy.RANDOM}}},
    ),
    Method(
        Algorithm.BPA_S, "bpa_s", "budgeted PA, the newcomer repairs the loss", WV,
        {"update": Update.PA1, "policy": Policy.SIMPLE}, choices={"loss": MARGIN_LOSS},
    ),
    Method(
        Algorithm.OLRD, "olrd", "online learning with random discarding", HK,
        {"update": Update.GRADIENT, "policy": Policy.UNBIASED},
        choices={
            "loss": SMOOTH_LOSS,
            "schedule": SCHEDULE,
            "projection": {
                "inf": {"projection": Projection.COEFFICIENTS},
                "ball": {"projection": Projection.BALL},
                "none": {"projection": Projection.NONE},
            },
        },
    ),
    Method(
        Algorithm.SPA, "spa", "sparse passive-aggressive: sampled updates, averaged model", LZH,
        {
            "update": Update.SPARSE_PA,
            "sampling": Sampling.LOSS,
            "averaging": Averaging.MEAN,
        },
    ),
    Method(
        Algorithm.AHPATRON, "ahpatron", "aggressive perceptron, halving with projection", AHP,
        {
            "update": Update.AGGRESSIVE,
            "policy": Policy.HALVE,
            "projection": Projection.BALL,
        },
        defaults={"U": _aggressive_radius, "rate": _aggressive_rate},
        renames={"lam": "rate", "eta": "ridge"},
    ),
    Method(
        Algorithm.AVP, "avp", "aggressive variant of the perceptron", AHP,
        {"update": Update.AGGRESSIVE, "projection": Projection.BALL},
        choices={"full": FULL}, renames={"lam": "rate"},
    ),
    Method(
        Algorithm.PA, "pa", "passive-aggressive, no slack", CDK, {"update": Update.PA},
        choices={"loss": MARGIN_LOSS, "full": {**FULL, "random": {"policy": Policy.RANDOM}}},
    ),
    Method(
        Algorithm.PA2, "pa2", "passive-aggressive, PA-II", CDK, {"update": Update.PA2},
        choices={"loss": MARGIN_LOSS, "full": {**FULL, "random": {"policy": Policy.RANDOM}}},
    ),
    Method(
        Algorithm.PA_RAND, "pa_rand", "PA-I, a random one leaves", WV,
        {"update": Update.PA1, "policy": Policy.RANDOM}, choices={"loss": MARGIN_LOSS},
    ),
    _planned(Algorithm.PROJECTRON, "projectron", "mistakes are projected on the ring", OKC),
    _planned(
        Algorithm.PROJECTRON_PLUS_PLUS, "projectron++", "Projectron with margin updates", OKC
    ),
    _planned(Algorithm.POMDR, "pomdr", "optimistic mirror descent, halving", "Li & Liao 2023"),
    _planned(Algorithm.BPA_NN, "bpa_nn", "budgeted PA, the nearest neighbour repairs", WV),
    _planned(Algorithm.BPA_P, "bpa_p", "budgeted PA, everyone repairs", WV),
    _planned(Algorithm.OGD, "ogd", "online gradient descent (NORMA)",
             "Kivinen, Smola & Williamson, IEEE Trans. Signal Processing 2004"),
    _planned(Algorithm.OLK, "olk", "projected online gradient descent", HK),
    _planned(Algorithm.OLRU, "olru", "online learning with random updating", HK),
    _planned(Algorithm.BOGD, "bogd", "budget OGD, uniform removal", "Zhao et al., ICML 2012"),
    _planned(Algorithm.BOGD_PLUS_PLUS, "bogd++", "budget OGD, removal by size",
             "Zhao et al., ICML 2012"),
    _planned(Algorithm.OSKL, "oskl", "online sparse kernel learning", "Zhang et al., ICML 2013"),
    _planned(Algorithm.KLR, "klr", "sparse kernel logistic regression", ZJC),
    _planned(Algorithm.PEGASOS, "pegasos", "kernel Pegasos",
             "Shalev-Shwartz et al., ICML 2007"),
    _planned(Algorithm.BSGD, "bsgd", "budgeted SGD: remove, project or merge",
             "Wang, Crammer & Vucetic, JMLR 2012"),
    _planned(Algorithm.FOGD, "fogd", "Fourier features, gradient descent",
             "Lu et al., JMLR 2016"),
    _planned(Algorithm.NOGD, "nogd", "Nystrom features, gradient descent",
             "Lu et al., JMLR 2016"),
    _planned(Algorithm.SHIFTING_PERCEPTRON, "shifting_perceptron",
             "perceptron that shrinks the past", CCG),
    _planned(Algorithm.FORGETRON_BASIC, "forgetron_basic", "Forgetron, fixed schedule",
             "Dekel, Shalev-Shwartz & Singer, SIAM J. Computing 2008"),
    _planned(Algorithm.FORGETRON_GREEDY, "forgetron_greedy", "Forgetron, cheapest removal",
             "Dekel, Shalev-Shwartz & Singer, SIAM J. Computing 2008"),
)

_BY_NAME = {method.name: method for method in METHODS}
_BY_MEMBER = {method.algorithm: method for method in METHODS}


def algorithms() -> tuple[Method, ...]:
    """Every published algorithm, done or planned."""
    return METHODS


def find(algorithm: Algorithm | str) -> Method:
    """The row of an algorithm.

    Raises
    ------
    TypeError
        Neither a name nor an ``ek.Algorithm``.
    ValueError
        Unknown name, or planned and not there yet.
    """
    if isinstance(algorithm, Algorithm):
        method = _BY_MEMBER.get(algorithm)
    elif isinstance(algorithm, str):
        method = _BY_NAME.get(algorithm.lower())
    else:
        raise TypeError(
            f"algorithm must be a name or an ek.Algorithm, got {type(algorithm).__name__}"
        )
    known = ", ".join(row.name for row in METHODS if row.done)
    if method is None:
        raise ValueError(f"algorithm must be one of {known}; got {algorithm!r}")
    if not method.done:
        raise ValueError(f"algorithm {method.name!r} is planned, not built yet; there are {known}")
    return method


def uses(parts: Parts) -> tuple[str, ...]:
    """Stored names of the parameters a composition has, in a fixed order."""
    wanted = {name for axis, part in parts.items() for name in USES.get(axis, {}).get(part, ())}
    return tuple(name for name in PARAMETERS if name in wanted)


def parameter_doc(method: Method) -> list[tuple[str, str, str]]:
    """(name, default, meaning) of every parameter of a row, choices included."""
    public = {stored: name for name, stored in method.renames.items()}
    rows = []
    for name, options in method.choices.items():
        rows.append((name, next(iter(options)), " | ".join(options)))
    parts = {**DEFAULT_PARTS, **method.parts}
    for options in method.choices.values():
        parts.update(next(iter(options.values())))
    for stored in uses(parts):
        default: Any = method.defaults.get(stored, PARAMETERS[stored].default)
        shown = "from B" if callable(default) else str(default)
        rows.append((public.get(stored, stored), shown, PARAMETERS[stored].doc))
    return rows
