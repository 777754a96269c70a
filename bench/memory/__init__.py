"""Memory and worst-case steps: ``python -m bench.memory``, ``python -m bench.memory.steps``."""
