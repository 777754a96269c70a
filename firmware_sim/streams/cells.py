"""The meaning of a table cell: a number in any common notation, a switch, or a missing value."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

# What spreadsheets and data tools write for an empty cell.
_BLANK = frozenset({"", "nan", "na", "n/a", "null", "none"})
#: ... and what other programs, loggers and home automation write for "no reading".
MISSING_WORDS = _BLANK | {
    "unavailable", "unknown", "#n/a", "#na", "<na>", "n.a.", "n.a", "nil", "\\n", "?", "-", "--",
    "---", "----", "#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!", "-nan", "-nan(ind)",
    "nan(ind)", "1.#qnan", "1.#ind", "-1.#ind", "ofl", "ovfl", "no data", "nodata",
    "not available", "missing",
}  # fmt: skip
#: An error value of a spreadsheet in any language: #NV, #WERT!, #N/D, #¡VALOR!, #DIV/0!.
SHEET_ERROR = re.compile(r"#[¡¿]?(?:[^\W\d]|[/0])+[!?]?")
#: Pairs of words with an obvious meaning: the first is label +1 and reading 1.
YES = frozenset({"true", "yes", "on"})
NO = frozenset({"false", "no", "off"})
#: Characters that mean minus: U+2212, and the dashes that programs write instead.
_MINUS = str.maketrans({"\u2212": "-", "\u2013": "-", "\ufe63": "-", "\uff0d": "-"})
#: Thousands separators other than comma and point.
GAPS = " '\u00a0\u202f\u2009\u2019"
_WRITTEN = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<money>[$€£¥]?)\s*"
    rf"(?P<digits>\d[\d.,{GAPS}]*\d|\d|[.,]\d+|\d+[.,])(?P<power>[eE][+-]?\d+)?"
    r"\s*(?P<unit>(?:[^\W\d_]|[%‰°\u2032\u2033/µ²³·^*\"'()\s\d.-])*)"
)
_LONGEST_UNIT = 16
# 1,234 is ambiguous: a decimal comma or a thousands separator.
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")


def absent(cell: str, words: frozenset[str] = MISSING_WORDS) -> bool:
    """Whether the cell stands for a missing reading.

    words: what missing readings are written as, in lower case.
    """
    return cell.strip().lower() in words


def is_sheet_error(cell: str) -> bool:
    """Whether a cell that should be a number is an error value of a spreadsheet.

    Elsewhere it may be a value: a name in a column of text, a word of the header.
    """
    return SHEET_ERROR.fullmatch(cell.strip()) is not None


def blank(cell: str) -> bool:
    """Whether a cell of a text column is empty; "unknown" may be a value there."""
    return cell.strip().lower() in _BLANK


@dataclass(frozen=True)
class Notation:
    """How the numbers of a column are written.

    decimal: the decimal mark.
    thousands: the thousands separator, "" if there is none; a blank means any kind of space.
    unit: what follows each number; a cell without the unit is still a number.
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether the decimal mark is all that has to be handled."""
        return not (self.thousands or self.unit)

    def number(self, cell: str, words: frozenset[str] = MISSING_WORDS) -> float:
        """Return the reading in a cell, NaN if it is missing.

        words: what missing readings are written as, in lower case.
        Raises ValueError: the cell is neither a number nor missing.
        """
        try:
            value = float(cell.replace(",", ".") if self.decimal == "," else cell)
            if not self.thousands:
                if "_" in cell:  # Python reads 1_2 as 12; in a data file it is a name
                    raise ValueError(cell)
                return value
        except ValueError:
            if absent(cell, words) or is_sheet_error(cell):
                return math.nan
        parts = _parts(cell)
        if parts is None:
            raise ValueError(cell)
        digits, unit = parts
        if unit not in ("", self.unit):
            raise ValueError(cell)
        if self.thousands:
            marks = GAPS if self.thousands == " " else self.thousands
            _, *groups = re.split(f"[{re.escape(marks)}]", re.split("[eE]", digits)[0])
            if any(len(re.match(r"\d*", one)[0]) != 3 for one in groups):  # type: ignore[index]
                raise ValueError(cell)  # an address, a version
            digits = digits.translate(dict.fromkeys(map(ord, marks)))
        return float(digits.replace(",", ".") if self.decimal == "," else digits)


PLAIN = Notation()


def are_plain(column: Sequence[str]) -> bool:
    """Whether Python reads every cell as a number."""
    try:
        values = [*map(float, column)]
    except ValueError:
        return False
    return all(map(math.isfinite, values)) and not any("_" in cell for cell in column)


def number(cell: str, comma: bool = False, words: frozenset[str] = MISSING_WORDS) -> float:
    """Return the reading in a cell, NaN if it is missing; see `Notation.number`.

    comma: whether a comma is the decimal mark.
    """
    return (Notation(",") if comma else PLAIN).number(cell, words)


def is_number(cell: str, comma: bool = False, words: frozenset[str] = MISSING_WORDS) -> bool:
    """Whether the cell is a number, not a word for a missing reading."""
    try:
        return not absent(cell, words) and not math.isnan(number(cell, comma, words))
    except ValueError:
        return False


def _parts(cell: str) -> tuple[str, str] | None:
    """Return the signed number in a cell and the unit after it; None if there is no number.

    An amount of money has its sign in front, and that is its unit.
    """
    text = cell.strip().translate(_MINUS)
    if text.startswith("(") and text.endswith(")"):
        text = "-" + text[1:-1]  # as accountants write it
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return None
    unit = found["unit"].strip()
    if len(unit) > _LONGEST_UNIT or not _is_unit(unit):
        return None
    return found["sign"] + found["digits"] + (found["power"] or ""), found["money"] + unit


def _is_unit(unit: str) -> bool:
    """Whether what follows a number may be its unit: no more digits but powers."""
    digits = [at for at, letter in enumerate(unit) if letter.isdigit()]
    fit = all(unit[at] in "123²³" and at and unit[at - 1] in "mst^-)²³oO" for at in digits)
    return fit and not unit.startswith((".", ")", "-", "'"))


def unit_of(cell: str) -> str:
    """Return the unit after the number in a cell; "" if there is none."""
    parts = _parts(cell)
    return "" if parts is None else parts[1]


def notation_of(column: Sequence[str], comma_file: bool) -> Notation | None:
    """Return how the numbers of a column are written, None if most cells are not numbers.

    column: its cells that are not absent.
    comma_file: whether a comma parts cells, so that one within a cell was in quotes.
    """
    if are_plain(column):
        return PLAIN
    parts = [one for one in map(_parts, column) if one is not None]
    if not parts or 2 * len(parts) < len(column):
        return None
    units = Counter(unit for _, unit in parts)
    named = [unit for unit in units if unit]
    unit = max(named, key=lambda one: units[one]) if named else ""
    if unit and units[unit] + units[""] < 0.8 * len(parts):
        return None  # some are kW and others W: the number alone is ambiguous
    digits = [text for text, _ in parts]
    if unit and 2 * units[unit] < len(parts):
        unit = ""  # too rare to be the unit
    decimal, thousands = _marks(digits, comma_file)
    found = Notation(decimal, thousands, unit)
    fit = sum(_reads(found, cell) for cell in column)
    return found if 2 * fit >= len(column) else None


def _reads(notation: Notation, cell: str) -> bool:
    try:
        return not math.isnan(notation.number(cell))
    except ValueError:
        return False


def _marks(digits: Sequence[str], comma_file: bool) -> tuple[str, str]:
    """Return the decimal mark and the thousands separator of numbers."""
    both = [text for text in digits if "," in text and "." in text]
    gap = " " if any(set(text) & set(GAPS) for text in digits) else ""
    if both:
        last = Counter("," if text.rfind(",") > text.rfind(".") else "." for text in both)
        decimal = last.most_common(1)[0][0]
        return decimal, "." if decimal == "," else ","
    commas = [text for text in digits if "," in text]
    points = [text for text in digits if "." in text]
    if commas and (points or (comma_file and all(map(is_thousands, commas)))):
        several = any(text.count(".") > 1 for text in points)
        return (",", ".") if several else (".", ",")
    if commas:
        return ("." if any(text.count(",") > 1 for text in commas) else ","), (
            "," if any(text.count(",") > 1 for text in commas) else gap
        )
    if any(text.count(".") > 1 for text in points):
        return ",", "."
    return ".", gap


def switch(cell: str, words: frozenset[str] = MISSING_WORDS) -> float:
    """Return 1 for true, yes or on, 0 for false, no or off, NaN if the reading is missing.

    Raises ValueError: the cell is none of these, and not 0 or 1.
    """
    word = cell.strip().lower()
    if word in YES or word in NO:
        return float(word in YES)
    if word in words or is_sheet_error(word):
        return math.nan
    value = float(word)
    if value not in (0.0, 1.0):
        raise ValueError(cell)
    return value


def is_switch(cell: str) -> bool:
    """Whether the cell is a word for 1 or 0."""
    word = cell.strip().lower()
    return word in YES or word in NO


def is_thousands(cell: str) -> bool:
    """Whether the commas in a cell may separate thousands, as in 1,234."""
    return _THOUSANDS.fullmatch(cell.strip()) is not None
