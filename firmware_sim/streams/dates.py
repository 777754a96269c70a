"""Which format the times of a column have, as its cells show or the user says."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median

import numpy as np

from firmware_sim.streams.time_format import COUNTED, RANGES, TimeFormat, bare, compiled

_CLOCKS = ("%H:%M:%S", "%I:%M:%S %p", "%H.%M.%S", "%H:%M", "%I:%M %p", "%H-%M-%S", "%I %p")
_DATES = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y",
    "%Y_%m_%d", "%d_%m_%Y", "%m.%d.%Y", "%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%d-%m-%y", "%m-%d-%y",
    "%y-%m-%d", "%y/%m/%d", "%y.%m.%d", "%Y/%d/%m", "%Y-%d-%m", "%d-%b-%Y", "%d %b %Y", "%d/%b/%Y",
    "%d%b%Y", "%Y-%b-%d", "%Y %b %d", "%b %d, %Y", "%b %d %Y", "%b-%d-%Y", "%d-%b-%y", "%d %b %y",
    "%d. %b %Y", "%a %d %b %Y", "%a, %d %b %Y", "%a %b %d %Y", "%a, %b %d, %Y", "%Y-%j",
    "%Y年%m月%d日", "%Y%m%d", "%G-W%V-%u", "%GW%V%u", "%Y:%m:%d",
    "%Y-%m", "%Y/%m", "%m/%Y", "%b-%Y", "%b %Y", "%Y-%b",
)  # fmt: skip
#: The year 2000 in seconds since 1970.
_YEAR_2000 = 946_684_800.0
#: Share of the usual step by which others may differ from it.
_SAME_STEP = 0.1
#: What may separate date and time of day.
_JOINTS = (" ", "T", ", ", "_", "-", ":", "  ", "t", " - ", ",", "/", ";")
_COMPACT = ("%Y%m%d%H%M%S", "%Y%m%d%H%M", "%y%m%d%H%M%S", "%Y%m%d%H", "%y%m%d%H%M", "%d%m%Y%H%M%S")
_SPECIAL = (
    "%Y%m%dT%H%M%S", "%Y%m%d %H%M%S", "%Y%m%d-%H%M%S", "%Y%m%d_%H%M%S", "%Y%m%dT%H%M",
    "%Y%m%d %H%M", "%Y%m%d_%H%M", "%Y%m%d:%H%M", "%Y-%m-%dT%H%M%S", "%Y-%m-%d %H%M",
    "%Y-%m-%dT%HZ", "%Y-%m-%d %H",
    "%a %b %d %H:%M:%S %Y", "%a %b %d %H:%M:%S %Z %Y", "%b %d %H:%M:%S", "%d %b %H:%M:%S",
    "%Y-%m-%d_%H%M%S", "%Y-%jT%H:%M:%S", "%Y/%m/%d %H", "%d/%m/%Y %Hh%M", "%d/%m/%Y %H.%M",
    "%d.%m.%Y %H.%M", "%Y-%m-%d %H.%M", "%Y %m %d %H %M %S", "%Y %m %d %H %M", "%Y %m %d",
    "%y%m%d %H%M%S", "%y%m%d-%H%M%S", "%d%m%y %H%M%S",
)  # fmt: skip
#: The range of likely years.
_LIKELY = (2005, 2045)


def recognised(
    column: Sequence[str],
    *,
    share: float = 0.8,
    day_first: bool | None = None,
    european: bool = False,
    later: Callable[[], Sequence[str]] | None = None,
) -> tuple[TimeFormat | None, bool]:
    """Return the time format that most cells match, and whether it is unambiguous.

    column: cells that are not blank.
    share: the minimum share of cells that must match.
    day_first: whether 3/2/2015 is the third of February; None to infer it.
    european: whether other signs (a decimal comma, a semicolon) suggest that the day comes first.
    later: returns cells of later rows; called if these cells leave day and month ambiguous.
    """
    if not column or not any(letter.isdigit() for letter in column[0] + column[-1]):
        return None, True
    found = [one for one in _candidates(column) if _share(one, column) >= share]
    found = _allowed(found, day_first)
    if not found:
        return None, True
    best = max(_share(one, column) for one in found)
    found = [one for one in found if _share(one, column) > best - 0.05]
    rivals = [one for one in found if _is_other_day(one, found[0])]
    # After a leading year comes the month, unless that is impossible.
    rivals = [one for one in rivals if not _is_odd(one)] or rivals
    if len(rivals) > 1 and later is not None:
        column = [*column, *later()]
        shares = [_share(one, column) for one in rivals]
        rivals = [one for one, fit in zip(rivals, shares, strict=True) if fit > max(shares) - 0.002]
    if len(rivals) < 2:
        return (rivals or found)[0], True
    costs = [_cost(one, column) for one in rivals]
    order = sorted(range(len(rivals)), key=costs.__getitem__)
    if costs[order[0]] < 0.5 * costs[order[1]]:
        return rivals[order[0]], True
    likely = [one for one in rivals if _year_is_likely(one, column)] or rivals
    likely.sort(key=lambda one: _preference(one.text, european))
    # In dates with points the day always comes first.
    sure = likely[0].text.startswith("%d.%m.") or len(likely) == 1 or day_first is not None
    return likely[0], sure


def _candidates(column: Sequence[str]) -> list[TimeFormat]:
    """Return the formats that match a few cells from the start, the middle and the end."""
    probes = [bare(cell) for cell in (*column[:3], column[len(column) // 2], column[-1])]
    by_shape = {re.sub(r"\d+", "0", one): one for one in probes}
    found = [text for probe in by_shape.values() for text in _texts(probe)]
    return [TimeFormat(text) for text in dict.fromkeys(found)]


def is_moment(cell: str) -> bool:
    """Whether a cell has the form of a date or a time of day, but is not a number."""
    shape = re.sub(r"\d", "1", bare(cell))
    return not shape.isdigit() and bool(_texts(shape))


@lru_cache(4096)
def _texts(probe: str) -> list[str]:
    """Return the formats that match a cell."""
    if not 3 < len(probe) < 70:
        return []
    if re.fullmatch(r"\d+([.,]\d+)?", probe):
        digits = len(re.match(r"\d+", probe)[0])  # type: ignore[index]
        some = ["%Y%m%d", *_COMPACT] if digits in (8, 10, 12, 14) else []
        if probe[2:4] in ("19", "20"):  # the number of a sensor, then a date
            some += [f"{probe[:2]}{text}" for text in ("%Y%m%d%H%M", "%Y%m%d%H")]
        return [text for text in some if _fits(text, probe)]
    found: list[str] = []
    for text in _DATES:
        if probe[0].isdigit() == (text[1] in "ab"):
            continue
        head = compiled(text).match(probe)
        if head is None:
            continue
        rest = probe[head.end() :]
        if not rest.strip():
            found.append(text)
        for joint in _JOINTS:
            if rest.startswith(joint):
                clocks = (clock for clock in _CLOCKS if _fits(clock, rest[len(joint) :]))
                found += [text + joint + clock for clock in clocks]
    if ":" in probe[1:3]:
        for clock in _CLOCKS:
            head = compiled(clock).match(probe)
            if head is not None:
                rest = probe[head.end("S" if head["S"] else "M") :].strip() if "M" in clock else ""
                found += [f"{clock} {text}" for text in _DATES if _fits(text, rest)]
                found += [clock] if _fits(clock, probe) else []
    elif probe[1:3].strip("0123456789") in (".", "-", " "):
        found += [clock for clock in _CLOCKS if _fits(clock, probe)]
    return found or [text for text in _SPECIAL if _fits(text, probe)]


def _fits(text: str, cell: str) -> bool:
    try:
        return TimeFormat(text).seconds(cell) == 0.0 or True
    except ValueError:
        return False


def _share(one: TimeFormat, column: Sequence[str]) -> float:
    some = column if len(column) <= 4_000 else column[:: len(column) // 2_000]
    return float(np.mean(~np.isnan(one.many(some))))


def _allowed(found: list[TimeFormat], day_first: bool | None) -> list[TimeFormat]:
    """Return the formats that the user's day_first allows."""
    if day_first is None:
        return found
    kept = []
    for one in found:
        day, month = one.text.find("%d"), one.text.find("%m")
        year = max(one.text.find("%Y"), one.text.find("%y"))
        if min(day, month) < 0 or year < min(day, month) or (day < month) == day_first:
            kept.append(one)
    return kept or found


