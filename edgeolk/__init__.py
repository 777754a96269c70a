"""Online learning with kernels in fixed memory.

Names are loaded when first used: a process that runs the engine without numpy (``edgeolk.bare``)
never imports numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgeolk.boundary import Scorer
    from edgeolk.catalogue import algorithms
    from edgeolk.checkpointer import Checkpointer
    from edgeolk.core.variants import available_simd, simd
    from edgeolk.errors import BudgetError
    from edgeolk.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Sigmoid
    from edgeolk.learner import Averaged, Learner, attach, load
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
    "Checkpointer",
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
    "attach",
    "available_simd",
    "load",
    "parse_bytes",
    "plan",
    "simd",
]
__version__ = "0.1.0"

_HOMES = {
    "boundary": ("Scorer",),
    "catalogue": ("algorithms",),
    "checkpointer": ("Checkpointer",),
    "core.variants": ("available_simd", "simd"),
    "errors": ("BudgetError",),
    "kernels": ("Gaussian", "Kernel", "Laplacian", "Linear", "Polynomial", "Sigmoid"),
    "learner": ("Averaged", "Learner", "attach", "load"),
    "parts": (
        *("Algorithm", "Averaging", "Basis", "Loss", "Policy"),
        *("Projection", "Sampling", "Schedule", "Update"),
    ),
    "planning": ("Plan", "Region", "parse_bytes", "plan"),
    "scaling": ("RunningScaler", "ScalerPlan"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"edgeolk.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'edgeolk' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
