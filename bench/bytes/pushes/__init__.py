"""Tries at less error in the same bytes: what each gave on sets not used to choose it."""

import os

# One core a run; numpy reads these where it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