def _is_other_day(one: TimeFormat, best: TimeFormat) -> bool:
    """Whether two formats differ at most in the order of day, month and year."""
    plain = [re.sub("%[dmyY]", "%", text) for text in (one.text, best.text)]
    return plain[0] == plain[1] or one is best


def _is_odd(one: TimeFormat) -> bool:
    return one.text.startswith(("%Y", "%y")) and 0 < one.text.find("%d") < one.text.find("%m")


def _cost(one: TimeFormat, column: Sequence[str]) -> float:
    """Return the sum of the absolute steps from row to row: smaller is likelier."""
    known = one.many(column)
    known = known[~np.isnan(known)]
    return float(np.abs(np.diff(known)).sum())


def _year_is_likely(one: TimeFormat, column: Sequence[str]) -> bool:
    known = one.many(column[:50])
    known = known[~np.isnan(known)]
    years = 1970.0 + known / 31_556_952.0
    return bool(len(years)) and _LIKELY[0] <= float(np.median(years)) <= _LIKELY[1]


def _preference(text: str, european: bool) -> int:
    """Return a sort key: smaller means more common."""
    if text.startswith(("%Y", "%y")):
        return 0 if text.find("%m") < text.find("%d") else 3
    slash = "/" in text
    month_first = text.find("%m") < text.find("%d")
    twelve = "%p" in text
    return 1 if month_first == ((slash and not european) or twelve) else 2


