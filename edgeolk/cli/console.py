"""Support for consoles that cannot print every character."""

from __future__ import annotations

import io
import sys


def take_any_text() -> None:
    """Print escapes for the characters that the console's encoding, such as cp1252, lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
