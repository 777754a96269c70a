"""Slow, literal reference implementations, one small class per published algorithm."""

from __future__ import annotations

from .aggressive import Ahpatron, Avp
from .base import Pcg32, Twin
from .budgeted_pa import BpaS
from .forgetrons import Forgetron
from .gradient import Olrd
from .passive_aggressive import Pa, Pa1, Pa2
from .perceptrons import Perceptron, Rbp, RemoveOldest, RemoveSmallest, Stoptron
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
    "bpa_s": BpaS,
    "olrd": Olrd,
    "spa": Spa,
    "avp": Avp,
    "ahpatron": Ahpatron,
}

__all__ = ["TWINS", "Pcg32", "Twin"]
