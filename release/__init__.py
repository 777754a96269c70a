"""Wheels for other processors, cross-built and tested under emulation: docs/raspberry-pi.md."""
