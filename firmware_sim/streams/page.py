"""The page that shows how a log is read."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from firmware_sim.plaintext import counted, shortened
from firmware_sim.streams.cached import log_of
from firmware_sim.streams.columns import INSPECTED_ROWS
from firmware_sim.streams.live import LiveStream
from firmware_sim.streams.reading import Reading
from firmware_sim.streams.stream import Stream
from firmware_sim.streams.tables import CellStream
from firmware_sim.streams.tally import GAP, Tally
from firmware_sim.streams.time_format import zone_free
from firmware_sim.streams.understood import Moments

_SECONDS = re.compile(r"\d:\d\d:\d\d")
#: Most columns listed.
_LISTED = 60


def inspect_rows(
    stream: Stream, limit: int | None, codes: Sequence[float] = (), *, all_rows: bool
) -> Tally:
    """Return the statistics of all rows of a stream, or of the first ones.

    Of windows and joined rows they are those of the log, all of which was read.

    limit: most rows to inspect. Of a live stream, only rows already received are inspected.
    codes: numbers that mean "missing".
    all_rows: whether to inspect more than the first `INSPECTED_ROWS`.
    """
    log = log_of(stream)
    if log is not None:
        return log
    if not all_rows:
        limit = INSPECTED_ROWS if limit is None else min(limit, INSPECTED_ROWS)
    if isinstance(stream, LiveStream):
        limit = stream.rows_here if limit is None else min(limit, stream.rows_here)
    tally = Tally(stream, codes)
    for _ in tally.blocks(limit) if limit != 0 else ():
        pass
    return tally


def page(stream: Stream, tally: Tally, all_rows: bool) -> list[str]:
    """Return the lines of the page of a log.

    stream: its rows, or those made of them.
    tally: of the inspected rows of the log.
    all_rows: whether these are all rows of the log.
    """
    notes, stream = stream.notes, tally.stream
    reading = stream.reading if isinstance(stream, CellStream) else None
    made = "" if reading is None else f": {reading.understood}"
    lines = [f"log       {stream.name}{made}"]
    damaged = tally.damages.n_rows
    which = "" if all_rows else "the first "
    lines.append(f"rows      {which}{tally.rows:,} inspected, {tally.rows - damaged:,} readable")
    lines += [f"          {line}" for line in tally.damages.to_lines()]
    if reading is not None:
        lines.append(f"time      {_time(reading, reading.understood.moments, tally)}")
    lines.append(f"target    {_target(stream, reading)}")
    lines.append(f"inputs    {counted(len(stream.features), 'reading')}")
    lines += [
        f"          {_input(stream, reading, tally, at)}"
        for at in range(_LISTED)
        if at < len(stream.features)
    ]
    if len(stream.features) > _LISTED:
        lines.append(f"          and {len(stream.features) - _LISTED:,} more")
    left_out = {} if reading is None else reading.left_out
    for name, why in [*left_out.items()][:_LISTED]:
        lines.append(f"ignored   {name!r}: {why}")
    lines += [f"note      {note}" for note in notes]
    warnings = [tally.cadence.warning(), *tally.sentinels.warnings()]
    lines += [f"WARNING   {warning}" for warning in filter(None, warnings)]
    return lines


def _time(reading: Reading, moments: Moments | None, tally: Tally) -> str:
    """Return a description of the times."""
    if moments is None:
        return "no column holds times"
    zone = "no zone" if reading.local_times else "in UTC"
    parts = [str(moments)]
    places = [reading.place_of(name) for name in moments.columns]
    cells = [" ".join(row[place] for place in places) for row in reading.first]
    if not any(map(_SECONDS.search, cells)):
        parts[0] = parts[0].replace(":%S", "")  # the format takes both
    if moments.format.startswith("%"):
        parts.append(zone)
    if not math.isnan(tally.first) and reading.is_dated:
        parts.append(f"from {zone_free(tally.first)} to {zone_free(tally.last)}")
    cadence = tally.cadence
    order = "falling" if cadence.falls else "out of order" if cadence.warning() else "rising"
    parts.append(order)
    if cadence.period is not None:
        size = f" of more than {GAP:g} periods" if tally.gaps or tally.missed else ""
        parts.append(f"every {cadence.period:g} s, {counted(tally.gaps, 'gap')}{size}")
        if tally.missed and not cadence.is_uneven:
            parts.append(f"{counted(tally.missed, 'period')} without a readable row")
        if cadence.is_uneven:
            parts.append(f"uneven: a row takes {cadence.seconds_per_row:.3g} s on average")
    return ", ".join(parts)


def _target(stream: Stream, reading: Reading | None) -> str:
    if not stream.target:
        return "no column"
    if reading is None:
        return repr(stream.target)
    cells = [row[reading.place_of(stream.target)].strip() for row in reading.first]
    words = [*dict.fromkeys(cell for cell in cells if cell)]
    shown = ", ".join(map(shortened, words[:5])) + ", ..." * (len(words) > 5)
    return f"{stream.target!r}: {shown or 'empty in the first rows'}"


def _input(stream: Stream, reading: Reading | None, tally: Tally, at: int) -> str:
    """Return a description of an input."""
    name = stream.features[at]
    kind = "number" if reading is None else reading.kind_of(at)
    good = tally.rows - tally.damages.n_rows
    text = f"{name}: {kind}"
    if not math.isnan(tally.low[at]):
        text += f", {tally.low[at]:.6g} to {tally.high[at]:.6g}"
    share = tally.missing[at] / good if good else 0.0
    return text + (f", {100 * share:.3g} % missing" if share else "")
