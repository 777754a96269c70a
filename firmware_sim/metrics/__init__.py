"""Prequential metrics in constant memory: each row is tested before it is learned."""

from firmware_sim.metrics.base import Figures, Metrics
from firmware_sim.metrics.classes import Confusion, Multiclass, Prequential
from firmware_sim.metrics.novelty import Novelty
from firmware_sim.metrics.regression import Deviation, Regression

__all__ = [
    "Confusion",
    "Deviation",
    "Figures",
    "Metrics",
    "Multiclass",
    "Novelty",
    "Prequential",
    "Regression",
]
