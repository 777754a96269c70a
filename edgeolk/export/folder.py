"""The folder that is written: loops of the library, the source around them, the model."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

import edgeolk.core
from edgeolk.export import sorf
from edgeolk.export.readme import readme
from edgeolk.learner import Learner

HERE = Path(__file__).parent / "c"
LOOPS = Path(edgeolk.core.__file__).parent / "loops"
_INCLUDE = re.compile(r'^\s*#include "(?:loops/)?([\w.]+)"', re.MULTILINE)


def _loops(names: Iterable[str], found: dict[str, str]) -> None:
    """Those headers of the library, and what they include."""
    for name in names:
        if name not in found and (LOOPS / name).exists():
            found[name] = (LOOPS / name).read_text()
            _loops(_INCLUDE.findall(found[name]), found)


def files_of(learner: Learner) -> dict[str, str]:
    """Every file of the folder by its name, and its text.

    Raises
    ------
    ValueError
        There is no C for this learner.
    """
    config = learner.config
    if not config.update.whole:
        raise ValueError(f"there is no C for {learner.algorithm}")
    if reason := sorf.refusal(learner):
        raise ValueError(f"the learner cannot be exported: {reason}")
    found: dict[str, str] = {}
    source = (HERE / sorf.SOURCE).read_text()
    _loops(_INCLUDE.findall(source), found)
    made = {f"loops/{name}": text for name, text in found.items()}
    made["edgeolk.c"] = source
    for name in ("edgeolk.h", "strict.h", "block.h", "crc.h", "flash.h", "flash.c", "main.c"):
        made[name] = (HERE / name).read_text()
    model = sorf.model_of(learner)
    made["README.md"] = readme(learner, model.arena, learns=True, constants=model.constants)
    return {**made, "model.h": model.header, "model.c": model.source}


def export_c(learner: Learner, folder: str | os.PathLike[str]) -> list[str]:
    """Write a learner as a folder of C99 that goes on where it is now.

    Parameters
    ----------
    learner : Learner
        ``sorf``: it scores, predicts and learns there.
    folder : str or path-like
        Made if it is not there; files of the same names are replaced.

    Returns
    -------
    list of str
        The files, relative to the folder.

    Raises
    ------
    ValueError
        There is no C for this learner; nothing was written.
    OSError
        The folder cannot be written.
    """
    files = files_of(learner)
    for name, text in files.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return sorted(files)
