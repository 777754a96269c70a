"""Streams that change, ours beside river: ``python -m bench.drift``."""
