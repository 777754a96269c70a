"""``edgeolk.reference`` under the name that the tests have for it, and what only tests need:
streams, and tools that hold an implementation against the mathematics."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

from edgeolk import reference
from edgeolk.reference import LEARNERS as TWINS
from edgeolk.reference import KernelLearner as Twin
from edgeolk.reference import Pcg32

for found in pkgutil.iter_modules(reference.__path__):
    module = import_module(f"edgeolk.reference.{found.name}")
    sys.modules[f"{__name__}.{found.name}"] = module
    globals()[found.name] = module

__all__ = ["TWINS", "Pcg32", "Twin"]
