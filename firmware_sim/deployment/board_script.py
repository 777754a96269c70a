"""The Python program that runs a saved model on a board, and its template.

A line of the template that begins with a word and a bar is included only if that condition is true.
Conditions are properties of a configuration; `$names` are replaced by
values.
"""

from __future__ import annotations

import re
from pathlib import Path
from string import Template
from typing import Any

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.deployment import model_file
from firmware_sim.deployment.model_file import LEARNER, SCALER, TARGETS
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.loop import Replay
from firmware_sim.streams.cells import GAPS, MISSING_WORDS, NO, SHEET_ERROR, YES
from firmware_sim.streams.reading import CLOCK, PERIODS
from firmware_sim.streams.tables import CellStream
from firmware_sim.streams.understood import Column

#: Seconds in which the program learns without saving, at most.
SAVE_EVERY = 600.0


def check(config: ReplayConfig, path: str | Path) -> None:
    """Raise an error before the replay if the program could not be written or would differ from it.

    config: the configuration of the replay.
    path: the path of the program.
    Raises SimulatorError: its folder is missing or cannot be written to, or the replay has options
        that the program lacks.
    """
    model_file.check(Path(path))
    _check_carried(config)


def _check_carried(config: ReplayConfig) -> None:
    """Raise an error for options that the program lacks."""
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
    if config.window is not None:
        raise SimulatorError(
            "--write-script cannot be combined with --window: the program takes rows, not samples; "
            "--save-model keeps the windows with the learner, for edgeolk.Windows.load, and "
            "--export writes both as C"
        )
    if config.every is not None:
        raise SimulatorError(
            f"--write-script cannot be combined with --every {config.every}: the program learns "
            "each line by itself"
        )
    if config.delay[0] and config.delay[1]:
        raise SimulatorError(
            f"--write-script cannot be combined with --label-delay {config.label_delay}: the "
            "program counts lines to find the row of a late label; give the delay in rows"
        )


def script(replay: Replay, model: str, save_every: float = SAVE_EVERY) -> str:
    """Return a Python program that runs the saved model on rows from standard input.

    replay: the source of the model.
    model: name of the file that `save_model` wrote, as on the board.
    save_every: seconds in which it learns without saving, at most.
    Raises SimulatorError: the replay has options that the program lacks.

    Returns: the text of the program, with a final newline.
    """
    config = replay.config
    _check_carried(config)
    delay = _delay_of(config)
    holds = {
        "ahead": config.rows_ahead > 0,
        "behind": delay > 0 and not config.rows_ahead,
        "late": delay > 0,
        "instant": delay == 0,
        "queued": delay > 0 and not config.label_kind.keeps_rows,
        "asked": delay > 0 and config.label_kind.keeps_rows,
        "prompt": delay == 0 and config.label_kind.is_supervised,
        "labels": config.label_kind.is_supervised,
        "unlabelled": not config.label_kind.is_supervised,
        "watches": config.label_kind.program == "reason",
        "clock": config.clock,
        "scaler": config.scales_outside,
        "targets": config.label_kind.scales_targets,
        "written": bool(_all_written(replay)),
        "commas": _separator(replay) == ",",
        "other": _separator(replay) != ",",
        "fills": _fills(config),
        "counted": delay > 0 and not _fills(config),
        "direct": delay > 0 and config.label_kind.keeps_rows and not _fills(config),
        "gaps": config.takes_gaps,
        "plain": config.takes_gaps and not _fills(config),
        "whole": not config.takes_gaps,
    }
    lines = []
    for line in PROGRAM.splitlines(keepends=True):
        word, text = re.fullmatch(r"(?:(\w+)\|)?(.*\n)", line).groups()  # type: ignore[union-attr]
        lines += [text] if word is None or holds.get(word) else []
    values = _values(replay, model)
    return Template("".join(lines)).substitute(values, seconds=float(save_every))


def _delay_of(config: ReplayConfig) -> int:
    """Return the lines after which the label of a line comes; of a forecast, its horizon."""
    return config.rows_ahead or int(config.delay[0])


def _fills(config: ReplayConfig) -> bool:
    """Whether the program fills in the targets of lines without one, as the replay does."""
    is_forecast = config.rows_ahead > 0 and config.label_kind.keeps_rows
    return is_forecast and config.grid is not None and config.takes_gaps


