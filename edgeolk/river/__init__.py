"""Models for river: rows as dicts, learned online in fixed memory."""

try:
    import river as _river
except ImportError as error:
    raise ImportError(
        "edgeolk.river needs river 0.22 or later: pip install 'edgeolk[river]'"
    ) from error

from edgeolk.river.classifier import KernelClassifier
from edgeolk.river.novelty import KernelNovelty
from edgeolk.river.regressor import KernelRegressor

__all__ = ["KernelClassifier", "KernelNovelty", "KernelRegressor"]

del _river
