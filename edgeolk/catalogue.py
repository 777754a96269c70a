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
    Basis,
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

    ``none`` is the number stored for None (None is then allowed); ``flag`` marks a bool, ``whole``
    a whole number. A callable default is given ``budget``, ``float32`` (0 or 1), the parameters
    that were given or have plain defaults, and U.
    """

    default: Default
    low: float
    high: float
    doc: str
    low_open: bool = True
    high_open: bool = True
    none: float | None = None
    flag: bool = False
    whole: bool = False

    def allowed(self) -> str:
        """The range, in words."""
        if self.flag:
            return "True or False"
        words = f"a {'whole' if self.whole else 'finite'} number"
        if not math.isinf(self.low):
            words += f" {'>' if self.low_open else '>='} {self.low:g}"
        if not math.isinf(self.high):
            words += f" and {'<' if self.high_open else '<='} {self.high:g}"
        return words + (" or None" if self.none is not None else "")


def _positive(default: Default, doc: str, none: float | None = None) -> Parameter:
    return Parameter(default, 0.0, math.inf, doc, none=none)


def _singular(context: Context) -> float:
    return 1e-4 if context["float32"] else 1e-8


def _same_eta(context: Context) -> float:
    return context.get("eta", math.nan)  # without one the composition is refused


def _fifth(context: Context) -> float:
    return max(1.0, math.floor(0.2 * context["budget"] + 0.5))


def _half(context: Context) -> float:
    return float(context["budget"] // 2)


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
    "c": _positive(1.0, "sampling probability c t^-decay"),
    "ridge": Parameter(5e-4, 0.0, math.inf, "ridge added to the Gram matrix", low_open=False),
    "rescale": Parameter(True, 0, 1, "restore the norm after a halving", flag=True),
    "allow_skip": Parameter(True, 0, 1, "drop the newcomer where that costs least", flag=True),
    "growth": _positive(None, "budget grows as 1 + growth sqrt(t), up to B", none=0.0),
    "shift": _positive(1.0, "how slowly the past is forgotten"),
    "sparsity": Parameter(
        0.0, 0.0, math.inf, "distance to the span up to which a newcomer is projected",
        low_open=False,
    ),
    "singular": _positive(_singular, "relative distance that counts as in the span"),
    "decay": Parameter(0.25, 0.0, 1.0, "exponent of the sampling probability"),
    "horizon": Parameter(
        None, 1.0, math.inf, "number of examples to come, T", low_open=False, none=0.0
    ),
    "G": Parameter(1.0, 1.0, math.inf, "bound on |l'|; larger samples less", low_open=False),
    "boost": Parameter(2.0, 1.0, math.inf, "height of the auxiliary function", low_open=False),
    "delta": Parameter(1.0, -math.inf, math.inf, "margin beyond which nothing is learned"),
    "clip": _positive(None, "largest |alpha| in units of eta", none=math.inf),
    "eta2": _positive(_same_eta, "step size after the change of basis"),
    "rank": Parameter(_fifth, 1.0, math.inf, "eigenfunctions kept", low_open=False, whole=True),
    "iters": Parameter(40, 1.0, 1000.0, "golden-section steps", low_open=False, whole=True),
    "window": Parameter(15, 1.0, 1e6, "examples a hint is made of", low_open=False, whole=True),
    "coe": _positive(0.1, "factor on the rate after the first halving"),
    "b0": Parameter(
        _half, 0.0, math.inf, "support vectors at which projecting ends", low_open=False,
        whole=True,
    ),
    "ald": Parameter(
        0.005, 0.0, math.inf, "distance to the span up to which a newcomer is projected",
        low_open=False,
    ),
}

#: Which parameters a part brings, by axis (members of different IntEnums are equal as keys).
USES: dict[str, dict[IntEnum, tuple[str, ...]]] = {
    "update": {
        Update.AGGRESSIVE: ("rate", "eps"),
        Update.PA1: ("C",),
        Update.PA2: ("C",),
        Update.GRADIENT: ("eta", "lam"),
        Update.SPARSE_PA: ("eta",),
        Update.SHIFTING: ("shift",),
        Update.PROJECTRON_JMLR: ("U",),
        Update.PROJECTRON_ICML: ("U",),
        Update.PEGASOS: ("lam",),
        Update.LOGISTIC: ("eta",),
        Update.LOGISTIC_SHIFT: ("eta", "boost"),
        Update.LOGISTIC_SCALE: ("eta", "boost"),
        Update.LOGISTIC_CUT: ("eta", "delta"),
        Update.OPTIMISTIC: ("U", "window", "coe"),
    },
    "sampling": {
        Sampling.LOSS: ("alpha", "beta"),
        Sampling.DECAY: ("c", "decay", "horizon"),
        Sampling.DERIVATIVE: ("G",),
    },
    "policy": {
        Policy.SIMPLE: ("allow_skip",),
        Policy.UNBIASED: ("growth",),
        Policy.HALVE: ("ridge", "rescale", "U"),
        Policy.SPAN: ("sparsity",),
        Policy.NEAREST: ("allow_skip", "singular"),
        Policy.PROJECT: ("allow_skip", "singular"),
        Policy.LIGHTEST_PROJECT: ("ridge",),
        Policy.MERGE: ("iters",),
        Policy.ANCHOR: ("U", "b0", "ald"),
        Policy.FORGETRON_BASIC: ("U",),
    },
    "projection": {
        Projection.BALL: ("U",),
        Projection.COEFFICIENTS: ("U",),
        Projection.CLIP: ("clip",),
        Projection.SHRINK: ("clip",),
    },
    "basis": {Basis.NYSTROM: ("eta2", "rank")},
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
    "basis": Basis.SUPPORT_VECTORS,
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
DSS = "Dekel, Shalev-Shwartz & Singer, SIAM J. Computing 2008"
LHW = "Lu, Hoi, Wang, Zhao & Liu, JMLR 2016"
ZH = "Zhao, Wang, Wu, Jin & Hoi, ICML 2012"
CDK = "Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, JMLR 2006"
OKC = "Orabona, Keshet & Caputo, JMLR 2009"

FULL: dict[str, Parts] = {"stop": {"policy": Policy.STOP}, "raise": {"policy": Policy.RAISE}}
FULL_PA: dict[str, Parts] = {**FULL, "random": {"policy": Policy.RANDOM}}
MARGIN_LOSS: dict[str, Parts] = {"hinge": {"loss": Loss.HINGE}, "ramp": {"loss": Loss.RAMP}}
ANY_LOSS: dict[str, Parts] = {
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
CLIPPING: dict[str, Parts] = {
    "clip": {"projection": Projection.CLIP},
    "scale": {"projection": Projection.SHRINK},
    "none": {"projection": Projection.NONE},
}
AVERAGED: Parts = {"averaging": Averaging.MEAN}


def _aggressive_radius(context: Context) -> float:
    return math.sqrt(context["budget"]) / 2.0


def _aggressive_rate(context: Context) -> float:
    return context["U"] / math.sqrt(4.0 * context["budget"])


def _forgetron_radius(context: Context) -> float:
    b = context["budget"] + 1.0
    return 0.25 * math.sqrt(b / math.log(b))


def _projectron_radius(context: Context) -> float:
    if context["sparsity"] > 0.0:
        return 1.0 / context["sparsity"]
    return _forgetron_radius(context)


METHODS: tuple[Method, ...] = (
    Method(
        Algorithm.PERCEPTRON, "perceptron", "kernel perceptron, every mistake kept",
        "Rosenblatt 1958; Freund & Schapire 1999", choices={"full": FULL},
    ),
    Method(
        Algorithm.STOPTRON, "stoptron", "perceptron that freezes when full", WV,
        {"policy": Policy.STOP},
    ),
    Method(
        Algorithm.RBP, "rbp", "randomised budget perceptron", CCG, {"policy": Policy.RANDOM},
    ),
    Method(
        Algorithm.SHIFTING_PERCEPTRON, "shifting_perceptron", "perceptron that shrinks the past",
        CCG, {"update": Update.SHIFTING}, renames={"lam": "shift"},
        choices={"full": {"random": {"policy": Policy.RANDOM}, **FULL}},
    ),
    Method(
        Algorithm.REMOVE_OLDEST, "remove_oldest", "the newcomer replaces the oldest", WV,
        {"policy": Policy.OLDEST}, choices={"step": STEP},
    ),
    Method(
        Algorithm.REMOVE_SMALLEST, "remove_smallest",
        "the newcomer replaces the smallest coefficient", WV, {"policy": Policy.SMALLEST},
        choices={"step": dict(reversed(STEP.items()))},
    ),
    Method(
        Algorithm.FORGETRON, "forgetron", "self-tuned Forgetron: shrink, drop the oldest", DSS,
        {"policy": Policy.FORGETRON},
    ),
    Method(
        Algorithm.FORGETRON_BASIC, "forgetron_basic", "Forgetron with a fixed shrinking factor",
        DSS, {"policy": Policy.FORGETRON_BASIC}, defaults={"U": _forgetron_radius},
    ),
    Method(
        Algorithm.FORGETRON_GREEDY, "forgetron_greedy", "Forgetron, the cheapest removal", DSS,
        {"policy": Policy.FORGETRON_GREEDY},
    ),
    Method(
        Algorithm.PROJECTRON, "projectron", "mistakes near the span are projected on it", OKC,
        {"policy": Policy.SPAN}, renames={"eta": "sparsity"},
    ),
    Method(
        Algorithm.PROJECTRON_PLUS_PLUS, "projectron++", "Projectron that learns from margins too",
        OKC, {"policy": Policy.SPAN}, renames={"eta": "sparsity"},
        choices={
            "rule": {
                "jmlr": {"update": Update.PROJECTRON_JMLR},
                "icml": {"update": Update.PROJECTRON_ICML},
                "loose": {"update": Update.MARGIN},
            }
        },
        defaults={"U": _projectron_radius},
    ),
    Method(
        Algorithm.AVP, "avp", "aggressive variant of the perceptron", AHP,
        {"update": Update.AGGRESSIVE, "projection": Projection.BALL},
        choices={"full": FULL}, renames={"lam": "rate"},
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
        Algorithm.POMDR, "pomdr", "optimistic mirror descent with hints, halving",
        "Li & Liao 2023",
        {
            "update": Update.OPTIMISTIC,
            "policy": Policy.ANCHOR,
            "projection": Projection.BALL,
        },
        defaults={"U": 25.0}, renames={"M": "window"},
    ),
    Method(
        Algorithm.PA, "pa", "passive-aggressive, no slack", CDK, {"update": Update.PA},
        choices={"loss": MARGIN_LOSS, "full": FULL_PA},
    ),
    Method(
        Algorithm.PA1, "pa1", "passive-aggressive, PA-I", CDK, {"update": Update.PA1},
        choices={"loss": MARGIN_LOSS, "full": FULL_PA},
    ),
    Method(
        Algorithm.PA2, "pa2", "passive-aggressive, PA-II", CDK, {"update": Update.PA2},
        choices={"loss": MARGIN_LOSS, "full": FULL_PA},
    ),
    Method(
        Algorithm.PA_RAND, "pa_rand", "PA-I, a random one leaves", WV,
        {"update": Update.PA1, "policy": Policy.RANDOM}, choices={"loss": MARGIN_LOSS},
    ),
    Method(
        Algorithm.BPA_S, "bpa_s", "budgeted PA, the newcomer repairs the loss", WV,
        {"update": Update.PA1, "policy": Policy.SIMPLE}, choices={"loss": MARGIN_LOSS},
    ),
    Method(
        Algorithm.BPA_NN, "bpa_nn", "budgeted PA, the nearest neighbour repairs too", WV,
        {"update": Update.PA1, "policy": Policy.NEAREST}, choices={"loss": MARGIN_LOSS},
        renames={"eps": "singular"},
    ),
    Method(
        Algorithm.BPA_P, "bpa_p", "budgeted PA, everyone repairs", WV,
        {"update": Update.PA1, "policy": Policy.PROJECT}, choices={"loss": MARGIN_LOSS},
        renames={"eps": "singular"},
    ),
    Method(
        Algorithm.OGD, "ogd", "online gradient descent (NORMA), the oldest leaves",
        "Kivinen, Smola & Williamson, IEEE Trans. Signal Processing 2004",
        {"update": Update.GRADIENT},
        choices={"loss": ANY_LOSS, "full": {"oldest": {"policy": Policy.OLDEST}, **FULL}},
    ),
    Method(
        Algorithm.OLK, "olk", "projected online gradient descent", HK,
        {"update": Update.GRADIENT, "projection": Projection.BALL, **AVERAGED},
        choices={"loss": ANY_LOSS, "schedule": SCHEDULE, "full": FULL},
    ),
    Method(
        Algorithm.OLRU, "olru", "gradient descent with random updating", HK,
        {
            "update": Update.GRADIENT,
            "sampling": Sampling.DECAY,
            "projection": Projection.BALL,
            **AVERAGED,
        },
        choices={
            "loss": ANY_LOSS,
            "schedule": {
                "dynamic": {"schedule": Schedule.DECAY},
                "constant": {"schedule": Schedule.CONSTANT},
            },
            "full": FULL,
        },
        renames={"gamma": "decay", "T": "horizon"},
    ),
    Method(
        Algorithm.OLRD, "olrd", "gradient descent with random discarding", HK,
        {"update": Update.GRADIENT, "policy": Policy.UNBIASED},
        choices={
            "loss": ANY_LOSS,
            "schedule": SCHEDULE,
            "projection": {
                "inf": {"projection": Projection.COEFFICIENTS},
                "ball": {"projection": Projection.BALL},
                "none": {"projection": Projection.NONE},
            },
        },
        renames={"c": "growth"},
    ),
    Method(
        Algorithm.BOGD, "bogd", "budget gradient descent, uniform removal", ZH,
        {"update": Update.GRADIENT, "policy": Policy.UNBIASED},
        choices={"loss": ANY_LOSS, "projection": CLIPPING},
        renames={"gamma": "clip", "c": "growth"},
    ),
    Method(
        Algorithm.BOGD_PLUS_PLUS, "bogd++", "budget gradient descent, removal by size", ZH,
        {"update": Update.GRADIENT, "policy": Policy.UNBIASED_BY_SIZE},
        choices={"loss": ANY_LOSS, "projection": CLIPPING}, renames={"gamma": "clip"},
    ),
    Method(
        Algorithm.SPA, "spa", "sparse passive-aggressive: sampled updates, averaged model", LZH,
        {"update": Update.SPARSE_PA, "sampling": Sampling.LOSS, **AVERAGED},
        choices={"full": FULL},
    ),
    Method(
        Algorithm.OSKL, "oskl", "online sparse kernel learning: sampled by the derivative",
        "Zhang, Yi, Jin, Lin & He, ICML 2013",
        {
            "update": Update.GRADIENT,
            "sampling": Sampling.DERIVATIVE,
            "projection": Projection.BALL,
            **AVERAGED,
        },
        choices={
            "loss": {"logistic": {"loss": Loss.LOGISTIC}, "hinge": {"loss": Loss.HINGE}},
            "full": FULL,
        },
        renames={"R": "U"},
    ),
    Method(
        Algorithm.KLR, "klr", "sparse kernel logistic regression", ZJC,
        {"loss": Loss.LOGISTIC, "projection": Projection.BALL, **AVERAGED},
        # The function h first: the methods without one then override it.
        choices={
            "h": {
                "shift": {"update": Update.LOGISTIC_SHIFT, "sampling": Sampling.AUXILIARY},
                "scale": {"update": Update.LOGISTIC_SCALE, "sampling": Sampling.AUXILIARY},
                "cut": {"update": Update.LOGISTIC_CUT, "sampling": Sampling.ALWAYS},
            },
            "method": {
                "auxiliary": {},
                "nc": {"update": Update.LOGISTIC, "sampling": Sampling.ALWAYS},
                "margin": {"update": Update.LOGISTIC, "sampling": Sampling.MARGIN},
            },
            "full": FULL,
        },
        renames={"R": "U", "gamma": "boost"},
    ),
    Method(
        Algorithm.PEGASOS, "pegasos", "kernel Pegasos",
        "Shalev-Shwartz, Singer, Srebro & Cotter, Math. Programming 2011",
        {"update": Update.PEGASOS, **AVERAGED},
        choices={"full": FULL}, defaults={"lam": 1e-4},
    ),
    Method(
        Algorithm.BSGD, "bsgd", "budgeted SGD: merge, project or remove the lightest",
        "Wang, Crammer & Vucetic, JMLR 2012", {"update": Update.PEGASOS},
        choices={
            "maintenance": {
                "merge": {"policy": Policy.MERGE},
                "project": {"policy": Policy.LIGHTEST_PROJECT},
                "remove": {"policy": Policy.LIGHTEST},
                "random": {"policy": Policy.RANDOM},
            }
        },
        defaults={"lam": 1e-4, "ridge": 1e-8},
    ),
    Method(
        Algorithm.FOGD, "fogd", "gradient descent on random Fourier features", LHW,
        {"update": Update.GRADIENT, "basis": Basis.FOURIER, **AVERAGED},
        choices={"loss": ANY_LOSS},
    ),
    Method(
        Algorithm.NOGD, "nogd", "gradient descent on Nystrom features", LHW,
        {"update": Update.GRADIENT, "basis": Basis.NYSTROM},
        choices={"loss": ANY_LOSS}, renames={"k": "rank"},
    ),
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
