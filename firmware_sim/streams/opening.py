"""Opens a stream: one bundled with the package by its name, a file by its path, or an address.

``data/README.md`` names the sources of the bundled streams.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile, islice
from pathlib import Path
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.streams.formats import kind_of, refusal
from firmware_sim.streams.live import LiveStream, Source
from firmware_sim.streams.matrices import LibsvmStream, NpzStream
from firmware_sim.streams.objects import open_json
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.streams.stream import Stream
from firmware_sim.streams.table import CsvStream
from firmware_sim.streams.tables import Frame, history_of, open_frame, open_history
from firmware_sim.streams.text import open_bytes, open_lines, reading

_INSPECTED_LINES = 60  # lines inspected to detect the format


@dataclass(frozen=True)
class BundledStream:
    """A bundled stream and how to read it."""

    name: str
    file: str
    target: str
    ignore: tuple[str, ...]
    about: str
    #: The required kind of labels; "" if two classes are possible.
    kind: str = ""

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return Path(__file__).parent.parent / "data" / self.file


BUNDLED = {
    stream.name: stream
    for stream in (
        BundledStream(
            name="occupancy",
            file="occupancy.csv.xz",
            target="occupied",
            ignore=("datetime",),
            about="an office room, 5 sensors a minute: is anybody in? (UCI, CC BY 4.0)",
        ),
        BundledStream(
            name="robot",
            file="robot.csv.xz",
            target="forward",
            ignore=("move",),
            about="24 ultrasound sensors of a robot along a wall: does it go on? --target move "
            "--kind multiclass: which of four moves? (UCI, CC BY 4.0)",
        ),
        BundledStream(
            name="house",
            file="house.csv.xz",
            target="temperature_comedor_sensor",
            ignore=("temperature_habitacion_sensor",),
            about="a house and its weather, every 15 minutes: how warm is the dining room? "
            "--kind regression (UCI, CC BY 4.0)",
            kind="regression",
        ),
        BundledStream(
            name="office",
            file="office.csv.xz",
            target="anomaly",
            ignore=("point",),
            about="an office's temperature, hourly, with two failures: is this one? "
            "Without labels: --kind novelty (NAB, MIT)",
        ),
    )
}


def open_stream(
    source: str | Stream | Frame,
    *,
    target: str | None = None,
    ignore: Sequence[str] = (),
    idle: float | None = None,
    **options: Any,
) -> Stream:
    """Return the stream that `source` names.

    Parameters
    ----------
    source : str, Stream or Frame
        The name of a bundled stream, the path of a CSV, JSON, ARFF, NPZ or LIBSVM file (write
        ``./occupancy`` for a file that has the name of a bundled stream), ``-`` for CSV or JSON
        from standard input, ``mqtt://host/topic``, or ``serial:/dev/ttyUSB0?baud=115200``. A
        `Stream` is returned as it is.
    target : str, optional
        The label column; a bundled stream has a default.
    ignore : sequence of str
        Columns to leave out, in addition to those of a bundled stream.
    idle : float, optional
        Seconds without a row after which a live stream ends.
    **options
        Further fields of `ReadingOptions`.
    """
    if isinstance(source, Stream):
        return source
    chosen = ReadingOptions(target, ignore, **options)
    if isinstance(source, Frame):
        return source.open(chosen)
    live = open_source(source)
    if live is not None:
        live.asked = chosen.layout
        try:
            return LiveStream(live, chosen, idle=idle)
        except BaseException:
            live.close()
            raise
    bundled = BUNDLED.get(source)
    if bundled is not None:
        asked = target if target is not None else bundled.target
        # If its other label is the target, its default target is not a reading.
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
    return _open_file(path, chosen)


def open_source(source: str) -> Source | None:
    """Return the live source of an address, or None if it is a file."""
    if source == "-":
        from firmware_sim.streams.stdin import PipeSource

        return PipeSource()
    if source.startswith(("mqtt://", "mqtts://")):
        from firmware_sim.streams.mqtt import MqttSource

        return MqttSource(source)
    if source.startswith("serial:"):
        from firmware_sim.streams.serial_port import SerialSource

        return SerialSource(source)
    return None


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # the name is too long, or access to the folder is denied
        return False


def _open_file(path: Path, options: ReadingOptions) -> Stream:
    """Return the stream of a file, by its content."""
    if path.is_file():
        with reading(path), path.open("rb") as file:
            start = file.read(512)
        if start.startswith(b"PAR1"):
            return open_frame(path, options)
        if start.startswith(b"PK\x03\x04") and (own := _of_archive(path, options)):
            return own
        if start and (what := refusal(start)):
            raise StreamError(f"cannot read {path}: it is {what}")
    with open_bytes(path) as plain:
        if what := refusal(plain.peek(512)[:512]):
            raise StreamError(f"cannot read {path}: it holds {what}")
    with open_lines(path) as lines:
        # An ARFF file may begin with many comments.
        content = dropwhile(lambda line: line.startswith("%") or line.isspace(), lines)
        first = [*islice(content, _INSPECTED_LINES)]
    kind = kind_of(first)
    if " " in kind:
        raise StreamError(f"cannot read {path}: it is {kind}")
    if kind == "json":
        return open_json(path, options)
    if kind == "table" and (layout := history_of(path, options.target)) is not None:
        return open_history(path, layout, options)
    if kind == "libsvm":
        if options.target not in (None, LibsvmStream.target) or options.ignore:
            raise StreamError(f"{path.name} is a LIBSVM file: --target and --ignore do not apply")
        return LibsvmStream(path)
    return CsvStream(path, options=options)


def _of_archive(path: Path, options: ReadingOptions) -> Stream | None:
    """Return the stream of a workbook or an NPZ file; None for any other ZIP archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise StreamError(f"cannot read {path}: {error}") from None
    if "xl/workbook.xml" in names:
        return open_frame(path, options)
    if any(name.endswith(".npy") for name in names):
        return NpzStream(path, target=options.target)
    if path.suffix == ".npz":
        raise StreamError(
            f"cannot read {path}: it contains no arrays ({', '.join(names[:6])}); save them: "
            "numpy.savez(path, X=rows, y=labels)"
        )
    return None
