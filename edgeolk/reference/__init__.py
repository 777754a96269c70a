"""Slow, readable implementations of the algorithms in plain numpy.

Each learner follows its paper or its page literally and stores only the model. It is meant to be
read, checked, subclassed and plotted. The tests compare the compiled learners with these, decision
by decision. They take 10 to 1,000 times as long, and their memory is not fixed. Nothing else in
edgeolk imports this package. Page: docs/prototype.md.

>>> import numpy as np
>>> from edgeolk.reference import LEARNERS, gaussian
>>> learner = LEARNERS["bpa_s"](gaussian(0.5), 20, C=1.0)
>>> learner.learn_one(np.array([1.0, -1.0]), 1)
0.0
>>> learner.n_support
1
"""

from __future__ import annotations

from edgeolk.reference.base import (
    KernelLearner,
    Pcg32,
    gaussian,
    laplacian,
    linear,
    polynomial,
    sigmoid,
)
from edgeolk.reference.comparison import Comparison, compare
from edgeolk.reference.features import Fogd, Nogd
from edgeolk.reference.filters_gp import KrlsT, Sogp, WhitenedKrlsT, WhitenedSogp
from edgeolk.reference.filters_lms import Kapa, Klms, Knlms, Qklms
from edgeolk.reference.filters_rls import FbKrls, Krls, SwKrls
from edgeolk.reference.forgetron import Forgetron, ForgetronBasic, ForgetronGreedy
from edgeolk.reference.gradient import Bogd, BogdPlusPlus, Norma, Ogd, Olk, Olrd, Olru
from edgeolk.reference.halving import Ahpatron, Avp, Pomdr
from edgeolk.reference.logistic import Klr, Oskl
from edgeolk.reference.multiclass import Several
from edgeolk.reference.passive_aggressive import (
    BpaNn,
    BpaP,
    BpaS,
    Pa,
    Pa1,
    Pa2,
    PaRand,
    PassiveAggressive,
    Spa,
)
from edgeolk.reference.pegasos import Bsgd, Pegasos
from edgeolk.reference.perceptrons import (
    Budgeted,
    Perceptron,
    Rbp,
    RemoveOldest,
    RemoveSmallest,
    ShiftingPerceptron,
    Stoptron,
)
from edgeolk.reference.projectron import Projectron, ProjectronPlusPlus
from edgeolk.reference.sorf import Sorf
from edgeolk.reference.sorf_forecast import Forecaster
from edgeolk.reference.sorf_novelty import SorfNovelty
from edgeolk.reference.sorf_scaling import Following, ScaledSorf
from edgeolk.reference.sorf_watch import WatchReference
from edgeolk.reference.untuned_krls import FactoredKrlsAuto, KrlsAuto

#: The kernel learners by the names of their algorithms. `sorf` is ``ScaledSorf``; ``Sorf`` is the
#: same for scaled rows.
LEARNERS: dict[str, type[KernelLearner]] = {
    "perceptron": Perceptron,
    "stoptron": Stoptron,
    "rbp": Rbp,
    "remove_oldest": RemoveOldest,
    "remove_smallest": RemoveSmallest,
    "forgetron": Forgetron,
    "pa": Pa,
    "pa1": Pa1,
    "pa2": Pa2,
    "pa_rand": PaRand,
    "bpa_s": BpaS,
    "olrd": Olrd,
    "spa": Spa,
    "avp": Avp,
    "ahpatron": Ahpatron,
    "ogd": Ogd,
    "olk": Olk,
    "olru": Olru,
    "bogd": Bogd,
    "bogd++": BogdPlusPlus,
    "oskl": Oskl,
    "klr": Klr,
    "projectron": Projectron,
    "projectron++": ProjectronPlusPlus,
    "bpa_nn": BpaNn,
    "bpa_p": BpaP,
    "fogd": Fogd,
    "nogd": Nogd,
    "pegasos": Pegasos,
    "bsgd": Bsgd,
    "pomdr": Pomdr,
    "shifting_perceptron": ShiftingPerceptron,
    "forgetron_basic": ForgetronBasic,
    "forgetron_greedy": ForgetronGreedy,
    "klms": Klms,
    "qklms": Qklms,
    "knlms": Knlms,
    "kapa": Kapa,
    "krls": Krls,
    "sw_krls": SwKrls,
    "fb_krls": FbKrls,
    "krls_t": KrlsT,
    "sogp": Sogp,
}

__all__ = [
    "LEARNERS", "Budgeted", "Comparison", "FactoredKrlsAuto", "Following", "Forecaster",
    "KernelLearner", "KrlsAuto", "Norma", "PassiveAggressive", "Pcg32", "ScaledSorf", "Several",
    "Sorf", "SorfNovelty", "WatchReference", "WhitenedKrlsT", "WhitenedSogp",
    "compare", "gaussian", "laplacian", "linear", "polynomial", "sigmoid",
]  # fmt: skip
