"""Records a live stream to a CSV file, row by row."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from firmware_sim.errors import SimulatorError
from firmware_sim.streams.live import Source


@dataclass
class Recording:
    """The result of a recording."""

    rows: int = 0  # rows in the file
    #: rows with the wrong number of cells, which are skipped
    damaged: int = 0
    notes: list[str] = field(default_factory=list)  # the notes of the source


def record(
    source: Source,
    path: str | Path,
    *,
    limit: int | None = None,
    idle: float | None = None,
    on_row: Callable[[], object] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Recording:
    """Write the rows of a source to a new CSV file, until it ends.

    source: standard input or a broker's topic; closed at the end.
    path: the file; an existing one is never overwritten. Each row is written in a
        single call, so a power cut leaves at most one unfinished row, which a replay skips.
    limit: the most rows to write.
    idle: seconds without a row after which the stream ends.
    on_row, should_stop: as for `Replay.run`.
    Raises SimulatorError: the file already exists or cannot be written, or the source fails.
    """
    done = Recording()
    try:
        header = source.header(idle, should_stop)
        if not header and should_stop is not None and should_stop():
            return done
        if not header:
            raise SimulatorError(f"{source.name}: the first line must hold the column names")
        with open(path, "x", encoding="utf-8", newline="", buffering=1) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            for cells in source.until(idle):
                if should_stop is not None and should_stop():
                    break
                if cells is None:
                    continue
                if len(cells) != len(header):
                    done.damaged += 1
                    continue
                writer.writerow(cells)
                done.rows += 1
                if on_row is not None:
                    on_row()
                if done.rows == limit:
                    break
    except FileExistsError:
        raise SimulatorError(f"{path} already exists: choose another name") from None
    except OSError as error:
        raise SimulatorError(f"cannot write to {path}: {error.strerror}") from None
    finally:
        source.close()
    done.notes = source.notes()
    return done
