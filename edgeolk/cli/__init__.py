"""The command line: ``edgeolk list``, ``plan``, ``info`` and ``export``."""

from edgeolk.cli.program import build_parser, main

__all__ = ["build_parser", "main"]
