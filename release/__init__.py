"""Wheels of other processors, cross-built and tried under emulation; docs/wheels.md tells how."""