def _columns(replay: Replay) -> dict[int, Column]:
    """Return the columns of a log by the place of their cell in a line of the program."""
    stream = replay.clean
    if not isinstance(stream, CellStream):
        return {}
    reading = stream.reading
    found = {slot: reading.column_of(slot) for slot in range(len(stream.features))}
    if stream.target:
        n = len(stream.features) - len(CLOCK) * replay.config.clock
        found[n] = reading.understood.columns[reading.place_of(stream.target)]
    return {place: column for place, column in found.items() if column is not None}


def _separator(replay: Replay) -> str:
    """Return what separates the cells of the log; see `Dialect.separator`."""
    stream = replay.clean
    dialect = stream.reading.understood.dialect if isinstance(stream, CellStream) else None
    return "," if dialect is None else dialect.separator


def _all_written(replay: Replay) -> dict[int, tuple[str, str, str, list[str]]]:
    """Return how numbers are written, by place, where Python does not read them."""
    columns, stream = _columns(replay), replay.clean
    comma = isinstance(stream, CellStream) and stream.reading.understood.comma
    return {at: how for at, one in columns.items() if (how := _written(one, comma))}


def _written(column: Column, comma: bool) -> tuple[str, str, str, list[str]] | None:
    """Return how the numbers of a column are written if Python does not read them, else None.

    comma: whether the decimal mark of plain numbers is a comma, also where the first ones are
        integers.
    """
    notation = column.notation
    is_plain = notation.is_plain and not column.absent
    decimal = "," if is_plain and comma else notation.decimal
    if column.kind != "number" or (is_plain and decimal == "."):
        return None
    marks = GAPS if notation.thousands == " " else notation.thousands
    return decimal, marks, notation.unit, sorted(column.absent)


def _values(replay: Replay, model: str) -> dict[str, Any]:
    """Return the values of the template's names."""
    config, stream = replay.config, replay.stream
    kind = config.label_kind
    parts = ["learner", *["scaler"] * config.scales_outside, *["targets"] * kind.scales_targets]
    switches = {**dict.fromkeys(sorted(YES), 1.0), **dict.fromkeys(sorted(NO), 0.0)}
    own = kind.script(stream.target)
    delay = _delay_of(config)
    answer = own.answer
    if delay and config.label_kind.keeps_rows:
        answer = answer.replace("learner.decision_one(row)", "learner.ask_one(row)")
    scale = ""
    if config.scales_outside:
        # As in the replay, rows without a label do not update the scaler.
        often = "(scaler.transform_one if label is None else scaler.learn_transform_one)"
        always = not kind.is_supervised or delay
        scale = "scaler.learn_transform_one" if always else often
        scale = f"            {scale}(row, row)\n"
    shown = {
        "model": model,
        "target": stream.target or "the label",
        "features": list(stream.features[: -len(CLOCK)] if config.clock else stream.features),
        "nothing": sorted(MISSING_WORDS | config.missing_words),
        "absent": list(config.missing_numbers),
        "switches": switches,
        "switched": [at for at, one in _columns(replay).items() if one.kind == "switch"],
        "written": _all_written(replay),
        "separator": _separator(replay),
        # A blank means any run of blanks.
        "edges": " \r\n" if _separator(replay).startswith(" ") else "\r\n",
        "error": SHEET_ERROR.pattern,
        "learner": LEARNER,
        "scaler": SCALER,
        "targets": TARGETS,
    }
    return {
        **{name: repr(value) for name, value in shown.items()},
        "follows": " if its label follows" if kind.is_supervised else "",
        "delay": delay,
        "most": config.most_filled,
        "looked": answer.replace("learner.ask_one(row)", "learner.predict_one(row)"),
        "queue": config.queue_rows or delay,
        "every": config.checkpoint_every,
        "zone": " + time.localtime().tm_gmtoff" if stream.local_times else "",
        "periods": PERIODS,
        "parts": ", ".join(parts),
        "held": ", ".join(parts) if len(parts) > 1 else "learner,",
        "more": f" + {len(CLOCK)}" if config.clock else "",
        "read": "row[: len(FEATURES)]" if config.clock else "row[:]",
        "scale": scale,
        "constants": own.constants,
        "decoding": own.decoding,
        "answer": answer,
        "label": own.argument,
    }


def write_script(
    replay: Replay, path: str | Path, model: str | Path, save_every: float = SAVE_EVERY
) -> Path:
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
    save_every : float
        Seconds in which the program learns without saving, at most.

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
        path.write_text(script(replay, Path(model).name, save_every), encoding="utf-8")
    except OSError as error:
        raise SimulatorError(f"cannot write to {path}: {error.strerror}") from None
    return path


