"""Tries at less error in the same bytes: what each gave on sets not used to choose it."""
