"""What no test of ``make coverage`` reaches, and why: see ``support/covered.py``.

A gap is a text that occurs once in a file; it excuses its lines, their branches and the block under
them. A text that is covered, that is gone or that occurs twice is an error. ``NOT_YET`` has
the number of lines of a file that lack a test; a number may only shrink.
"""

from __future__ import annotations

from typing import NamedTuple


class Gap(NamedTuple):
    """A piece of a file, and why no test reaches its lines or a branch of them."""

    file: str
    why: str
    piece: str


def gaps(file: str, why: str, *pieces: str) -> list[Gap]:
    """Gaps of a file for the same reason."""
    return [Gap(file, why, piece) for piece in pieces]


GAPS: list[Gap] = []

NOT_YET: dict[str, int] = {}
