"""Speed: ``python -m bench.speed [--quick]``."""
