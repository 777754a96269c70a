"""Estimators for scikit-learn: classes, targets or novelty, learned online in fixed memory."""

try:
    import sklearn as _sklearn
except ImportError as error:
    raise ImportError(
        "edgeolk.sklearn needs scikit-learn 1.6 or later: pip install 'edgeolk[sklearn]'"
    ) from error

from edgeolk.sklearn.classifier import OnlineKernelClassifier
from edgeolk.sklearn.novelty import OnlineKernelNovelty
from edgeolk.sklearn.regressor import OnlineKernelRegressor

__all__ = ["OnlineKernelClassifier", "OnlineKernelNovelty", "OnlineKernelRegressor"]

del _sklearn
