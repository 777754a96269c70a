"""Online learning with kernels in fixed memory."""

from edgeolk.boundary import Scorer
from edgeolk.catalogue import algorithms
from edgeolk.core.engine import available_simd, simd
from edgeolk.errors import BudgetError
from edgeolk.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Sigmoid
from edgeolk.learner import Averaged, Learner, load
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
from edgeolk.planning import Plan, Region, parse_bytes, plan
from edgeolk.scaling import RunningScaler, ScalerPlan

__all__ = [
    "Algorithm",
    "Averaged",
    "Averaging",
    "Basis",
    "BudgetError",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Learner",
    "Linear",
    "Loss",
    "Plan",
    "Policy",
    "Polynomial",
    "Projection",
    "Region",
    "RunningScaler",
    "Sampling",
    "ScalerPlan",
    "Schedule",
    "Scorer",
    "Sigmoid",
    "Update",
    "algorithms",
    "available_simd",
    "load",
    "parse_bytes",
    "plan",
    "simd",
]
__version__ = "0.1.0"
