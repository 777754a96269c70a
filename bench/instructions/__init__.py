"""Regression gate on instruction counts: ``python -m bench.instructions [--record]``."""
