"""Prefixed names for exported models, so that several fit into one program."""

from __future__ import annotations

import re

#: The default prefix.
USUAL = "ek"
#: Compiler flags apply to all models of a program, so they have no prefix.
_FLAGS = ("EK_FIXED", "EK_FLASH_UNIT")
_NAME = re.compile(r"[a-z][a-z0-9]{0,15}")
_OWN = re.compile(r"\b(ek|EK)_(\w+)")
_GUARD = re.compile(r"\bEDGEOLK_(\w*H)\b")
#: Stem of each file that a program names -> its suffix after the prefix.
_FILES = {"edgeolk": "", "model": "_model", "flash": "_flash", "samples": "_samples"}
_FILE = re.compile(rf"\b({'|'.join(_FILES)})\.([ch])\b")


def check_prefix(prefix: str) -> None:
    """Reject an invalid prefix.

    Raises
    ------
    TypeError, ValueError
        Names what was got and what is allowed.
    """
    if not isinstance(prefix, str):
        raise TypeError(f"prefix must be a string, got {prefix!r}")
    if not _NAME.fullmatch(prefix):
        raise ValueError(
            "prefix must be a lower-case letter and up to 15 lower-case letters or digits, "
            f"got {prefix!r}"
        )


def _file(prefix: str, match: re.Match[str]) -> str:
    return f"{prefix}{_FILES[match[1]]}.{match[2]}"


def _text(prefix: str, text: str) -> str:
    def prefixed(match: re.Match[str]) -> str:
        if match[0] in _FLAGS:
            return match[0]
        return f"{prefix if match[1] == 'ek' else prefix.upper()}_{match[2]}"

    text = _GUARD.sub(lambda match: f"{prefix.upper()}_{match[1]}", _OWN.sub(prefixed, text))
    return _FILE.sub(lambda match: _file(prefix, match), text)


def renamed(prefix: str, files: dict[str, str]) -> dict[str, str]:
    """The files of an export with the prefix in their names and texts.

    The library's headers (edgeolk/) are unchanged: all of their names are local to the file that
    includes them.
    """
    if prefix == USUAL:
        return files
    return {
        _FILE.sub(lambda match: _file(prefix, match), name): (
            text if name.startswith("edgeolk/") else _text(prefix, text)
        )
        for name, text in files.items()
    }
