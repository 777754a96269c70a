"""The table of published algorithms: each a composition of parts, with defaults and source.

A new algorithm made of existing parts is one row here. Parameters belong to the parts
(``parts/parameters.py``); a row only changes a default or gives a parameter the name it has in its
paper. The learner, ``plan``, the tests, the benchmarks, the command line and the README read this
table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import IntEnum

from edgeolk.catalogue.papers import AHP, CCG, CDK, DSS, HK, LHW, LZH, OKC, WV, ZH, ZJC
from edgeolk.lean import dataclass
from edgeolk.near import near
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
from edgeolk.parts.bases import BASES
from edgeolk.parts.losses import LOSSES
from edgeolk.parts.parameters import Context, Default
from edgeolk.parts.policies import POLICIES
from edgeolk.parts.table import DEFAULT_PARTS, Parts


@dataclass(frozen=True)
class Method:
    """One published algorithm.

    Attributes
    ----------
    algorithm : Algorithm
        Its member, whose number is in model files.
    name : str
        What callers write.
    title : str
        What it does, in a few words.
    source : str
        The paper.
    parts : dict
        Its part on each axis where that is not the one of ``DEFAULT_PARTS``.
    choices : dict
        Parameters that pick parts: name -> {option: parts}. The first option is the default.
    defaults : dict
        Defaults of its own, by the stored name of the parameter.
    renames : dict
        Names of the paper -> stored names, where they differ.
    gamma : float
        Default width of the Gaussian kernel, times the number of features.
    preprocessing : dict
        What is done with a row on its way in where nothing is said: ``scale`` and ``gamma`` as
        arguments of ``Config``.
    """

    algorithm: Algorithm
    name: str
    title: str
    source: str
    parts: Mapping[str, IntEnum] = {}
    choices: Mapping[str, Mapping[str, Parts]] = {}
    defaults: Mapping[str, Default] = {}
    renames: Mapping[str, str] = {}
    gamma: float = 1.0
    preprocessing: Mapping[str, str] = {}

    @property
    def public(self) -> dict[str, str]:
        """Names that the paper has for parameters, by the stored ones; those it renames only."""
        return {stored: name for name, stored in self.renames.items()}

    @property
    def freezes(self) -> bool:
        """Whether, with its default choices, a full ring ends learning."""
        parts = {**DEFAULT_PARTS, **self.parts}
        for options in self.choices.values():
            parts.update(next(iter(options.values())))
        policy, basis = POLICIES[Policy(parts["policy"])], BASES[Basis(parts["basis"])]
        return policy.freezes and basis.freezes


FULL: dict[str, Parts] = {"stop": {"policy": Policy.STOP}, "raise": {"policy": Policy.RAISE}}
FULL_PA: dict[str, Parts] = {**FULL, "random": {"policy": Policy.RANDOM}}


def _losses(update: Update) -> dict[str, Parts]:
    """A choice of the losses with labels that an update follows; the hinge is the first."""
    return {
        loss.name.lower(): {"loss": loss}
        for loss, row in LOSSES.items()
        if update in row.updates and row.labels != "none"
    }


MARGIN_LOSS = _losses(Update.PA1)
ANY_LOSS = _losses(Update.GRADIENT)
NOVELTY: dict[str, Parts] = {
    "novelty": {"loss": Loss.NOVELTY, "averaging": Averaging.NONE},
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
        "Rosenblatt, Psychological Review 1958; Freund & Schapire, Machine Learning 1999",
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
        Algorithm.SHIFTING_PERCEPTRON, "shifting_perceptron", "perceptron that shrinks the past",
        CCG, {"update": Update.SHIFTING}, renames={"lam": "shift"},
        choices={"full": {"random": {"policy": Policy.RANDOM}, **FULL}},
    ),
    Method(
        Algorithm.REMOVE_OLDEST, "remove_oldest", "the candidate replaces the oldest", WV,
        {"policy": Policy.OLDEST}, choices={"step": STEP},
    ),
    Method(
        Algorithm.REMOVE_SMALLEST, "remove_smallest",
        "the candidate replaces the smallest coefficient", WV, {"policy": Policy.SMALLEST},
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
        "Li & Liao, Improved kernel alignment regret bound for online kernel learning, AAAI 2023",
        {
            "update": Update.OPTIMISTIC,
            "policy": Policy.ANCHOR,
            "projection": Projection.BALL,
        },
        defaults={"U": 25.0}, renames={"M": "hint_rows"},
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
        Algorithm.BPA_S, "bpa_s", "budgeted PA, the candidate repairs the loss", WV,
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
        renames={"gamma": "clip_coefficients", "c": "growth"},
    ),
    Method(
        Algorithm.BOGD_PLUS_PLUS, "bogd++", "budget gradient descent, removal by size", ZH,
        {"update": Update.GRADIENT, "policy": Policy.UNBIASED_BY_SIZE},
        choices={"loss": ANY_LOSS, "projection": CLIPPING}, renames={"gamma": "clip_coefficients"},
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
        choices={
            "loss": {**ANY_LOSS, **NOVELTY},
            "frequencies": {
                "stored": {"basis": Basis.FOURIER},
                "drawn": {"basis": Basis.FOURIER_DRAWN},
                "structured": {"basis": Basis.STRUCTURED},
            },
        },
    ),
    Method(
        Algorithm.NOGD, "nogd", "gradient descent on Nystrom features", LHW,
        {"update": Update.GRADIENT, "basis": Basis.NYSTROM},
        choices={"loss": {**ANY_LOSS, **NOVELTY}}, renames={"k": "rank"},
    ),
    Method(
        Algorithm.SORF, "sorf", "structured features in two bytes each, blended with their average",
        "features: Yu, Suresh, Choromanski, Holtmann-Rice & Kumar, NeurIPS 2016; the rest is this"
        " project's",
        {"update": Update.BLENDED, "basis": Basis.STRUCTURED},
        choices={
            "loss": {
                "hinge": {"loss": Loss.HINGE},
                "square": {"loss": Loss.SQUARE},
                "novelty": {"loss": Loss.NOVELTY},
            }
        },
        renames={
            "delta": "memory", "window": "forget", "horizon": "lead", "memory": "row_memory",
        },
        gamma=0.5,
        preprocessing={"scale": "standard", "gamma": "auto"},
    ),
)

_BY_NAME = {method.name: method for method in METHODS}
_BY_MEMBER = {method.algorithm: method for method in METHODS}


def algorithms() -> tuple[Method, ...]:
    """Every published algorithm.

    Page: docs/algorithms.md.

    Returns
    -------
    tuple of Method
        In the order of the table in the README.
    """
    return METHODS


def find(algorithm: Algorithm | str | Method) -> Method:
    """The row of an algorithm; case does not matter in a name.

    Raises TypeError: neither a name, nor an ``ek.Algorithm``, nor a row of ``ek.algorithms()``.
    Raises ValueError: unknown name.
    """
    if isinstance(algorithm, Method):
        return algorithm
    if isinstance(algorithm, Algorithm):
        method = _BY_MEMBER.get(algorithm)
    elif isinstance(algorithm, str):
        method = _BY_NAME.get(algorithm.lower())
    else:
        raise TypeError(
            f"algorithm must be a name or an ek.Algorithm, got {type(algorithm).__name__}"
        )
    if method is None:
        known = ", ".join(_BY_NAME)
        guess = near(algorithm, _BY_NAME)
        raise ValueError(f"unknown algorithm {algorithm!r}{guess}; choose one of {known}")
    return method
