"""Opens the stream that a user names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.streams.bundled import BUNDLED
from firmware_sim.streams.frames import FrameStream, is_workbook
from firmware_sim.streams.history import HistoryStream, is_history
from firmware_sim.streams.live import LiveStream, Source
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.streams.stream import Stream
from firmware_sim.streams.table import CsvStream
from firmware_sim.streams.text import open_lines, reading


def open_stream(
    source: str | Stream,
    *,
    target: str | None = None,
    ignore: Sequence[str] = (),
    idle: float | None = None,
    **options: Any,
) -> Stream:
    """Return the stream that `source` names.

    Parameters
    ----------
    source : str or Stream
        The name of a bundled stream, the path of a CSV, NPZ or LIBSVM file (write ``./occupancy``
        for a file that has the name of a bundled stream), ``-`` for CSV from standard input, or
        ``mqtt://host/topic``. A `Stream` is returned as it is.
    target : str, optional
        The label column; a bundled stream knows its own.
    ignore : sequence of str
        Columns to leave out, besides those a bundled stream leaves out by itself.
    idle : float, optional
        Seconds without a row after which a live stream has ended.
    **options
        Further fields of `ReadingOptions`.
    """
    if isinstance(source, Stream):
        return source
    live = open_source(source)
    if live is not None:
        try:
            return LiveStream(live, ReadingOptions(target, ignore, **options), idle=idle)
        except BaseException:
            live.close()
            raise
    bundled = BUNDLED.get(source)
    if bundled is not None:
        if not bundled.path.exists():
            raise StreamError(
                f"the stream {source!r} is left out of wheels to keep them small: it comes with "
                f"the source distribution, as firmware_sim/data/{bundled.file}"
            )
        asked = target if target is not None else bundled.target
        # Where its other label is the target, its usual one is no reading.
        others = [name for name in bundled.ignore if name != asked]
        others += [bundled.target] if asked in bundled.ignore else []
        known = ReadingOptions(asked, (*others, *ignore), **options)
        return CsvStream(bundled.path, name=bundled.name, options=known)
    path = Path(source)
    if not _is_there(path):
        raise StreamError(
            f"no file {source!r}, and no bundled stream of that name "
            f"(there is: {', '.join(BUNDLED)})"
        )
    return _open_file(path, ReadingOptions(target, ignore, **options))


def open_source(source: str) -> Source | None:
    """Return the live source that the words name, or None where they name a file."""
    if source == "-":
        from firmware_sim.streams.stdin import PipeSource

        return PipeSource()
    if source.startswith(("mqtt://", "mqtts://")):
        from firmware_sim.streams.mqtt import MqttSource

        return MqttSource(source)
    return None


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, a folder that may not be looked into
        return False


def _open_file(path: Path, options: ReadingOptions) -> Stream:
    """Return the stream that the file's content is of."""
    if path.is_file():
        with reading(path), path.open("rb") as file:
            start = file.read(4)
        if start == b"PAR1" or (start == b"PK\x03\x04" and is_workbook(path)):
            return FrameStream(path, options)
        if start == b"PK\x03\x04":
            from firmware_sim.streams.arrays import NpzStream

            return NpzStream(path, target=options.target)
    with open_lines(path) as lines:
        from firmware_sim.streams.libsvm import LibsvmStream, looks_like

        first = next(lines, "")
        sparse = looks_like(first)
    if is_history(first):
        return HistoryStream(path, options)
    if not sparse:
        return CsvStream(path, options=options)
    if options.target not in (None, LibsvmStream.target) or options.ignore:
        raise StreamError(f"{path.name} is a LIBSVM file: --target and --ignore do not apply")
    return LibsvmStream(path)
