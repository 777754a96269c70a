"""The Python program that runs a saved model on a board."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from firmware_sim.config import ReplayConfig
from firmware_sim.deployment.model_file import LEARNER, SCALER, TARGETS
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.loop import Replay


@dataclass(frozen=True)
class _Words:
    """The lines of the program that depend on the kind of labels."""

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

    Returns
    -------
    str
        The text of the program, with a line end.
    """
    words = _words(replay.config, replay.stream.target)
    lines = [*_beginning(replay, model, words), *_loop(replay.config, words)]
    return "\n".join(lines) + "\n"


def _beginning(replay: Replay, model: str, words: _Words) -> list[str]:
    """Return the lines that load the model."""
    config, stream = replay.config, replay.stream
    follows = "it." if words.always else "it if its label follows."
    scalers = {"scaler": SCALER} if config.scales_outside else {}
    scalers |= {"targets": TARGETS} if config.is_regression else {}
    return [
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
        *(
            f"    {name} = ek.RunningScaler.load(box.extract({file!r}, folder))"
            for name, file in scalers.items()
        ),
    ]


def _loop(config: ReplayConfig, words: _Words) -> list[str]:
    """Return the lines that answer and learn rows."""
    lines = [
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
        return lines + [f"    {line}" for line in words.learns]
    lines.append("    if len(cells) > len(FEATURES):")
    return lines + [f"        {line}" for line in words.learns]


def write_script(replay: Replay, path: str | Path, model: str | Path) -> Path:
    """Write the program of `script` to a file.

    Parameters
    ----------
    replay : Replay
        Where the model comes from.
    path : str or Path
        The program; an existing file is overwritten.
    model : str or Path
        The file `save_model` wrote. The program looks for its name in the working folder.

    Returns
    -------
    Path
        Of the program.

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
