"""A live stream written to a CSV file, row by row, as it came."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from firmware_sim.errors import SimulatorError
from firmware_sim.streams.live import Source


@dataclass
class Recording:
    """What was written.

    Attributes
    ----------
    rows : int
        Rows in the file.
    damaged : int
        Rows that did not have as many cells as there are columns, which are left out.
    notes : list of str
        What the source has to say.
    """

    rows: int = 0
    damaged: int = 0
    notes: list[str] = field(default_factory=list)


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

    Parameters
    ----------
    source : Source
        Standard input or a broker's topic; closed at the end.
    path : str or Path
        The file; an existing one is never overwritten. Every row is written whole and at once, so a
        cut leaves at most one unfinished row, which a replay counts and leaves out.
    limit : int, optional
        The most rows to write.
    idle : float, optional
        Seconds without a row after which the stream has ended.
    on_row, should_stop : callable, optional
        As for `Replay.run`.

    Raises
    ------
    SimulatorError
        The file is there already or cannot be written, or the source fails.
    """
    done = Recording()
    try:
        header = source.header()
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
        raise SimulatorError(f"{path} is there already: give a new name") from None
    except OSError as error:
        raise SimulatorError(f"cannot write to {path}: {error.strerror}") from None
    finally:
        source.close()
    done.notes = source.notes()
    return done
