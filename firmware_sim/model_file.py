"""The trained model in one file, and the script that runs it on a board."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware_sim.errors import SimulatorError
from firmware_sim.loop import Replay

LEARNER, SCALER, ABOUT = "learner.olk", "scaler.olk", "about.json"


def save_model(replay: Replay, path: str | Path) -> Path:
    """Write learner and scaler of a replay that has run into one file.

    Parameters
    ----------
    replay : Replay
        Its learner is taken from its process where it has one, unless that has died.
    path : str or Path
        A zip archive, replaced whole: ``learner.olk`` for ``edgeolk.load``, ``scaler.olk`` for
        ``edgeolk.RunningScaler.load`` where readings are scaled, and ``about.json``.

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
        "positive": config.positive,
        "missing_codes": list(config.missing_codes),
        "algorithm": config.algorithm,
        "scale": config.scale,
        "steps": device.counters()["steps"],
    }
    try:
        with TemporaryDirectory(dir=path.parent, prefix=".model-") as folder:
            made = Path(folder) / "model"
            with zipfile.ZipFile(made, "w") as box:
                device.learner.save(Path(folder) / LEARNER)
                _put(box, LEARNER, (Path(folder) / LEARNER).read_bytes())
                if device.scaler is not None:
                    device.scaler.save(Path(folder) / SCALER)
                    _put(box, SCALER, (Path(folder) / SCALER).read_bytes())
                _put(box, ABOUT, (json.dumps(about, indent=1) + "\n").encode())
            os.replace(made, path)
    except OSError as error:
        raise SimulatorError(f"cannot write to {path}: {error.strerror}") from None
    return path


def check(path: Path) -> None:
    """See to it that there is a place for a model.

    Raises
    ------
    SimulatorError
        There is not.
    """
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise SimulatorError(f"cannot write to {path}: no folder {path.parent} to write to")


def _put(box: zipfile.ZipFile, name: str, data: bytes) -> None:
    box.writestr(zipfile.ZipInfo(name), data)  # no time in it: the same model, the same file


def script(replay: Replay, model: str) -> str:
    """Return a Python program that runs the saved model on rows from standard input.

    Parameters
    ----------
    replay : Replay
        Where the model comes from.
    model : str
        Name of the file `save_model` wrote, as the board will know it.
    """
    config, stream = replay.config, replay.stream
    positive = "1" if config.positive is None else config.positive
    scaled = config.scales_outside
    lines = [
        '"""Predict each row of readings from standard input, then learn it if its label follows.',
        "",
        "A line holds the readings in the order of FEATURES, parted by commas, and after them the",
        "label where it is known. Needs numpy, edgeolk and the model file beside it.",
        '"""',
        "",
        "import sys",
        "import tempfile",
        "import zipfile",
        "",
        "import numpy as np",
        "",
        "import edgeolk as ek",
        "",
        f"MODEL = {model!r}",
        f"FEATURES = {list(stream.features)!r}",
        f"POSITIVE = {positive!r}  # the value of {stream.target!r} that means +1",
        f"ABSENT = {list(config.missing_codes)!r}  # readings that mean there is none",
        "",
        "with zipfile.ZipFile(MODEL) as box, tempfile.TemporaryDirectory() as folder:",
        f"    learner = ek.load(box.extract({LEARNER!r}, folder))",
    ]
    if scaled:
        lines.append(f"    scaler = ek.RunningScaler.load(box.extract({SCALER!r}, folder))")
    lines += [
        "",
        "row = np.empty(len(FEATURES))",
        "for line in sys.stdin:",
        '    cells = [cell.strip() for cell in line.split(",")]',
        "    try:",
        "        row[:] = [float(cell) for cell in cells[: len(FEATURES)]]",
        "    except ValueError:",
        "        row[:] = np.nan",
        "    if not np.isfinite(row).all() or np.isin(row, ABSENT).any():",
        '        print("skipped", flush=True)',
        "        continue",
    ]
    if scaled:
        lines.append("    scaler.learn_transform_one(row, row)")
    lines += [
        "    print(learner.predict_one(row), flush=True)",
        "    if len(cells) > len(FEATURES):",
        "        learner.learn_one(row, 1 if cells[len(FEATURES)] == POSITIVE else -1)",
    ]
    return "\n".join(lines) + "\n"


def write_script(replay: Replay, path: str | Path, model: str | Path) -> Path:
    """Write that program to a file.

    Raises
    ------
    SimulatorError
        The file cannot be written.
    """
    path = Path(path)
    try:
        path.write_text(script(replay, Path(model).name), encoding="utf-8")
    except OSError as error:
        raise SimulatorError(f"cannot write to {path}: {error.strerror}") from None
    return path
