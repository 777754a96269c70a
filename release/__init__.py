"""Wheels of other processors, cross-built and tried under emulation: docs/raspberry-pi.md."""
