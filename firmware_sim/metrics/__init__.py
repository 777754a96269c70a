"""What all kinds of labels measure with: batches of rows, figures, curves and alarms over time.

Prequential and in constant memory: each row is tested before it is learned. The figures of a kind
are in its file in `kinds`.
"""

from firmware_sim.metrics.base import Figures, Metrics

__all__ = ["Figures", "Metrics"]
