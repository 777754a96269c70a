"""Boards for a learner, and estimates of the duration of its steps there."""

from firmware_sim.boards.catalogue import BOARDS, KIB, MIB, Board, Core, Cost, board_of, size, table

__all__ = ["BOARDS", "KIB", "MIB", "Board", "Core", "Cost", "board_of", "size", "table"]
