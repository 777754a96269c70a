"""Every method on one stream under several caps: error against memory.

Design: rows are read, repaired and scaled once, as a replay would, and each run learns them by
`learn_many`: the scores are those of a replay, at compiled speed. Runs are shared out among
processes, and each result is on disk as soon as it is there, so that the same command goes on after
an interruption.
"""

from firmware_sim.comparison.run import Comparison, compare

__all__ = ["Comparison", "compare"]
