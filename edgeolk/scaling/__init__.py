"""Feature scaling in fixed memory, and the preprocessing of rows in a learner's block.

Names are loaded when first used: a learner without numpy (``edgeolk.bare``) needs the record only.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgeolk.scaling.block import ScalerPlan
    from edgeolk.scaling.scaler import RunningScaler

__all__ = ["RunningScaler", "ScalerPlan"]

_HOMES = {"RunningScaler": "scaler", "ScalerPlan": "block"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'edgeolk.scaling' has no attribute {name!r}")
    value = getattr(import_module(f"edgeolk.scaling.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
