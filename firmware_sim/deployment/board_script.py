"""The Python program that runs a saved model on a board."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template
from typing import Any

from firmware_sim.config import ReplayConfig
from firmware_sim.deployment import model_file
from firmware_sim.deployment.board_program import PROGRAM
from firmware_sim.deployment.model_file import LEARNER, SCALER, TARGETS
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.loop import Replay
from firmware_sim.streams.cells import MISSING_WORDS, NO, YES
from firmware_sim.streams.reading import CLOCK, PERIODS
from firmware_sim.tasks.labels import label_key

#: What the program answers, by kind of labels.
_ANSWERS = {
    "binary": "learner.predict_one(row)",
    "multiclass": "CLASSES[learner.predict_one(row)]",
    "regression": "learner.decision_one(row)",
    "novelty": '"usual" if learner.predict_one(row) > 0 else "novel"',
}


def check(config: ReplayConfig, path: str | Path) -> None:
    """Refuse, before anything is replayed, a program that could not be written or would differ.

    config: what is to be replayed.
    path: where the program would be.
    Raises SimulatorError: its folder is missing or cannot be written to, or the replay does
        something that the program does not.
    """
    model_file.check(Path(path))
    _check_carried(config)


def _check_carried(config: ReplayConfig) -> None:
    """Refuse what the program does not do."""
    skips = "the program leaves such rows out, as skip does"
    raw = "the program takes numbers as sensors give them, and makes no readings of words"
    for option, usual, reason in (
        ("missing", ("skip",), skips),
        ("damaged", ("skip",), skips),
        ("categories", ("ignore", "refuse"), raw),
    ):
        value = getattr(config, option)
        if value not in usual:
            raise SimulatorError(
                f"--write-script cannot be combined with --{option} {value}: {reason}"
            )


def script(replay: Replay, model: str) -> str:
    """Return a Python program that runs the saved model on rows from standard input.

    replay: where the model comes from.
    model: name of the file `save_model` wrote, as the board will know it.
    Raises SimulatorError: the replay does something that the program does not.

    Returns: the text of the program, with a line end.
    """
    config = replay.config
    _check_carried(config)
    holds = {
        config.kind: True,
        "labels": config.kind != "novelty",
        "signs": config.kind == "binary" and config.positive is None,
        "positive": config.kind == "binary" and config.positive is not None,
        "clock": config.clock,
        "scaler": config.scales_outside,
        "targets": config.scales_targets,
        "gaps": config.takes_gaps,
        "whole": not config.takes_gaps,
    }
    lines = []
    for line in PROGRAM.splitlines(keepends=True):
        word, text = re.fullmatch(r"(?:(\w+)\|)?(.*\n)", line).groups()  # type: ignore[union-attr]
        lines += [text] if word is None or holds.get(word) else []
    return Template("".join(lines)).substitute(_values(replay, model))


def _values(replay: Replay, model: str) -> dict[str, Any]:
    """Return what the names of the program stand for."""
    config, stream = replay.config, replay.stream
    kind, target = config.kind, stream.target
    parts = ["learner", *["scaler"] * config.scales_outside, *["targets"] * config.scales_targets]
    switches = {**dict.fromkeys(sorted(YES), 1.0), **dict.fromkeys(sorted(NO), 0.0)}
    labels: dict[Any, int] = {1.0: 1, 0.0: -1, -1.0: -1}
    labels |= {**dict.fromkeys(sorted(YES), 1), **dict.fromkeys(sorted(NO), -1)}
    if kind == "multiclass":
        labels = {label_key(name): place for place, name in enumerate(config.classes)}
    answer, told = _ANSWERS[kind], "label"
    if config.scales_targets:
        answer = f"targets.mean_[0] + (targets.scale_[0] or 1.0) * {answer}"
        told = "targets.learn_transform_one(np.array([label]))[0]"
    scale = ""
    if config.scales_outside:
        # As in the replay, a row that is not learned leaves the scaler alone.
        often = "(scaler.transform_one if label is None else scaler.learn_transform_one)"
        scale = "scaler.learn_transform_one" if kind == "novelty" else often
        scale = f"            {scale}(row, row)\n"
    shown = {
        "model": model,
        "features": list(stream.features[: -len(CLOCK)] if config.clock else stream.features),
        "classes": list(config.classes),
        "labels": labels,
        "target": target,
        "positive": None if config.positive is None else label_key(config.positive),
        "nothing": sorted(MISSING_WORDS | config.missing_words),
        "absent": list(config.missing_numbers),
        "switches": switches,
        "learner": LEARNER,
        "scaler": SCALER,
        "targets": TARGETS,
    }
    return {
        **{name: repr(value) for name, value in shown.items()},
        "follows": "" if kind == "novelty" else " if its label follows",
        "every": config.checkpoint_every,
        "zone": " + time.localtime().tm_gmtoff" if stream.local_times else "",
        "periods": PERIODS,
        "parts": ", ".join(parts),
        "held": ", ".join(parts) if len(parts) > 1 else "learner,",
        "more": f" + {len(CLOCK)}" if config.clock else "",
        "read": "row[: len(FEATURES)]" if config.clock else "row[:]",
        "scale": scale,
        "answer": answer,
        "told": told,
    }


def write_script(replay: Replay, path: str | Path, model: str | Path) -> Path:
    """Write the program of `script` to a file.

    Page: docs/raspberry-pi.md.

    Parameters
    ----------
    replay : Replay
        Where the model comes from.
    path : str or Path
        The program; an existing file is overwritten.
    model : str or Path
        The file `save_model` wrote. The program looks for its name in its own folder, and keeps
        there what it learns.

    Returns
    -------
    Path
        Of the program.

    Raises
    ------
    SimulatorError
        The file cannot be written, or the replay does something that the program does not.
    """
    path = Path(path)
    try:
        path.write_text(script(replay, Path(model).name), encoding="utf-8")
    except OSError as error:
        raise SimulatorError(f"cannot write to {path}: {error.strerror}") from None
    return path
