"""Text from files and networks, made safe to print on a terminal."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Sequence

#: Control and format characters: escape codes, line ends, marks of text direction.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def printable(text: str, keep: str = "") -> str:
    r"""Return the text with terminal control characters escaped.

    text: any text.
    keep: characters that are not escaped, such as ``"\n"`` in a text of several lines.
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
    """Return the text in quotes, truncated if it is long."""
    return repr(text if len(text) <= length else text[: length - 3] + "...")


def counted(count: int, name: str) -> str:
    """Return "1 reading", "2 readings"."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def listed(parts: Sequence[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def joined(names: Iterable[str]) -> str:
    """Return names separated by commas, quoted as in CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()
