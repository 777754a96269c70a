"""The families of learners, and their parts, as enums.

Values are stored in model files: append, never renumber. The compiled core reads the same numbers
from ``core/parts.pxd``, which ``core/generate.py`` writes from this file and the rows of parts.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any


class Family(IntEnum):
    """The kinds of models: each has its own options, regions and steps."""

    RING = 1  # support vectors in a ring, or features in their place: a composition of parts
    SORF = 2  # structured features, recomputed for every row


class Dtype(IntEnum):
    """How support vectors are stored, or the weights of structured features."""

    FLOAT32 = 1
    FLOAT64 = 2
    FLOAT16 = 3
    INT8 = 4  # 256 levels between the ends of each feature's range


class Coefficients(IntEnum):
    """How coefficients and stored kernel rows are stored; sums are always float64."""

    FLOAT32 = 1
    FLOAT64 = 2


class Loss(IntEnum):
    """Loss l of the score f for the label y.

    ``ek.Learner(loss="square", ...)``: SQUARE and EPSILON are for real targets, NOVELTY is for rows
    without labels, the others are for classes.

    Page: docs/algorithms.md.
    """

    HINGE = 1  # max(0, 1 - y f)
    RAMP = 2  # min(2, hinge): no update where |f| > 1 (Wang & Vucetic 2010, section 4)
    LOGISTIC = 3  # log(1 + exp(-y f))
    SQUARE = 4  # (y - f)^2 / 2, real targets
    NOVELTY = 5  # no labels: is this row different from previous ones?
    EPSILON = 6  # max(0, |y - f| - epsilon), real targets (Crammer et al. 2006, section 5)


class Update(IntEnum):
    """When an example is used, and with which coefficient.

    ``ek.Learner(update=ek.Update.PA1, ...)`` composes a learner; ``update="pa1"`` is the same.

    Page: docs/algorithms.md.
    """

    PERCEPTRON = 1  # y f <= 0: y
    AGGRESSIVE = 2  # y f < 1 - eps: rate y (Ahpatron, algorithms 1 and 2)
    PA = 3  # H > 0: y H / k(x,x), H the hinge loss
    PA1 = 4  # H > 0: y min(C, H / k(x,x))
    PA2 = 5  # H > 0: y H / (k(x,x) + 1/(2C))
    GRADIENT = 6  # l' != 0: -eta_t l' / p, p the sampling probability
    SPARSE_PA = 7  # H > 0: y min(eta / p, H / k(x,x)) (Lu, Zhao & Hoi 2016, algorithm 1)
    SHIFTING = 8  # y f <= 0: l_n y after f is scaled by 1 - l_n, l_n = shift / (shift + n)
    MARGIN = 9  # y f < 1: y
    PROJECTRON_JMLR = 10  # mistakes, and margin errors that pay (Orabona et al., JMLR 2009)
    PROJECTRON_ICML = 11  # ... by the rule of the ICML 2008 paper
    PEGASOS = 12  # y f < 1: y / (lam t), f scaled by 1 - 1/t every step
    LOGISTIC = 13  # -eta l' without 1/p (Zhang et al. 2012, non-conservative and margin)
    LOGISTIC_SHIFT = 14  # -eta h', h = ln(boost + exp(-y f)) (Zhang et al. 2012, auxiliary)
    LOGISTIC_SCALE = 15  # ... h = ln(1 + boost exp(-y f))
    LOGISTIC_CUT = 16  # ... h = max(l(y f), l(delta))
    OPTIMISTIC = 17  # y (f + hint) < 1: y times an adaptive rate (Li & Liao 2023)
    # Kernel adaptive filters: a step at every row, on all coefficients.
    NORMALISED = 18  # a gradient step over k'k (KNLMS, Richard et al. 2009)
    AFFINE = 19  # ... for the last rows together (KAP, Richard et al. 2009)
    RECURSIVE = 20  # least squares over all rows, in whitened coordinates (KRLS, Engel et al. 2004)
    RIDGE = 21  # the coefficients solve (K + ridge I) a = targets (Van Vaerenbergh et al. 2006)
    POSTERIOR = 22  # a Gaussian process (Csato & Opper 2002, Van Vaerenbergh et al. 2012)
    WHITENED = 23  # ... in whitened coordinates, for single precision and little noise
    UNTUNED = 24  # ... with a linear part, which learns its widths, noise and scales


class Sampling(IntEnum):
    """Probability p with which an example that needs an update gets it.

    ``ek.Learner(sampling=ek.Sampling.LOSS, ...)`` composes a learner; ``"loss"`` is the same.

    Page: docs/algorithms.md.
    """

    ALWAYS = 1  # p = 1, no draw
    LOSS = 2  # p = min(alpha, l) / beta (Lu, Zhao & Hoi 2016)
    DECAY = 3  # p = min(1, c t^-decay) (He & Kwok 2014, algorithm 2)
    DERIVATIVE = 4  # p = |l'| / G (Zhang et al. 2013)
    MARGIN = 5  # p = (2 - eta) / (2 - eta + eta sigma(y f)) (Zhang et al. 2012)
    AUXILIARY = 6  # p = l / h (Zhang et al. 2012)


class Policy(IntEnum):
    """Budget maintenance: what happens when the ring is full.

    ``ek.Learner(policy=ek.Policy.OLDEST, ...)`` composes a learner; ``"oldest"`` is the same.

    Page: docs/algorithms.md.
    """

    STOP = 1  # the model is frozen
    RAISE = 2  # the example is refused with BudgetError
    OLDEST = 3  # the incoming vector replaces the oldest support vector
    SMALLEST = 4  # ... the one with the smallest |alpha|
    RANDOM = 5  # ... a random one (Cavallanti, Cesa-Bianchi & Gentile 2007)
    FORGETRON = 6  # ... the oldest, after shrinking all (Dekel, Shalev-Shwartz & Singer 2008)
    SIMPLE = 7  # BPA-S: one is projected onto the incoming vector (Wang & Vucetic 2010, 3.1)
    UNBIASED = 8  # a random one, the others scaled by B/(B-1) (He & Kwok 2014, algorithm 3)
    HALVE = 9  # the smaller half is projected onto the larger one (Ahpatron, algorithm 2)
    SPAN = 10  # the incoming vector is projected onto the ring when near or full (Projectron)
    NEAREST = 11  # BPA-NN: one is projected onto the incoming vector and its nearest neighbour
    PROJECT = 12  # BPA-P: one is projected onto all the others
    UNBIASED_BY_SIZE = 13  # a light one, the others scaled by their odds (Zhao et al. 2012)
    LIGHTEST = 14  # the lightest of old and new is removed (Wang, Crammer & Vucetic 2012)
    LIGHTEST_PROJECT = 15  # ... projected onto the others
    MERGE = 16  # ... merged with another of its class
    ANCHOR = 17  # each of the younger half merges into its nearest older one (Li & Liao 2023)
    FORGETRON_BASIC = 18  # the oldest is removed, fixed shrinking (Dekel et al. 2008)
    FORGETRON_GREEDY = 19  # the one whose removal costs least, self-tuned shrinking
    QUANTISED = 20  # a near or surplus vector adds its coefficient to the nearest (QKLMS)
    COHERENT = 21  # what is coherent with a support vector does not enter (Richard et al. 2009)
    DEPENDENT = 22  # ... what depends on the support vectors linearly (Engel et al. 2004)
    SLIDING = 23  # every row enters, the oldest is removed
    LEAST_ERROR = 24  # ... the one whose removal costs the least error (FB-KRLS)
    LEAST_CHANGE = 25  # ... the one whose removal changes its own answer least (KRLS-T)
    LEAST_DIVERGENCE = 26  # ... the posterior least (Csato & Opper 2002)


class Projection(IntEnum):
    """Bound on the function after an update.

    ``ek.Learner(projection=ek.Projection.BALL, ...)`` composes a learner; ``"ball"`` is the same.

    Page: docs/algorithms.md.
    """

    NONE = 1
    BALL = 2  # ||f|| <= U
    COEFFICIENTS = 3  # B max_i |alpha_i| sqrt(k(s_i, s_i)) <= U (He & Kwok 2014, eq. 22)
    CLIP = 4  # |alpha_i| <= clip eta, each (Zhao et al. 2012)
    SHRINK = 5  # max_i |alpha_i| <= clip eta, by a common factor


class Schedule(IntEnum):
    """Step size of a gradient update at step t.

    ``ek.Learner(schedule=ek.Schedule.SQRT, ...)`` composes a learner; ``"sqrt"`` is the same.

    Page: docs/algorithms.md.
    """

    CONSTANT = 1
    SQRT = 2  # eta / sqrt(t)
    DECAY = 3  # eta t^-((1 + decay) / 2) (He & Kwok 2014, theorem 2)


class Averaging(IntEnum):
    """Averaged model, kept in addition to the last one.

    ``ek.Learner(averaging=ek.Averaging.MEAN, ...)`` composes a learner; ``"mean"`` is the same.

    Page: docs/algorithms.md.
    """

    NONE = 1
    MEAN = 2  # (f_1 + ... + f_T) / T, in O(1) a step


class Basis(IntEnum):
    """The functions whose weighted sum is learned.

    ``ek.Learner(basis=ek.Basis.FOURIER, ...)`` composes a learner; ``"fourier"`` is the same.

    Page: docs/algorithms.md.
    """

    SUPPORT_VECTORS = 1
    FOURIER = 2  # random cosines and sines (Rahimi & Recht 2007; FOGD, Lu et al. 2016)
    NYSTROM = 3  # eigenfunctions of the first B support vectors (NOGD, Lu et al. 2016)
    STRUCTURED = 4  # cosines and sines recomputed from the seed for every row (Yu et al. 2016)
    FOURIER_DRAWN = 5  # those of FOURIER, with frequencies drawn again for every row


class Rows(IntEnum):
    """How the rows of examples are expected to look."""

    DENSE = 1
    SPARSE = 2  # mostly zeros: norms are cached, a row costs its non-zeros
    EITHER = 3  # norms are cached, each row is read the cheaper way that loses no digits


class KernelKind(IntEnum):
    """Kernel functions; the numbers are those of ``c/ring_table.h``."""

    GAUSSIAN = 1
    LAPLACIAN = 2
    POLYNOMIAL = 3
    LINEAR = 4
    SIGMOID = 5


def axis_of(kind: type[IntEnum]) -> str:
    """The name of the axis of an enum."""
    return kind.__name__.lower()


def by_axis(*members: IntEnum) -> dict[str, Any]:
    """Members by their axes."""
    return {axis_of(type(member)): member for member in members}


#: Axes of a composition.
AXES: dict[str, type[IntEnum]] = {
    axis_of(kind): kind
    for kind in (
        *(Dtype, Update, Loss, Sampling, Policy, Projection, Schedule, Averaging, Basis, Rows),
        Coefficients,
    )
}


class Algorithm(IntEnum):
    """Published algorithms; 0 is a composition without a name.

    ``ek.Learner(ek.Algorithm.SPA, ...)`` is ``ek.Learner("spa", ...)``; see ``ek.algorithms()``.

    Page: docs/algorithms.md.
    """

    CUSTOM = 0
    PERCEPTRON = 1
    STOPTRON = 2
    RBP = 3
    REMOVE_OLDEST = 4
    FORGETRON = 5
    PA1 = 6
    BPA_S = 7
    OLRD = 8
    SPA = 9
    AHPATRON = 10
    SHIFTING_PERCEPTRON = 11
    REMOVE_SMALLEST = 12
    FORGETRON_BASIC = 13
    FORGETRON_GREEDY = 14
    PROJECTRON = 15
    PROJECTRON_PLUS_PLUS = 16
    AVP = 17
    POMDR = 18
    PA = 19
    PA2 = 20
    BPA_NN = 21
    BPA_P = 22
    PA_RAND = 23
    OGD = 24
    OLK = 25
    OLRU = 26
    BOGD = 27
    BOGD_PLUS_PLUS = 28
    OSKL = 29
    KLR = 30
    PEGASOS = 31
    BSGD = 32
    FOGD = 33
    NOGD = 34
    SORF = 35
    KLMS = 36
    QKLMS = 37
    KNLMS = 38
    KAPA = 39
    KRLS = 40
    SW_KRLS = 41
    FB_KRLS = 42
    KRLS_T = 43
    SOGP = 44
    KRLS_AUTO = 45
