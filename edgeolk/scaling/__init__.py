"""Feature scaling in fixed memory."""

from edgeolk.scaling.layout import ScalerPlan
from edgeolk.scaling.scaler import RunningScaler

__all__ = ["RunningScaler", "ScalerPlan"]
