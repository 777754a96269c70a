"""The trained model in one file."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.loop import Replay

LEARNER, SCALER, TARGETS, ABOUT = "learner.olk", "scaler.olk", "targets.olk", "about.json"
WINDOWS = "windows.eolw"


def save_model(replay: Replay, path: str | Path) -> Path:
    """Write learner and scaler of a replay that has run into one file.

    Page: docs/raspberry-pi.md.

    Parameters
    ----------
    replay : Replay
        A finished replay, whose learner's process has not died.
    path : str or Path
        A zip archive, replaced whole: ``learner.olk`` for ``edgeolk.load``, ``scaler.olk`` for
        ``edgeolk.RunningScaler.load`` where readings are scaled, ``targets.olk`` for the same where
        real numbers are learned, ``windows.eolw`` where rows are windows, and ``about.json``.
        ``edgeolk.load`` opens an archive without scalers, ``edgeolk.Windows.load`` its windows.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    SimulatorError
        The device cannot give its learner, or the file cannot be written.
    """
    path = Path(path)
    device, stream, config = replay.device, replay.stream, replay.config
    check(path)
    if not hasattr(device, "learner"):
        raise SimulatorError(f"no model to write to {path}: the learner's process has died")
    about = {
        "stream": stream.name,
        "features": list(stream.features),
        "target": stream.target,
        "kind": config.resolved.kind,
        "positive": config.positive,
        "classes": list(config.classes),
        "missing_codes": list(config.missing_codes),
        "algorithm": config.resolved.algorithm,
        "scale": config.scale,
        "steps": device.counters()["steps"],
    }
    try:
        with TemporaryDirectory(dir=path.parent, prefix=".model-") as folder:
            archive = Path(folder) / "model"
            with zipfile.ZipFile(archive, "w") as box:
                parts = {
                    LEARNER: device.learner,
                    SCALER: device.scaler,
                    TARGETS: device.target_scaler,
                    WINDOWS: replay.windows,
                }
                for name, part in parts.items():
                    if part is not None:
                        part.save(Path(folder) / name)
                        _put(box, name, (Path(folder) / name).read_bytes())
                _put(box, ABOUT, (json.dumps(about, indent=1) + "\n").encode())
            os.replace(archive, path)
    except OSError as error:
        raise SimulatorError(f"cannot write to {path}: {error.strerror}") from None
    return path


def check(path: Path) -> None:
    """Raise an error for a path where no file can be written.

    Raises SimulatorError: it is a folder, or its folder is missing or cannot be written to.
    """
    if path.is_dir():
        raise SimulatorError(f"cannot write to {path}: it is a folder")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise SimulatorError(f"cannot write to {path}: no folder {path.parent} to write to")


def _put(box: zipfile.ZipFile, name: str, data: bytes) -> None:
    box.writestr(zipfile.ZipInfo(name), data)  # no time in it: the same model, the same file
