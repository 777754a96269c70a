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

from edgeolk.reference.aggressive import Ahpatron, Avp
from edgeolk.reference.base import KernelLearner, gaussian, laplacian, linear, polynomial, sigmoid
from edgeolk.reference.budgeted_pa import BpaNn, BpaP, BpaS
from edgeolk.reference.comparison import Comparison, compare
from edgeolk.reference.features import Fogd, Nogd
from edgeolk.reference.following import Following
from edgeolk.reference.forecast import Forecaster
from edgeolk.reference.forgetrons import Forgetron, ForgetronBasic, ForgetronGreedy
from edgeolk.reference.gradient import Bogd, BogdPlusPlus, Ogd, Olk, Olrd, Olru
from edgeolk.reference.logistic import Klr, Oskl
from edgeolk.reference.norma import Norma
from edgeolk.reference.novelty_in_time import InTime
from edgeolk.reference.optimistic import Pomdr
from edgeolk.reference.passive_aggressive import Pa, Pa1, Pa2, PaRand, PassiveAggressive
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
from edgeolk.reference.projections import Projectron, ProjectronPlusPlus
from edgeolk.reference.several import Several
from edgeolk.reference.sparse_pa import Spa
from edgeolk.reference.structured import Sorf
from edgeolk.reference.structured_drift import DriftingSorf
from edgeolk.reference.structured_novelty import SorfNovelty
from edgeolk.reference.vectors import Pcg32

#: The kernel learners by the names of their algorithms. `sorf` is ``Sorf`` and its relatives.
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
}

__all__ = [
    "LEARNERS", "Budgeted", "Comparison", "DriftingSorf", "Following", "Forecaster", "InTime",
    "KernelLearner", "Norma", "PassiveAggressive", "Pcg32", "Several", "Sorf", "SorfNovelty",
    "compare", "gaussian", "laplacian", "linear", "polynomial", "sigmoid",
]  # fmt: skip
