"""The template of a board's program.

A line that begins with a word and a bar is included only if that condition is true. Conditions are
the kind of labels and properties of a configuration; `$names` are replaced by values.
"""

PROGRAM = '''\
"""Predict each row of readings from standard input, then learn it$follows.

A line of CSV holds the readings in the order of FEATURES, and after them the label where
it is known. Needs numpy, edgeolk and the model file beside it. What it learns is kept in
STATE, every EVERY rows and on every way out; started again it goes on from there.
"""

import csv
clock|import math
import signal
import sys
import tempfile
clock|import time
import zipfile
import zlib
from pathlib import Path

import numpy as np

import edgeolk as ek

MODEL = Path(__file__).resolve().parent / $model
# Another model begins anew, in a file of its own.
STATE = MODEL.with_name(f"{MODEL.stem}-{zlib.crc32(MODEL.read_bytes()):08x}.checkpoint")
EVERY = $every  # rows learned between checkpoints
FEATURES = $features
multiclass|CLASSES = $classes  # of $target
multiclass|LABELS = $labels  # 1 and 1.0 are the same
signs|LABELS = $labels  # of $target
positive|POSITIVE = $positive  # the value of $target that means +1
positive|NOTHING = $nothing  # words for a label that is not known
ABSENT = $absent  # readings that mean there is none
SWITCHES = $switches
labels|
labels|
labels|def label_of(cell):
labels|    """Return what the learner is told, or None where there is nothing that it knows."""
labels|    try:
labels|        found = float(cell)
labels|    except ValueError:
labels|        found = cell
multiclass|    return LABELS.get(found)
regression|    known = not isinstance(found, str) and np.isfinite(found)
regression|    return found if known and found not in ABSENT else None
signs|    return LABELS.get(found.lower() if isinstance(found, str) else found)
positive|    if found == POSITIVE:
positive|        return 1
positive|    return None if str(found).lower() in NOTHING or found in ABSENT else -1
labels|
clock|
clock|def clock():
clock|    """Return the time of day and of the week by this board, a sine and a cosine each."""
clock|    now = time.time()$zone
clock|    turns = [math.tau * now / period for period in $periods]
clock|    return [wave(turn) for turn in turns for wave in (math.sin, math.cos)]
clock|

with zipfile.ZipFile(MODEL) as box, tempfile.TemporaryDirectory() as folder:
    learner = ek.load(box.extract($learner, folder))
scaler|    scaler = ek.RunningScaler.load(box.extract($scaler, folder))
targets|    targets = ek.RunningScaler.load(box.extract($targets, folder))
parts = ($parts,)
checkpoints = ek.Checkpointer(STATE, every=EVERY)
kept = checkpoints.open()
if kept is None:
    checkpoints.write(parts)  # what cannot be written is better known now
else:
    parts = kept if isinstance(kept, tuple) else (kept,)
    $held = parts
for slot, reason in checkpoints.opened.refused.items() if checkpoints.opened else ():
    if reason != "empty":
        print(f"{STATE.name}, slot {slot}: {reason}", file=sys.stderr)
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
lines = csv.reader(sys.stdin)
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
clock|        row[len(FEATURES) :] = clock()
        try:
            readings = cells[: len(FEATURES)]
gaps|            $read = [float(SWITCHES.get(cell.lower(), cell) or 'nan') for cell in readings]
gaps|            row[np.isin(row, ABSENT)] = np.nan
gaps|            whole = len(readings) == len(FEATURES)
gaps|        except ValueError:
gaps|            whole = False
gaps|        if not whole:
whole|            $read = [float(SWITCHES.get(cell.lower(), cell)) for cell in readings]
whole|        except ValueError:
whole|            row[:] = np.nan
whole|        whole = len(cells) >= len(FEATURES) and np.isfinite(row).all()
whole|        if not whole or np.isin(row, ABSENT).any():
            print("skipped", flush=True)
            continue
labels|        label = label_of(cells[len(FEATURES)]) if len(cells) > len(FEATURES) else None
        try:
$scale            answer = $answer
        except ValueError:  # a reading beyond what can be held
            print("skipped", flush=True)
            continue
        print(answer, flush=True)
labels|        if label is not None:
labels|            learner.learn_one(row, $told)
labels|            checkpoints.step(parts)
novelty|        learner.learn_one(row)
novelty|        checkpoints.step(parts)
except (StopError, BrokenPipeError):
    pass
finally:
    waits = False
    checkpoints.write(parts)
    checkpoints.close()
'''
