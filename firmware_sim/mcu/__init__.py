"""Exported learners on microcontrollers emulated by QEMU."""

from firmware_sim.mcu.emulator import Run, lacking, run
from firmware_sim.mcu.program import BOARDS, Board, Program, build

__all__ = ["BOARDS", "Board", "Program", "Run", "build", "lacking", "run"]
