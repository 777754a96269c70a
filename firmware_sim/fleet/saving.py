"""The final model of a board and a configuration, as files that `edgeolk` reads."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def save_parts(folder: Path, name: str, learner: Any, scaler: Any, targets: Any) -> None:
    """Write a learner to a file that `edgeolk.load` reads, its scalers beside it.

    folder, name: where; files are called ``name.olk``, ``name.scaler.olk`` and
        ``name.targets.olk``.
    learner, scaler, targets: the last two may be None.
    Raises OSError: they cannot be written.
    """
    parts = {"targets.olk": targets, "scaler.olk": scaler, "olk": learner}
    with TemporaryDirectory(dir=folder, prefix=".model-") as made:
        # The learner last: where it is, all of it is.
        for ending, part in parts.items():
            if part is not None:
                file = f"{name}.{ending}"
                part.save(Path(made) / file)
                os.replace(Path(made) / file, folder / file)
