"""Prefixed names for exported models, so that several fit into one program."""

from __future__ import annotations

import re

#: What names begin with where nothing else is asked for.
USUAL = "ek"
#: Flags of the compiler are for all models of a program.
_FLAGS = ("EK_SINGLE", "EK_FIXED", "EK_FLASH_UNIT")
_NAME = re.compile(r"[a-z][a-z0-9]{0,15}")
_OWN = re.compile(r"\b(ek|EK)_(\w+)")
_GUARD = re.compile(r"\bEDGEOLK_(\w*H)\b")
#: Files that a program names: what stands behind them, by its stem.
_FILES = {"edgeolk": "", "model": "_model", "flash": "_flash"}
_FILE = re.compile(rf"\b({'|'.join(_FILES)})\.([ch])\b")


def check_prefix(prefix: str) -> None:
    """Refuse what no names can begin with.

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
    def own(match: re.Match[str]) -> str:
        if match[0] in _FLAGS:
            return match[0]
        return f"{prefix if match[1] == 'ek' else prefix.upper()}_{match[2]}"

    text = _GUARD.sub(lambda match: f"{prefix.upper()}_{match[1]}", _OWN.sub(own, text))
    return _FILE.sub(lambda match: _file(prefix, match), text)


def renamed(prefix: str, files: dict[str, str]) -> dict[str, str]:
    """The files of an export under names that begin with the prefix, in their texts too.

    The library's loops stay as they are: nothing of them is seen outside of the file that includes
    them.
    """
    if prefix == USUAL:
        return files
    return {
        _FILE.sub(lambda match: _file(prefix, match), name): (
            text if name.startswith("loops/") else _text(prefix, text)
        )
        for name, text in files.items()
    }