#: The template.
PROGRAM = '''\
"""Predict each row of readings from standard input, then learn it$follows.

instant|A line of CSV holds the readings in the order of FEATURES, and after them the label where
instant|it is known.
ahead|A line of CSV holds the readings in the order of FEATURES, and after them the target of the
ahead|same time, where it is known; the answer is the target DELAY lines later.
behind|A line of CSV holds the readings in the order of FEATURES, and after them the label of the
behind|line DELAY lines before it, where it is known.
other|Lines are cut as in the log, at SEPARATOR, and without one at commas.
late|A line that cannot be read counts as well.
fills|Send an empty line for a reading that was missed: a target that did not come is filled in when
fills|the next one comes, on a straight line. After more than MOST lines the history begins again:
fills|after a stop, send one for each reading that was missed, and no more than MOST + 1.
watches|Alarms, one for each event, go to standard error with the reason.
A line that cannot be used is answered with "skipped", and standard error says why.
Needs numpy, edgeolk and the model file beside it. What it learns is kept in STATE, every EVERY
rows or SECONDS and on every way out; started again it goes on from there.

Exit codes: 0 end of input, or stopped; 65 STATE cannot be used: it was renamed, and the next start
begins with the model; 74 STATE cannot be written, or another process writes it.
"""

import argparse
import csv
clock|import math
import re
import signal
import sys
import tempfile
clock|import time
import zipfile
import zlib
late|from collections import deque
from pathlib import Path

import numpy as np

import edgeolk as ek

MODEL = Path(__file__).resolve().parent / $model
# Another model starts in a file of its own.
STATE = MODEL.with_name(f"{MODEL.stem}-{zlib.crc32(MODEL.read_bytes()):08x}.checkpoint")
EVERY = $every  # rows learned between checkpoints, at most
SECONDS = $seconds  # ... and seconds
late|DELAY = $delay  # lines after which the label of a row comes
fills|MOST = $most  # consecutive lines without a target that are filled in
FEATURES = $features
SHOWN = 20  # names in a message
watches|REASONS = {
watches|    "value": "beyond all readings so far",
watches|    "change": "changed faster than ever",
watches|    "season": "unusual for this hour",
watches|    "flat": "does not change, or is missing",
watches|    "pattern": "unusual together with the others, or over time",
watches|    "level": "away from its usual level for a while",
watches|    "roughness": "noisier or calmer than usual",
watches|    "mean": "its mean of 64 readings moved",
watches|}
labels|TARGET = $target
${constants}NOTHING = $nothing  # words for a reading or a label that is missing
ERROR = re.compile($error)  # a spreadsheet's word for a reading that is missing
other|SEPARATOR = $separator  # each of these characters separates cells
ABSENT = $absent  # readings that mean there is none
SWITCHES = $switches
SWITCHED = $switched  # places of the readings that may be such words
written|# By place: decimal mark, marks between thousands, unit, more words for a missing reading.
written|WRITTEN = $written


def number_of(place, cell):
    """Return a number as this log writes it, NaN if it is missing; raises ValueError."""
    cell = cell.replace("\\u2212", "-")
written|    if place in WRITTEN:
written|        decimal, thousands, unit, words = WRITTEN[place]
written|        if cell.lower() in words:
written|            return np.nan
written|        cell = cell.removeprefix(unit).removesuffix(unit)
written|        cell = cell.translate(dict.fromkeys(map(ord, thousands))).replace(decimal, ".")
    return float(cell)


def reading_of(place, cell):
    """Return a reading as the replay reads it, NaN if it is missing; raises ValueError."""
    word = cell.lower()
    if word in NOTHING or ERROR.fullmatch(word):
        return np.nan
    if place in SWITCHED and word in SWITCHES:
        return SWITCHES[word]
    return number_of(place, cell)


def reason_of(cells):
    """Return why a line is skipped."""
    if not 0 <= len(cells) - len(FEATURES) <= 1:
        found = f"{len(cells)} cell" + "s" * (len(cells) != 1)
        names = ", ".join(FEATURES[:SHOWN]) + ", ..." * (len(FEATURES) > SHOWN)
commas|        found += f", {len(FEATURES)} are needed, separated by ','"
other|        found += f", {len(FEATURES)} are needed, separated by {SEPARATOR!r} or commas"
labels|        return f"{found}: {names}, and {TARGET} where it is known"
unlabelled|        return f"{found}: {names}"
    for place, name in enumerate(FEATURES):
        try:
            value = reading_of(place, cells[place])
        except ValueError:
            return f"{name}: {cells[place]!r} is not a number"
        if not np.isfinite(value) or value in ABSENT:
            return f"{name} is missing: {cells[place]!r}"
    return "a reading is too large"


watches|def alarm_of(cells):
watches|    """Return what the last row is unusual in, and the reading."""
watches|    part, channel = learner.why
watches|    if channel >= len(FEATURES):
watches|        return "the hour"
watches|    return f"{FEATURES[channel]}: {REASONS[part]}, now {cells[channel] or 'missing'}"
watches|
watches|
def skip(cells):
    """Answer a line that cannot be used, and say why."""
    print("skipped", flush=True)
    print(f"skipped: {reason_of(cells)}", file=sys.stderr, flush=True)

other|
other|def cut(line):
other|    """Return the cells of a line."""
other|    if len(FEATURES) > 1 and not any(mark in line for mark in SEPARATOR):
other|        return next(csv.reader([line]), [])
other|    mark = SEPARATOR[0]
other|    line = line.translate(dict.fromkeys(map(ord, SEPARATOR), mark)).strip($edges)
other|    return next(csv.reader([line], delimiter=mark, skipinitialspace=True), [])
other|
labels|
labels|def label_of(cell):
labels|    """Return the label for the learner, or None if there is none."""
labels|    try:
labels|        found = number_of(len(FEATURES), cell)
labels|    except ValueError:
labels|        found = cell
labels|$decoding
clock|
clock|def clock():
clock|    """Return the time of day and of the week by this board, a sine and a cosine each."""
clock|    now = time.time()$zone
clock|    turns = [math.tau * now / period for period in $periods]
clock|    return [wave(turn) for turn in turns for wave in (math.sin, math.cos)]
clock|

argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
).parse_args()  # it takes no arguments: any other than --help ends it here

with zipfile.ZipFile(MODEL) as box, tempfile.TemporaryDirectory() as folder:
    learner = ek.load(box.extract($learner, folder))
scaler|    scaler = ek.RunningScaler.load(box.extract($scaler, folder))
targets|    targets = ek.RunningScaler.load(box.extract($targets, folder))
parts = ($parts,)
checkpoints = ek.Checkpointer(STATE, every=EVERY, seconds=SECONDS)
is_empty = STATE.exists() and not STATE.stat().st_size
what = "damaged"
try:
    checkpoints.lock()  # another process that writes is better known now
    kept, opened = checkpoints.open(), checkpoints.opened
    bad = {slot: reason for slot, reason in opened.refused.items() if reason != "empty"}
    if opened.newer and (kept is None or checkpoints.slots - len(opened.newer) < 2):
        what = "newer"
    if (bad and kept is None) or what == "newer":
        raise ValueError(opened)
    if kept is None:
        checkpoints.write(parts)  # what cannot be written is better known now
except ValueError as error:  # it holds something else
    checkpoints.close()
    number = 1
    while (aside := STATE.with_name(f"{STATE.name}.{what}-{number}")).exists():
        number += 1
    STATE.rename(aside)
    print(
        f"{STATE} cannot be used ({error}): it is kept as {aside}, and the next start begins with "
        f"{MODEL.name}",
        file=sys.stderr,
    )
    sys.exit(65)
except OSError as error:
    print(f"{STATE} cannot be written: {error}", file=sys.stderr)
    sys.exit(74)
for slot, reason in bad.items():
    print(f"{STATE.name}, slot {slot}: {reason}", file=sys.stderr)
if kept is None:
    begins = f"{STATE} is empty: begins again" if is_empty else "begins"
    print(
        f"{begins} with {MODEL.name} after {learner.steps:,} rows, state in {STATE}",
        file=sys.stderr, flush=True,
    )
else:
    parts = kept if isinstance(kept, tuple) else (kept,)
    $held = parts
    print(f"goes on after {learner.steps:,} rows, state in {STATE}", file=sys.stderr, flush=True)


class StopError(Exception):
    """Ctrl-C or SIGTERM."""


asked, waits = 0, False


def stop(number, frame):
    """End at once while a row is waited for, else after it."""
    global asked
    asked = asked or number
    if waits:
        raise StopError


for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, stop)

row = np.empty(len(FEATURES)$more)
queued|pending = deque(maxlen=$queue)  # numbers and readings of lines whose label is to come
asked|# Numbers of the lines whose target is to come: their rows are in the learner.
asked|pending = deque(range(-learner.n_waiting, 0), maxlen=$queue)
late|number = -1
fills|value, missed = None, []  # the last target, and the readings of the lines since
fills|
fills|
fills|def step(target):
fills|    """Learn the target of a line."""
fills|    global number
fills|    number += 1
fills|    if pending and number - pending[0] >= DELAY:
fills|        pending.popleft()
fills|        learner.tell_one(target)
fills|        checkpoints.step(parts)
fills|
fills|
fills|def ask(readings):
fills|    """Ask for the forecast of a line that was missed."""
fills|    try:
fills|        learner.ask_one(readings)
fills|        pending.append(number)
fills|    except ValueError:  # a reading beyond what can be held
fills|        pass
fills|
fills|
fills|def catch_up(target):
fills|    """Learn the lines without a target before one that has it, and its own."""
fills|    global number, value
fills|    if len(missed) > MOST:
fills|        learner.restart()
fills|        pending.clear()
fills|        for number in range(number + 1, number + 1 + DELAY):
fills|            ask(np.full(len(row), np.nan))
fills|    else:
fills|        first = target if value is None else value
fills|        for at, readings in enumerate(missed, 1):
fills|            step(first + (target - first) * at / (len(missed) + 1))
fills|            ask(readings)
fills|    missed.clear()
fills|    step(target)
fills|    value = target
fills|
commas|lines = csv.reader(sys.stdin)
other|lines = map(cut, sys.stdin)
try:
    while True:
        waits = True
        if asked:
            break
        line = next(lines, None)
        waits = False
        if line is None:
            break
        cells = [cell.strip() for cell in line]
counted|        number += 1
late|        label = label_of(cells[len(FEATURES)]) if len(cells) > len(FEATURES) else None
queued|        if pending and number - pending[0][0] >= DELAY:
queued|            _, earlier = pending.popleft()
queued|            if label is not None:
queued|                learner.learn_one(earlier, $label)
queued|                checkpoints.step(parts)
direct|        if pending and number - pending[0] >= DELAY:
direct|            pending.popleft()
direct|            learner.tell_one(label)
direct|            checkpoints.step(parts)
clock|        row[len(FEATURES) :] = clock()
        try:
            readings = cells[: len(FEATURES)]
gaps|            $read = [reading_of(*one) for one in enumerate(readings)]
gaps|            row[np.isin(row, ABSENT)] = np.nan
gaps|            whole = 0 <= len(cells) - len(FEATURES) <= 1
gaps|        except ValueError:
gaps|            whole = False
fills|        if not whole:
fills|            row[:], label = np.nan, None
fills|        if label is None:
fills|            if len(missed) <= MOST:
fills|                missed.append(row.copy())
fills|            try:
fills|                print($looked if whole else "skipped", flush=True)
fills|            except ValueError:
fills|                whole = False
fills|                print("skipped", flush=True)
fills|            if not whole:
fills|                print(f"skipped: {reason_of(cells)}", file=sys.stderr, flush=True)
fills|            continue
fills|        catch_up(label)
plain|        if not whole:
whole|            $read = [reading_of(*one) for one in enumerate(readings)]
whole|        except ValueError:
whole|            row[:] = np.nan
whole|        whole = 0 <= len(cells) - len(FEATURES) <= 1 and np.isfinite(row).all()
whole|        if not whole or np.isin(row, ABSENT).any():
plain|            skip(cells)
plain|            continue
whole|            skip(cells)
whole|            continue
prompt|        label = label_of(cells[len(FEATURES)]) if len(cells) > len(FEATURES) else None
        try:
$scale            answer = $answer
        except ValueError:  # a reading beyond what can be held
            skip(cells)
            continue
        print(answer, flush=True)
queued|        pending.append((number, row.copy()))
asked|        pending.append(number)
prompt|        if label is not None:
prompt|            learner.learn_one(row, $label)
prompt|            checkpoints.step(parts)
unlabelled|        learner.learn_one(row)
watches|        if learner.alarm:
watches|            print(f"alarm: {alarm_of(cells)}", file=sys.stderr, flush=True)
unlabelled|        checkpoints.step(parts)
except (StopError, BrokenPipeError):
    pass
except OSError as error:
    print(f"{STATE}: {error}", file=sys.stderr)
    sys.exit(74)
finally:
    waits = False
    try:
        checkpoints.write(parts)
    except (OSError, ValueError) as error:
        print(f"{STATE} cannot be written: {error}", file=sys.stderr)
        sys.exit(74)
    checkpoints.close()
'''
