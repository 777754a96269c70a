"""The published tables, run again: ``python -m bench.papers``."""
