"""Every method on one stream under several caps: error against memory.

Design: rows are read once and stay in memory, and each run is a replay of them. Runs are shared out
among processes, and each result is on disk as soon as it is there, so that the same command goes on
after an interruption.
"""

from firmware_sim.comparison.run import Comparison, compare

__all__ = ["Comparison", "compare"]
