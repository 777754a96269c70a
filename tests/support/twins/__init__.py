"""Slow, literal reference implementations, one small class per published algorithm."""

from __future__ import annotations

from .aggressive import Ahpatron, Avp
from .base import Pcg32, Twin
from .budgeted_pa import BpaNn, BpaP, BpaS
from .features import Fogd, Nogd
from .forgetrons import Forgetron, ForgetronBasic, ForgetronGreedy
from .gradient import Bogd, BogdPlusPlus, Ogd, Olk, Olrd, Olru
from .logistic import Klr, Oskl
from .optimistic import Pomdr
from .passive_aggressive import Pa, Pa1, Pa2, PaRand
from .pegasos import Bsgd, Pegasos
from .perceptrons import (
    Perceptron,
    Rbp,
    RemoveOldest,
    RemoveSmallest,
    ShiftingPerceptron,
    Stoptron,
)
from .projections import Projectron, ProjectronPlusPlus
from .sparse_pa import Spa

TWINS: dict[str, type[Twin]] = {
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

__all__ = ["TWINS", "Pcg32", "Twin"]
