"""Text from files and networks, made safe to print on a terminal."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable

#: Control and format characters: escape codes, line ends, marks that turn the direction of text.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def printable(text: str, keep: str = "") -> str:
    r"""Return the text with every character that steers a terminal written as its escape.

    text: anything.
    keep: characters left as they are, such as ``"\n"`` in a text of several lines.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if character in keep or unicodedata.category(character) not in _HIDDEN
        else character.encode("unicode_escape", "backslashreplace").decode()
        for character in text
    )


def shortened(text: str, length: int = 40) -> str:
    """Return the text in quotes, cut where it is long."""
    return repr(text if len(text) <= length else text[: length - 3] + "...")


def counted(count: int, name: str) -> str:
    """Return "1 reading", "2 readings"."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def joined(names: Iterable[str]) -> str:
    """Return names with commas between, those that hold one in quotes, as CSV has them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()
