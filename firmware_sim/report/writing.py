"""The files of a report, and the lock on their folder.

Each file is written completely or not at all, independently of the others.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from edgeolk.hosting import claim_folder
from firmware_sim.drawing.document import Report
from firmware_sim.errors import NotWrittenError, SimulatorError
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.sections import report_of

#: Contents of files by name: text, a mapping for JSON, or a function that writes to a path.
Contents = dict[str, str | Mapping[str, Any] | Callable[[Path], object]]


def write_report(result: ReplayResult, folder: str | Path, *, picture: bool = True) -> list[Path]:
    """Write ``report.txt``, ``report.json``, ``report.html`` and ``report.png``.

    The page needs jinja2 and is left out without it.

    Page: docs/tutorial.md.

    Parameters
    ----------
    result : ReplayResult
        The result of a replay.
    folder : str or Path
        Created if it does not exist. An earlier report in it is replaced.
    picture : bool
        Whether to draw charts, in a PNG and in the page; needs matplotlib.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    SimulatorError
        The folder cannot be written to, or another replay is writing to it.
    NotWrittenError
        Some of the files cannot be written; the others are complete.
    """
    with claimed(Path(folder)):
        return write_files(report_of(result), Path(folder), "report", picture=picture)


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Create the folder and lock it.

    Raises SimulatorError: the folder cannot be written to, or another replay has locked it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The lock ends with the process, even if it is killed, and leaves no file behind.
        handle = claim_folder(str(folder))
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


def refusals(*, picture: bool) -> list[str]:
    """Return why there is no page or, if one is wanted, no picture. Imports neither library."""
    needed = {"jinja2": "page", **({"matplotlib": "picture"} if picture else {})}
    return [
        f"no {what}: {library} is not installed (pip install 'edgeolk[sim]')"
        for library, what in needed.items()
        if find_spec(library) is None
    ]


def import_picture() -> None:
    """Start to import matplotlib in a thread, since that takes a while.

    The learner's long calls release the GIL. Errors are raised where the import is needed.
    """

    def quietly() -> None:
        with contextlib.suppress(Exception):
            import_module("firmware_sim.drawing.pictures")

    threading.Thread(target=quietly, daemon=True).start()


def write_files(
    report: Report, folder: Path, name: str, *, picture: bool, png: bool = True
) -> list[Path]:
    """Write a report into a locked folder: text, JSON if it has data, page, and picture.

    picture: whether there are charts, which need matplotlib: those of the page, and the PNG.
    png: whether the report has a PNG.
    """
    contents: Contents = {f"{name}.txt": report.to_text()}
    if report.data:
        contents[f"{name}.json"] = report.data
    if find_spec("jinja2") is not None:
        from firmware_sim.drawing.page import to_page  # imported only when a page is written

        contents[f"{name}.html"] = to_page(report, charts=picture)
    if picture and png and report.charts:
        from firmware_sim.drawing.pictures import draw  # matplotlib takes a second to import

        contents[f"{name}.png"] = partial(draw, report)
    for ending in (".html", ".png"):  # an older one must not be mistaken for the new one's
        with contextlib.suppress(OSError):
            (folder / f"{name}{ending}").unlink()
    return write_each(folder, contents)


def write_each(folder: Path, contents: Contents) -> list[Path]:
    """Write each file under a temporary name, then rename it.

    folder: an existing folder.
    contents: see `Contents`; text is UTF-8, JSON is strict.
    Raises NotWrittenError: some cannot be written; earlier files of their names are deleted too.

    Returns: the files.
    """
    for name in contents:  # an older file must not be mistaken for the new one
        with contextlib.suppress(OSError):
            (folder / name).unlink()
    files, failures = [], []
    for name, content in contents.items():
        file, scratch = folder / name, folder / f".{name}"
        try:
            if callable(content):
                content(scratch)
            else:
                scratch.write_text(_text(content), encoding="utf-8")
            os.replace(scratch, file)
        except OSError as error:
            failures.append(f"cannot write to {file}: {error.strerror or error}")
            with contextlib.suppress(OSError):
                scratch.unlink()
        else:
            files.append(file)
    if failures:
        raise NotWrittenError("; ".join(failures), files)
    return files


def _text(content: str | Mapping[str, Any]) -> str:
    if isinstance(content, str):
        return content
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
