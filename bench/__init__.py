"""Benchmarks: ``python -m bench.speed`` and ``python -m bench.accuracy``; tables in results/."""
