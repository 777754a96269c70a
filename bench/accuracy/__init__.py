"""Accuracy against the published figures: ``python -m bench.accuracy``."""
