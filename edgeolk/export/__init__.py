"""Learners as C99 for microcontrollers: a folder that needs nothing but a compiler."""

from edgeolk.export.folder import export_c

__all__ = ["export_c"]
