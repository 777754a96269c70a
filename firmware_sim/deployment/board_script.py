"""The Python program that runs a saved model on a board."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from firmware_sim.config import ReplayConfig
from firmware_sim.deployment import model_file
from firmware_sim.deployment.model_file import LEARNER, SCALER, TARGETS
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.loop import Replay
from firmware_sim.streams.cells import MISSING_WORDS, NO, YES
from firmware_sim.streams.reading import CLOCK, PERIODS
from firmware_sim.tasks.labels import label_key

#: Beginning of the function that reads labels; what follows depends on their kind.
_LABEL_OF = (
    "",
    "",
    "def label_of(cell):",
    '    """Return what the learner is told, or None where there is nothing that it knows."""',
    "    try:",
    "        found = float(cell)",
    "    except ValueError:",
    "        found = cell",
)


@dataclass(frozen=True)
class _Words:
    """The lines of the program that depend on the kind of labels."""

    constants: tuple[str, ...]
    label: tuple[str, ...]  # the rest of label_of
    answer: str
    learns: tuple[str, ...]
    always: bool = False  # whether it learns rows without a label


#: How targets are predicted and learned: scaled beside the learner, or by a forecaster.
_WITH_SCALE = (
    "targets.mean_[0] + (targets.scale_[0] or 1.0) * learner.decision_one(row)",
    ("learner.learn_one(row, targets.learn_transform_one(np.array([label]))[0])",),
)
_FORECASTS = ("learner.decision_one(row)", ("learner.learn_one(row, label)",))


def _words(config: ReplayConfig, target: str) -> _Words:
    if config.kind == "multiclass":
        places = {label_key(name): place for place, name in enumerate(config.classes)}
        return _Words(
            (
                f"CLASSES = {list(config.classes)!r}  # of {target!r}",
                f"LABELS = {places!r}  # 1 and 1.0 are the same",
            ),
            ("    return LABELS.get(found)",),
            "CLASSES[learner.predict_one(row)]",
            ("learner.learn_one(row, label)",),
        )
    if config.kind == "regression":
        return _Words(
            (),
            (
                "    known = not isinstance(found, str) and np.isfinite(found)",
                "    return found if known and found not in ABSENT else None",
            ),
            *(_WITH_SCALE if config.scales_targets else _FORECASTS),
        )
    if config.kind == "novelty":
        learns = ("learner.learn_one(row)",)
        return _Words((), (), '"usual" if learner.predict_one(row) > 0 else "novel"', learns, True)
    learns = ("learner.learn_one(row, label)",)
    if config.positive is None:
        labels: dict[str | float, int] = {1.0: 1, 0.0: -1, -1.0: -1}
        labels |= {**dict.fromkeys(sorted(YES), 1), **dict.fromkeys(sorted(NO), -1)}
        return _Words(
            (f"LABELS = {labels!r}  # of {target!r}",),
            ("    return LABELS.get(found.lower() if isinstance(found, str) else found)",),
            "learner.predict_one(row)",
            learns,
        )
    nothing = sorted(MISSING_WORDS | config.missing_words)
    return _Words(
        (
            f"POSITIVE = {label_key(config.positive)!r}  # the value of {target!r} that means +1",
            f"NOTHING = {nothing!r}  # words for a label that is not known",
        ),
        (
            "    if found == POSITIVE:",
            "        return 1",
            "    return None if str(found).lower() in NOTHING or found in ABSENT else -1",
        ),
        "learner.predict_one(row)",
        learns,
    )


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
        ("missing", "skip", skips),
        ("damaged", "skip", skips),
        ("categories", "refuse", raw),
    ):
        value = getattr(config, option)
        if value != usual:
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
    _check_carried(replay.config)
    words = _words(replay.config, replay.stream.target)
    lines = [*_beginning(replay, model, words), *_loop(replay.config, words)]
    return "\n".join(lines) + "\n"


def _beginning(replay: Replay, model: str, words: _Words) -> list[str]:
    """Return the lines that load the model, or what was learned since."""
    config, stream = replay.config, replay.stream
    follows = "it." if words.always else "it if its label follows."
    places = {"learner": LEARNER}
    places |= {"scaler": SCALER} if config.scales_outside else {}
    places |= {"targets": TARGETS} if config.scales_targets else {}
    loads = {name: "ek.load" if name == "learner" else "ek.RunningScaler.load" for name in places}
    switches = {**dict.fromkeys(sorted(YES), 1.0), **dict.fromkeys(sorted(NO), 0.0)}
    return [
        f'"""Predict each row of readings from standard input, then learn {follows}',
        "",
        "A line of CSV holds the readings in the order of FEATURES, and after them the label where",
        "it is known. Needs numpy, edgeolk and the model file beside it. What it learns is kept in",
        "STATE, every EVERY rows and on every way out; started again it goes on from there.",
        '"""',
        "",
        "import csv",
        *(("import math",) if config.clock else ()),
        "import signal",
        "import sys",
        "import tempfile",
        *(("import time",) if config.clock else ()),
        "import zipfile",
        "import zlib",
        "from pathlib import Path",
        "",
        "import numpy as np",
        "",
        "import edgeolk as ek",
        "",
        f"MODEL = Path(__file__).resolve().parent / {model!r}",
        "# Another model begins anew, in a file of its own.",
        'STATE = MODEL.with_name(f"{MODEL.stem}-{zlib.crc32(MODEL.read_bytes()):08x}.checkpoint")',
        f"EVERY = {config.checkpoint_every}  # rows learned between checkpoints",
        f"FEATURES = {list(stream.features[: -len(CLOCK)] if config.clock else stream.features)!r}",
        *words.constants,
        f"ABSENT = {list(config.missing_numbers)!r}  # readings that mean there is none",
        f"SWITCHES = {switches!r}",
        *((*_LABEL_OF, *words.label, "") if words.label else ()),
        *(_clock_lines(stream.local_times) if config.clock else ()),
        "",
        "with zipfile.ZipFile(MODEL) as box, tempfile.TemporaryDirectory() as folder:",
        *(
            f"    {name} = {loads[name]}(box.extract({file!r}, folder))"
            for name, file in places.items()
        ),
        f"parts = ({', '.join(places)},)",
        "checkpoints = ek.Checkpointer(STATE, every=EVERY)",
        "kept = checkpoints.open()",
        "if kept is None:",
        "    checkpoints.write(parts)  # what cannot be written is better known now",
        "else:",
        "    parts = kept if isinstance(kept, tuple) else (kept,)",
        f"    {', '.join(places)}{',' if len(places) == 1 else ''} = parts",
        *_TOLD,
    ]


