"""Files of a report: each is written completely or not at all, independently of the others."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from firmware_sim.errors import NotWrittenError

#: Contents of files by name: text, a mapping for JSON, or a function that writes to a path.
Contents = dict[str, str | Mapping[str, Any] | Callable[[Path], object]]


def write_each(folder: Path, contents: Contents) -> list[Path]:
    """Write each file under a temporary name, then rename it.

    folder: an existing folder.
    contents: see `Contents`; text is UTF-8, JSON is strict.
    Raises NotWrittenError: some cannot be written; earlier files of their names are deleted too.

    Returns: the files.
    """
    for name in contents:  # an older file must not be mistaken for the new one
        with contextlib.suppress(OSError):
            (folder / name).unlink()
    files, failures = [], []
    for name, content in contents.items():
        file, scratch = folder / name, folder / f".{name}"
        try:
            if callable(content):
                content(scratch)
            else:
                scratch.write_text(_text(content), encoding="utf-8")
            os.replace(scratch, file)
        except OSError as error:
            failures.append(f"cannot write to {file}: {error.strerror or error}")
            with contextlib.suppress(OSError):
                scratch.unlink()
        else:
            files.append(file)
    if failures:
        raise NotWrittenError("; ".join(failures), files)
    return files


def _text(content: str | Mapping[str, Any]) -> str:
    if isinstance(content, str):
        return content
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
