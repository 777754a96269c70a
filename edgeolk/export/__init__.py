"""Learners as C99 for microcontrollers: a folder that needs nothing but a compiler."""

from edgeolk.export.folder import check_exportable, export_c

__all__ = ["check_exportable", "export_c"]
