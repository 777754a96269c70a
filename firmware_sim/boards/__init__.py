"""Boards that a learner may be flashed to, and how long its steps take there."""

from firmware_sim.boards.catalogue import BOARDS, KIB, MIB, Board, Core, Cost, board_of, size, table

__all__ = ["BOARDS", "KIB", "MIB", "Board", "Core", "Cost", "board_of", "size", "table"]
