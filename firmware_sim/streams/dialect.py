"""Detects the dialect of a table: separator, comments, header and first row.

Design: tries every separator on the first lines and takes the one that cuts most of them into the
same number of cells that look like readings, times or words. The rows then show which lines above
them are names, units, or a program's preamble. CleverCSV was measured: it finds separators equally
well, but neither header nor comments, and takes 9 MB and 0.8 s to import.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from firmware_sim.plaintext import shortened
from firmware_sim.streams import cells
from firmware_sim.streams.dates import is_moment
from firmware_sim.streams.text import BadLine, Records, is_comment, separated

#: Lines inspected to detect the dialect.
INSPECTED_LINES = 260
#: Most columns inspected to find the first row.
_WIDE = 400
#: A reading has fewer characters.
_LONGEST_READING = 80
#: Possible separators, likelier ones first; a blank means any run of blanks. In a string of several
#: characters each one separates cells.
SEPARATORS = (",", ";", "\t", "|", " \t", ",;", ";\t", ",\t", ";|", ",|")
_SEP_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_COMMENTS = ("#", "%", "//", "!", "'", "*")
_ATTRIBUTE = re.compile(r"@attribute\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))", re.IGNORECASE)
_WORD = re.compile(r"[^,;\t|]*")
_NAMED = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Dialect:
    """How the lines of a table are laid out.

    separator: each of its characters separates cells; a blank means any run of blanks.
    names: of the columns.
    header: line number of the names, from 1; 0 if there is no such line.
    data: line number of the first row.
    comment: prefix of comment lines; "" if there are none.
    """

    separator: str = ","
    names: tuple[str, ...] = ()
    header: int = 1
    data: int = 2
    comment: str = ""


def laid_out(
    lines: Sequence[str],
    *,
    separator: str | None = None,
    header: int | None = None,
    comment: str | None = None,
) -> Dialect:
    """Detect how lines are laid out.

    lines: the first lines of a file.
    separator, header, comment: as in `Dialect`; None to detect them.
    """
    if any(line.lower().lstrip().startswith("@data") for line in lines):
        return _arff(lines)
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    declared = _SEP_LINE.fullmatch(lines[first].strip("\ufeff")) if first < len(lines) else None
    if declared and (separator is None or separator == declared[1]):
        separator = declared[1]
        first += 1
    if comment is None:
        comment = _comment(lines[first:])
    kept = [
        at
        for at in range(first, len(lines))
        if lines[at].strip() and not (comment and is_comment(lines[at], comment))
        and not isinstance(lines[at], BadLine)
    ]  # fmt: skip
    if separator is None:
        separator = _separator([lines[at] for at in kept])
    kept, rows = _records(lines, kept, separator)
    if not rows:
        return Dialect(separator, (), 0, len(lines) + 1, comment)
    width = _width(rows)
    if header is not None:
        above = [place for place, at in enumerate(kept) if at < header]
        start = _first_row(rows, width, len(above))
        line = header
    else:
        start = _first_row(rows, width, 0)
        place = _header(rows, width, start)
        line = (
            kept[place] + 1
            if place is not None
            else _commented(lines, kept, rows, start, separator, comment)
        )
    data = kept[start] + 1 if start < len(kept) else line + 1
    # A line that is not text counts as a row, not as a line of units.
    bad = (at + 1 for at in range(line, data - 1) if isinstance(lines[at], BadLine))
    data = next(bad, data)
    names: list[str] = []
    if 0 < line <= len(lines):
        text = lines[line - 1]
        names, more = _names(
            lines[line - 1 :], separator, comment if text.startswith(comment or "\n") else ""
        )
        data = max(data, line + 1 + more)
    body = rows[start:]
    return Dialect(
        separator, tuple(_fitted(names, body, width)), line if names else 0, data, comment
    )


def among(names: Sequence[str], rows: Sequence[list[str]]) -> tuple[list[str], Sequence[list[str]]]:
    """Return the names and the rows of a sheet, whose header may be further down.

    names: the first line; rows: the lines below it.
    """
    some = [[*names], *rows[:INSPECTED_LINES]]
    start = _first_row(some, len(names), 0)
    place = _header(some, len(names), start)
    if not place:
        return [*names], rows[max(0, start - 1) :] if start < len(some) else rows
    return some[place], rows[start - 1 :]


def is_arff(lines: Sequence[str]) -> bool:
    """Whether lines are the start of an ARFF header that continues after them."""
    lowered = [line.lower() for line in lines]
    starts = all(line.startswith(("%", "@")) or line.isspace() for line in lowered)
    declared = any(line.startswith(("@relation", "@attribute")) for line in lowered)
    return bool(lowered) and (starts or declared) and not any(map(_ends_names, lowered))


def _ends_names(line: str) -> bool:
    return line.lstrip().startswith("@data")


def _arff(lines: Sequence[str]) -> Dialect:
    """Return the dialect of an ARFF file, which declares one name per line."""
    at = next(at for at, line in enumerate(lines) if _ends_names(line.lower()))
    declared = filter(None, (_ATTRIBUTE.match(line.strip()) for line in lines[:at]))
    names = tuple(next(filter(None, found.groups()), "") for found in declared)
    return Dialect(",", names, at + 1, at + 2, "%")


def cut(line: str, separator: str) -> list[str]:
    """Return the cells of one line."""
    try:
        found = next(
            csv.reader(separated([line], separator), delimiter=separator[0], skipinitialspace=True),
            [],
        )
    except csv.Error:
        return []
    return [cell.strip() for cell in found]


def _records(
    lines: Sequence[str], kept: Sequence[int], separator: str
) -> tuple[list[int], list[list[str]]]:
    """Return the rows of lines, and the index of the first line of each.

    A row in quotes may span lines; a row with a stray quote is skipped, except the first.
    """
    if not any('"' in lines[at] for at in kept):
        return [*kept], [cut(lines[at], separator) for at in kept]
    taken: list[int] = []

    def noted() -> Iterator[str]:
        for at in kept:
            taken.append(at)
            yield lines[at]

    records = Records(noted(), separator)
    starts: list[int] = []
    rows: list[list[str]] = []
    for record in records:
        at = taken[len(taken) - 1 - records.lines_ahead]
        if records.damage and len(rows) > 1 and len(taken) == len(kept):
            break  # a cell with more lines than are inspected, or a stray quote
        if records.damage and not rows:
            record = cut(lines[at].replace('"', ""), separator)
        if not records.damage or not rows:
            starts.append(at)
            rows.append([cell.strip() for cell in record])
    return starts, rows


def _comment(lines: Sequence[str]) -> str:
    """Return the prefix of comment lines, "" if there are none."""
    filled = [line for line in lines if line.strip()]
    for mark in _COMMENTS:
        with_mark = sum(is_comment(line, mark) for line in filled)
        starts = mark == "#" or (bool(filled) and filled[0].startswith(mark))
        if with_mark and starts and with_mark <= max(0.6 * len(filled), len(filled) - 3):
            return mark
    return ""


def _separator(lines: Sequence[str]) -> str:
    """Return the separator of lines."""
    best, score = ",", 0.0
    # A preamble may be long: later lines are more reliable.
    some = [*lines[:20], *lines[-100:]] if len(lines) > 120 else lines
    for mark in SEPARATORS:
        if len(mark) > 1 and mark != " \t" and score > 0.6:
            break  # mixed separators only if no single one works
        if not any(letter in line for line in some for letter in mark):
            continue
        found = _score([cut(line, mark) for line in some])
        if found > 1.08 * score:
            best, score = mark, found
    if best == " \t" and all(len(cut(line, best)) == 2 and is_moment(line) for line in lines[1:]):
        return ","  # one column of times
    return best


def _score(rows: Sequence[Sequence[str]]) -> float:
    """Return a score of how much rows of cells look like a table."""
    width = _width(rows)
    if width < 2:
        return 0.02
    fit = [row for row in rows if len(row) == width]
    looks = [_look(cell) for row in fit[-60:] for cell in row[:60]]
    return len(fit) / len(rows) * sum(looks) / len(looks)


def _look(cell: str) -> float:
    """Return a score of how much a text looks like a cell."""
    if is_reading(cell):
        return 1.0
    return 0.6 if _WORD.fullmatch(cell) and len(cell) < 60 else 0.1


def is_reading(cell: str) -> bool:
    """Whether a cell is a number, a time, a switch, or a missing reading."""
    return len(cell) < _LONGEST_READING and _is_reading(cell)


@lru_cache(4096)
def _is_reading(cell: str) -> bool:
    if cells.are_plain([cell]):
        return True
    if cells.absent(cell) or cells.is_switch(cell) or cells.is_number(cell, comma=True):
        return True
    return is_moment(cell) or cells.notation_of([cell], True) is not None


def _width(rows: Sequence[Sequence[str]]) -> int:
    """Return the most common number of cells of the later rows, which follow any preamble."""
    some = rows[len(rows) // 5 :] if len(rows) > 5 else rows[1:] or rows
    counts = Counter(map(len, some))
    return max(counts, key=lambda width: (counts[width], width))


def _first_row(rows: Sequence[Sequence[str]], width: int, start: int) -> int:
    """Return the index of the first row of readings, after the names and units."""
    body = [row for row in rows[start:] if len(row) == width]
    later = body[5:] if len(body) > 12 else body[1:] or body
    # In a very wide table the columns at both ends suffice.
    ends = (
        range(width) if width <= _WIDE else (*range(_WIDE // 2), *range(width - _WIDE // 2, width))
    )
    read = [
        place
        for place in ends
        if 2 * sum(is_reading(row[place]) for row in later) > len(later)
        and not all(cells.absent(row[place]) for row in later)
    ]
    if not read:
        return min(len(rows), start + (start == 0))
    filled = sorted(sum(not cells.absent(row[place]) for place in read) for row in later)
    usual = filled[len(filled) // 2]
    sure = next(
        (at for at in range(start, len(rows)) if _is_row(rows, at, width, read, usual)), len(rows)
    )
    # Rows above it, up to a line of words, may miss most readings.
    at = sure
    first = start + (start == 0 and bool(rows) and _is_counted(rows[0]))
    while at > first and len(rows[at - 1]) == width and _lacks_words(rows[at - 1], read):
        at -= 1
    return at


def _is_row(
    rows: Sequence[Sequence[str]], at: int, width: int, read: Sequence[int], usual: int
) -> bool:
    """Whether a line is a row of readings.

    read: indices of the columns of readings.
    usual: the typical number of readings in a row.
    """
    row = rows[at]
    if len(row) != width:
        return False
    present = [row[place] for place in read if not cells.absent(row[place])]
    fit = sum(map(is_reading, present))
    if 2 * len(present) < usual or not present:
        return False
    if fit == len(present):
        return not (at == 0 and _is_counted(row))
    # A damaged row; names do not contain numbers with a point.
    return (
        len(present) >= usual
        and 2 * fit >= len(present)
        and (at > 0 or any("." in one and cells.are_plain([one]) for one in present))
    )


def _lacks_words(row: Sequence[str], read: Sequence[int]) -> bool:
    """Whether a line has readings or missing values, but no words, in columns of readings."""
    present = [row[place] for place in read if not cells.absent(row[place])]
    absent = any(row[place] and cells.absent(row[place]) for place in read)
    places = frozenset(read)
    others = any(cell for at, cell in enumerate(row) if at not in places)
    return all(map(is_reading, present)) and bool(present or absent or others)


def _is_counted(row: Sequence[str]) -> bool:
    """Whether cells count up from 0 or 1, as data tools name columns."""
    return len(row) > 3 and any(
        [*row] == [str(first + at) for at in range(len(row))] for first in (0, 1)
    )


def _header(rows: Sequence[Sequence[str]], width: int, start: int) -> int | None:
    """Return the index of the header above the first row, None if there is none."""
    if start == 0:
        return None
    top = start
    while top > 0 and len(rows[top - 1]) == width and len(rows[top - 1]) > 0:
        top -= 1
    torn = start
    while torn > 1 and len(rows[torn - 1]) < width and _is_torn(rows[torn - 1]):
        torn -= 1
    if torn < start and len(rows[torn - 1]) == width:
        return _header(rows, width, torn)  # the first rows below it are damaged
    if top == start:  # a line of another width may still be the header
        near = rows[start - 1]
        fits = len(near) > 1 and abs(len(near) - width) <= max(2, width // 4)
        return start - 1 if fits and any(map(_NAMED.search, near[:2])) else None
    n_filled = [sum(map(bool, row)) for row in rows[top:start]]
    # A title line above the names has one cell, the first, padded with commas.
    max_filled = max(n_filled)
    if max_filled == 1 < width - 1 and not any(any(row[1:]) for row in rows[top:start]):
        return None  # nothing but titles
    full = [top + at for at, count in enumerate(n_filled) if count >= 0.75 * max_filled]
    # A line of a preamble may be as full as the names, but contains numbers.
    words = [at for at in full if not any(map(cells.is_number, rows[at]))]
    if full[0] not in words and words and len({*rows[words[0]]}) == width:
        return words[0]
    # A device writes its own name above each of its columns; names differ.
    return next((at for at in words if not _is_one_word(rows[at])), full[0])


def _is_torn(row: Sequence[str]) -> bool:
    """Whether a short line is the beginning of a row of readings."""
    return (
        len(row) > 0
        and any(map(str.isdigit, row[0]))
        and all(cell == "" or is_reading(cell) for cell in row[1:])
    )


def _is_one_word(row: Sequence[str]) -> bool:
    """Whether more than two cells of a line are filled, all with the same text."""
    filled = [cell for cell in row if cell]
    return len(filled) > 2 and len({*filled}) == 1


def _commented(
    lines: Sequence[str], kept: Sequence[int], rows: Sequence[Sequence[str]], start: int,
    separator: str, comment: str,
) -> int:  # fmt: skip
    """Return the line number of a comment that holds the names, 0 if there is none."""
    if not comment or start >= len(kept):
        return 0
    for at in range(kept[start] - 1, -1, -1):
        if lines[at].startswith(comment):
            found = cut(lines[at].lstrip(comment), separator)
            if len(found) > 1 and abs(len(found) - len(rows[start])) <= 1:
                return at + 1 if not all(map(is_reading, found)) else 0
        elif lines[at].strip():
            return 0
    return 0


def _names(lines: Sequence[str], separator: str, comment: str) -> tuple[list[str], int]:
    """Return the names in the first line, and the number of further lines they span."""
    first = lines[0].lstrip("\ufeff")
    if comment and first.startswith(comment):
        return cut(first.lstrip(comment), separator), 0
    records = Records(iter([first, *islice(lines, 1, None)]), separator)
    names = next(records, [])
    if records.damage:  # a stray quote
        return cut(first.replace('"', ""), separator), 0
    more = records.lines_ahead
    return [" ".join(name.split()) for name in names], more


def _fitted(names: list[str], body: Sequence[Sequence[str]], width: int) -> list[str]:
    """Adjust the names to the width of the rows."""
    many = sum(len(row) == width for row in body)
    sure = not names or (many > 2 and many > 0.8 * len(body))
    if sure and len(names) != width and body:
        fit = [row for row in body if len(row) == width]
        more = width - len(names)
        if not names:
            names = [f"c{place}" for place in range(1, width + 1)]
        elif more < 0:
            names = names[:width] if not any(names[width:]) else names
        elif more == 1 and any(row[-1] for row in fit) and _is_day_and_time(fit):
            names = [names[0], f"{names[0]}.2", *names[1:]]
        elif more == 1 and any(row[-1] for row in fit) and not _starts_with_time(names, fit):
            names = ["", *names]  # a column of row names, as statistics programs write it
        else:
            last_empty = not any(cell for row in fit for cell in row[len(names) :])
            names += [
                "" if last_empty else f"c{place}" for place in range(len(names) + 1, width + 1)
            ]
    return names


def _is_day_and_time(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows begin with a date and a time of day."""
    return all(is_moment(row[0]) and ":" not in row[0] and ":" in row[1] for row in rows)


def _starts_with_time(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first column is a time, so that the last name is the missing one."""
    return all(is_moment(row[0]) for row in rows) and bool(names) and not is_moment(names[0])


def unique(names: Sequence[str]) -> dict[str, str]:
    """Return unique names, and for each the name in the table."""
    out: dict[str, str] = {}
    count: Counter[str] = Counter()
    for place, name in enumerate(names, 1):
        new = name
        while new in out:
            count[name] += 1
            new = f"{name}.{count[name] + 1}" if name else f"column {place}"
        out[new] = name
    return out


def described(separator: str) -> str:
    """Return a separator in words."""
    words = {"\t": "tabs", " \t": "blanks", " ": "blanks"}
    return words.get(separator) or " or ".join(
        words.get(one) or shortened(one) for one in separator
    )
