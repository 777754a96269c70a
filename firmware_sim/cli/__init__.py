"""The command line: ``python -m firmware_sim COMMAND ...``, a module for each command."""

from firmware_sim.cli.program import main

__all__ = ["main"]
