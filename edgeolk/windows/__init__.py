"""From samples to rows: windows and their features, in memory fixed at construction.

The header is ``c/sample_windows.h``: ``windows.h`` is one of Microsoft's.
"""

from edgeolk.windows.plan import FEATURES, SETS, Feature, WindowsPlan, windows_plan
from edgeolk.windows.windows import Windows

__all__ = ["FEATURES", "SETS", "Feature", "Windows", "WindowsPlan", "windows_plan"]
