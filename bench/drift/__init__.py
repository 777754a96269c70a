"""Streams with drift, ours and river: ``python -m bench.drift``."""
