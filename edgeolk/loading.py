"""Learners from files: with names, with windows, or of a replay."""

from __future__ import annotations

import json
import os
import zipfile
from typing import TYPE_CHECKING

from edgeolk.configuration.plan import parse_bytes
from edgeolk.learner import Learner
from edgeolk.learner import load as load_plain
from edgeolk.named import NamedLearner
from edgeolk.names import names_from
from edgeolk.windows.file import ABOUT, LEARNER, REPLAYED, WINDOWS

if TYPE_CHECKING:
    from edgeolk.files.atomic import Path

#: How an archive begins.
_MARK = b"PK\x03\x04"


def load(path: Path, ram: int | str | None = None) -> Learner:
    """Load a learner from a file. Nothing in the file is executed.

    Page: docs/file-format.md.

    Parameters
    ----------
    path : str, bytes or path-like
        Written by ``save`` of a learner, of an estimator or a river model, or of ``Windows`` with
        their learner, or by the simulator's ``--save-model``.
    ram : int or str, optional
        The maximum size of the model in bytes, as for ``Learner``. A small file can describe a
        large model, since it does not contain scratch.

    Returns
    -------
    Learner
        It continues bit for bit as the saved learner would have. A ``NamedLearner`` if the file has
        names.

    Raises
    ------
    ValueError
        The model is incomplete or inconsistent (wrong magic number, version, length, checksum or
        configuration, or an impossible state), or takes more than ``ram``. Configuration and
        ``ram`` are checked before memory is allocated.
    MemoryError
        No memory for the block.
    OSError
        The file cannot be read, or is not a regular file.
    """
    from edgeolk.files.atomic import open_regular

    with open_regular(path) as file:
        if file.read(len(_MARK)) != _MARK:
            return load_plain(path, ram)
        size = os.fstat(file.fileno()).st_size
        file.seek(0)
        try:
            with zipfile.ZipFile(file) as box:
                has_windows = WINDOWS in box.namelist()  # edgeolk.Windows opens those
                has_names = not has_windows or ABOUT in box.namelist()
                names_of_parts = (LEARNER, ABOUT) if has_names else (LEARNER,)
                parts = {name: _part(box, name, size) for name in names_of_parts}
                others = [name for name in REPLAYED if name in box.namelist()]
        except (zipfile.BadZipFile, KeyError, NotImplementedError, ValueError) as error:
            raise ValueError(f"the file is no model with names: {error}") from None
    is_of_replay = has_names and _is_of_replay(parts[ABOUT])
    if is_of_replay and others:
        raise ValueError(
            f"the file is of a replay that scales outside its learner: extract {LEARNER} and"
            f" {' and '.join(others)}, and open each (edgeolk.load, edgeolk.RunningScaler.load)"
        )
    learner = _bounded(parts[LEARNER], None if ram is None else parse_bytes(ram))
    if not has_names or is_of_replay:
        return learner
    try:
        return named(learner, parts[ABOUT])
    except ValueError as error:
        raise ValueError(f"the file is no model with names: {error}") from None


def _is_of_replay(about: bytes) -> bool:
    """Whether a simulator wrote it, about a model whose rows and labels are numbers."""
    try:
        found = json.loads(about)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "format" not in found and "stream" in found


def _part(box: zipfile.ZipFile, name: str, size: int) -> bytes:
    """A file of an archive of `size` bytes, stored without compression."""
    about = box.getinfo(name)
    if about.compress_type != zipfile.ZIP_STORED or about.file_size > size:
        raise ValueError(f"{name} is compressed")
    return box.read(about)


def _bounded(block: bytes, max_bytes: int | None) -> Learner:
    from edgeolk.files import restore

    return Learner._over(*restore.from_bytes(block, max_bytes))


def named(learner: Learner, about: bytes) -> NamedLearner:
    """The learner with the names in a file; raises ValueError if they are not valid."""
    found = NamedLearner.__new__(NamedLearner)
    found._take(learner, names_from(about, learner))
    return found
