"""Consoles that cannot print every character."""

from __future__ import annotations

import io
import sys


def take_any_text() -> None:
    """Print what the console has no character for, as cp1252 has none for many, as its escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
