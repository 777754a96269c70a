"""The folder of a report, and who may write to it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from edgeolk.files import system
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.files import Contents, write_each
from firmware_sim.report.page import to_page
from firmware_sim.report.record import to_dict
from firmware_sim.report.text import to_text

_PICTURE = "report.png"


def write_report(result: ReplayResult, folder: str | Path, *, picture: bool = True) -> list[Path]:
    """Write ``report.txt``, ``report.json``, ``report.html`` and ``report.png``.

    Page: docs/tutorial.md.

    Parameters
    ----------
    result : ReplayResult
        What a replay returned.
    folder : str or Path
        Made if it does not exist. An earlier report in it is replaced whole.
    picture : bool
        Whether to draw the PNG, which needs matplotlib.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    SimulatorError
        The folder cannot be written to, or another replay is writing to it.
    NotWrittenError
        Some of the files cannot be written; those that are there are whole.
    """
    with claimed(Path(folder)):
        return write_files(result, Path(folder), picture=picture)


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Make the folder and keep other replays out of it.

    Raises SimulatorError: the folder cannot be written to, or another replay has it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The lock goes with the process, however it ends, and leaves no file behind.
        handle = system.claim_folder(str(folder))
    except BlockingIOError:
        raise SimulatorError(
            f"another replay is writing to {folder}; use another folder: --out DIR"
        ) from None
    except OSError as error:
        raise SimulatorError(f"cannot write to {folder}: {error.strerror}") from None
    try:
        yield
    finally:
        os.close(handle)


def picture_refusal() -> str:
    """Return why no picture can be drawn here; empty where one can. Imports nothing."""
    if find_spec("matplotlib") is None:
        return "no picture: matplotlib is not installed (pip install 'edgeolk[sim]')"
    return ""


def import_picture() -> None:
    """Begin to import what draws a picture, which takes a while, beside what comes before it.

    The learner's long calls give the interpreter up. What goes wrong is raised where it is needed.
    """

    def quietly() -> None:
        with contextlib.suppress(Exception):
            import_module("firmware_sim.report.picture")

    threading.Thread(target=quietly, daemon=True).start()


def write_files(result: ReplayResult, folder: Path, *, picture: bool) -> list[Path]:
    """Write the report into a folder that is claimed; see `write_report`."""
    contents: Contents = {
        "report.txt": to_text(result),
        "report.json": to_dict(result),
        "report.html": to_page(result),
    }
    if picture:
        from firmware_sim.report.picture import draw  # matplotlib takes a second to import

        contents[_PICTURE] = partial(draw, result)
    else:
        with contextlib.suppress(OSError):
            (folder / _PICTURE).unlink()
    return write_each(folder, contents)
