"""Files of a report: each is there whole or not at all, and one that fails keeps no other back."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from firmware_sim.errors import NotWrittenError


def write_each(folder: Path, contents: Mapping[str, Callable[[Path], object]]) -> list[Path]:
    """Write files through temporary ones beside them.

    folder: where; it is there.
    contents: what writes each file to a path, by the file's name.
    Raises NotWrittenError: some cannot be written; of these nothing is left, earlier ones of their
        names included.

    Returns: the files.
    """
    for name in contents:  # an older file must not pass for this one's
        with contextlib.suppress(OSError):
            (folder / name).unlink()
    files, failures = [], []
    for name, write in contents.items():
        file, scratch = folder / name, folder / f".{name}"
        try:
            write(scratch)
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


def text_of(content: str) -> Callable[[Path], object]:
    """Return what writes a text to a path, in UTF-8."""
    return lambda path: path.write_text(content, encoding="utf-8")
