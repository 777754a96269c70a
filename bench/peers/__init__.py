"""The libraries a user would pick instead, on the same rows: ``python -m bench.peers``."""