#: Lines that say where the program goes on, and make a stop wait for the row at hand.
_TOLD = (
    "for slot, reason in checkpoints.opened.refused.items() if checkpoints.opened else ():",
    '    if reason != "empty":',
    '        print(f"{STATE.name}, slot {slot}: {reason}", file=sys.stderr)',
    'print(f"goes on after {learner.steps:,} rows, state in {STATE}", file=sys.stderr, flush=True)',
    "",
    "",
    "class StopError(Exception):",
    '    """Ctrl-C or SIGTERM."""',
    "",
    "",
    "asked, waits = 0, False",
    "",
    "",
    "def stop(number, frame):",
    '    """End at once while a row is waited for, else after it."""',
    "    global asked",
    "    asked = asked or number",
    "    if waits:",
    "        raise StopError",
    "",
    "",
    "for number in (signal.SIGINT, signal.SIGTERM):",
    "    signal.signal(number, stop)",
)


def _clock_lines(local: bool) -> tuple[str, ...]:
    """Return the function that tells where in the day and in the week it is."""
    place = " + time.localtime().tm_gmtoff" if local else ""
    return (
        "",
        "def clock():",
        '    """Return the time of day and of the week by this board, a sine and a cosine each."""',
        f"    now = time.time(){place}",
        f"    turns = [math.tau * now / period for period in {PERIODS}]",
        "    return [wave(turn) for turn in turns for wave in (math.sin, math.cos)]",
        "",
    )


def _reads(config: ReplayConfig) -> tuple[str, ...]:
    """Return the lines that make numbers of cells, up to the question whether a row is left out."""
    held = "row[: len(FEATURES)]" if config.clock else "row[:]"
    if config.takes_gaps:  # absent readings are the learner's
        return (
            f"    {held} = [float(SWITCHES.get(cell.lower(), cell) or 'nan') for cell in readings]",
            "    row[np.isin(row, ABSENT)] = np.nan",
            "    whole = len(readings) == len(FEATURES)",
            "except ValueError:",
            "    whole = False",
            "if not whole:",
        )
    return (
        f"    {held} = [float(SWITCHES.get(cell.lower(), cell)) for cell in readings]",
        "except ValueError:",
        "    row[:] = np.nan",
        "whole = len(cells) >= len(FEATURES) and np.isfinite(row).all()",
        "if not whole or np.isin(row, ABSENT).any():",
    )


def _loop(config: ReplayConfig, words: _Words) -> list[str]:
    """Return the lines that answer and learn rows."""
    learns = [*words.learns, "checkpoints.step(parts)"]
    if not words.always:
        learns = ["if label is not None:", *(f"    {line}" for line in learns)]
    body = [
        "waits = False",
        "if line is None:",
        "    break",
        "cells = [cell.strip() for cell in line]",
        *(("row[len(FEATURES) :] = clock()",) if config.clock else ()),
        "try:",
        "    readings = cells[: len(FEATURES)]",
        *_reads(config),
        '    print("skipped", flush=True)',
        "    continue",
        *_label_line(words),
        "try:",
        *_scales(config, words),
        f"    answer = {words.answer}",
        "except ValueError:  # a reading beyond what can be held",
        '    print("skipped", flush=True)',
        "    continue",
        "print(answer, flush=True)",
        *learns,
    ]
    return [
        "",
        f"row = np.empty(len(FEATURES){f' + {len(CLOCK)}' if config.clock else ''})",
        "lines = csv.reader(sys.stdin)",
        "try:",
        "    while True:",
        "        waits = True",
        "        if asked:",
        "            break",
        "        line = next(lines, None)",
        *(f"        {one}" for one in body),
        "except (StopError, BrokenPipeError):",
        "    pass",
        "finally:",
        "    waits = False",
        "    checkpoints.write(parts)",
        "    checkpoints.close()",
    ]


def _label_line(words: _Words) -> list[str]:
    cell = "cells[len(FEATURES)]"
    line = f"label = label_of({cell}) if len(cells) > len(FEATURES) else None"
    return [line] if words.label else []


def _scales(config: ReplayConfig, words: _Words) -> list[str]:
    """Return the line that scales a row, where the learner does not."""
    if not config.scales_outside:
        return []
    if not words.label:
        return ["    scaler.learn_transform_one(row, row)"]
    # As in the replay, a row that is not learned leaves the scaler alone.
    scale = "scaler.transform_one if label is None else scaler.learn_transform_one"
    return [f"    ({scale})(row, row)"]


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
