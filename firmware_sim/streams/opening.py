"""From what a user writes to the stream it names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firmware_sim.errors import StreamError
from firmware_sim.streams.bundled import BUNDLED
from firmware_sim.streams.stream import Stream
from firmware_sim.streams.table import CsvStream


def open_stream(
    source: str | Stream, *, target: str | None = None, ignore: Sequence[str] = ()
) -> Stream:
    """Return the stream that `source` names.

    Parameters
    ----------
    source : str or Stream
        The name of a bundled stream, or the path of a CSV file (write ``./occupancy`` for a
        file that has the name of a bundled stream). A `Stream` is returned as it is.
    target : str, optional
        The label column; a bundled stream knows its own.
    ignore : sequence of str
        Columns to leave out, besides those a bundled stream leaves out by itself.
    """
    if isinstance(source, Stream):
        return source
    bundled = BUNDLED.get(source)
    if bundled is not None:
        return CsvStream(
            bundled.path,
            target=target if target is not None else bundled.target,
            ignore=(*bundled.ignore, *ignore),
            name=bundled.name,
        )
    if not Path(source).exists():
        raise StreamError(
            f"no file {source!r}, and no bundled stream of that name "
            f"(there is: {', '.join(BUNDLED)})"
        )
    return CsvStream(source, target=target, ignore=ignore)
