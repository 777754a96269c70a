"""Scores against what the core could do at most: ``python -m bench.roofs [--quick]``."""