def counted(name: str, values: Sequence[float], *, has_name: bool) -> str:
    """Return the name of a numeric time format, "" if the numbers are not times.

    name: of the column, in lower case.
    values: of its cells, in order.
    has_name: whether the column name means a time and nothing else.
    """
    if len(values) < 2 or not all(map(math.isfinite, values)):
        return ""
    low, high = _middle(values)
    steps = [b - a for a, b in pairwise(values)]
    if not any(steps):
        return ""
    for text in ("epoch", "epoch ms", "epoch us", "epoch ns"):
        minimum, maximum = RANGES[text]
        if minimum <= low and high <= maximum:
            return text
    for text in ("spreadsheet days", "matlab days", "julian days"):
        minimum, maximum = RANGES[text]
        moved = sorted(abs(step) for step in steps if step)
        days = re.search(r"date|day|serial|matlab|julian|jd", name) is not None
        if minimum <= low and high <= maximum and (days or moved[len(moved) // 2] < 1.0):
            return text
    if not has_name:
        return ""
    increasing = _increasing(steps)
    decreasing = sum(step <= 0.0 for step in steps) / len(steps)
    # A restarted clock goes back once; if most steps go back, the newest row comes first.
    if increasing < 0.9 and not (decreasing >= 0.9 and len(steps) > 2):
        return ""
    return _unit(name)


def epoch_of(values: Sequence[float], *, steady: bool = False) -> str:
    """Return the name of the format of times since 1970; "" if the numbers are no such times.

    Unlike `counted`, it takes no number below the year 2000, and no more than a few that fall.

    values: of the cells of a column, in order.
    steady: whether nearly all steps must be alike too, as of a column whose name says nothing.
    """
    text = counted("", values, has_name=False)
    if not text.startswith("epoch") or _middle(values)[0] < _YEAR_2000 / COUNTED[text][0]:
        return ""
    steps = [b - a for a, b in pairwise(values)]
    if _increasing(steps) < 0.9:
        return ""
    usual = median(steps)
    n_steady = sum(abs(step - usual) <= _SAME_STEP * usual for step in steps)
    return text if not steady or (usual > 0.0 and n_steady >= 0.9 * len(steps)) else ""


def _increasing(steps: Sequence[float]) -> float:
    """Return the share of steps that do not fall."""
    return sum(step >= 0.0 for step in steps) / len(steps)


def _middle(values: Sequence[float]) -> tuple[float, float]:
    """Return the 5 % and 95 % quantiles, which ignore a clock that was not set."""
    ordered = sorted(values)
    cut = len(ordered) // 20
    return ordered[cut], ordered[-1 - cut]


def _unit(name: str) -> str:
    """Return the time unit at the end of a column name; seconds by default."""
    ending = re.split(r"[^a-zµ]+", name.strip("])} "))[-1]
    for text, words in (
        ("milliseconds", ("ms", "millis", "msec", "milliseconds", "msecs")),
        ("microseconds", ("us", "µs", "micros", "usec", "microseconds")),
        ("nanoseconds", ("ns", "nanos", "nanoseconds")),
        ("minutes", ("min", "mins", "minutes")),
        ("hours", ("h", "hr", "hrs", "hours")),
    ):
        if ending in words:
            return text
    return "seconds"
