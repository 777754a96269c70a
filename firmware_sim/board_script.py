"""The Python program that runs a saved model on a board."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from firmware_sim.config import ReplayConfig
from firmware_sim.errors import SimulatorError
from firmware_sim.loop import Replay
from firmware_sim.model_file import LEARNER, SCALER, TARGETS


@dataclass(frozen=True)
class _Words:
    """What the program says of one kind of labels: a constant, its answer, and how it learns."""

    constants: tuple[str, ...]
    answer: str
    learns: tuple[str, ...]
    always: bool = False  # whether it learns rows without a label


def _words(config: ReplayConfig, target: str) -> _Words:
    cell = "cells[len(FEATURES)]"
    if config.kind == "multiclass":
        return _Words(
            (f"CLASSES = {list(config.classes)!r}  # of {target!r}",),
            "CLASSES[learner.predict_one(row)]",
            (f"learner.learn_one(row, CLASSES.index({cell}))",),
        )
    if config.kind == "regression":
        return _Words(
            (),
            "targets.mean_[0] + (targets.scale_[0] or 1.0) * learner.decision_one(row)",
            (
                f"target = targets.learn_transform_one(np.array([float({cell})]))",
                "learner.learn_one(row, target[0])",
            ),
        )
    if config.kind == "novelty":
        learns = ("learner.learn_one(row)",)
        return _Words((), '"usual" if learner.predict_one(row) > 0 else "novel"', learns, True)
    positive = "1" if config.positive is None else config.positive
    return _Words(
        (f"POSITIVE = {positive!r}  # the value of {target!r} that means +1",),
        "learner.predict_one(row)",
        (f"learner.learn_one(row, 1 if {cell} == POSITIVE else -1)",),
    )


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
    words = _words(config, stream.target)
    follows = "it." if words.always else "it if its label follows."
    lines = [
        f'"""Predict each row of readings from standard input, then learn {follows}',
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
        *words.constants,
        f"ABSENT = {list(config.missing_codes)!r}  # readings that mean there is none",
        "",
        "with zipfile.ZipFile(MODEL) as box, tempfile.TemporaryDirectory() as folder:",
        f"    learner = ek.load(box.extract({LEARNER!r}, folder))",
    ]
    scalers = {"scaler": SCALER} if config.scales_outside else {}
    scalers |= {"targets": TARGETS} if config.is_regression else {}
    for name, file in scalers.items():
        lines.append(f"    {name} = ek.RunningScaler.load(box.extract({file!r}, folder))")
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
    if config.scales_outside:
        lines.append("    scaler.learn_transform_one(row, row)")
    lines.append(f"    print({words.answer}, flush=True)")
    if words.always:
        lines += [f"    {line}" for line in words.learns]
    else:
        lines.append("    if len(cells) > len(FEATURES):")
        lines += [f"        {line}" for line in words.learns]
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
