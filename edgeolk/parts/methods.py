"""The table of published algorithms, with defaults and source: compositions of parts, and ``sorf``.

A new algorithm composed of existing parts is one row here. Options belong to the parts
(``ring/options.py``); a row only changes a default, or accepts the letter of a paper as an alias.
The learner, ``plan``, the tests, the benchmarks, the command line and the README use this table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial

from edgeolk.errors import suggest
from edgeolk.parts import (
    Algorithm,
    Averaging,
    Basis,
    Family,
    Loss,
    Policy,
    Projection,
    Sampling,
    Schedule,
    Update,
)
from edgeolk.parts.bases import BASES
from edgeolk.parts.losses import LOSSES
from edgeolk.parts.numbers import by_axis
from edgeolk.parts.option import Context, Default
from edgeolk.parts.policies import POLICIES
from edgeolk.parts.table import DEFAULT_PARTS, Parts
from edgeolk.parts.updates import UPDATES

CCG = "Cavallanti, Cesa-Bianchi & Gentile, Machine Learning 2007"
LZH = "Lu, Zhao & Hoi, SDM 2016"
AHP = (
    "Liao, Li, Liao, Hu & Dang, Ahpatron: a new budgeted online kernel learning machine with"
    " tighter mistake bound, AAAI 2024"
)
HK = "He & Kwok, Neural Networks 2014"
ZJC = "Zhang, Jin, Chen, Bu & He, AAAI 2012"
WV = "Wang & Vucetic, AISTATS 2010"
DSS = "Dekel, Shalev-Shwartz & Singer, SIAM J. Computing 2008"
LHW = "Lu, Hoi, Wang, Zhao & Liu, JMLR 2016"
ZH = "Zhao, Wang, Wu, Jin & Hoi, ICML 2012"
CDK = "Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, JMLR 2006"
RBH = "Richard, Bermudez & Honeine, IEEE Trans. Signal Processing 2009"
OKC = "Orabona, Keshet & Caputo, JMLR 2009"


@dataclass(frozen=True)
class Method:
    """One published algorithm.

    Attributes
    ----------
    algorithm : Algorithm
        Its enum member, whose number is in model files.
    name : str
        What callers write.
    title : str
        What it does, in a few words.
    source : str
        The paper.
    parts : dict
        Axis -> part, for the axes that differ from ``DEFAULT_PARTS``; empty for ``sorf``.
    choices : dict
        Parameters that select parts: name -> {option: parts}. The first option is the default.
    defaults : dict
        Name of an option -> its default for this algorithm.
    aliases : dict
        Letter in the paper -> name of the option, accepted for this algorithm only.
    gamma : float
        Default width of the Gaussian kernel, times the number of features.
    preprocessing : dict
        Default preprocessing of rows: ``scale`` and ``gamma`` as for ``Config``.
    dtype : str
        Default storage type.
    family : Family
        The kind of model that it is.
    freezes : bool
        Whether, with its default choices, a full ring ends learning.
    takes_history : bool
        Whether rows may be a time series: ``history=``.
    counts_mistakes : bool
        Whether mistakes decide between experts inside it.
    scales_itself : bool
        Whether it always scales inputs and targets, and has no width to choose.
    """

    algorithm: Algorithm
    name: str
    title: str
    source: str
    parts: Mapping[str, IntEnum] = field(default_factory=dict)
    choices: Mapping[str, Mapping[str, Parts]] = field(default_factory=dict)
    defaults: Mapping[str, Default] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    gamma: float = 1.0
    preprocessing: Mapping[str, str] = field(default_factory=dict)
    dtype: str = "float32"

    @property
    def family(self) -> Family:
        """The kind of model that it is."""
        return Family.RING

    @property
    def takes_history(self) -> bool:
        """Whether rows may be a time series: ``history=``."""
        return False

    @property
    def counts_mistakes(self) -> bool:
        """Whether mistakes decide between experts inside it."""
        return False

    @property
    def scales_itself(self) -> bool:
        """Whether it always scales inputs and targets, and has no width to choose."""
        update = self.parts.get("update")
        return update is not None and UPDATES[Update(update)].scores_itself

    @property
    def freezes(self) -> bool:
        """Whether, with its default choices, a full ring ends learning."""
        parts = {**DEFAULT_PARTS, **self.parts}
        for options in self.choices.values():
            parts.update(next(iter(options.values())))
        policy, basis = POLICIES[parts["policy"]], BASES[parts["basis"]]
        return policy.freezes and basis.freezes


class SorfMethod(Method):
    """The algorithm of the sorf family: it has no ring, and so no parts of one."""

    family = Family.SORF
    freezes = False
    takes_history = True
    counts_mistakes = True


def _each(*members: IntEnum) -> dict[str, Parts]:
    """A choice among parts of one axis, by their names, the default first."""
    return {member.name.lower(): by_axis(member) for member in members}


def _losses(update: Update) -> dict[str, Parts]:
    """A choice among the losses with labels that an update supports, the hinge first."""
    supported = UPDATES[update].losses
    return _each(*(loss for loss in LOSSES if loss in supported and LOSSES[loss].labels != "none"))


FULL = _each(Policy.STOP, Policy.RAISE)
FULL_PA = _each(Policy.STOP, Policy.RAISE, Policy.RANDOM)
MARGIN_LOSS = _losses(Update.PA1)
ANY_LOSS = _losses(Update.GRADIENT)
NOVELTY = {"novelty": by_axis(Loss.NOVELTY, Averaging.NONE)}
SCHEDULE = _each(Schedule.CONSTANT, Schedule.SQRT)
STEP = {"unit": by_axis(Update.PERCEPTRON), "pa": by_axis(Update.PA1)}
CLIPPING = {
    "clip": by_axis(Projection.CLIP),
    "scale": by_axis(Projection.SHRINK),
    "none": by_axis(Projection.NONE),
}


def _forgetron_radius(context: Context) -> float:
    b = context["budget"] + 1.0
    return 0.25 * math.sqrt(b / math.log(b))


def _projectron_radius(context: Context) -> float:
    if context["sparsity"] > 0.0:
        return 1.0 / context["sparsity"]
    return _forgetron_radius(context)


#: A kernel adaptive filter: regression in double precision.
_filter = partial(Method, dtype="float64")

METHODS: tuple[Method, ...] = (
    Method(
        Algorithm.PERCEPTRON, "perceptron", "kernel perceptron, every mistake kept",
        "Rosenblatt, Psychological Review 1958; Freund & Schapire, Machine Learning 1999",
        choices={"full": FULL},
    ),
    Method(
        Algorithm.STOPTRON, "stoptron", "perceptron that freezes when full", WV,
        by_axis(Policy.STOP),
    ),
    Method(
        Algorithm.RBP, "rbp", "randomised budget perceptron", CCG, by_axis(Policy.RANDOM),
    ),
    Method(
        Algorithm.SHIFTING_PERCEPTRON, "shifting_perceptron", "perceptron that shrinks the past",
        CCG, by_axis(Update.SHIFTING), aliases={"lam": "shift"},
        choices={"full": _each(Policy.RANDOM, Policy.STOP, Policy.RAISE)},
    ),
    Method(
        Algorithm.REMOVE_OLDEST, "remove_oldest", "the incoming vector replaces the oldest", WV,
        by_axis(Policy.OLDEST), choices={"step": STEP},
    ),
    Method(
        Algorithm.REMOVE_SMALLEST, "remove_smallest",
        "the incoming vector replaces the smallest coefficient", WV, by_axis(Policy.SMALLEST),
        choices={"step": dict(reversed(STEP.items()))},
    ),
    Method(
        Algorithm.FORGETRON, "forgetron", "self-tuned Forgetron: shrink, drop the oldest", DSS,
        by_axis(Policy.FORGETRON),
    ),
    Method(
        Algorithm.FORGETRON_BASIC, "forgetron_basic", "Forgetron with a fixed shrinking factor",
        DSS, by_axis(Policy.FORGETRON_BASIC), defaults={"U": _forgetron_radius},
    ),
    Method(
        Algorithm.FORGETRON_GREEDY, "forgetron_greedy", "Forgetron, the cheapest removal", DSS,
        by_axis(Policy.FORGETRON_GREEDY),
    ),
    Method(
        Algorithm.PROJECTRON, "projectron", "mistakes near the span are projected onto it", OKC,
        by_axis(Policy.SPAN), aliases={"eta": "sparsity"},
    ),
    Method(
        Algorithm.PROJECTRON_PLUS_PLUS, "projectron++", "Projectron that learns from margins too",
        OKC, by_axis(Policy.SPAN), aliases={"eta": "sparsity"},
        choices={
            "rule": {
                "jmlr": by_axis(Update.PROJECTRON_JMLR),
                "icml": by_axis(Update.PROJECTRON_ICML),
                "loose": by_axis(Update.MARGIN),
            }
        },
        defaults={"U": _projectron_radius},
    ),
    Method(
        Algorithm.AVP, "avp", "aggressive variant of the perceptron", AHP,
        by_axis(Update.AGGRESSIVE, Projection.BALL),
        choices={"full": FULL}, aliases={"lam": "rate"},
    ),
    Method(
        Algorithm.AHPATRON, "ahpatron", "aggressive perceptron, halving with projection", AHP,
        by_axis(Update.AGGRESSIVE, Policy.HALVE, Projection.BALL),
        defaults={
            "U": lambda c: math.sqrt(c["budget"]) / 2.0,
            "rate": lambda c: c["U"] / math.sqrt(4.0 * c["budget"]),
        },
        aliases={"lam": "rate", "eta": "ridge"},
    ),
    Method(
        Algorithm.POMDR, "pomdr", "optimistic mirror descent with hints, halving",
        "Li & Liao, Improved kernel alignment regret bound for online kernel learning, AAAI 2023",
        by_axis(Update.OPTIMISTIC, Policy.ANCHOR, Projection.BALL),
        defaults={"U": 25.0}, aliases={"M": "hint_rows"},
    ),
    Method(
        Algorithm.PA, "pa", "passive-aggressive, no slack", CDK, by_axis(Update.PA),
        choices={"loss": MARGIN_LOSS, "full": FULL_PA},
    ),
    Method(
        Algorithm.PA1, "pa1", "passive-aggressive, PA-I", CDK, by_axis(Update.PA1),
        choices={"loss": MARGIN_LOSS, "full": FULL_PA},
    ),
    Method(
        Algorithm.PA2, "pa2", "passive-aggressive, PA-II", CDK, by_axis(Update.PA2),
        choices={"loss": MARGIN_LOSS, "full": FULL_PA},
    ),
    Method(
        Algorithm.PA_RAND, "pa_rand", "PA-I, removes a random support vector", WV,
        by_axis(Update.PA1, Policy.RANDOM), choices={"loss": MARGIN_LOSS},
    ),
    Method(
        Algorithm.BPA_S, "bpa_s", "budgeted PA, the incoming vector repairs the loss", WV,
        by_axis(Update.PA1, Policy.SIMPLE), choices={"loss": MARGIN_LOSS},
    ),
    Method(
        Algorithm.BPA_NN, "bpa_nn", "budgeted PA, the nearest neighbour repairs too", WV,
        by_axis(Update.PA1, Policy.NEAREST), choices={"loss": MARGIN_LOSS},
        aliases={"eps": "singular"},
    ),
    Method(
        Algorithm.BPA_P, "bpa_p", "budgeted PA, all support vectors repair", WV,
        by_axis(Update.PA1, Policy.PROJECT), choices={"loss": MARGIN_LOSS},
        aliases={"eps": "singular"},
    ),
    Method(
        Algorithm.OGD, "ogd", "online gradient descent (NORMA), removes the oldest",
        "Kivinen, Smola & Williamson, IEEE Trans. Signal Processing 2004",
        by_axis(Update.GRADIENT),
        choices={"loss": ANY_LOSS, "full": _each(Policy.OLDEST, Policy.STOP, Policy.RAISE)},
    ),
    Method(
        Algorithm.OLK, "olk", "projected online gradient descent", HK,
        by_axis(Update.GRADIENT, Projection.BALL, Averaging.MEAN),
        choices={"loss": ANY_LOSS, "schedule": SCHEDULE, "full": FULL},
    ),
    Method(
        Algorithm.OLRU, "olru", "gradient descent with random updating", HK,
        by_axis(Update.GRADIENT, Sampling.DECAY, Projection.BALL, Averaging.MEAN),
        choices={
            "loss": ANY_LOSS,
            "schedule": {
                "dynamic": by_axis(Schedule.DECAY),
                "constant": by_axis(Schedule.CONSTANT),
            },
            "full": FULL,
        },
        aliases={"gamma": "decay", "T": "horizon"},
    ),
    Method(
        Algorithm.OLRD, "olrd", "gradient descent with random discarding", HK,
        by_axis(Update.GRADIENT, Policy.UNBIASED),
        choices={
            "loss": ANY_LOSS,
            "schedule": SCHEDULE,
            "projection": {
                "inf": by_axis(Projection.COEFFICIENTS),
                "ball": by_axis(Projection.BALL),
                "none": by_axis(Projection.NONE),
            },
        },
        aliases={"c": "growth"},
    ),
    Method(
        Algorithm.BOGD, "bogd", "budget gradient descent, uniform removal", ZH,
        by_axis(Update.GRADIENT, Policy.UNBIASED),
        choices={"loss": ANY_LOSS, "projection": CLIPPING},
        aliases={"gamma": "clip_coefficients", "c": "growth"},
    ),
    Method(
        Algorithm.BOGD_PLUS_PLUS, "bogd++", "budget gradient descent, removal by size", ZH,
        by_axis(Update.GRADIENT, Policy.UNBIASED_BY_SIZE),
        choices={"loss": ANY_LOSS, "projection": CLIPPING}, aliases={"gamma": "clip_coefficients"},
    ),
    Method(
        Algorithm.SPA, "spa", "sparse passive-aggressive: sampled updates, averaged model", LZH,
        by_axis(Update.SPARSE_PA, Sampling.LOSS, Averaging.MEAN),
        choices={"full": FULL},
    ),
    Method(
        Algorithm.OSKL, "oskl", "online sparse kernel learning: sampled by the derivative",
        "Zhang, Yi, Jin, Lin & He, ICML 2013",
        by_axis(Update.GRADIENT, Sampling.DERIVATIVE, Projection.BALL, Averaging.MEAN),
        choices={
            "loss": _each(Loss.LOGISTIC, Loss.HINGE),
            "full": FULL,
        },
        aliases={"R": "U"},
    ),
    Method(
        Algorithm.KLR, "klr", "sparse kernel logistic regression", ZJC,
        by_axis(Loss.LOGISTIC, Projection.BALL, Averaging.MEAN),
        # The function h first: methods without one override it.
        choices={
            "h": {
                "shift": by_axis(Update.LOGISTIC_SHIFT, Sampling.AUXILIARY),
                "scale": by_axis(Update.LOGISTIC_SCALE, Sampling.AUXILIARY),
                "cut": by_axis(Update.LOGISTIC_CUT, Sampling.ALWAYS),
            },
            "method": {
                "auxiliary": {},
                "nc": by_axis(Update.LOGISTIC, Sampling.ALWAYS),
                "margin": by_axis(Update.LOGISTIC, Sampling.MARGIN),
            },
            "full": FULL,
        },
        aliases={"R": "U", "gamma": "boost"},
    ),
    Method(
        Algorithm.PEGASOS, "pegasos", "kernel Pegasos",
        "Shalev-Shwartz, Singer, Srebro & Cotter, Math. Programming 2011",
        by_axis(Update.PEGASOS, Averaging.MEAN),
        choices={"full": FULL}, defaults={"lam": 1e-4},
    ),
    Method(
        Algorithm.BSGD, "bsgd", "budgeted SGD: merge, project or remove the lightest",
        "Wang, Crammer & Vucetic, JMLR 2012", by_axis(Update.PEGASOS),
        choices={
            "maintenance": {
                "merge": by_axis(Policy.MERGE),
                "project": by_axis(Policy.LIGHTEST_PROJECT),
                "remove": by_axis(Policy.LIGHTEST),
                "random": by_axis(Policy.RANDOM),
            }
        },
        defaults={"lam": 1e-4, "ridge": 1e-8},
    ),
    Method(
        Algorithm.FOGD, "fogd", "gradient descent on random Fourier features", LHW,
        by_axis(Update.GRADIENT, Basis.FOURIER, Averaging.MEAN),
        choices={
            "loss": {**ANY_LOSS, **NOVELTY},
            "frequencies": {
                "stored": by_axis(Basis.FOURIER),
                "drawn": by_axis(Basis.FOURIER_DRAWN),
                "structured": by_axis(Basis.STRUCTURED),
            },
        },
    ),
    Method(
        Algorithm.NOGD, "nogd", "gradient descent on Nystrom features", LHW,
        by_axis(Update.GRADIENT, Basis.NYSTROM),
        choices={"loss": {**ANY_LOSS, **NOVELTY}}, aliases={"k": "rank"},
    ),
    _filter(
        Algorithm.KLMS, "klms", "kernel least mean squares",
        "Liu, Pokharel & Principe, IEEE Trans. Signal Processing 2008",
        by_axis(Update.GRADIENT, Loss.SQUARE), defaults={"eta": 0.5},
        choices={"full": _each(Policy.STOP, Policy.OLDEST, Policy.RANDOM)},
    ),
    _filter(
        Algorithm.QKLMS, "qklms", "KLMS that adds a near row to its nearest support vector",
        "Chen, Zhao, Zhu & Principe, IEEE Trans. Neural Networks and Learning Systems 2012",
        by_axis(Update.GRADIENT, Loss.SQUARE, Policy.QUANTISED), defaults={"eta": 0.5},
        aliases={"eps": "radius"},
    ),
    _filter(
        Algorithm.KNLMS, "knlms", "normalised KLMS, rows enter by coherence", RBH,
        by_axis(Update.NORMALISED, Loss.SQUARE, Policy.COHERENT),
        defaults={"eta": 0.5, "ridge": 0.01}, aliases={"mu0": "coherence", "eps": "ridge"},
    ),
    _filter(
        Algorithm.KAPA, "kapa", "kernel affine projection: a step for the last rows together", RBH,
        by_axis(Update.AFFINE, Loss.SQUARE, Policy.COHERENT),
        defaults={"eta": 0.5, "ridge": 0.01},
        aliases={"mu0": "coherence", "eps": "ridge", "p": "last_rows"},
    ),
    _filter(
        Algorithm.KRLS, "krls", "kernel recursive least squares, rows enter unless dependent",
        "Engel, Mannor & Meir, IEEE Trans. Signal Processing 2004",
        by_axis(Update.RECURSIVE, Loss.SQUARE, Policy.DEPENDENT), aliases={"nu": "dependence"},
    ),
    _filter(
        Algorithm.SW_KRLS, "sw_krls", "kernel ridge regression on the last B rows",
        "Van Vaerenbergh, Via & Santamaria, ICASSP 2006",
        by_axis(Update.RIDGE, Loss.SQUARE, Policy.SLIDING), defaults={"ridge": 0.01},
        aliases={"c": "ridge"},
    ),
    _filter(
        Algorithm.FB_KRLS, "fb_krls", "kernel ridge regression on B rows, the least needed leaves",
        "Van Vaerenbergh, Santamaria, Liu & Principe, ICASSP 2010",
        by_axis(Update.RIDGE, Loss.SQUARE, Policy.LEAST_ERROR), defaults={"ridge": 0.01},
        aliases={"c": "ridge"},
    ),
    _filter(
        Algorithm.KRLS_T, "krls_t", "Gaussian process on B rows that forgets, with variances",
        "Van Vaerenbergh, Lazaro-Gredilla & Santamaria, IEEE Trans. Neural Networks and Learning"
        " Systems 2012",
        by_axis(Update.POSTERIOR, Loss.SQUARE, Policy.LEAST_CHANGE),
        aliases={"lam": "forgetting", "sn2": "noise"},
    ),
    _filter(
        Algorithm.SOGP, "sogp", "sparse online Gaussian process, with variances",
        "Csato & Opper, Neural Computation 2002",
        by_axis(Update.POSTERIOR, Loss.SQUARE, Policy.LEAST_DIVERGENCE),
        aliases={"sn2": "noise"},
    ),
    Method(
        Algorithm.KRLS_AUTO, "krls_auto",
        "Gaussian process with a linear part that learns its widths, noise and scales",
        "KRLS-T of the same name; the rest is this project's",
        by_axis(Update.UNTUNED, Loss.SQUARE, Policy.LEAST_CHANGE),
        aliases={"horizon": "delay"},
        gamma=3.0,
    ),
    SorfMethod(
        Algorithm.SORF, "sorf", "structured features in two bytes each, blended with their average",
        "features: Yu, Suresh, Choromanski, Holtmann-Rice & Kumar, NeurIPS 2016; the rest is this"
        " project's",
        choices={"loss": _each(Loss.HINGE, Loss.SQUARE, Loss.NOVELTY)},
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
        In the order of docs/algorithms.md. Each has a ``name``, for ``ek.Learner(name, ...)``, a
        ``title`` and the ``source`` of its paper.

    Examples
    --------
    >>> import edgeolk as ek
    >>> [row.name for row in ek.algorithms() if row.name.startswith("proj")]
    ['projectron', 'projectron++']
    """
    return METHODS


def losses_of(method: Method, labels: str) -> list[str]:
    """The losses of an algorithm for such labels, as its row of losses names them."""
    choice = method.choices.get("loss")
    fixed = {**DEFAULT_PARTS, **method.parts}["loss"]
    losses = [parts["loss"] for parts in choice.values()] if choice else [fixed]
    return [loss.name.lower() for loss in losses if LOSSES[loss].labels == labels]


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
        hint = suggest(algorithm, _BY_NAME)
        raise ValueError(f"unknown algorithm {algorithm!r}{hint}; choose one of {known}")
    return method
